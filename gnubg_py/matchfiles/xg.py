"""Read eXtreme Gammon's binary .xg and .xgp files: games, plays and cube actions.

The layout is public: https://www.extremegammon.com/xgformat.aspx. A header of 8,232 bytes and a
picture come first, then a zlib archive whose file ``temp.xg`` holds records of 2,560 bytes each.
XG's analysis is left out.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gnubg_py.board import VARIATIONS, Board, check_board
from gnubg_py.game.position import Rules, position_of
from gnubg_py.match import NO_DICE
from gnubg_py.matchfiles.builder import Builder
from gnubg_py.matchfiles.contents import MatchContents, MatchInfo, clean_name
from gnubg_py.matchfiles.formats import Format
from gnubg_py.notation import play_text

_MAGIC = b"RGMH"
_HEADER = 8232
_RECORD = 2560
_ARCHIVE_END = struct.Struct("<LllllL12x")
_ENTRY = struct.Struct("<256s256slllLBBxx")
_LARGEST = 64 << 20
_UNLIMITED = 99999
_MATCH, _GAME, _CUBE, _MOVE, _GAME_END = range(5)


def from_xg(data: bytes, rules: Rules | None = None) -> MatchContents:
    """Read a .xg or .xgp file; ``ValueError`` where there is no match in it."""
    reader: _Reader | None = None
    for number, record in enumerate(_records(_main_file(data)), start=1):
        if record[8] == _MATCH and reader is None:
            reader = _header(record, rules or Rules())
        if reader is not None:
            reader.record = number
            _read_record(reader, record)
    if reader is None:
        raise ValueError("no header of a match in this .xg file")
    return reader.builder.contents(info=reader.info)


def _main_file(data: bytes) -> bytes:
    """The file ``temp.xg`` of the archive."""
    if data[:4] != _MAGIC or len(data) < _HEADER + _ARCHIVE_END.size:
        raise ValueError("not a .xg file: it should begin with RGMH")
    end = len(data) - _ARCHIVE_END.size
    _, count, _, registry_size, size, compressed = _ARCHIVE_END.unpack_from(data, end)
    start = end - registry_size - size
    if not (0 <= registry_size <= end and size >= 0 and start >= 0 and 0 <= count <= 1000):
        raise ValueError("the archive in this .xg file is damaged")
    registry = data[end - registry_size : end]
    if compressed:
        registry = _unzipped(registry)
    for place in range(min(count, len(registry) // _ENTRY.size)):
        name, _, full, packed, offset, _, stored, _ = _ENTRY.unpack_from(
            registry, place * _ENTRY.size
        )
        if name[1 : 1 + name[0]].decode("latin-1").lower() == "temp.xg":
            if not (0 <= offset <= size and packed >= 0 and full >= 0):
                break
            begin = start + offset
            part = data[begin : begin + packed]
            return part if stored else _unzipped(part)
    raise ValueError("there is no temp.xg in this .xg file")


def _unzipped(data: bytes) -> bytes:
    unzip = zlib.decompressobj()
    try:
        text = unzip.decompress(data, _LARGEST)
    except zlib.error as error:
        raise ValueError(f"the archive in this .xg file is damaged: {error}") from None
    if unzip.unconsumed_tail:
        raise ValueError(f"it unzips to more than the {_LARGEST:,} bytes that are read")
    return text


def _records(data: bytes) -> Iterator[bytes]:
    return (data[i : i + _RECORD] for i in range(0, len(data) - _RECORD + 1, _RECORD))


@dataclass
class _Reader:
    """The match so far, while records are read."""

    builder: Builder
    info: MatchInfo
    record: int = 0


def _integer(record: bytes, place: int) -> int:
    return int(struct.unpack_from("<l", record, place)[0])


def _short_text(record: bytes, place: int) -> str:
    return record[place + 1 : place + 1 + record[place]].decode("latin-1")


def _wide_text(record: bytes, place: int) -> str:
    return record[place : place + 258].decode("utf-16-le", "replace").partition("\0")[0]


def _header(record: bytes, rules: Rules) -> _Reader:
    length = _integer(record, 92)
    money = length == _UNLIMITED
    kind = _integer(record, 96)
    if kind not in (0, 1, 2):
        raise ValueError("this .xg file is of a variation of backgammon that is not played here")
    crawford, jacoby, beaver = (bool(record[place]) for place in (100, 101, 102))
    rules = replace(
        rules,
        variation=(VARIATIONS[0], VARIATIONS[1], VARIATIONS[-1])[kind],
        crawford=rules.crawford if money else crawford,
        jacoby=jacoby if money else rules.jacoby,
        beavers=(3 if beaver else 0) if money else rules.beavers,
    )
    builder = Builder(0 if money else length, rules)
    wide = _integer(record, 552) >= 24
    names = [
        (_wide_text(record, place) if wide else "") or _short_text(record, old)
        for place, old in ((880, 9), (1138, 50))
    ]
    builder.name_players(names[0], names[1])
    event, place, round_ = (clean_name(_short_text(record, at)) for at in (136, 283, 417))
    if wide:
        event, place, round_ = (clean_name(_wide_text(record, at)) for at in (622, 1396, 1654))
    reader = _Reader(builder, MatchInfo(event=event, place=place, round=round_))
    builder.where = lambda: f"record {reader.record}"
    return reader


def _read_record(reader: _Reader, record: bytes) -> None:
    builder, kind = reader.builder, record[8]
    if kind == _GAME:
        score = (_integer(record, 12), _integer(record, 16))
        if min(score) < 0 or max(score) > 30_000:
            raise ValueError(f"record {reader.record}: score {score[0]}-{score[1]}")
        builder.new_game(score if builder.length else None, bool(record[20]))
    elif kind in (_CUBE, _MOVE) and not builder.in_game and not builder.record.games:
        builder.new_game()
    if not builder.is_playing:
        return
    if kind == _CUBE:
        _cube(builder, record)
    elif kind == _MOVE:
        _move(builder, record)
    elif kind == _GAME_END and _integer(record, 24) in (1, -1):
        builder.win(_seat(_integer(record, 24)), max(0, min(_integer(record, 28), 1 << 16)))


def _seat(player: int) -> int:
    return 0 if player == 1 else 1


def _board(record: bytes, place: int) -> Board:
    """A board from 26 numbers: the other's bar, the points 1 to 24, the own bar.

    The other's checkers are negative.
    """
    numbers = struct.unpack_from("<26b", record, place)
    board = np.zeros((2, 25), np.int8)
    board[0, :24] = [max(n, 0) for n in numbers[1:25]]
    board[1, :24] = [max(-n, 0) for n in numbers[24:0:-1]]
    board[0, 24], board[1, 24] = abs(numbers[25]), abs(numbers[0])
    return board


def _stand_on(builder: Builder, player: int, record: bytes, place: int) -> None:
    """Set the position of a record if it is not the present position of the game."""
    told = _board(record, place)
    now = builder.end.board if builder.end.match.move == player else builder.end.board[::-1]
    if any((told[::way] == now).all() for way in (1, -1)):
        return
    try:
        check_board(told)
        match = replace(builder.end.match, move=player, turn=player, dice=NO_DICE, doubled=False)
        builder.put(position_of(told, match))
    except ValueError as error:
        builder.warn(f"The position is left as it was: {error}")


def _cube(builder: Builder, record: bytes) -> None:
    player = _seat(_integer(record, 12))
    if builder.end.match.dice == NO_DICE:
        _stand_on(builder, player, record, 36)
    if _integer(record, 16) != 1:
        return
    builder.double(player)
    if not builder.end.match.doubled:
        return
    answer = _integer(record, 20)
    if answer == 2:
        builder.double(1 - player)
    if answer == 0:
        builder.drop(1 - player)
    elif builder.is_playing and builder.end.match.doubled:
        builder.take()


def _move(builder: Builder, record: bytes) -> None:
    player = _seat(_integer(record, 64))
    dice = (_integer(record, 100), _integer(record, 104))
    _stand_on(builder, player, record, 9)
    if not all(1 <= die <= 6 for die in dice):
        return  # a position without dice, or a roll that was not made
    now = builder.end.board if builder.end.match.move == player else builder.end.board[::-1]
    told = _board(record, 35)
    for after in (told[::-1], told):
        try:
            words = play_text(np.ascontiguousarray(now), dice, np.ascontiguousarray(after))
        except ValueError:
            continue
        builder.play(player, dice, "" if words == "cannot move" else words)
        return
    builder.play(player, dice, "????")


FORMAT = Format(looks_like=lambda data: data[:4] == _MAGIC, read=from_xg)
