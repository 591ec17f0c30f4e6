"""Plays: the rules of moving, known counts, and the kernel against the plain-Python generator."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

from gnubg_py.bench.reference_plays import reference_plays
from gnubg_py.board import (
    MAX_PLAYS,
    START,
    Board,
    Boards,
    check_board,
    describe,
    parse,
    pip_count,
    swap,
)
from gnubg_py.dice import ROLLS, roll_dice
from gnubg_py.notation import play_text
from gnubg_py.plays import all_rolls, plays, plays_batch, plays_slice
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


def test_the_other_side_keeps_its_checkers_and_is_on_roll() -> None:
    # 13/9* by x: o has the checker on its bar, and the first row.
    (result,) = plays(parse("x 13:1 / o 16:1 3:1"), (4, 4))[:1]
    assert describe(result) == "x bar:1 3:1 / o"


@given(boards(), rolls())
def test_kernel_and_reference_agree_on_any_position(board: Board, dice: Dice) -> None:
    assert same_positions(plays(board, dice), reference_plays(board, dice))


def test_kernel_and_reference_agree_on_positions_of_random_play(
    random_positions: Positions,
) -> None:
    positions = random_positions(300, 31)
    results, offsets = all_rolls(positions)
    for i, board in enumerate(positions):
        for r, (a, b) in enumerate(ROLLS.tolist()):
            found = results[offsets[21 * i + r] : offsets[21 * i + r + 1]]
            assert same_positions(found, reference_plays(board, (a, b))), (describe(board), a, b)


@given(boards(), rolls())
def test_a_play_leaves_a_possible_position(board: Board, dice: Dice) -> None:
    before = board.sum(axis=1)
    moves = 4 if dice[0] == dice[1] else 2
    for result in plays(board, dice):
        mover, other = result[1], result[0]
        check_board(result)
        assert other.sum() == before[1]
        assert other[24] - board[1, 24] <= moves
        assert before[0] - moves <= mover.sum() <= before[0]
        (left,) = pip_count(board)[:1] - pip_count(result)[1:]
        assert left <= sum(dice) * moves // 2
        if mover.sum() == before[0]:  # nothing borne off: pips are whole dice
            whole = [dice[0] * k for k in range(5)] if moves == 4 else [0, *dice, sum(dice)]
            assert left in whole
        else:
            assert not mover[6:].any()
        assert pip_count(result)[0] >= pip_count(board)[1]


@given(boards(), rolls())
def test_every_play_uses_as_many_dice_as_any(board: Board, dice: Dice) -> None:
    """Plays that bear nothing off all move the same number of pips."""
    results = plays(board, dice)
    results = results[results[:, 1].sum(axis=1) == board[0].sum()]
    assert len(np.unique(pip_count(results)[:, 1])) <= 1


def test_a_batch_answers_as_its_members(random_positions: Positions) -> None:
    positions = random_positions(200, 32)
    dice = roll_dice(np.random.default_rng(33), 200)
    results, offsets = plays_batch(positions, dice[:, ::-1])  # in whichever order the dice are
    assert offsets[0] == 0
    assert offsets[-1] == len(results)
    for i, board in enumerate(positions):
        alone = plays(board, (int(dice[i, 0]), int(dice[i, 1])))
        assert np.array_equal(results[offsets[i] : offsets[i + 1]], alone)


def test_an_empty_batch_has_no_plays() -> None:
    results, offsets = plays_batch(START[None][:0], np.zeros((0, 2), np.int8))
    assert results.shape == (0, 2, 25)
    assert offsets.tolist() == [0]


def test_the_callers_boards_are_left_alone(random_positions: Positions) -> None:
    positions = random_positions(50, 34)
    before = positions.copy()
    mirrored, _ = all_rolls(positions[:, ::-1])  # a view, not contiguous
    assert (positions == before).all()
    assert np.array_equal(mirrored, all_rolls(swap(positions))[0])


# The most plays of a roll that a search over positions came upon.
SCATTERED = parse(
    "x 24:1 23:1 21:1 20:1 18:1 17:1 15:1 14:1 12:1 11:1 9:1 8:1 6:1 4:1 3:1 / o bar:1"
)


def test_a_roll_of_very_many_plays() -> None:
    found = plays(SCATTERED, (1, 1))
    assert same_positions(found, reference_plays(SCATTERED, (1, 1)))
    assert len(found) == 2226 < MAX_PLAYS


def test_room_grows_where_a_batch_has_more_plays_than_usual() -> None:
    many = np.repeat(SCATTERED[None], 40, axis=0)
    results, offsets = plays_slice(many, np.full((40, 2), 1, np.int8))
    once = plays(SCATTERED, (1, 1))
    assert (np.diff(offsets) == len(once)).all()
    assert np.array_equal(results, np.concatenate([once] * 40))


def test_who_cannot_move_stands_still() -> None:
    stuck = parse(f"x bar:1 6:2 / o {CLOSED}")
    assert np.array_equal(plays(stuck, (6, 3)), swap(stuck)[None])


@pytest.mark.parametrize("dice", [(0, 1), (7, 1), (3, -3)])
def test_dice_that_no_die_shows_are_refused(dice: Dice) -> None:
    with pytest.raises(ValueError, match="each die should be 1 to 6"):
        plays(START, dice)
