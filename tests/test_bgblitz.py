"""BGBlitz's matches: plays, cube actions, packed files, and what is refused."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from gnubg_py.matchfiles.contents import MatchContents
from gnubg_py.matchfiles.mat import to_mat
from tests.match_samples import played, read_data, to_bgf
from tests.random_matches import random_match

BGF_HEAD = b'{"format":"BGF","version":"1.0","compress":false,"useSmile":false}\n'


def bgf(moves: list[dict[str, object]], **fields: object) -> MatchContents:
    """What is read of a game to 3 points between Ann, who is Green, and Bob."""
    match = {"matchlen": 3, "nameGreen": "Ann", "nameRed": "Bob", "finalGreen": 0, "finalRed": 0}
    game = {"scoreGreen": 0, "scoreRed": 0, "moves": moves}
    return read_data("bgf", BGF_HEAD + json.dumps(match | {"games": [game]} | fields).encode())


def bgf_play(player: int, dice: str, start: list[int], end: list[int]) -> dict[str, object]:
    lists = {"from": start + [-1] * (4 - len(start)), "to": end + [-1] * (4 - len(end))}
    return {"type": "amove", "player": player, "green": int(dice[0]), "red": int(dice[1])} | lists


FIRST_PLAYS = [
    bgf_play(-1, "42", [6, 8], [4, 4]),
    bgf_play(1, "66", [24, 24, 13, 13], [18, 18, 7, 7]),
]
PACKED = BGF_HEAD.replace(b'compress":false', b'compress":true')
SMILING = BGF_HEAD.replace(b'useSmile":false', b'useSmile":true')


def test_a_match_of_bgblitz() -> None:
    contents = bgf(FIRST_PLAYS, date="Nov 2, 2025", event="Club")
    assert not contents.warnings
    assert contents.record.players == ("Ann", "Bob")
    assert "1) 42: 8/4 6/4                 66: 24/18 24/18 13/7 13/7" in to_mat(contents.record)
    assert (contents.info.date, contents.info.event) == ("2025-11-02", "Club")


def test_cube_actions_of_bgblitz_may_be_plays_without_dice() -> None:
    """Some files have 7 on a die there; the game goes on after a take only."""
    cube = [bgf_play(1, "71", [], []), bgf_play(-1, "71", [], [])]
    taken = bgf([FIRST_PLAYS[0], *cube, FIRST_PLAYS[1]])
    assert "Doubles => 2\n  2)  Takes                      66: 24/18" in to_mat(taken.record)
    dropped = bgf([FIRST_PLAYS[0], *cube])
    assert dropped.record.games[0].end.match.score == (0, 1)
    named = [{"type": "adouble", "player": 1}, {"type": "apass", "player": -1}]
    assert played(bgf([FIRST_PLAYS[0], *named]).record) == played(dropped.record)


def test_a_packed_match_of_bgblitz() -> None:
    record = random_match(3, 5, games=2)
    contents = read_data("bgf", to_bgf(record, packed=True))
    assert played(contents.record) == played(record)
    assert contents.info.event == "Café"


def test_the_winner_of_a_game_of_bgblitz_follows_from_the_next_score() -> None:
    contents = bgf(FIRST_PLAYS, finalGreen=2)
    assert contents.record.games[0].end.match.score == (2, 0)
    assert not contents.warnings


@pytest.mark.parametrize(
    ("points", "variation", "warns"),
    [
        ([2, 0, 0, 0, 0, -5, 0, -3, 0, 0, 0, 5, -5, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, -2],
         "standard", 0),
        ([2, 2, 0, 0, 0, -4, 0, -3, 0, 0, 0, 4, -4, 0, 0, 0, 3, 0, 4, 0, 0, 0, -2, -2],
         "nackgammon", 0),
        ([9] * 24, "standard", 1),
        ("abc", "standard", 0),
    ],
)  # fmt: skip
def test_the_first_position_of_bgblitz_tells_the_kind_of_game(
    points: object, variation: str, warns: int
) -> None:
    game = {"scoreGreen": 0, "scoreRed": 0, "moves": [], "initial": {"points": points}}
    contents = bgf([], games=[game])
    assert contents.record.rules.variation == variation
    assert len(contents.warnings) == warns


@pytest.mark.parametrize(
    ("move", "warning"),
    [
        ({"type": "chat", "player": 1}, "A move of an unknown kind: 'chat' (game 1, move 2)"),
        ({"type": "amove", "player": 3}, "A move of an unknown kind"),
        (bgf_play(1, "66", [5], [0]), "Invalid move"),
        (bgf_play(1, "66", [99], [0]), "A play that cannot be read"),
        ({"type": "atake", "player": 1}, "Take record found but doesn't follow a double"),
    ],
)
def test_an_odd_move_of_bgblitz_is_not_dropped_without_a_word(
    move: dict[str, object], warning: str
) -> None:
    assert warning in "\n".join(bgf([FIRST_PLAYS[0], move]).warnings)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{}", "it should begin with a line like"),
        (BGF_HEAD + b"[]", "the match of this .bgf file is no object"),
        (BGF_HEAD + b"{", "the match of this .bgf file is no JSON"),
        (BGF_HEAD + b"{}", "no games in this .bgf file"),
        (BGF_HEAD + b"[" * 100_000, "is no JSON"),
        (
            PACKED + b"{}",
            "the packed part of this .bgf file is damaged",
        ),
        (SMILING + b"{}", "no Smile: it should begin with"),
        (SMILING + b":)\n\x03\xfa\x80a", "end too early"),
        (SMILING + b":)\n\x03" + b"\xf8" * 900, "60 deep"),
        (SMILING + b":)\n\x03\x05", "that is not there"),
        (SMILING + b":)\n\x03\x41\xff\xff", "no UTF-8"),
    ],
)
def test_what_is_no_match_of_bgblitz_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        read_data("bgf", data)


def test_a_bgblitz_file_that_unpacks_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="too large, or cut off"):
        read_data("bgf", PACKED + gzip.compress(b" " * (65 << 20)))
