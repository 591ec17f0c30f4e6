"""BGRoom's saved sessions: games for money, one numbered action a line, an empty line after each.

    BGF version 1.2
    Game 1 - Ann (X) vs. Bob (0)
    Single Game
    1. X: (3 1) 8-5 6-5
    2. 0: (6 2) 24-18 13-11
    3. X: Double

Whoever doubles plays on if the double was taken; nothing else tells that it was, nor who won.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gnubg_py.game.position import Rules
from gnubg_py.matchfiles.builder import Builder
from gnubg_py.matchfiles.contents import MatchContents
from gnubg_py.matchfiles.formats import Format, lines_of, text_of
from gnubg_py.matchfiles.quick_plays import is_dance, legs_of

_GAME = re.compile(r"\s*Game\s+(\d{1,5})\s+-\s+(\S.{0,63}?)\s+\((\S)\)\s+vs\.\s+(\S.{0,63}?)\s+\(")
_ROW = re.compile(r"\s*(\d{1,5})\.\s*([X0])\s*:\s*(.*?)\s*\Z")
_PLAY = re.compile(r"\(\s*([1-6])\s+([1-6])\s*\)\s*(.*)\Z")


@dataclass
class _Reader:
    """The state of reading a file; ``mover`` is who acted last, ``number`` the last action's."""

    builder: Builder
    line: int = 0
    awaits_kind: bool = False
    number: int = 0
    mover: int = 0


def from_bgroom(text: str, rules: Rules | None = None) -> MatchContents:
    """Read a session of BGRoom's; ``ValueError`` where it has no game."""
    reader = _Reader(Builder(0, rules))
    reader.builder.where = lambda: f"line {reader.line}"
    for reader.line, line in enumerate(lines_of(text), start=1):
        _read_line(reader, line.rstrip())
    return reader.builder.contents()


def _read_line(reader: _Reader, line: str) -> None:
    builder = reader.builder
    if not line:
        _end(reader)
    elif game := _GAME.match(line):
        _new_game(reader, int(game[1]), (game[2], game[4]), first_is_x=game[3] not in "0Oo")
    elif reader.awaits_kind:
        reader.awaits_kind = False
        if (word := line.split()[0]) != "Single":
            builder.warn(f"'Single' should stand here, not '{word[:40]}'")
    elif (row := _ROW.match(line)) and builder.in_game:
        reader.number += 1
        if int(row[1]) != reader.number:
            builder.warn(f"Action {row[1]} follows action {reader.number - 1}")
            reader.number = int(row[1])
        if not builder.is_playing:
            builder.warn("An action after the end of the game")
        elif not _action(reader, "X0".index(row[2]), row[3]):
            builder.warn(f'Unrecognised move "{line.strip()[:80]}" in BGRoom file')
    elif "Win the Match" not in line and not line.startswith("BGF version"):
        builder.warn(f'Unrecognised line "{line.strip()[:80]}" in BGRoom file')


def _new_game(reader: _Reader, number: int, names: tuple[str, str], *, first_is_x: bool) -> None:
    """Begin a game; whoever has X is player 0, as in gnubg."""
    builder = reader.builder
    if builder.is_playing:
        builder.warn("A game begins before the one above it is over")
    expected = len(builder.record.games) + 1
    if number != expected:
        builder.warn(f"Game {number} should be game {expected}")
    if expected == 1:
        builder.name_players(*(names if first_is_x else names[::-1]))
    builder.new_game()
    reader.awaits_kind, reader.number = True, 0


def _action(reader: _Reader, player: int, words: str) -> bool:
    """Carry out an action; False if it cannot be read."""
    builder = reader.builder
    doubled = builder.end.match.doubled
    if doubled and words == "Beaver":
        builder.double(player)
    elif words == "Double":
        if doubled:
            builder.take()
        builder.double(player)
    elif play := _PLAY.match(words):
        text = "" if is_dance(play[3]) else play[3].replace("-", "/")
        if text and legs_of(text) is None:
            return False
        if doubled and not builder.end.redoubles:
            builder.take()
        builder.play(player, (int(play[1]), int(play[2])), text)
    else:
        return False
    reader.mover = player
    return True


def _end(reader: _Reader) -> None:
    """An empty line ends a game: a double was dropped, or the player who did not act resigned."""
    builder = reader.builder
    if builder.is_playing and reader.number:
        match = builder.end.match
        if match.doubled:
            builder.drop(match.turn)
        else:
            builder.win(reader.mover, match.cube_value)


FORMAT = Format(
    looks_like=lambda data: re.match(rb"\s*BGF version", data) is not None,
    read=lambda data, rules: from_bgroom(text_of(data), rules),
)
