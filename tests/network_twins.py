"""Plain-Python twins of the network's kernels, and nets of random weights."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import START, Board
from gnubg_py.network.encoding import Encoding
from gnubg_py.network.integers import IntegerWeights
from gnubg_py.network.quantise import quantise
from gnubg_py.network.weights import Architecture, Weights, layer_shapes
from gnubg_py.plays import all_rolls


def random_weights(
    hidden: tuple[int, ...],
    encoding: str = "thermometer",
    position_class: str = "contact",
    seed: int = 1,
    activation: str = "leaky",
    tails: int = 1,
) -> Weights:
    """A net whose answers spread over all probabilities, as a trained one's do."""
    generator = np.random.default_rng(seed)
    architecture = Architecture(hidden, encoding, 0.05, position_class, activation, tails=tails)
    layers = []
    for outputs, inputs in layer_shapes(architecture):
        scale = 2.0 / np.sqrt(inputs)
        matrix = generator.normal(0, scale, (outputs, inputs)).astype(np.float32)
        layers.append((matrix, generator.normal(0, 0.3, outputs).astype(np.float32)))
    return Weights(architecture, tuple(layers))


@cache
def rounded(
    hidden: tuple[int, ...] = (96, 40), activation: str = "leaky", byte_levels: bool = True
) -> IntegerWeights:
    """A random net made whole numbers."""
    weights = random_weights(hidden, activation=activation)
    generator = np.random.default_rng(1)
    plays, _ = all_rolls(START[None])
    plays, _ = all_rolls(plays[generator.permutation(len(plays))[:20]])
    return quantise(weights, plays[generator.permutation(len(plays))[:2000]], byte_levels)


def plain_encode(board: Board, encoding: Encoding) -> list[float]:
    """The inputs of one board, place by place."""
    inputs: list[float] = []
    for row in board.tolist():
        for count in row[:24]:
            inputs += encoding.point[count].tolist()
        inputs += encoding.bar[row[24]].tolist()
        inputs += encoding.off[15 - sum(row)].tolist()
    inputs += encoding.constants.tolist()
    return inputs


def plain_dense(
    x: NDArray[np.float64], matrix: NDArray[np.float64], bias: NDArray[np.float64], slope: float
) -> list[list[float]]:
    """leaky(x @ matrix + bias) of float[n, in], float[in, out], float[out], one sum at a time."""
    out = []
    for row in x.tolist():
        sums: list[float] = []
        for column, start in zip(matrix.T.tolist(), bias.tolist(), strict=True):
            total = start + sum(a * b for a, b in zip(row, column, strict=True))
            sums.append(total if total > 0 else slope * total)
        out.append(sums)
    return out
