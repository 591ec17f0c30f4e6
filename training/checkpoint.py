"""Checkpoints of a training run: all its state, so that a resumed run continues
as if it had never stopped.

A checkpoint is one safetensors file (weights, average, optimiser, games, buffer). Its metadata have
the counters and the generator's state as JSON. It is written under another name, then renamed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from gnubg_py.files import write_aside
from gnubg_py.network.model import Net

from .config import TrainConfig, config_json
from .fit import Buffer, Fitter, new_buffer
from .games import SelfPlayGames
from .hard import Hard
from .lanes import Lane

CHECKPOINT = "checkpoint.safetensors"


@dataclass
class RunProgress:
    """Counters of a run."""

    positions: int = 0
    rounds: int = 0
    owed: float = 0.0
    """The fraction of a batch that is still to be fitted."""
    best: float = float("inf")
    seconds: float = 0.0


@dataclass
class State:
    """The whole state of a run."""

    fitter: Fitter
    buffer: Buffer
    lanes: list[Lane]
    races: NDArray[np.int8]
    progress: RunProgress


def prepare_folder(folder: Path, resume: bool) -> None:
    """Make a run's folder; ``ValueError`` if another run would be overwritten."""
    if not resume and (folder / CHECKPOINT).exists():
        raise ValueError(
            f"{folder}: this folder has a run: continue it with --resume, or name another"
        )
    folder.mkdir(parents=True, exist_ok=True)


def _net_arrays(prefix: str, net: Net) -> dict[str, NDArray[Any]]:
    return {f"{prefix}.{k}": v.detach().numpy().copy() for k, v in net.state_dict().items()}


def _fitter_arrays(fitter: Fitter) -> dict[str, NDArray[Any]]:
    """A fitter's weights, their average, and the optimisers' moments, by name."""
    arrays = _net_arrays("net", fitter.net) | _net_arrays("average", fitter.average)
    for optimiser, one in fitter.optimisers.items():
        for i, moments in one.state_dict()["state"].items():
            for name, value in moments.items():
                arrays[f"{optimiser}.{i}.{name}"] = np.atleast_1d(value.numpy())
    return arrays


def save_checkpoint(folder: Path, state: State, config: TrainConfig) -> None:
    """Write the run's state into its folder."""
    arrays = _fitter_arrays(state.fitter)
    filled = state.buffer.filled
    for name in ("boards", "targets", "rolls"):
        arrays[f"buffer.{name}"] = getattr(state.buffer, name)[:filled]
    for number, lane in enumerate(state.lanes):
        arrays |= _lane_arrays(lane, _suffix(number))
    arrays["races"] = np.ascontiguousarray(state.races)
    first, *others = (lane.generator.bit_generator.state for lane in state.lanes)
    metadata = {
        "config": config_json(config),
        "progress": json.dumps(vars(state.progress)),
        "generator": json.dumps(first),
        "generators": json.dumps(others),
        "steps": str(state.fitter.steps),
        "next": str(state.buffer.next),
    }
    write_aside(folder / CHECKPOINT, save(arrays, metadata))


def load_checkpoint(folder: Path, config: TrainConfig, fitter: Fitter) -> State:
    """Read a run's state, partly into ``fitter``; ``ValueError`` if it is that of another run."""
    arrays, metadata = _read(folder / CHECKPOINT, config)
    _restore_fitter(fitter, arrays, int(metadata["steps"]))
    buffer = new_buffer(config.buffer, arrays["buffer.targets"].shape[1])
    buffer.filled = len(arrays["buffer.boards"])
    for name in ("boards", "targets", "rolls"):
        getattr(buffer, name)[: buffer.filled] = arrays[f"buffer.{name}"]
    buffer.next = int(metadata["next"])
    # Older checkpoints have no lanes, which is the same as one lane.
    states = [json.loads(metadata["generator"]), *json.loads(metadata.get("generators", "[]"))]
    lanes = [_lane(arrays, _suffix(number), state) for number, state in enumerate(states)]
    progress = RunProgress(**json.loads(metadata["progress"]))
    return State(fitter, buffer, lanes, arrays["races"], progress)


def _suffix(lane: int) -> str:
    """The suffix of the names of a lane's arrays; that of the first lane is empty."""
    return f".{lane}" if lane else ""


def _lane_arrays(lane: Lane, suffix: str) -> dict[str, NDArray[Any]]:
    """The games of a lane and its hard positions, by name."""
    arrays = {
        f"games.{name}{suffix}": np.ascontiguousarray(getattr(lane.games, name))
        for name in ("boards", "values", "played")
    }
    for name, values in vars(lane.games.hard).items():
        arrays[f"hard.{name}{suffix}"] = np.ascontiguousarray(values)
    return arrays


def _lane(arrays: dict[str, NDArray[Any]], suffix: str, state: dict[str, Any]) -> Lane:
    """The lane from the arrays of ``_lane_arrays`` and the state of its generator."""
    boards, values, played = (
        arrays[f"games.{name}{suffix}"] for name in ("boards", "values", "played")
    )
    games = SelfPlayGames(boards, values, played)
    hard = [arrays.get(f"hard.{name}{suffix}") for name in ("boards", "residuals")]
    if hard[0] is not None and hard[1] is not None:  # older checkpoints have none
        games = replace(games, hard=Hard(hard[0], hard[1]))
    generator = np.random.default_rng()
    generator.bit_generator.state = state
    return Lane(games, generator)


def _read(path: Path, config: TrainConfig) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """The arrays and texts of a checkpoint that was made with ``config``."""
    if not path.is_file():
        raise ValueError(f"{path}: no checkpoint to resume; start the run without --resume")
    arrays, metadata = read_arrays(path)
    changed = _differences(metadata.get("config", "{}"), config)
    if changed:
        raise ValueError(f"{path}: of another configuration: {', '.join(changed)}")
    return arrays, metadata


def checkpoint_of(run: Path) -> Path:
    """The checkpoint in the folder of a run; ``ValueError`` if there is none."""
    path = run / CHECKPOINT
    if not path.is_file():
        raise ValueError(f"{path}: no such checkpoint; name the folder of a training run")
    return path


def read_arrays(
    path: Path, names: Iterable[str] | None = None
) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """The arrays of a checkpoint, or those of some names in their order, and its texts."""
    try:
        with safe_open(str(path), framework="numpy") as file:
            wanted = file.keys() if names is None else names
            return {name: file.get_tensor(name) for name in wanted}, file.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path}: not a whole checkpoint ({error})") from error


def _differences(saved_json: str, config: TrainConfig) -> list[str]:
    """The settings that differ; those that are not in the checkpoint had their defaults."""
    saved = json.loads(config_json(TrainConfig())) | json.loads(saved_json)
    now = json.loads(config_json(config))
    return [f"{k} was {saved[k]!r}, now {now[k]!r}" for k in now if now[k] != saved[k]]


def _restore_fitter(fitter: Fitter, arrays: dict[str, NDArray[Any]], steps: int) -> None:
    """Copy the arrays of ``_fitter_arrays`` into a fitter of the same shape."""
    for prefix, net in (("net", fitter.net), ("average", fitter.average)):
        names = net.state_dict().keys()
        net.load_state_dict({n: torch.from_numpy(arrays[f"{prefix}.{n}"]) for n in names})
    for name, optimiser in fitter.optimisers.items():
        _restore_optimiser(optimiser, f"{name}.", arrays)
    fitter.steps = steps


def _restore_optimiser(
    optimiser: torch.optim.Optimizer, prefix: str, arrays: dict[str, NDArray[Any]]
) -> None:
    """Copy an optimiser's moments, whose names begin with ``prefix``."""
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, value in arrays.items():
        if name.startswith(prefix):
            _, number, moment = name.split(".")
            tensor = torch.from_numpy(value)
            state.setdefault(int(number), {})[moment] = tensor[0] if moment == "step" else tensor
    whole = optimiser.state_dict()
    whole["state"] = state
    optimiser.load_state_dict(whole)
