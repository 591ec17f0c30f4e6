"""Position ID, Match ID, GNUbg ID, XGID and the simple form: known values, round trips, faults."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.board import START, Board, Boards, check_board, parse, swap
from gnubg_py.cube.state import cube_of
from gnubg_py.match import (
    CENTRED,
    MONEY,
    GameState,
    MatchState,
    Resignation,
    away,
    is_beaver,
    is_post_crawford,
    is_raccoon,
)
from gnubg_py.notation import (
    from_gnubg_id,
    from_match_id,
    from_position_id,
    from_position_ids,
    from_simple,
    from_xgid,
    gnubg_id,
    match_id,
    parse_position,
    position_id,
    position_ids,
    simple,
    xgid,
)

ON_THE_BAR = parse("x bar:1 24:1 13:5 8:3 6:5 / o bar:2 22:1 13:5 8:3 6:4")


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Any possible position: up to 15 checkers a side, no point held by both."""
    board = np.zeros((2, 25), dtype=np.int8)
    for row in (0, 1):
        for place in draw(st.lists(st.integers(0, 24), min_size=row, max_size=15)):
            if place == 24 or board[1 - row, 23 - place] == 0:
                board[row, place] += 1
    if not board.any():
        board[0, 24] = 1
    check_board(board)
    return board


@st.composite
def states(draw: st.DrawFn) -> MatchState:
    length = draw(st.integers(0, 25))
    low = st.integers(0, length - 1 if length else 99)
    score = (draw(low), draw(low))
    move = draw(st.integers(0, 1))
    dice = (draw(st.integers(1, 6)), draw(st.integers(1, 6)))
    return MatchState(
        cube_value=2 ** draw(st.integers(0, 15)),
        cube_owner=draw(st.sampled_from((CENTRED, 0, 1))),
        move=move,
        turn=move,
        crawford=length > 0 and max(score) == length - 1 and draw(st.booleans()),
        dice=draw(st.sampled_from((dice, (0, 0)))),
        match_length=length,
        score=score,
        jacoby=length == 0 and draw(st.booleans()),
    )


# Known values: each pair was printed by gnubg 1.07.
def test_position_ids_gnubg_printed() -> None:
    assert position_id(START) == "4HPwATDgc/ABMA"
    assert position_id(ON_THE_BAR) == "4Dn4AGLgc/ABUA"
    assert position_id(parse("x 6:8 / o 23:6")) == "AADAD/APAAAAAA"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("cIkKAAAAAAAE", MatchState(dice=(5, 2))),
        ("cIkKAAAAAAAA", MatchState(dice=(5, 2), jacoby=True)),
        ("MAHlAAAAAAAE", MatchState(match_length=7, dice=(2, 1), move=0, turn=0)),
        ("8AmvAEAAGAAE", MatchState(match_length=5, score=(4, 3), crawford=True, dice=(6, 3))),
        ("QQngACAAGAAE", MatchState(match_length=7, score=(2, 3), cube_value=2, cube_owner=0)),
        ("cBEAAAAAAAAA", MatchState(turn=0, doubled=True, jacoby=True)),
        ("QRkAAAAAAAAA", MatchState(cube_value=2, cube_owner=0, doubled=True, jacoby=True)),
        (
            "MGlgABAAAAAE",
            MatchState(
                move=0, turn=1, resigned=Resignation.BACKGAMMON, match_length=3, score=(1, 0)
            ),
        ),
        (
            "MAIAAAAACAAA",
            MatchState(move=0, turn=0, game_state=GameState.OVER, score=(0, 1), jacoby=True),
        ),
    ],
)
def test_match_ids_gnubg_printed(text: str, state: MatchState) -> None:
    assert match_id(state) == text
    assert from_match_id(text) == state


@pytest.mark.parametrize(
    ("fields", "gnubg"),
    [
        (":1:1:1:00:2:3:0:5:10", "4HPwATDgc/AAGA:UQmgADAAEAAE"),
        (":0:0:1:52:4:3:1:5:10", "4HPwATDgc/AAGA:8ImqADAAIAAE"),
        (":0:0:1:52:0:0:1:0:10", "4HPwATDgc/AAGA:cIkKAAAAAAAA"),
        (":0:0:1:52:0:0:0:0:10", "4HPwATDgc/AAGA:cIkKAAAAAAAE"),
        (":1:0:1:52:2:0:0:5:10", "4HPwATDgc/AAGA:cYmqAAAAEAAE"),
    ],
)
def test_xgids_gnubg_understood_alike(fields: str, gnubg: str) -> None:
    text = "XGID=-b----E-C---eD---c-e----B-" + fields
    assert gnubg_id(*from_xgid(text)) == gnubg
    assert xgid(*from_gnubg_id(gnubg)) == text


def test_xgid_of_the_top_player_keeps_the_letters_and_turns_the_board() -> None:
    bottom, _ = from_xgid("XGID=-b----E-C---eD---c-e----B-:0:0:1:00:0:0:0:0:10")
    top, state = from_xgid("XGID=-b----E-C---eD---c-e----B-:0:0:-1:00:0:0:0:0:10")
    assert state.move == 0
    assert (top == swap(bottom)).all()


def test_xgid_of_double_beaver_and_raccoon() -> None:
    start = "XGID=-b----E-C---eE---c-e----B-"
    _, double = from_xgid(f"{start}:0:0:1:D:0:0:3:0:10")
    assert (double.doubled, double.move, double.turn) == (True, 1, 0)
    _, beaver = from_xgid(f"{start}:1:-1:1:B:0:0:3:0:10")
    assert (is_beaver(beaver), is_raccoon(beaver)) == (True, False)
    _, raccoon = from_xgid(f"{start}:2:-1:1:R:0:0:3:0:10")
    assert (is_beaver(raccoon), is_raccoon(raccoon)) == (False, True)
    for state, field in ((double, "D"), (beaver, "B"), (raccoon, "R")):
        assert xgid(START, state).split(":")[4] == field


def test_simple_form_is_from_the_side_on_roll() -> None:
    text = "1 0 0 -1 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -4 0 0 0 0 1 2"
    assert (from_simple(text) == ON_THE_BAR).all()
    assert simple(ON_THE_BAR) == text
    assert (from_simple("simple " + text[:-1] + "-2") == ON_THE_BAR).all()


def test_all_forms_name_one_position() -> None:
    state = MatchState(match_length=7, dice=(3, 1))
    for text in (gnubg_id(START, state), xgid(START, state), xgid(START, state)[5:]):
        board, told = parse_position(f" {text}\n")
        assert (board == START).all()
        assert told == state
    for text in ("4HPwATDgc/ABMA", simple(START), "x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5"):
        board, told = parse_position(text)
        assert (board == START).all()
        assert told == MONEY


# Round trips.
@given(boards())
def test_position_id_and_simple_round_trip(board: Board) -> None:
    assert (from_position_id(position_id(board)) == board).all()
    assert (from_simple(simple(board)) == board).all()


def test_position_ids_round_trip_in_random_play(
    random_positions: Callable[[int, int], Boards],
) -> None:
    positions = random_positions(2000, 3)
    ids = position_ids(positions)
    assert (from_position_ids(ids) == positions).all()
    assert ids[17] == position_id(positions[17])
    assert len(set(ids)) == len(np.unique(positions, axis=0))


def test_no_positions_have_no_ids() -> None:
    assert position_ids(np.zeros((0, 2, 25), np.int8)) == []
    assert from_position_ids([]).shape == (0, 2, 25)


@given(boards(), states())
def test_match_id_and_xgid_round_trip(board: Board, state: MatchState) -> None:
    assert from_match_id(match_id(state)) == state
    for text in (gnubg_id(board, state), xgid(board, state)):
        back, told = parse_position(text)
        assert (back == board).all()
        assert told == state


@given(st.text("ABCDwxyz059+/", min_size=14, max_size=14))
def test_a_position_id_is_refused_or_is_the_only_one(text: str) -> None:
    try:
        board = from_position_id(text)
    except ValueError:
        return
    assert position_id(board) == text


# The match state itself.
def test_away_is_from_the_side_on_roll() -> None:
    state = MatchState(match_length=7, score=(3, 2), move=0)
    assert away(state) == (4, 5)
    assert away(MONEY) is None


def test_post_crawford_is_one_away_and_not_crawford() -> None:
    assert is_post_crawford(MatchState(match_length=5, score=(4, 2)))
    assert not is_post_crawford(MatchState(match_length=5, score=(4, 2), crawford=True))
    assert not is_post_crawford(MatchState(match_length=1))
    assert not is_post_crawford(MONEY)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"cube_value": 3}, "cube value 3: a power of two from 1 to 32768"),
        ({"cube_owner": 2}, "cube owner 2: player 0, player 1, or -1 for a centred cube"),
        ({"move": 2}, "move is player 2: the players are 0 and 1"),
        ({"dice": (0, 7)}, "dice 0 and 7: two numbers from 1 to 6, or 0 and 0 before the roll"),
        ({"dice": (0, 3)}, "dice 0 and 3: two numbers from 1 to 6, or 0 and 0 before the roll"),
        ({"score": (7, 0), "match_length": 7}, "score 7 in a match to 7: the match is over"),
        ({"score": (-1, 0)}, "score (-1, 0): two numbers from 0 to 32767"),
        ({"match_length": -1}, "match length -1: 0 (money) to 32767"),
        ({"crawford": True}, "a money session has no Crawford game"),
        (
            {"crawford": True, "match_length": 7},
            "Crawford game at 0-0 in a match to 7: nobody is one point from winning",
        ),
        ({"game_state": 5}, "game state 5: 0 to 4"),
        ({"resigned": 4}, "resignation 4: 0 to 3"),
    ],
)
def test_impossible_match_states(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        MatchState(**fields)  # type: ignore[arg-type]
    assert str(error.value) == message


# Bad input: one line that names the fault and the field.
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4HPwATDgc/ABM", "Position ID '4HPwATDgc/ABM': 13 characters, should be 14"),
        ("4HPwATDgc/AB!A", "'!' (character 13) is not one of A-Z a-z 0-9 + /"),
        ("//////////////", "o has 84 checkers: at most 15 a side"),
        ("4HPwATDgc/ABMB", "bits are left over after the last bar"),
        ("AAAAAAAAAAAAAA", "both sides have borne off all their checkers"),
        ("4HPwATDgc/ABMA:cAkKAAAAAAA", "Match ID 'cAkKAAAAAAA': 11 characters, should be 12"),
        ("4HPwATDgc/ABMA:cAkKAAAAAA_E", "'_' (character 11)"),
        ("4HPwATDgc/ABMA:YAkAAAAAAAAE", "cube owner bits 10"),
        ("4HPwATDgc/ABMA:cAkDAAAAAAAE", "dice 6 and 0: two numbers from 1 to 6"),
        ("4HPwATDgc/ABMA:cAkAAAAAAAD/", "the five bits after the Jacoby flag should be 0"),
        ("4HPwATDgc/ABMA:cA8AAAAAAAAE", "game state 7: 0 to 4"),
        ("x 6:5 / o 19:5", "both sides hold a point: x on its 6-point, o on its 19-point"),
        ("x 6:9 5:7 / o 6:5", "x has 16 checkers: at most 15 a side"),
        ("1 2 3", "simple form: 3 numbers, should be 26"),
        ("simple 0 -2 0", "simple form: 3 numbers, should be 26"),
        ("-1" + " 0" * 25, "number 1, the bar of the side on roll, is -1"),
        ("0 16" + " 0" * 24, "number 2 is '16', should be -15 to 15"),
        ("0 9 9" + " 0" * 23, "x has 18 checkers: at most 15 a side"),
        ("hello there", "expected a Position ID, a GNUbg ID, an XGID"),
        ("", "expected a Position ID"),
    ],
)
def test_bad_positions(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        parse_position(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("position", "fields", "message"),
    [
        ("", ":0:0:1:31:0:0:0:7", "XGID: 9 fields, should be 10"),
        ("", ":0:0:1:07:0:0:0:7:10", "dice '07': two digits from 1 to 6, 00, D, B or R"),
        ("", ":0:0:1:3:0:0:0:7:10", "dice '3'"),
        ("", ":16:0:1:31:0:0:0:7:10", "cube '16': should be 0 to 15"),
        ("", ":0:2:1:31:0:0:0:7:10", "cube owner '2': should be 1 or -1 or 0"),
        ("", ":0:0:0:31:0:0:0:7:10", "turn '0': should be 1 or -1"),
        ("", ":0:0:1:31:x:0:0:7:10", "score of X 'x'"),
        ("", ":0:0:1:31:0:-1:0:7:10", "score of O '-1'"),
        ("", ":0:0:1:31:7:0:0:7:10", "score 7 in a match to 7: the match is over"),
        ("", ":0:0:1:31:0:0:1:7:10", "nobody is one point from winning"),
        ("", ":0:0:1:31:0:0:2:7:10", "Crawford/Jacoby '2': should be 0 to 1"),
        ("", ":0:0:1:31:0:0:4:0:10", "Crawford/Jacoby '4': should be 0 to 3"),
        ("", ":0:0:1:31:0:0:0::10", "match length ''"),
        ("", ":0:0:1:31:0:0:0:7:99", "max cube '99': should be 0 to 15"),
        ("", ":0:0:1:B:0:0:3:0:10", "the cube belongs to the side that was doubled"),
        ("-b----E-C---eE---c-e----B", ":0:0:1:31:0:0:0:7:10", "25 characters, should be 26"),
        ("-b----E-C---eE---c-e----B?", ":0:0:1:31:0:0:0:7:10", "'?' (character 26)"),
        ("-b----E-C---eE---c-e----P-", ":0:0:1:31:0:0:0:7:10", "'P' (character 25)"),
        ("-b----O-C---eE---c-e----B-", ":0:0:1:31:0:0:0:7:10", "x has 25 checkers"),
        ("Ab----E-C---eE---c-e------", ":0:0:1:31:0:0:0:7:10", "the other side's bar"),
    ],
)
def test_bad_xgids(position: str, fields: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        from_xgid(f"XGID={position or '-b----E-C---eE---c-e----B-'}{fields}")
    assert "\n" not in str(error.value)


def test_what_an_xgid_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="no resignation offered"):
        xgid(START, MatchState(turn=0, resigned=Resignation.GAMMON))


def test_an_xgid_says_whether_beavers_are_allowed() -> None:
    text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:3:0:10"
    board, state = from_xgid(text)
    assert (state.jacoby, state.beavers) == (True, True)
    assert xgid(board, state) == text
    assert cube_of(state).beavers
    with pytest.raises(ValueError, match="beavers in a match"):
        MatchState(match_length=5, beavers=True)
