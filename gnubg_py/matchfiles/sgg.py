"""GamesGrid's saved games, ``.sgg``: a heading, then one numbered action a line.

    Ann vs. Bob
    Jacoby: No
    Game 1. 0-0/5
    1	31:
    1	31: 8/5 6/5
    2		double

One tab stands before an action of the first player, two before one of the second. A roll has a line
of its own, and another one with its play; ``O-O`` is a dance. Other lines in a game are what people
said. The first player becomes player 1, as in gnubg.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from gnubg_py.game.position import Rules
from gnubg_py.matchfiles.builder import Builder
from gnubg_py.matchfiles.contents import MatchContents, MatchInfo, Place, clean_name, clean_text
from gnubg_py.matchfiles.formats import Format, text_of
from gnubg_py.matchfiles.quick_plays import legs_of

_NAMES = re.compile(r"\s*(\S.{0,79}?)\s*\bvs\.\s*(\S.{0,79}?)\s*\Z")
_GAME = re.compile(r"\s*Game\s+\d{1,5}\.\s*(\d{1,5})-(\d{1,5})(?:/(\d{1,5}))?(?!\d)")
_HEADING = re.compile(r"([A-Z][A-Za-z ]{2,20}):\s*(.*)\Z")
_DATE = re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\S*\s+(\w+)\s+(\d{1,2}),\s*(\d{4})")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_ROW = re.compile(r"\d{1,5}(\t{1,2})(?!\t)(.*)\Z")
_ROLL = re.compile(r"([1-6])([1-6])\s?:(.*)\Z")
_AUTOMATIC = re.compile(r"[1-6][1-6]: Automatic double")
_WINS = re.compile(r"\swins\s+(\d{1,6})?")
_VARIATIONS = {
    "backgammon": "standard",
    "nackgammon": "nackgammon",
    "hypergammon": "hypergammon3",
}
_DAMAGED = re.compile(r"\t|\A\d+[.)\s]|\A\s+\d|\A\s*Game\b")
"""What an action or the heading of a game has that cannot be read, and what people say has not."""


@dataclass
class _Reader:
    """The state of reading a file; ``resigns`` is a player whose points are not known yet."""

    rules: Rules
    line: int = 0
    names: tuple[str, str] | None = None
    heading: dict[str, str] = field(default_factory=dict)
    date: str = ""
    place: str = ""
    builder: Builder | None = None
    resigns: int | None = None
    said: list[str] = field(default_factory=list)
    comments: dict[Place, str] = field(default_factory=dict)
    early: list[str] = field(default_factory=list)
    """Warnings of lines above the first game."""


def from_sgg(text: str, rules: Rules | None = None) -> MatchContents:
    """Read a file of GamesGrid's; ``ValueError`` only where there is no game in it."""
    reader = _Reader(rules or Rules())
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for reader.line, line in enumerate(lines, start=1):
        if line.strip():
            _read_line(reader, line[:1000].rstrip())
    if reader.builder is None:
        raise ValueError("no line like 'Game 1. 0-0/5' below one like 'Ann vs. Bob': no .sgg file")
    _settle(reader, reader.builder)
    info = MatchInfo(date=reader.date, place=reader.place, ratings=_ratings(reader))
    return reader.builder.contents(info=info, comments=reader.comments)


def _read_line(reader: _Reader, line: str) -> None:
    builder = reader.builder
    if reader.names is None:
        if names := _NAMES.match(line):
            reader.names = (clean_name(names[1]), clean_name(names[2]))
        elif _DAMAGED.search(line):
            _unparseable(reader, line)
    elif game := _GAME.match(line):
        builder = builder or _builder(reader, int(game[3] or 0))
        _settle(reader, builder)
        if builder.is_playing:
            builder.warn("A game begins before the one above it is over")
        reader.said.clear()
        builder.new_game((int(game[2]), int(game[1])))
    elif builder is None:
        _head(reader, line)
    else:
        place = builder.next_place
        told = _action(reader, builder, line)
        if not told and _DAMAGED.search(line):
            _unparseable(reader, line)
        elif not told and builder.is_playing:
            reader.said.append(line.strip())
        elif reader.said and builder.next_place != place:
            reader.comments[place] = clean_text("\n".join(reader.said))
            reader.said.clear()


def _unparseable(reader: _Reader, line: str) -> None:
    text = f"Unparseable line: {line[:80]}"
    if reader.builder is None:
        reader.early.append(f"{text} (line {reader.line})")
    else:
        reader.builder.warn(text)


def _head(reader: _Reader, line: str) -> None:
    """A line between the names and the first game."""
    if date := _DATE.match(line):
        month = _MONTHS.index(date[1]) + 1 if date[1] in _MONTHS else 1
        reader.date = f"{date[3]}-{month:02}-{int(date[2]):02}"
    elif line.startswith(("GamesGrid", "GridGammon")):
        reader.place = line.split()[0]
    elif told := _HEADING.match(line):
        reader.heading.setdefault(told[1].lower(), told[2].strip())
    elif _DAMAGED.search(line):
        _unparseable(reader, line)


def _ratings(reader: _Reader) -> tuple[str, str]:
    """Ratings and experience as gnubg tells them, player 0's first."""
    number = r"(\d{1,5}(?:\.\d{1,9})?)\s+(\d{1,7})"
    told = re.match(rf"{number}\s+{number}", reader.heading.get("elo", ""))
    if told is None:
        return "", ""
    return f"{float(told[3]):g} (Exp {told[4]})", f"{float(told[1]):g} (Exp {told[2]})"


def _builder(reader: _Reader, length: int) -> Builder:
    told = {key: text.lower() for key, text in reader.heading.items()}
    variation = told.get("variant", "backgammon")
    rules = replace(
        reader.rules,
        jacoby=told["jacoby"] == "yes" if "jacoby" in told else reader.rules.jacoby,
        crawford=told.get("crawford", "yes") == "yes",
        cube=told.get("doubling cube", "yes") == "yes",
        variation=_VARIATIONS.get(variation, "standard"),
    )
    builder = Builder(length, rules)
    builder.warnings += reader.early
    builder.where = lambda: f"line {reader.line}"
    if variation not in _VARIATIONS:
        builder.warn(f"Unknown variant in SGG file: {variation[:40]}")
    assert reader.names is not None
    builder.name_players(reader.names[1], reader.names[0])
    reader.builder = builder
    return builder


def _action(reader: _Reader, builder: Builder, line: str) -> bool:
    """Carry out what a line of a game tells; False if it tells nothing that can be carried out."""
    if _AUTOMATIC.match(line):
        builder.turn_cube_automatically()
        return True
    row = _ROW.match(line)
    if row is None:
        return _end(reader, builder, line)
    player, words = 2 - len(row[1]), row[2].strip()
    if builder.in_game and not builder.is_playing:
        builder.warn(f"An action after the end of the game: {line[:60]}")
        return True
    roll = _ROLL.match(words)
    if roll is not None and not roll[3].strip().lower().startswith("resign"):
        reader.resigns = None
        return _play(builder, player, (int(roll[1]), int(roll[2])), roll[3].strip())
    return _said(reader, builder, player, (roll[3] if roll else words).strip().lower())


def _play(builder: Builder, player: int, dice: tuple[int, int], text: str) -> bool:
    if not text:
        return builder.roll(player, dice)
    words = "" if text == "O-O" else text.replace(",", " ")
    if words and legs_of(words) is None:
        return False
    return builder.play(player, dice, words)


def _said(reader: _Reader, builder: Builder, player: int, words: str) -> bool:
    """A double, its answer, a resignation or its answer."""
    resigned, reader.resigns = reader.resigns is not None, None
    if words.startswith("resign"):
        reader.resigns = player
    elif words.startswith(("double", "beaver", "raccoon")):
        builder.double(player)
    elif words.startswith("accept") and resigned:
        reader.resigns = 1 - player
    elif words.startswith("accept"):
        builder.take()
    elif words.startswith("pass"):
        if not resigned:
            builder.drop(player)
    else:
        return False
    return True


def _end(reader: _Reader, builder: Builder, line: str) -> bool:
    """The line that tells who won the game, and how many points."""
    wins = _WINS.search(line)
    if wins is None:
        return False
    points = int(wins[1] or 1)
    name = clean_name(line[: wins.start()])
    if reader.resigns is not None:
        builder.win(1 - reader.resigns, points)
        reader.resigns = None
    elif not builder.is_playing:
        pass
    elif name in builder.players:
        builder.win(builder.players.index(name), points)
    else:
        builder.warn(f"Nobody here is called {name[:40]!r}: the game is not over")
    return True


def _settle(reader: _Reader, builder: Builder) -> None:
    """A resignation without a line that tells who won is one of a single game."""
    if reader.resigns is not None:
        builder.win(1 - reader.resigns, 1)
        reader.resigns = None


FORMAT = Format(
    looks_like=lambda data: (
        re.search(rb"\bvs\.[^\n]*\n(?:[^\n]*\n){0,60}?Game +\d+\. *\d+-\d+", data[:8000])
        is not None
    ),
    read=lambda data, rules: from_sgg(text_of(data), rules),
)
