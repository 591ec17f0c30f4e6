"""A user's type checker accepts the front door and the examples of the documentation."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from gnubg_py.paths import checkout

api = pytest.importorskip("mypy.api")
PAGES = ("README.md", "docs/library.md")

FRONT_DOOR = """
import gnubg_py
from gnubg_py.matches.match_analysis import MatchAnalysis
from gnubg_py.results import CubeHint, Evaluation, PlaysHint
from gnubg_py.rollouts.result import RolloutResult

plays: PlaysHint = gnubg_py.best_plays("4HPwATDgc/ABMA", "31")
cube: CubeHint = gnubg_py.cube_action("4HPwATDgc/ABMA")
either: PlaysHint | CubeHint = gnubg_py.hint("4HPwATDgc/ABMA")
value: Evaluation = gnubg_py.evaluate("4HPwATDgc/ABMA")
result: RolloutResult = gnubg_py.rollout("4HPwATDgc/ABMA")
analysis: MatchAnalysis = gnubg_py.analyse("match.mat")
chance: float = plays.best.probabilities.win
"""


def page_source(page: Path) -> str:
    """The examples of a page as one Python file; those that should fail are left out."""
    examples = doctest.DocTestParser().get_examples(page.read_text("utf-8"))
    return "".join(e.source for e in examples if e.exc_msg is None)


def test_mypy_accepts_the_examples(tmp_path: Path) -> None:
    root = checkout()
    assert root is not None
    sources = {"front_door": FRONT_DOOR}
    sources |= {Path(page).stem.lower(): page_source(root / page) for page in PAGES}
    for name, source in sources.items():
        assert "gnubg_py" in source, name
        (tmp_path / f"{name}_examples.py").write_text(source)
    out, errors, _ = api.run(
        [
            "--strict",
            "--follow-imports=silent",
            f"--config-file={root / 'pyproject.toml'}",
            "--no-error-summary",
            *(str(tmp_path / f"{name}_examples.py") for name in sources),
        ]
    )
    assert (out, errors) == ("", "")
