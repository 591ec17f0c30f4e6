"""Snowie's text: a position as one line of numbers between semicolons; a match as in .mat files.

The fields are: match length, Jacoby, an unused one, beavers, the player on roll (0 or 1), the names
of the player on roll and of the other, Crawford, their scores in that order, the cube, its owner (1
the player on roll, -1 the other, 0 neither), the other's checkers on the bar as a negative number,
the points 1 to 24 of the player on roll with the other's checkers negative, the bar, two dice.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from gnubg_py.board import Board
from gnubg_py.game.position import Position, Rules, position_of
from gnubg_py.game.record import GameRecord, MatchRecord
from gnubg_py.match import CENTRED, NO_DICE, MatchState
from gnubg_py.matchfiles.contents import MatchContents, clean_name
from gnubg_py.matchfiles.formats import Format, text_of
from gnubg_py.matchfiles.mat import from_mat, to_mat

_FIELDS = 40
_LINE = re.compile(rb"\s*\d{1,5};[01]?;")


def to_position_line(position: Position, players: tuple[str, str], beavers: bool = False) -> str:
    """A position as Snowie's line, with the line's end."""
    match = position.match
    me, other = match.move, 1 - match.move
    mine, theirs = position.board.tolist()
    owner = 0 if match.cube_owner == CENTRED else 1 if match.cube_owner == me else -1
    points = [mine[i] or -theirs[23 - i] for i in range(24)]
    names = [players[seat].replace(";", ",") for seat in (me, other)]
    money = match.match_length == 0
    values = [
        match.match_length,
        int(match.jacoby and money),
        0,
        int(beavers and money),
        me,
        *names,
    ]
    values += [int(match.crawford), match.score[me], match.score[other], match.cube_value, owner]
    values += [-theirs[24], *points, mine[24], *match.dice]
    return ";".join(map(str, values)) + ";\n"


def from_position_line(line: str, rules: Rules | None = None) -> MatchContents:
    """A match that begins from the position of Snowie's line; ``ValueError`` if it is none."""
    fields = [field.strip() for field in line.strip().split(";")]
    if len(fields) < _FIELDS:
        raise ValueError(f"{len(fields)} fields: a position of Snowie's has {_FIELDS}")
    numbers = [_whole(field, i) for i, field in enumerate(fields[:_FIELDS]) if i not in (5, 6)]
    length, jacoby, _, beavers, me, crawford, mine, theirs, value, owner = numbers[:10]
    if me not in (0, 1) or owner not in (-1, 0, 1):
        raise ValueError("the fields 5 and 12 tell a player: should be 0 or 1, and -1, 0 or 1")
    score = (mine, theirs) if me == 0 else (theirs, mine)
    dice = tuple(numbers[36:38])
    state = MatchState(
        cube_value=value,
        cube_owner={0: CENTRED, 1: me, -1: 1 - me}[owner],
        move=me,
        turn=me,
        crawford=bool(crawford) and length > 1,
        dice=NO_DICE if 0 in dice else (dice[0], dice[1]),
        match_length=length,
        score=score,
        jacoby=bool(jacoby) and length == 0,
    )
    start = position_of(_board(numbers[10:36]), state)
    names = [clean_name(fields[5], f"player {me}"), clean_name(fields[6], f"player {1 - me}")]
    players = (names[0], names[1]) if me == 0 else (names[1], names[0])
    agreed = replace(rules or Rules(), variation="standard")
    if length == 0:
        agreed = replace(agreed, jacoby=bool(jacoby), beavers=3 if beavers else 0)
    return MatchContents(MatchRecord(length, players, agreed, (GameRecord(start),)))


def _whole(field: str, place: int) -> int:
    if not re.fullmatch(r"-?\d{1,5}", field):
        raise ValueError(f"field {place + 1} is {field[:20]!r}: should be a whole number")
    return int(field)


def _board(numbers: list[int]) -> Board:
    if max(map(abs, numbers)) > 15:
        raise ValueError("more than 15 checkers on a point")
    bar, points, own_bar = numbers[0], numbers[1:25], numbers[25]
    board = np.zeros((2, 25), np.int8)
    board[0, :24] = [max(n, 0) for n in points]
    board[1, :24] = [max(-n, 0) for n in reversed(points)]
    board[0, 24], board[1, 24] = abs(own_bar), abs(bar)
    return board


def from_snowietxt(text: str, rules: Rules | None = None) -> MatchContents:
    """A position of Snowie's, or a match that Snowie wrote as a .mat file."""
    if ";" not in text or text.lstrip().startswith(";"):
        return from_mat(text, rules)
    line = next((line for line in text.splitlines() if line.count(";") > 20), None)
    return from_mat(text, rules) if line is None else from_position_line(line, rules)


FORMAT = Format(
    looks_like=lambda data: _LINE.match(data.removeprefix(b"\xef\xbb\xbf")) is not None,
    read=lambda data, rules: from_snowietxt(text_of(data), rules),
    write=lambda contents: to_mat(contents.record),
)
