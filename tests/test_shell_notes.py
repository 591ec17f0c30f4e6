"""Marks, annotations, tutor, rollouts as a type of evaluation, tables: what they do."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnubg_py.game.analysis import PlayJudgement
from gnubg_py.shell.autosave import remove_autosave
from gnubg_py.shell.generators import GENERATORS
from tests.shell_lines import Shell

ROLLED = ("trials 36", "truncation plies 3")


def test_plays_that_are_marked_are_rolled_out(money: Shell) -> None:
    money("set dice 31", "cmark move set 2", "cmark cube set")
    assert ": cube, =2" in money("cmark match show")
    reply = money("analyse rollout game")
    assert "24/23 13/10" in reply
    assert "8/5 6/5" not in reply
    assert money("cmark game clear", "analyse rollout move").endswith("No moves marked for rollout")


def test_annotations_stay_with_their_actions(money: Shell) -> None:
    money("set dice 31", "move 24/20", "annotate move comment A slip", "annotate move verybad")
    assert "Annotation: A slip" in money("previous", "analyse move")
    money("previous 9", "next marked")
    assert money.session.game().actions[money.session.cursor].word == "move"
    money("set dice 65")
    assert money.session.comments == {}


def test_the_tutor_warns_a_person(money: Shell) -> None:
    money("set tutor mode on", "set dice 31")
    assert "very bad play" in money("24/20")
    money("previous", "set dice 31")
    assert "bad" not in money("8/5 6/5")
    assert "No warnings are given for chequer moves." in money(
        "set tutor chequer off", "show tutor"
    )


def test_a_person_may_take_a_bad_play_back(money: Shell) -> None:
    money("set tutor mode on", "set dice 31")
    money.session.interactive = True
    before = money.ids
    money("24/20", "n")
    assert money.ids == before


def test_a_cube_decision_is_rolled_out_with_the_cube(money: Shell) -> None:
    money(
        "set evaluation cubedecision type rollout", "set evaluation cubedecision rollout trials 4"
    )
    money("set evaluation cubedecision rollout cubeful off", "clear turn", "set turn 1")
    assert "Proper cube action:" in money("hint")


def test_hints_and_analysis_by_rollouts(money: Shell) -> None:
    for place in ("evaluation", "analysis"):
        money(f"set {place} chequerplay type rollout", f"set {place} cubedecision type rollout")
        for kind in ("chequerplay", "cubedecision"):
            money(*(f"set {place} {kind} rollout {setting}" for setting in ROLLED))
    assert "36 trials" in money("hint")
    money("set dice 31")
    assert "36 trials each" in money("hint")
    money("move =1", "analyse game")
    (judged,) = [
        item
        for found in money.session.analysed.values()
        for item in found
        if isinstance(item, PlayJudgement)
    ]
    assert judged.loss == 0
    assert len({play.equity for play in judged.plays}) == len(judged.plays)


def test_a_player_who_decides_by_rollouts(money: Shell) -> None:
    money("set player 1 gnubg", "set player 1 chequerplay type rollout")
    money(*(f"set player 1 chequerplay rollout {setting}" for setting in ROLLED))
    assert "Bob moves 8/5 6/5." in money("set dice 31", "play")


@pytest.mark.parametrize("name", GENERATORS)
def test_generators_roll_every_number_about_as_often(name: str) -> None:
    dice = GENERATORS[name](7)
    counts = [0] * 7
    for _ in range(6000):
        counts[next(dice)] += 1
    assert counts[0] == 0
    assert all(850 < count < 1150 for count in counts[1:])
    again, other = GENERATORS[name](7), GENERATORS[name](8)
    first = [next(again) for _ in range(20)]
    assert first != [next(other) for _ in range(20)]


def test_tables_of_a_position(money: Shell) -> None:
    assert "Average" in money("show temperaturemap")
    assert "ND: no double" in money("show scoremap 2")
    assert "A: 8/5 6/5" in money("set dice 31", "show scoremap 2")
    assert "There is contact" in money("show onesidedrollout")
    money("set board simple 0 2 2 2 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -2 -3 -3 0", "set turn 1")
    assert "Effective pip count" in money("show onesidedrollout")
    money("new match 5", "set turn 1", "set score 1 2")
    assert "Ann              0.58963         1.48643" in money("show gammonvalues")


def test_results_of_games_without_the_luck(money: Shell) -> None:
    money("new match 3", "set turn 1", "set dice 31", "8/5 6/5", "set turn 0", "resign", "accept")
    reply = money("show matchresult")
    assert "Final" in reply
    assert reply.count("%") == 4


def test_the_table_may_be_turned_round(money: Shell) -> None:
    money("set cubeefficiency contact 0.5")
    assert "contact positions : 0.5000" in money("show cubeefficiency")
    assert "for: race, one-sided, short, two-sided" in money("show cubeefficiency")
    money("set cubeefficiency os 0.7")
    assert "for: race, two-sided" in money("show cubeefficiency")
    money("set cubeefficiency learned off")
    assert "for:" not in money("show cubeefficiency")
    assert "used inverted" in money("set invert met on")


def test_matches_and_positions_are_printed(money: Shell, tmp_path: Path) -> None:
    money("set dice 31", "8/5 6/5")
    for kind, start in (("pdf", "%PDF-1.4"), ("ps", "%!PS-Adobe"), ("latex", "\\documentclass")):
        for what in ("match", "game") if kind == "latex" else ("match", "game", "position"):
            file = tmp_path / f"{what}.{kind}"
            assert money(f"export {what} {kind} {file}") == ""
            text = file.read_text(encoding="ascii")
            assert text.startswith(start)
            assert "Position" in text
    text = (tmp_path / "match.pdf").read_text()
    begin = int(text.split("startxref\n")[1].split()[0])
    assert text[begin:].startswith("xref")
    for number, line in enumerate(text[begin:].splitlines()[3:6], start=1):
        assert text[int(line[:10]) :].startswith(f"{number} 0 obj")


def test_the_match_is_saved_by_itself(money: Shell, tmp_path: Path) -> None:
    money.session.settings_folder = tmp_path
    money("set autosave analysis on", "set dice 31", "8/5 6/5", "analyse game")
    saved = tmp_path / "autosave.sgf"
    assert saved.read_text().startswith("(;")
    remove_autosave(money.session)
    assert not saved.exists()


def test_annotations_are_about_the_turn_that_comes_next(money: Shell) -> None:
    money("set dice 31", "8/5 6/5", "set dice 62", "24/18 13/11", "previous")
    money("annotate move bad", "annotate roll lucky")
    reply = money("list game")
    assert "31     : 8/5 6/5  " in reply
    assert "62+    : 24/18 13/11        ?" in reply


def test_errors_and_luck_are_marked_in_the_list_of_a_game(money: Shell) -> None:
    money("set dice 31", "24/20", "set dice 66", "8/2 8/2 13/7 13/7", "analyse game")
    reply = money("list game")
    assert "31     : 24/20              ??" in reply
    assert "66+    : " in reply


def test_a_cube_that_was_turned_goes_back_in_the_crawford_game(money: Shell) -> None:
    money("new match 5", "set cube value 2", "set cube owner 1", "set score 4 2")
    assert money("set crawford on").endswith("the Crawford game (no doubling allowed).")
    assert "The cube is at 1" in money("set crawford off", "show cube")
    assert "cannot double" in money("set crawford on", "set turn 1", "hint")
    reply = money("set matchid 0YmpAEAAEAAE")
    assert "The cube is disabled during the Crawford game." in reply
    assert "24/21 13/11" in money("hint")


def test_the_last_game_has_no_next_one(money: Shell) -> None:
    money("set dice 31", "8/5 6/5")
    before = money.ids
    money("next game")
    assert money.ids == before
    assert money("next marked") == ""


def test_the_crawford_game_as_scores_are_set(money: Shell) -> None:
    """gnubg's rule: sure where the other side has no point, else as it was before."""
    money("new match 5")
    scores = ["4 0", "4 2", "3 2", "4 2", "4 4", "0 4", "4 4"]
    told = [money(f"set score {score}") for score in scores]
    crawford = [score for score, line in zip(scores, told, strict=True) if ", Crawford" in line]
    assert crawford == ["4 0", "4 2", "0 4"]
    money("set score 4 2", "set crawford on")
    assert ", Crawford game)" in money("set score 2 4")


def test_the_luck_of_a_game_in_progress_is_taken_off(money: Shell) -> None:
    """As in gnubg: who has been lucky so far has less than his half."""
    money("new match 3", "set turn 1", "set dice 66", "24/18(2) 13/7(2)", "analyse match")
    final = next(line for line in money("show matchresult").splitlines() if "Final" in line)
    actual, adjusted = (float(word.rstrip("%")) for word in final.split()[1:])
    assert actual == 50
    assert adjusted == pytest.approx(54, abs=3)
