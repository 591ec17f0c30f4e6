"""A training run: play a round, fit, report, checkpoint; until its positions are played.

``gnubg-py train FOLDER --positions 4000000 ...`` or ``python -m training FOLDER ...``; every
setting of ``TrainConfig`` is an option. The folder gets ``config.json``, ``log.jsonl``,
``checkpoint.safetensors``, ``net.safetensors`` (the latest average), ``best.safetensors`` (the one
that scored best, where decisions are given), ``races.npy`` (races met) and ``curves.png``.
"""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gnubg_py.board import Boards
from gnubg_py.compare.decisions import (
    Decisions,
    given_up,
    read_decisions,
    scores_by_class,
)
from gnubg_py.evaluators.files import leaf_of_file
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.groups import lowest
from gnubg_py.messages import progress
from gnubg_py.network.model import Net, net_from_weights, weights_of
from gnubg_py.network.weights import Architecture, Weights, load_weights, save_weights
from gnubg_py.probabilities import OUTCOME_EQUITIES

from .checkpoint import (
    Progress,
    State,
    load_checkpoint,
    prepare_folder,
    save_checkpoint,
)
from .config import (
    TrainConfig,
    add_settings,
    check_config,
    config_json,
    given_settings,
)
from .fit import (
    NotFiniteError,
    add,
    fit,
    new_buffer,
    new_fitter,
    rate,
    silent_share,
)
from .net import TrainingNet, training_net
from .plot import draw_curves
from .selfplay import (
    Nets,
    Round,
    child_values,
    new_games,
    play_round,
    start_boards,
    teacher_round,
)
from .stop import Stop, stop_when_asked
from .warmup import warm_up
from .widen import widened

_RACES_KEPT = 200_000
_PROBE = 2_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """The folder, --resume, and one option for every setting."""
    parser.add_argument("folder", type=Path, help="where the run lives")
    parser.add_argument("--resume", action="store_true", help="go on from the folder's checkpoint")
    add_settings(parser, TrainConfig)


def config_from_options(args: argparse.Namespace) -> TrainConfig:
    """The settings given on the command line, the rest as they are by default."""
    return check_config(TrainConfig(**given_settings(args, TrainConfig)))


def _new_net(config: TrainConfig) -> Net:
    torch.manual_seed(config.seed)
    shape = Architecture(config.hidden, config.encoding, config.slope, config.position_class)
    if config.start:
        net = net_from_weights(load_weights(Path(config.start)))
        try:
            grown: Net = widened(net, shape)
        except ValueError as error:
            raise ValueError(f"{config.start}: {error}") from error
        return grown
    return Net(shape)


@dataclass(frozen=True)
class Helpers:
    """Nets of the run that do not change."""

    race: Evaluator | None
    prune: tuple[TrainingNet, ...]
    teacher: tuple[TrainingNet, ...]


def _helpers(config: TrainConfig) -> Helpers:
    race = leaf_of_file(Path(config.race)) if config.race else None
    prune = tuple(_unpacked(load_weights(Path(path)), config) for path in config.prune)
    teacher = tuple(_unpacked(load_weights(Path(path)), config) for path in config.teacher)
    return Helpers(race, prune, teacher)


def _unpacked(weights: Weights, config: TrainConfig) -> TrainingNet:
    return training_net(weights, config.precision)


def _nets(net: Net, helpers: Helpers, config: TrainConfig) -> Nets:
    """The nets that play: the one in training unless it has a teacher."""
    main = helpers.teacher or (_unpacked(weights_of(net), config),)
    return Nets(main, helpers.race, helpers.prune)


def _start(run: Run, resume: bool) -> State:
    config = run.config
    fitter = new_fitter(_new_net(config))
    if resume:
        return load_checkpoint(run.folder, config, fitter)
    generator = np.random.default_rng(config.seed)
    if not config.start and not config.teacher:
        warm_up(fitter, _nets(fitter.net, run.helpers, config), config, generator, run.starts)
    nets = _nets(fitter.average, run.helpers, config)
    games = new_games(nets, config.games, generator, run.starts)
    nothing = np.zeros((0, 2, 25), np.int8)
    return State(fitter, new_buffer(config.buffer), games, nothing, generator, Progress())


def score_net(nets: Nets, decisions: Decisions) -> dict[str, float]:
    """Thousandths of a point given up a decision, by class, the net choosing without search."""
    singles = np.arange(len(decisions.candidates) + 1, dtype=np.int64)
    values, _ = child_values(nets, decisions.candidates, decisions.candidates, singles)
    chosen = lowest(values @ OUTCOME_EQUITIES, decisions.offsets)
    scores = scores_by_class(decisions, given_up(decisions, chosen))
    return {name: round(s.error, 3) for name, s in scores.items()}


def _goal(scores: dict[str, float], config: TrainConfig) -> float:
    names = {"race": "race", "crashed": "crashed"}
    return scores[names.get(config.position_class, "contact+crashed")]


def _save_net(path: Path, state: State, config: TrainConfig, line: dict[str, Any]) -> None:
    card = {"trained": json.dumps(line), "config": config_json(config)}
    save_weights(path, weights_of(state.fitter.average, card))


@dataclass(frozen=True)
class Run:
    """What a run is given and does not change."""

    config: TrainConfig
    folder: Path
    helpers: Helpers
    decisions: Decisions | None
    starts: Boards


def train(config: TrainConfig, folder: Path, resume: bool = False) -> State:
    """Run (or resume) a training run to its end or until stopped; its last state."""
    prepare_folder(folder, resume)
    helpers = _helpers(config)
    decisions = read_decisions(Path(config.decisions)) if config.decisions else None
    run = Run(config, folder, helpers, decisions, start_boards(config.boards))
    state = _start(run, resume)
    (folder / "config.json").write_text(config_json(config) + "\n")
    try:
        with stop_when_asked() as stop:
            _rounds(run, state, stop)
    except NotFiniteError as error:
        raise ValueError(f"{error}: stopped; the last good checkpoint is in {folder}") from error
    return state


def _rounds(run: Run, state: State, stop: Stop) -> None:
    """Rounds until the positions are played, with their reports and checkpoints."""
    config, done = run.config, state.progress
    saved = begun = time.monotonic()
    residuals: list[float] = []
    losses: list[float] = []
    torch.set_num_threads(1)
    with progress(config.positions, "positions") as bar, ThreadPoolExecutor(1) as fits:
        bar.update(done.positions)
        while done.positions < config.positions and not stop.asked:
            before = done.positions
            found, fitted = _round(run, state, fits)
            residuals.append(found.residual)
            if fitted is not None:
                losses.append(fitted)
            now = time.monotonic()
            done.seconds += now - begun
            begun = now
            bar.update(done.positions - before)
            last = done.positions >= config.positions or stop.asked
            every = config.report_positions
            if last or before // every != done.positions // every:
                loss = float(np.mean(losses or [0.0]))
                means = {"residual": float(np.mean(residuals)), "loss": loss}
                _report(run, state, {name: round(value, 5) for name, value in means.items()})
                residuals, losses = [], []
            if last or now - saved > 60 * config.checkpoint_minutes:
                save_checkpoint(run.folder, state, config)
                np.save(run.folder / "races.npy", state.races)
                saved = now


def _round(run: Run, state: State, fits: ThreadPoolExecutor) -> tuple[Round, float | None]:
    """Play a round while the one before is fitted: both cores work, and a seed still decides all.

    Play uses the average as it was before that fit.
    """
    config, done = run.config, state.progress
    nets = _nets(state.fitter.average, run.helpers, config)
    batches = int(done.owed)
    done.owed -= batches
    fitting = None
    if batches:
        fitting = fits.submit(fit, state.fitter, state.buffer, batches, config, done.positions)
    play = teacher_round if config.teacher else play_round
    state.games, found = play(nets, state.games, state.generator, config, run.starts)
    loss = fitting.result() if fitting else None
    add(state.buffer, found.boards, found.targets, found.rolls)
    state.races = np.concatenate([state.races, found.races])[-_RACES_KEPT:]
    done.positions += len(found.boards)
    done.rounds += 1
    done.owed += len(found.boards) * config.uses / config.batch
    return found, loss


def _report(run: Run, state: State, means: dict[str, float]) -> None:
    """Score the average, save it, and write a line of the log."""
    config, done = run.config, state.progress
    filled = state.buffer.filled
    probe = state.buffer.boards[: filled : max(1, filled // _PROBE)]
    line: dict[str, Any] = {
        "positions": done.positions,
        "steps": state.fitter.steps,
        "seconds": round(done.seconds, 1),
        "rate": rate(config, done.positions),
        **means,
        "silent": round(silent_share(state.fitter.average, probe, config.encoding), 4),
    }
    if run.decisions is not None:
        nets = Nets((_unpacked(weights_of(state.fitter.average), config),), run.helpers.race)
        line["scores"] = score_net(nets, run.decisions)
    _save_net(run.folder / "net.safetensors", state, config, line)
    if "scores" in line and _goal(line["scores"], config) < done.best:
        done.best = _goal(line["scores"], config)
        _save_net(run.folder / "best.safetensors", state, config, line)
    with (run.folder / "log.jsonl").open("a") as log:
        log.write(json.dumps(line) + "\n")
    draw_curves(run.folder)
    print(json.dumps(line), flush=True)
