"""Curves of cube efficiency: rollouts, the fit, and what the shipped curves are better than."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnubg_py.board import Boards, parse
from gnubg_py.cube.efficiency import CURVES_FILE, GROUPS, group_numbers, read_curves
from gnubg_py.evaluators.classify import classify
from gnubg_py.training.cube_curves import (
    _KEYS,
    CUBES,
    Rolled,
    bases,
    curves_text,
    errors_of,
    fit_curves,
    main,
    read_rolled,
)

LOGS = Path(__file__).parents[1] / "nets" / "logs"
HELD_OUT = LOGS / "cube_curves_held_out.jsonl.gz"


def races(n: int) -> tuple[Boards, np.ndarray]:
    """n races that all look alike, and chances that do not."""
    boards = np.repeat(parse("x 8:8 6:7 / o 9:8 6:7")[None], n, axis=0)
    w = np.linspace(0.1, 0.9, n)
    five = np.zeros((n, 5))
    five[:, 0] = w
    return boards, five


def test_the_fit_finds_the_curves_that_made_the_values() -> None:
    boards, five = races(2000)
    curves = np.stack([np.linspace(0.5, 0.9, 9), np.linspace(0.9, 0.6, 9), np.full(9, 0.7)])
    dead, apart, weights = bases(five)
    values = dead + (weights @ curves.T) * apart
    found = fit_curves(Rolled(boards, five, values, np.full_like(values, 0.01)))["race"]
    inside = slice(2, 7)  # the ends are met by chances that the data do not have
    np.testing.assert_allclose(found[:, inside], curves[:, inside], atol=0.03)


def test_the_values_of_a_curve_are_the_kernels() -> None:
    """``errors_of`` interpolates in numpy what ``efficiency_at`` does for the search."""
    from gnubg_py.cube.values import cube_table, node_values

    rolled = read_rolled([HELD_OUT])
    _, by_curves = errors_of(rolled, rolled.five, read_curves())
    values = node_values(
        rolled.boards,
        classify(rolled.boards),
        rolled.five.astype(np.float32),
        cube_table(CUBES),
        may_double=False,
    )
    np.testing.assert_allclose(by_curves + rolled.values, values, atol=1e-5)


def test_the_shipped_curves_are_those_of_the_log() -> None:
    assert (
        curves_text(fit_curves(read_rolled([LOGS / "cube_curves.jsonl.gz"])))
        == CURVES_FILE.read_text()
    )


@pytest.mark.parametrize("group", ["race", "one-sided", "short", "two-sided"])
def test_curves_are_nearer_to_new_rollouts_than_constants(group: str) -> None:
    rolled = read_rolled([HELD_OUT])
    rows = group_numbers(rolled.boards, classify(rolled.boards)) == GROUPS.index(group)
    constants, curves = (e[rows] for e in errors_of(rolled, rolled.five, read_curves()))
    assert rows.sum() > 100
    assert ((curves**2).mean(axis=0) < 0.7 * (constants**2).mean(axis=0)).all()


def test_rollouts_continue_where_a_file_ends(tmp_path: Path) -> None:
    path, whole = tmp_path / "some.jsonl", tmp_path / "whole.jsonl"
    words = ["--groups", "two-sided", "--positions", "20", "--trials", "2"]
    assert main(["roll", str(whole), *words]) == 0
    lines = whole.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:16]))
    assert main(["roll", str(path), *words]) == 0
    assert path.read_text() == whole.read_text()
    assert main(["fit", str(path), "--out", str(tmp_path / "curves.csv")]) == 0
    assert list(read_curves(tmp_path / "curves.csv")) == ["two-sided"]


def test_other_files_get_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.jsonl"
    rows: tuple[list[float], ...] = ([0.5] * 5, [0.1] * 3, [0.1] * 3)
    whole: dict[str, Any] = {"id": "4HPwATDgc/ABMA", **dict(zip(_KEYS, rows, strict=True))}
    missing = [{key: value for key, value in whole.items() if key != gone} for gone in whole]
    for line in (*missing, *({**whole, key: [0.5]} for key in _KEYS)):
        other.write_text(json.dumps(line) + "\n")
        assert main(["check", str(other)]) == 2
        assert "not rollouts of cubes" in capsys.readouterr().err


@pytest.mark.parametrize(("option", "value"), [("--positions", "0"), ("--trials", "1")])
def test_too_few_rollouts_are_refused(
    option: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["roll", str(tmp_path / "some.jsonl"), option, value]) == 2
    assert f"{option[2:]} {value}: should be at least" in capsys.readouterr().err
