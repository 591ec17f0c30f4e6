"""Games and matches: what actions do, how games are scored, records on disk and as .mat."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnubg_py.board import check_board, parse
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
from gnubg_py.game.mat import from_mat, to_mat
from gnubg_py.game.position import (
    Position,
    Rules,
    apply,
    is_playing,
    move_of,
    next_game,
    position_of,
    start_game,
)
from gnubg_py.game.record import (
    MatchRecord,
    result,
    swapped,
    with_action,
    with_new_game,
)
from gnubg_py.game.storage import as_json, from_json_value, load_match, save_match
from gnubg_py.match import CENTRED, NO_DICE, GameState, MatchState, Resignation
from gnubg_py.plays import plays

MATCH = Rules()
# Each example is a match of a hundred plays or more.
FEW = settings(max_examples=15)


def opening(player: int = 1, length: int = 7, rules: Rules = MATCH) -> Position:
    """The first position of a match, ``player`` having won the opening roll with 3-1."""
    dice = (1, 3) if player == 1 else (3, 1)
    return start_game(dice, MatchState(match_length=length), rules)


def after(position: Position, *actions: Action, rules: Rules = MATCH) -> Position:
    """The position after some actions."""
    for action in actions:
        position = apply(position, action, rules)
    return position


def money(**changes: object) -> Position:
    """A money game before player 1's first roll."""
    match = replace(opening(length=0).match, dice=NO_DICE, **changes)  # type: ignore[arg-type]
    return replace(opening(length=0), match=match)


def set_up(text: str, **changes: object) -> Position:
    """A position of ``x`` (player 1, on roll) against ``o``."""
    return position_of(parse(text), MatchState(**changes))  # type: ignore[arg-type]


def test_the_winner_of_the_opening_roll_plays_it() -> None:
    assert opening(0).match.move == 0
    assert opening(1).match.dice == (3, 1)
    with pytest.raises(ValueError, match="roll again"):
        start_game((2, 2), MatchState(), MATCH)


def test_a_play_puts_the_other_side_on_roll() -> None:
    position = after(opening(), Move(1, "8/5 6/5"))
    assert (position.match.move, position.match.turn, position.match.dice) == (0, 0, NO_DICE)
    assert position.board[1, 4] == 2


@pytest.mark.parametrize(
    ("position", "action", "words"),
    [
        (opening(), Roll(1, (2, 1)), "You have already rolled the dice."),
        (opening(), Double(1), "You can't double after rolling the dice"),
        (opening(), Take(1), "The cube must have been offered before you can take it."),
        (opening(), Accept(1), "You can only accept if the cube or a resignation"),
        (opening(), Reject(1), "You can only reject if the cube or a resignation"),
        (opening(), Move(1, "8/3"), "8/3 is 5 pips"),
        (money(), Move(1, "8/5 6/5"), "You must roll the dice before you can move."),
        (money(), Roll(0, (2, 1)), "It is not player 0's turn."),
        (money(cube_owner=0, cube_value=2), Double(1), "You do not own the cube."),
        (money(cube_value=4096, cube_owner=1), Double(1), "you can't double any more."),
        (set_up("x 6:2 / o 6:2", match_length=3, score=(0, 2)), Double(1), "The cube is dead"),
        (
            set_up("x 6:2 / o 6:2", match_length=3, score=(2, 0), crawford=True),
            Double(1),
            "Crawford rule",
        ),
    ],
)
def test_what_the_rules_forbid(position: Position, action: Action, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        apply(position, action, MATCH)


def test_a_double_is_taken_and_belongs_to_the_taker() -> None:
    doubled = after(money(), Double(1))
    assert (doubled.match.doubled, doubled.match.turn, doubled.match.cube_value) == (True, 0, 1)
    taken = after(doubled, Take(0))
    assert (taken.match.cube_value, taken.match.cube_owner, taken.match.turn) == (2, 0, 1)


def test_a_double_refused_costs_the_cube_before_it_was_turned() -> None:
    position = after(money(cube_value=4, cube_owner=1), Double(1), Drop(0))
    assert position.match.score == (0, 4)
    assert position.match.game_state == GameState.DROPPED


def test_beavers_and_raccoons_turn_the_cube_and_the_beaverer_keeps_it() -> None:
    beaver = after(money(), Double(1), Redouble(0))
    assert (beaver.match.cube_value, beaver.match.turn) == (2, 1)
    assert (after(beaver, Drop(1)).match.score) == (2, 0)
    taken = after(beaver, Take(1))
    assert (taken.match.cube_value, taken.match.cube_owner) == (4, 0)
    raccoon = after(beaver, Redouble(1), Take(0))
    assert (raccoon.match.cube_value, raccoon.match.cube_owner) == (8, 0)


@pytest.mark.parametrize(
    ("rules", "words"), [(Rules(beavers=0), "disabled"), (Rules(beavers=1), "Only 1 beavers")]
)
def test_beavers_are_limited(rules: Rules, words: str) -> None:
    position = after(money(), Double(1), rules=rules)
    with pytest.raises(ValueError, match=words):
        after(position, Redouble(0), Redouble(1), rules=rules)


def test_no_beavers_in_a_match() -> None:
    position = set_up("x 6:2 / o 6:2", match_length=5)
    with pytest.raises(ValueError, match="not permitted during match play"):
        after(position, Double(1), Redouble(0))


def test_without_the_cube_nobody_doubles() -> None:
    with pytest.raises(ValueError, match="disabled"):
        apply(money(), Double(1), Rules(cube=False))


@pytest.mark.parametrize(
    ("loser", "points"),
    [("13:5 8:3 6:7", 2), ("23:1 13:14", 3), ("bar:1 6:14", 3), ("19:1 6:14", 3), ("6:14", 1)],
)
def test_gammons_and_backgammons(loser: str, points: int) -> None:
    won = set_up(f"x 1:1 / o {loser}", match_length=7)
    end = after(won, Roll(1, (2, 1)), Move(1, "1/off"))
    assert end.match.score == (0, points)
    assert end.match.game_state == GameState.OVER


@pytest.mark.parametrize(("owner", "value", "points"), [(CENTRED, 1, 1), (1, 2, 4), (0, 2, 4)])
def test_jacoby_counts_gammons_only_once_the_cube_was_turned(
    owner: int, value: int, points: int
) -> None:
    won = set_up("x 1:1 / o 13:15", jacoby=True, cube_owner=owner, cube_value=value)
    assert after(won, Roll(1, (2, 1)), Move(1, "1/off")).match.score == (0, points)


def test_resignations() -> None:
    offered = after(opening(), Resign(1, Resignation.GAMMON))
    assert offered.match.turn == 0
    with pytest.raises(ValueError, match="resolve the resignation"):
        apply(offered, Move(1, "8/5 6/5"), MATCH)
    declined = after(offered, Reject(0))
    assert (declined.match.turn, declined.match.dice) == (1, (3, 1))
    accepted = after(offered, Accept(0))
    assert (accepted.match.score, accepted.match.game_state) == ((2, 0), GameState.RESIGNED)


def test_nothing_happens_in_a_finished_game() -> None:
    over = after(money(), Double(1), Drop(0))
    for action in (Roll(1, (2, 1)), Double(1), Resign(1, Resignation.SINGLE), Take(0)):
        with pytest.raises(ValueError, match="No game in progress"):
            apply(over, action, MATCH)


@pytest.mark.parametrize(
    ("before", "now", "crawford"),
    [((0, 0), (6, 0), True), ((6, 0), (6, 1), False), ((5, 5), (5, 6), True),
     ((6, 4), (6, 6), False), ((0, 0), (5, 0), False)],
)  # fmt: skip
def test_the_crawford_game_comes_once(
    before: tuple[int, int], now: tuple[int, int], crawford: bool
) -> None:
    start = MatchState(match_length=7, score=before, crawford=max(before) == 6)
    end = MatchState(match_length=7, score=now, game_state=GameState.OVER)
    assert next_game(start, end, MATCH).crawford is crawford
    assert not next_game(start, end, Rules(crawford=False)).crawford


def test_no_game_follows_the_last() -> None:
    over = MatchState(match_length=7, score=(7, 2), game_state=GameState.OVER)
    with pytest.raises(ValueError, match="already over"):
        next_game(MatchState(match_length=7), over, MATCH)


def test_positions_set_by_hand_are_positions_of_the_match() -> None:
    other = replace(opening(length=5).match)
    text = replace(opening(), match=other).gnubg_id
    with pytest.raises(ValueError, match="a match to 5, not to 7"):
        apply(opening(), Setup(1, text), MATCH)
    assert after(opening(), Setup(1, opening(0).gnubg_id)).match.move == 0


def random_match(seed: int, length: int = 3, games: int = 30) -> MatchRecord:
    """A match of two random players, who double, resign and beaver as they please."""
    chance = random.Random(seed)
    record = MatchRecord(length=length, players=("Ann", "Bob"))
    while len(record.games) < games:
        try:
            record = with_new_game(record, chance.choice([(3, 1), (1, 6), (5, 2)]))
        except ValueError:
            break
        while is_playing(record.games[-1].end):
            record = with_action(record, random_action(chance, record))
    return record


def random_action(chance: random.Random, record: MatchRecord) -> Action:
    """Something the player to decide may do."""
    position = record.games[-1].end
    match, player = position.match, position.match.turn
    wild: list[Action] = [Double(player), Redouble(player)]
    wild += [Resign(player, Resignation(chance.randint(1, 3)))] * (chance.random() < 0.05)
    chance.shuffle(wild)
    tame: list[Action]
    if match.resigned:
        tame = [Accept(player), Reject(player)]
    elif match.doubled:
        tame = [Take(player), Take(player), Drop(player)]
    elif match.dice == NO_DICE:
        tame = [Roll(player, (chance.randint(1, 6), chance.randint(1, 6)))]
    else:
        after_play = chance.choice(list(plays(position.board, match.dice)))
        from gnubg_py.notation import play_text

        tame = [Move(player, play_text(position.board, match.dice, after_play))]
    for action in [*wild, chance.choice(tame)] if chance.random() < 0.3 else [chance.choice(tame)]:
        try:
            apply(position, action, record.rules)
        except ValueError:
            continue
        return action
    return chance.choice(tame)


@FEW
@given(st.integers(0, 10**6), st.sampled_from([0, 1, 3]))
def test_whatever_is_played_stays_a_position(seed: int, length: int) -> None:
    record = random_match(seed, length, games=2)
    for game in record.games:
        assert game.is_over
        assert result(game) is not None
        for position in game.positions:
            check_board(position.board)
            assert len(position.gnubg_id) == 27


@FEW
@given(st.integers(0, 10**6), st.sampled_from([0, 3]))
def test_a_record_survives_json(seed: int, length: int) -> None:
    record = random_match(seed, length, games=2)
    again = from_json_value(json.loads(json.dumps(as_json(record))))
    assert [game.actions for game in again.games] == [game.actions for game in record.games]
    assert again.games[-1].end.gnubg_id == record.games[-1].end.gnubg_id
    assert (again.players, again.rules, again.length) == (("Ann", "Bob"), record.rules, length)


@FEW
@given(st.integers(0, 10**6), st.sampled_from([0, 3, 5]))
def test_a_record_survives_mat(seed: int, length: int) -> None:
    record = random_match(seed, length, games=3)
    again = from_mat(to_mat(record))
    assert to_mat(again) == to_mat(record)
    ends = [(g.end.match.score, g.end.board.tobytes()) for g in record.games]
    assert [(g.end.match.score, g.end.board.tobytes()) for g in again.games] == ends


@FEW
@given(st.integers(0, 10**6))
def test_players_who_change_seats_twice_sit_as_before(seed: int) -> None:
    record = random_match(seed, games=1)
    once = swapped(record)
    assert once.players == ("Bob", "Ann")
    assert from_json_value(as_json(once)).games[0].end.gnubg_id == once.games[0].end.gnubg_id
    assert as_json(swapped(once)) == as_json(record)


def test_every_action_survives_json() -> None:
    actions: list[Action] = [
        Roll(0, (6, 5)), Move(1, "bar/20*"), Double(0), Redouble(1), Take(0), Drop(1),
        Resign(0, Resignation.BACKGAMMON), Accept(1), Reject(0), Setup(1, opening().gnubg_id),
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
    with pytest.raises(ValueError, match="No such file"):
        save_match(random_match(1, games=1), tmp_path / "no" / "folder.json")


def test_saving_leaves_no_other_file(tmp_path: Path) -> None:
    save_match(random_match(2, games=2), tmp_path / "match.json")
    assert [path.name for path in tmp_path.iterdir()] == ["match.json"]
    assert len(load_match(tmp_path / "match.json").games) >= 1


JELLYFISH = """\
; [Site "anywhere"]

 5 point match

 Game 1
 Ann : 0                        Bob : 0
  1)                             53: 8/3 6/3
  2) 62: 24/18 18/16             55: 13/8 13/8 6/1* 6/1
  3) 44: 25/21 13/9 13/9 13/9    31: 13/10 10/9*
  4) 11:                          Doubles => 2
  5)  Drops                       Wins 1 point

 Game 2
 Ann : 0                        Bob : 1
  1) 31: 8/5 6/5                 64: 24/14
  2)  Doubles => 2                Takes
  3) 65: 24/13                   11: 8/7(2) 6/5(2)
      Wins 4 points
"""


def test_reading_a_match_of_gnubgs() -> None:
    record = from_mat(JELLYFISH)
    assert (record.length, record.players) == (5, ("Ann", "Bob"))
    first, second = record.games
    assert first.start.match.move == 1
    assert [a.play for a in first.actions if isinstance(a, Move)] == [
        "8/3 6/3", "24/16", "13/8(2) 6/1*(2)", "bar/21 13/9(3)", "13/9*", "cannot move",
    ]  # fmt: skip
    assert result(first) == (1, 1, 1)
    assert result(second) == (0, 4, 2)
    assert second.actions[-2:] == (Resign(1, Resignation.GAMMON), Accept(0))
    assert record.games[-1].end.match.score == (4, 1)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("5 point match", "no match", "line 3: 'no match': should be a line like ' 7 point match'"),
        ("5 point", "500 point", "matches go to 64"),
        ("24/18 18/16", "24/18 18/15", "line 8: play"),
        ("Wins 4 points", "Wins 5 points", "line 18: 5 points for a resignation"),
        ("65: 24/13", "65: 24/13 what", "line 17"),
        (" Ann : 0                        Bob : 1", " what", "line 14: 'what': should be"),
        ("  4) 11:  ", "  4) 11: 9/8", "line 10"),
    ],
)
def test_a_bad_line_of_a_mat_file_is_named(old: str, new: str, words: str) -> None:
    assert old in JELLYFISH
    with pytest.raises(ValueError, match=words):
        from_mat(JELLYFISH.replace(old, new))


@pytest.mark.parametrize("text", ["", "\n\n", " 5 point match\n", "; comment"])
def test_a_mat_file_without_games(text: str) -> None:
    with pytest.raises(ValueError, match=r"no line like|no game"):
        from_mat(text)


@given(st.text(alphabet=" 0123456789:/()*=>\nDoublesTakesWinsGamepointmatch", max_size=400))
def test_any_text_is_a_mat_file_or_a_value_error(text: str) -> None:
    try:
        record = from_mat(" 5 point match\n\n Game 1\n A : 0   B : 0\n" + text)
    except ValueError:
        return
    assert record.games


def test_a_game_set_up_by_hand_is_not_written_as_mat() -> None:
    record = with_new_game(MatchRecord(length=3), (3, 1))
    record = with_action(record, Setup(0, record.games[0].start.gnubg_id))
    with pytest.raises(ValueError, match="game 1 was edited during play"):
        to_mat(record)


def test_a_play_is_kept_in_gnubgs_notation() -> None:
    assert move_of(opening(), "6 5 8 5") == Move(1, "8/5 6/5")
    with pytest.raises(ValueError, match="roll the dice before"):
        move_of(money(), "8/5 6/5")


def test_boards_are_not_shared_with_their_maker() -> None:
    board = parse("x 6:2 / o 6:2")
    position = position_of(board, MatchState())
    board[0, 5] = 9
    assert position.board[0, 5] == 2
    assert np.array_equal(position.board[1], parse("x 6:2 / o 6:2")[1])
