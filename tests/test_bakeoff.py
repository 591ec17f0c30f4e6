"""A bake-off: nets of several shapes fitted for the same time to one run's positions."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gnubg_py.board import Boards
from gnubg_py.evaluators.bearoff import BEAROFF1_LEAF
from gnubg_py.network.model import Net
from gnubg_py.network.weights import Architecture, load_weights
from gnubg_py.probabilities import six_of
from gnubg_py.training.bakeoff import (
    bake,
    main,
    measured,
    multiplications,
    net_config,
    read_buffers,
    share_of_samples,
    share_of_time,
)
from gnubg_py.training.config import TrainConfig
from gnubg_py.training.fit import Buffer, add, new_buffer
from gnubg_py.training.run import train


def bearoffs(n: int, seed: int) -> Boards:
    """Random positions with nine checkers a side in the home boards."""
    rows = np.random.default_rng(seed).multinomial(9, [1 / 6] * 6, size=(n, 2))
    boards = np.zeros((n, 2, 25), np.int8)
    boards[:, :, :6] = rows
    return boards


def exact(n: int, seed: int) -> Buffer:
    """Bearoff positions with their exact outcomes."""
    boards, buffer = bearoffs(n, seed), new_buffer(n)
    add(buffer, boards, six_of(BEAROFF1_LEAF(boards)), np.arange(n))
    return buffer


def test_a_fit_follows_targets_that_were_held_out() -> None:
    held_out = exact(1_000, 2)
    config = net_config("32-8,batch=256,micro_batch=0,rate_first=3e-3,rate_last=1e-4")
    before = measured(Net(Architecture(config.hidden)), held_out, 0)
    net, after = bake(config, exact(4_000, 1), held_out, share_of_samples(256_000))
    assert after.error < before.error / 3
    assert 0 < after.divergence < before.divergence / 3
    assert measured(net, held_out, after.samples) == after


def test_targets_outside_their_range_are_measured_too() -> None:
    held_out = exact(100, 2)
    held_out.targets[0, :2] = [1.01, -0.01]
    assert measured(Net(Architecture((16, 8))), held_out, 0).divergence > 0


def played(run: Path, positions: int, seed: int = 0, kind: str = "contact") -> Path:
    """A run's folder with so many positions of a random net's games in its buffer."""
    config = TrainConfig(kind, hidden=(16, 8), games=16, turns=4, batch=64, uses=0, seed=seed)
    many = replace(config, positions=positions, buffer=2 * positions, report_positions=positions)
    train(many, run)
    return run


def test_buffers_of_several_runs_are_joined_and_blocks_of_each_held_out(tmp_path: Path) -> None:
    runs = [played(tmp_path / "one", 600), played(tmp_path / "two", 900, seed=1)]
    fitted, held_out = read_buffers(runs, 100)
    assert (fitted.filled, held_out.filled) == (500 + 800, 100 + 100)
    alone, _ = read_buffers(runs[1:], 100)
    np.testing.assert_array_equal(fitted.boards[500:], alone.boards)
    np.testing.assert_array_equal(fitted.targets[500:], alone.targets)
    assert fitted.rolls[500:].min() > fitted.rolls[:500].max()


def test_a_fit_ends_with_its_time() -> None:
    config = net_config("16-8,batch=64,micro_batch=0")
    begun = time.process_time()
    _, after = bake(config, exact(400, 1), exact(50, 2), share_of_time(0.2))
    assert time.process_time() - begun >= 0.2
    assert after.samples % (20 * 64) == 0


def test_a_fit_of_so_many_samples_is_the_same_every_time() -> None:
    config = net_config("16-8,batch=256,micro_batch=0,sibling_weight=5")
    nets = [bake(config, exact(2_000, 1), exact(50, 2), share_of_samples(12_800)) for _ in "ab"]
    assert nets[0][1] == nets[1][1]
    assert nets[0][1].samples == 15_360  # whole runs of 20 batches


def test_a_net_that_says_the_targets_has_no_error() -> None:
    held_out = exact(50, 3)
    net = Net(Architecture((4,)))
    said = measured(net, held_out, 0)
    targets = np.full_like(held_out.targets, 1 / 6)
    for parameter in net.parameters():
        parameter.data.zero_()  # equal chances of all six outcomes
    found = measured(net, replace(held_out, targets=targets), 0)
    assert said.error > 0.1
    assert found.error == pytest.approx(0, abs=1e-6)
    assert found.divergence == pytest.approx(0, abs=1e-6)


def test_products_are_those_of_the_dense_layers() -> None:
    assert multiplications(Architecture((512, 128, 64))) == 512 * 128 + 128 * 64 + 64 * 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("512-x", "'512-x' should be hidden layers like 512-128-64"),
        ("64-16,muon=fast", "muon 'fast': expected a number"),
        ("64-16,hidden=3", "hidden is no setting of one number or word of train"),
        ("64-16,speed=3", "speed is no setting of one number or word of train"),
        ("64,muon=10", "quantise, muon: need two hidden layers"),
    ],
)
def test_a_net_that_cannot_be_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        net_config(text)


def test_the_table_has_a_row_for_each_net(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = played(tmp_path / "run", 600)
    words = ["--minutes", "0.003", "--held-out", "100", "--out", str(tmp_path)]
    assert main([str(run), "16-8", "16-8,muon=10", *words]) == 0
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[-2:]]
    assert [row[:2] for row in rows] == [["| 16-8", "176"], ["| 16-8,muon=10", "176"]]
    found = load_weights(tmp_path / "2.safetensors")
    assert found.architecture.hidden == (16, 8)
    assert json.loads(found.card["trained"])["samples"] > 0
    assert json.loads(found.card["config"])["muon"] == 10


def test_a_net_is_for_the_positions_of_its_run(tmp_path: Path) -> None:
    run = played(tmp_path / "run", 600, kind="prune")
    words = ["--minutes", "0.003", "--held-out", "100", "--out", str(tmp_path)]
    assert main([str(run), "16-8", "16-8,position_class=contact", *words]) == 0
    for number, kind in ((1, "prune"), (2, "contact")):
        found = load_weights(tmp_path / f"{number}.safetensors")
        assert found.architecture.position_class == kind
        assert json.loads(found.card["config"])["position_class"] == kind


@pytest.mark.parametrize("words", [["--samples", "0"], ["--samples", "nan"], ["--minutes", "nan"]])
def test_a_fit_of_nothing_is_refused(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path), "16-8", *words]) == 2
    assert "minutes, samples and held-out should be above 0" in capsys.readouterr().err


def test_a_folder_without_a_run_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path), "16-8"]) == 2
    assert "no such checkpoint; name the folder of a training run" in capsys.readouterr().err
