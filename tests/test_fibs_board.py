"""FIBS board lines: those that gnubg 1.07 prints with `set output rawboard on`, and round trips."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.board import START, Board, parse
from gnubg_py.match import MatchState
from gnubg_py.notation.fibs_board import fibs_board, from_fibs_board
from tests.strategies import boards

NAMES = ("gnubg", "root")
OPENING = "0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
BAR = parse("x bar:1 24:1 16:3 13:4 8:3 6:3 / o bar:1 24:1 13:5 8:4 6:4")

# What gnubg printed, and the match it had; root is player 1 and on the line's side.
LINES = [
    (
        f"board:root:gnubg:0:0:0:{OPENING}:1:5:1:5:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1",
        MatchState(dice=(5, 1)),
    ),
    (
        f"board:root:gnubg:0:0:0:{OPENING}:-1:6:2:6:2:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1",
        MatchState(dice=(6, 2), move=0, turn=0),
    ),
    (
        f"board:root:gnubg:5:3:2:{OPENING}:-1:0:0:0:0:4:0:1:0:1:-1:0:25:0:0:0:0:0:0:0:1",
        MatchState(match_length=5, score=(2, 3), cube_value=4, cube_owner=0, move=0, turn=0),
    ),
    (
        f"board:root:gnubg:5:3:2:{OPENING}:1:0:0:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:1",
        MatchState(match_length=5, score=(2, 3), doubled=True, turn=0),
    ),
    (
        f"board:root:gnubg:5:2:4:{OPENING}:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0",
        MatchState(match_length=5, score=(4, 2), crawford=True),
    ),
    (
        f"board:root:gnubg:5:2:4:{OPENING}:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:1:1",
        MatchState(match_length=5, score=(4, 2)),
    ),
]


@pytest.mark.parametrize(("line", "state"), LINES)
def test_the_line_is_gnubgs(line: str, state: MatchState) -> None:
    assert fibs_board(START, state, NAMES) == line


def test_checkers_off_are_counted() -> None:
    board = parse("x bar:2 6:3 / o bar:1 5:4")
    line = fibs_board(board, MatchState(), NAMES).split(":")
    assert line[6] == "-1"
    assert line[31] == "2"
    assert line[45:49] == ["10", "10", "0", "0"]  # the bar is not counted, as in gnubg


@given(board=boards(), me=st.integers(0, 1), move=st.integers(0, 1))
def test_a_line_reads_back(board: Board, me: int, move: int) -> None:
    state = MatchState(match_length=7, score=(2, 4), dice=(6, 1), move=move, turn=move)
    back, read = from_fibs_board(fibs_board(board, state, NAMES, me))
    mine = 0 if move == me else 1
    assert (back == board).all()
    assert read == replace(
        state, move=mine, turn=mine, score=(state.score[me], state.score[1 - me])
    )


def test_a_side_that_moves_upwards_reads_the_same() -> None:
    """FIBS gives either side either colour; here my checkers are negative and move up to 25."""
    fields = fibs_board(BAR, MatchState(dice=(3, 1)), NAMES).split(":")
    counts = [str(-int(count)) for count in reversed(fields[6:32])]
    turned = [*fields[:6], *counts, "-1", *fields[33:41], "-1", "1", "25", "0", *fields[45:]]
    board, state = from_fibs_board(":".join(turned))
    assert (board == BAR).all()
    assert state.dice == (3, 1)


@pytest.mark.parametrize("turn", [1, -1])
def test_the_side_whose_turn_it_is_has_doubled(turn: int) -> None:
    line = LINES[0][0].replace(":1:5:1:5:1:1:1:1:0:", f":{turn}:0:0:0:0:2:1:1:1:")
    board, state = from_fibs_board(line)
    doubler = 0 if turn == 1 else 1
    assert (state.doubled, state.move, state.turn) == (True, doubler, 1 - doubler)
    assert (np.asarray(board) == START).all()


def test_dice_of_either_side_are_those_of_the_roll() -> None:
    line = LINES[0][0].replace(":1:5:1:5:1:", ":-1:0:0:5:1:")
    _, state = from_fibs_board(line)
    assert (state.move, state.dice) == (1, (5, 1))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("board:", "bored:", "expected 'board:'"),
        (":-2:", ":-20:", "more than 15 checkers"),
        (":5:0:3:", ":x:0:3:", "place 6 is 'x'"),
        (":5:0:3:", ":9:0:9:", "x has 25 checkers"),
        (":1:-1:0:25:", ":2:-1:0:25:", "colour 2"),
        ("root:gnubg:0:", "root:gnubg:-3:", "match length -3"),
        (":5:1:5:1:1:", ":7:1:5:1:1:", "dice 7 and 1"),
        (":1:1:1:0:1:", ":3:1:1:0:1:", "cube value 3"),
    ],
)
def test_a_bad_field_is_named(old: str, new: str, fault: str) -> None:
    line = LINES[0][0]
    assert old in line
    with pytest.raises(ValueError, match=fault):
        from_fibs_board(line.replace(old, new, 1))


def test_a_line_that_is_cut_short_is_refused() -> None:
    with pytest.raises(ValueError, match="52 fields, got 20"):
        from_fibs_board(":".join(LINES[0][0].split(":")[:21]))
