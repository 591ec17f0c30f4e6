"""Sentences and their places as gnubg 1.07 prints them, seen in both programs side by side."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from gnubg_py.shell.loop import run_lines
from tests.shell_lines import Shell

COMPUTERS = [
    "set player 0 gnubg", "set player 1 gnubg", "set player 0 preset beginner",
    "set player 1 preset beginner", "set cube use off",
]  # fmt: skip
"""Two quick computers, that never double."""


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["set turn 1", "show turn"], "Bob in on roll."),
        (["set turn 1", "set dice 31", "show turn"], "Bob in on move."),
        (["set turn nobody"], "Unknown player `nobody' (see `help set turn')."),
        (["set rng mersenne"], "You are already using the Mersenne Twister generator."),
        (["set rng isaac"], "GNU Backgammon will now use the ISAAC generator."),
        (["show evaluation"], "Not using pruning neural nets.        Cubeful evaluations."),
        (["set seed 7", "show seed"], "The current seed is 7"),
        (["set rng bbs 42", "dicerolls 3"], "1 1\n3 4\n4 5"),
        (
            ["set rng bbs factors 7 11 7", "show seed"],
            "The current seed is 9, and the modulus is 437.",
        ),
        (["set rng bbs factors 7 11"], "11 is an invalid Blum factor, using 23 instead."),
        (["set rng bbs modulus x"], "You must specify a valid modulus (see `help set rng bbs')."),
        (
            ["set rng bbs modulus 77 3", "dicerolls 1"],
            "will now use the Mersenne Twister generator",
        ),
        (["set rng md5 4294967297", "dicerolls 1", "show seed"], "The current seed is 3.\nNumber"),
        (["set rng isaac 5", "dicerolls 2", "show seed"], "Number of calls since last seed: 4."),
        (["set rng manual", "set seed 5"], "You can't set a seed if you're using manual dice"),
        (["set seed 42", "dicerolls 2"], "3 5\n6 2"),
        (["set seed 42", "new session"], "Ann rolls 3, Bob rolls 5.\n"),
        (["set player nobody human"], "Unknown player `nobody' (see `help set player')."),
        (["set player 0 name both"], "`both' is a reserved word"),
        (["set cube owner foo"], "You must specify which player owns the cube"),
        (["set foo"], "Unknown keyword `foo'."),
        (["set cache 1000"], "The position cache has been sized to 1024 entries."),
        (["set rollout trials 0"], "You must specify a valid number of trials to make (see"),
        (["set annotation off"], "Move analysis and commentary will not be displayed."),
        (["set priority foo"], "Incomplete command."),
        (["set cubeefficiency contact 2"], "Cube efficiency must be between 0 and 1"),
        (
            ["set gnubgid Position ID: 4HPwATDgc/ABMA Match ID: cIkFAAAAAAAA"],
            "Setting GNUbg ID 4HPwATDgc/ABMA:cIkFAAAAAAAA",
        ),
        (["set gnubgid foo"], "No valid IDs found"),
        (["set board PPGPAABAAAPHNNAAAAAA"], "Position ID: /28AEAD33QAAAA"),
        (["next foo"], "If you specify a parameter to the `next' command, it must be a positive"),
        (
            ["set player 0 name Eve", "set defaultnames A B", "new match 3", "show score"],
            "A 0, B 0 (match to 3 points)",
        ),
        (
            [
                "set xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:52:3:1:0:9:10",
                "set xgid XGID=-b----E-C---eE---c-e----B-:1:-1:-1:00:3:1:0:9:10",
            ],
            "Match ID   : UQkgATAACAAE",
        ),
        (
            [
                "set board simple 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -2 -5 0",
                "set matchid MAHlABAAEAAE",
            ],
            "Position ID: 3wAAAAEAAAAAAA\n                 Match ID   : MAHlABAAEAAE",
        ),
        (["set cube"], "Incomplete command."),
        (["load match nofile"], "nofile: No such file or directory"),
        (["resign", "show turn"], "has offered to resign a single game."),
        (["double", "set dice 31", "8/5 6/5"], "Position ID: sGfwATDgc/ABMA"),
        (["double", "set cube use off", "show cube"], "The doubling cube is disabled."),
    ],
)
def test_sentences(money: Shell, lines: list[str], answer: str) -> None:
    assert answer in money(*lines)


def test_the_cube_cannot_be_set_in_the_crawford_game(shell: Shell) -> None:
    shell("new match 3", "set score 2 0", "set crawford on")
    assert shell("set cube owner 0").startswith("The cube is disabled during the Crawford game.")


def test_display_off_leaves_the_results_of_a_match_and_its_last_board(shell: Shell) -> None:
    lines = shell(*COMPUTERS, "set display off", "new match 1").splitlines()
    start = lines.index("A new 1 point match has been started.")
    won = r"(\S+) wins a (single game|gammon|backgammon) and \d points?\."
    assert re.fullmatch(won, lines[start + 1])
    assert lines[start + 2].startswith("The score (after 1 game) is: ")
    assert lines[start + 3].endswith(" has won the match.")
    assert "Position ID:" in lines[start + 4]


def test_end_game_tells_the_end_and_not_the_plays(shell: Shell) -> None:
    shell(*COMPUTERS, "set automatic game off", "set player 0 human", "set player 1 human")
    shell("new session", "set turn 1")
    shell("set board simple 0 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -1 0")
    lines = shell("end game").splitlines()
    assert lines[lines.index("Game complete.") + 1].endswith(" wins 1 point")
    assert not any(" moves " in line for line in lines)
    assert "Position ID:" in lines[lines.index("Game complete.") + 2]
    assert any(line.endswith("wins a single game and 1 point.") for line in lines)


def test_a_hint_of_a_roll_that_cannot_be_played(money: Shell) -> None:
    money("set board simple 1 14 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -2 -2 -2 -2 -2 -2 0")
    assert money("set turn 1", "set dice 31", "hint").endswith("There are no legal moves.")


def test_the_dice_of_an_id_are_told_before_its_cube(shell: Shell) -> None:
    lines = shell("set gnubgid 4HPwATDgc/ABMA:QQkLAAAAAAAA").splitlines()
    assert lines[:2] == ["The dice have been set to 6 and 2.", "The cube has been set to 2."]


def test_a_match_to_0_points_is_a_session(shell: Shell) -> None:
    assert "A new session has been started." in shell("new match 0")
    assert "New matches default to 0 points." in shell("set matchlength 0")
    assert "A new session has been started." in shell("new match")


def test_what_goes_to_the_error_output(shell: Shell) -> None:
    shell("new match 3", "set score 2 0", "set crawford on", "set turn 1")
    session = shell.session
    session.out, session.err = io.StringIO(), io.StringIO()
    run_lines(session, ["hint", "set dice 31", "8/7 6/1", "set xgid foo"])
    assert session.out.getvalue() == "The dice have been set to 3 and 1.\n"
    answers = session.err.getvalue().splitlines()
    starts = ["You cannot double.", "Illegal or unparsable move.", "Not a valid XGID 'foo'"]
    assert [line[: len(start)] for line, start in zip(answers, starts, strict=True)] == starts


def test_the_match_equity_table_has_gnubgs_columns(shell: Shell) -> None:
    lines = shell("show matchequitytable 3").splitlines()
    start = lines.index("Pre-Crawford table:") + 2
    assert lines[start] == "             1-away    2-away    3-away "
    assert lines[start + 2] == "   2-away   32.2640   50.0000   59.9470 "
    post = lines.index("Post-Crawford table for player 1 (Bob):") + 3
    assert lines[post].rstrip() == "   1-away   50.0000   48.8030   32.2640"


def test_a_dance_and_an_alert_in_an_exported_match(shell: Shell, tmp_path: Path) -> None:
    shell("new match 3", "set turn 0", "set dice 31", "24/23 6/3")
    shell("set board simple 1 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 1 0", "set dice 66")
    shell("move", "analyse match", f"export match text {tmp_path / 'match.txt'}")
    text = (tmp_path / "match.txt").read_text()
    assert "*    Cannot move\n" in text
    assert re.search(r"Alert: (very )?bad move \( -\d\.\d{3}\)", text)


@pytest.mark.parametrize(
    ("score", "kind"),
    [
        ("4 0", ", Crawford game"), ("0 4", ", Crawford game"), ("4 1", ", post-Crawford play"),
        ("4 4", ", post-Crawford play"), ("3 0", ""),
    ],
)  # fmt: skip
def test_whether_a_score_is_the_crawford_game(shell: Shell, score: str, kind: str) -> None:
    answer = shell("new match 5", f"set score {score}")
    assert answer.endswith(f"(match to 5 points{kind})")


def test_a_hint_analyses_the_cube_where_its_use_is_off(money: Shell) -> None:
    assert "Proper cube action: No double, " in money("set cube use off", "hint")


def test_an_evaluation_of_a_bearoff_has_gnubgs_table(money: Shell) -> None:
    """The numbers are those of gnubg 1.07, to the sixteen bits of its database."""
    money("set xgid XGID=--BBB---------------bbb---:0:0:1:00:0:0:0:0:10")
    lines = money("eval").splitlines()
    assert "Position          753           863" in lines
    rows = [line.split() for line in lines if line[:5].strip().isdigit() and "\t" in line]
    assert [row[0] for row in rows] == [str(n) for n in range(8)]
    assert [float(x) for x in rows[3][1:]] == pytest.approx([39.571, 22.156, 0, 0], abs=0.002)
    assert [float(x) for x in rows[0][1:]] == [0, 0, 100, 100]
    assert "Mean\t  3.381\t  3.865\t\t  0.000\t  0.000" in lines
    assert "Wastage\t  9.611\t  7.564" in lines


def test_a_game_given_up_at_once_hands_its_opening_roll_to_the_next(shell: Shell) -> None:
    """Only where games follow by themselves, as in gnubg."""
    shell("set seed 12", "set rng isaac 12", "set automatic game on", "new match 7")
    assert "Ann rolls 1, Bob rolls 2." in shell("resign normal", "accept")
    shell("set automatic game off", "resign normal", "accept")
    assert "Ann rolls 2, Bob rolls 5." in shell("new game")


def test_a_file_called_dash_is_the_output(shell: Shell, tmp_path: Path) -> None:
    shell("new match 3", "set turn 1", "set dice 31", "8/5 6/5")
    assert "B[31qtst]" in shell("save match -")
    assert "31: 8/5 6/5" in shell("export match mat -")
    assert "Ann" in shell("export match text -")
    assert not Path("-").exists()


def test_dice_that_are_set_again_leave_no_roll_in_the_record(shell: Shell) -> None:
    shell("set rng mersenne", "set seed 1", "new match 5", "set turn 1", "set dice 31", "8/5 6/5")
    assert "Rolled" not in shell("list game")
    assert "DI[" not in shell("save match -")


@pytest.mark.parametrize(
    ("beavers", "answer"),
    [
        (0, "Beavers are disabled (see `help set beavers')."),
        (1, "Only one beaver is permitted (see `help set beavers')."),
        (2, "Only 2 beavers are permitted (see `help set beavers')."),
    ],
)
def test_how_many_beavers_are_permitted(shell: Shell, beavers: int, answer: str) -> None:
    shell(f"set beavers {beavers}", "new session", "set turn 1", "double")
    assert answer in shell(*["beaver"] * (beavers + 1))


def test_nobody_could_double_before_the_first_roll_of_a_game(shell: Shell) -> None:
    """Nor does a roll count that is not yet played, as in gnubg."""
    shell("new match 5", "set turn 1", "set dice 31", "8/5 6/5", "set dice 62", "24/18 13/11")
    shell("set dice 54", "13/8 13/9", "set dice 43", "analyse match")
    row = next(x for x in shell("show statistics match").splitlines() if "Total cube" in x)
    assert row.split()[-2:] == ["1", "1"]
