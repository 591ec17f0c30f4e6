"""How far values are from a judge's: the level of a decision's plays, and the rest."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.board import Boards, parse
from gnubg_py.evaluators.protocol import FunctionEvaluator
from gnubg_py.notation.position_id import position_ids
from gnubg_py.plays import plays
from gnubg_py.training.level import level_of, main, read_deep_plays


def always_even(boards: Boards) -> NDArray[np.float32]:
    """Every position is won half of the time, without gammons: all equities are 0."""
    return np.tile(np.array([0.5, 0, 0, 0, 0], np.float32), (len(boards), 1))


def decision(position: str, roll: tuple[int, int], judged: list[tuple[float, int]]) -> str:
    """A line of a file: the first plays of a roll with these equities and look-aheads."""
    board = parse(position)
    after = position_ids(plays(board, roll))
    known = [[one, equity, ply] for one, (equity, ply) in zip(after, judged, strict=False)]
    contact = "contact" if "24" in position else "race"
    (own,) = position_ids(board[None])
    return json.dumps({"id": own, "class": contact, "dice": list(roll), "plays": known})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "judged.jsonl"
    opening = "x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5"
    lines = [
        decision(opening, (3, 1), [(0.3, 3), (0.1, 3), (9.0, 0)]),
        decision(opening, (6, 5), [(-0.1, 3), (5.0, 1)]),
        decision("x 5:2 4:3 / o 5:3 3:2", (2, 1), [(1.0, 3), (2.0, 3)]),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_levels_are_those_of_the_deepest_judged_contact_plays(file: Path) -> None:
    judged = read_deep_plays(file)
    assert judged.equities.tolist() == [0.3, 0.1, -0.1]
    assert judged.first.tolist() == [0, 2, 3]
    found = level_of(FunctionEvaluator("even", always_even), judged)
    assert (found.decisions, found.plays) == (2, 3)
    assert found.level == pytest.approx(np.sqrt((0.2**2 + 0.1**2) / 2))
    assert found.within == pytest.approx(np.sqrt(2 * 0.1**2))


def test_the_command_prints_a_row_for_each_net(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fast", "pseudopip", "--decisions", str(file)]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split(" | ")[0] for row in rows[2:]] == ["| fast", "| pseudopip"]
    assert main(["fast", "--decisions", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["fast"]["plays"] == 3


def test_a_file_without_look_ahead_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "shallow.jsonl"
    path.write_text(decision("x 24:2 6:5 / o 24:2 6:5", (3, 1), [(0.1, 0)]) + "\n")
    assert main(["fast", "--decisions", str(path)]) == 2
    assert "no contact or crashed decision" in capsys.readouterr().err
