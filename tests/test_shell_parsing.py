"""Finding the shell's commands: abbreviations, Tab, help, and the manual."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnubg_py.shell.commands import ROOT, manual_page
from gnubg_py.shell.tree import completions, every, find, help_text
from gnubg_py.shell.words import split
from tests.shell_lines import Shell


@pytest.fixture
def shell() -> Shell:
    """A shell in which two people play and nothing is automatic."""
    return Shell()


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("h", "help"),
        ("sh b", "show beavers"),
        ("se di 31", "set dice"),
        ("sho pip", "show pipcount"),
        ("SHOW CUBE", "show cube"),
        ("m 8/5", "move"),
        ("r", "roll"),
        ("ro", "roll"),
        ("roll", "roll"),
        ("rollo", "rollout"),
        ("se ev ch ev pl 2", "set evaluation chequerplay evaluation plies"),
        ("set player 0 na Ann", "set player 0 name"),
        ("exp m m x", "export match mat"),
        ("rej", "reject"),
        ("?", "?"),
    ],
)
def test_abbreviations(line: str, path: str) -> None:
    assert " ".join(find(ROOT, line.split()).path) == path


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ac", ""),
        ("show x", "Unknown keyword `x'"),
        ("shwo board", "Did you mean `show'"),
        ("xyzzy", "Type `help'"),
        ("se cr", ""),
    ],
)
def test_words_that_name_nothing_or_too_much(line: str, words: str) -> None:
    if words:
        with pytest.raises(ValueError, match=r"^.*$") as error:
            find(ROOT, line.split())
        assert words in str(error.value)
    else:
        assert find(ROOT, line.split()).command.run is not None


def test_every_name_is_found_whole_and_every_abbreviation_names_something_there() -> None:
    for path, command in every(ROOT):
        assert find(ROOT, list(path)).command is command
        names = {child.name for child in command.subcommands}
        assert set(command.short.values()) <= names
    assert set(ROOT.short.values()) <= {child.name for child in ROOT.subcommands}


def test_names_are_not_used_twice() -> None:
    for command in (ROOT, *(command for _, command in every(ROOT))):
        names = [child.name for child in command.subcommands]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["sh", "thor"], ["thorp"]),
        (["set", "cube", ""], ["center", "centre", "owner", "use", "value"]),
        (["set", "jacoby", "o"], ["off", "on"]),
        (["nonsense", ""], []),
        (["ne"], ["new", "next"]),
        (["set", "player", ""], ["0", "1", "Ann", "Bob", "both"]),
        (["set", "player", "Bob", "hu"], ["human"]),
        (["roll", "x", "y"], []),
    ],
)
def test_tab_completes_at_every_level(shell: Shell, words: list[str], offered: list[str]) -> None:
    assert completions(ROOT, words, shell.session) == offered


def test_help_at_every_level(shell: Shell) -> None:
    assert "  hint " in shell("help")
    assert shell("help") == shell("?")
    assert "Usage: set cube <subcommand>" in shell("help set cube")
    assert shell("set cube ?") == shell("help set cube") == shell("? set cube")
    assert shell("help nonsense").startswith("No help available for topic `nonsense'")
    for path, command in every(ROOT):
        text = help_text(find(ROOT, list(path)))
        assert max(map(len, text.splitlines())) <= 80
        assert command.help[0].isupper()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", []),
        ("# a comment", []),
        ("show board # here", ["show", "board"]),
        ('set player 0 name "Al Ice"', ["set", "player", "0", "name", "Al Ice"]),
        ("  roll\t", ["roll"]),
    ],
)
def test_lines_are_cut_into_words(line: str, words: list[str]) -> None:
    assert split(line) == words


def test_what_gnubg_has_and_we_have_not(shell: Shell) -> None:
    for line in ("set appearance", "set sound on", "relational test", "set cheat player 0 roll 1"):
        assert shell(line).startswith("not supported here: ")


def test_the_manual_has_every_command() -> None:
    """Write it anew with ``python -m gnubg_py.shell.commands > docs/commands.md``."""
    page = (Path(__file__).parents[1] / "docs" / "commands.md").read_text()
    assert page == manual_page()
