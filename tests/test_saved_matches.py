"""Records of matches as JSON: saved, read back, and checked when they are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.game.actions import (
    Accept,
    Action,
    Double,
    Drop,
    Move,
    Redouble,
    Reject,
    Resign,
    Roll,
    Setup,
    Take,
    from_json,
    to_json,
)
from gnubg_py.game.position import Rules, start_game
from gnubg_py.game.record import swapped
from gnubg_py.match import MatchState, Resignation
from gnubg_py.matchfiles.saved import as_json, from_json_value, load_match, save_match
from tests.random_matches import FEW, random_match

FIRST = start_game((1, 3), MatchState(match_length=7), Rules())
"""The first position of a match, after an opening 3-1 of player 1."""


@FEW
@given(st.integers(0, 10**6), st.sampled_from([0, 3]))
def test_a_record_survives_json(seed: int, length: int) -> None:
    record = random_match(seed, length, games=2)
    again = from_json_value(json.loads(json.dumps(as_json(record)))).record
    assert [game.actions for game in again.games] == [game.actions for game in record.games]
    assert again.games[-1].end.gnubg_id == record.games[-1].end.gnubg_id
    assert (again.players, again.rules, again.length) == (("Ann", "Bob"), record.rules, length)


@FEW
@given(st.integers(0, 10**6))
def test_players_who_change_seats_twice_sit_as_before(seed: int) -> None:
    record = random_match(seed, games=1)
    once = swapped(record)
    assert once.players == ("Bob", "Ann")
    assert from_json_value(as_json(once)).record.games[0].end.gnubg_id == once.games[0].end.gnubg_id
    assert as_json(swapped(once)) == as_json(record)


def test_every_action_survives_json() -> None:
    actions: list[Action] = [
        Roll(0, (6, 5)), Move(1, "bar/20*"), Double(0), Redouble(1), Take(0), Drop(1),
        Resign(0, Resignation.BACKGAMMON), Accept(1), Reject(0), Setup(1, FIRST.gnubg_id),
    ]  # fmt: skip
    for action in actions:
        assert from_json(json.loads(json.dumps(to_json(action)))) == action


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3, "should be an object"),
        ({}, "action None: should be one of roll"),
        ({"action": "roll"}, "should have action, player, dice"),
        ({"action": "roll", "player": 2, "dice": [3, 1]}, "player 2: should be 0 or 1"),
        ({"action": "roll", "player": True, "dice": [3, 1]}, "player True"),
        ({"action": "roll", "player": 1, "dice": [3, 9]}, "each die should be 1 to 6"),
        ({"action": "roll", "player": 1, "dice": "31"}, "should be two numbers"),
        ({"action": "move", "player": 1, "play": 5}, "should be a short text"),
        ({"action": "resign", "player": 1, "offer": 4}, "should be 1, 2 or 3"),
        ({"action": "take", "player": 1, "more": 4}, "should have action, player"),
    ],
)
def test_actions_are_checked_when_read(value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        from_json(value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "x"}, "not a match of this program"),
        ({"version": 9}, "version 9"),
        ({"length": -1}, "'length'"),
        ({"length": True}, "'length'"),
        ({"players": ["Ann"]}, "'players'"),
        ({"players": ["Ann", ""]}, "'players'"),
        ({"rules": {}}, "'rules' should have crawford"),
        ({"games": 5}, "'games' should be a list"),
        ({"games": [{}]}, "game 1: should have 'start'"),
        ({"games": [{"start": "x:y", "actions": []}]}, "game 1: Position ID"),
        ({"length": 5}, "game 1: it is of a match to 3, not to 5"),
    ],
)
def test_records_are_checked_when_read(change: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        from_json_value({**as_json(random_match(1, games=1)), **change})


def test_a_wrong_action_is_named_by_its_place() -> None:
    value = as_json(random_match(1, games=1))
    value["games"][0]["actions"].insert(0, {"action": "take", "player": 0})
    with pytest.raises(ValueError, match="game 1, action 1: The cube must have been offered"):
        from_json_value(value)


def test_files_that_are_no_match(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    cases = {b"\xff\xfe\x00": "not a text file", b"{": "not JSON", b"[" * 10**5: "not JSON"}
    for data, words in cases.items():
        path.write_bytes(data)
        with pytest.raises(ValueError, match=words):
            load_match(path)
    with pytest.raises(ValueError, match="no such file"):
        load_match(tmp_path / "none.json")
    with pytest.raises(ValueError, match="is a folder"):
        load_match(tmp_path)
    with pytest.raises(ValueError, match="is a folder"):
        save_match(random_match(1, games=1), tmp_path)
    with pytest.raises(ValueError, match="there is no folder"):
        save_match(random_match(1, games=1), tmp_path / "no" / "folder.json")
    with pytest.raises(ValueError, match="is no ordinary file"):
        save_match(random_match(1, games=1), Path("/dev/null"))


def test_saving_through_a_link_writes_what_it_points_to(tmp_path: Path) -> None:
    target, link = tmp_path / "match.json", tmp_path / "link.json"
    target.write_text("old")
    link.symlink_to(target)
    save_match(random_match(1, games=1), link)
    assert link.is_symlink()
    assert len(load_match(target).games) == 1


def test_saving_leaves_no_other_file(tmp_path: Path) -> None:
    save_match(random_match(2, games=2), tmp_path / "match.json")
    assert [path.name for path in tmp_path.iterdir()] == ["match.json"]
    assert len(load_match(tmp_path / "match.json").games) >= 1
