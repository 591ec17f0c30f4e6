"""XGID, eXtreme Gammon's one-line position: board, cube, turn, dice, score and rules.

``XGID=<26 letters>:cube:owner:turn:dice:score X:score O:rules:length:max cube``. X is gnubg's
player 1 and O its player 0, whoever is on roll: letter 0 is O's bar, 1 to 24 are X's points, 25 is
X's bar; capitals are X's checkers. The cube and its largest value are powers of two; ``owner`` and
``turn`` are 1 for X, -1 for O. ``rules`` is 1 in the Crawford game of a match; for money it is
1 for Jacoby plus 2 for beavers. Dice are two digits, ``00`` before the roll, ``D`` when ``turn``
has doubled (as gnubg reads it), ``B`` after a beaver of that double, ``R`` after a raccoon; the
cube is then written as it stands before the offer on the table is taken.
"""

from __future__ import annotations

import numpy as np

from gnubg_py.board import BAR, POINTS, Board, check_board, swap
from gnubg_py.errors import NotationError
from gnubg_py.match import (
    CENTRED,
    NO_DICE,
    GameState,
    MatchState,
    Resignation,
    is_beaver,
    is_raccoon,
)

_PREFIX = "XGID="
_NAMES = (
    "position",
    "cube",
    "cube owner",
    "turn",
    "dice",
    "score of X",
    "score of O",
    "Crawford/Jacoby",
    "match length",
    "max cube",
)
_LETTERS = POINTS + 2
_MAX_CHECKERS = 15
_MAX_CUBE = 10  # the power of two of the largest cube
_OFFERS = ("D", "B", "R")
_SIGNS = {1: 1, 0: -1, CENTRED: 0}


def xgid(board: Board, state: MatchState) -> str:
    """The XGID of a board (row 0 is ``state.move``'s) in a match state.

    >>> from gnubg_py.board import START
    >>> xgid(START, MatchState(match_length=7, dice=(3, 1)))
    'XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10'
    """
    check_board(board)
    if state.game_state != GameState.PLAYING or state.resigned != Resignation.NONE:
        raise NotationError("an XGID holds a game in play, with no resignation offered")
    rules = int(state.crawford) if state.match_length else state.jacoby + 2 * state.beavers
    fields = (
        _letters(board if state.move == 1 else swap(board)),
        state.cube_value.bit_length() - 1,
        _SIGNS[state.cube_owner],
        _SIGNS[state.move],
        _dice_field(state),
        state.score[1],
        state.score[0],
        rules,
        state.match_length,
        _MAX_CUBE,
    )
    return _PREFIX + ":".join(str(field) for field in fields)


def from_xgid(text: str) -> tuple[Board, MatchState]:
    """Read an XGID, with or without its ``XGID=``; ``ValueError`` names the field at fault.

    The board is from the side on roll; the largest cube is checked and dropped, as a match state
    has no place for it.

    >>> from_xgid("-b----E-C---eE---c-e----B-:1:-1:1:52:2:3:0:7:10")[1].score
    (3, 2)
    """
    body = text.strip()
    if body[: len(_PREFIX)].upper() == _PREFIX:
        body = body[len(_PREFIX) :]
    fields = body.split(":")
    if len(fields) != len(_NAMES):
        raise NotationError(
            f"XGID: {len(fields)} fields, should be {len(_NAMES)}: {', '.join(_NAMES)}"
        )
    values = dict(zip(_NAMES, fields, strict=True))
    try:
        board = _board(values["position"])
        state = _state(values)
        check_board(board)
    except ValueError as error:
        raise NotationError(f"XGID: {error}") from None
    return (board if state.move == 1 else swap(board)), state


def _letters(board: Board) -> str:
    """The 26 letters of a board whose row 0 is X's."""
    x, o = np.asarray(board).astype(int)
    signed = [-o[BAR], *(x[:POINTS] - o[POINTS - 1 :: -1]), x[BAR]]
    return "".join("-" if n == 0 else chr(ord("@" if n > 0 else "`") + abs(n)) for n in signed)


def _board(letters: str) -> Board:
    """The board of 26 letters, with X's checkers in row 0."""
    if len(letters) != _LETTERS:
        raise NotationError(f"position has {len(letters)} characters, should be {_LETTERS}")
    board = np.zeros((2, 25), dtype=np.int8)
    for place, letter in enumerate(letters):
        if letter == "-":
            continue
        count = ord(letter.upper()) - ord("@")
        if not (letter.isascii() and letter.isalpha() and count <= _MAX_CHECKERS):
            raise NotationError(
                f"position: {letter!r} (character {place + 1}) is not - or A-O or a-o"
            )
        is_x = letter.isupper()
        if place == (0 if is_x else _LETTERS - 1):
            raise NotationError(
                f"position: {letter!r} (character {place + 1}) is the other side's bar"
            )
        board[0 if is_x else 1, place - 1 if is_x else POINTS - place] = count
    return board


def _dice_field(state: MatchState) -> str:
    if is_beaver(state):
        return "B"
    if is_raccoon(state):
        return "R"
    return "D" if state.doubled else f"{state.dice[0]}{state.dice[1]}"


def _state(values: dict[str, str]) -> MatchState:
    length = _number(values, "match length", 0, 32767)
    rules = _number(values, "Crawford/Jacoby", 0, 1 if length else 3)
    _number(values, "max cube", 0, 15)
    owner = _side(values, "cube owner", centred=True)
    move = _side(values, "turn", centred=False)
    dice, offer = _dice(values["dice"])
    if (offer in ("B", "R")) != (offer != "" and owner == 1 - move):
        raise NotationError(
            f"dice {offer}: after a beaver or a raccoon, and only then, "
            "the cube belongs to the side that was doubled"
        )
    return MatchState(
        cube_value=1 << _number(values, "cube", 0, 15),
        cube_owner=owner,
        move=move,
        crawford=bool(length and rules),
        turn=1 - move if offer in ("D", "R") else move,
        doubled=offer != "",
        dice=dice,
        match_length=length,
        score=(_number(values, "score of O", 0, 32767), _number(values, "score of X", 0, 32767)),
        jacoby=not length and rules & 1 == 1,
        beavers=not length and rules & 2 == 2,
    )


def _dice(field: str) -> tuple[tuple[int, int], str]:
    """The dice, and the letter of the cube offer that may stand in their place."""
    if field in _OFFERS:
        return NO_DICE, field
    rolled = len(field) == 2 and all(die in "123456" for die in field)
    if not rolled and field != "00":
        raise NotationError(f"dice {field!r}: two digits from 1 to 6, 00, D, B or R")
    return (int(field[0]), int(field[1])), ""


def _side(values: dict[str, str], name: str, *, centred: bool) -> int:
    players = {"1": 1, "-1": 0} | ({"0": CENTRED} if centred else {})
    if values[name] not in players:
        raise NotationError(f"{name} {values[name]!r}: should be {' or '.join(players)}")
    return players[values[name]]


def _number(values: dict[str, str], name: str, low: int, high: int) -> int:
    field = values[name]
    if not (field.isascii() and field.isdigit() and len(field) < 9 and low <= int(field) <= high):
        raise NotationError(f"{name} {field!r}: should be {low} to {high}")
    return int(field)
