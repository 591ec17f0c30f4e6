"""The network as a PyTorch module: fully connected, six outcomes.

In this package, only this module and ``rounding.py`` import torch at their top; playing imports
neither (see ``forward.py``).
"""

from __future__ import annotations

from typing import cast

import torch
from torch import nn

from gnubg_py.board import HOME_POINTS
from gnubg_py.network.encoding import PLACES, encoding_named, place_columns
from gnubg_py.network.tails import BACK, MOST_BACK, STRONG_HOME, TAILS
from gnubg_py.network.weights import Architecture, Weights, check_tails, layer_shapes


def activate(x: torch.Tensor, architecture: Architecture) -> torch.Tensor:
    """What hidden units make of their sums."""
    if architecture.activation == "clipped":
        return x.clamp(0.0, 1.0)
    if architecture.activation == "sigmoid":
        return torch.sigmoid(x)
    return nn.functional.leaky_relu(x, architecture.slope)


def tails_of_inputs(x: torch.Tensor, architecture: Architecture) -> torch.Tensor | None:
    """The tail of each row of thermometer inputs, int64[n]; None if the net has one tail."""
    if architecture.tails == 1:
        return None
    # At least one, two, three checkers: added up, a place's checkers up to three.
    columns = place_columns(encoding_named(architecture.encoding))
    back = [
        sum(x[:, columns[side + p] : columns[side + p] + MOST_BACK].sum(1) for p in range(BACK, 25))
        for side in (0, PLACES // 2)
    ]
    mine, theirs = (torch.as_tensor(side).clamp(max=MOST_BACK).long() for side in back)
    tail = (MOST_BACK + 1) * mine + theirs
    if architecture.tails == TAILS:
        return tail
    held, theirs_held = (
        sum(x[:, columns[side + p] + 1] for p in range(HOME_POINTS)) for side in (0, PLACES // 2)
    )
    strong, theirs_strong = (
        (torch.as_tensor(side) >= STRONG_HOME).long() for side in (held, theirs_held)
    )
    return tail + TAILS * (strong + 2 * theirs_strong)


def linear_by_tail(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, tail: torch.Tensor | None, tails: int
) -> torch.Tensor:
    """A dense layer whose weights and biases have the rows of all ``tails``: float32[n, out]."""
    if tail is None:
        return nn.functional.linear(x, weight, bias)
    order = torch.argsort(tail, stable=True)
    rows = torch.bincount(tail, minlength=tails).tolist()
    parts = zip(
        x[order].split(rows),
        weight.unflatten(0, (tails, -1)),
        bias.unflatten(0, (tails, -1)),
        strict=True,
    )
    found = torch.cat([nn.functional.linear(*part) for part in parts])
    return found[torch.argsort(order)]


class Net(nn.Module):
    """Inputs float32[n, inputs] -> logits float32[n, 6] of the six outcomes.

    Outcomes are in order win single, gammon, backgammon, lose single, gammon, backgammon, each
    excluding the others. (A rolls net has other outputs: see ``weights.ROLLS_COUNTED``.)
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        check_tails(architecture)
        self.architecture = architecture
        linear = [nn.Linear(inputs, outputs) for outputs, inputs in layer_shapes(architecture)]
        with torch.no_grad():
            # About 20 places of an opening position are set: start their sums small, so that
            # few units begin beyond the reach of learning.
            nn.init.normal_(linear[0].weight, std=0.05)
            for layer in linear[1:-1]:
                nn.init.kaiming_normal_(layer.weight, a=architecture.slope)
            nn.init.normal_(linear[-1].weight, std=0.01)
            for layer in linear[1:]:  # all tails begin alike
                tails = layer.weight.unflatten(0, (architecture.tails, -1))
                tails[:] = tails[0].clone()
            for layer in linear:
                nn.init.zeros_(layer.bias)
        self.layers = nn.ModuleList(linear)

    def linear(self) -> list[nn.Linear]:
        """The layers, first to last."""
        return [cast(nn.Linear, layer) for layer in self.layers]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first, *hidden, last = self.linear()
        tail, tails = tails_of_inputs(x, self.architecture), self.architecture.tails
        x = activate(first(x), self.architecture)
        for layer in hidden:
            x = linear_by_tail(x, layer.weight, layer.bias, tail, tails)
            x = activate(x, self.architecture)
        return linear_by_tail(x, last.weight, last.bias, tail, tails)


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
