"""docs/seeds.md: its counts are those of its tables, and every command in them runs."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from io import StringIO
from pathlib import Path

import pytest

from gnubg_py import cli
from gnubg_py.shell.loop import run_line
from gnubg_py.shell.session import Session

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "seeds.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if re.match(r"\| \d", line)
]
COMMANDS = list(dict.fromkeys(text for row in ROWS for text in re.findall("`(.+?)`", row[-1])))


def test_the_counts_are_those_of_the_tables() -> None:
    counts: Counter[str] = Counter(works=0, choice=0, open=0)
    for row in ROWS:
        state = re.match("works|choice|open", row[-2])
        assert state, row
        counts[state[0]] += len(row[0].split(", "))
    sentence = "Today {works} of the 58 work, {choice} are choices, {open} are open."
    assert sentence.format(**counts) in PAGE
    assert counts.total() == 58


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_runs(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sys.stdin", StringIO("1\n002222\n002220\n17\n16\n2\n"))
    if command.startswith("gnubg-py "):
        try:
            status = cli.main(shlex.split(command)[1:])
        except SystemExit as leaving:  # --help
            status = int(leaving.code or 0)
        assert status == 0, capsys.readouterr().err
        assert capsys.readouterr().out
        return
    session = Session(out=StringIO())
    for line in ("set gnubgid 4HPwATDgc/ABMA:cAkAAAAAAAAA", "set dice 31", command):
        assert run_line(session, line), session.out
