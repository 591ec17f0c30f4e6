"""Pruning: which plays stay in, against a plain telling, and what a search is then worth."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gnubg_py.analysis import cube_action, hint
from gnubg_py.board import Boards, swap
from gnubg_py.cube.state import Cube
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.protocol import FunctionEvaluator
from gnubg_py.evaluators.registry import default_router
from gnubg_py.evaluators.router import LEARNED
from gnubg_py.plays import all_rolls
from gnubg_py.search import cubeful_values, evaluate_batch
from gnubg_py.search.cache import SearchCache
from gnubg_py.search.context import make_search
from gnubg_py.search.prune import kept_plays, mark_kept, pruner_of
from gnubg_py.search.settings import EvalSettings
from tests.search_twins import PIPS, pips, positions_by_class


@dataclass(frozen=True)
class Pruned:
    """``PIPS`` with a pruner of its own."""

    pruner: FunctionEvaluator
    name: str = "pruned"
    identity: str = "pruned"

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        return PIPS(boards)


ROLLS = st.lists(
    st.lists(st.tuples(st.integers(-8, 8), st.booleans()), min_size=1, max_size=10),
    min_size=1,
    max_size=4,
)


@given(ROLLS, st.integers(1, 5), st.sampled_from([0.0, 0.25, 9.0]))
def test_the_lowest_scores_near_the_lowest_stay(
    rolls: list[list[tuple[int, bool]]], keep: int, within: float
) -> None:
    scores = np.array([s / 16 for roll in rolls for s, _ in roll])
    free = np.array([f for roll in rolls for _, f in roll])
    offsets = np.cumsum([0] + [len(roll) for roll in rolls])
    mark = np.zeros(len(scores), np.bool_)
    mark_kept(scores, free, np.arange(len(scores)), offsets, keep, within, mark)
    for start, end in itertools.pairwise(offsets):
        expected = set(range(start, end))
        if end - start > keep:
            judged = sorted((scores[j], j) for j in range(start, end) if not free[j])
            near = [j for s, j in judged[:keep] if s <= judged[0][0] + within]
            expected = {j for j in range(start, end) if free[j]} | set(near)
        assert set(np.flatnonzero(mark[start:end]) + start) == expected


def test_plays_into_a_bearoff_always_stay() -> None:
    boards = positions_by_class(20)[PositionClass.RACE]
    plays, offsets = all_rolls(boards)
    search = make_search(EvalSettings(), Pruned(FunctionEvaluator("pips", pips)))
    every = np.arange(len(plays))
    rows = kept_plays(search, swap(boards), plays, offsets[::21], every, offsets, Cube())
    assert (np.diff(rows) > 0).all()
    kept = np.zeros(len(plays), np.bool_)
    kept[rows] = True
    into = ~np.isin(classify(plays), LEARNED)
    assert into.any()
    assert kept[into].all()
    counts = np.add.reduceat(kept, offsets[:-1])
    assert counts.min() >= 1
    assert kept.mean() < 0.6


@pytest.mark.parametrize("cube", [Cube(), Cube(away=(1, 1)), Cube(2, 0, away=(5, 4))])
def test_pruned_by_itself_a_search_finds_the_same(cube: Cube) -> None:
    """A pruner that agrees with the leaf drops no best play, as long as the cube agrees as well."""
    boards = positions_by_class(20)[PositionClass.CONTACT][:6]
    settings = EvalSettings(1, cubeful=False, prune_keep=1)
    pruned, plain = (
        cubeful_values(boards, (cube,), settings, evaluator, cache=SearchCache(0))
        for evaluator in (Pruned(FunctionEvaluator("pips", pips)), PIPS)
    )
    assert (pruned[0] == plain[0]).all()
    assert (pruned[1] == plain[1]).all()


def test_only_searches_by_nets_are_pruned_by_the_net() -> None:
    assert pruner_of(PIPS) is None
    router = default_router()
    pruner = pruner_of(router)
    assert pruner is not None
    for position_class in LEARNED:
        assert pruner_of(router.routed(position_class, FunctionEvaluator("pips", pips))) is None
    assert make_search(EvalSettings(2, prune=False)).pruner is None


@pytest.mark.parametrize(("evaluator", "pruned"), [("net", True), ("ten-factor", False)])
def test_settings_tell_of_pruning_only_where_plays_are_pruned(evaluator: str, pruned: bool) -> None:
    found = hint("4HPwATDgc/ABMA", dice="31", ply=1, evaluator=evaluator)
    assert ("prune" in str(found)) is pruned
    assert ("prune" in cube_action("4HPwATDgc/ABMA", ply=1, evaluator=evaluator).settings.text) is (
        pruned
    )


@pytest.mark.parametrize("position_class", LEARNED)
def test_the_shipped_pruner_costs_little(position_class: PositionClass) -> None:
    boards = positions_by_class(20)[position_class]
    searched = [
        evaluate_batch(boards, EvalSettings(1, prune=prune), cache=SearchCache(0))
        for prune in (True, False)
    ]
    difference = np.abs(searched[0] - searched[1])[:, 0]
    print(f"\npruning at 1-ply: mean {difference.mean():.5f}, most {difference.max():.5f}")
    assert difference.mean() < 2e-3
