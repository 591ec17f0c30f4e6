"""Forward and backward passes of the fit, in memory that is taken once.

Torch's own autograd takes new memory for every layer of every batch and gives it back to the
system, which then has to clear its pages again: that costs half as much time as the products.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from gnubg_py.board import Boards, for_kernels
from gnubg_py.network.encoding import (
    copy_inputs,
    encode,
    encoding_named,
    place_columns,
    unit_tables,
)
from gnubg_py.network.model import Net
from gnubg_py.network.rounding import QuantisedNet
from gnubg_py.network.tails import tails_of
from gnubg_py.network.weights import outputs_of

from .bent import bend, bits_of, unbend

_PLACES = 32
"""Every tail's positions have a multiple of so many places. Torch prepares a product for its number
of rows, which takes longer than the product itself, and remembers the numbers that it has met.
"""


@dataclass(frozen=True)
class _Layer:
    """A dense layer and its room: ``units`` [rows, out] after activation, gradients of each.

    The weights have the outputs of all tails, the units those of one.
    """

    parameters: tuple[torch.Tensor, torch.Tensor]
    weight: torch.Tensor
    bias: torch.Tensor
    units: torch.Tensor
    of_units: torch.Tensor
    of_weight: torch.Tensor
    of_weight_float: torch.Tensor


class Passes:
    """A net's passes over up to ``rows`` positions at once, with products in ``kind``.

    ``read_weights`` must be called after each step of an optimiser. Inside, positions are in the
    order of their tails, so that each tail's are a matrix; the places that are left over between
    two tails have positions of no weight.
    """

    def __init__(self, net: Net, rows: int, kind: torch.dtype) -> None:
        self.tails = net.architecture.tails
        rows += (_PLACES - 1) * self.tails if self.tails > 1 else 0
        self.places = torch.empty(0, dtype=torch.int64)
        self.ends: list[int] = []
        slope, ceiling = net.architecture.bend
        self.limits = np.float32(slope), np.float32(ceiling)
        encoding = encoding_named(net.architecture.encoding)
        self.columns = place_columns(encoding)
        self.tables = bits_of(torch.from_numpy(unit_tables(encoding)).to(kind))
        self.inputs = torch.empty(rows, encoding.inputs, dtype=kind)
        self.inputs[:, self.columns[-1] :] = torch.from_numpy(encoding.constants)
        widths = *net.architecture.hidden, outputs_of(net.architecture)
        self.layers = [
            _Layer(
                (layer.weight, layer.bias),
                layer.weight.detach().to(kind, copy=True),
                layer.bias.detach().to(kind, copy=True),
                torch.empty(rows, width, dtype=kind),
                torch.empty(rows, width, dtype=kind),
                torch.empty_like(layer.weight, dtype=kind),
                torch.empty_like(layer.weight, dtype=torch.float32),
            )
            for layer, width in zip(net.linear(), widths, strict=True)
        ]
        for parameter in net.parameters():
            parameter.grad = torch.zeros_like(parameter)

    @torch.no_grad()
    def read_weights(self) -> None:
        """Take over the parameters' values."""
        for layer in self.layers:
            layer.weight.copy_(layer.parameters[0])
            layer.bias.copy_(layer.parameters[1])

    @torch.no_grad()
    def forward(self, boards: Boards) -> torch.Tensor:
        """The logits of positions, float32[n, outputs]."""
        boards = self._placed(boards)
        n = len(boards)
        x = self.inputs[:n]
        copy_inputs(for_kernels(boards), self.tables, self.columns, bits_of(x))
        for layer in self.layers:
            out = layer.units[:n]
            for rows, outputs in self._parts(layer):
                weight, bias = layer.weight[outputs], layer.bias[outputs]
                torch.addmm(bias, x[rows], weight.t(), out=out[rows])
            if layer is not self.layers[-1]:
                bend(bits_of(out), *self.limits)
            x = out
        return x[self.places].float()

    @torch.no_grad()
    def backward(self, gradient: torch.Tensor, first: bool) -> None:
        """Find the gradients of the parameters, from that of the logits of the last ``forward``.

        If it is not the ``first`` of a batch, they are added to those that were found before.
        """
        n = self.ends[-1]
        last = self.layers[-1]
        gradient = torch.zeros(n, gradient.shape[1]).index_copy_(0, self.places, gradient)
        sums = torch.zeros(len(last.bias))
        for rows, outputs in self._parts(last):
            sums[outputs] = gradient[rows].sum(0)
        gradient = last.of_units[:n].copy_(gradient)
        for below, layer in reversed(list(zip([None, *self.layers], self.layers, strict=False))):
            x = self.inputs[:n] if below is None else below.units[:n]
            weight, bias = (parameter.grad for parameter in layer.parameters)
            assert weight is not None
            assert bias is not None
            for rows, outputs in self._parts(layer):
                torch.mm(gradient[rows].t(), x[rows], out=layer.of_weight[outputs])
            if first:
                weight.copy_(layer.of_weight)
                bias.copy_(sums)
            else:
                weight.add_(layer.of_weight_float.copy_(layer.of_weight))
                bias.add_(sums)
            if below is not None:
                gradient, sums = self._gradient_below(layer, below, gradient)

    def _gradient_below(
        self, layer: _Layer, below: _Layer, gradient: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The gradient of the sums of the layer ``below``, and its sum over positions."""
        n = len(gradient)
        found = below.of_units[:n]
        for rows, outputs in self._parts(layer):
            torch.mm(gradient[rows], layer.weight[outputs], out=found[rows])
        sums = torch.zeros(len(below.bias))
        for rows, outputs in self._parts(below):
            units = bits_of(below.units[:n][rows])
            unbend(bits_of(found[rows]), units, *self.limits, sums[outputs].numpy())
        return found, sums

    def _placed(self, boards: Boards) -> Boards:
        """The boards in their places, which are kept; the first board where none belongs."""
        if self.tails == 1:
            self.places, self.ends = torch.arange(len(boards)), [0, len(boards)]
            return boards
        which = tails_of(boards, self.tails)
        counts = np.bincount(which, minlength=self.tails)
        ends = np.cumsum(-(-counts // _PLACES) * _PLACES)
        order = np.argsort(which, kind="stable")
        # The first place of each tail, less the number of positions of the tails before it.
        skipped = np.append(0, ends[:-1]) - (np.cumsum(counts) - counts)
        places = np.empty(len(boards), np.int64)
        places[order] = np.arange(len(boards)) + skipped[which[order]]
        self.places, self.ends = torch.from_numpy(places), [0, *ends.tolist()]
        placed = np.zeros(self.ends[-1], np.int64)
        placed[places] = np.arange(len(boards))
        return boards[placed]

    def _parts(self, layer: _Layer) -> Iterator[tuple[slice, slice]]:
        """The positions of each tail, and its outputs in a layer's matrix."""
        tails = 1 if layer is self.layers[0] else self.tails
        width = len(layer.bias) // tails
        ends = self.ends if tails == self.tails else [0, self.ends[-1]]
        for t in range(tails):
            yield slice(ends[t], ends[t + 1]), slice(t * width, (t + 1) * width)


class QuantisedPasses:
    """The passes of a net as it answers once rounded, by torch's autograd."""

    def __init__(self, model: QuantisedNet, kind: torch.dtype) -> None:
        self.model, self.kind = model, kind
        self.logits = torch.empty(0)

    def read_weights(self) -> None:
        """Nothing to do: the weights are the parameters themselves."""

    def forward(self, boards: Boards) -> torch.Tensor:
        """As ``Passes.forward``."""
        x = torch.from_numpy(encode(boards, encoding_named(self.model.net.architecture.encoding)))
        with torch.autocast("cpu", torch.bfloat16, enabled=self.kind == torch.bfloat16):
            self.logits = self.model(x).float()
        return self.logits.detach()

    def backward(self, gradient: torch.Tensor, first: bool) -> None:
        """As ``Passes.backward``."""
        if first:
            self.model.zero_grad(set_to_none=True)
        torch.autograd.backward(self.logits, gradient)
