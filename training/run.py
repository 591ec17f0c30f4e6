"""A training run: play a round, fit, report, checkpoint, until enough positions are played.

``gnubg-py train FOLDER --positions 4000000 ...`` or ``python -m training FOLDER ...``; every
setting of ``TrainConfig`` is an option. The folder gets ``config.json``, ``log.jsonl``,
``checkpoint.safetensors``, ``net.safetensors`` (the latest average), ``best.safetensors`` (the one
that scored best, where decisions are given), ``races.npy`` (races met) and ``curves.png``.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from gnubg_py.compare.decisions import Decisions, read_decisions
from gnubg_py.messages import progress
from gnubg_py.network.model import Net, net_from_weights, weights_of
from gnubg_py.network.weights import load_weights, outputs_of, save_weights
from gnubg_py.threads import thread_count, thread_taken
from gnubg_py.workers import HERE, Workers, WorkersLostError

from .checkpoint import (
    RunProgress,
    State,
    load_checkpoint,
    prepare_folder,
    save_checkpoint,
)
from .config import TrainConfig, architecture_of, config_json
from .fit import NotFiniteError, add, fit, new_buffer, new_fitter, rate, silent_share
from .games import NO_BOARDS, Round, TrainingTask
from .lanes import play_lanes, split_lanes
from .memory import keep_memory
from .newest import NewestPlay
from .plot import draw_curves
from .scores import main_score, scored
from .stop import Stop, stop_when_asked
from .tasks import task_of
from .widen import widened

if TYPE_CHECKING:
    from gnubg_py.cluster.connecting import Cluster

_RACES_KEPT = 200_000
_PROBE = 1_000
"""Positions of the buffer that reports measure on."""


@dataclass(frozen=True)
class TrainingRun:
    """What stays the same during a run."""

    config: TrainConfig
    folder: Path
    task: TrainingTask
    decisions: Decisions | None
    workers: Workers = HERE
    newest: Cluster | None = None
    """The cluster whose workers play with the newest net, without rounds; None plays in rounds."""


def train(
    config: TrainConfig,
    folder: Path,
    resume: bool = False,
    workers: Workers = HERE,
    newest: Cluster | None = None,
) -> State:
    """Do or resume a training run until its end or a stop; return its last state.

    ``workers`` play the lanes of each round; ``newest`` plays without rounds (see ``newest.py``).
    """
    prepare_folder(folder, resume)
    torch.set_num_threads(1)
    keep_memory()
    decisions = _decisions(config)
    run = TrainingRun(config, folder, task_of(config), decisions, workers, newest)
    state = _start(run, resume)
    (folder / "config.json").write_text(config_json(config) + "\n")
    try:
        with stop_when_asked() as stop:
            _rounds(run, state, stop)
    except NotFiniteError as error:
        raise ValueError(f"{error}: stopped; the last good checkpoint is in {folder}") from error
    return state


def _decisions(config: TrainConfig) -> Decisions | None:
    """The judged decisions that score the net, checked to have some that it evaluates."""
    if not config.decisions:
        return None
    decisions = read_decisions(Path(config.decisions))
    if not scored(decisions, config.position_class):
        raise ValueError(
            f"{config.decisions}: no decisions of positions that a {config.position_class} net"
            " evaluates: name a file that has some, or none"
        )
    return decisions


def _start(run: TrainingRun, resume: bool) -> State:
    config = run.config
    fitter = new_fitter(new_net(config), with_muon=config.muon > 0)
    if resume:
        return load_checkpoint(run.folder, config, fitter)
    generator = np.random.default_rng(config.seed)
    games = run.task.begin(fitter, generator)
    buffer = new_buffer(config.buffer, outputs_of(fitter.net.architecture))
    lanes = split_lanes(games, generator, config.lanes, config.seed)
    return State(fitter, buffer, lanes, NO_BOARDS, RunProgress())


def new_net(config: TrainConfig) -> Net:
    """The net that a run begins with: that of ``start``, widened, or random weights."""
    torch.manual_seed(config.seed)
    shape = architecture_of(config)
    if not config.start:
        return Net(shape)
    net = net_from_weights(load_weights(Path(config.start)))
    try:
        return widened(net, shape)
    except ValueError as error:
        raise ValueError(f"{config.start}: {error}") from error


def _rounds(run: TrainingRun, state: State, stop: Stop) -> None:
    """Do rounds until all positions are played, with their reports and checkpoints."""
    config, done = run.config, state.progress
    saved = begun = time.monotonic()
    lately: dict[str, list[float]] = defaultdict(list)
    steps = _rounds_of_all(run, state) if run.newest is None else _newest_rounds(run, state)
    with progress(config.positions, "positions") as bar, closing(steps):
        bar.update(done.positions)
        while done.positions < config.positions and not stop.asked:
            before = done.positions
            try:
                means = next(steps)
            except WorkersLostError:
                if run.newest is not None:  # in rounds the net may be newer than the games
                    _save(run, state)
                raise
            for name, value in means.items():
                lately[name].append(value)
            now = time.monotonic()
            done.seconds += now - begun
            begun = now
            bar.update(done.positions - before)
            last = done.positions >= config.positions or stop.asked
            every = config.report_positions
            if last or before // every != done.positions // every:
                _report(run, state, {name: float(np.mean(v)) for name, v in lately.items()})
                lately.clear()
            if last or now - saved > 60 * config.checkpoint_minutes:
                _save(run, state)
                saved = now


def _save(run: TrainingRun, state: State) -> None:
    """Write a checkpoint, and the races met."""
    save_checkpoint(run.folder, state, run.config)
    np.save(run.folder / "races.npy", state.races)


def _rounds_of_all(run: TrainingRun, state: State) -> Generator[dict[str, float], None, None]:
    """Do rounds of all lanes; yield the residual and the mean loss of each."""
    with ThreadPoolExecutor(1) as fits:
        while True:
            yield _round(run, state, fits)


def _newest_rounds(run: TrainingRun, state: State) -> Generator[dict[str, float], None, None]:
    """Do rounds of single lanes; fit each when it is finished, and send the net to the workers."""
    assert run.newest is not None
    config, done = run.config, state.progress
    play = NewestPlay(run.newest, run.task, state.lanes)
    play.publish(weights_of(state.fitter.average))
    play.wanted = config.positions - done.positions
    with closing(play.rounds()) as rounds:
        for found in rounds:
            _take(state, config, found)
            losses = _fit_owed(state, config)
            play.publish(weights_of(state.fitter.average))
            play.wanted = config.positions - done.positions
            yield _means(found, losses)


def _round(run: TrainingRun, state: State, fits: ThreadPoolExecutor) -> dict[str, float]:
    """Play a round while the one before is fitted; return the residual and the mean loss.

    So two cores work; play has both when the fit has ended. Results depend only on the seed, since
    play uses the average before that fit. The last round is fitted at once.
    """
    config, done = run.config, state.progress
    weights = weights_of(state.fitter.average)
    fitting = fits.submit(_fit_beside_play, state, config)
    if thread_count() == 1 and run.workers is HERE:
        wait([fitting])  # one after the other, each has the cache for itself
    wanted = config.positions - done.positions
    lanes, found = play_lanes(run.task, weights, state.lanes, wanted, run.workers)
    losses = fitting.result()
    state.lanes[:] = lanes
    _take(state, config, found)
    if done.positions == config.positions:
        losses += _fit_owed(state, config)
    return _means(found, losses)


def _take(state: State, config: TrainConfig, found: Round) -> None:
    """Add the positions of a round to the buffer, at most as many as the run still needs."""
    done = state.progress
    wanted = config.positions - done.positions
    boards = found.boards[:wanted]
    add(state.buffer, boards, found.targets[:wanted], found.rolls[:wanted])
    state.races = np.concatenate([state.races, found.races])[-_RACES_KEPT:]
    done.positions += len(boards)
    done.rounds += 1
    done.owed += len(boards) * config.uses / config.batch


def _means(found: Round, losses: list[float]) -> dict[str, float]:
    return {"residual": found.residual} | ({"loss": float(np.mean(losses))} if losses else {})


def _fit_owed(state: State, config: TrainConfig) -> list[float]:
    """Fit the batches that are due, if any; return their mean loss."""
    done = state.progress
    batches = int(done.owed) if state.buffer.filled else 0
    done.owed -= batches
    return [fit(state.fitter, state.buffer, batches, config, done.positions)] if batches else []


def _fit_beside_play(state: State, config: TrainConfig) -> list[float]:
    """``_fit_owed`` on a thread that play leaves to it."""
    with thread_taken():
        return _fit_owed(state, config)


def _report(run: TrainingRun, state: State, means: dict[str, float]) -> None:
    """Score the average, save it, and write a line of the log."""
    config, done = run.config, state.progress
    filled = state.buffer.filled
    probe = state.buffer.boards[: filled : max(1, filled // _PROBE)][:_PROBE]
    weights = weights_of(state.fitter.average)
    line: dict[str, Any] = {
        "positions": done.positions,
        "steps": state.fitter.steps,
        "seconds": round(done.seconds, 1),
        "rate": rate(config, done.positions),
        "residual": round(means["residual"], 5),
        "buffer_residual": round(run.task.residual(weights, probe), 5),
        "loss": round(means.get("loss", 0.0), 5),
        "silent": round(silent_share(state.fitter.average, probe), 4),
    }
    if run.decisions is not None:
        line["scores"] = run.task.score(weights, run.decisions)
    _save_net(run.folder / "net.safetensors", state, config, line)
    if "scores" in line and main_score(line["scores"], config.position_class) < done.best:
        done.best = main_score(line["scores"], config.position_class)
        _save_net(run.folder / "best.safetensors", state, config, line)
    with (run.folder / "log.jsonl").open("a") as log:
        log.write(json.dumps(line) + "\n")
    draw_curves(run.folder)
    print(json.dumps(line), flush=True)


def _save_net(path: Path, state: State, config: TrainConfig, line: dict[str, Any]) -> None:
    card = {"trained": json.dumps(line), "config": config_json(config)}
    save_weights(path, weights_of(state.fitter.average, card))
