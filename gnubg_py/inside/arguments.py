"""Reading what scripts pass: boards and the dictionaries of gnubg's module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gnubg_py.board import CHECKERS, Board, check_board, start_position
from gnubg_py.cube.state import CENTRED, OTHER, OWN, Cube
from gnubg_py.game.position import match_is_over, valued
from gnubg_py.match import MONEY, MatchState, Resignation
from gnubg_py.search.settings import EvalSettings
from gnubg_py.shell import engine
from gnubg_py.shell.session import Session

_Row: TypeAlias = tuple[int, ...]
GnubgBoard: TypeAlias = tuple[_Row, _Row]
Dictionary: TypeAlias = dict[str, Any]

_POINTS = 25


class ArgumentError(ValueError, SystemError):
    """An argument of the wrong form: gnubg raises ``SystemError`` for most of these."""


def gnubg_board(board: Board) -> GnubgBoard:
    """A board int8[2, 25] as gnubg's module gives it: the side on roll second.

    >>> from gnubg_py.board import parse
    >>> [sum(row) for row in gnubg_board(parse("x 6:2 / o 5:1"))]
    [1, 2]
    """
    mine, theirs = np.asarray(board).tolist()
    return tuple(theirs), tuple(mine)


def row_of(value: object) -> list[int]:
    """One side's 25 counts, as a script gives them."""
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != _POINTS:
        raise ArgumentError("a side of a board should be 25 numbers")
    counts = [count if isinstance(count, int) else -1 for count in value]
    if not all(0 <= count <= CHECKERS for count in counts):
        raise ArgumentError(f"a side of a board should be 25 counts from 0 to {CHECKERS}")
    return counts


def any_board(value: object) -> Board:
    """The board int8[2, 25] that a script gives, possible or not; row 0 is the side on roll's."""
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        raise ArgumentError("a board should be two rows of 25 numbers (see gnubg.board())")
    theirs, mine = (row_of(row) for row in value)
    return np.array([mine, theirs], np.int8)


def board_of(session: Session, value: object = None) -> Board:
    """The board that a script gives, which must be possible; by default the one shown."""
    if value is None:
        if session.has_game:
            return np.array(session.shown().board, np.int8)
        return np.array(start_position(session.rules.variation), np.int8)
    board = any_board(value)
    try:
        check_board(board)
    except ValueError as problem:
        raise ArgumentError(str(problem)) from None
    return board


def match_state_of(
    cube_info: Mapping[str, Any], position: Mapping[str, Any] | None = None
) -> MatchState:
    """The match state of a cube-info and, where one is given, a pos-info dictionary."""
    length = int(cube_info["matchto"])
    a, b = cube_info["score"]
    state = MatchState(
        cube_value=int(cube_info["cube"]),
        cube_owner=int(cube_info["cubeowner"]),
        move=int(cube_info["move"]),
        turn=int(cube_info["move"] if position is None else position["turn"]),
        crawford=bool(cube_info["crawford"] and length),
        match_length=length,
        score=(int(a), int(b)) if length else (0, 0),
        jacoby=bool(cube_info["jacoby"] and not length),
        beavers=bool(cube_info["beavers"] and not length),
    )
    if position is None:
        return state
    values = {name: getattr(state, name) for name in state.__dataclass_fields__}
    first, second = position["dice"]
    return MatchState(
        **values
        | {
            "dice": (int(first), int(second)),
            "doubled": bool(position["doubled"]),
            "resigned": Resignation(int(position["resigned"])),
            "game_state": int(position["gamestate"]),
        }
    )


def checked_state(cube_info: object) -> MatchState:
    """The match state of a cube-info dictionary; gnubg's own exception where it is none."""
    try:
        assert isinstance(cube_info, Mapping)
        return match_state_of(cube_info)
    except (AssertionError, KeyError, TypeError, ValueError):
        raise Exception("error in SetCubeInfo\n") from None  # gnubg's class and its words


def cube_of_state(state: MatchState, *, beavers: bool) -> Cube:
    """The cube of a match state as the side on roll sees it."""
    state = valued(state)
    owner = CENTRED
    if state.cube_owner != CENTRED:
        owner = OWN if state.cube_owner == state.move else OTHER
    length, score = state.match_length, state.score
    if not length:
        return Cube(state.cube_value, owner, jacoby=state.jacoby, beavers=beavers)
    away = length - score[state.move], length - score[1 - state.move]
    return Cube(state.cube_value, owner, away, state.crawford)


def cube_given(session: Session, cube_info: object = None) -> Cube:
    """The cube of a cube-info dictionary; by default that of the position shown."""
    if isinstance(cube_info, Mapping):
        state = checked_state(cube_info)
        return cube_of_state(state, beavers=bool(cube_info["beavers"]))
    if session.has_game and not match_is_over(session.shown().match):
        return engine.session_cube(session, session.shown())
    return cube_of_state(MONEY, beavers=session.rules.beavers > 0)


def eval_settings_of(context: object, default: EvalSettings) -> EvalSettings:
    """The settings of an eval-context dictionary; what it lacks is as in ``default``."""
    if not isinstance(context, Mapping):
        return default
    return EvalSettings(
        plies=int(context.get("plies", default.plies)),
        cubeful=bool(context.get("cubeful", default.cubeful)),
        prune=bool(context.get("prune", default.prune)),
        noise=float(context.get("noise", default.noise)),
        deterministic=bool(context.get("deterministic", default.deterministic)),
    )


def context_of(settings: EvalSettings) -> Dictionary:
    """The eval-context dictionary of some settings.

    >>> context_of(EvalSettings(2))
    {'cubeful': 1, 'plies': 2, 'deterministic': 1, 'prune': 1, 'noise': 0.0}
    """
    return {
        "cubeful": int(settings.cubeful),
        "plies": settings.plies,
        "deterministic": int(settings.deterministic),
        "prune": int(settings.prune),
        "noise": float(settings.noise),
    }
