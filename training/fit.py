"""The fitting half of training: a buffer of the latest positions, Adam, and the running average."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.network.encoding import encode, encoding_named
from gnubg_py.network.model import Net
from gnubg_py.training.config import TrainConfig
from gnubg_py.training.selfplay import POINTS


class NotFiniteError(ArithmeticError):
    """A loss or a weight became NaN or infinite."""


@dataclass
class Buffer:
    """A ring of the latest boards int8[size, 2, 25] and targets float32[size, 6]."""

    boards: Boards
    targets: NDArray[np.float32]
    filled: int = 0
    next: int = 0


def new_buffer(size: int) -> Buffer:
    """An empty ring."""
    return Buffer(np.zeros((size, 2, 25), np.int8), np.zeros((size, 6), np.float32))


def add(buffer: Buffer, boards: Boards, targets: NDArray[np.float32]) -> None:
    """Put new positions in place of the oldest."""
    size = len(buffer.boards)
    boards, targets = boards[-size:], targets[-size:]
    at = (buffer.next + np.arange(len(boards))) % size
    buffer.boards[at], buffer.targets[at] = boards, targets
    buffer.next = int((buffer.next + len(boards)) % size)
    buffer.filled = min(size, buffer.filled + len(boards))


@dataclass
class Fitter:
    """The net that learns, its running average, and the optimiser."""

    net: Net
    average: Net
    optimiser: torch.optim.Adam
    points: torch.Tensor
    steps: int = 0


def new_fitter(net: Net) -> Fitter:
    """A fitter whose average starts at the net itself."""
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)
    return Fitter(net, copy.deepcopy(net), optimiser, torch.from_numpy(POINTS))


def rate(config: TrainConfig, done: int) -> float:
    """The learning rate after ``done`` positions: geometric from first to last."""
    share = min(1.0, done / config.positions)
    return float(config.rate_first * (config.rate_last / config.rate_first) ** share)


def loss_of(
    logits: torch.Tensor, points: torch.Tensor, target: torch.Tensor, weight: float
) -> torch.Tensor:
    """Cross-entropy of the outcomes, plus ``weight`` times the squared equity error."""
    log_p = torch.log_softmax(logits, dim=1)
    loss = -(target * log_p).sum(dim=1).mean()
    if weight:
        error = (log_p.exp() - target) @ points
        loss = loss + weight * (error * error).mean()
    return loss


def fit(fitter: Fitter, buffer: Buffer, batches: int, config: TrainConfig, done: int) -> float:
    """Fit ``batches`` batches drawn from the buffer; the mean loss. May raise ``NotFiniteError``.

    The draws depend on the seed and the step alone, so that a resumed run makes the same.
    """
    torch.set_num_threads(1)
    generator = np.random.default_rng([config.seed, fitter.steps])
    for group in fitter.optimiser.param_groups:
        group["lr"] = rate(config, done)
    total = 0.0
    encoding = encoding_named(config.encoding)
    for _ in range(batches):
        rows = generator.integers(buffer.filled, size=config.batch)
        x = torch.from_numpy(encode(buffer.boards[rows], encoding))
        target = torch.from_numpy(buffer.targets[rows])
        with torch.autocast("cpu", torch.bfloat16, enabled=config.precision == "bfloat16"):
            logits = fitter.net(x)
        loss = loss_of(logits.float(), fitter.points, target, config.equity_weight)
        fitter.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        fitter.optimiser.step()
        fitter.steps += 1
        total += loss.item()
        if not math.isfinite(total):
            raise NotFiniteError(f"the loss became {loss.item()} at step {fitter.steps}")
        # The average of the first steps would hold on to random weights: let it follow them.
        keep = min(config.average, fitter.steps / (fitter.steps + 10.0))
        with torch.no_grad():
            for mean, value in zip(
                fitter.average.parameters(), fitter.net.parameters(), strict=True
            ):
                mean.lerp_(value, 1 - keep)
    return total / batches


def silent_share(net: Net, boards: Boards, encoding: str) -> float:
    """Share of hidden units that no board switches on: units that have stopped learning."""
    with torch.no_grad():
        x = torch.from_numpy(encode(boards, encoding_named(encoding)))
        silent, units = 0, 0
        for layer in net.linear()[:-1]:
            before = layer(x)
            silent += int((before <= 0).all(dim=0).sum())
            units += before.shape[1]
            x = torch.nn.functional.leaky_relu(before, net.architecture.slope)
    return silent / units
