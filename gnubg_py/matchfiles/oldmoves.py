"""The answer of the server FIBS to ``oldmoves``: the names of X and O, then one action a line.

Score is 0-0 in a 3 point match.
Ann is X - Bob is O
X: (3 1) 8-5 6-5
O: doubles
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gnubg_py.game.position import Rules
from gnubg_py.matchfiles.builder import Builder
from gnubg_py.matchfiles.contents import MatchContents
from gnubg_py.matchfiles.formats import Format, lines_of, text_of
from gnubg_py.matchfiles.quick_plays import is_dance, legs_of

_SCORE = re.compile(
    r"\s*Score is (\d{1,5})-(\d{1,5}) in an? (?:(\d{1,5}) point|unlimited|money)", re.IGNORECASE
)
_NAMES = re.compile(r"\s*(.{1,80}?) is ([XO])\s*-\s*(.{1,80}?) is ([XO])\s*\Z")
_PLAY = re.compile(r"\(\s*([1-6])\s+([1-6])\s*\)\s*(.*)\Z")
_WINS = re.compile(r"wins?\s+(\d{1,6})\s+points?", re.IGNORECASE)


@dataclass
class _Reader:
    """The state of reading a file."""

    rules: Rules
    builder: Builder | None = None
    line: int = 0
    first: str = "X"
    score: tuple[int, int] = (0, 0)


def from_oldmoves(text: str, rules: Rules | None = None) -> MatchContents:
    """Read a list of old moves; ``ValueError`` only where there is no game in it."""
    reader = _Reader(rules or Rules())
    for reader.line, line in enumerate(lines_of(text), start=1):
        if line.strip():
            _read_line(reader, line.strip())
    if reader.builder is None:
        raise ValueError("no line like 'Score is 0-0 in a 3 point match.': no oldmoves file")
    return reader.builder.contents()


def _read_line(reader: _Reader, line: str) -> None:
    if score := _SCORE.match(line):
        if reader.builder is None:
            reader.builder = Builder(int(score[3] or 0), reader.rules)
            reader.builder.where = lambda: f"line {reader.line}"
        reader.score = (int(score[1]), int(score[2]))
        return
    builder = reader.builder
    if builder is None:
        return
    if names := _NAMES.match(line):
        if not builder.record.games:
            builder.name_players(names[1], names[3])
            reader.first = names[2]
        builder.new_game(reader.score)
    elif line[:2] in ("X:", "O:") and builder.in_game:
        _action(builder, 0 if line[0] == reader.first else 1, line)
    else:
        _unrecognised(builder, line)


def _unrecognised(builder: Builder, line: str) -> None:
    builder.warn(f'Unrecognised move "{line[:80]}" in oldmoves file.')


def _action(builder: Builder, player: int, line: str) -> None:
    words = line[2:].strip()
    verb = words.split()[0].rstrip(".").lower() if words else ""
    if play := _PLAY.match(words):
        text = "" if is_dance(play[3]) else play[3].replace("-", "/").rstrip(".")
        if text and legs_of(text) is None:
            _unrecognised(builder, line)
            text = "????"
        if not builder.play(player, (int(play[1]), int(play[2])), text):
            builder.warn(f"A play after the end of the game: {line[:40]}")
    elif verb in ("doubles", "redoubles"):
        builder.double(player)
    elif verb == "accepts":
        builder.take()
    elif verb in ("rejects", "drops", "passes"):
        builder.drop(player)
    elif wins := _WINS.match(words):
        builder.win(player, int(wins[1]))
    else:
        _unrecognised(builder, line)


FORMAT = Format(
    looks_like=lambda data: (
        re.search(rb"(?m)^\s*Score is \d+-\d+ in an? ", data[:5000]) is not None
    ),
    read=lambda data, rules: from_oldmoves(text_of(data), rules),
)
