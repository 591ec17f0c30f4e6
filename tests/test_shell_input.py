"""What the shell reads: files of commands, dice, answers, Ctrl-C, and lines that mean nothing."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest

from gnubg_py.board import check_board
from gnubg_py.shell import loop
from gnubg_py.shell.loop import FAULT, run_line
from tests.shell_lines import PLAIN, Shell, random_line


def test_bad_files_get_one_line(shell: Shell, tmp_path: Path) -> None:
    binary, huge = tmp_path / "binary", tmp_path / "huge"
    binary.write_bytes(bytes(range(256)))
    with huge.open("wb") as file:
        file.truncate(1 << 33)
    for command in ("load match", "load game", "load position", "load commands", "import mat",
                    "set met", "set net", "set rng file", "set evaluator contact"):  # fmt: skip
        for path in (binary, huge, tmp_path, tmp_path / "none", "/dev/zero", ""):
            reply = shell(f"{command} {path}")
            assert "\n" not in reply, (command, path)
            assert len(reply) <= 300


def test_commands_from_a_file(shell: Shell, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("# a script\nnew session\nset turn 1\nset dice 31\n")
    shell(f"load commands {script}")
    assert shell.session.position().match.dice == (3, 1)
    script.write_text(f"load commands {script}\n")
    assert "more than 8 deep" in shell(f"load commands {script}")


def test_dice_entered_by_hand_and_read_from_a_file(shell: Shell, tmp_path: Path) -> None:
    assert "Rolled 63" in shell("set rng manual", "new session", "6 3", "show board")
    (tmp_path / "dice").write_text("1 1 4 2 / 6 6")
    reply = shell(f"set rng file {tmp_path / 'dice'}", "new session")
    assert "Ann rolls 4, Bob rolls 2." in reply
    assert "no dice are left" in shell("new session", "new session")
    assert "There is no answer to read" in shell("set rng manual", "new game")


def test_ctrl_c_leaves_the_shell_and_the_match(
    money: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    before = money.ids
    monkeypatch.setattr("gnubg_py.shell.answer_commands.find_plays", interrupted)
    assert money("set dice 31", "hint").endswith("Stopped.")
    assert money.ids != before
    monkeypatch.setattr("gnubg_py.shell.analyse_commands.judge_places", interrupted)
    money("move 8/5 6/5")
    assert "what is finished is kept" in money("analyse game")


def test_a_fault_of_ours_is_one_line(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise AssertionError("broken\nindeed")

    monkeypatch.setattr(loop, "_run", broken)
    out = io.StringIO()
    shell.session.out = out
    run_line(shell.session, "roll")
    assert out.getvalue() == f"{FAULT} (AssertionError: broken indeed).\n"


def test_random_lines_harm_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))  # one of the lines saves the settings
    generator, shell = random.Random(1), Shell()
    for number in range(1500):
        if number % 100 == 0:
            shell(*PLAIN)
        shell(random_line(generator))
        shell.session.leaving = False
        if shell.session.record is not None and shell.session.record.games:
            check_board(shell.session.shown().board)


def test_positions_are_exported_and_read_back(money: Shell, tmp_path: Path) -> None:
    money("set dice 31", "move 8/5 6/5")
    before = money.ids
    text, picture, png = (tmp_path / name for name in ("p.txt", "p.svg", "p.png"))
    money(f"export position text {text}", f"export position svg {picture}")
    assert picture.read_text().startswith("<svg")
    assert money(f"export position png {png}") == ""  # as gnubg, which says nothing
    assert png.read_bytes().startswith(b"\x89PNG")
    other = Shell()
    other(f"load position {text}")
    assert other.ids == before


def test_a_person_is_asked_before_a_game_is_dropped(money: Shell) -> None:
    money("set dice 31", "set confirm new on")
    money.session.interactive = True
    before = money.ids
    assert "Please answer `yes' or `no'." in money("new session", "what", "n")
    assert money.ids == before
    assert "A new session has been started." in money("new session", "y")
