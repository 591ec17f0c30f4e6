"""Widen a net: make a larger one that has the same outputs before it is trained."""

from __future__ import annotations

import torch

from gnubg_py.network.model import Net
from gnubg_py.network.weights import Architecture, outputs_of


def widened(net: Net, shape: Architecture) -> Net:
    """A net of ``shape`` with the same outputs as ``net`` for every board.

    A net of one tail becomes one of tails that are all alike. The tails of a net of more are those
    of the net with fewer that evaluated the same positions (``network/tails.py``).

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
    if shape.tails % old.tails:
        raise ValueError(f"has {old.tails} tails, not {shape.tails}")
    wide = Net(shape)
    with torch.no_grad():
        for i, (a, b) in enumerate(zip(net.linear(), wide.linear(), strict=True)):
            # The first layer has no tails.
            tails = [1 if i == 0 else architecture.tails for architecture in (old, shape)]
            weight, bias = (part.unflatten(0, (tails[0], -1)) for part in (a.weight, a.bias))
            wide_weight, wide_bias = (p.unflatten(0, (tails[1], -1)) for p in (b.weight, b.bias))
            alike = tails[1] // tails[0]
            weight, bias = weight.repeat(alike, 1, 1), bias.repeat(alike, 1)
            units, inputs = weight.shape[1:]
            wide_weight[:, :units, :inputs] = weight
            wide_weight[:, :units, inputs:] = 0
            wide_bias[:, :units] = bias
    return wide
