"""``set score`` and ``new game`` after it: the score stays, as in gnubg."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shell_lines import Shell


@pytest.fixture
def match() -> Shell:
    shell = Shell()
    shell("set automatic game off", "new match 5")
    return shell


def test_a_game_that_begins_anew_keeps_the_score_that_was_set(match: Shell) -> None:
    match("set score 3 2", "new game")
    assert "Ann 3, Bob 2 (match to 5 points)" in match("show score")


def test_the_crawford_game_is_played_before_a_score_that_was_set(match: Shell) -> None:
    match("set score 4 0")
    assert "Crawford game" in match("show score")
    match("new game")
    assert "Ann 4, Bob 0 (match to 5 points, post-Crawford play)" in match("show score")


def test_a_crawford_game_that_begins_anew_is_one_again(match: Shell) -> None:
    match("set score 3 0", "set turn 1", "resign n", "accept", "new game", "new game")
    assert "Ann 4, Bob 0 (match to 5 points, Crawford game)" in match("show score")


def test_the_score_can_be_set_between_games(match: Shell) -> None:
    match("set turn 1", "resign n", "accept")
    assert "(after 1 game) is: Ann 3, Bob 3 (" in match("set score 3 3")
    assert "Ann 3, Bob 3" in match("show score")
    match("new game")
    assert "Ann 3, Bob 3" in match("show score")
    match("set turn 1", "resign n", "accept")
    assert "Ann 4, Bob 3 (match to 5 points, Crawford game)" in match("show score")


def test_further_words_after_a_score_are_ignored(match: Shell) -> None:
    assert "Ann 1, Bob 2" in match("set score 1 2 3")


def test_a_score_that_is_set_is_that_of_the_whole_game(match: Shell, tmp_path: Path) -> None:
    match("set turn 1", "set dice 31", "8/5 6/5", "set dice 42", "8/4 6/4", "set score 2 1")
    match(f"export match mat {tmp_path / 'm.mat'}")
    text = (tmp_path / "m.mat").read_text()
    assert " Ann : 2 " in text
    assert "Bob : 1\n" in text
    assert "31: 8/5 6/5\n" in text


def test_an_edited_game_is_exported_with_a_warning(match: Shell, tmp_path: Path) -> None:
    match("set turn 1", "set dice 31", "8/5 6/5", "set board 4HPwATDgc/ABMA", "set dice 42")
    reply = match("8/4 6/4", f"export match mat {tmp_path / 'm.mat'}")
    assert "Warning: this game was edited during play and cannot be exported correctly" in reply
    assert "42: 8/4 6/4\n" in (tmp_path / "m.mat").read_text()
