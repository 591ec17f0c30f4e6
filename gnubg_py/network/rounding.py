"""Nets of whole numbers in torch: one that computes them to the bit, one to train them by.

The one module beside ``model.py`` that imports torch at its top; playing never imports it.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from gnubg_py.board import Boards
from gnubg_py.network.encoding import COUNTS, PLACES
from gnubg_py.network.integers import (
    BYTE_TOP,
    WORD_TOP,
    DenseLayer,
    IntegerWeights,
    first_levels,
    lowest_word,
)
from gnubg_py.network.model import Net, activate, linear_by_tail, tails_of_inputs, weights_of
from gnubg_py.network.quantise import Ranges, first_ranges
from gnubg_py.network.tails import tails_of


class IntegerModule(nn.Module):
    """Boards int8[n, 2, 25] -> logits float32[n, 6], the same bits as the kernels'.

    Sums are int64 here, exact as theirs in 16 and 32 bits; all that follows is one float32
    operation after another in both.
    """

    def __init__(self, weights: IntegerWeights) -> None:
        super().__init__()
        self.weights = weights

    def forward(self, boards: torch.Tensor) -> torch.Tensor:
        slope = self.weights.architecture.bend[0]
        lowest = lowest_word(self.weights.architecture)
        tails = self.weights.architecture.tails
        tail = torch.from_numpy(tails_of(boards.numpy(), tails))
        x = self._first_levels(boards)
        *hidden, last = self.weights.layers
        for layer in hidden:
            value = _scaled_sums(layer, x, tail, tails)
            value = torch.maximum(value, value * torch.tensor(slope, dtype=torch.float32))
            x = value.clamp(lowest, WORD_TOP).round().long()
        return _scaled_sums(last, x, tail, tails)

    def _first_levels(self, boards: torch.Tensor) -> torch.Tensor:
        first = self.weights.first
        counts = boards.long()
        off = COUNTS - 1 - counts.sum(dim=2, keepdim=True)
        counts = torch.cat([counts, off], dim=2).reshape(-1, PLACES)
        rows = counts + COUNTS * torch.arange(PLACES)
        table = torch.from_numpy(first.table.astype(np.int64))
        bias, up, down, zero = (
            torch.from_numpy(array.astype(np.int64))
            for array in (first.bias, first.up, first.down, first.zero)
        )
        sums = bias + sum(table[rows[:, place]] for place in range(PLACES))
        half = 2**14
        scaled = torch.maximum((sums * up + half) >> 15, (sums * down + half) >> 15)
        return (scaled + zero).clamp(*first_levels(self.weights))


def _scaled_sums(
    layer: DenseLayer, x: torch.Tensor, tail: torch.Tensor, tails: int
) -> torch.Tensor:
    """The sums of each row's tail times their scale, float32[n, out]."""
    # float64 holds every whole number below 2^53, and its products are fast.
    products = x.double() @ torch.from_numpy(layer.weight.astype(np.float64)).T
    sums = products.long() + torch.from_numpy(layer.bias.astype(np.int64))
    scaled: torch.Tensor = sums.float() * torch.from_numpy(layer.scale)
    return scaled.reshape(len(x), tails, -1)[torch.arange(len(x)), tail]


def _straight_through(rounded: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """``rounded`` forward; backward as if it were ``x`` (Bengio, Léonard and Courville 2013)."""
    return x + (rounded - x).detach()


class QuantisedNet(nn.Module):
    """A net as it answers once rounded, for training: it shares its parameters.

    The first layer's units are rounded to 256 levels in steps of ``ranges``, the first dense
    layer's weights to 8 bits an output. Both reach the product as whole numbers, which bfloat16
    holds exactly. The first layer's table and the later layers keep 13 bits or more when the net
    is made whole numbers, which no training needs to know of.
    """

    def __init__(self, net: Net, ranges: Ranges) -> None:
        super().__init__()
        self.net = net
        self.zero = torch.from_numpy(ranges.zero.astype(np.float32))
        self.step = torch.from_numpy(ranges.step.astype(np.float32))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        architecture = self.net.architecture
        first, second, *rest = self.net.linear()
        tail = tails_of_inputs(x, architecture)
        value = activate(first(x).float(), architecture) / self.step + self.zero
        value = value.clamp(0, BYTE_TOP)
        levels = _straight_through(value.round(), value) - self.zero
        weight = second.weight * self.step
        step, bias = weight.detach().abs().amax(dim=1).clamp(min=1e-12) / 127, second.bias
        weight = weight / step[:, None]
        whole = _straight_through(weight.round(), weight)
        nothing, tails = torch.zeros_like(second.bias), architecture.tails
        y = linear_by_tail(levels, whole, nothing, tail, tails).float()
        if tail is not None:
            step, bias = (array.unflatten(0, (tails, -1))[tail] for array in (step, bias))
        y = y * step + bias
        for layer in rest:
            y = linear_by_tail(activate(y, architecture), layer.weight, layer.bias, tail, tails)
        return y


def quantised(net: Net, boards: Boards) -> QuantisedNet:
    """The net as training with rounding in the loop asks it; its parameters are the net's own.

    ``boards`` int8[n, 2, 25], on which the ranges of leaky units are measured.
    """
    return QuantisedNet(net, first_ranges(weights_of(net), boards))
