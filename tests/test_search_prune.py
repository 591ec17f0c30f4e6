"""The best play of each roll, and pruning: which plays are evaluated, and what a search loses."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.analysis import cube_action, hint
from gnubg_py.board import MAX_PLAYS, Boards
from gnubg_py.cube.state import Cube
from gnubg_py.cube.values import cube_table
from gnubg_py.engine import default_engine, engine_of, pruner_of
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.protocol import FunctionEvaluator
from gnubg_py.evaluators.registry import default_router
from gnubg_py.evaluators.router import LEARNED
from gnubg_py.plays import all_rolls
from gnubg_py.probabilities import cubeless_equity
from gnubg_py.search.best import best_of_rolls, sieve_of
from gnubg_py.search.cache import SearchCache
from gnubg_py.search.context import make_search
from gnubg_py.search.settings import EvalSettings
from tests.search_twins import PIPS, pips, positions_by_class
from tests.searching import cubeful_values, evaluate_batch


@dataclass(frozen=True)
class Pruned:
    """``PIPS`` with a pruner of its own."""

    pruner: FunctionEvaluator
    name: str = "pruned"
    identity: str = "pruned"

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        return PIPS(boards)


def test_plays_into_a_bearoff_are_always_evaluated() -> None:
    boards = positions_by_class(20)[PositionClass.RACE]
    plays, offsets = all_rolls(boards)
    evaluated: list[Boards] = []

    def remember(asked: Boards) -> NDArray[np.float32]:
        evaluated.append(asked)
        return PIPS(asked)

    engine = engine_of(Pruned(FunctionEvaluator("pips", pips)))
    engine = replace(engine, evaluator=FunctionEvaluator("remembers", remember))
    search = make_search(engine, EvalSettings())
    table = cube_table([Cube()])
    best_of_rolls(search, boards, None, table, sieve=sieve_of(search))
    kept = {board.tobytes() for boards in evaluated for board in boards}
    into = ~np.isin(classify(plays), LEARNED)
    assert into.any()
    assert all(board.tobytes() in kept for board in plays[into])
    for start, end in itertools.pairwise(offsets):
        assert any(board.tobytes() in kept for board in plays[start:end])
    assert len(kept) < 0.6 * len({board.tobytes() for board in plays})


def test_the_best_play_of_each_roll_is_that_of_the_lowest_value() -> None:
    boards = positions_by_class(20)[PositionClass.CONTACT][:8]
    plays, offsets = all_rolls(boards)
    table = cube_table([Cube(), Cube(2, 0), Cube(2, 1)])
    own = np.arange(8) % 3
    search = make_search(engine_of(PIPS), EvalSettings(prune=False))
    best = best_of_rolls(search, boards, None, table, own)
    five = PIPS(plays)
    values = search.values(plays, classify(plays), five, table)
    for roll, (start, end) in enumerate(itertools.pairwise(offsets)):
        value = values[start:end, own[roll // 21]]
        ties = cubeless_equity(five[start:end])
        first = start + min(range(end - start), key=lambda i: (value[i], ties[i]))
        assert (best.boards[roll] == plays[first]).all()
        assert (best.five[roll] == five[first]).all()


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


def test_a_pruner_that_keeps_every_play_changes_nothing() -> None:
    boards = positions_by_class(20)[PositionClass.CONTACT][:3]
    found = [
        evaluate_batch(boards, settings, default_router(), cache=SearchCache(0))
        for settings in (
            EvalSettings(1, prune=False),
            EvalSettings(1, prune_keep=MAX_PLAYS, prune_within=1e6),
        )
    ]
    assert (found[0] == found[1]).all()


def test_only_searches_by_nets_are_pruned_by_the_net() -> None:
    assert pruner_of(PIPS) is None
    router = default_router()
    pruner = pruner_of(router)
    assert pruner is not None
    for position_class in LEARNED:
        assert pruner_of(router.routed(position_class, FunctionEvaluator("pips", pips))) is None
    assert make_search(default_engine(), EvalSettings(2, prune=False)).engine.pruner is None


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
