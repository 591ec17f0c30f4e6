"""Training a rolls net: how many rolls one side needs in a race, learned from its own play.

A side plays alone, each roll the play that leaves it the fewest expected rolls. Its chances of so
many rolls are the mean, over the 21 rolls, of its best successor's, one roll later; the one-sided
database knows those that are home. Every target is backed up over all rolls, so there is no luck
in it.

``python -m gnubg_py.training.rolls FOLDER --boards races.npy``; the boards are races met in
self-play, as a contact run leaves them.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import save

from gnubg_py.board import CHECKERS, HOME_POINTS, OTHER
from gnubg_py.dice import ROLL_INDEX, ROLL_PROBABILITIES, roll_dice
from gnubg_py.evaluators.race import RollChances, roll_chances
from gnubg_py.exits import DONE, guarded
from gnubg_py.files import write_aside
from gnubg_py.groups import lowest
from gnubg_py.messages import progress
from gnubg_py.network.encoding import encode, encoding_named
from gnubg_py.network.forward import FastNet, fast_net
from gnubg_py.network.model import Net, net_from_weights, weights_of
from gnubg_py.network.weights import ROLLS, Architecture, load_weights, save_weights
from gnubg_py.plays import all_rolls

from .checkpoint import (
    CHECKPOINT,
    fitter_arrays,
    generator_of,
    generator_text,
    prepare_folder,
    read_checkpoint,
    restore_fitter,
)
from .config import (
    add_settings,
    check_at_least,
    check_fit,
    check_shares,
    given_settings,
)
from .fit import Fitter, new_fitter, step
from .selfplay import start_boards
from .stop import stop_when_asked
from .widen import widened

_COUNTS = np.arange(ROLLS, dtype=np.float32)


@dataclass(frozen=True)
class RollsConfig:
    """Settings of a run."""

    hidden: tuple[int, ...] = (256, 64)
    slope: float = 0.05
    seed: int = 1
    boards: str = ""
    start: str = ""
    """A rolls net to go on from, of this shape or narrower; empty: random weights."""
    chooser: str = ""
    """A smaller rolls net that picks the plays; empty: the net in training does."""
    sides: int = 512
    thinned: float = 0.25
    """Share of the sides that begin with checkers taken away at random: a man left behind while the
    others are off is rare in ``boards``, and counting its rolls is what decides then."""
    rounds: int = 3_000
    batch: int = 1024
    batches: int = 6
    buffer: int = 100_000
    rate_first: float = 1e-3
    rate_last: float = 2e-5
    average: float = 0.998
    report_rounds: int = 200
    checkpoint_minutes: float = 3.0


@dataclass(frozen=True)
class Targets:
    """Sides int8[n, 25] and what they should be told, chances float32[n, 48]."""

    rows: NDArray[np.int8]
    chances: RollChances
    misses: NDArray[np.float64]
    """Expected rolls backed up, less the net's own."""


def starting_rows(path: str) -> NDArray[np.int8]:
    """Both sides of the races in a file that are not all home yet, ``int8[n, 25]``."""
    rows = start_boards(path).reshape(-1, 25)
    away = rows[:, HOME_POINTS:].any(axis=1) & (rows[:, 24] == 0)
    if not away.any():
        raise ValueError(f"{path}: no race in it with a checker outside its home")
    return np.asarray(rows[away])


def draw_rows(
    starts: NDArray[np.int8], count: int, thinned: float, generator: np.random.Generator
) -> NDArray[np.int8]:
    """``count`` sides to begin from, int8[count, 25], a share ``thinned`` with fewer checkers.

    At least one checker is outside its home.
    """
    rows = starts[generator.integers(len(starts), size=count)]
    stay = np.where(generator.random(count) < thinned, generator.random(count), 1.0)
    fewer = generator.binomial(rows, stay[:, None]).astype(np.int8)
    away = fewer[:, HOME_POINTS:].max(axis=1) > 0
    return np.where(away[:, None], fewer, rows)


def _best(chances: NDArray[np.float32], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The successor of fewest expected rolls, for each roll of each side."""
    return lowest(chances @ _COUNTS, offsets)


def _backed_up(chances: NDArray[np.float32]) -> NDArray[np.float32]:
    """Chances of sides, float32[n, 48], from those of their 21 best successors each."""
    mean = np.einsum("srk,r->sk", chances.reshape(-1, 21, ROLLS), ROLL_PROBABILITIES)
    later = np.zeros_like(mean, np.float32)
    later[:, 1:] = mean[:, :-1]
    later[:, -1] += mean[:, -1]
    return later


def play_rolls(
    net: FastNet, chooser: FastNet, rows: NDArray[np.int8], generator: np.random.Generator
) -> tuple[NDArray[np.int8], Targets]:
    """Play one roll for every side: where they went, int8[n, 25], and targets.

    ``chooser`` picks the successors that ``net`` values.
    """
    boards = np.zeros((len(rows), 2, 25), np.int8)
    boards[:, 0] = rows
    children, offsets = all_rolls(boards)
    after = np.ascontiguousarray(children[:, OTHER])
    judged = roll_chances(chooser, after)
    best, soonest = _best(judged.bearoff, offsets), _best(judged.first, offsets)
    bearoff = _backed_up(roll_chances(net, after[best]).bearoff)
    first = _backed_up(roll_chances(net, after[soonest]).first)
    started = rows.sum(axis=1, dtype=np.int64) < CHECKERS
    first[started] = 0
    first[started, 0] = 1
    own = roll_chances(net, rows).bearoff @ _COUNTS
    targets = Targets(rows, RollChances(bearoff, first), bearoff @ _COUNTS - own)
    dice = roll_dice(generator, len(rows))
    rolled = np.arange(len(rows)) * 21 + ROLL_INDEX[dice[:, 0], dice[:, 1]]
    return after[best[rolled]], targets


def _loss(net: Net, rows: NDArray[np.int8], wanted: NDArray[np.float32]) -> torch.Tensor:
    """Cross-entropy of both counts; ``wanted`` float32[n, 96]."""
    boards = np.zeros((len(rows), 2, 25), np.int8)
    boards[:, 0] = rows
    found = net(torch.from_numpy(encode(boards, encoding_named(net.architecture.encoding))))
    # A first checker may be off already (0 rolls): that is known, and the target has nothing else.
    parts = found.reshape(-1, 2, ROLLS)[:, :, 1:].log_softmax(dim=2)
    target = torch.from_numpy(wanted).reshape(-1, 2, ROLLS)[:, :, 1:]
    loss: torch.Tensor = -(target * parts).sum(dim=(1, 2)).mean()
    return loss


@dataclass
class State:
    """A run at some moment: sides in play, and a ring of the latest with their targets."""

    fitter: Fitter
    rows: NDArray[np.int8]
    seen: NDArray[np.int8]
    wanted: NDArray[np.float32]
    generator: np.random.Generator
    rounds: int = 0
    seconds: float = 0.0


def train_rolls(config: RollsConfig, folder: Path, resume: bool = False) -> State:
    """Run, or resume, to the end or until stopped; the last state.

    ``folder`` gets the average of the weights as ``rolls.safetensors``, ``log.jsonl`` and a
    checkpoint.
    """
    check_rolls(config)
    starts = starting_rows(config.boards)
    chooser = fast_net(load_weights(Path(config.chooser))) if config.chooser else None
    prepare_folder(folder, resume)
    torch.set_num_threads(1)
    state = _start(config, starts)
    if resume:
        _load(folder, config, state)
    misses: list[float] = []
    losses: list[float] = []
    saved = begun = time.monotonic()
    with progress(config.rounds, "rounds") as bar, stop_when_asked() as stop:
        bar.update(state.rounds)
        while state.rounds < config.rounds and not stop.asked:
            miss, loss = _round(config, state, chooser, starts)
            misses.append(miss)
            losses.append(loss)
            if not np.isfinite(loss):
                raise ValueError(f"the loss became {loss}: the last good checkpoint is in {folder}")
            now = time.monotonic()
            state.seconds, begun = state.seconds + now - begun, now
            bar.update(1)
            last = state.rounds == config.rounds or stop.asked
            if last or state.rounds % config.report_rounds == 0:
                means = {"miss_in_rolls": np.mean(misses), "loss": np.mean(losses)}
                line = {"rounds": state.rounds, "seconds": round(state.seconds, 1)}
                line |= {name: round(float(value), 5) for name, value in means.items()}
                misses, losses = [], []
                _report(state.fitter.average, config, folder, line)
            if last or now - saved > 60 * config.checkpoint_minutes:
                _save(folder, config, state)
                saved = now
    return state


def check_rolls(config: RollsConfig) -> None:
    """``ValueError`` naming the first setting that cannot be."""
    check_at_least(1, config, ("sides", "rounds", "batch", "batches", "buffer", "report_rounds"))
    check_at_least(0, config, ("checkpoint_minutes",))
    check_shares(config, ("thinned", "average", "slope"))
    check_fit(config.rate_first, config.rate_last, config.hidden)
    if not config.boards:
        raise ValueError("boards: name a .npy file of races, as a contact run leaves it")
    if config.buffer < config.sides:
        raise ValueError(f"buffer {config.buffer}: should hold the {config.sides} sides of a round")


def _start(config: RollsConfig, starts: NDArray[np.int8]) -> State:
    generator = np.random.default_rng(config.seed)
    torch.manual_seed(config.seed)
    shape = Architecture(config.hidden, "thermometer", config.slope, "rolls")
    net = Net(shape)
    if config.start:
        try:
            net = widened(net_from_weights(load_weights(Path(config.start))), shape)
        except ValueError as error:
            raise ValueError(f"{config.start}: {error}") from error
    rows = draw_rows(starts, config.sides, config.thinned, generator)
    seen = np.zeros((config.buffer, 25), np.int8)
    wanted = np.zeros((config.buffer, 2 * ROLLS), np.float32)
    return State(new_fitter(net), rows, seen, wanted, generator)


def _round(
    config: RollsConfig, state: State, chooser: FastNet | None, starts: NDArray[np.int8]
) -> tuple[float, float]:
    """A roll for every side, then a fit: the root mean square of misses in rolls, and the loss."""
    playing = fast_net(weights_of(state.fitter.average))
    rows, targets = play_rolls(playing, chooser or playing, state.rows, state.generator)
    home = ~rows[:, HOME_POINTS:].any(axis=1)
    rows[home] = draw_rows(starts, int(home.sum()), config.thinned, state.generator)
    at = (state.rounds * config.sides + np.arange(config.sides)) % config.buffer
    state.seen[at] = targets.rows
    state.wanted[at] = np.concatenate([targets.chances.bearoff, targets.chances.first], axis=1)
    loss = _fit(config, state)
    state.rows = rows
    state.rounds += 1
    return float(np.sqrt(np.mean(targets.misses**2))), loss


def _fit(config: RollsConfig, state: State) -> float:
    """Fit some batches; the mean loss."""
    fitter = state.fitter
    share = state.rounds / config.rounds
    filled = min(config.buffer, (state.rounds + 1) * config.sides)
    keep = min(config.average, (state.rounds + 1) / (state.rounds + 10))
    for group in fitter.optimiser.param_groups:
        group["lr"] = config.rate_first * (config.rate_last / config.rate_first) ** share
    total = 0.0
    for _ in range(config.batches):
        drawn = state.generator.integers(filled, size=config.batch)
        loss = _loss(fitter.net, state.seen[drawn], state.wanted[drawn])
        step(fitter, loss, keep)
        total += loss.item()
    return total / config.batches


def _save(folder: Path, config: RollsConfig, state: State) -> None:
    arrays = fitter_arrays(state.fitter)
    arrays |= {"rows": state.rows, "seen": state.seen, "wanted": state.wanted}
    metadata = {
        "config": json.dumps(asdict(config)),
        "generator": generator_text(state.generator),
        "steps": str(state.fitter.steps),
        "rounds": str(state.rounds),
        "seconds": str(state.seconds),
    }
    write_aside(folder / CHECKPOINT, save(arrays, metadata))


def _load(folder: Path, config: RollsConfig, state: State) -> None:
    arrays, metadata = read_checkpoint(folder, json.dumps(asdict(config)))
    restore_fitter(state.fitter, arrays, int(metadata["steps"]))
    state.rows, state.seen, state.wanted = arrays["rows"], arrays["seen"], arrays["wanted"]
    state.generator = generator_of(metadata["generator"])
    state.rounds, state.seconds = int(metadata["rounds"]), float(metadata["seconds"])


def _report(net: Net, config: RollsConfig, folder: Path, line: dict[str, float]) -> None:
    card = {"trained": json.dumps(line), "config": json.dumps(asdict(config))}
    save_weights(folder / "rolls.safetensors", weights_of(net, card))
    with (folder / "log.jsonl").open("a") as log:
        log.write(json.dumps(line) + "\n")
    print(json.dumps(line), flush=True)


def main(argv: list[str] | None = None) -> int:
    """The command line of a run."""
    parser = argparse.ArgumentParser(prog="python -m gnubg_py.training.rolls", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the run lives")
    parser.add_argument("--resume", action="store_true", help="go on from the folder's checkpoint")
    add_settings(parser, RollsConfig)
    args = parser.parse_args(argv)

    def work() -> int:
        train_rolls(RollsConfig(**given_settings(args, RollsConfig)), args.folder, args.resume)
        return DONE

    return guarded(work)


if __name__ == "__main__":
    raise SystemExit(main())
