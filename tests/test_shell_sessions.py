"""What a session of the shell is told must hold for what follows in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gnubg_py.cube.met import kazaross_xg2
from gnubg_py.game.analysis import CubeJudgement
from gnubg_py.paths import nets_dir
from gnubg_py.shell import loop
from tests.shell_lines import Shell

OPENING = "4HPwATDgc/ABMA"


def test_the_next_game_is_the_crawford_game(shell: Shell) -> None:
    shell("new match 3", "set turn 0", "resign g")
    assert "(match to 3 points, Crawford game)" in shell("accept")
    assert "Crawford game" in shell("new game", "show score")
    over = shell("set turn 0", "resign n", "accept")
    assert "(match to 3 points)\n" in over
    assert "Bob has won the match." in over


def test_after_the_crawford_game_the_next_is_post_crawford(shell: Shell) -> None:
    shell("new match 7", "set score 6 3", "set crawford on", "set turn 0", "resign n")
    assert "Ann 6, Bob 4 (match to 7 points, post-Crawford play)" in shell("accept")
    assert "6-3, Crawford game: Bob wins 1" in shell("list match")
    assert "not the Crawford game" in shell("new game", "show crawford")
    assert "This is post-Crawford play." in shell("new match 1", "show postcrawford")  # as gnubg


def test_results_of_a_match_are_counted_from_the_score_they_made(shell: Shell) -> None:
    """Losing two points of the Crawford game at 6-3 of 7 leaves the leader post-Crawford."""
    shell("new match 7", "set score 6 3", "set crawford on", "set turn 0", "resign g", "accept")
    reply = shell("show statistics match")
    met = kazaross_xg2()
    lost = (1 - met.mwc(2, 1, post_crawford=True)) - met.mwc(1, 4)
    assert f"{100 * lost:+.2f}%" in reply


def test_texts_of_positions_leave_the_match_alone(shell: Shell) -> None:
    shell("new match 3", "set turn 1", "set score 1 0")
    shell("set board x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5", f"set board {OPENING}")
    assert "Ann 1, Bob 0 (match to 3 points)" in shell("show score")
    shell("set board XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    assert "money session" in shell("show score")


@pytest.mark.parametrize(
    "words", ["GNUBGID {}", "GNUbgID={}", "gnubgid {}", "GNUBGID: {}", "Position ID: {}", "{}"]
)
def test_ids_are_taken_with_the_labels_programs_give_them(shell: Shell, words: str) -> None:
    wanted = f"{OPENING}:cAmgADAAGAAE"
    shell("new session", "set gnubgid " + words.format(wanted))
    assert shell.ids == wanted


def test_a_centred_cube_may_be_turned_by_hand(shell: Shell) -> None:
    shell("new match 7", "set turn 1", "set cube value 2", f"set board {OPENING}")
    assert "Proper cube action: No double, take" in shell("hint")


def test_eval_is_in_winning_chances_and_ends_with_the_cube_action(shell: Shell) -> None:
    shell("new match 7", "set turn 1", "set output mwc on")
    reply = shell(f"set board {OPENING}", "eval")
    assert "MWC       Cubeful" in reply
    assert "0-ply cubeless MWC  50." in reply
    assert "Proper cube action" in reply
    assert "Proper cube action" in shell("set dice 31", "eval")


def test_market_windows(money: Shell) -> None:
    assert "Take Point (TP)" in money(f"set board {OPENING}", "show marketwindow")
    money("new match 3", "set turn 1", f"set board {OPENING}")
    reply = money("show marketwindow")
    assert "Ann market window:\n\nDead cube:  50." in reply
    money("set score 2 0", "set crawford on")
    assert "The cube cannot be turned, or makes no difference." in money("show marketwindow")


def test_a_net_serves_the_classes_it_was_trained_for(money: Shell) -> None:
    race, contact = (nets_dir() / f"{name}.safetensors" for name in ("race", "contact"))
    assert f"{race}: a net for race positions, not for contact" in money(
        f"set evaluator contact {race}"
    )
    assert f"{race} will be used for race positions." in money(f"set net {race}")
    reply = money(f"set evaluator all {contact}")
    assert f"{contact} will be used for contact, crashed positions." in reply
    assert "values no positions by itself" in money(f"set net {nets_dir() / 'prune.safetensors'}")


def test_a_net_file_that_changed_is_read_again(money: Shell, tmp_path: Path) -> None:
    file = tmp_path / "mine.safetensors"
    shutil.copy(nets_dir() / "contact.safetensors", file)
    before = money(f"set net {file}", "eval")
    shutil.copy(nets_dir() / "fast.safetensors", file)
    assert money(f"set net {file}", "eval") != before


def test_analysis_is_of_what_was_played_and_by_what_is_set(money: Shell) -> None:
    money("set turn 1", "set dice 31", "move 24/23 24/21", "analyse game")
    assert "blunder" in money("first move", "analyse move") or "bad" in money("analyse move")
    money("set evaluation chequerplay evaluation plies 0")
    assert money.session.analysed
    money("previous", "set dice 31", "move 8/5 6/5", "analyse game", "first move")
    assert "it cost" not in money("analyse move")
    judged = money.session.analysed_by
    money("set analysis chequerplay evaluation plies 1", "analyse game")
    assert money.session.analysed_by is not judged


def test_no_missed_doubles_where_no_cube_is_used(money: Shell) -> None:
    money("set cube use off", "set turn 1", "roll", "hint 1", "move =1", "analyse game")
    judged = [item for found in money.session.analysed.values() for item in found]
    assert judged
    assert not any(isinstance(item, CubeJudgement) for item in judged)


def test_the_last_checkers_are_borne_off_by_themselves(money: Shell) -> None:
    money("set automatic bearoff on", "set board x 1:1 / o 1:2", "set dice 65", "set turn 1")
    reply = money("set board x 1:1 / o 1:2", "roll")
    assert "Bob moves" in reply
    assert "wins a single game" in reply


def test_a_raccoon_from_an_id_can_be_answered(money: Shell) -> None:
    money("set beavers 3", "set turn 1", "double", "redouble", "redouble")
    known = money.session.shown()
    money(f"set gnubgid {money.ids}")
    assert money.session.shown().redoubles == known.redoubles == 2


def test_gnubgs_way_of_marking_plays(money: Shell) -> None:
    assert "1 (8/5 6/5) marked" in money("set dice 31", "cmark move set rollout 1")


def test_a_script_ends_at_ctrl_c(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gnubg_py.shell.show_commands.pip_count", interrupted)
    reply = shell("new session", "show pipcount", "show version")
    assert reply.endswith("Stopped.")
    assert shell.session.stopped


def test_prompts(shell: Shell) -> None:
    shell("new match 5", "set turn 1", "set prompt \\p \\s \\v>")
    assert loop.prompt_of(shell.session).startswith("Bob 0-0 0.")


def test_games_are_listed_as_plays_are_written(money: Shell) -> None:
    money("set turn 1", "set dice 66", "move 24/18(2) 13/7(2)")
    money("set dice 31", "move 8/5 6/5", "double", "take", "set dice 21", "13/11 6/5", "resign g")
    lines = money("accept", "list game").splitlines()
    assert [line.rstrip() for line in lines[-3:]] == [
        "31     : 8/5 6/5                            Doubles to    2",
        "Takes                                       21     : 13/11 6/5",
        "Resigns",
    ]
    assert lines[-4].rstrip().endswith("66     : 24/18(2) 13/7(2)")


def test_an_xgid_sets_the_rules_of_the_session(shell: Shell) -> None:
    opening = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:{}:0:10"
    reply = shell(f"set xgid {opening.format(0)}", "show beavers", "show jacoby")
    assert "No beavers allowed" in reply
    assert "This money session is played without the Jacoby rule." in reply
    shell(f"set xgid {opening.format(3)}")
    assert "3 beavers" in shell("show beavers")
    assert "No double, beaver" in shell("hint")
