"""Fitting: a buffer of the latest positions, the optimisers, and the running average.

Adam learns all weights, or Muon those between hidden layers. Muon makes each step of a matrix
orthogonal, so that it changes all directions alike, where Adam's steps have few directions. Every
tail's matrix is one of its own.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from gnubg_py.board import Boards
from gnubg_py.network.encoding import encode, encoding_named
from gnubg_py.network.model import Net, activate, linear_by_tail, tails_of_inputs
from gnubg_py.network.rounding import quantised
from gnubg_py.probabilities import OUTCOMES

from .config import TrainConfig
from .losses import loss_of
from .passes import Passes, QuantisedPasses


class NotFiniteError(ArithmeticError):
    """A loss or a weight became NaN or infinite."""


@dataclass
class Buffer:
    """A ring of the latest boards int8[size, 2, 25] and targets float32[size, k].

    ``rolls`` int64[size]: neighbours with the same number are plays of one roll.
    """

    boards: Boards
    targets: NDArray[np.float32]
    rolls: NDArray[np.int64]
    filled: int = 0
    next: int = 0


def new_buffer(size: int, outputs: int = OUTCOMES) -> Buffer:
    """An empty ring of ``size`` positions, with targets of ``outputs`` numbers."""
    boards, targets = np.zeros((size, 2, 25), np.int8), np.zeros((size, outputs), np.float32)
    return Buffer(boards, targets, np.zeros(size, np.int64))


def add(
    buffer: Buffer, boards: Boards, targets: NDArray[np.float32], rolls: NDArray[np.int64]
) -> None:
    """Replace the oldest positions by new ones."""
    size = len(buffer.boards)
    boards, targets, rolls = boards[-size:], targets[-size:], rolls[-size:]
    at = (buffer.next + np.arange(len(boards))) % size
    buffer.boards[at], buffer.targets[at], buffer.rolls[at] = boards, targets, rolls
    buffer.next = int((buffer.next + len(boards)) % size)
    buffer.filled = min(size, buffer.filled + len(boards))


@dataclass
class Fitter:
    """The net in training, its running average, and the optimisers: "adam", and perhaps "muon"."""

    net: Net
    average: Net
    optimisers: dict[str, torch.optim.Optimizer]
    steps: int = 0
    matrices: tuple[tuple[torch.Tensor, list[nn.Parameter]], ...] = ()
    """What Muon learns: a layer's weights, and the matrix of each tail, which is a part of them."""


def new_fitter(net: Net, with_muon: bool = False) -> Fitter:
    """A fitter whose average starts at the net itself."""
    between = [layer.weight for layer in net.linear()[1:-1]] if with_muon else []
    others = [p for p in net.parameters() if not any(p is weight for weight in between)]
    optimisers: dict[str, torch.optim.Optimizer] = {
        "adam": torch.optim.Adam(others, lr=1e-3, fused=True)
    }
    tails = net.architecture.tails
    matrices = tuple(
        (weight, [nn.Parameter(part) for part in _by_tail(weight.detach(), tails)])
        for weight in between
    )
    if matrices:
        parts = [part for _, matrix in matrices for part in matrix]
        optimisers["muon"] = torch.optim.Muon(parts, weight_decay=0.0)
    return Fitter(net, copy.deepcopy(net), optimisers, matrices=matrices)


def _by_tail(weight: torch.Tensor, tails: int) -> list[torch.Tensor]:
    """The matrices of a layer's tails, which share the memory of ``weight``."""
    return list(weight.unflatten(0, (tails, -1)))


def rate(config: TrainConfig, done: int) -> float:
    """Adam's learning rate after ``done`` positions: geometric from first to last."""
    share = min(1.0, done / config.positions)
    return float(config.rate_first * (config.rate_last / config.rate_first) ** share)


_RUN = 16
"""Neighbours drawn together if plays of one roll are compared: the plays of one to three rolls."""


def draw_batch(
    buffer: Buffer, config: TrainConfig, generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A random batch: rows of the buffer, and for each the number of its roll, from 0 on."""
    if not config.sibling_weight:
        rows = generator.integers(buffer.filled, size=config.batch)
        return rows, np.arange(len(rows))
    starts = generator.integers(buffer.filled, size=-(-config.batch // _RUN))
    rows = (starts[:, None] + np.arange(_RUN)) % buffer.filled
    rolls = buffer.rolls[rows]
    first = np.ones(rows.shape, bool)
    first[:, 1:] = rolls[:, 1:] != rolls[:, :-1]
    return rows.reshape(-1), np.cumsum(first.reshape(-1)) - 1


_RANGE_BOARDS = 4000
"""The approximate number of boards, evenly spread in the buffer, that give the units' ranges."""


def fit(fitter: Fitter, buffer: Buffer, batches: int, config: TrainConfig, done: int) -> float:
    """Fit ``batches`` random batches of the buffer; return the mean loss.

    The batches depend only on the seed and the step, so that a resumed run has the same ones.
    ``NotFiniteError`` may be raised.
    """
    torch.set_num_threads(1)  # of the thread that fits
    generator = np.random.default_rng([config.seed, fitter.steps])
    now = rate(config, done)
    rates = {"adam": now, "muon": now * config.muon}
    for name, optimiser in fitter.optimisers.items():
        for group in optimiser.param_groups:
            group["lr"] = rates[name]
    passes = _passes(fitter, buffer, config, done)
    total = 0.0
    for _ in range(batches):
        loss = _find_gradients(passes, buffer, draw_batch(buffer, config, generator), config)
        if not math.isfinite(loss):
            raise NotFiniteError(f"the loss became {loss} at step {fitter.steps}")
        # A slow average would contain the random weights for long: it is fast at the beginning.
        _step(fitter, min(config.average, (fitter.steps + 1) / (fitter.steps + 11)))
        passes.read_weights()
        total += loss
    return total / batches


def _passes(
    fitter: Fitter, buffer: Buffer, config: TrainConfig, done: int
) -> Passes | QuantisedPasses:
    """The passes of the net in training, or of the net as it answers once rounded."""
    kind = torch.bfloat16 if config.precision == "bfloat16" else torch.float32
    if config.quantise and done >= config.quantise_from * config.positions:
        every = max(1, buffer.filled // _RANGE_BOARDS)
        boards = buffer.boards[: buffer.filled : every]
        return QuantisedPasses(quantised(fitter.net, boards), kind)
    return Passes(fitter.net, min(config.micro_batch or config.batch, config.batch), kind)


def _find_gradients(
    passes: Passes | QuantisedPasses,
    buffer: Buffer,
    batch: tuple[NDArray[np.int64], NDArray[np.int64]],
    config: TrainConfig,
) -> float:
    """Compute the gradients of a batch, one micro-batch at a time; return the mean loss."""
    rows, rolls = batch
    size = config.micro_batch or len(rows)
    total = 0.0
    for begin in range(0, len(rows), size):
        part = slice(begin, begin + size)
        logits = passes.forward(buffer.boards[rows[part]])
        loss, gradient = loss_of(logits, buffer.targets[rows[part]], config, rolls[part])
        share = len(logits) / len(rows)
        passes.backward(gradient.mul_(share), first=begin == 0)
        total += share * loss
    return total


def _step(fitter: Fitter, keep: float) -> None:
    """Make one step of the optimisers; the average keeps a share ``keep`` of its old value."""
    for weight, parts in fitter.matrices:
        assert weight.grad is not None
        gradients = _by_tail(weight.grad, fitter.net.architecture.tails)
        for part, gradient in zip(parts, gradients, strict=True):
            part.grad = gradient
    for optimiser in fitter.optimisers.values():
        optimiser.step()
    fitter.steps += 1
    with torch.no_grad():
        for mean, value in zip(fitter.average.parameters(), fitter.net.parameters(), strict=True):
            mean.lerp_(value, 1 - keep)


def silent_share(net: Net, boards: Boards) -> float:
    """The share of hidden units whose sum is 0 or less for every board, or is cut for every board.

    The former learn by their slope alone, if they are leaky; the others do not learn. Only the
    units of tails that evaluate some of the boards count.
    """
    ceiling = net.architecture.bend[1]
    encoding = encoding_named(net.architecture.encoding)
    if not len(boards):
        return 0.0
    with torch.no_grad():
        x = torch.from_numpy(encode(boards, encoding))
        tail = tails_of_inputs(x, net.architecture)
        which = torch.zeros(len(x), dtype=torch.int64) if tail is None else tail
        tails = net.architecture.tails
        silent, units = 0, 0
        for i, layer in enumerate(net.linear()[:-1]):
            before = linear_by_tail(x, layer.weight, layer.bias, tail if i else None, tails)
            for group in [slice(None)] if i == 0 else [which == t for t in which.unique()]:
                part = before[group]
                silent += int(((part <= 0).all(dim=0) | (part >= ceiling).all(dim=0)).sum())
                units += part.shape[1]
            x = activate(before, net.architecture)
    return silent / units
