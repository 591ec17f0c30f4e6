"""``gnubg-py bench``: what it measures adds up, with gnubg beside it and without."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gnubg_py import cli
from gnubg_py.bench import speed
from gnubg_py.bench.speed import SpeedSettings
from gnubg_py.compare.duel import random_play, self_play
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.registry import default_router
from gnubg_py.network.floats import fast_net
from gnubg_py.network.levels import IntegerNet
from gnubg_py.threads import thread_count
from tests.network_twins import random_weights

TINY = SpeedSettings(threads=1, rounds=1, seconds=0.001, positions=64)


def fake_gnubg(folder: Path, answer: str) -> str:
    """A program that takes gnubg's words, and answers only if told of 1 thread."""
    program = folder / "gnubg"
    script = (
        f'#!/bin/sh\nfor file; do :; done\ngrep -q "set threads 1" "$file" && echo "{answer}"\n'
    )
    program.write_text(script)
    program.chmod(0o755)
    return str(program)


def test_with_gnubg_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gnubg = fake_gnubg(
        tmp_path,
        "Calibration result: 1000 static evaluations/second.\ndecisions took 2 seconds",
    )
    monkeypatch.setattr(speed, "find_gnubg", lambda: gnubg)
    before = thread_count()
    figures = speed.speed(TINY)
    assert thread_count() == before
    rates = {key: value for key, value in figures.items() if key.endswith("_per_second")}
    assert len(rates) == 18
    assert all(value is not None and value > 0 for value in rates.values())
    assert figures["gnubg_decisions_per_second"] == pytest.approx(4 / 2)
    assert figures["decisions_ratio_to_gnubg"] == (figures["decisions_per_second"] or 0) / 2
    searched = (figures["search_evaluations_per_second"] or 0) / (
        figures["decisions_per_second"] or 1
    )
    assert searched == pytest.approx(figures["search_evaluations_per_decision"] or 0)
    assert searched > 100
    evaluations = figures["evaluations_per_second"] or 0
    assert figures["gnubg_evaluations_per_second"] == 1000
    assert figures["ratio_to_gnubg"] == evaluations / 1000
    is_whole = isinstance(speed.contact_leaf("net").net, IntegerNet)
    peak = "byte_operations" if is_whole else "matrix_flops"
    flops = (figures[f"{peak}_per_second"] or 1) * (figures["share_of_matrix_peak"] or 0)
    assert flops == pytest.approx(evaluations * (figures["flops_per_evaluation"] or 0))
    for prefix in ("", "python_"):  # both generators find as many plays a roll
        plays = (figures[f"{prefix}boards_per_second"] or 0) / (
            figures[f"{prefix}rolls_per_second"] or 1
        )
        assert 10 < plays < 40


def test_without_gnubg_and_a_fast_net() -> None:
    best = {
        "rolls_per_second": 1e6,
        "python_rolls_per_second": 1e4,
        "evaluations_per_second": 2e6,
        "child_evaluations_per_second": 3e6,
        "matrix_flops_per_second": 1e12,
    }
    figures = speed.speed_summary(best, 20.0, {"": 100_000})
    assert figures["boards_per_second"] == 2e7
    assert figures["share_of_matrix_peak"] == pytest.approx(0.2)
    for key in ("gnubg_evaluations_per_second", "ratio_to_gnubg", "fast_ratio_to_gnubg"):
        assert figures[key] is None
    assert figures["fast_evaluations_per_second"] is None


def test_a_gnubg_that_does_not_tell_is_left_out(tmp_path: Path) -> None:
    assert speed.gnubg_rate(fake_gnubg(tmp_path, "Segmentation fault"), 1, 0.1) == 0
    assert speed.gnubg_rate(str(tmp_path / "none"), 1, 0.1) == 0
    figures = speed.speed_summary(
        {
            "rolls_per_second": 1.0,
            "python_rolls_per_second": 1.0,
            "evaluations_per_second": 1.0,
            "matrix_flops_per_second": 1.0,
            "gnubg_evaluations_per_second": 0.0,
        },
        1.0,
        {"": 1},
    )
    assert figures["gnubg_evaluations_per_second"] is None
    assert figures["ratio_to_gnubg"] is None


def test_the_best_round_counts_and_all_take_turns() -> None:
    order: list[str] = []
    rates = {"a": [3.0, 5.0, 4.0], "b": [2.0, 1.0, 1.0]}

    def measure(key: str, seconds: float) -> float:
        order.append(key)
        return rates[key][(len(order) - 1) // 2]

    measures = {key: (lambda seconds, key=key: measure(key, seconds)) for key in rates}
    assert speed.best_rates(measures, 3, 0.1) == {"a": 5.0, "b": 2.0}
    assert "".join(order) == "ababab"


def test_flops_are_those_of_the_dense_layers() -> None:
    assert speed.flops_per_evaluation(fast_net(random_weights((32, 16, 8)))) == 2 * (
        32 * 16 + 16 * 8 + 8 * 6
    )


def test_positions_depend_on_the_seed_alone() -> None:
    router = default_router()
    one, again, other = (self_play(40, seed, router) for seed in (1, 1, 2))
    assert len(one) == 40
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert (classify(one) == PositionClass.CONTACT).all()
    assert np.array_equal(random_play(40, 3), random_play(40, 3))


def test_the_command_prints_a_table_or_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(speed, "find_gnubg", lambda: None)
    speed_settings = {"rounds": 1, "seconds": 0.001, "positions": 64}
    monkeypatch.setattr("gnubg_py.commands.bench.QUICK", speed_settings)
    assert cli.main(["bench", "--quick", "--threads", "2"]) == 0
    table = capsys.readouterr().out
    assert "contact net, 2 threads" in table
    (line,) = (line for line in table.splitlines() if "gnubg's calibrate" in line)
    assert line.split()[-1] == "-"
    assert "2-ply decisions, 2 threads" in table
    assert cli.main(["bench", "--quick", "--json", "--rounds", "1"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["threads"] == thread_count()
    assert figures["evaluations_per_second"] > 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--threads", "0"], "threads 0: should be 1 to 1024"),
        (["--rounds", "0"], "rounds 0: should be 1 or more"),
        (["--seed", "-1"], "seed -1: should be 0 or more"),
    ],
)
def test_bad_words(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", *words]) == 2
    assert capsys.readouterr().err == f"gnubg-py: {message}\n"
