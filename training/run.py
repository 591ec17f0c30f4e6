"""A training run: play a round, fit, report, checkpoint; until its positions are played.

``python -m gnubg_py.training.run FOLDER --positions 4000000 ...`` or ``gnubg-py train FOLDER ...``;
every setting of ``TrainConfig`` is an option. The folder gets ``config.json``, ``log.jsonl``,
``checkpoint.safetensors``, ``net.safetensors`` (the latest average), ``best.safetensors`` (the one
that scored best, where decisions are given), ``races.npy`` (races met) and ``curves.png``.
"""

from __future__ import annotations

import argparse
import json
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gnubg_py.compare.decisions import (
    Decisions,
    given_up,
    lowest_of_each,
    read_decisions,
    scores_by_class,
)
from gnubg_py.messages import progress, say
from gnubg_py.network.model import Net, net_from_weights, weights_of
from gnubg_py.network.weights import Architecture, load_weights, save_weights
from gnubg_py.training.checkpoint import Progress, State, load_checkpoint, save_checkpoint
from gnubg_py.training.config import TrainConfig, check_config, config_json
from gnubg_py.training.fit import (
    NotFiniteError,
    add,
    fit,
    new_buffer,
    new_fitter,
    rate,
    silent_share,
)
from gnubg_py.training.selfplay import (
    POINTS,
    Nets,
    child_values,
    new_games,
    play_round,
    start_boards,
)
from gnubg_py.training.values import TrainingNet, training_net
from gnubg_py.training.warmup import warm_up

_RACES_KEPT = 200_000
_PROBE = 2_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """The folder, --resume, and one option for every setting."""
    parser.add_argument("folder", type=Path, help="where the run lives")
    parser.add_argument("--resume", action="store_true", help="go on from the folder's checkpoint")
    for setting in fields(TrainConfig):
        name = "--" + setting.name.replace("_", "-")
        if setting.name == "hidden":
            parser.add_argument(name, type=int, nargs="+", help="widths of the hidden layers")
        else:
            kind = {"int": int, "float": float, "str": str}[str(setting.type)]
            parser.add_argument(name, type=kind, metavar=kind.__name__.upper())


def config_from_options(args: argparse.Namespace) -> TrainConfig:
    """The settings given on the command line, the rest as they are by default."""
    values = {f.name: getattr(args, f.name) for f in fields(TrainConfig)}
    values = {name: value for name, value in values.items() if value is not None}
    if "hidden" in values:
        values["hidden"] = tuple(values["hidden"])
    return check_config(TrainConfig(**values))


def _new_net(config: TrainConfig) -> Net:
    if config.start:
        net = net_from_weights(load_weights(Path(config.start)))
        shape = (net.architecture.hidden, net.architecture.encoding)
        if shape != (config.hidden, config.encoding):
            raise ValueError(f"{config.start}: is {shape}, not {(config.hidden, config.encoding)}")
        return net
    torch.manual_seed(config.seed)
    return Net(Architecture(config.hidden, config.encoding, config.slope, config.position_class))


def _nets(net: Net, race: TrainingNet | None) -> Nets:
    return Nets(training_net(weights_of(net)), race)


def _start(config: TrainConfig, folder: Path, resume: bool, race: TrainingNet | None) -> State:
    fitter = new_fitter(_new_net(config))
    if resume:
        return load_checkpoint(folder, config, fitter)
    generator = np.random.default_rng(config.seed)
    starts = start_boards(config.boards)
    if not config.start:
        warm_up(fitter, _nets(fitter.net, race), config, generator, starts)
    games = new_games(_nets(fitter.average, race), config.games, generator, starts)
    nothing = np.zeros((0, 2, 25), np.int8)
    return State(fitter, new_buffer(config.buffer), games, nothing, generator, Progress())


def score_net(nets: Nets, decisions: Decisions) -> dict[str, float]:
    """Thousandths of a point given up a decision, by class, the net choosing without search."""
    singles = np.arange(len(decisions.candidates) + 1, dtype=np.int64)
    values, _ = child_values(nets, decisions.candidates, decisions.candidates, singles)
    chosen = lowest_of_each(values @ POINTS, decisions.offsets)
    scores = scores_by_class(decisions, given_up(decisions, chosen))
    return {name: round(s.error, 3) for name, s in scores.items()}


def _goal(scores: dict[str, float], config: TrainConfig) -> float:
    names = {"race": "race", "crashed": "crashed"}
    return scores[names.get(config.position_class, "contact+crashed")]


def _report(
    state: State,
    config: TrainConfig,
    nets: Nets,
    decisions: Decisions | None,
    extra: dict[str, Any],
) -> dict[str, Any]:
    probe = state.buffer.boards[: min(_PROBE, state.buffer.filled)]
    line: dict[str, Any] = {
        "positions": state.progress.positions,
        "steps": state.fitter.steps,
        "seconds": round(state.progress.seconds, 1),
        "rate": rate(config, state.progress.positions),
        **extra,
        "silent": round(silent_share(state.fitter.average, probe, config.encoding), 4),
    }
    if decisions is not None:
        line["scores"] = score_net(nets, decisions)
    return line


def _save_net(path: Path, state: State, config: TrainConfig, line: dict[str, Any]) -> None:
    card = {"trained": json.dumps(line), "config": config_json(config)}
    save_weights(path, weights_of(state.fitter.average, card))


class _Stop:
    """Set by Ctrl-C or a polite kill: the run ends after the round it is in."""

    asked = False

    def __call__(self, *_: object) -> None:
        self.asked = True


def train(config: TrainConfig, folder: Path, resume: bool = False) -> State:
    """Run (or resume) a training run to its end or until stopped; its last state."""
    folder.mkdir(parents=True, exist_ok=True)
    race = training_net(load_weights(Path(config.race))) if config.race else None
    decisions = read_decisions(Path(config.decisions)) if config.decisions else None
    state = _start(config, folder, resume, race)
    (folder / "config.json").write_text(config_json(config) + "\n")
    stop = _Stop()
    handlers = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        _rounds(config, folder, state, race, decisions, stop)
    except NotFiniteError as error:
        raise ValueError(f"{error}: stopped; the last good checkpoint is in {folder}") from error
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return state


def _rounds(
    config: TrainConfig,
    folder: Path,
    state: State,
    race: TrainingNet | None,
    decisions: Decisions | None,
    stop: _Stop,
) -> None:
    starts = start_boards(config.boards)
    done = state.progress
    saved = begun = time.monotonic()
    residuals, losses = [], []
    # A round is played with the average of the fit before last while the last round is fitted:
    # both cores are busy, and still every run of one seed is the same.
    torch.set_num_threads(1)
    with progress(config.positions, "positions") as bar, ThreadPoolExecutor(1) as fits:
        bar.update(done.positions)
        while done.positions < config.positions and not stop.asked:
            nets = _nets(state.fitter.average, race)
            batches = int(done.owed)
            done.owed -= batches
            fitting = fits.submit(fit, state.fitter, state.buffer, batches, config, done.positions)
            state.games, found = play_round(nets, state.games, state.generator, config, starts)
            losses.append(fitting.result())
            add(state.buffer, found.boards, found.targets)
            state.races = np.concatenate([state.races, found.races])[-_RACES_KEPT:]
            new = len(found.boards)
            done.owed += new * config.uses / config.batch
            residuals.append(found.residual)
            before, done.positions = done.positions, done.positions + new
            done.rounds += 1
            now = time.monotonic()
            done.seconds += now - begun
            begun = now
            bar.update(new)
            last = done.positions >= config.positions or stop.asked
            if (
                last
                or before // config.report_positions != done.positions // config.report_positions
            ):
                extra = {
                    "residual": round(float(np.mean(residuals)), 5),
                    "loss": float(np.mean(losses or [0])),
                }
                residuals, losses = [], []
                _write_report(config, folder, state, race, decisions, extra)
            if last or now - saved > 60 * config.checkpoint_minutes:
                save_checkpoint(folder, state, config)
                np.save(folder / "races.npy", state.races)
                saved = now


def _write_report(
    config: TrainConfig,
    folder: Path,
    state: State,
    race: TrainingNet | None,
    decisions: Decisions | None,
    extra: dict[str, Any],
) -> None:
    nets = _nets(state.fitter.average, race)
    line = _report(state, config, nets, decisions, extra)
    _save_net(folder / "net.safetensors", state, config, line)
    if decisions is not None and _goal(line["scores"], config) < state.progress.best:
        state.progress.best = _goal(line["scores"], config)
        _save_net(folder / "best.safetensors", state, config, line)
    with (folder / "log.jsonl").open("a") as log:
        log.write(json.dumps(line) + "\n")
    print(json.dumps(line), flush=True)


def main(argv: list[str] | None = None) -> int:
    """The command line of a run."""
    parser = argparse.ArgumentParser(prog="python -m gnubg_py.training.run", description=__doc__)
    add_options(parser)
    args = parser.parse_args(argv)
    try:
        config = config_from_options(args)
        print(config_json(config), flush=True)
        train(config, args.folder, args.resume)
    except ValueError as error:
        say(str(error))
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
