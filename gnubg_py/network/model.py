"""The network as a PyTorch module: fully connected, six outcomes.

The one module that imports torch at its top; playing never imports it (see ``forward.py``).
"""

from __future__ import annotations

from itertools import pairwise
from typing import cast

import torch
from torch import nn

from gnubg_py.network.encoding import encoding_named
from gnubg_py.network.weights import Architecture, Weights, outputs_of


def activate(x: torch.Tensor, architecture: Architecture) -> torch.Tensor:
    """What hidden units make of their sums."""
    if architecture.activation == "clipped":
        return x.clamp(0.0, 1.0)
    if architecture.activation == "sigmoid":
        return torch.sigmoid(x)
    return nn.functional.leaky_relu(x, architecture.slope)


class Net(nn.Module):
    """Inputs float32[n, inputs] -> logits float32[n, 6] of the six outcomes.

    Outcomes are in order win single, gammon, backgammon, lose single, gammon, backgammon, each
    excluding the others. (A rolls net has other outputs: see ``weights.ROLLS_COUNTED``.)
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.architecture = architecture
        sizes = [
            encoding_named(architecture.encoding).inputs,
            *architecture.hidden,
            outputs_of(architecture),
        ]
        linear = [nn.Linear(a, b) for a, b in pairwise(sizes)]
        with torch.no_grad():
            # About 20 places of an opening position are set: start their sums small, so that
            # few units begin beyond the reach of learning.
            nn.init.normal_(linear[0].weight, std=0.05)
            for layer in linear[1:-1]:
                nn.init.kaiming_normal_(layer.weight, a=architecture.slope)
            nn.init.normal_(linear[-1].weight, std=0.01)
            for layer in linear:
                nn.init.zeros_(layer.bias)
        self.layers = nn.ModuleList(linear)

    def linear(self) -> list[nn.Linear]:
        """The layers, first to last."""
        return [cast(nn.Linear, layer) for layer in self.layers]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        *hidden, last = self.linear()
        for layer in hidden:
            x = activate(layer(x), self.architecture)
        logits: torch.Tensor = last(x)
        return logits


def net_from_weights(weights: Weights) -> Net:
    """A module that holds the weights read from a file."""
    net = Net(weights.architecture)
    with torch.no_grad():
        for layer, (matrix, bias) in zip(net.linear(), weights.layers, strict=True):
            layer.weight.copy_(torch.from_numpy(matrix))
            layer.bias.copy_(torch.from_numpy(bias))
    return net


def weights_of(net: Net, card: dict[str, str] | None = None) -> Weights:
    """The module's weights as arrays, ready to be saved."""
    layers = tuple(
        (layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy())
        for layer in net.linear()
    )
    return Weights(net.architecture, layers, card or {})
