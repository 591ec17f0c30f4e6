"""Every setting: written as a command, read back, saved, and there again in the next session."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnubg_py.shell.preferences import read_settings, settings_file, settings_lines
from gnubg_py.shell.session import Session
from gnubg_py.shell.setting_rows import SETTINGS
from gnubg_py.shell.settings import Setting
from tests.shell_lines import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell that keeps its settings in a folder of the test."""
    made = Shell()
    made.session.settings_folder = tmp_path
    return made


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.words)
def test_what_a_setting_writes_sets_it_again(setting: Setting) -> None:
    shell = Shell()
    before = setting.lines(shell.session)
    for line in before:
        reply = shell(line)
        notes = ("no effect", "Please start", "when a new match is started")
        assert "\n" not in reply or any(note in reply for note in notes)
        assert not reply.startswith(("You must", "Unknown", "Illegal"))
    assert setting.lines(shell.session) == before


def test_settings_are_there_in_the_next_session(shell: Shell) -> None:
    shell(
        "set output digits 5", "set jacoby off", "set prompt hello>", "set player 0 name Al Ice",
        "set player 1 gnubg", "set evaluation movefilter 1 0 0 6 0.12", "set cube use off",
        "set rollout player 1 chequerplay plies 1", "set rollout later enable on",
        "set evaluator contact pseudopip", "set analysis threshold bad 0.07",
    )  # fmt: skip
    assert "gnubgautorc" in shell("save settings")
    again = Shell()
    again.session = Session(settings_folder=shell.session.settings_folder)
    read_settings(again.session)
    assert settings_lines(again.session) == settings_lines(shell.session)
    assert again.session.names[0] == "Al Ice"
    assert again.session.rollout.sides[0].plays.plies == 0
    assert again.session.rollout.sides[1].plays.plies == 1
    assert "pseudopip" in again("show engine")


def test_plays_inside_a_search_can_be_chosen_at_more_plies(shell: Shell) -> None:
    words = "set evaluation chequerplay evaluation inner"
    assert shell(f"{words} 1").strip().endswith("plays inside a search by 1 ply evaluation.")
    assert "Plays inside a search are chosen at 1-ply." in shell("show evaluation")
    assert f"{words} 1" in settings_lines(shell.session)
    assert "Valid numbers of plies to choose inner plays by are 0 to 3." in shell(f"{words} 4")
    assert shell.session.hint_strength.plays.inner_plies == 1


def test_a_new_session_has_nothing_to_save() -> None:
    assert settings_lines(Session()) == []


def test_a_bad_line_among_the_settings_is_named(shell: Shell) -> None:
    assert shell.session.settings_folder is not None
    path = shell.session.settings_folder / "gnubgautorc"
    path.write_bytes(b"set player 0 name Jos\xe9\nset output digits 4\nset output digits 99\nfoo\n")
    again = Shell()
    again.session.settings_folder = shell.session.settings_folder
    read_settings(again.session)
    assert again.session.output.digits == 4
    assert again.session.names[0] == "José"
    said = again.session.out.getvalue()  # type: ignore[attr-defined]
    assert f"{path}: `set output digits 99': You must" in said
    assert said.endswith("(and 1 other)\n")
    assert said.count(str(path)) == 1


def test_the_users_own_commands_are_read_after_the_settings(shell: Shell) -> None:
    assert shell.session.settings_folder is not None
    (shell.session.settings_folder / "gnubgautorc").write_text("set output digits 4\n")
    own = shell.session.settings_folder / "gnubgrc"
    own.write_text("set output digits 5\nset prompt mine>\n")
    again = Shell()
    again.session.settings_folder = shell.session.settings_folder
    read_settings(again.session)
    assert (again.session.output.digits, again.session.prompt) == (5, "mine>")
    again("save settings")
    assert own.read_text().startswith("set output digits 5")


@pytest.mark.parametrize(
    ("size", "shown"), [("4", "432x328"), ("432", "432x328"), ("200", "200x152")]
)
def test_the_size_of_pictures_is_gnubgs_or_in_pixels(shell: Shell, size: str, shown: str) -> None:
    sentence = f"Size of generated HTML images is {shown} pixels"
    assert sentence in shell(f"set export html size {size}")
    assert "You must specify" in shell("set export html size 50")


def test_tests_leave_the_users_settings_alone() -> None:
    assert "pytest" in str(settings_file(Session()))
