"""The losses of nets, and their gradients by the logits."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from gnubg_py.kernel_cache import njit
from gnubg_py.network.weights import ROLLS_COUNTED
from gnubg_py.probabilities import OUTCOME_EQUITIES, OUTCOMES

from .config import TrainConfig


class LossFound(NamedTuple):
    """A mean loss, and its gradient by the logits, float32[n, k]."""

    loss: float
    gradient: torch.Tensor


def loss_of(
    logits: torch.Tensor,
    target: NDArray[np.float32],
    config: TrainConfig,
    roll: NDArray[np.int64],
) -> LossFound:
    """Cross-entropy of the outcomes, plus weights times squared equity errors (see the config).

    ``logits`` and ``target`` float32[n, k]. Neighbours with the same number in ``roll`` int64[n]
    are plays of one roll.
    """
    if config.position_class == "rolls":
        return _by_autograd(logits, target)
    gradient = np.empty((len(logits), OUTCOMES), np.float32)
    weights = config.equity_weight, config.sibling_weight
    loss = _fill_gradient(logits.numpy(), target, OUTCOME_EQUITIES, roll, weights, gradient)
    return LossFound(loss, torch.from_numpy(gradient))


@njit(cache=True, nogil=True)
def _fill_gradient(logits, target, points, roll, weights, out):  # type: ignore[no-untyped-def]
    """Fill the gradient of the mean loss, float32[n, 6]; return that loss."""
    n = len(logits)
    chances, errors = np.empty((n, OUTCOMES)), np.empty(n)
    entropy = 0.0
    for i in range(n):
        most = logits[i, 0]
        for k in range(1, OUTCOMES):
            most = max(most, logits[i, k])
        total = 0.0
        for k in range(OUTCOMES):
            chances[i, k] = math.exp(logits[i, k] - most)
            total += chances[i, k]
        log_total = math.log(total)
        errors[i] = 0.0
        for k in range(OUTCOMES):
            chances[i, k] /= total
            entropy -= target[i, k] * (logits[i, k] - most - log_total)
            errors[i] += (chances[i, k] - target[i, k]) * points[k]
    equity_weight, sibling_weight = weights
    loss = entropy
    begin = 0
    while begin < n:
        end, mean = begin, 0.0
        while end < n and roll[end] == roll[begin]:
            mean += errors[end]
            end += 1
        mean /= end - begin
        for i in range(begin, end):
            apart = errors[i] - mean
            loss += equity_weight * errors[i] ** 2 + sibling_weight * apart**2
            # The errors of a roll's plays less their mean add up to 0: the mean has no share here.
            slope = 2 * (equity_weight * errors[i] + sibling_weight * apart)
            equity, whole = 0.0, 0.0
            for k in range(OUTCOMES):
                equity += chances[i, k] * points[k]
                whole += target[i, k]
            for k in range(OUTCOMES):
                chance = chances[i, k]
                by_logit = whole * chance - target[i, k] + slope * chance * (points[k] - equity)
                out[i, k] = by_logit / n
        begin = end
    return loss / n


def _by_autograd(logits: torch.Tensor, target: NDArray[np.float32]) -> LossFound:
    heard = logits.detach().requires_grad_()
    loss = rolls_loss(heard, torch.from_numpy(target))
    loss.backward()
    assert heard.grad is not None
    return LossFound(loss.item(), heard.grad)


def rolls_loss(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Cross-entropy of both counts of a rolls net, ``[n, 96]``: to bear off, to the first checker.

    Targets of 0 rolls are left out, since it is known whether a checker, or all, are off.
    """
    log_p = logits.reshape(-1, 2, ROLLS_COUNTED)[:, :, 1:].log_softmax(dim=2)
    return -(target.reshape(-1, 2, ROLLS_COUNTED)[:, :, 1:] * log_p).sum(dim=(1, 2)).mean()
