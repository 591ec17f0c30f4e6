"""The same command files in gnubg and in gnubg-py, started alike: the forms of all lines agree."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gnubg_py.bench.gnubg_program import find_gnubg

from . import peers

FOLDER = Path(__file__).parents[1] / "drop_in"
FILES = sorted(FOLDER.rglob("*.txt"))
OURS = [sys.executable, "-m", "gnubg_py"]
FLAGS = ["--tty", "-q", "-r"]
# A command of both programs that prints one line and changes nothing cuts their output up.
MARK = "show beavers"
MARKED = re.compile(r"(?:\d+ beavers?\S*|No beavers) allowed in money sessions\.\n?")
_UNENDED = re.compile(r"(\(match to [^)\n]*\))(?=\S| gnubg_py)")
"""The score of a match, where gnubg begins no new line behind it."""
_BOARD = re.compile(
    r"^ \S[^\n]*Position ID: (\S+)\n\s+Match ID   : (\S+)\n.*?X: [^\n]*(?:\n|\Z)", re.S | re.M
)
_STEP = r"(?:bar|\d{1,2})(?:/\d{1,2}\*?)*/(?:off|\d{1,2}\*?)(?:\(\d\))?"
_MASKED = (
    (re.compile(rf"{_STEP}(?: {_STEP})*"), "PLAY"),
    (re.compile(r"[-+]?\d+\.\d+"), "NUMBER"),
    (re.compile(r"(\w+) rolls \d"), r"\1 rolls"),
    (re.compile(r"^gnubg-py: compiling kernels.*"), ""),
    # What we add behind gnubg's sentence: what would be right.
    (re.compile(r"(?<=\.) \([A-Z].*\)$"), ""),
    (re.compile(r"^((?:Unknown|Illegal) keyword `[^']*'\.|Incomplete command\.) .*"), r"\1"),
    (re.compile(r"^(Illegal or unparsable move\.).*"), r"\1"),
)


_GENERATED = re.compile(r"^Output generated.*(\n by .*)?$", re.MULTILINE)


def replies(program: list[str], lines: list[str], home: Path) -> list[str]:
    """What a program prints after each command."""
    text = "".join(f"{line}\n{MARK}\n" for line in lines)
    env = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}
    done = subprocess.run(
        [*program, *FLAGS], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, timeout=200, cwd=home, env=env,
    )  # fmt: skip
    return MARKED.split(done.stdout)


def form(reply: str) -> list[str]:
    """The lines of a reply without the numbers, plays and dice that may differ.

    A board is its IDs; gnubg draws some twice. Blanks count where two or more stand.
    """
    reply = _BOARD.sub(r"<board \1 \2>\n", reply).replace("GNU Backgammon", "gnubg_py")
    reply = _UNENDED.sub(r"\1\n", reply)
    reply = _GENERATED.sub("Output generated", reply)  # gnubg tells when, on two lines
    lines: list[str] = []
    for line in reply.splitlines():
        for expression, mask in _MASKED:
            line = expression.sub(mask, line)
        line = re.sub(r"  +", "  ", line.rstrip())
        drawn = line.startswith(("<board", "board:"))
        if line and not (drawn and lines and lines[-1] == line):
            lines.append(line)
    return lines


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_forms_are_gnubgs(path: Path, tmp_path: Path) -> None:
    program = find_gnubg()
    if program is None:
        pytest.skip(peers.GNUBG_HINT)
    lines = [line for line in path.read_text().splitlines() if line and line[0] != "#"]
    theirs = replies([str(program)], lines, tmp_path)
    ours = replies(OURS, lines, tmp_path)
    assert len(ours) == len(theirs) == len(lines) + 1
    for line, our_reply, their_reply in zip(lines[1:], ours[1:], theirs[1:], strict=False):
        assert form(our_reply) == form(their_reply), line
