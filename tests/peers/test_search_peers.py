"""The search beside gnubg's: the same answers from its leaf, its filters, its speed, openings."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.board import START, Boards
from gnubg_py.compare.decisions import Decisions, read_decisions
from gnubg_py.compare.duel import self_play
from gnubg_py.cube.efficiency import CONSTANTS
from gnubg_py.cube.met import equity_of_chance, kazaross_xg2
from gnubg_py.cube.state import OTHER, OWN, Cube
from gnubg_py.cube.tree import cube_decision_cubes
from gnubg_py.dice import roll_dice
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.protocol import FunctionEvaluator
from gnubg_py.evaluators.registry import default_router
from gnubg_py.evaluators.router import Router, with_exact_endings
from gnubg_py.notation import play_text
from gnubg_py.search.cache import SearchCache
from gnubg_py.search.ranking import kept
from gnubg_py.search.settings import NORMAL, EvalSettings
from gnubg_py.search.values import values
from tests.conftest import play_random_positions
from tests.searching import rank_plays, search_of

from .peers import emitted, gnubg_script
from .test_cube_peers import _PRELUDE, as_list

DECISIONS = Path(__file__).resolve().parents[3] / "shared" / "benchmark" / "decisions.jsonl.gz"
TIMED = 200

_STATIC = """
context = dict(cubeful=0, plies=0, deterministic=1, prune=0, noise=0.0)
info = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0)
emit([gnubg.evaluate(turned(board), info, context)[:5] for board in data])
"""

_SEARCHED = """
context = dict(cubeful=1, plies=data["plies"], deterministic=1, prune=0, noise=0.0)
for cube in data["cubes"]:
    info = cubeinfo(cube)
    emit([gnubg.cfevaluate(turned(board), info, context)[1:3] for board in data["boards"]])
"""


class Missing(Exception):  # noqa: N818
    """Boards that gnubg has not been asked about yet."""


class GnubgLeaf:
    """gnubg's 0-ply probabilities, asked for in large batches."""

    def __init__(self) -> None:
        self.known: dict[bytes, list[float]] = {}

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        new = [b for b in boards if b.tobytes() not in self.known]
        if new:
            raise Missing(new)
        return np.array([self.known[b.tobytes()] for b in boards], np.float32)

    def learn(self, boards: list[NDArray[np.int8]]) -> None:
        data = [board.tolist() for board in boards]
        (answers,) = emitted(gnubg_script(_PRELUDE + _STATIC, data, timeout=300))
        self.known |= {b.tobytes(): a for b, a in zip(boards, answers, strict=True)}

    def router(self) -> Router:
        """With gnubg's 0-ply for all classes but games over and two-sided bearoffs."""
        leaf = FunctionEvaluator("gnubg", self)
        return with_exact_endings("gnubg", leaf).routed(PositionClass.BEAROFF1, leaf)


def searched(
    boards: Boards, cubes: tuple[Cube, ...], plies: int, leaf: GnubgLeaf
) -> NDArray[np.float64]:
    """Our search by gnubg's leaf: tried until gnubg has been asked about all it comes to."""
    while True:
        try:
            search = search_of(EvalSettings(plies, prune=False), leaf.router(), SearchCache(0))
            engine = replace(search.engine, efficiency=CONSTANTS)
            return values(replace(search, engine=engine), boards, cubes)[1]
        except Missing as missing:
            leaf.learn(missing.args[0])


def equities(values: NDArray[np.float64], cube: Cube) -> NDArray[np.float64]:
    scale: NDArray[np.float64] = np.array([1.0, 2.0])[: values.shape[1]]
    return values * scale if cube.away is None else equity_of_chance(values, cube, kazaross_xg2())


@pytest.mark.parametrize(("plies", "n"), [(1, 6), (2, 1)])
def test_by_gnubgs_leaf_the_search_says_what_gnubg_says(
    gnubg_script: Callable[..., str], plies: int, n: int
) -> None:
    positions = play_random_positions(3000, 8)
    classes = classify(positions)
    wanted = (PositionClass.CONTACT, PositionClass.CRASHED, PositionClass.RACE)
    boards = np.concatenate([positions[classes == c][:n] for c in wanted])
    cubes = [Cube(), Cube(2, OWN), Cube(2, OTHER), Cube(away=(3, 5)), Cube(2, OWN, away=(5, 4))]
    if plies == 2:
        cubes = cubes[::3]
    data = {"boards": boards.tolist(), "cubes": [as_list(c) for c in cubes], "plies": plies}
    theirs = emitted(gnubg_script(_PRELUDE + _SEARCHED, data, timeout=300))
    leaf = GnubgLeaf()
    gaps = []
    for cube, answers in zip(cubes, theirs, strict=True):
        asked = cube_decision_cubes(cube)
        ours = equities(searched(boards, asked, plies, leaf), cube)
        gaps.append(np.abs(ours - np.array(answers)[:, : len(asked)]).max(axis=1))
    flat = np.concatenate(gaps)
    print(
        f"\n{plies}-ply, {len(flat)} positions and cubes: within {flat.max():.1e}, "
        f"mean {flat.mean():.1e}"
    )
    assert flat.max() < 1e-5


_HINTED = """
import gnubg, time
gnubg.command("set evaluation chequerplay evaluation plies 2")
wall = cpu = 0.0
answers = []
for xgid in data:
    gnubg.command("set xgid " + xgid)
    start, started = time.perf_counter(), time.process_time()
    found = gnubg.hint(3060)["hint"]
    wall += time.perf_counter() - start
    cpu += time.process_time() - started
    answers.append([[p["equity"], p["context"]["plies"]] for p in found])
gnubg.command("set evaluation chequerplay evaluation plies 0")
static = []
for xgid in data:
    gnubg.command("set xgid " + xgid)
    static.append([p["equity"] for p in gnubg.hint(3060)["hint"]])
emit([wall, cpu])
emit(answers)
emit(static)
"""

_TIMED = """
import time
info = cubeinfo([1, -1, None, 0, 0, 0])
context = dict(cubeful=1, plies=2, deterministic=1, prune=1, noise=0.0)
wall, cpu = time.perf_counter(), time.process_time()
for board, dice in data:
    gnubg.findbestmove(turned(board), info, context, tuple(dice))
emit([time.perf_counter() - wall, time.process_time() - cpu])
"""


def benchmark() -> Decisions:
    if not DECISIONS.is_file():
        pytest.skip(
            f"{DECISIONS} is not there: the judged decisions are kept beside the repository"
        )
    return read_decisions(DECISIONS)


def xgid(board: NDArray[np.int8], dice: NDArray[np.int8]) -> str:
    """XG's notation of money play without Jacoby."""
    points = ["-"] * 26
    for i in range(25):
        if board[0, i]:
            points[i + 1] = chr(ord("A") + board[0, i] - 1)
        if board[1, i]:
            points[24 - i] = chr(ord("a") + board[1, i] - 1)
    return f"XGID={''.join(points)}:0:0:1:{dice[0]}{dice[1]}:0:0:0:0:10"


def test_the_filter_keeps_what_gnubg_keeps(gnubg_script: Callable[..., str]) -> None:
    decisions = benchmark()
    lines = [xgid(decisions.boards[i], decisions.dice[i]) for i in range(60)]
    _, answers, static = emitted(gnubg_script(_HINTED, lines, timeout=300))
    (step,) = NORMAL.of(2)
    deep = 0
    for answer, shallow in zip(answers, static, strict=True):
        values = np.array(shallow)
        ours = len(kept(values, values, np.array([0, len(values)]), step, step.within))
        theirs = sum(plies == 2 for _, plies in answer)
        assert ours == theirs
        deep += ours
    print(f"\n{len(lines)} decisions: {deep} plays looked at 2-ply, as in gnubg")


def test_a_two_ply_decision_takes_no_longer_than_gnubgs(
    gnubg_script: Callable[..., str], one_thread: None
) -> None:
    """Both on one thread, one after the other; processor time, since other work may be going on."""
    decisions = benchmark()
    chosen = range(TIMED)
    data = [(decisions.boards[i].tolist(), decisions.dice[i].tolist()) for i in chosen]
    ((wall, cpu),) = emitted(gnubg_script(_PRELUDE + _TIMED, data, timeout=600))
    lines = [xgid(decisions.boards[i], decisions.dice[i]) for i in chosen]
    (hinted, hinted_cpu), *_ = emitted(gnubg_script(_HINTED, lines, timeout=600))
    ours = {plies: timed(decisions, chosen, plies) for plies in (2, 3)}
    print(f"\n{TIMED} decisions, 1 thread, milliseconds a decision (wall, processor):")
    for name, pair in (
        ("gnubg 2-ply, findbestmove", (wall, cpu)),
        ("gnubg 2-ply, hint", (hinted, hinted_cpu)),
        ("gnubg_py 2-ply, Normal", ours[2][:2]),
        ("gnubg_py 3-ply, Normal", ours[3][:2]),
    ):
        print(f"  {name:<28}{1000 * pair[0] / TIMED:8.1f}{1000 * pair[1] / TIMED:8.1f}")
    for plies, (_, spent, evaluations, cache) in ours.items():
        hits = cache.deep.statistics()
        print(
            f"  {plies}-ply: {evaluations / TIMED:.0f} evaluations a decision, "
            f"{evaluations / spent:,.0f} a second; nodes asked for {hits.lookups}, "
            f"known {hits.hits}"
        )
    deeper = ours[3][1] / ours[2][1]
    print(f"  ratio to gnubg {ours[2][1] / cpu:.2f}, of 3-ply to 2-ply {deeper:.1f}")
    assert ours[2][1] <= cpu
    assert deeper <= 20


def timed(decisions: Decisions, chosen: range, plies: int) -> tuple[float, float, int, SearchCache]:
    """Wall and processor seconds of the decisions, evaluations, and the cache they shared."""
    cache = SearchCache()
    evaluations = 0

    def count(n: int) -> None:
        nonlocal evaluations
        evaluations += n

    settings = EvalSettings(plies)
    rank_plays(START, (3, 1), Cube(), settings, cache=SearchCache(0))
    start, started = time.perf_counter(), time.process_time()
    for i in chosen:
        board, dice = decisions.boards[i], tuple(decisions.dice[i].tolist())
        rank_plays(board, dice, Cube(), settings, cache=cache, count=count)
    return time.perf_counter() - start, time.process_time() - started, evaluations, cache


# Plays that books and rollouts have as best, or as good as best, for money.
OPENINGS: dict[tuple[int, int], set[str]] = {
    (2, 1): {"13/11 6/5", "24/23 13/11"},
    (3, 1): {"8/5 6/5"},
    (4, 1): {"24/23 13/9", "13/9 6/5"},
    (5, 1): {"24/23 13/8", "13/8 6/5"},
    (6, 1): {"13/7 8/7"},
    (3, 2): {"24/21 13/11", "13/11 13/10"},
    (4, 2): {"8/4 6/4"},
    (5, 2): {"13/11 13/8", "24/22 13/8"},
    (6, 2): {"24/18 13/11"},
    (4, 3): {"24/20 13/10", "24/21 13/9", "13/10 13/9"},
    (5, 3): {"8/3 6/3"},
    (6, 3): {"24/18 13/10", "24/15"},
    (5, 4): {"24/20 13/8", "13/9 13/8"},
    (6, 4): {"24/14", "24/18 13/9", "8/2 6/2"},
    (6, 5): {"24/13"},
}


def test_opening_plays() -> None:
    differ = []
    for dice, known in OPENINGS.items():
        ranked = rank_plays(START, dice, Cube(), EvalSettings(2))
        texts = [play_text(START, dice, play.board) for play in ranked]
        best = next(play for play, text in zip(ranked, texts, strict=True) if text in known)
        if texts[0] not in known:
            differ.append((dice, texts[0], ranked[0].equity - best.equity))
    print(f"\n{15 - len(differ)} of 15 opening plays as published")
    for dice, text, by in differ:
        print(f"  {dice[0]}{dice[1]}: {text}, by {by:.3f}")
    assert all(by < 0.02 for _, _, by in differ)
    assert len(differ) <= 4


PRUNINGS = ((3, 0.06), (3, 0.15), (6, 0.1), (6, 0.15), (6, 0.2), (8, 0.15), (8, 9.0))


def test_what_pruning_saves_and_costs(one_thread: None) -> None:
    """2-ply with Normal, 200 decisions of self-play; beside the search that is not pruned."""
    router = default_router()
    assert isinstance(router, Router)
    boards = self_play(200, 20261118, router)
    dice = roll_dice(np.random.default_rng(1), len(boards)).tolist()

    def ranked(settings: EvalSettings) -> tuple[list[dict[bytes, float]], float, int]:
        asked = 0

        def count(n: int) -> None:
            nonlocal asked
            asked += n

        answers, started = [], time.process_time()
        for board, (a, b) in zip(boards, dice, strict=True):
            cache = SearchCache(1 << 14)
            plays = rank_plays(board, (a, b), Cube(), settings, cache=cache, count=count)
            answers.append({play.board.tobytes(): play.equity for play in plays})
        return answers, (time.process_time() - started) / len(boards), asked // len(boards)

    ranked(EvalSettings(2))
    whole, spent, asked = ranked(EvalSettings(2, prune=False))
    print(
        f"\nkeep within  ms a decision  evaluations  equity  play\nall {1000 * spent:.1f} {asked:,}"
    )
    for keep, within in PRUNINGS:
        found, spent, asked = ranked(EvalSettings(2, prune_keep=keep, prune_within=within))
        best = [next(iter(plays)) for plays in found]
        off = [abs(some[b] - full[b]) for some, full, b in zip(found, whole, best, strict=True)]
        lost = [max(full.values()) - full[b] for full, b in zip(whole, best, strict=True)]
        costs = float(np.mean(off)), float(np.mean(lost))
        print(f"{keep} {within} {1000 * spent:.1f} {asked:,} {costs[0]:.4f} {costs[1]:.5f}")
        assert costs[1] < 0.002
