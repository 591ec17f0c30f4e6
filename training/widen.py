"""Widen a net: make a larger one that has the same outputs before it is trained."""

from __future__ import annotations

import torch

from gnubg_py.network.model import Net
from gnubg_py.network.weights import Architecture, outputs_of


def widened(net: Net, shape: Architecture) -> Net:
    """A net of ``shape`` with the same outputs as ``net`` for every board.

    New units have random input weights, and output weights of 0. So the outputs are the same (as in
    Net2Net: Chen, Goodfellow and Shlens 2016), and the gradients of the output weights are not 0.
    """
    old = net.architecture
    if outputs_of(old) != outputs_of(shape):
        raise ValueError(f"is a {old.position_class} net, not one for {shape.position_class}")
    if old.activation != shape.activation:
        raise ValueError(f"has {old.activation} units, not {shape.activation} ones")
    if old.encoding != shape.encoding or old.bend != shape.bend:
        raise ValueError(
            f"is {old.encoding} with slope {old.slope}, not {shape.encoding} with {shape.slope}"
        )
    if len(old.hidden) != len(shape.hidden) or any(
        a > b for a, b in zip(old.hidden, shape.hidden, strict=True)
    ):
        raise ValueError(f"is {old.hidden}, which cannot be widened to {shape.hidden}")
    wide = Net(shape)
    with torch.no_grad():
        for a, b in zip(net.linear(), wide.linear(), strict=True):
            units, inputs = a.weight.shape
            b.weight[:units, :inputs] = a.weight
            b.weight[:units, inputs:] = 0
            b.bias[:units] = a.bias
    return wide
