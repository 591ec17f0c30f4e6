"""Residuals: zero where values are exact, and what the tool prints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.board import Boards, parse
from gnubg_py.evaluators.protocol import FunctionEvaluator
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.training.plot import main as plot_of
from gnubg_py.training.residual import groups, main, residual_of, residuals


def test_exact_values_have_no_residual() -> None:
    boards = np.stack([parse("x 6:2 5:2 / o 4:3"), parse("x 3:1 / o 2:2 1:1")])
    assert np.abs(residuals(evaluator_named("net"), boards)).max() < 1e-4


def test_a_residual_is_what_the_best_plays_promise_less_the_own_value() -> None:
    # This evaluator thinks that checkers on the bar are all that counts: each costs 0.2.
    def by_bar(boards: Boards) -> NDArray[np.float64]:
        five = np.zeros((len(boards), 5))
        five[:, 0] = 0.5 - 0.1 * boards[:, 0, 24] + 0.1 * boards[:, 1, 24]
        return five

    board = parse("x 24:1 23:1 6:2 / o 24:2 8:1 6:2")[None]
    hits = [  # o's blot is 7 and 6 pips away; o's 6 point blocks 2-2
        (a, b) for a in range(1, 7) for b in range(1, 7)
        if a + b in (6, 7) or 6 in (a, b)
    ]  # fmt: skip
    found = residuals(FunctionEvaluator("by bar", by_bar), board)[0]
    assert found == pytest.approx(0.2 * len(hits) / 36, abs=1e-6)


def test_groups_of_checkers_off() -> None:
    boards = np.stack(
        [parse("x 24:2 6:13 / o 24:2 6:13"), parse("x 6:4 / o 24:1 6:14"), parse("x 6:2 / o 24:1")]
    )
    there = groups(boards)
    assert there["none off"].tolist() == [True, False, False]
    assert there["11 and more off"].tolist() == [False, True, True]
    assert there["all"].all()


def test_the_tool_prints_a_column_for_each_net(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids, plot = tmp_path / "ids.txt", tmp_path / "bars.svg"
    words = ["fast", "pseudopip", "--play", "pseudopip", "--positions", "40", "--save", str(ids)]
    assert main([*words, "--plot", str(plot), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["fast"]["all"]["n"] == 40
    assert first["fast"]["all"]["rms"] < first["pseudopip"]["all"]["rms"]
    assert "<svg" in plot.read_text()
    assert main(["fast", "--positions-file", str(ids)]) == 0
    assert "| all | 40 |" in capsys.readouterr().out
    assert main(["nowhere.safetensors"]) == 2
    assert residual_of(np.array([3.0, -4.0])).rms == pytest.approx(3.53553)


def test_residuals_of_runs_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = Path(__file__).parent.parent / "nets" / "logs"
    out = tmp_path / "residuals.svg"
    assert plot_of([str(out), str(logs / "l1.jsonl"), str(logs / "l2.jsonl")]) == 0
    assert "<svg" in out.read_text()
    assert plot_of([str(out), str(logs / "s6.jsonl")]) == 2
    assert "no residuals in it" in capsys.readouterr().err
