"""The program's own format: a match as JSON, with analysis and comments, checked when read."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from gnubg_py.files import parse_json, read_text, write_aside
from gnubg_py.game.actions import Action, from_json, to_json
from gnubg_py.game.position import Position, Rules, apply, position_of
from gnubg_py.game.record import GameRecord, MatchRecord
from gnubg_py.matchfiles.contents import (
    LONGEST_NAME,
    MatchContents,
    MatchInfo,
    clean_name,
    clean_text,
)
from gnubg_py.matchfiles.formats import Format, text_of
from gnubg_py.matchfiles.saved_analysis import Said, read_said, said_as_json
from gnubg_py.notation import from_gnubg_id
from gnubg_py.typed import from_object, is_whole

_NAME = "gnubg_py match"
_VERSION = 1


def write_text(path: Path, text: str) -> None:
    """Write a file completely or not at all; ``ValueError`` if it cannot be written."""
    write_aside(path, text.encode())


def save_match(contents: MatchContents | MatchRecord, path: str | os.PathLike[str]) -> None:
    """Write a match as JSON."""
    if isinstance(contents, MatchRecord):
        contents = MatchContents(contents)
    write_text(Path(path), to_saved(contents))


def to_saved(contents: MatchContents) -> str:
    """A match as JSON text."""
    return json.dumps(as_json(contents), indent=1) + "\n"


def from_saved(text: str, rules: Rules | None = None) -> MatchContents:
    """Read JSON text; ``ValueError`` says in one line what is wrong, and where."""
    try:
        value = parse_json(text)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None
    return from_json_value(value)


def load_match(path: str | os.PathLike[str]) -> MatchRecord:
    """Read a record back; ``ValueError`` says in one line what is wrong, and where."""
    path = Path(path)
    text = read_text(path)
    try:
        return from_saved(text).record
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def as_json(contents: MatchContents | MatchRecord) -> dict[str, Any]:
    """A match as one JSON object."""
    if isinstance(contents, MatchRecord):
        contents = MatchContents(contents)
    record = contents.record
    value: dict[str, Any] = {
        "format": _NAME,
        "version": _VERSION,
        "length": record.length,
        "players": list(record.players),
        "rules": asdict(record.rules),
    }
    if contents.info != MatchInfo():
        value["info"] = asdict(contents.info)
    value["games"] = [_game_as_json(contents, i) for i in range(len(record.games))]
    return value


def _game_as_json(contents: MatchContents, number: int) -> dict[str, Any]:
    game = contents.record.games[number]
    value: dict[str, Any] = {"start": game.start.gnubg_id}
    value["actions"] = [to_json(action) for action in game.actions]
    if said := said_as_json(contents, number):
        value["said"] = said
    return value


def from_json_value(value: object) -> MatchContents:
    """The match in a JSON value, replayed and checked action by action."""
    if not isinstance(value, dict) or value.get("format") != _NAME:
        raise ValueError(f"not a match of this program: no 'format': {_NAME!r}")
    if value.get("version") != _VERSION:
        raise ValueError(f"version {value.get('version')!r}: only version {_VERSION} can be read")
    length = value.get("length")
    if not (is_whole(length) and 0 <= length <= 64):
        raise ValueError("'length' should be a whole number from 0 (money) to 64")
    players = value.get("players")
    if not (isinstance(players, list) and len(players) == 2 and all(map(_is_name, players))):
        raise ValueError(f"'players' should be two names of 1 to {LONGEST_NAME} characters")
    rules = _rules(value.get("rules"))
    games = value.get("games")
    if not isinstance(games, list):
        raise ValueError("'games' should be a list")
    played = tuple(_game(game, i, length, rules) for i, game in enumerate(games, start=1))
    names = (clean_name(players[0], "player 0"), clean_name(players[1], "player 1"))
    record = MatchRecord(length, names, rules, played)
    said = _said(games, played)
    info = _info(value.get("info"))
    told = said.analysis, said.comments, info, said.skills, said.lucks, said.rollouts
    return MatchContents(record, (), *told)


def _info(value: object) -> MatchInfo:
    if value is None:
        return MatchInfo()
    try:
        info = from_object(MatchInfo, value)
    except ValueError as error:
        raise ValueError(f"'info': {error}") from None
    texts = {
        item.name: clean_text(getattr(info, item.name))
        if item.name == "comment"
        else clean_name(getattr(info, item.name))
        for item in fields(MatchInfo)
        if item.name != "ratings"
    }
    return replace(
        info, **texts, ratings=(clean_name(info.ratings[0]), clean_name(info.ratings[1]))
    )


def _said(games: list[Any], played: tuple[GameRecord, ...]) -> Said:
    said = Said()
    for number, (value, game) in enumerate(zip(games, played, strict=True)):
        try:
            read_said(said, value.get("said", []), number, game)
        except ValueError as error:
            raise ValueError(f"game {number + 1}: {error}") from None
    return said


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME


def _rules(value: object) -> Rules:
    names = {item.name: item.type for item in fields(Rules)}
    if not isinstance(value, dict) or set(value) != set(names):
        raise ValueError(f"'rules' should have {', '.join(names)}")
    for name, kind in names.items():
        if type(value[name]).__name__ != kind:
            raise ValueError(f"'rules': {name} should be of type {kind}")
    return Rules(**value)


def _game(value: object, number: int, length: int, rules: Rules) -> GameRecord:
    try:
        if not isinstance(value, dict) or set(value) - {"said"} != {"start", "actions"}:
            raise ValueError("should have 'start' and 'actions'")
        if not isinstance(value["start"], str) or not isinstance(value["actions"], list):
            raise ValueError("'start' should be a text, 'actions' a list")
        start = position_of(*from_gnubg_id(value["start"]))
        if start.match.match_length != length:
            raise ValueError(f"it is of a match to {start.match.match_length}, not to {length}")
    except ValueError as error:
        raise ValueError(f"game {number}: {error}") from None
    return _replayed(start, value["actions"], number, rules)


def _replayed(start: Position, actions: list[object], number: int, rules: Rules) -> GameRecord:
    # The rules may have been changed during the match; what was played before stays valid.
    rules = replace(rules, beavers=12, cube=True)
    positions: list[Position] = [start]
    played: list[Action] = []
    for place, entry in enumerate(actions, start=1):
        try:
            action = from_json(entry)
            positions.append(apply(positions[-1], action, rules))
        except ValueError as error:
            raise ValueError(f"game {number}, action {place}: {error}") from None
        played.append(action)
    return GameRecord(start, tuple(played), tuple(positions))


FORMAT = Format(
    looks_like=lambda data: data.lstrip().startswith(b"{") and b"gnubg_py match" in data[:4000],
    read=lambda data, rules: from_saved(text_of(data), rules),
    write=to_saved,
)
