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
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray

from gnubg_py.bearoff.rules import HOME_POINTS
from gnubg_py.board import CHECKERS, OTHER
from gnubg_py.dice import ROLL_INDEX, ROLL_PROBABILITIES, roll_dice
from gnubg_py.evaluate.race import RollChances, roll_chances
from gnubg_py.messages import progress, say
from gnubg_py.network.encoding import encode, encoding_named
from gnubg_py.network.forward import FastNet, fast_net
from gnubg_py.network.model import Net, net_from_weights, weights_of
from gnubg_py.network.weights import ROLLS, Architecture, load_weights, save_weights
from gnubg_py.plays import all_rolls
from gnubg_py.training.selfplay import start_boards
from gnubg_py.training.widen import widened

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


@njit(cache=True, nogil=True)
def _fewest(means, offsets, best):  # type: ignore[no-untyped-def]
    for i in range(best.shape[0]):
        lowest = offsets[i]
        for j in range(offsets[i] + 1, offsets[i + 1]):
            if means[j] < means[lowest]:
                lowest = j
        best[i] = lowest


def _best(chances: NDArray[np.float32], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The successor of fewest expected rolls, for each roll of each side."""
    best = np.empty(len(offsets) - 1, np.int64)
    _fewest(chances @ _COUNTS, offsets, best)
    return best


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


def train_rolls(config: RollsConfig, folder: Path) -> Net:
    """Run to the end; ``folder`` gets ``rolls.safetensors`` (the average) and ``log.jsonl``."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(config.seed)
    starts = starting_rows(config.boards)
    torch.manual_seed(config.seed)
    torch.set_num_threads(1)
    shape = Architecture(config.hidden, "thermometer", config.slope, "rolls")
    net = Net(shape)
    if config.start:
        net = widened(net_from_weights(load_weights(Path(config.start))), shape)
    chooser = fast_net(load_weights(Path(config.chooser))) if config.chooser else None
    average = net_from_weights(weights_of(net))
    optimiser = torch.optim.Adam(net.parameters(), lr=config.rate_first)
    rows = draw_rows(starts, config.sides, config.thinned, generator)
    seen = np.zeros((config.buffer, 25), np.int8)
    wanted = np.zeros((config.buffer, 2 * ROLLS), np.float32)
    filled, misses, losses, begun = 0, [], [], time.monotonic()
    with progress(config.rounds, "rounds") as bar:
        for number in range(config.rounds):
            share = number / config.rounds
            for group in optimiser.param_groups:
                group["lr"] = config.rate_first * (config.rate_last / config.rate_first) ** share
            playing = fast_net(weights_of(average))
            rows, targets = play_rolls(playing, chooser or playing, rows, generator)
            home = ~rows[:, HOME_POINTS:].any(axis=1)
            rows[home] = draw_rows(starts, int(home.sum()), config.thinned, generator)
            at = (number * config.sides + np.arange(config.sides)) % config.buffer
            seen[at] = targets.rows
            wanted[at] = np.concatenate([targets.chances.bearoff, targets.chances.first], axis=1)
            filled = min(config.buffer, filled + config.sides)
            misses.append(float(np.sqrt(np.mean(targets.misses**2))))
            for _ in range(config.batches):
                drawn = generator.integers(filled, size=config.batch)
                loss = _loss(net, seen[drawn], wanted[drawn])
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                optimiser.step()
                losses.append(loss.item())
                keep = min(config.average, (number + 1) / (number + 10))
                with torch.no_grad():
                    for mean, value in zip(average.parameters(), net.parameters(), strict=True):
                        mean.lerp_(value, 1 - keep)
            if not np.isfinite(losses[-1]):
                raise ValueError(f"the loss became {losses[-1]}: the last good net is in {folder}")
            bar.update(1)
            if (number + 1) % config.report_rounds == 0 or number + 1 == config.rounds:
                line = {
                    "rounds": number + 1,
                    "seconds": round(time.monotonic() - begun, 1),
                    "miss_in_rolls": round(float(np.mean(misses)), 5),
                    "loss": round(float(np.mean(losses)), 5),
                }
                misses, losses = [], []
                _save(average, config, folder, line)
    return average


def _save(net: Net, config: RollsConfig, folder: Path, line: dict[str, float]) -> None:
    card = {"trained": json.dumps(line), "config": json.dumps(asdict(config))}
    save_weights(folder / "rolls.safetensors", weights_of(net, card))
    with (folder / "log.jsonl").open("a") as log:
        log.write(json.dumps(line) + "\n")
    print(json.dumps(line), flush=True)


def main(argv: list[str] | None = None) -> int:
    """The command line of a run."""
    parser = argparse.ArgumentParser(prog="python -m gnubg_py.training.rolls", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the run lives")
    for setting in fields(RollsConfig):
        name = "--" + setting.name.replace("_", "-")
        if setting.name == "hidden":
            parser.add_argument(name, type=int, nargs="+", default=setting.default)
        else:
            kind = {"int": int, "float": float, "str": str}[str(setting.type)]
            parser.add_argument(name, type=kind, default=setting.default)
    args = vars(parser.parse_args(argv))
    folder = args.pop("folder")
    try:
        train_rolls(RollsConfig(**{**args, "hidden": tuple(args["hidden"])}), folder)
    except ValueError as error:
        say(str(error))
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
