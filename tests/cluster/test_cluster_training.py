"""Training runs whose games are played by the workers of a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnubg_py.cli import main
from gnubg_py.cluster.connecting import Cluster
from gnubg_py.workers import WorkersLostError
from tests.cluster.processes import kill_a_worker

pytest.importorskip("distributed")


def tiny(start: Path) -> Any:
    """The settings of a short training run of four lanes."""
    from gnubg_py.training.config import TrainConfig

    return TrainConfig(
        hidden=(16, 8),
        games=24,
        lanes=4,
        turns=6,
        positions=720,
        batch=128,
        buffer=5_000,
        average=0.9,
        report_positions=400,
        checkpoint_minutes=0.0,
        max_game_turns=60,
        start=str(start),
    )


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small net to start from, which saves the first guess."""
    from gnubg_py.network.model import Net, weights_of
    from gnubg_py.network.weights import Architecture, save_weights

    file = tmp_path_factory.mktemp("start") / "start.safetensors"
    save_weights(file, weights_of(Net(Architecture((16, 8)))))
    return file


def weights_in(folder: Path) -> dict[str, Any]:
    from safetensors.numpy import load_file

    return load_file(folder / "net.safetensors")


def same_weights(one: Path, other: Path) -> bool:
    first, second = weights_in(one), weights_in(other)
    return all(np.array_equal(first[name], second[name]) for name in first)


def test_a_synchronous_run_is_the_same_though_a_worker_is_killed(
    cluster: Cluster, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gnubg_py.training import lanes
    from gnubg_py.training import run as run_module

    run_module.train(tiny(start), tmp_path / "here")
    rounds: list[int] = []
    real = lanes.play_lanes

    def killing(*words: Any) -> Any:
        rounds.append(1)
        if len(rounds) == 3:
            kill_a_worker(cluster)
        return real(*words)

    monkeypatch.setattr(run_module, "play_lanes", killing)
    run_module.train(tiny(start), tmp_path / "there", workers=cluster)
    assert len(rounds) > 3
    assert same_weights(tmp_path / "there", tmp_path / "here")


def test_a_run_of_lanes_resumes_to_the_same_weights(
    start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gnubg_py.training import lanes
    from gnubg_py.training import run as run_module

    run_module.train(tiny(start), tmp_path / "whole")
    rounds: list[int] = []
    real = lanes.play_lanes

    def failing(*words: Any) -> Any:
        rounds.append(1)
        if len(rounds) == 4:
            raise WorkersLostError("cluster: lost")
        return real(*words)

    monkeypatch.setattr(run_module, "play_lanes", failing)
    with pytest.raises(WorkersLostError):
        run_module.train(tiny(start), tmp_path / "parts")
    run_module.train(tiny(start), tmp_path / "parts", resume=True)
    assert same_weights(tmp_path / "parts", tmp_path / "whole")


def test_workers_play_with_the_newest_net_and_lose_nothing(
    cluster: Cluster, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gnubg_py.training import run as run_module

    taken: list[int] = []
    real = run_module._take

    def killing(state: Any, config: Any, found: Any) -> None:
        taken.append(len(found.boards))
        if len(taken) == 3:
            kill_a_worker(cluster)
        real(state, config, found)

    monkeypatch.setattr(run_module, "_take", killing)
    state = run_module.train(tiny(start), tmp_path, newest=cluster)
    assert state.progress.positions == state.buffer.filled == 720
    assert sum(taken) >= 720
    assert len(cluster._deliveries) == 0


def test_training_by_the_command(cluster: Cluster, start: Path, tmp_path: Path) -> None:
    words = [
        "--start",
        str(start),
        "--hidden",
        "16",
        "8",
        "--games",
        "32",
        "--lanes",
        "2",
        "--turns",
        "4",
    ]
    words += ["--positions", "300", "--batch", "64", "--cluster", cluster.address]
    assert main(["train", str(tmp_path / "exact"), *words, "--synchronous"]) == 0
    assert main(["train", str(tmp_path / "newest"), *words]) == 0
    for name in ("exact", "newest"):
        assert weights_in(tmp_path / name)
