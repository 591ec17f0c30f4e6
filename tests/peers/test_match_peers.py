"""Error rates of players beside gnubg's analysis of the same match."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import gnubg_py
from gnubg_py.bench.gnubg_program import find_gnubg
from gnubg_py.paths import checkout

from . import peers

pytestmark = pytest.mark.peers


def gnubgs_rates(match: Path, folder: Path, plies: int) -> list[float]:
    """gnubg's error rates of both players of a match, in thousandths."""
    program = find_gnubg()
    if program is None:
        pytest.skip(peers.GNUBG_HINT)
    lines = [
        f"set analysis chequerplay evaluation plies {plies}",
        f"set analysis cubedecision evaluation plies {plies}",
        f"import mat {match}",
        "analyse match",
        "show statistics match",
    ]
    script = folder / "lines"
    script.write_text("\n".join(lines) + "\n")
    command = [program, "-t", "-q", "-r", "-c", str(script)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    text = done.stdout.decode("latin-1")
    overall = text[text.index("Overall statistics") :]
    found = re.search(r"Error rate mEMG \(MWC\)\s+([-+.\d]+).*?\)\s+([-+.\d]+)", overall)
    assert found is not None
    return [-float(found[1]), -float(found[2])]


@pytest.mark.parametrize("plies", [0, 2])
def test_error_rates_are_near_gnubgs(tmp_path: Path, plies: int) -> None:
    root = checkout()
    assert root is not None
    match = root / "docs" / "reports" / "match.mat"
    theirs = gnubgs_rates(match, tmp_path, plies)
    ours = [1000 * one.rate for one in gnubg_py.analyse(match, ply=plies).statistics()]
    assert ours == pytest.approx(theirs, rel=0.25)
