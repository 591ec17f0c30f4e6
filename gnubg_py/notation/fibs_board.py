"""The board line of FIBS, the First Internet Backgammon Server, as gnubg writes and reads it.

``board:ME:OPPONENT:length:my points:opponent's points:26 counts:turn:...``: one line of 52 fields.
gnubg prints it with ``set output rawboard on`` and exchanges it with external players. Place 0 and
25 of the counts are the bars. ``colour`` is the sign of my checkers (1 or -1), and ``direction`` is
-1 where I move down to place 0. The fields are listed in the FIBS client protocol
(http://www.fibs.com/fibs_interface.html#board_state); the last two are gnubg's own use of them.
"""

from __future__ import annotations

import numpy as np

from gnubg_py.board import BAR, POINTS, Board, check_board, swap
from gnubg_py.errors import NotationError
from gnubg_py.match import CENTRED, NO_DICE, MatchState, is_post_crawford

_PREFIX = "board:"
_UNLIMITED = 9999
"""The match length that FIBS writes for a money session; gnubg writes 0."""
_HEAD, _PLACES = 5, 26
_NAMES = (
    "turn",
    "my first die",
    "my second die",
    "opponent's first die",
    "opponent's second die",
    "cube",
    "I may double",
    "opponent may double",
    "doubled",
    "colour",
    "direction",
)
_FIELDS = _HEAD + _PLACES + 21


def fibs_board(
    board: Board, state: MatchState, names: tuple[str, str] = ("gnubg", "user"), me: int = 1
) -> str:
    """The board line of a board (row 0 is ``state.move``'s), from the side of player ``me``.

    ``names`` are those of players 0 and 1.

    >>> from gnubg_py.board import START
    >>> fibs_board(START, MatchState(dice=(3, 1)))[:58]
    'board:user:gnubg:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0'
    """
    check_board(board)
    mine = np.asarray(board if state.move == me else swap(board)).astype(int)
    points = mine[0, :POINTS] - mine[1, POINTS - 1 :: -1]
    other = 1 - me
    off = 15 - mine.sum(axis=1)
    fields = (
        *(names[me], names[other], state.match_length, state.score[me], state.score[other]),
        *(-mine[1, BAR], *points, mine[0, BAR]),
        1 if state.move == me else -1,
        *(*state.dice, *state.dice),
        state.cube_value,
        *(int(state.cube_owner in (CENTRED, player)) for player in (me, other)),
        0 if not state.doubled else -1 if state.turn == me else 1,
        *(1, -1, 0, 25),
        *off,
        *(0, 0),  # FIBS counts the checkers on the bar here; gnubg writes 0
        *(0, 0, int(is_post_crawford(state)), int(not state.crawford)),
    )
    return _PREFIX + ":".join(map(str, fields))


def from_fibs_board(text: str) -> tuple[Board, MatchState]:
    """Read a board line: the board (row 0 on roll) and the match, in which I am player 0.

    The side whose turn it is has rolled, or has doubled where the field ``doubled`` is set: then
    the other side must answer. That is how gnubg reads the line. ``ValueError`` names the field at
    fault.
    """
    body = text.strip().removeprefix(_PREFIX)
    fields = body.split(":")
    if not text.strip().startswith(_PREFIX) or len(fields) < _HEAD + _PLACES + len(_NAMES):
        raise NotationError(
            f"FIBS board: expected 'board:' and {_FIELDS} fields, got {len(fields)}"
        )
    head = dict(zip(("match length", "my score", "opponent's score"), fields[2:_HEAD], strict=True))
    names = dict(zip(_NAMES, fields[_HEAD + _PLACES :], strict=False))
    numbers = {name: _number(name, field) for name, field in (head | names).items()}
    counts = [_number(f"place {i}", word) for i, word in enumerate(fields[_HEAD:][:_PLACES])]
    for name in ("turn", "colour", "direction"):
        if numbers[name] not in ((-1, 0, 1) if name == "turn" else (-1, 1)):
            raise NotationError(f"FIBS board: {name} {numbers[name]}: should be 1 or -1")
    try:
        mine = _board(counts, numbers["colour"], numbers["direction"])
        state = _state(numbers, fields)
        check_board(mine)
    except ValueError as error:
        raise NotationError(f"FIBS board: {error}") from None
    return (mine if state.move == 0 else swap(mine)), state


def _board(counts: list[int], colour: int, direction: int) -> Board:
    """The board with my checkers in row 0."""
    if max(map(abs, counts)) > 15:
        raise NotationError("more than 15 checkers on a place")
    places = np.array(counts, dtype=np.int8) * colour
    if direction == 1:
        places = places[::-1]
    board = np.zeros((2, 25), dtype=np.int8)
    board[0, :POINTS] = np.maximum(places[1:-1], 0)
    board[1, :POINTS] = np.maximum(-places[-2:0:-1], 0)
    board[:, BAR] = abs(places[-1]), abs(places[0])
    return board


def _state(numbers: dict[str, int], fields: list[str]) -> MatchState:
    """The match that the fields describe, with me as player 0."""
    doubled = numbers["doubled"] != 0
    move = 0 if numbers["turn"] == numbers["colour"] else 1
    mine = (numbers["my first die"], numbers["my second die"])
    theirs = (numbers["opponent's first die"], numbers["opponent's second die"])
    rolled = mine if mine != NO_DICE else theirs
    may = (numbers["I may double"], numbers["opponent may double"])
    owner = CENTRED if may[0] == may[1] else (0 if may[0] else 1)
    length = 0 if numbers["match length"] == _UNLIMITED else numbers["match length"]
    score = (numbers["my score"], numbers["opponent's score"])
    post_crawford = len(fields) >= _FIELDS - 1 and fields[_FIELDS - 2] not in ("", "0")
    one_away = length > 1 and length - max(score) == 1
    return MatchState(
        cube_value=numbers["cube"],
        cube_owner=owner,
        move=move,
        turn=1 - move if doubled else move,
        doubled=doubled,
        dice=NO_DICE if doubled else rolled,
        crawford=one_away and not post_crawford and owner == CENTRED and numbers["cube"] == 1,
        match_length=length,
        score=score,
    )


def _number(name: str, word: str) -> int:
    digits = word.strip().removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 6):
        raise NotationError(f"FIBS board: {name} is {word.strip()!r}, should be a whole number")
    return int(word)
