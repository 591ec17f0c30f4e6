"""The shell's commands: what they say, and what they do to the match."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gnubg_py import layout
from gnubg_py.board import parse
from gnubg_py.cube.state import Cube
from gnubg_py.notation import from_gnubg_id, position_id
from tests.shell_lines import Shell

OPENING = "4HPwATDgc/ABMA"


# Playing.


def test_a_game_is_played_and_won(money: Shell) -> None:
    money("set board simple 0 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -5 0")
    money("set turn 1", "set dice 65")
    reply = money("move 1/off(2)")
    assert "Bob wins a single game and 1 point." in reply
    assert "Ann 0, Bob 1" in reply
    assert money("roll") == "No game in progress (type `new game' to start one)."
    assert "Ann rolls" in money("new game")


def test_dice_set_by_hand_are_rolls_of_the_game(shell: Shell, tmp_path: Path) -> None:
    """As somebody types in a match played elsewhere: the first roll, one not yet made, one made."""
    shell("new match 3", "set turn 1", "new match 3", "set dice 31", "move 8/5 6/5")
    shell("set dice 65", "move 24/13", "roll", "set dice 42", "set dice 64", "move 24/14")
    file = tmp_path / "typed.mat"
    shell(f"export match mat {file}")
    text = file.read_text()
    assert "31: 8/5 6/5" in text
    assert "65: 24/18 18/13" in text
    assert "64: 24/18 18/14" in text
    assert "42:" not in text


def test_the_cube_passes_and_is_dropped(money: Shell) -> None:
    assert "Bob doubles." in money("double")
    assert "accepts the cube at 2." in money("take")
    assert money("show cube") == "The cube is at 2, and is owned by Ann."
    money("set dice 31", "move 8/5 6/5")
    reply = money("double", "drop")
    assert "Bob refuses the cube and gives up 2 points." in reply
    assert "Ann wins a single game and 2 points." in reply


def test_a_resignation_is_declined_and_accepted(money: Shell) -> None:
    assert "Bob offers to resign a gammon." in money("resign g")
    assert "Ann declines the gammon." in money("reject")
    declined = "Ann has already declined your offer of a gammon."
    assert declined in money("resign")
    assert "Ann wins a single game and 3 points." in money("resign b", "accept")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("move", "You must roll the dice before you can move."),
        ("take", "The cube must have been offered before you can take it."),
        ("beaver", "The cube must have been offered before you can redouble it."),
        ("accept", "You can only accept if the cube or a resignation has been offered."),
        ("agree", "No resignation was offered."),
        ("play", "It's not the computer's turn to play."),
        ("resign foo", "Unknown keyword `foo' (see `help resign')."),
        ("set dice 7", "You must specify two numbers from 1 to 6 for the dice."),
        ("set cube value 3", "You must specify a legal cube value"),
        ("set turn x", "Unknown player `x'"),
        ("set score 1", "You must specify two valid scores."),
        ("set board foo", "Illegal position: Position ID 'foo'"),
        ("set xgid foo", "Not a valid XGID 'foo'"),
        ("set crawford on", "Cannot set Crawford play for money sessions."),
        ("move =1", "You must roll the dice"),
        ("new match -2", "GNU Backgammon is compiled with support only for matches of length 64"),
        ("set jacoby maybe", "Illegal keyword `maybe'"),
        ("set player 0 name Bob", "That name is already in use by the other player."),
        ("show board foo", "Illegal position"),
        ("analyse move", "There is no move here to analyse."),
    ],
)
def test_replies_to_what_cannot_be_done(money: Shell, line: str, words: str) -> None:
    before = money.ids
    reply = money(line)
    assert reply.startswith(words)
    assert "\n" not in reply
    assert money.ids == before


@pytest.mark.parametrize(
    "line",
    ["roll", "move 8/5", "double", "take", "hint", "eval", "rollout", "show board", "show pipcount",
     "next", "list game", "save match x", "analyse game", "set dice 31", "show rolls", "compare",
     "show statistics game", "cmark move show", "swap players", "end game"],
)  # fmt: skip
def test_before_any_game(shell: Shell, line: str) -> None:
    reply = shell(line)
    assert "\n" not in reply
    assert reply == "" or any(w in reply for w in ("game", "position", "board", "cube"))


def test_positions_are_set_and_kept_apart_from_the_players(money: Shell) -> None:
    money(f"set gnubgid {OPENING}:cAmgADAAGAAE")
    assert money.ids == f"{OPENING}:cAmgADAAGAAE"
    assert "Ann 3, Bob 3 (match to 5 points)" in money("show score")
    money("set dice 31", "move 8/5 6/5", "set turn 1")
    board, match = from_gnubg_id(money.ids)
    assert match.move == 1
    assert board[0, 4] == 2


def test_going_back_and_playing_something_else(money: Shell) -> None:
    money("set dice 31", "move 8/5 6/5", "set dice 65", "move 24/13")
    assert money("previous 2").count("Rolled") == 0
    assert money.session.shown().match.move == 1
    money("next")
    assert money.session.shown().match.move == 0
    money("set dice 21", "move 13/11 6/5")
    assert "13/11 6/5" in money("list game")
    assert "24/13" not in money("list game")


def test_automatic_rolls_forced_plays_and_games(money: Shell) -> None:
    money("set automatic roll on", "set automatic move on", "set cube owner 0", "set cube value 2")
    money("set board simple 0 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -2 -5 0", "set turn 1")
    reply = money("roll")
    assert "Bob moves" in reply
    assert "Bob wins" in reply


def test_seats_are_changed(money: Shell) -> None:
    money("set score 1 2", "set dice 31", "swap players")
    assert "Bob 2, Ann 1" in money("show score")
    assert money.session.shown().match.move == 0


def test_the_same_seed_rolls_the_same_game(tmp_path: Path) -> None:
    lines = ["set player 0 gnubg", "set player 1 gnubg", "set seed 7", "new match 1",
             "list game"]  # fmt: skip
    assert Shell()(*lines) == Shell()(*lines)


def test_a_match_against_itself_is_played_saved_exported_and_analysed(tmp_path: Path) -> None:
    shell = Shell()
    json_file, mat_file = tmp_path / "a match.json", tmp_path / "match.mat"
    played = shell("set player 0 gnubg", "set player 1 gnubg", "set automatic game on",
                   "set seed 3", "new match 3")  # fmt: skip
    assert "has won the match." in played
    assert "The match is already over." in shell("new game")
    end = shell.ids
    shell(f"save match {json_file}", f"export match mat {mat_file}")
    for line in (f"load match {json_file}", f"import mat {mat_file}"):
        again = Shell()
        again(line)
        assert again.ids == end
    statistics = shell("analyse match", "show statistics")
    assert "Chequerplay rating                       Supernatural" in statistics
    assert "Luck adjusted result" in statistics
    assert max(map(len, statistics.splitlines())) <= 92


def test_a_blunder_is_found(money: Shell) -> None:
    money("set dice 31", "move 24/20", "previous")
    reply = money("analyse move")
    assert "Bob's play is very bad: it cost 0." in reply
    assert "very bad" in money("previous 9", "analyse game", "next marked", "analyse move")
    assert "Moves marked very bad                      0                       1" in money(
        "show statistics game"
    )


# Answers.


def test_hint_is_gnubgs_layout_and_numbers_its_plays(money: Shell) -> None:
    lines = money("set dice 31", "hint 3").splitlines()[1:]
    assert lines[0].startswith("    1. Cubeful 0-ply    8/5 6/5                      Eq.: +0.")
    assert len(lines) == 9
    assert " - " in lines[1]
    money("move =1")
    assert "8/5 6/5" in money("list game")


def test_hint_for_each_decision(money: Shell) -> None:
    assert "Proper cube action: No double" in money("hint")
    assert "Proper cube action: No double" in money("double", "hint")
    assert "beaver/raccoon" in money("beaver", "hint")
    assert "Correct resign decision : Accept" in money("take", "resign b", "hint")


def test_a_resignation_is_judged_by_cubeless_equities(shell: Shell) -> None:
    """X has five checkers on the bar: a gammon is likely, and gnubg gives +2.6 of playing on."""
    table = ("new match 5", "set turn 1", "set board 7u4OAAAAAID/fQ", "clear turn", "set turn 1")
    said = shell(*table, "resign n", "hint")
    before = float(said.split("Equity before resignation :")[1].split()[0])
    assert before == pytest.approx(2.2, abs=0.5)
    assert "Equity after resignation : +1.000" in said
    assert "Correct resign decision : Reject" in said
    assert "Correct resign decision : Accept" in shell("reject", "resign b", "hint")


@pytest.mark.parametrize(
    ("game", "position", "offer"),
    [
        ("new match 7", "x 6:5 5:5 / o 1:2", "offers to resign a single game"),
        ("new match 7", "x 22:5 21:5 20:5 / o 1:2", "offers to resign a backgammon"),
        ("new session", "x 22:5 21:5 20:5 / o 1:2", "offers to resign a single game"),
        ("new session", "x 7:1 6:5 5:5 4:4 / o 1:2", "offers to resign a single game"),
        ("new match 7", "x 7:1 6:5 5:5 4:4 / o 1:2", ""),
        ("new match 7", "x 6:6 5:4 / o 1:5", ""),
        ("new match 7", "x bar:1 6:6 5:4 4:4 / o 6:2 5:2 4:2 3:2 2:2 1:2", ""),
    ],
)
def test_the_computer_resigns_what_is_lost_as_gnubg_does(
    shell: Shell, game: str, position: str, offer: str
) -> None:
    """gnubg 1.07 offers the same in these positions, of which one has a chance of 0.0004."""
    shell("set player 0 gnubg", "set player 1 human", "set automatic roll off", game)
    shell("set turn 0", f"set board {position_id(parse(position))}", "clear turn", "set turn 0")
    said = shell("play")
    assert offer in said
    assert ("resign" in said) == bool(offer)
    if offer:
        declined = shell("reject")
        assert "offers to resign" not in declined
        assert "rolls" in declined or "moves" in declined or "wins" in declined


def test_computers_end_a_game_that_is_lost(shell: Shell) -> None:
    """What one resigns the other accepts, whatever the last digits of their values are."""
    shell("set player 0 human", "set player 1 human", "set automatic game off", "new match 7")
    shell("set turn 0", f"set board {position_id(parse('x 6:6 5:4 / o 1:3'))}", "clear turn")
    said = shell("set turn 0", "set player 0 gnubg", "set player 1 gnubg", "play")
    assert "offers to resign a single game" in said
    assert "accepts and wins a single game" in said
    assert "declines" not in said


def test_gammons_that_the_jacoby_rule_rules_out_do_not_count(shell: Shell) -> None:
    table = ("new session", "set turn 1", "set board 7u4OAAAAAID/fQ", "clear turn", "set turn 1")
    said = shell(*table, "resign g", "hint")
    assert "Equity after resignation : +1.000" in said
    assert "Correct resign decision : Accept" in said


def test_layout_is_that_of_the_library(money: Shell) -> None:
    from gnubg_py.analysis import cube_action, evaluate, hint
    from gnubg_py.results import CubeHint, PlaysHint
    from gnubg_py.shell.engine import met_of, session_cube

    money("set dice 31")
    shown = money.session.shown()
    output, met = money.session.output, met_of(money.session)
    plays = hint((shown.board, shown.match), ply=0)
    assert isinstance(plays, PlaysHint)
    cube = session_cube(money.session, shown)
    assert layout.plays_text(plays, 10, cube, met, output) == str(plays)
    action = cube_action("cAmgADAAGAAE" and f"{OPENING}:cAmgADAAGAAE", ply=0)
    assert isinstance(action, CubeHint)
    assert layout.cube_text(action, met, output) == str(action)
    value = evaluate(OPENING, ply=0)
    assert layout.evaluation_text(value, Cube(), met, output) == str(value)


def test_output_settings(shell: Shell) -> None:
    shell(f"set gnubgid {OPENING}:cAmgADAAGAAE", "set output mwc on", "set output winpc on")
    shell("set output digits 2")
    reply = shell("set dice 31", "hint 2")
    assert "MWC:  5" in reply
    assert "%" in reply
    shell("set output rawboard on")
    assert shell("show board").startswith("board:Bob:Ann:")


def test_rollouts_of_plays_and_of_the_cube(money: Shell) -> None:
    assert "No double" in money("rollout cube")
    reply = money("set dice 31", "cmark move set 1 2", "rollout")
    assert "8/5 6/5" in reply
    assert "36 trials each" in reply
    assert "`=99': the last hint has plays =1 to =16." in money("rollout =99")


def test_compare_names_what_each_would_play(money: Shell) -> None:
    reply = money("set dice 31", "compare net pseudopip ten-factor")
    assert "8/5 6/5" in reply
    assert "ten-factor" in reply


def test_evaluators_are_replaced(money: Shell) -> None:
    before = money("eval")
    assert "pseudopip will be used" in money("set evaluator contact pseudopip")
    assert money("eval") != before
    assert "pseudopip" in money("show engine")
    money("set evaluator contact default")
    assert money("eval") == before
    assert "foo: No such file or directory" in money("set evaluator contact foo")
    assert "No such file or directory" in money("set net /nonexistent/net.safetensors")


RACE = "set board simple 0 2 2 2 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -2 -3 -3 0"


def test_a_bearoff_is_given_to_an_evaluator_by_name(money: Shell) -> None:
    money(RACE)
    exact = money("eval")
    assert "pseudopip will be used" in money("set evaluator bearoff1 pseudopip")
    assert money("eval") != exact
    money("set evaluator bearoff1 default")
    assert money("eval") == exact
    assert "finished games have exact values" in money("set evaluator over pseudopip")


def test_player_0_of_a_rollout_is_the_matchs_player_0() -> None:
    """The side on roll is the noisy one in both: who is on roll is all the same."""
    answers = []
    for player in (0, 1):
        shell = Shell()
        shell("new session", f"set turn {player}", "set rollout varredn off")
        shell(f"set rollout player {player} chequerplay noise 0.3")
        text = shell("rollout")
        answers.append(re.sub(r"[0-9.]+ s, [0-9]+ games/s", "", text))
    assert answers[0] == answers[1]
    shell("set rollout player 1 chequerplay noise 0", "set rollout player 0 chequerplay noise 0.3")
    assert re.sub(r"[0-9.]+ s, [0-9]+ games/s", "", shell("rollout")) != answers[0]


def test_races_and_the_bearoff(money: Shell) -> None:
    money("set board simple 0 2 2 2 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -2 -3 -3 0", "set dice 61")
    assert "Suggested move is" in money("bearoff suggest")
    assert money("bearoff suggest 002220 61") == (
        "Suggested move is 011210, with maximum turns left 6 and expected turns left 3.090"
    )
    assert "minimum turns left" in money("show bearoff")
    assert "Thorp Count Leader" in money("show thorp")
    assert "Average" in money("show rolls")


def test_settings_are_set_and_shown(shell: Shell) -> None:
    shell("set evaluation preset supremo")
    assert "up to 16 more moves within equity 0.32" in shell("show evaluation")
    shell("set evaluation chequerplay evaluation plies 1", "set evaluation movefilter 1 0 2 3 0.5")
    reply = shell("show evaluation")
    assert "keep the first 2 0-ply moves and up to 3 more moves within equity 0.5" in reply
    shell("set rollout trials 72", "set rollout truncation plies 7", "set rollout varredn off")
    reply = shell("show rollout")
    assert "72 games" in reply
    assert "Truncation after 7 plies." in reply
    assert "variance reduction is disabled" in reply
    for line in ("automatic", "player", "output", "analysis", "met", "seed", "rng", "threads",
                 "cache", "history", "version", "commands", "scoresheet", "confirm"):  # fmt: skip
        assert len(shell(f"show {line}")) > 10


@pytest.mark.parametrize("name", ["beginner", "casualplay", "worldclass", "grand master", "4ply"])
def test_presets_by_name(shell: Shell, name: str) -> None:
    assert "will be used." in shell(f"set player 0 preset {name}")
