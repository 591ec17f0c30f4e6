"""Hypothesis strategies that several tests draw from."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from gnubg_py.board import Board, check_board
from gnubg_py.dice import ROLLS


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Any possible position with a checker of each side left.

    Each side's rearmost place and number of checkers are drawn first, so that bearoffs, races,
    crowded boards and lone checkers are all common.
    """
    board = np.zeros((2, 25), dtype=np.int8)
    for row in (0, 1):
        rear = draw(st.integers(0, 24))
        places = draw(st.lists(st.integers(0, rear), min_size=1, max_size=15))
        for place in places:
            if place == 24 or board[1 - row, 23 - place] == 0:
                board[row, place] += 1
        if not board[row].any():
            board[row, 24] = 1
    check_board(board)
    return board


def rolls() -> st.SearchStrategy[tuple[int, int]]:
    """One of the 21 rolls, larger die first."""
    return st.sampled_from([(a, b) for a, b in ROLLS.tolist()])
