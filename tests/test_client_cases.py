"""What programs that drive gnubg send besides the usual, case by case."""

from __future__ import annotations

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
    assert "Advantage (actual) in ppg                 +1.500                  -1.500" in reply
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
