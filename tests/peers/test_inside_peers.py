"""The same scripts inside gnubg and inside our shell: forms, and all values that the rules fix."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from gnubg_py.inside.run import run_script
from gnubg_py.shell.session import Session

from . import peers

PLAY = """
import gnubg

command = gnubg.command
for line in ("set player 0 human", "set player 1 human", "set automatic roll off",
             "set automatic game off", "set automatic move off",
             "set automatic bearoff off", "set display off",
             "set evaluation chequerplay evaluation plies 0"):
    command(line)

state = [7]
def number(n):
    state[0] = (state[0] * 1103515245 + 12345) % 2**31
    return (state[0] >> 16) % n

def facts():
    return [gnubg.board(), gnubg.cubeinfo(), gnubg.posinfo(), gnubg.gnubgid(), gnubg.positionkey(
        [list(row) for row in gnubg.board()]), gnubg.classifypos()]

# Every play is the first by its text, so that the strength of the programs does not matter.
command("new match 5")
command("set turn 1")
for turn in range(400):
    if gnubg.posinfo()["gamestate"] != 1:
        if gnubg.match(0)["match-info"]["result"]:
            break
        command("new game")
        command("set turn %d" % number(2))
    emit(facts())
    if number(12) == 0:
        command("double")
        emit(facts())
        command("take" if number(3) else "drop")
        continue
    dice = sorted((number(6) + 1, number(6) + 1), reverse=True)
    command("set dice %d %d" % tuple(dice))
    plays = sorted(play["move"] for play in gnubg.hint(1000)["hint"])
    emit(plays)
    if plays:
        steps = gnubg.parsemove(plays[0])
        emit([steps, gnubg.movetupletostring(steps, gnubg.board())])
    command("move " + plays[0] if plays else "move")
found = gnubg.match(0, 1)
for key in ("X", "O", "date"):
    del found["match-info"][key]
# What stands first in a game is the opening roll, of each program's own dice.
for game in found["games"]:
    game["game"] = [entry for entry in game["game"] if entry["action"] != "set"]
emit(found)
emit(gnubg.met(9))
"""

SHAPES = """
import gnubg

def shape(value):
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value).__name__] + [shape(inner) for inner in value]
    return type(value).__name__

for line in ("set player 0 human", "set player 1 human", "set automatic roll off",
             "set automatic game off", "set display off",
             "set analysis chequerplay evaluation plies 0",
             "set analysis cubedecision evaluation plies 0",
             "set evaluation chequerplay evaluation plies 0",
             "set evaluation cubedecision evaluation plies 0"):
    gnubg.command(line)
gnubg.command("new match 3")
gnubg.command("set turn 1")
emit([shape(gnubg.evaluate()), shape(gnubg.cfevaluate()), shape(gnubg.evalcontext()),
      shape(gnubg.rolloutcontext()), shape(gnubg.met(2)), gnubg.eq2mwc(0.25), gnubg.mwc2eq(0.6),
      gnubg.eq2mwc_stderr(0.1), gnubg.mwc2eq_stderr(0.1), gnubg.getevalhintfilter()])
for cube in ((1, -1, 1, 0, (0, 0), 0), (2, 0, 0, 7, (3, 4), 0), (4, 1, 1, 9, (2, 6), 0),
             (1, -1, 0, 5, (4, 1), 1), (1, -1, 1, 5, (4, 1), 0)):
    emit(gnubg.calcgammonprice(gnubg.cubeinfo(*cube)))
gnubg.command("set dice 3 1")
emit(shape(gnubg.hint(3)))
gnubg.command("move 8/5 6/5")
gnubg.command("double")
gnubg.command("take")
gnubg.command("set dice 6 2")
gnubg.command("move 24/18 13/11")
gnubg.command("analyse match")
found = gnubg.match(1, 1, 1, 1)
emit([shape(found["match-info"]), shape(found["stats"]), shape(found["games"][0]["stats"])])
for entry in found["games"][0]["game"]:
    # gnubg knows no cube decision before the first play of a game, which `set turn' makes possible.
    if entry["action"] != "set" and entry["dice" if "dice" in entry else "action"] != (3, 1):
        said = entry.get("analysis", {})
        moves = said.get("moves", ())
        emit([list(entry), list(said), len(moves), list(moves[0]) if moves else None])
"""


def ours(source: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[Any]:
    """What a script emits inside our shell."""
    path = folder / "script.py"
    emit = "import json\ndef emit(value):\n    print('JSON ' + json.dumps(value), flush=True)\n"
    path.write_text(emit + source, "utf-8")
    session = Session(out=io.StringIO())
    capsys.readouterr()
    run_script(session, path)
    printed = capsys.readouterr()
    assert printed.err == ""
    return [json.loads(line[5:]) for line in printed.out.splitlines() if line.startswith("JSON ")]


def gnubgs(source: str) -> list[Any]:
    """What a script emits inside gnubg."""
    printed = peers.gnubg_script(source, None, 120)
    return [json.loads(line[5:]) for line in printed.splitlines() if line.startswith("JSON ")]


def assert_alike(mine: Any, theirs: Any, where: str = "") -> None:
    """Equal, the numbers to six digits, the keys of dictionaries in the same order."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        assert list(mine) == list(theirs), where
        for key, value in mine.items():
            assert_alike(value, theirs[key], f"{where}.{key}")
    elif isinstance(mine, list) and isinstance(theirs, list):
        assert len(mine) == len(theirs), (where, mine, theirs)
        for i, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            assert_alike(one, other, f"{where}[{i}]")
    elif isinstance(mine, float) or isinstance(theirs, float):
        assert mine == pytest.approx(theirs, abs=2e-6, rel=2e-5), where
    else:
        assert mine == theirs, where


@pytest.mark.parametrize("source", [PLAY, SHAPES], ids=["play", "shapes"])
def test_a_script_finds_the_same_in_both_programs(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = gnubgs(source)
    mine = ours(source, tmp_path, capsys)
    assert theirs
    for i, (one, other) in enumerate(zip(mine, theirs, strict=False)):
        assert_alike(one, other, f"emitted {i}")
    assert len(mine) == len(theirs)
