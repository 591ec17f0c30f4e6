"""BGBlitz's matches, ``.bgf``: a line of JSON, then a match in JSON, usually packed, as Smile.

What its fields mean is known from public descriptions, above all those of bgfparser and blunderDB.
Points are the mover's own: 25 is the bar, 0 is off, -1 means nothing. Green, the first player, is
player 0. BGBlitz's analysis is left out.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from gnubg_py.board import VARIATIONS, start_position
from gnubg_py.game.position import Rules
from gnubg_py.matchfiles.builder import Builder
from gnubg_py.matchfiles.contents import MatchContents, MatchInfo, clean_name
from gnubg_py.matchfiles.formats import Format
from gnubg_py.matchfiles.smile import from_smile

_HEAD = re.compile(rb'\s*\{[^{}\n]{0,400}"format"\s*:\s*"BGF"[^{}\n]{0,400}\}\s*?\n')
_LARGEST = 64 << 20
_GZIP = 32 + zlib.MAX_WBITS
"""Take the heading of gzip or zlib for what it is."""
_BAR, _OFF, _NOTHING = 25, 0, -1
_PLAYERS = {-1: 0, 1: 1}
"""Green is player 0."""


def from_bgf(data: bytes, rules: Rules | None = None) -> MatchContents:
    """Read a .bgf file; ``ValueError`` where there is no match in it."""
    head = _HEAD.match(data)
    if head is None:
        raise ValueError('not a .bgf file: it should begin with a line like {"format":"BGF", ...}')
    match = _body(_json(head[0], "the first line"), data[head.end() :])
    games = _list(match, "games")
    if not games:
        raise ValueError("no games in this .bgf file")
    builder = _builder(match, games, rules or Rules())
    final = (_number(match, "finalGreen"), _number(match, "finalRed"))
    for index, game in enumerate(games):
        later = games[index + 1 :]
        score = _score(later[0]) if later else final
        _read_game(builder, index, game, score)
    builder.where = lambda: ""
    texts = {name: clean_name(_text(match, name)) for name in ("event", "round", "location")}
    info = MatchInfo(
        date=_date(_text(match, "date")),
        event=texts["event"],
        round=texts["round"],
        place=texts["location"],
    )
    return builder.contents(info=info)


def _body(head: Mapping[str, Any], data: bytes) -> Mapping[str, Any]:
    """The match, unpacked."""
    if head.get("compress") is True:
        unzip = zlib.decompressobj(_GZIP)
        try:
            data = unzip.decompress(data, _LARGEST)
        except zlib.error as error:
            raise ValueError(f"the packed part of this .bgf file is damaged: {error}") from None
        if unzip.unconsumed_tail or not unzip.eof:
            raise ValueError("the packed part of this .bgf file is too large, or cut off")
    if head.get("useSmile") is not True:
        return _json(data, "the match")
    match = from_smile(data)
    if not isinstance(match, dict):
        raise ValueError("the match in this .bgf file is no object")
    return match


def _json(data: bytes, what: str) -> Mapping[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise ValueError(f"{what} of this .bgf file is no JSON") from None
    if not isinstance(value, dict):
        raise ValueError(f"{what} of this .bgf file is no object")
    return value


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return value[:1000] if isinstance(value, str) else ""


def _number(values: Mapping[str, Any], name: str, otherwise: int = 0) -> int:
    value = values.get(name)
    return value if type(value) is int and abs(value) < 10**6 else otherwise


def _list(values: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = values.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _score(game: Mapping[str, Any]) -> tuple[int, int]:
    return max(0, _number(game, "scoreGreen")), max(0, _number(game, "scoreRed"))


def _date(text: str) -> str:
    """``Nov 2, 2025`` as 2025-11-02; other forms are left out."""
    try:
        return datetime.strptime(text.strip(), "%b %d, %Y").date().isoformat()
    except ValueError:
        return ""


def _builder(match: Mapping[str, Any], games: list[Mapping[str, Any]], rules: Rules) -> Builder:
    variation = _variation(games[0])
    rules = replace(
        rules,
        crawford=match.get("useCrawford") is not False,
        jacoby=match.get("useJacoby") is True,
        cube=match.get("useCube") is not False,
        variation=variation or "standard",
    )
    builder = Builder(max(0, _number(match, "matchlen")), rules)
    builder.name_players(_text(match, "nameGreen"), _text(match, "nameRed"))
    if variation is None:
        builder.warn("The first game begins with another position: it is read from the usual one")
    if len(games) < len(match.get("games", ())):
        builder.warn("Some games of this .bgf file are no objects")
    return builder


def _variation(game: Mapping[str, Any]) -> str | None:
    """The kind of backgammon that begins as a game does, if there is one."""
    initial = game.get("initial")
    points = initial.get("points") if isinstance(initial, dict) else None
    if not isinstance(points, list):
        return "standard"
    for variation in VARIATIONS:
        mine = start_position(variation)[0].tolist()
        # Green's 24-point comes first, and Red's checkers count below 0.
        if points[:24] == [mine[23 - i] - mine[i] for i in range(24)]:
            return variation
    return None


def _read_game(
    builder: Builder, index: int, game: Mapping[str, Any], after: tuple[int, int]
) -> None:
    """Read a game; ``after`` is the score that follows it."""
    builder.where = lambda: f"game {index + 1}"
    before = _score(game)
    if not builder.new_game(before, game.get("isCrawford") is True):
        return
    moves = _list(game, "moves")
    given = game.get("moves")
    if not isinstance(given, list) or len(moves) < len(given):
        builder.warn("Some moves of this game are missing")
    for number, move in enumerate(moves, start=1):
        builder.where = _place(index, number)
        _read_move(builder, move, moves[number:])
    gains = [after[0] - before[0], after[1] - before[1]]
    if max(gains) > 0:
        builder.win(gains.index(max(gains)), max(gains))


def _place(game: int, move: int) -> Callable[[], str]:
    """The place that warnings name."""
    return lambda: f"game {game + 1}, move {move}"


def _read_move(builder: Builder, move: Mapping[str, Any], later: list[Mapping[str, Any]]) -> None:
    kind, player = _text(move, "type"), _PLAYERS.get(_number(move, "player"))
    if not builder.is_playing:
        builder.warn("An action after the end of the game")
    elif player is None or kind not in ("amove", "adouble", "atake", "apass"):
        builder.warn(f"A move of an unknown kind: {kind[:20]!r}")
    elif kind == "adouble":
        builder.double(player)
    elif kind == "atake":
        builder.take()
    elif kind == "apass":
        builder.drop(player)
    elif dice := _dice(move):
        text = _play(move)
        if text == "????":
            builder.warn("A play that cannot be read")
        builder.play(player, dice, text)
    else:
        _cube_action(builder, player, later)


def _dice(move: Mapping[str, Any]) -> tuple[int, int] | None:
    """The dice of a play; None for a cube action, which some files write as a play with no dice."""
    dice = _number(move, "green"), _number(move, "red")
    return dice if all(1 <= die <= 6 for die in dice) else None


def _cube_action(builder: Builder, player: int, later: list[Mapping[str, Any]]) -> None:
    """A double, or its answer: a take where the game goes on."""
    if not builder.end.match.doubled:
        builder.double(player)
    elif any(_dice(move) for move in later):
        builder.take()
    else:
        builder.drop(player)


def _play(move: Mapping[str, Any]) -> str:
    """The text of a play, empty for a dance; ``????`` where it cannot be read."""
    lists = [move.get("from"), move.get("to")]
    if not all(isinstance(points, list) and len(points) <= 8 for points in lists):
        return "????"
    steps = []
    for start, end in zip(*lists, strict=False):
        if start == _NOTHING:
            break
        if type(start) is not int or type(end) is not int or not _OFF <= end < start <= _BAR:
            return "????"
        steps.append(f"{'bar' if start == _BAR else start}/{'off' if end == _OFF else end}")
    return " ".join(steps)


FORMAT = Format(
    looks_like=lambda data: _HEAD.match(data[:1000]) is not None,
    read=from_bgf,
)
