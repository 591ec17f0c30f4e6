"""gnubg-py in gnubg's place: its options, how it is given commands, and the forms of answers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gnubg_py.shell.commands import ROOT
from gnubg_py.shell.tree import find
from tests.shell_lines import Shell

PROGRAM = [sys.executable, "-m", "gnubg_py"]
LINES = "set automatic roll off\nnew session\nshow beavers\n"
BEAVERS = "3 beavers/raccoons allowed in money sessions."


def run(
    words: list[str], text: str = "", folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the program with some words, commands on its input."""
    return subprocess.run(
        [*PROGRAM, *words], input=text, capture_output=True, text=True, timeout=120, cwd=folder
    )


@pytest.mark.parametrize(
    "words",
    [
        ["-t", "-q", "-r"],
        ["-tqr"],
        ["--tty", "--quiet", "--no-rc", "--lang=C"],
        ["-t", "-D", "/usr/share/gnubg", "-P", "/x", "--pkgdatadir=/x", "--datadir=/y"],
        ["-c", "-"],
        ["-t", "-q", "-c", "/dev/stdin"],
    ],
)
def test_gnubgs_options_are_taken(words: list[str], tmp_path: Path) -> None:
    done = run([*words, "-s", str(tmp_path)], LINES)
    assert done.returncode == 0
    assert BEAVERS in done.stdout.splitlines()


def test_commands_from_a_file_and_from_a_pipe_with_a_name(tmp_path: Path) -> None:
    file = tmp_path / "commands"
    file.write_text(LINES)
    assert BEAVERS in run(["-tqc", str(file)]).stdout
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    program = subprocess.Popen([*PROGRAM, "-t", "-c", str(pipe)], stdout=subprocess.PIPE, text=True)
    pipe.write_text(LINES)
    assert BEAVERS in program.communicate(timeout=60)[0]


def test_a_match_is_opened_first(tmp_path: Path) -> None:
    shell = Shell()
    file = tmp_path / "a match.sgf"
    shell("new match 5", f'save match "{file}"')
    assert "(match to 5 points)" in run(["-t", str(file)], "show score\n").stdout


def test_versions_name_gnubg() -> None:
    for words, text in ((["-v"], ""), (["-t", "-q"], "show version\n")):
        assert "GNU Backgammon 1.07" in run(words, text).stdout


def test_what_fails_is_status_1_where_that_is_asked_for() -> None:
    assert run(["-t"], "bogus\n").returncode == 0
    done = run(["-t", "--strict"], "bogus\nshow beavers\n")
    assert done.returncode == 1
    assert BEAVERS in done.stdout
    assert done.stderr.startswith("Unknown keyword `bogus'")


def test_dice_are_asked_for_on_a_pipe() -> None:
    done = run(["-t"], "set player 0 human\nset rng manual\nnew game\n53\n")
    assert "Enter dice: gnubg rolls 5," in done.stdout


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("re", "redouble"), ("rol", "roll"), ("ne", "new"), ("be", "beaver"), ("s", "save"),
        ("e", "end"), ("c", "calibrate"), ("i", "invert"), ("d", "decline"), ("co", "copy"),
        ("show sco", "show score"), ("show roll", "show rollout"), ("show th", "show threads"),
        ("set mat", "set matchequitytable"), ("show match", "show matchequitytable"),
        ("set cube cen", "set cube center"), ("set evalu", "set evaluation"),
        ("set rollout t", "set rollout trials"), ("an m", "analyse match"), ("n", "next"),
        ("p", "previous"), ("r", "roll"), ("exp m m", "export match mat"),
        ("set an c", "set analysis chequerplay"), ("set an mo", "set analysis movefilter"),
        ("an ro m", "analyse rollout move"), ("exp p p", "export position ps"),
        ("imp s", "import sgg"), ("load p", "load position"), ("set rng m", "set rng manual"),
        ("set matchinfo r", "set matchinfo rating"),
        ("set cubee race m", "set cubeefficiency race min"),
    ],
)  # fmt: skip
def test_abbreviations_mean_what_they_mean_in_gnubg(words: str, path: str) -> None:
    assert " ".join(find(ROOT, words.split()).path) == path


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("set score -3 -2", "show score"), "Ann 4, Bob 5 (match to 7 points)"),
        (("set gnubgid 4HPwATDgc/ABMA:cIkFAAAAAAAA",), "The dice have been set to 3 and 1."),
        (("set gnubgid 4HPwATDgc/ABMA:cIkFAAAAAAAA",),
         "Setting GNUbg ID 4HPwATDgc/ABMA:cIkFAAAAAAAA"),
        (("set score 6 3", "set crawford on", "set turn 1", "hint"), "You cannot double."),
        (("set output rawboard on", "show board"), "board:Bob:Ann:7:0:0:0:-2:0:0:0:0:5:"),
        (("set lang C",), "Locale is now 'C'"),
        (("set defaultnames A B", "new match 3", "show score"), "A 0, B 0 (match to 3 points)"),
        (("set prompt <<43>>",), "The prompt has been set to `<<43>>'."),
        (("set player both human",), "Moves for Ann must now be entered manually."),
    ],
)  # fmt: skip
def test_answers_have_gnubgs_form(lines: tuple[str, ...], said: str) -> None:
    shell = Shell()
    assert said in shell("new match 7", *lines)


def test_a_line_that_begins_with_a_play_is_one() -> None:
    shell = Shell()
    shell("new session", "set turn 1", "set dice 31", "8/5 6/5", "set dice 65", "24/13")
    assert shell.ids.startswith("4NvgATCwZ/ABMA") or "24/13" in shell("list game")
    assert "Illegal or unparsable move" in shell("set dice 31", "8/7 6/1")


def test_offered_cubes_are_stepped_back_from() -> None:
    shell = Shell()
    reply = shell("set xgid XGID=-a-B-CB-AaA-cD--Ad-f----A-:0:0:1:D:1:3:0:7:10")
    assert "Stepping back to the offering of the cube." in reply
    assert "Double, pass        +1.000" in shell("hint")


def test_the_player_on_roll_of_an_xgid_sits_below() -> None:
    shell = Shell()
    shell("set xgid XGID=--bB-BD-----cE--ad-e-B----:0:0:-1:00:2:1:0:7:10")
    assert shell.ids.endswith(":cAngACAACAAE")
    assert shell.session.names == ("Bob", "Ann")


def test_swapping_seats_gives_a_roll_back() -> None:
    shell = Shell()
    shell("set matchid cAkGAAAAAAAA", "set board 4HPwATDgc/ABMA", "set turn 1", "swap players")
    assert shell.ids.endswith(":MAEGAAAAAAAA")


def test_hint_0_is_any_number_of_plays() -> None:
    shell = Shell()
    shell("new session", "set turn 1", "set dice 31")
    assert shell("hint 0") == shell("hint") == shell("hint x")


def test_words_too_many_are_a_persons_slip() -> None:
    shell = Shell()
    shell("new session", "set turn 1")
    assert "Rolled" in shell("roll now")
    shell.session.interactive = True
    assert "takes nothing more" in shell("show turn now")


TWO_TURNS = (
    "set seed 42", "new match 3", "set dice 31", "8/5 6/5", "set dice 65", "24/18 13/8",
    "double", "take",
)  # fmt: skip


def test_a_match_is_walked_through_as_in_gnubg(tmp_path: Path) -> None:
    shell = Shell()
    shell(*TWO_TURNS)
    assert shell("first game", "next") == ""
    assert "Match ID   : MAFgAAAAAAAE" in shell("show board")
    assert shell("next roll", "show board").endswith("Rolled 65:")
    shell("previous")  # a roll and its play are one
    assert shell("show board").endswith("Rolled 31:")
    assert shell("analyse match") == ""
    reply = shell("show board")
    assert "Rolled 31 (" in reply
    assert "*    1. Cubeful 0-ply    8/5 6/5 " in reply
    assert "        0-ply cubeful [expert]" in reply.replace(" prune", "")


def test_the_score_counts_the_games_before_the_one_shown(tmp_path: Path) -> None:
    shell = Shell()
    shell("new match 5", "resign n", "accept", "new game", "resign n", "accept")
    assert shell("show score").startswith("The score (after 2 games)")
    assert shell("previous game", "show score").startswith("The score (after 0 games)")


def test_a_hint_goes_into_the_text_of_the_position(tmp_path: Path) -> None:
    shell, file = Shell(), tmp_path / "p.txt"
    shell("new match 3", "set turn 1", "set dice 31", "hint", f"export position text {file}")
    text = file.read_text()
    assert "Move number 2:  Bob to play 31" in text or "Move number 1:  Bob to play 31" in text
    assert "Pip counts: O 167, X 167" in text
    assert "Rolled 31:\n    1. Cubeful 0-ply    8/5 6/5 " in text
    shell("set turn 1", "hint", f"export position text {file}")
    assert "on roll, cube decision?" in file.read_text()
    assert "Proper cube action: " in file.read_text()
    other = Shell()
    other(f"load position {file}")
    assert other.ids == shell.ids


def test_matches_end_in_files_as_gnubg_writes_them(tmp_path: Path) -> None:
    shell, file = Shell(), tmp_path / "m.mat"
    shell(
        "new match 1", "set matchinfo event Here", "resign n", "accept", f"export match mat {file}"
    )
    assert file.read_text().rstrip().endswith("Wins 1 point")
    shell(f"export match snowietxt {file}")
    assert "Event" not in file.read_text()


def test_load_game_reads_the_first_game(tmp_path: Path) -> None:
    shell, file = Shell(), tmp_path / "m.sgf"
    shell(
        "new match 5", "resign n", "accept", "new game", "resign g", "accept", f"save match {file}"
    )
    other = Shell()
    other(f"load game {file}")
    assert len(other.session.match().games) == 1
    assert "after 1 game" in other("show score")


def test_swapping_players_leaves_the_computer_in_its_seat() -> None:
    shell = Shell()
    shell("set player 0 gnubg", "set player 1 human", "new session", "set turn 1", "swap players")
    assert shell.session.names == ("Bob", "Ann")
    assert [player.kind for player in shell.session.players] == ["gnubg", "human"]
    assert shell("play").startswith(("Bob moves", "Bob doubles"))
