"""Matches on disk: our own JSON, every part of it checked when it is read back."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from gnubg_py.files import read_json, write_aside
from gnubg_py.game.actions import Action, from_json, to_json
from gnubg_py.game.position import Position, Rules, apply, position_of
from gnubg_py.game.record import GameRecord, MatchRecord
from gnubg_py.matchfiles.contents import LONGEST_NAME, clean_name
from gnubg_py.notation import from_gnubg_id

FORMAT = "gnubg_py match"
VERSION = 1


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all; ``ValueError`` where it cannot be."""
    write_aside(path, text.encode())


def save_match(record: MatchRecord, path: str | os.PathLike[str]) -> None:
    """Write a record as JSON."""
    write_text(Path(path), json.dumps(as_json(record), indent=1) + "\n")


def load_match(path: str | os.PathLike[str]) -> MatchRecord:
    """Read a record back; ``ValueError`` tells in one line what is wrong, and where."""
    path = Path(path)
    try:
        value = read_json(path)
    except ValueError as error:
        hint = "; `import mat' reads .mat files" if path.suffix.lower() == ".mat" else ""
        raise ValueError(f"{error}{hint}") from None
    try:
        return from_json_value(value)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def as_json(record: MatchRecord) -> dict[str, Any]:
    """A record as one JSON object."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "length": record.length,
        "players": list(record.players),
        "rules": asdict(record.rules),
        "games": [
            {"start": game.start.gnubg_id, "actions": [to_json(a) for a in game.actions]}
            for game in record.games
        ],
    }


def from_json_value(value: object) -> MatchRecord:
    """The record a JSON value tells, replayed and checked action by action."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise ValueError(f"not a match of this program: no 'format': {FORMAT!r}")
    if value.get("version") != VERSION:
        raise ValueError(f"version {value.get('version')!r}: only version {VERSION} can be read")
    length = value.get("length")
    if not (isinstance(length, int) and _is_int(length) and 0 <= length <= 64):
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
    return MatchRecord(length, names, rules, played)


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


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
        if not isinstance(value, dict) or set(value) != {"start", "actions"}:
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
    # What was agreed may have changed since, and what was played under it stands.
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
