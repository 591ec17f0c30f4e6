"""Plays: the rules of moving, known counts, and the kernel against the plain-Python generator."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from gnubg_py.board import START, Board, Boards, check_board, describe, parse, pip_count, swap
from gnubg_py.dice import ROLLS, roll_dice
from gnubg_py.notation import play_text
from gnubg_py.plays import MAX_PLAYS, all_rolls, plays, plays_batch, plays_slice, standing_still
from gnubg_py.plays_reference import reference_plays, reference_states
from tests.strategies import boards, rolls

Dice = tuple[int, int]
Positions = Callable[[int, int], Boards]

CLOSED = "1:2 2:2 3:2 4:2 5:2 6:2"


def texts(board: Board, dice: Dice) -> list[str]:
    """The texts of all plays, sorted; both generators agree on them."""
    results = plays(board, dice)
    assert same_positions(results, reference_plays(board, dice)), (describe(board), dice)
    return sorted(play_text(board, dice, result) for result in results)


def same_positions(some: Boards, others: Boards) -> bool:
    """Whether two generators found the same positions, none of them twice, in any order."""
    one, other = (sorted(position.tobytes() for position in p) for p in (some, others))
    return one == other and len(set(one)) == len(one)


@pytest.mark.parametrize(
    ("position", "dice", "expected"),
    [
        # Both dice if possible: 7/2 would leave no six, so the five is played from 24.
        ("x 24:1 7:1 / o 7:2 2:2 22:2", (6, 5), ["24/13", "24/19 7/1"]),
        ("x 6:2 1:1 / o 1:2", (5, 4), ["6/2 6/1"]),
        # Either die but not both: the larger.
        ("x 20:1 / o 16:2", (6, 5), ["20/14"]),
        ("x 24:1 8:1 / o 6:2 7:2 22:2", (6, 5), ["8/2"]),
        # The larger is blocked: the smaller.
        ("x 20:1 / o 16:2 11:2", (6, 5), ["20/15"]),
        # Neither.
        ("x 20:1 / o 11:2 10:2", (6, 5), ["cannot move"]),
    ],
)
def test_both_dice_or_the_larger(position: str, dice: Dice, expected: list[str]) -> None:
    assert texts(parse(position), dice) == expected


@pytest.mark.parametrize(
    ("position", "dice", "expected"),
    [
        (f"x bar:1 6:2 / o {CLOSED}", (6, 3), ["cannot move"]),
        (f"x bar:1 6:2 / o {CLOSED}", (4, 4), ["cannot move"]),
        ("x bar:1 6:2 / o 4:2 5:2", (5, 4), ["cannot move"]),
        # One of two enters: nothing else moves.
        ("x bar:2 13:2 6:2 / o 4:2", (5, 4), ["bar/20"]),
        ("x bar:2 6:2 / o 4:2 5:1", (5, 4), ["bar/20*"]),
        # Enters with the five, and the four is free.
        ("x bar:1 13:1 / o 4:2 24:2", (5, 4), ["bar/16", "bar/20 13/9"]),
        ("x bar:1 13:2 / o 3:1", (6, 3),
         ["bar/16", "bar/19 13/10", "bar/22* 13/7", "bar/22*/16"]),
        ("x bar:2 13:2 / o 6:2 3:1", (3, 3), ["bar/22*(2) 13/10(2)", "bar/22*(2) 13/7"]),
        ("x bar:1 24:1 / o 8:2 20:2", (4, 4), ["bar/21 24/12"]),
    ],
)  # fmt: skip
def test_the_bar_comes_first(position: str, dice: Dice, expected: list[str]) -> None:
    assert texts(parse(position), dice) == expected


@pytest.mark.parametrize(
    ("position", "dice", "expected"),
    [
        # A die beyond the highest checker bears it off; one short of it must move inside.
        ("x 4:1 3:1 / o 1:2", (6, 5), ["4/off 3/off"]),
        ("x 6:1 5:1 / o 1:2", (6, 5), ["6/1 5/off", "6/off 5/off"]),
        ("x 5:1 2:1 / o 1:2", (6, 3), ["5/off", "5/off 2/off"]),
        ("x 5:1 2:1 / o 1:2", (4, 3), ["5/1 2/off", "5/off"]),
        # The last checker comes home on the way.
        ("x 7:1 1:3 / o 1:2", (6, 1), ["7/off"]),
        ("x 7:1 1:3 / o 1:2", (2, 1), ["7/4", "7/5 1/off"]),
        # No bearing off while one is not home.
        ("x 13:1 6:1 / o 18:2 13:2", (6, 1), ["6/5"]),
        # The five is blocked unless the one is played first.
        ("x 6:1 2:1 / o 24:2", (5, 1), ["6/off"]),
        ("x 6:1 1:1 / o 20:2", (6, 1), ["6/off 1/off"]),
        ("x 4:3 2:1 / o 1:2", (3, 3), ["4/1(3) 2/off"]),
        ("x 4:5 / o 1:2", (5, 5), ["4/off(4)"]),
        ("x 4:3 / o 1:2", (5, 5), ["4/off(3)"]),
        ("x 6:1 / o 1:2", (2, 2), ["6/off"]),
    ],
)
def test_bearing_off(position: str, dice: Dice, expected: list[str]) -> None:
    assert texts(parse(position), dice) == expected


@pytest.mark.parametrize(
    ("position", "moves"),
    [
        ("x 24:1 / o 5:2", 0),
        ("x 24:1 / o 9:2", 1),
        ("x 24:1 / o 13:2", 2),
        ("x 24:1 / o 17:2", 3),
        ("x 24:1 / o 18:2", 4),
    ],
)
def test_doubles_are_moved_as_often_as_they_go(position: str, moves: int) -> None:
    assert texts(parse(position), (4, 4)) == [f"24/{24 - 4 * moves}" if moves else "cannot move"]


@pytest.mark.parametrize(
    ("position", "dice", "expected"),
    [
        # The same place by another way is another position if only one of the ways hits.
        ("x 13:1 / o 16:1 18:1", (4, 1), ["13/8", "13/9*/8"]),
        ("x 13:1 / o 16:1 13:1", (4, 1), ["13/12*/8", "13/9*/8"]),
        ("x 24:1 23:1 / o 9:2 13:1", (4, 4), ["23/7", "24/20 23/11"]),
        ("x 9:2 / o 20:1 18:1", (4, 2), ["9/5*/3", "9/7* 9/5*", "9/7*/3"]),
    ],
)
def test_hits(position: str, dice: Dice, expected: list[str]) -> None:
    board = parse(position)
    assert texts(board, dice) == expected
    for result in plays(board, dice):
        assert result[0, 24] == play_text(board, dice, result).count("*")


OPENING_PLAYS = {
    "11": 42, "21": 15, "22": 75, "31": 16, "32": 17, "33": 73, "41": 14,
    "42": 18, "43": 17, "44": 52, "51": 8, "52": 8, "53": 9, "54": 9,
    "55": 4, "61": 10, "62": 14, "63": 14, "64": 14, "65": 7, "66": 11,
}  # fmt: skip


@pytest.mark.parametrize(("dice", "count"), OPENING_PLAYS.items())
def test_plays_of_each_opening_roll(dice: str, count: int) -> None:
    roll = int(dice[0]), int(dice[1])
    assert len(plays(START, roll)) == count
    assert len(reference_plays(START, roll)) == count


def packed(hashes: list[NDArray[np.uint64]]) -> int:
    """How many different numbers there are."""
    everything = np.sort(np.concatenate(hashes))
    return 1 + int(np.count_nonzero(everything[1:] != everything[:-1]))


# An odd number for each place: the sum over a position tells positions apart but for one chance
# in tens of thousands that any two of thirty million share it.
PLACE_NUMBERS = np.random.default_rng(1).integers(0, 2**63, size=50, dtype=np.uint64) * 2 + 1

# After 1, 2 and 3 rolls from the start: distinct positions, and ways to come there, each a
# sequence of (roll, play). The plain-Python generator finds the same numbers after 3 rolls, in
# ten minutes; tests hold it to the first two.
PERFT = {1: (406, 447), 2: (163_706, 202_782), 3: (29_420_722, 116_154_993)}


def test_perft_of_the_plain_python_generator() -> None:
    row = tuple(START[0].tolist())
    ways = {(row, row): 1}
    for depth in (1, 2):
        after: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        for state, n in ways.items():
            for a, b in ROLLS.tolist():
                for own, other in reference_states(state, (a, b)):
                    after[other, own] = after.get((other, own), 0) + n
        ways = after
        assert (len(ways), sum(ways.values())) == PERFT[depth]


def test_perft_of_the_kernel() -> None:
    positions, ways = START[None], np.ones(1, np.int64)
    for depth in (1, 2, 3):
        leaves = 0
        hashes, kept = [], []
        for start in range(0, len(positions), 8192):
            results, offsets = all_rolls(positions[start : start + 8192])
            leaves += int(ways[start : start + 8192] @ np.diff(offsets[::21]))
            hashes.append(np.unique(hash_positions(results)))
            ...
