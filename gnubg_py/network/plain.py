"""Nets of other shapes: sigmoid units, five outputs, computed inputs.

The fast pass (``forward.py``) needs an encoding by places, units of straight pieces and six logits.
Other nets that ``net import`` takes are evaluated here, more slowly. Each position is computed on
its own, so that its numbers do not depend on the batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.kernel_cache import njit
from gnubg_py.network.encoding import COMPUTED, encode_named
from gnubg_py.network.weights import ACTIVATIONS, Architecture, Weights
from gnubg_py.probabilities import nested
from gnubg_py.threads import map_slices

_SLICE = 1024
_LEAKY, _CLIPPED, _SIGMOID = (ACTIVATIONS.index(name) for name in ("leaky", "clipped", "sigmoid"))


def is_plain(architecture: Architecture) -> bool:
    """Whether a net of this shape is evaluated here, and not by the fast pass."""
    return (
        architecture.activation == "sigmoid"
        or architecture.output == "five"
        or architecture.encoding in COMPUTED
    )


def plain_logits(weights: Weights, boards: Boards) -> NDArray[np.float32]:
    """The outputs of the last layer, ``int8[n, 2, 25] -> float32[n, outputs]``."""
    architecture = weights.architecture
    out = np.empty((len(boards), len(weights.layers[-1][1])), np.float32)
    layers = tuple((np.ascontiguousarray(matrix.T), bias) for matrix, bias in weights.layers)
    code, slope = ACTIVATIONS.index(architecture.activation), np.float32(architecture.slope)

    def work(rows: slice) -> None:
        x = encode_named(boards[rows], architecture.encoding)
        for matrix, bias in layers[:-1]:
            x = _layer(x, matrix, bias, code, slope)
        out[rows] = _layer(x, *layers[-1], _LEAKY, np.float32(1))

    map_slices(work, len(boards), _SLICE)
    return out


def five_from_sigmoids(logits: NDArray[np.floating]) -> NDArray[np.float32]:
    """gnubg's five of five logits, each by itself, limited to what is possible: [n, 5] -> [n, 5].

    >>> five_from_sigmoids(np.array([[0.0, 2.0, -9.0, -2.0, -2.0]])).round(2).tolist()
    [[0.5, 0.5, 0.0, 0.11999999731779099, 0.11999999731779099]]
    """
    with np.errstate(over="ignore"):
        return nested((1 / (1 + np.exp(-logits))).astype(np.float32))


@njit(cache=True, nogil=True)
def _layer(
    x: Any, matrix: Any, bias: Any, code: int, slope: Any
) -> Any:  # pragma: no cover - compiled
    """The units of a layer, float32[n, out]; matrix float32[in, out]. Inputs of 0 are left out."""
    out = np.empty((len(x), len(bias)), np.float32)
    for n in range(len(x)):
        out[n] = bias
        for i in range(len(matrix)):
            value = x[n, i]
            if value != 0:
                for j in range(len(bias)):
                    out[n, j] += value * matrix[i, j]
        for j in range(len(bias)):
            s = out[n, j]
            if code == _SIGMOID:
                s = np.float32(1) / (np.float32(1) + np.exp(-s))
            elif code == _CLIPPED:
                s = min(max(s, np.float32(0)), np.float32(1))
            elif s < 0:
                s *= slope
            out[n, j] = s
    return out
