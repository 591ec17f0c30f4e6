"""TrueMoneyGames' files: a heading of names and values, then one numbered action a line.

    Game 1: 0-0
      1 1 31
      1 4 8/5 6/5
     -1 1 62

The number of a turn is negative if it is the second player's. The number after it is the action.
The first player becomes player 1, as in gnubg.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from gnubg_py.game.position import Rules
from gnubg_py.matchfiles.builder import Builder
from gnubg_py.matchfiles.contents import MatchContents, MatchInfo, clean_name
from gnubg_py.matchfiles.formats import Format, lines_of, text_of
from gnubg_py.matchfiles.quick_plays import legs_of

_ROLL, _MOVE, _DOUBLE, _TAKE, _BEAVER, _DROP = 1, 4, 5, 7, 8, 10
_AUTOMATIC, _SETTLEMENT = 2, 19
_WINS = (14, 15, 16)
_PLAYED = (_ROLL, _MOVE, _DOUBLE, _TAKE, _BEAVER, _DROP)
_HEADING = re.compile(r"\s*([A-Za-z][A-Za-z0-9]{1,30}):\s?(.*)\Z")
_GAME = re.compile(r"\s*Game\s+\d{1,5}\s*:\s*(\d{1,5})-(\d{1,5})")
_ACTION = re.compile(r"\s*(-?)\d{1,5}\s+(\d{1,3})\s*(.*)\Z")
_NAME = re.compile(r"\d+\s+(.{1,80}?)\s+-?[\d.]+\s*\Z")


@dataclass
class _Reader:
    """The state of reading a file; ``dice`` have been rolled and not played yet."""

    rules: Rules
    heading: dict[str, str] = field(default_factory=dict)
    builder: Builder | None = None
    line: int = 0
    dice: tuple[int, int] | None = None


def from_tmg(text: str, rules: Rules | None = None) -> MatchContents:
    """Read a file of TrueMoneyGames; ``ValueError`` only where there is no game in it."""
    reader = _Reader(rules or Rules())
    for reader.line, line in enumerate(lines_of(text), start=1):
        if line.strip():
            _read_line(reader, line.rstrip())
    if reader.builder is None:
        raise ValueError("no line like 'Game 1: 0-0': this is not a .tmg file")
    date = re.match(r"\d{4}-\d\d-\d\d", reader.heading.get("startdate", ""))
    info = MatchInfo(date=date[0] if date else "", place="TrueMoneyGames")
    return reader.builder.contents(info=info)


def _read_line(reader: _Reader, line: str) -> None:
    if game := _GAME.match(line):
        builder = reader.builder or _builder(reader)
        reader.dice = None
        # Player 1 of the file is our player 1.
        builder.new_game((int(game[2]), int(game[1])) if builder.length else None)
    elif reader.builder is None and (told := _HEADING.match(line)):
        reader.heading.setdefault(told[1].lower(), told[2].strip())
    elif reader.builder is not None and (action := _ACTION.match(line)):
        _action(reader, reader.builder, 0 if action[1] else 1, int(action[2]), action[3].strip())
    elif reader.builder is not None:
        reader.builder.warn(f'Unrecognised line "{line.strip()[:80]}" in .tmg file')


def _builder(reader: _Reader) -> Builder:
    told = reader.heading
    length = told.get("length", "0")
    rules = replace(
        reader.rules,
        variation="standard",
        jacoby=told.get("jacoby", "1") != "0",
        crawford=told.get("crawford", "1") != "0",
    )
    builder = Builder(int(length) if re.fullmatch(r"\d{1,5}", length) else 0, rules)
    builder.where = lambda: f"line {reader.line}"
    names = [_NAME.match(told.get(f"player{number}", "")) for number in (1, 2)]
    first, second = (clean_name(name[1]) if name else "" for name in names)
    builder.name_players(second, first)
    reader.builder = builder
    return builder


def _action(reader: _Reader, builder: Builder, player: int, code: int, rest: str) -> None:
    dice, reader.dice = reader.dice, None
    if code in _PLAYED and not builder.is_playing:
        builder.warn("An action after the end of the game")
    elif code == _ROLL and re.match(r"[1-6][1-6]\Z", rest):
        reader.dice = (int(rest[0]), int(rest[1]))
        builder.roll(player, reader.dice)
    elif code == _MOVE and dice is not None:
        words = " ".join(word for word in rest.split() if word != "0/0")
        if words and legs_of(words) is None:
            builder.warn(f'Unrecognised move "{rest[:60]}" in .tmg file')
            words = "????"
        builder.play(player, dice, words)
    elif code in (_DOUBLE, _BEAVER):
        builder.double(player)
    elif code == _TAKE:
        builder.take()
    elif code == _DROP:
        builder.drop(player)
    elif code in _WINS and (points := re.match(r"(\d{1,6})(?!\d)", rest)):
        builder.win(player, int(points[1]))
    elif code not in (_AUTOMATIC, _SETTLEMENT):
        builder.warn(f"An action of the unknown kind {code}")


FORMAT = Format(
    looks_like=lambda data: re.match(rb"\s*MatchID:\s", data) is not None,
    read=lambda data, rules: from_tmg(text_of(data), rules),
)
