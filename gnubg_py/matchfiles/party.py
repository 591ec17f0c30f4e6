"""PartyGammon's saved games: lines of a name and a value; a game's turns in one line of it.

    MATCHLENGTH=5
    GAME_1_PLAYER_1=Ann
    GAME_1_PLAYER_2=Bob
    GAME_1_GAMEPLAY=1 1 1 31 8/5 6/5#2 2 1 62 24/18 13/11#1 double#2 drop#
    GAME_1_SCORE1=1
    GAME_1_SCORE2=0

A turn begins with the number of its player. Two words without a meaning for us stand before the
dice; any other second word is a cube action. The score is that after the game.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gnubg_py.game.position import Rules
from gnubg_py.matchfiles.builder import Builder
from gnubg_py.matchfiles.contents import MatchContents
from gnubg_py.matchfiles.formats import Format, lines_of, text_of
from gnubg_py.matchfiles.quick_plays import is_dance, legs_of

_LENGTH = re.compile(r"\s*MATCHLENGTH=\s*(\d{1,5})\s*\Z", re.IGNORECASE)
_VALUE = re.compile(r"\s*GAME_(\d{1,5})_([A-Z0-9_]{1,20})=(.*)\Z", re.IGNORECASE)
_ROLL = re.compile(r"\d\S* \S+ ([1-6])([1-6])(?: (.*))?\Z")
_LONGEST_LINE = 20_000
"""A game takes one line: 500 turns of 40 characters."""


@dataclass
class _Game:
    """What the lines of a game tell, by name, and the line where its turns stand."""

    told: dict[str, str] = field(default_factory=dict)
    line: int = 0


def from_party(text: str, rules: Rules | None = None) -> MatchContents:
    """Read a file of PartyGammon's; ``ValueError`` where it has no game or no match length."""
    games: dict[int, _Game] = {}
    length: int | None = None
    warnings: list[str] = []
    for number, line in enumerate(lines_of(text, _LONGEST_LINE), start=1):
        if value := _VALUE.match(line):
            game = games.setdefault(int(value[1]), _Game())
            name = value[2].upper()
            if name == "GAMEPLAY":
                game.line = number
            if name in game.told:
                warnings.append(f"{name} of game {value[1]} is told twice (line {number})")
            game.told[name] = value[3].strip()
        elif told := _LENGTH.match(line):
            length = int(told[1])
        elif "#" in line or line.lstrip().upper().startswith(("GAME", "MATCHLENGTH")):
            warnings.append(f'Unrecognised line "{line.strip()[:80]}" (line {number})')
    if length is None:
        raise ValueError("no line like 'MATCHLENGTH=5': this is no file of PartyGammon's")
    builder = Builder(length, rules)
    builder.warnings += warnings
    for number, game in games.items():
        _read_game(builder, number, game)
    return builder.contents()


def _read_game(builder: Builder, number: int, game: _Game) -> None:
    builder.where = lambda: f"line {game.line}" if game.line else f"game {number}"
    if "GAMEPLAY" not in game.told:
        builder.warn(f"Game {number} has no turns: it is left out")
        return
    if not builder.record.games:
        builder.name_players(game.told.get("PLAYER_1", ""), game.told.get("PLAYER_2", ""))
    if not builder.new_game():
        return
    before = builder.end.match.score
    for turn in game.told["GAMEPLAY"].split("#"):
        if turn.strip() and not _turn(builder, " ".join(turn.split())):
            builder.warn(f'Unrecognised turn "{turn.strip()[:60]}" of game {number}')
    after = [game.told.get(name, "") for name in ("SCORE1", "SCORE2")]
    if all(re.fullmatch(r"\d{1,6}", score) for score in after):
        gains = [int(score) - then for score, then in zip(after, before, strict=True)]
        if max(gains) > 0:
            builder.win(gains.index(max(gains)), max(gains))
    else:
        builder.warn(f"Game {number} tells no score")


def _turn(builder: Builder, turn: str) -> bool:
    """Carry out a turn; False if it cannot be read."""
    number, _, words = turn.partition(" ")
    if number not in ("1", "2"):
        return False
    player = int(number) - 1
    if not builder.is_playing:
        builder.warn("An action after the end of the game")
    elif roll := _ROLL.match(words):
        text = (roll[3] or "").strip()
        play = "" if is_dance(text) else text.replace(",", " ")
        if play and legs_of(play) is None:
            return False
        builder.play(player, (int(roll[1]), int(roll[2])), play)
    else:
        return _cube(builder, player, words.lower())
    return True


def _cube(builder: Builder, player: int, words: str) -> bool:
    if words.startswith(("double", "redouble", "beaver", "raccoon")):
        builder.double(player)
    elif words.startswith(("take", "accept")):
        builder.take()
    elif words.startswith(("drop", "pass", "reject")):
        builder.drop(player)
    else:
        return False
    return True


FORMAT = Format(
    looks_like=lambda data: (
        re.search(rb"(?m)^\s*GAME_\d{1,5}_GAMEPLAY=", data[: 1 << 18]) is not None
    ),
    read=lambda data, rules: from_party(text_of(data), rules),
)
