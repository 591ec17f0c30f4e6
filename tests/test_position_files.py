"""Files of one position: Snowie's line of text, and Jellyfish's .pos."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.matchfiles.pos import from_pos, to_pos
from gnubg_py.matchfiles.snowietxt import from_snowietxt, to_position_line
from tests.random_matches import FEW, random_match

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


JELLYFISH = bytes.fromhex(
    "7e000000000001000100010004000200020000000000000001000200070007000200040005676e75626704726f6f74"
    "00000100000000050002001500150016001600" + "14001400" * 4 + "0f000f00140014001100110014001400"
    "14001400" + "14001400" * 2 + "11001100" + "14001400" * 5 + "19001900" + "14001400" * 4
    + "1200120012001200"
)  # fmt: skip
"""gnubg wrote it: player 1 owns the cube at 4 and has rolled 52 at 2-4 in a match to 7 points."""


def test_a_position_of_jellyfishs() -> None:
    contents = from_pos(JELLYFISH)
    start = contents.record.games[0].start
    assert contents.record.players == ("gnubg", "root")
    assert start.gnubg_id.startswith("4HNwAGzgAwCwAA:UonqACAAIAAA")
    assert to_pos(start, contents.record.players) == JELLYFISH


@FEW
@given(st.integers(0, 10**6), st.sampled_from([0, 3]), st.integers(0, 40))
def test_a_position_survives_jellyfishs_file(seed: int, length: int, place: int) -> None:
    record = random_match(seed, length, games=1)
    positions = [p for p in record.games[0].positions[:-1] if not p.match.doubled]
    position = positions[place % len(positions)]
    again = from_pos(to_pos(position, record.players)).record
    assert again.players == record.players
    assert again.games[0].start.gnubg_id == position.gnubg_id


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x7d" + JELLYFISH[1:], "begin with the number 126"),
        (JELLYFISH[:30], "ends too early"),
        (JELLYFISH[:-2], "ends too early"),
        (JELLYFISH[:36] + b"\xff" + JELLYFISH[37:], "ends too early"),
        (JELLYFISH[:16] + b"\x09" + JELLYFISH[17:], "state 9"),
        (JELLYFISH[:-4] + b"\x30" + JELLYFISH[-3:], "too many checkers"),
    ],
)
def test_what_is_no_position_of_jellyfishs_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        from_pos(data)
