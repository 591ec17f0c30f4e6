"""Positions that can be played on, in any form a user may give them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Board, check_board
from gnubg_py.match import CENTRED, MONEY, GameState, MatchState
from gnubg_py.notation import parse_position

AnyPosition: TypeAlias = str | NDArray[Any] | Sequence[Sequence[int]] | tuple[Board, MatchState]
"""Any text that ``parse_position`` takes, a board ``[2, 25]``, or a board with its match state."""


class Situation(TypedDict, total=False):
    """The score and the cube of a position, as the side on roll sees them.

    ``score`` are the points of the side on roll and of the other in a match to ``length`` points (0
    for money). ``owner`` of the cube is ``"own"``, ``"other"`` or None, for the side on roll, the
    other side, and nobody. At a score that needs one point, ``crawford`` says whether this is the
    Crawford game. ``jacoby`` matters in money play.
    """

    score: tuple[int, int]
    length: int
    cube: int
    owner: str | None
    crawford: bool
    jacoby: bool


def read_position(position: AnyPosition) -> tuple[Board, MatchState]:
    """A position in any form, checked: it is possible, and the game is not over.

    A board without a match state is a money game with the Jacoby rule, before the roll.
    """
    state = MONEY
    if isinstance(position, str):
        board, state = parse_position(position)
    elif isinstance(position, tuple) and len(position) == 2 and isinstance(position[1], MatchState):
        board, state = position[0], position[1]
    else:
        board = _array(position)
    board = np.asarray(board)
    if board.dtype.kind not in "iu":
        raise ValueError(f"a board of {board.dtype}: expected whole numbers")
    check_board(board)
    if not board.any(axis=1).all():
        raise ValueError("the game is over: one side has borne off all its checkers")
    if state.game_state not in (GameState.PLAYING, GameState.NONE):
        raise ValueError("the game is over: it was dropped, resigned or played to its end")
    return np.ascontiguousarray(board, np.int8), state


def _array(position: Any) -> NDArray[Any]:
    try:
        board = np.asarray(position)
    except ValueError:
        board = np.zeros(0)
    if board.shape != (2, 25):
        raise ValueError(
            f"position {str(position)[:60]!r}: expected text, a board of 2 rows of 25 numbers, "
            "or a board and a match state"
        )
    return board


def situated(state: MatchState, situation: Situation) -> MatchState:
    """A match state changed by a situation; what the situation leaves out stays.

    >>> situated(MatchState(), {"score": (2, 4), "length": 7, "cube": 2, "owner": "own"}).score
    (4, 2)
    """
    unknown = set(situation) - set(Situation.__annotations__)
    if unknown:
        names = ", ".join(Situation.__annotations__)
        raise TypeError(f"unexpected argument {min(unknown)!r}: it is none of {names}")
    if not situation:
        return state
    length = situation.get("length", state.match_length)
    moved = "length" in situation or "score" in situation
    own, other = situation.get("score", (0, 0) if moved else _seen(state))
    return replace(
        state,
        match_length=length,
        score=(other, own) if state.move == 1 else (own, other),
        cube_value=situation.get("cube", state.cube_value),
        cube_owner=_owner(state, situation),
        crawford=situation.get("crawford", state.crawford and not moved),
        jacoby=situation.get("jacoby", state.jacoby and length == 0),
    )


def _seen(state: MatchState) -> tuple[int, int]:
    return state.score[state.move], state.score[1 - state.move]


def _owner(state: MatchState, situation: Situation) -> int:
    if "owner" not in situation:
        return state.cube_owner
    owners = {None: CENTRED, "own": state.move, "other": 1 - state.move}
    owner = situation["owner"]
    if owner not in owners:
        raise ValueError(f"owner {owner!r}: should be 'own', 'other' or None")
    return owners[owner]
