"""Stepping through games, what is said below the board, and resignations at odd moments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside_sessions import module_after
from tests.shell_lines import Shell

STATIC = [f"set analysis {kind} evaluation plies 0" for kind in ("chequerplay", "cubedecision")]
LAST_ROLL = "set board simple 0 2 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -2 -2 0"


def ids(said: str) -> list[str]:
    return [line.split()[-1] for line in said.splitlines() if "Match ID" in line]


def test_rolls_plays_and_cube_actions_are_steps_of_their_own(money: Shell) -> None:
    said = ["set dice 31", "show board", "8/5 6/5", "show board", "double", "show board"]
    said += ["take", "show board", "set dice 42", "show board", "8/4 6/4"]
    states = list(dict.fromkeys(ids(money(*said))))
    assert len(states) == 6
    assert [ids(money("previous roll", "show board"))[-1] for _ in range(5)] == states[-2::-1]
    assert [ids(money("next roll", "show board"))[-1] for _ in range(5)] == states[1:]
    back = [ids(money("previous rolled", "show board"))[-1] for _ in range(2)]
    assert back == [states[-2], states[-4]]


@pytest.mark.parametrize("step", ["previous game", "previous game 3", "next game"])
def test_a_game_that_is_not_there_is_not_gone_to(money: Shell, step: str) -> None:
    money("set dice 31", "8/5 6/5", "set dice 42", "8/4 6/4")
    before = money("show board")
    assert money(step, "show board") == before


def test_the_analysis_of_the_last_bearoff_is_read(money: Shell, tmp_path: Path) -> None:
    file = tmp_path / "last.sgf"
    money(*STATIC, LAST_ROLL, "set dice 44", "2/off(2) 1/off(2)", "analyse match")
    money(f"save match {file}")
    money(f"load match {file}")
    assert "2/off(2) 1/off(2)" in money("previous", "show board")


def test_a_double_is_analysed_once(money: Shell) -> None:
    money(*STATIC, "double", "take", "set dice 31", "8/5 6/5", "analyse match", "previous 3")
    assert "Proper cube action" in money("show board")
    offered = money("next", "show board")
    assert "Cube offered" in offered
    assert "Proper cube action" not in offered


def test_a_dance_has_luck_and_no_play(money: Shell) -> None:
    closed = "set board simple 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 2 -2 -2 -2 -2 -2 -2 0"
    money(*STATIC, closed, "set turn 1", "set dice 66")
    money("analyse match", "previous", "analyse match")
    said = money("previous 3", "next", "show board")
    assert "*    Cannot move" not in said


def test_a_double_may_be_answered_by_resigning(money: Shell) -> None:
    assert "Ann offers to resign a single game" in money("double", "resign normal")
    assert "Bob declines the single game" in money("reject")
    assert "Ann accepts the cube at 2" in money("take")
    said = money("new session", "set turn 1", "double", "resign gammon", "accept")
    assert "Bob accepts and wins a gammon" in said
    assert "Ann 0, Bob 2" in said


@pytest.mark.parametrize("change", ["set turn 0", "set turn 1", "clear turn"])
def test_a_resignation_is_answered_before_the_turn_is_changed(money: Shell, change: str) -> None:
    assert "Please resolve the resignation first." in money("resign gammon", change)
    assert "Ann accepts and wins a gammon" in money("accept")


def test_ids_in_python_are_those_below_the_board() -> None:
    gnubg = module_after("set automatic game off", "new match 3", "set turn 0")
    gnubg.command("resign gammon")
    gnubg.command("accept")
    _, match_id = gnubg.gnubgid().split(":")
    assert match_id == gnubg.matchid() == "sEtgAAAAEAAE"
    assert gnubg.posinfo()["turn"] == 1
    assert gnubg.cubeinfo()["crawford"] == 1


def test_a_match_in_latex_is_one_file(money: Shell, tmp_path: Path) -> None:
    money("set dice 31", "8/5 6/5", "resign", "accept", "new game", "resign", "accept")
    for kind in ("latex", "pdf", "ps"):
        money(f"export match {kind} {tmp_path}/all.{kind}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.latex", "all.pdf", "all.ps"]
    text = (tmp_path / "all.latex").read_text()
    assert "after 0 games" in text.replace("~", " ")
    assert "after 1 game" in text.replace("~", " ")


def test_navigating_no_games_goes_nowhere() -> None:
    gnubg = module_after("set automatic game off", "new session", "set turn 1", "set dice 31")
    for line in ("8/5 6/5", "resign", "accept"):
        gnubg.command(line)
    here = gnubg.gnubgid()
    assert gnubg.navigate(game=0) is None
    assert gnubg.gnubgid() == here


def test_long_names_are_cut_where_gnubg_cuts_them(money: Shell) -> None:
    said = money("set player 0 name Anna-Maria.Extra_Long_Name_Of_31_Ch", "set player 1 name a:b")
    assert "Player 0 is now known as `Anna-Maria.Extra_Long_Name_Of_3'." in said
    assert "Player 1 is now known as `a:b'." in said
    assert "quotation mark" in money('set player 0 name say"cheese')


def test_what_there_is_nothing_to_answer_for(money: Shell) -> None:
    assert "You must roll the dice before you can move." in money("double", "8/5 6/5", "move")
    assert "You can only accept if" in money("drop", "accept")
    money("new game", "set turn 1", "resign", "accept")
    assert "No game in progress" in money("accept")


def test_a_board_may_be_set_while_a_double_is_on_offer(money: Shell) -> None:
    said = money("double", "set board 4PPgASjgc/ABMA")
    assert "Cube offered at 2" in said
    assert "Ann accepts the cube at 2" in money("take")


@pytest.mark.parametrize("offer", ["double", "resign gammon"])
@pytest.mark.parametrize("change", ["set cube value 2", "set cube owner 1", "set cube centre"])
def test_setting_the_cube_withdraws_what_is_offered(money: Shell, offer: str, change: str) -> None:
    money(offer, change)
    assert "You can only accept if" in money("accept")


def test_setting_the_board_withdraws_a_resignation(money: Shell) -> None:
    money("resign gammon", "set board 4PPgASjgc/ABMA")
    assert "You can only accept if" in money("accept")
