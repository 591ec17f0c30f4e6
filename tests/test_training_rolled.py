"""How far values are from rollouts, by the checkers that are off."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gnubg_py.board import parse
from gnubg_py.notation.position_id import position_id
from gnubg_py.training.rolled import RolledValues, errors_by_off, main, read_rolled_values

HIT_LATE = parse("x bar:1 3:1 2:1 1:1 / o 6:2 5:2 4:2 3:2 2:2 1:2")
OPENING = parse("x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5")


def test_the_rollouts_own_errors_are_taken_out() -> None:
    rolled = RolledValues(
        np.stack([OPENING, HIT_LATE]), np.array([0.1, -0.5]), np.array([0.03, 0.06])
    )
    found = errors_by_off(np.array([0.15, -0.4]), rolled)
    assert found["none off"] == pytest.approx(0.04)
    assert found["11 and more off"] == pytest.approx(0.08)
    assert found["all"] == pytest.approx(np.sqrt((0.04**2 + 0.08**2) / 2))
    assert errors_by_off(rolled.equities, rolled)["all"] == 0


def test_positions_are_rolled_out_and_a_file_is_continued(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rolled.jsonl"
    words = ["roll", str(file), "--net", "fast", "--each", "3", "--trials", "36"]
    assert main(words) == 0
    whole = file.read_text()
    rolled = read_rolled_values(file)
    assert 6 <= len(rolled.boards) <= 12
    assert (rolled.errors > 0).all()
    first, *rest = whole.splitlines()
    file.write_text("".join(line + "\n" for line in rest))
    assert main(words) == 0
    assert file.read_text().splitlines() == [*rest, first]
    assert main(["errors", str(file), "fast", "pseudopip"]) == 0
    _, _, every, *groups = capsys.readouterr().out.splitlines()
    good, bad = (float(cell) for cell in every.strip(" |").split(" | ")[3:])
    assert 0 <= good < 100 < bad
    assert groups[0].startswith("| none off | 3 |")


def test_a_stop_leaves_a_file_that_is_continued(tmp_path: Path) -> None:
    file = tmp_path / "rolled.jsonl"
    words = ["roll", str(file), "--net", "fast", "--each", "1", "--trials", "36"]
    file.write_text("")
    assert main(words) == 0
    whole = file.read_text()
    file.write_text(whole[:-9])  # the last line was being written
    assert main(words) == 0
    assert file.read_text() == whole


def test_rollouts_of_other_settings_are_not_mixed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rolled.jsonl"
    words = ["roll", str(file), "--each", "1"]
    assert main([*words, "--net", "fast", "--trials", "36"]) == 0
    for other in (["--net", "fast", "--trials", "72"], ["--net", "net", "--trials", "36"]):
        assert main([*words, *other]) == 2
        assert "made by '0 plies, 36 trials" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line", ["", "{}", json.dumps({"id": position_id(OPENING), "equity": "much", "error": 0.1})]
)
def test_a_file_of_something_else_is_named(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rolled.jsonl"
    file.write_text(line + "\n" if line else "")
    assert main(["errors", str(file), "net"]) == 2
    assert str(file) in capsys.readouterr().err


def test_wrong_numbers_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["roll", str(tmp_path / "rolled.jsonl"), "--trials", "3"]) == 2
    assert "trials at least 36" in capsys.readouterr().err
