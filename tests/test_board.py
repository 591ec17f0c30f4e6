"""The board: start positions, the two sides' views, what is possible and what is not."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given

from gnubg_py.board import (
    START,
    VARIATIONS,
    Board,
    check_board,
    describe,
    parse,
    pip_count,
    possible,
    start_position,
    swap,
)
from tests.strategies import boards


def test_the_start_position() -> None:
    assert describe(START) == "x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5"
    assert pip_count(START).tolist() == [167, 167]
    assert not START.flags.writeable


CLOSED = "x bar:3 6:2 5:2 4:2 3:2 2:2 1:2 / o bar:1 8:2 6:2 5:2 4:2 3:2 2:2 1:2"


@pytest.mark.parametrize(
    ("variation", "side", "pips"),
    [
        ("standard", "24:2 13:5 8:3 6:5", 167),
        ("nackgammon", "24:2 23:2 13:4 8:3 6:4", 194),
        ("hypergammon1", "24:1", 24),
        ("hypergammon2", "24:1 23:1", 47),
        ("hypergammon3", "24:1 23:1 22:1", 69),
    ],
)
def test_start_of_each_variation(variation: str, side: str, pips: int) -> None:
    board = start_position(variation)
    assert describe(board) == f"x {side} / o {side}"
    assert pip_count(board).tolist() == [pips, pips]
    check_board(board)
    board[0, 0] = 1  # a fresh board each time, the caller's to change
    assert start_position(variation)[0, 0] == 0


def test_every_variation_is_listed_and_no_other_known() -> None:
    assert VARIATIONS == (
        "standard",
        "nackgammon",
        "hypergammon1",
        "hypergammon2",
        "hypergammon3",
    )
    with pytest.raises(ValueError, match=r"variation 'plakoto' is not one of standard, nackgammon"):
        start_position("plakoto")


@pytest.mark.parametrize(
    ("position", "pips"),
    [
        ("x 6:2 1:1 / o 1:1", [13, 1]),
        ("x bar:2 / o 24:15", [50, 360]),
        ("x / o 13:15", [0, 195]),
    ],
)
def test_pips_are_those_that_each_side_has_to_go(position: str, pips: list[int]) -> None:
    assert pip_count(parse(position)).tolist() == pips


def test_batches_answer_as_single_boards() -> None:
    many = np.stack([START, parse("x 6:2 / o 1:1"), parse("x bar:1 3:4 / o 24:1 13:2")])
    assert (pip_count(many) == [pip_count(b) for b in many]).all()
    assert (swap(many) == np.stack([swap(b) for b in many])).all()
    assert pip_count(many[:0]).shape == (0, 2)


def test_swap_exchanges_the_two_views() -> None:
    board = parse("x bar:1 6:2 / o 24:3")
    other_side = swap(board)
    assert describe(other_side) == "x 24:3 / o bar:1 6:2"
    assert other_side.flags.c_contiguous
    other_side[0, 23] = 0
    assert describe(board) == "x bar:1 6:2 / o 24:3"


@given(boards())
def test_swap_is_its_own_inverse_and_keeps_positions_possible(board: Board) -> None:
    check_board(swap(board))
    assert (swap(swap(board)) == board).all()
    assert (pip_count(swap(board)) == pip_count(board)[::-1]).all()


@given(boards())
def test_text_reads_back(board: Board) -> None:
    assert (parse(describe(board)) == board).all()


@pytest.mark.parametrize(
    "position",
    [
        "x 6:5 / o 24:2 13:5",
        CLOSED.replace("1:2 / o", "1:1 / o"),  # somebody can enter
        "x / o bar:15",  # one side off is a finished game, a possible position
        "x bar:2 1:13 / o bar:3 1:12",  # both on the bar at once happens
        "x 1:15 / o 1:15",
    ],
)
def test_possible_positions(position: str) -> None:
    check_board(parse(position))


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ("x 6:10 5:6 / o 6:1", "x has 16 checkers: at most 15 a side"),
        ("x 6:1 / o 6:15 bar:1", "o has 16 checkers: at most 15 a side"),
        ("x 24:1 / o 1:1", "both sides hold a point: x on its 24-point, o on its 1-point"),
        ("x 6:1 / o 19:2", "both sides hold a point: x on its 6-point, o on its 19-point"),
        ("x / o", "both sides have borne off all their checkers: one at most can"),
        (CLOSED, "both sides are on the bar against closed boards: nobody can ever move"),
    ],
)
def test_impossible_positions_name_the_fault(position: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_board(parse(position))


def test_arrays_that_are_no_board_name_the_fault() -> None:
    below = START.copy()
    below[1, 3] = -1
    with pytest.raises(ValueError, match=r"^o has -1 checkers on point 4: not below 0$"):
        check_board(below)
    with pytest.raises(ValueError, match=r"^a board has shape \(2, 25\), not \(2, 24\)$"):
        check_board(START[:, :24])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x 6:5", "two sides and a '/'"),
        ("x 6:5 / o 6:5 / x 6:5", "two sides and a '/'"),
        ("o 6:5 / x 6:5", "the x side should begin with 'x'"),
        ("x 6:5 /", "the o side should begin with 'o'"),
        ("x 25:1 / o 6:5", "'25:1': the point should be 1 to 24 or bar, as in 13:5"),
        ("x 0:1 / o 6:5", "'0:1': the point should be"),
        ("x off:1 / o 6:5", "'off:1': the point should be"),
        ("x 6:16 / o 6:5", "'6:16': the count should be 1 to 15, as in 13:5"),
        ("x 6 / o 6:5", "'6': the count should be"),
        ("x 6:-1 / o 6:5", "'6:-1': the count should be"),
        ("x 6:² / o 6:5", "'6:²': the count should be"),
        ("x 6:1 13:5 6:2 / o 6:5", "'6:2': the x side names that point twice"),
        ("x 6:1 / o bar:1 BAR:1", "'BAR:1': the o side names that point twice"),
    ],
)
def test_texts_that_are_no_position_name_the_word(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as fault:
        parse(text)
    assert "\n" not in str(fault.value)


def test_possible_boards_are_those_that_pass_the_check() -> None:
    generator = np.random.default_rng(3)
    boards = generator.integers(-1, 3, size=(2000, 2, 25), dtype=np.int8)
    boards[generator.random(boards.shape) < 0.85] = 0
    boards[0] = parse(CLOSED)

    def passes(board: Board) -> bool:
        try:
            check_board(board)
        except ValueError:
            return False
        return True

    expected = [passes(board) for board in boards]
    assert possible(boards).tolist() == expected
    assert 100 < sum(expected) < 1900
