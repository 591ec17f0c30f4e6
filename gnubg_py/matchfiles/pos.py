"""Jellyfish's positions: binary files of 16-bit words, the low byte first.

No description of them is public; the layout below was found by comparing files that gnubg wrote.
Words, by their offset: 0 the number 126; 8 the Jacoby rule; 12 the cube, 14 its owner (0 nobody, 1
and 2 the players 0 and 1); 16 who is to do what (1 and 2: player 0 and 1 have rolled, 3 and 4: they
are to roll); 24 the kind of play (3: for money); 30 the match length; 32 and 34 the scores. Then
come both names, each after a byte with its length, two bytes that say nothing, the word 1, 2 in
the Crawford game and 3 after it, another word, a third string, and both dice. At the end stand 26
pairs of equal words: 20 and the checkers of player 1, or 20 less those of player 0, on player 1's
bar, on the points from player 0's ace point on, and on player 0's bar.
"""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np

from gnubg_py.board import BAR, POINTS, Board, swap
from gnubg_py.game.position import Position, Rules, position_of
from gnubg_py.game.record import GameRecord, MatchRecord
from gnubg_py.match import CENTRED, NO_DICE, MatchState, is_post_crawford
from gnubg_py.matchfiles.contents import MatchContents, clean_name
from gnubg_py.matchfiles.formats import Format

_MARK = b"\x7e\0\0\0"
_HEAD = 18
_LEVEL = 7
_EMPTY = 20
_MONEY = 3
_SHORT = "this .pos file ends too early"


def to_pos(position: Position, players: tuple[str, str]) -> bytes:
    """A position as a Jellyfish file."""
    match = position.match
    rolled = match.dice != NO_DICE
    owner = 0 if match.cube_owner == CENTRED else match.cube_owner + 1
    kind = 1 if match.match_length else _MONEY
    head = [126, 0, 0, 1, int(match.jacoby), 1, match.cube_value, owner]
    head += [match.turn + (1 if rolled else 3), 0, 0, 0, kind, 2, _LEVEL]
    head += [match.match_length, *match.score]
    crawford = 2 if match.crawford else 3 if is_post_crawford(match) else 1
    names = b"".join(bytes([len(name)]) + name for name in map(_name, players))
    board = (position.board if match.move == 0 else swap(position.board)).astype(int)
    counts = [board[1, BAR], *(board[1, POINTS - 1 :: -1] - board[0, :POINTS]), -board[0, BAR]]
    places = np.repeat(np.array(counts) + _EMPTY, 2)
    return (
        _words(head)
        + names
        + b"\0\0"
        + _words([crawford, 0])
        + b"\0"
        + _words([*match.dice, *places.tolist()])
    )


def _name(text: str) -> bytes:
    return text.encode("latin-1", "replace")[:255]


def _words(numbers: list[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}H", *numbers)


def from_pos(data: bytes, rules: Rules | None = None) -> MatchContents:
    """A match that begins from the position of a Jellyfish file; ``ValueError`` if it is none."""
    if not data.startswith(_MARK):
        raise ValueError("no Jellyfish file: it should begin with the number 126")
    head, place = _read_words(data, 0, _HEAD)
    names = []
    for player in (0, 1):
        name, place = _read_string(data, place)
        names.append(clean_name(name, f"player {player}"))
    (crawford, _), place = _read_words(data, place + 2, 2)
    _, place = _read_string(data, place)
    (one, two, *places), _ = _read_words(data, place, 2 + 2 * (POINTS + 2))
    if head[7] > 2 or not 1 <= head[8] <= 4:
        raise ValueError(f"cube owner {head[7]}, state {head[8]}: should be 0 to 2 and 1 to 4")
    move = 1 - head[8] % 2
    length = head[15]
    score = head[16], head[17]
    state = MatchState(
        cube_value=head[6],
        cube_owner=CENTRED if head[7] == 0 else head[7] - 1,
        move=move,
        turn=move,
        dice=(one, two) if head[8] < 3 and one and two else NO_DICE,
        match_length=length,
        score=score,
        crawford=crawford == 2 and length > 1 and max(score) == length - 1,
        jacoby=bool(head[4]),
    )
    board = _board(np.array(places[::2]) - _EMPTY)
    start = position_of(board if move == 0 else swap(board), state)
    agreed = replace(rules or Rules(), variation="standard")
    return MatchContents(MatchRecord(length, (names[0], names[1]), agreed, (GameRecord(start),)))


def _board(counts: np.ndarray) -> Board:
    """Player 0's view of the counts of all 26 places, those of player 1 above 0."""
    if np.abs(counts).max() > 15 or counts[0] < 0 or counts[-1] > 0:
        raise ValueError("a place with too many checkers, or with those of the other side")
    board = np.zeros((2, POINTS + 1), np.int8)
    board[0] = np.maximum(-counts[1:], 0)
    board[1] = np.maximum(counts[-2::-1], 0)
    return board


def _read_words(data: bytes, place: int, count: int) -> tuple[tuple[int, ...], int]:
    """So many words from a place on, and the place behind them."""
    end = place + 2 * count
    if end > len(data):
        raise ValueError(_SHORT)
    return struct.unpack_from(f"<{count}H", data, place), end


def _read_string(data: bytes, place: int) -> tuple[str, int]:
    """A string behind its length, and the place behind it."""
    if place >= len(data):
        raise ValueError(_SHORT)
    end = place + 1 + data[place]
    return data[place + 1 : end].decode("latin-1"), end


FORMAT = Format(looks_like=lambda data: data.startswith(_MARK), read=from_pos)
