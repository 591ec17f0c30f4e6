"""Boards, their IDs and keys, and the text of plays."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from gnubg_py.bearoff.numbering import count_positions, fill_row, row_number
from gnubg_py.board import CHECKERS, HOME_POINTS, VARIATIONS, Board, start_position, swap
from gnubg_py.dice import check_dice
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.game.actions import to_json
from gnubg_py.inside.arguments import (
    ArgumentError,
    GnubgBoard,
    any_board,
    board_of,
    checked_state,
    gnubg_board,
    match_state_of,
    row_of,
)
from gnubg_py.notation import CANNOT_MOVE, from_position_id, gnubg_id, match_id, position_id
from gnubg_py.notation.play_text import text_of_steps
from gnubg_py.notation.steps import Step, find_steps, sides
from gnubg_py.shell.loop import run_line
from gnubg_py.shell.session import Session

_KEY_BYTES = 10
_MOST_STEPS = 4
_LEG = re.compile(r"(bar|[0-9]+)((?:/(?:bar|off|[0-9]+)\*?)+)(?:\(([1-4])\))?", re.IGNORECASE)
_PAIRS = re.compile(r"(?:bar|off|[0-9]+)(?: (?:bar|off|[0-9]+))*", re.IGNORECASE)
_WORDS = {"bar": 25, "off": 0}
_FIRST_HYPERGAMMON = 2


def board(session: Session) -> GnubgBoard | None:
    """The board shown: two tuples of 25 counts, the side on roll second; None without a game."""
    return gnubg_board(board_of(session)) if session.has_game else None


def positionid(session: Session, board: object = None, /) -> str:
    """The Position ID of a board, by default of the one shown."""
    return position_id(board_of(session, board))


def positionfromid(session: Session, text: str | None = None, /) -> GnubgBoard:
    """The board of a Position ID, by default the start position."""
    if text is None:
        return gnubg_board(start_position())
    if not isinstance(text, str):
        kind = type(text).__name__
        raise TypeError(f"positionfromid() argument 1 must be str, not {kind}")
    try:
        return gnubg_board(from_position_id(text.strip()))
    except ValueError:
        raise ValueError("invalid positionid") from None


def positionkey(session: Session, board: object = None, /) -> tuple[int, ...]:
    """The ten bytes of a board's Position ID."""
    text = position_id(board_of(session, board))
    return tuple(base64.b64decode(f"{text}=="))


def positionfromkey(session: Session, key: Sequence[int] | None = None, /) -> GnubgBoard:
    """The board of a position key; without one the board without checkers."""
    if key is None:
        return (0,) * 25, (0,) * 25
    if len(key) < _KEY_BYTES:
        raise IndexError("list index out of range")
    try:
        text = base64.b64encode(bytes(key[:_KEY_BYTES])).decode("ascii")
        return gnubg_board(from_position_id(text.rstrip("=")))
    except (TypeError, ValueError):
        raise ArgumentError("not the key of a position (see gnubg.positionkey())") from None


def positionbearoff(session: Session, row: object = None, /) -> int:
    """The number of a side's bearoff position, of its first six points; by default player 1's."""
    if row is None:
        shown = gnubg_board(board_of(session))
        row = shown[session.shown().match.move == 1 if session.has_game else 1]
    counts = np.array(row_of(row), np.int8)
    return int(row_number(counts, HOME_POINTS))


def positionfrombearoff(session: Session, number: int = 0, /, *limits: int) -> tuple[int, ...]:
    """One side's 25 counts from the number of a bearoff position.

    Arguments: number, [most checkers, points], by default 15 and 6.
    """
    checkers, points = (*limits, *(CHECKERS, HOME_POINTS)[len(limits) :])
    if not (1 <= points <= 25 and 1 <= checkers <= CHECKERS):
        raise ArgumentError(f"points should be 1 to 25, checkers 1 to {CHECKERS}")
    if not 0 <= number < count_positions(points, checkers):
        raise ArgumentError(f"there is no bearoff position {number} of {points} points")
    row = np.zeros(25, np.int8)
    fill_row(number, points, row)
    return tuple(row.tolist())


def classifypos(session: Session, board: object = None, variation: int = 0, /) -> int:
    """gnubg's number of the class of a position, in a variation from 0 to 4."""
    if not 0 <= variation < len(VARIATIONS):
        raise Exception("Variation unknown ")  # gnubg's class and its words
    try:
        position = board_of(session) if board is None else any_board(board)
    except ArgumentError:
        raise Exception("Invalid board as argument ") from None
    if not position.any(axis=1).all():
        return int(PositionClass.OVER)
    if variation >= _FIRST_HYPERGAMMON:
        return int(PositionClass.HYPERGAMMON1) + variation - _FIRST_HYPERGAMMON
    return int(classify(position[None])[0])


def matchid(session: Session, cube_info: object = None, position: Any = None, /) -> str:
    """The Match ID of the match, or of a cube-info and a pos-info dictionary."""
    if cube_info is None:
        return match_id(session.shown_match())
    if position is None:
        raise TypeError(
            "a cube-info argument requires a pos-info dictionary as an argument "
            "(see gnubg.matchid() for an example)"
        )
    checked_state(cube_info)
    try:
        return match_id(match_state_of(cube_info, position))  # type: ignore[arg-type]
    except (KeyError, TypeError, ValueError):
        raise ArgumentError("not a pos-info dictionary (see gnubg.posinfo())") from None


def gnubgid(session: Session, *given: Any) -> str:
    """The GNUbg ID of the position shown, or of a board, a cube-info and a pos-info dictionary."""
    if not given:
        return gnubg_id(session.shown().board, session.shown_match())
    if len(given) != 3:
        raise TypeError(
            "requires 0 or exactly 3 arguments (Board, Cube-Info dict, Pos-Info dict). "
            "(see gnubg.board(), gnubg.cubeinfo(), gnubg.posinfo() for examples)"
        )
    return f"{positionid(session, given[0])}:{matchid(session, given[1], given[2])}"


def setgnubgid(session: Session, text: str, /) -> None:
    """Put up the position of a GNUbg ID."""
    run_line(session, f"set gnubgid {text}")


def matchchecksum(session: Session) -> str:
    """A digest of what was played in the match, as 32 hexadecimal digits."""
    record = session.match()
    played = [
        [game.start.gnubg_id, *(to_json(action) for action in game.actions)]
        for game in record.games
    ]
    text = json.dumps([record.length, record.players, played], sort_keys=True)
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def moves_between(before: Board, dice: tuple[int, int], after: Board) -> list[tuple[int, int]]:
    """A play as pairs of points, the larger die first: 25 is the bar, 0 is off."""
    steps = find_steps(sides(before), check_dice(dice), sides(swap(after)))
    return [(step.start, step.end) for step in steps or []]


def movetupletostring(session: Session, *given: Any) -> str:
    """The text of a play.

    Arguments: a flat or nested tuple of points, as ``findbestmove`` or ``parsemove`` gives it; the
    board.
    """
    if len(given) != 2:
        raise TypeError(
            "requires 2 arguments (MoveTuple, Board). "
            "(see gnubg.findbestmove() and gnubg.board() for examples)"
        )
    try:
        position = any_board(given[1])
    except ArgumentError:
        raise Exception("Invalid board as argument ") from None
    text = text_of_steps(sides(position), _steps(given[0]))
    return "" if text == CANNOT_MOVE else text


def _steps(play: Any) -> list[Step]:
    """The steps of a flat or nested tuple of points; what is below 0, or from 0, is left out."""
    try:
        points = [int(p) for part in play for p in (part if isinstance(part, Sequence) else [part])]
    except (TypeError, ValueError):
        points = [-1] * 100
    if len(points) > 2 * _MOST_STEPS:
        raise Exception("Invalid move tuple as argument")  # gnubg's class and its words
    points += [0] * (len(points) % 2)
    pairs = zip(points[::2], points[1::2], strict=True)
    return [Step(a, a - max(b, 0)) for a, b in pairs if a > 0]


def parsemove(session: Session, text: str, /) -> tuple[tuple[int, int], ...]:
    """The steps that the text of a play names, the highest point first."""
    if not isinstance(text, str):
        raise TypeError(f"moves() argument 1 must be str, not {type(text).__name__}")
    plain = " ".join(text.replace(",", " ").split())
    steps = _pairs(plain) if _PAIRS.fullmatch(plain) else _legs(plain)
    if steps is None or len(steps) > _MOST_STEPS or any(max(step) > 25 for step in steps):
        raise ArgumentError(f"{text[:40]!r} is not a play")
    return tuple(sorted(steps, key=lambda step: -step[0]))


def _point(text: str) -> int:
    word = text.rstrip("*").lower()
    return _WORDS[word] if word in _WORDS else int(word[:3])


def _pairs(text: str) -> list[tuple[int, int]] | None:
    points = [_point(word) for word in text.split()]
    return None if len(points) % 2 else list(zip(points[::2], points[1::2], strict=True))


def _legs(text: str) -> list[tuple[int, int]] | None:
    steps = []
    for word in text.split():
        leg = _LEG.fullmatch(word)
        if leg is None:
            return None
        points = [_point(part) for part in [leg[1], *leg[2].split("/")[1:]]]
        for step in itertools.pairwise(points):
            steps += [step] * int(leg[3] or 1)
    return steps
