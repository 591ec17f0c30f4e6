"""Every way a position or a play is written, both ways.

``parse_position`` reads any of the forms for positions; each form's own module writes it.
"""

from __future__ import annotations

import re

from gnubg_py.board import Board, check_board, parse
from gnubg_py.errors import NotationError
from gnubg_py.match import MONEY, MatchState
from gnubg_py.notation.fibs_board import fibs_board, from_fibs_board
from gnubg_py.notation.match_id import from_match_id, match_id
from gnubg_py.notation.play_parse import parse_play
from gnubg_py.notation.play_text import CANNOT_MOVE, play_text
from gnubg_py.notation.position_id import (
    from_position_id,
    from_position_ids,
    from_position_letters,
    position_id,
    position_ids,
)
from gnubg_py.notation.simple import from_simple, simple
from gnubg_py.notation.xgid import from_xgid, xgid

__all__ = [
    "CANNOT_MOVE",
    "fibs_board",
    "from_fibs_board",
    "from_gnubg_id",
    "from_match_id",
    "from_position_id",
    "from_position_ids",
    "from_simple",
    "from_xgid",
    "gnubg_id",
    "match_id",
    "parse_play",
    "parse_position",
    "play_text",
    "position_id",
    "position_ids",
    "simple",
    "xgid",
]

_SIMPLE = re.compile(r"(simple\b.*|[-+0-9]+(\s+[-+0-9]+)+)", re.IGNORECASE | re.DOTALL)
_LETTERS = re.compile(r"[A-P]{20}")
_SIDES = re.compile(r"x\s.*", re.DOTALL)


def gnubg_id(board: Board, state: MatchState) -> str:
    """Position ID and Match ID joined, as gnubg's ``gnubgid`` has them."""
    return f"{position_id(board)}:{match_id(state)}"


def from_gnubg_id(text: str) -> tuple[Board, MatchState]:
    """Read ``POSITIONID:MATCHID``.

    >>> from_gnubg_id("4HPwATDgc/ABMA:MAHlAAAAAAAE")[1].dice
    (2, 1)
    """
    position, colon, match = text.partition(":")
    if not colon:
        raise NotationError(f"GNUbg ID {text!r}: a ':' should join Position ID and Match ID")
    return from_position_id(position), from_match_id(match)


def parse_position(text: str) -> tuple[Board, MatchState]:
    """Read a position in any notation: the board and the match state.

    The notations are a Position ID, a GNUbg ID, an XGID (with or without ``XGID=``), the 20 letters
    of gnubg-nn, gnubg's simple form, and the ``x 24:2 ... / o 24:2 ...`` of ``gnubg_py.board``.
    Those that have no match state mean a money game with the Jacoby rule, before the roll.

    >>> parse_position("4HPwATDgc/ABMA")[1].match_length
    0
    """
    text = text.strip()
    if _SIDES.fullmatch(text):
        board = parse(text)
        check_board(board)
        return board, MONEY
    if _SIMPLE.fullmatch(text):
        return from_simple(text), MONEY
    if text[:5].upper() == "XGID=" or text.count(":") > 1:
        return from_xgid(text)
    if ":" in text:
        return from_gnubg_id(text)
    if not text or " " in text:
        raise NotationError(
            f"position {text!r}: expected a Position ID, a GNUbg ID, an XGID, "
            "26 numbers, or 'x 6:5 ... / o 6:5 ...'"
        )
    if _LETTERS.fullmatch(text):
        return from_position_letters(text), MONEY
    return from_position_id(text), MONEY
