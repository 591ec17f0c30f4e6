"""Positions of a run with the values of a search."""

from __future__ import annotations

import itertools
import json
import signal
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from gnubg_py.engine import engine_of
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.plays import plays_batch
from gnubg_py.probabilities import OUTCOME_EQUITIES, six_of
from gnubg_py.search.context import make_search
from gnubg_py.search.settings import EvalSettings
from gnubg_py.search.values import cubeless_probabilities
from gnubg_py.training import deepen as deepen_module
from gnubg_py.training.bakeoff import read_buffers
from gnubg_py.training.checkpoint import CHECKPOINT, read_arrays
from gnubg_py.training.deepen import main, near_best
from gnubg_py.training.fit import Buffer
from tests.conftest import play_random_positions


def buffer_of_rolls(rolls: int) -> Buffer:
    """The plays of some rolls, with the fast net's values."""
    boards = play_random_positions(4 * rolls, 5)
    boards = boards[classify(boards) >= PositionClass.CRASHED][:rolls]
    dice = np.random.default_rng(5).integers(1, 7, (rolls, 2)).astype(np.int8)
    plays, offsets = plays_batch(boards, dice)
    number = np.repeat(np.arange(rolls), np.diff(offsets))
    contact = classify(plays) >= PositionClass.CRASHED
    plays, number = plays[contact], number[contact]
    targets = six_of(engine_of("fast").evaluator(plays)).astype(np.float32)
    return Buffer(plays, targets, number, len(plays))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    buffer = buffer_of_rolls(25)
    folder = tmp_path / "run"
    folder.mkdir()
    arrays = {f"buffer.{name}": getattr(buffer, name) for name in ("boards", "targets", "rolls")}
    config = {"config": json.dumps({"position_class": "contact"})}
    save_file(arrays, folder / CHECKPOINT, config)
    monkeypatch.setattr(deepen_module, "_AT_ONCE", 4)
    return folder


def words(run: Path, out: Path, *more: str) -> list[str]:
    return [str(run), str(out), "--evaluator", "fast", *more]


def read(out: Path) -> list[np.ndarray]:
    names = [f"buffer.{name}" for name in ("boards", "targets", "rolls")]
    return list(read_arrays(out / CHECKPOINT, names)[0].values())


def test_the_best_plays_of_a_roll_are_taken() -> None:
    buffer = buffer_of_rolls(25)
    rows, offsets = near_best(buffer, 3, 0.05)
    equities = buffer.targets @ OUTCOME_EQUITIES
    assert np.diff(offsets).max() == 3
    for first, end in itertools.pairwise(offsets):
        some = rows[first:end]
        (number,) = set(buffer.rolls[some])
        of_roll = np.sort(equities[buffer.rolls == number])
        assert np.array_equal(equities[some], of_roll[: len(some)])
        assert equities[some[-1]] <= of_roll[0] + 0.05 + 1e-6


def test_their_targets_are_the_values_of_the_search(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(words(run, out, "--ply", "1")) == 0
    boards, targets, rolls = read(out)
    search = make_search(engine_of("fast"), EvalSettings(1, cubeful=False))
    expected = six_of(cubeless_probabilities(search, boards))
    assert np.allclose(targets, expected, atol=1e-6)
    buffer = buffer_of_rolls(25)
    rows, offsets = near_best(buffer, 4, 0.08)
    assert sorted(b.tobytes() for b in boards) == sorted(b.tobytes() for b in buffer.boards[rows])
    changes = 1 + np.count_nonzero(np.diff(rolls))
    assert changes == len(offsets) - 1


def test_a_bake_off_reads_them(run: Path, tmp_path: Path) -> None:
    assert main(words(run, tmp_path / "out", "--ply", "0")) == 0
    fitted, held = read_buffers([tmp_path / "out"], 5)
    assert fitted.filled > held.filled > 0


def test_the_same_command_goes_on(run: Path, tmp_path: Path) -> None:
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert main(words(run, whole, "--ply", "0", "--seed", "3")) == 0
    assert main(words(run, out, "--ply", "0", "--seed", "3", "--rolls", "7")) == 0
    few = len(read(out)[0])
    assert main(words(run, out, "--ply", "0", "--seed", "3")) == 0
    assert few < len(read(out)[0])
    for mine, expected in zip(read(out), read(whole), strict=True):
        assert np.array_equal(mine, expected)


def test_a_stop_keeps_what_is_done(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched, whole, out = deepen_module.searched, tmp_path / "whole", tmp_path / "out"
    assert main(words(run, whole, "--ply", "0")) == 0

    def stopping(*args):  # type: ignore[no-untyped-def]
        signal.raise_signal(signal.SIGINT)
        return searched(*args)

    monkeypatch.setattr(deepen_module, "searched", stopping)
    assert main(words(run, out, "--ply", "0")) == 0
    assert 0 < len(read(out)[0]) < len(read(whole)[0])
    monkeypatch.setattr(deepen_module, "searched", searched)
    assert main(words(run, out, "--ply", "0")) == 0
    for mine, expected in zip(read(out), read(whole), strict=True):
        assert np.array_equal(mine, expected)


def test_what_is_done_is_written_from_time_to_time(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched, out, calls = deepen_module.searched, tmp_path / "out", []

    def failing(*args):  # type: ignore[no-untyped-def]
        calls.append(args)
        if len(calls) == 3:
            raise ValueError("the disk is full")
        return searched(*args)

    monkeypatch.setattr(deepen_module, "_SECONDS", -1)
    monkeypatch.setattr(deepen_module, "searched", failing)
    assert main(words(run, out, "--ply", "0")) == 2
    kept = len(read(out)[0])
    assert kept == sum(len(rows) for _, rows, _ in calls[:2])


def test_a_seed_draws_the_rolls(run: Path, tmp_path: Path) -> None:
    drawn = set()
    for seed in range(6):
        name = tmp_path / str(seed)
        assert main(words(run, name, "--ply", "0", "--rolls", "4", "--seed", str(seed))) == 0
        drawn.add(read(name)[0].tobytes())
    assert len(drawn) > 1


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (["--rolls", "0"], "rolls 0: should be at least 1"),
        (["--within", "-1"], "within -1.0: should be at least 0"),
        (["--ply", "9"], "9 plies: should be a whole number from 0 to 4"),
    ],
)
def test_wrong_options_are_refused(
    run: Path,
    tmp_path: Path,
    more: list[str],
    problem: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(words(run, tmp_path / "out", *more)) == 2
    assert problem in capsys.readouterr().err


@pytest.mark.parametrize(
    "other", ["--ply 1", "--seed 4", "--most 3", "--within 0.01", "--evaluator pseudopip"]
)
def test_positions_of_another_command_are_not_mixed(
    run: Path, tmp_path: Path, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(words(run, out, "--ply", "0", "--rolls", "4")) == 0
    assert main(words(run, out, "--ply", "0", *other.split())) == 2
    assert "another command" in capsys.readouterr().err


def test_a_run_that_went_on_is_another(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(run, tmp_path / "out", "--ply", "0", "--rolls", "4")) == 0
    arrays, texts = read_arrays(run / CHECKPOINT)
    arrays["buffer.targets"] = arrays["buffer.targets"][::-1].copy()
    save_file(arrays, run / CHECKPOINT, texts)
    assert main(words(run, tmp_path / "out", "--ply", "0")) == 2
    assert "another command" in capsys.readouterr().err


def test_runs_without_positions_of_six_outcomes_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for targets, problem in ((96, "a rolls net's run"), (6, "its buffer has no positions")):
        arrays: dict[str, np.ndarray] = {
            "buffer.boards": np.zeros((0, 2, 25), np.int8),
            "buffer.targets": np.zeros((0, targets), np.float32),
            "buffer.rolls": np.zeros(0, np.int64),
        }
        save_file(arrays, tmp_path / CHECKPOINT, {"config": "{}"})
        assert main(words(tmp_path, tmp_path / "out", "--ply", "0")) == 2
        assert problem in capsys.readouterr().err
