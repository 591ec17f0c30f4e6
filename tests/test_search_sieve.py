"""The plays that a search evaluates, held against a plain choice of them, roll by roll."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.board import Board, Boards
from gnubg_py.cube.state import Cube
from gnubg_py.cube.values import cube_table, cubeless_values
from gnubg_py.dice import ROLLS, roll_dice
from gnubg_py.engine import engine_of
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.protocol import FunctionEvaluator
from gnubg_py.evaluators.router import LEARNED, with_exact_endings
from gnubg_py.plays import plays
from gnubg_py.search import sieve as sieve_module
from gnubg_py.search.best import best_of_rolls
from gnubg_py.search.context import make_search
from gnubg_py.search.settings import EvalSettings
from gnubg_py.search.sieve import Kept, Sieve, kept_plays
from gnubg_py.search.sieve_room import new_room
from tests.search_twins import positions_by_class, random_leaf, random_net
from tests.searching import search_of

CONTACT = PositionClass.CONTACT
NET = random_leaf((24, 8), 3)
TABLE = cube_table([Cube(), Cube(2, 0), Cube(2, 1)])


def plain_choice(board: Board, dice: list[int], sieve: Sieve, cube: int) -> list[bytes]:
    """The plays of a roll that the sieve keeps, in their order."""
    after = plays(board, (dice[0], dice[1]))
    value = cubeless_values(sieve.evaluator(after), TABLE, np.array([cube]))
    exact = [i for i, c in enumerate(classify(after)) if c not in LEARNED]
    judged = sorted(set(range(len(after))) - set(exact), key=lambda i: (value[i], i))
    kept = near_plays(judged, value, sieve, cube)
    return [after[i].tobytes() for i in sorted(kept + exact)]


def near_plays(ranked: list[int], value: NDArray[np.float64], sieve: Sieve, cube: int) -> list[int]:
    """The plays that are near enough to the best: the higher the rank, the nearer."""
    kept = []
    for rank, i in enumerate(ranked[: sieve.keep], 1):
        share = (sieve.keep + 2 - rank) / sieve.keep
        if value[i] <= value[ranked[0]] + sieve.within * TABLE.points[cube] * share:
            kept.append(i)
    return kept


def boards_of_all_classes(n: int) -> Boards:
    return np.concatenate([boards[:n] for boards in positions_by_class(20).values()])


@pytest.mark.parametrize("keep", [1, 3, 6, 40])
@pytest.mark.parametrize("within", [0.02, 0.2, 9.0])
@pytest.mark.parametrize("kernel", [True, False], ids=["kernel", "other evaluator"])
def test_a_sieve_keeps_the_few_best_plays_of_each_roll(
    keep: int, within: float, kernel: bool
) -> None:
    boards = boards_of_all_classes(4)
    cubes = np.arange(len(boards)) % 3
    sieve = Sieve(NET if kernel else FunctionEvaluator("the same", NET), keep, within)
    dice = np.tile(ROLLS, (len(boards), 1))
    (kept,) = kept_plays(boards, dice, sieve, TABLE, cubes)
    for number, (start, end) in enumerate(pairwise(kept.offsets.tolist())):
        found = [kept.boards[i].tobytes() for i in kept.which[start:end]]
        board = number // 21
        assert found == plain_choice(boards[board], dice[number].tolist(), sieve, cubes[board])
    check_rows(kept)


@pytest.mark.parametrize("keep", [1, 2, 5])
@pytest.mark.parametrize("within", [0.02, 0.2])
@pytest.mark.parametrize("kernel", [True, False], ids=["kernel", "other evaluator"])
def test_a_judge_of_luck_keeps_the_best_plays_best_first(
    keep: int, within: float, kernel: bool
) -> None:
    # Plays into bearoffs and the end of the game are judged too, by their own evaluators.
    boards = boards_of_all_classes(4)
    cubes = np.arange(len(boards)) % 3
    judge = with_exact_endings("judge", NET)
    evaluator = judge if kernel else FunctionEvaluator("the same", judge)
    sieve = Sieve(evaluator, keep, within, learned_only=False)
    assert (sieve.net is NET) is kernel
    (kept,) = kept_plays(boards, np.tile(ROLLS, (len(boards), 1)), sieve, TABLE, cubes)
    for number, (start, end) in enumerate(pairwise(kept.offsets.tolist())):
        cube = cubes[number // 21]
        after = plays(boards[number // 21], tuple(ROLLS[number % 21].tolist()))
        value = cubeless_values(judge(after), TABLE, np.array([cube]))
        order = sorted(range(len(after)), key=lambda i: (value[i], i))
        best = [after[i].tobytes() for i in near_plays(order, value, sieve, cube)]
        assert [kept.boards[i].tobytes() for i in kept.which[start:end]] == best
    check_rows(kept)


def check_rows(kept: Kept) -> None:
    """The rows of each position are its own, all of them are used, and no two are equal."""
    rolls = (len(kept.offsets) - 1) // (len(kept.first) - 1)
    for i, (first, end) in enumerate(pairwise(kept.first.tolist())):
        used = kept.which[kept.offsets[i * rolls] : kept.offsets[(i + 1) * rolls]]
        assert set(used.tolist()) == set(range(first, end))
        assert len({board.tobytes() for board in kept.boards[first:end]}) == end - first


def test_without_a_sieve_every_play_is_evaluated() -> None:
    boards = boards_of_all_classes(3)
    dice = roll_dice(np.random.default_rng(4), len(boards))
    (kept,) = kept_plays(boards, dice, None, TABLE, np.zeros(1, np.int64))
    for i, board in enumerate(boards):
        found = kept.boards[kept.which[kept.offsets[i] : kept.offsets[i + 1]]]
        assert (found == plays(board, tuple(dice[i].tolist()))).all()
    check_rows(kept)


def test_no_boards_have_no_plays() -> None:
    none = np.zeros((0, 2, 25), np.int8)
    assert not list(kept_plays(none, np.zeros((0, 2), np.int8), None, TABLE, np.zeros(1, np.int64)))


def test_plays_beyond_the_room_are_chosen_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = boards_of_all_classes(15)
    search, cubes = search_of(), np.arange(len(boards)) % 3
    sieve = Sieve(NET, 6, 0.2)
    whole = best_of_rolls(search, boards, None, TABLE, cubes, sieve)
    small = new_room()._replace(kept=np.empty((3000, 50), np.int8))
    monkeypatch.setattr(sieve_module._thread, "room", small)
    kept = list(kept_plays(boards, np.tile(ROLLS, (len(boards), 1)), sieve, TABLE, cubes))
    assert len(kept) > 1
    assert sum(len(part.first) - 1 for part in kept) == len(boards)
    parts = best_of_rolls(search, boards, None, TABLE, cubes, sieve)
    for a, b in zip(vars(whole).values(), vars(parts).values(), strict=True):
        assert (a == b).all()


@pytest.mark.parametrize("cubeful", [True, False])
@pytest.mark.parametrize("mixed", [False, True], ids=["contact", "all classes"])
@pytest.mark.parametrize("sieve", [Sieve(NET, 6, 0.2), None], ids=["sieve", "all plays"])
def test_the_kernel_makes_the_plays_that_any_evaluator_makes(
    sieve: Sieve | None, mixed: bool, cubeful: bool
) -> None:
    """The kernel evaluates boards that stay in contact, and leaves those between them."""
    boards = boards_of_all_classes(8) if mixed else positions_by_class(20)[CONTACT][:8]
    boards = np.random.default_rng(5).permutation(boards)
    cubes, settings = np.arange(len(boards)) % 3, EvalSettings(cubeful=cubeful, prune=False)
    other = FunctionEvaluator("the same", random_net())
    found = []
    for evaluator in (random_net(), other):
        engine = replace(engine_of(evaluator), pruner=None)
        counted: list[int] = []
        search = make_search(engine, settings, count=counted.append)
        found.append(best_of_rolls(search, boards, None, TABLE, cubes, sieve, cubeful))
        assert sum(counted) > len(boards) * 21
    for a, b in zip(*(vars(best).values() for best in found), strict=True):
        assert (a == b).all()
