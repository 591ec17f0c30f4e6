"""What programs that drive gnubg send besides the usual, case by case."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.shell_lines import Shell


@pytest.fixture
def money() -> Shell:
    shell = Shell()
    shell("set automatic game off", "new session", "set board 4HPwATDgc/ABMA", "set turn 1")
    return shell


def test_dice_are_asked_for_until_they_are_dice() -> None:
    shell = Shell()
    reply = shell("set rng manual", "new match 3", "4", "x y", "4 2")
    assert reply.count("Enter dice: You must enter two numbers between 1 and 6.") == 2
    assert "Enter dice: Ann rolls 4, Bob rolls 2." in reply


def test_a_mark_of_a_hit_that_hits_nothing_is_no_fault(money: Shell) -> None:
    money("set dice 31", "8/5* 6/5*")
    assert money.ids.startswith("sGfwATDgc/ABMA")


def test_a_line_with_the_bar_is_a_play(money: Shell) -> None:
    assert "Illegal or unparsable move." in money("set dice 31", "bar 22")


def test_a_turn_without_a_play_is_told(money: Shell) -> None:
    money("set board simple 1 0 0 2 2 2 2 2 2 0 0 0 0 0 0 0 0 0 0 -2 -2 -2 -2 -2 -2 0")
    assert "Bob cannot move." in money("set turn 1", "set dice 61", "move")


def test_words_behind_a_value_are_ignored(money: Shell) -> None:
    assert "36 games will be played" in money("set rollout trials 36 games")
    assert "Will use the Jacoby rule" in money("set jacoby on please")
    assert "set to 6 and 3" in money("set dice 6 3 2")
    assert "Match ID   : cAkGAAAAAAAE" in money("set matchid cAkGAAAAAAAE and more")


def test_a_comment_is_kept_as_it_was_typed(money: Shell) -> None:
    money("set dice 31", "8/5 6/5", "previous", 'annotate move comment a "good" play')
    assert 'a "good" play' in money("show board")
    money("annotate cube comment another")
    assert money("show board").endswith("another")
    money("annotate clear comment")
    assert "another" not in money("show board")


def test_statistics_without_analysis_have_no_rates(money: Shell) -> None:
    money("set dice 31", "8/5 6/5")
    reply = money("show statistics match")
    assert "Total moves                                0                       1" in reply
    assert "Unforced moves                             0                       0" in reply
    assert "Chequerplay rating                       n/a                     n/a" in reply
    assert "Luck rate mEMG (Points)                  n/a                          +0.0" in reply


def test_sessions_have_points_per_game(money: Shell) -> None:
    money("resign n", "accept", "new game", "set turn 1", "resign g", "accept")
    reply = money("show statistics session")
    assert "Advantage (actual) in ppg                +1.500                  -1.500" in reply
    interval = "[ 2.020, 3.980]         [-3.980,-2.020]"
    assert f"95% confidence interval (ppg)            {interval}" in reply
    reply = money("show matchresult")
    assert "         1     2.000%     2.000%" in reply
    assert "     95%CI     0.693     0.693" in reply


def test_texts_list_plays_that_were_not_analysed(money: Shell, tmp_path: Path) -> None:
    money("set dice 31", "8/5 6/5", f"export game text {tmp_path / 'g.txt'}")
    assert "Rolled 31:\n*    8/5 6/5\n" in (tmp_path / "g.txt").read_text()
    money(f"export game html {tmp_path / 'g.html'}")
    assert "<td>8/5 6/5</td>" in (tmp_path / "g.html").read_text()


def test_rollouts_as_a_type_of_evaluation_are_shown(money: Shell) -> None:
    money("set evaluation chequerplay type rollout")
    money("set evaluation chequerplay rollout trials 72")
    reply = money("show evaluation")
    assert "      Rollout:\n72 games will be played per rollout." in reply


def test_statistics_have_the_parts_that_are_analysed(money: Shell) -> None:
    money("set dice 31", "8/5 6/5", "set analysis luck off", "set analysis cube off")
    reply = money("show statistics match")
    assert "Chequerplay statistics" in reply
    assert "Luck statistics" not in reply
    assert "Cube statistics" not in reply
    assert "Error rate" not in money("set analysis moves off", "show statistics match")


def test_games_that_are_over_count_in_statistics_of_a_match_in_progress() -> None:
    shell = Shell()
    shell("new match 5", "set turn 1", "resign n", "accept", "new game")
    reply = shell("show statistics match")
    assert "Actual result                              +7.73%                  -7.73%" in reply
    shell("set turn 0", "resign n", "accept")
    assert "Actual result" not in shell("show statistics match")


def test_the_crawford_game_is_told_of_before_it_begins() -> None:
    shell = Shell()
    shell("new match 3", "set score 1 1", "set turn 0", "resign n", "accept")
    assert "This game is the Crawford game." in shell("show crawford")
    assert "This is not post-Crawford play." in shell("show postcrawford")
    assert "Crawford game" in shell("new match 7", "set cube value 2", "set score 6 0")
    assert "at 1" not in shell("show cube")


def test_ids_and_files_leave_the_jacoby_rule_of_later_sessions() -> None:
    shell = Shell()
    shell("new session", "set gnubgid 4HPwATDgc/ABMA:cAkAAAAAAAAE")
    assert "played without" in shell("show jacoby").splitlines()[0]
    shell("set xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", "new session")
    assert "played with the" in shell("show jacoby").splitlines()[0]


def test_raw_boards_have_no_count_of_checkers_on_the_bar(money: Shell) -> None:
    board = "set board simple 2 -2 0 0 0 0 5 0 3 0 0 0 -5 3 0 0 0 -3 0 -5 0 0 0 0 2 0"
    assert money("set output rawboard on", board, "show board").endswith(":0:25:0:0:0:0:0:0:0:1")


def test_raw_boards_tell_who_has_doubled(money: Shell) -> None:
    money("set output rawboard on", "set turn 0", "double")
    assert ":1:1:1:-1:1:-1:0:25:" in money("show board")
    money("drop", "new game", "set turn 1", "double")
    assert ":1:1:1:1:1:-1:0:25:" in money("show board")


def test_imports_without_a_date_have_todays(money: Shell, tmp_path: Path) -> None:
    path = tmp_path / "undated.mat"
    path.write_text(" 3 point match\n\n Game 1\n Ann : 0      Bob : 0\n  1) 31: 8/5 6/5\n")
    money(f"import mat {path}", f"export match mat {path}")
    assert path.read_text().startswith(f'; [EventDate "{date.today():%Y.%m.%d}"]')


def test_chances_that_are_no_percentages_have_a_plus(money: Shell) -> None:
    money("new match 7", "set score 2 4", "set turn 1", "set dice 52")
    reply = money("set output mwc on", "set output matchpc off", "hint 2")
    assert "(+-0." in reply
    assert " +0." in money("set turn 1", "eval").split("static:")[1]


def test_scores_may_come_with_the_length(money: Shell) -> None:
    assert "gnubg" not in money("set score 1 2 7", "show score")
    assert "(match to 7 points)" in money("show score")


def test_xgids_of_games_that_cannot_be_crawfords_are_read(money: Shell) -> None:
    reply = money("set xgid XGID=-a-B--C-bBaAcD---b-e-a-B--:0:0:1:00:3:4:1:7:10")
    assert "Not a valid XGID" not in reply
    assert "not the Crawford game" in money("show crawford")


def test_a_turn_that_is_set_twice_is_one_step(money: Shell) -> None:
    money("set dice 31", "8/5 6/5", "set turn 0", "set dice 66", "24/18(2) 13/7(2)", "set turn 1")
    assert "Position ID: sGfwATDgc/ABMA" in money("previous", "show board")


def test_positions_as_text_have_the_roll_of_the_turn(money: Shell, tmp_path: Path) -> None:
    money("set dice 31", "8/5 6/5", "analyse game", "previous")
    money(f"export position text {tmp_path / 'p.txt'}")
    assert "Rolled 31" in (tmp_path / "p.txt").read_text()


def test_switches_are_gnubgs(money: Shell) -> None:
    for word in ("on", "y", "yes", "t", "true"):
        assert "Will use the Jacoby rule" in money(f"set jacoby {word}")
    for word in ("off", "n", "no", "f", "false"):
        assert "Will not use the Jacoby rule" in money(f"set jacoby {word}")
    for word in ("1", "0", "o", "of"):
        assert "Illegal keyword" in money(f"set jacoby {word}")


def test_the_tutor_asks_a_program_too(money: Shell) -> None:
    money("set tutor mode on", "set dice 31")
    reply = money("8/7 8/5", "foo", "no")
    assert reply.count("You may be about to make a very bad play. Are you sure?") == 2
    assert "Please answer `y' or `n'." in reply
    assert "Bob in on move." in money("show turn")
    assert "0FfwATDgc/ABMA" in money("8/7 8/5", "y")


def test_the_computer_waits_for_play_after_dice_that_are_set(money: Shell) -> None:
    money("set player 1 gnubg", "set player 1 preset expert", "set turn 1")
    assert "moves" not in money("set dice 31")
    assert "Bob moves 8/5 6/5." in money("play")


def test_sgf_has_no_node_for_a_turn_that_was_set(money: Shell, tmp_path: Path) -> None:
    path = tmp_path / "turn.sgf"
    money("new match 5", "set turn 0", "set turn 1", "set dice 31", "8/5 6/5", f"save match {path}")
    assert "AE[" not in path.read_text()
    assert "31     : 8/5 6/5" in money(f"load match {path}", "list game")


def test_folders_that_are_not_there_have_gnubgs_words(money: Shell) -> None:
    assert "/nowhere/x.sgf: No such file or directory" in money("save match /nowhere/x.sgf")
    assert ".: Is a directory" in money("save match .")


def test_steps_back_from_a_roll_that_is_not_played_lead_before_it(money: Shell) -> None:
    money("set dice 31", "8/5 6/5", "set dice 62", "24/18 13/11", "set dice 43")
    assert "4HPkQSCwZ/ABMA" in money("previous", "show board")
    assert "sGfwATDgc/ABMA" in money("previous", "show board")


def test_a_match_to_one_point_has_no_crawford_game(money: Shell) -> None:
    assert "cAkgAAAAAAAE" in money("set gnubgid 4HPwATDgc/ABMA:8AkgAAAAAAAE")


def test_after_the_crawford_game_it_is_post_crawford_at_once() -> None:
    shell = Shell()
    shell("new match 5", "set score 4 2", "set crawford on", "set turn 0", "resign n", "accept")
    assert "not the Crawford game" in shell("show crawford")
    assert "This is post-Crawford" in shell("show postcrawford")
