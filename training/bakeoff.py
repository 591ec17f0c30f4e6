"""A bake-off: nets of several shapes fitted for the same time to the positions of runs.

``python -m gnubg_py.training.bakeoff RUN --minutes 3 512-128-64 1024-256-64,muon=13``. The
positions and targets are those in the buffer of the run's checkpoint, and of the runs that
``--more`` names; the nets are for the class of positions of the first run. Some positions are held
out, and tell how closely each net follows targets that it has not seen. A net is its hidden layers,
then any settings of ``gnubg-py train`` that concern the fit; ``start=FILE`` begins with the weights
of a file. The learning rate falls over the given time, which is the processor's: other programs do
not matter. With ``--samples`` it falls over so many positions, repeats counted, and the result does
not depend on the machine's speed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np
import torch

from gnubg_py.exits import DONE, guarded
from gnubg_py.messages import progress
from gnubg_py.network.encoding import encode, encoding_named
from gnubg_py.network.model import Net, weights_of
from gnubg_py.network.weights import Architecture, save_weights
from gnubg_py.probabilities import OUTCOME_EQUITIES, OUTCOMES

from .checkpoint import checkpoint_of, read_arrays
from .config import TrainConfig, check_config, config_json
from .fit import Buffer, fit, new_fitter
from .games import joined_rolls
from .run import new_net

_BATCHES = 20
"""Batches between two looks at the clock."""
_AT_ONCE = 10_000
_BLOCK = 512
"""Neighbours that are held out together, so that few rolls are divided."""
_BASE = TrainConfig(
    rate_first=3e-4,
    rate_last=3e-6,
    batch=2048,
    average=0.999,
    equity_weight=2.0,
    siblings=True,  # buffers may hold several plays of a roll, so that they can be compared
    positions=1_000_000_000,  # the rate falls over these, which stand for the whole time
)


@dataclass(frozen=True)
class Fitted:
    """How closely a net follows held-out targets.

    ``error``: rms error of the equity, in points. ``divergence``: cross-entropy of the outcomes
    less the least possible, in nats. ``samples``: how many positions were fitted, with repeats.
    """

    error: float
    divergence: float
    samples: int


def net_config(text: str, base: TrainConfig = _BASE) -> TrainConfig:
    """The settings that a text such as ``1024-256-64,muon=13`` names.

    >>> net_config("64-16,muon=10").hidden
    (64, 16)
    """
    shape, *words = text.split(",")
    kinds = {field.name: type(getattr(base, field.name)) for field in fields(base)}
    changes: dict[str, object] = {}
    for word in words:
        name, _, value = word.partition("=")
        if kinds.get(name) not in (float, int, str):
            raise ValueError(f"{text}: {name} is no setting of one number or word of train")
        try:
            changes[name] = kinds[name](value)
        except ValueError as error:
            raise ValueError(f"{text}: {name} {value!r}: expected a number") from error
    try:
        hidden = tuple(int(width) for width in shape.split("-"))
    except ValueError as error:
        raise ValueError(f"{text}: {shape!r} should be hidden layers like 512-128-64") from error
    return check_config(replace(base, hidden=hidden, **changes))  # type: ignore[arg-type]


def class_of_run(run: Path) -> str:
    """The class of positions that a run's net is for."""
    _, texts = read_arrays(checkpoint_of(run), ())
    saved = json.loads(texts.get("config", "{}"))
    return str(saved.get("position_class", _BASE.position_class))


def read_buffers(runs: Sequence[Path], held_out: int) -> tuple[Buffer, Buffer]:
    """The buffers of runs' checkpoints, joined: what is left for the fit, and what is held out.

    Of each run, about ``held_out`` positions are held out, in blocks spread over all its games.
    """
    fitted, held = zip(*(_read_buffer(run, held_out) for run in runs), strict=True)
    return joined_buffers(fitted), joined_buffers(held)


def read_buffer(run: Path) -> Buffer:
    """The buffer of a run's checkpoint; ``ValueError`` if its targets are not of six outcomes."""
    arrays, _ = read_arrays(checkpoint_of(run), ("buffer.boards", "buffer.targets", "buffer.rolls"))
    boards, targets, rolls = arrays.values()
    if targets.shape[1] != OUTCOMES:
        raise ValueError(f"{run}: a rolls net's run; expected targets of six outcomes")
    return Buffer(boards, targets, rolls, len(boards))


def _read_buffer(run: Path, held_out: int) -> tuple[Buffer, Buffer]:
    buffer = read_buffer(run)
    boards, targets, rolls, n = buffer.boards, buffer.targets, buffer.rolls, buffer.filled
    if n < 2 * held_out:
        raise ValueError(f"{run}: {n} positions; at least {2 * held_out} are needed")
    every = n // held_out
    held = np.arange(n) // min(_BLOCK, held_out) % every == every - 1
    left, kept = (
        Buffer(boards[rows], targets[rows], rolls[rows], int(rows.sum())) for rows in (~held, held)
    )
    return left, kept


def joined_buffers(buffers: Sequence[Buffer]) -> Buffer:
    """Buffers, one after the other, as one."""
    if len(buffers) == 1:
        return buffers[0]
    boards, targets = (
        np.concatenate([getattr(buffer, name) for buffer in buffers])
        for name in ("boards", "targets")
    )
    return Buffer(boards, targets, joined_rolls([b.rolls for b in buffers]), len(boards))


Share = Callable[[int], float]
"""The share of the fit that is done after so many samples."""


def share_of_time(seconds: float) -> Share:
    """The share of so many seconds of the processor's time that has gone by since now."""
    begun = time.process_time()
    return lambda _: (time.process_time() - begun) / seconds


def share_of_samples(count: float) -> Share:
    """The share of so many samples that is fitted."""
    return lambda samples: samples / count


def bake(
    config: TrainConfig, buffer: Buffer, held_out: Buffer, share_done: Share
) -> tuple[Net, Fitted]:
    """Fit a net to a buffer until ``share_done`` is 1.

    Returns the average of its weights, and how closely that follows the positions held out.
    """
    fitter = new_fitter(new_net(config), with_muon=config.muon > 0)
    share = 0.0
    with progress(100, "%") as bar:
        while share < 1:
            fit(fitter, buffer, _BATCHES, config, int(share * config.positions))
            before, share = share, share_done(fitter.steps * config.batch)
            bar.update(100 * (min(1.0, share) - before))
    return fitter.average, measured(fitter.average, held_out, fitter.steps * config.batch)


def measured(net: Net, held_out: Buffer, samples: int) -> Fitted:
    """How closely a net follows the targets of a buffer."""
    encoding = encoding_named(net.architecture.encoding)
    squares = divergence = 0.0
    with torch.no_grad():
        for start in range(0, held_out.filled, _AT_ONCE):
            rows = slice(start, start + _AT_ONCE)
            target = torch.from_numpy(held_out.targets[rows])
            log_p = net(torch.from_numpy(encode(held_out.boards[rows], encoding))).log_softmax(1)
            error = (log_p.exp() - target) @ torch.from_numpy(OUTCOME_EQUITIES)
            squares += float((error * error).sum())
            # Corrections of later turns can take a target below 0.
            target = target.clamp(min=0)
            divergence += float((torch.special.xlogy(target, target) - target * log_p).sum())
    n = held_out.filled
    return Fitted((squares / n) ** 0.5, divergence / n, samples)


def multiplications(shape: Architecture) -> int:
    """Products of the dense layers for one position; the first layer's sums are not products."""
    widths = (*shape.hidden, OUTCOMES)
    return sum(a * b for a, b in itertools.pairwise(widths))


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m gnubg_py.training.bakeoff")
    parser.description = __doc__
    parser.add_argument("run", type=Path, help="the folder of a training run")
    parser.add_argument("nets", nargs="+", help="like 512-128-64 or 1024-256-64,muon=13")
    parser.add_argument(
        "--more", type=Path, nargs="+", default=[], metavar="RUN", help="more runs' folders"
    )
    long = parser.add_mutually_exclusive_group()
    long.add_argument(
        "--minutes", type=float, default=3.0, help="of processor time, for each (default: 3)"
    )
    long.add_argument("--samples", type=float, help="instead: millions of positions, for each")
    parser.add_argument("--held-out", type=int, default=100_000, help="(default: %(default)s)")
    parser.add_argument("--out", type=Path, help="a folder to write the nets to: 1.safetensors ...")
    args = parser.parse_args(argv)

    def work() -> int:
        samples = 1 if args.samples is None else args.samples
        if not (args.minutes > 0 and args.held_out > 0 and samples > 0):
            raise ValueError("minutes, samples and held-out should be above 0")
        buffer, held_out = read_buffers([args.run, *args.more], args.held_out)
        base = replace(_BASE, position_class=class_of_run(args.run))
        configs = [net_config(text, base) for text in args.nets]
        print("| net | products | samples | equity error | divergence |\n|---|---|---|---|---|")
        for number, (text, config) in enumerate(zip(args.nets, configs, strict=True), 1):
            share = share_of_time(60 * args.minutes)
            if args.samples is not None:
                share = share_of_samples(1e6 * args.samples)
            net, found = bake(config, buffer, held_out, share)
            products = multiplications(net.architecture)
            millions = f"{found.samples / 1e6:.1f} M"
            figures = f"{1e3 * found.error:.2f} | {1e3 * found.divergence:.3f}"
            print(f"| {text} | {products:,} | {millions} | {figures} |", flush=True)
            if args.out is not None:
                card = {"trained": json.dumps(asdict(found)), "config": config_json(config)}
                save_weights(args.out / f"{number}.safetensors", weights_of(net, card))
        return DONE

    return guarded(work)


if __name__ == "__main__":
    raise SystemExit(main())
