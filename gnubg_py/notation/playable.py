"""Positions that can be played on, in any form a user may give them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from gnubg_py.board import Board, check_board
from gnubg_py.match import GameState, MatchState
from gnubg_py.notation import parse_position

AnyPosition: TypeAlias = str | tuple[Board, MatchState]
"""Any text that ``parse_position`` takes, or a board with its match state."""


def read_position(position: AnyPosition) -> tuple[Board, MatchState]:
    """A position in any form, checked: it is possible, and the game is not over."""
    if isinstance(position, str):
        board, state = parse_position(position)
    elif isinstance(position, tuple) and len(position) == 2:
        board, state = position
    else:
        raise ValueError(f"position {position!r}: expected text, or a board and a match state")
    board = np.asarray(board)
    if board.dtype.kind not in "iu":
        raise ValueError(f"a board of {board.dtype}: expected whole numbers")
    check_board(board)
    if not board.any(axis=1).all():
        raise ValueError("the game is over: one side has borne off all its checkers")
    if state.game_state not in (GameState.PLAYING, GameState.NONE):
        raise ValueError("the game is over: it was dropped, resigned or played to its end")
    return np.ascontiguousarray(board, np.int8), state
