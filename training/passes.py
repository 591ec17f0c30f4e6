"""Forward and backward passes of the fit, in memory that is taken once.

Torch's own autograd takes new memory for every layer of every batch and gives it back to the
system, which then has to clear its pages again: that costs half as much time as the products.
"""

from __future__ import annotations

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

from .bent import bend, bits_of, unbend


@dataclass(frozen=True)
class _Layer:
    """A dense layer and its room: ``units`` [rows, out] after activation, gradients of each."""

    parameters: tuple[torch.Tensor, torch.Tensor]
    weight: torch.Tensor
    bias: torch.Tensor
    units: torch.Tensor
    of_units: torch.Tensor
    of_weight: torch.Tensor
    of_weight_float: torch.Tensor


class Passes:
    """A net's passes over up to ``rows`` positions at once, with products in ``kind``.

    ``read_weights`` must be called after each step of an optimiser.
    """

    def __init__(self, net: Net, rows: int, kind: torch.dtype) -> None:
        slope, ceiling = net.architecture.bend
        self.shape = np.float32(slope), np.float32(ceiling)
        encoding = encoding_named(net.architecture.encoding)
        self.columns = place_columns(encoding)
        self.tables = bits_of(torch.from_numpy(unit_tables(encoding)).to(kind))
        self.inputs = torch.empty(rows, encoding.inputs, dtype=kind)
        self.inputs[:, self.columns[-1] :] = torch.from_numpy(encoding.constants)
        self.layers = [
            _Layer(
                (layer.weight, layer.bias),
                layer.weight.detach().to(kind, copy=True),
                layer.bias.detach().to(kind, copy=True),
                torch.empty(rows, layer.out_features, dtype=kind),
                torch.empty(rows, layer.out_features, dtype=kind),
                torch.empty_like(layer.weight, dtype=kind),
                torch.empty_like(layer.weight, dtype=torch.float32),
            )
            for layer in net.linear()
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
        n = len(boards)
        x = self.inputs[:n]
        copy_inputs(for_kernels(boards), self.tables, self.columns, bits_of(x))
        for layer in self.layers:
            out = layer.units[:n]
            torch.addmm(layer.bias, x, layer.weight.t(), out=out)
            if layer is not self.layers[-1]:
                bend(bits_of(out), *self.shape)
            x = out
        return x.float()

    @torch.no_grad()
    def backward(self, gradient: torch.Tensor, first: bool) -> None:
        """Find the gradients of the parameters, from that of the logits of the last ``forward``.

        If it is not the ``first`` of a batch, they are added to those that were found before.
        """
        n = len(gradient)
        sums = gradient.sum(0)
        gradient = self.layers[-1].of_units[:n].copy_(gradient)
        for below, layer in reversed(list(zip([None, *self.layers], self.layers, strict=False))):
            x = self.inputs[:n] if below is None else below.units[:n]
            weight, bias = (parameter.grad for parameter in layer.parameters)
            assert weight is not None
            assert bias is not None
            torch.mm(gradient.t(), x, out=layer.of_weight)
            if first:
                weight.copy_(layer.of_weight)
                bias.copy_(sums)
            else:
                weight.add_(layer.of_weight_float.copy_(layer.of_weight))
                bias.add_(sums)
            if below is not None:
                gradient = torch.mm(gradient, layer.weight, out=below.of_units[:n])
                sums = torch.zeros(gradient.shape[1])
                unbend(bits_of(gradient), bits_of(x), *self.shape, sums.numpy())


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
