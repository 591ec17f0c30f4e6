"""Formats of other programs: FIBS's old moves, Snowie's text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.game.position import Rules
from gnubg_py.matchfiles.mat import to_mat
from gnubg_py.matchfiles.oldmoves import from_oldmoves
from gnubg_py.matchfiles.registry import TITLES, format_named, read_match
from gnubg_py.matchfiles.snowietxt import from_snowietxt, to_position_line
from tests.random_matches import FEW, random_match

OLD_MOVES = """\
Score is 0-0 in a 3 point match.
Ann is X - Bob is O
X: (3 1) 8-5 6-5
O: (6 2) 24-18 13-11
X: (5 5) 8-3 8-3 6-1 6-1
O: (4 4) can't move
X: (3 1) 13-10 6-5
O: doubles
X: accepts
O: (6 4) bar-24 24-18
O: (2 1) bar-23 24-23
X: wins 2 points

Score is 2-0 in a 3 point match.
Ann is X - Bob is O
O: (4 2) 8-4 6-4
X: rejects
"""


def test_old_moves() -> None:
    contents = from_oldmoves(OLD_MOVES)
    record = contents.record
    assert (record.length, record.players) == (3, ("Ann", "Bob"))
    assert [game.end.match.score for game in record.games] == [(2, 0), (2, 1)]
    assert record.games[1].start.match.crawford
    assert "1) 31: 8/5 6/5                 62: 24/18 13/11" in to_mat(record)
    assert "(line 10)" in "\n".join(contents.warnings)


def test_old_moves_of_a_session() -> None:
    text = OLD_MOVES.replace("a 3 point match", "unlimited match", 1).replace(
        "in unlimited", "in an unlimited"
    )
    assert from_oldmoves(text).record.length == 0


POSITION = (
    "5;0;0;0;1;root;gnubg;0;1;4;1;0;-1;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-4;0;0;0;0;2;0;6;2;\n"
)
"""gnubg wrote it for the position with the Match ID cAmgAEAACAAE, 62 on the dice added."""


def test_a_position_of_snowies() -> None:
    contents = from_snowietxt(POSITION)
    start = contents.record.games[0].start
    assert contents.record.players == ("gnubg", "root")
    assert start.gnubg_id.startswith("4Dn4AFjgc/ABMA:")
    assert (start.match.dice, start.match.score, start.match.move) == ((6, 2), (4, 1), 1)
    assert to_position_line(start, contents.record.players) == POSITION


@FEW
@given(st.integers(0, 10**6), st.sampled_from([0, 3]), st.integers(0, 40))
def test_a_position_survives_snowies_line(seed: int, length: int, place: int) -> None:
    record = random_match(seed, length, games=1)
    positions = [p for p in record.games[0].positions[:-1] if not p.match.doubled]
    position = positions[place % len(positions)]
    again = from_snowietxt(to_position_line(position, record.players)).record
    assert again.players == record.players
    assert (again.games[0].start.board == position.board).all()
    assert again.games[0].start.match.score == position.match.score


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("5;0;0;0;1", "5;0;0;0;7", "tell a player"),
        ("-5;5;", "-5;x;", "field 26 is 'x'"),
        ("-5;5;", "-5;99;", "more than 15 checkers"),
        (";6;2;", ";", "39 fields"),
        (";6;2;", ";6;9;", "dice 6 and 9"),
        (";4;1;0;", ";4;3;0;", "cube value 3"),
    ],
)
def test_what_is_no_position_of_snowies_is_refused(old: str, new: str, words: str) -> None:
    assert old in POSITION
    with pytest.raises(ValueError, match=words):
        from_snowietxt(POSITION.replace(old, new, 1))


SAMPLES = {
    "oldmoves": OLD_MOVES,
    "snowietxt": POSITION,
    "mat": to_mat(random_match(1, 3, games=1)),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_is_known_by_its_contents(name: str, tmp_path: Path) -> None:
    path = tmp_path / "match"
    path.write_text(SAMPLES[name])
    data = path.read_bytes()
    likely = [other for other in TITLES if format_named(other).looks_like(data)]
    assert likely[0] == name
    assert read_match(path, Rules()).record.games


def test_a_file_of_no_format_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "match"
    path.write_text("hello\nworld\n")
    with pytest.raises(ValueError, match="a match file of no known format"):
        read_match(path)
