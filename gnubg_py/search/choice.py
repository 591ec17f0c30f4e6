"""The best play of each roll: by what it is worth, and of equals by what it is worth cubeless.

Equals are common: where the other side would cash its cube after any play, all are worth a pass.
gnubg too looks at the cubeless equity then.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gnubg_py.cube.cubeful import cubeful_values_of
from gnubg_py.cube.met import MatchEquityTable
from gnubg_py.cube.state import Cube

# Games won single, by a gammon, a backgammon, and lost so, as five probabilities.
_OUTCOMES = np.array(
    [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 1, 1],
    ],
    np.float32,
)


@lru_cache(maxsize=1024)
def cubeless_weights(cube: Cube, met: MatchEquityTable) -> NDArray[np.float64]:
    """What each of the five probabilities adds to a value if the cube is not turned again.

    >>> from gnubg_py.cube.met import kazaross_xg2
    >>> cubeless_weights(Cube(), kazaross_xg2()).tolist()
    [2.0, 1.0, 1.0, -1.0, -1.0]
    """
    worth = cubeful_values_of(_OUTCOMES, np.zeros(6, np.float32), (cube,), met)[:, 0]
    single, gammon, backgammon, lost, by_gammon, by_backgammon = worth
    weights = np.array(
        [
            single - lost,
            gammon - single,
            backgammon - gammon,
            by_gammon - lost,
            by_backgammon - by_gammon,
        ]
    )
    weights.setflags(write=False)
    return weights


@njit(cache=True, nogil=True)
def cubeless(five, i, weights):  # type: ignore[no-untyped-def]
    """The weighted sum of position i's probabilities."""
    total = 0.0
    for k in range(5):
        total += weights[k] * five[i, k]
    return total


@njit(cache=True, nogil=True)
def _fill_cubeless(five, weights, out):  # type: ignore[no-untyped-def]
    for i in range(five.shape[0]):
        out[i] = cubeless(five, i, weights)


def cubeless_values(five: NDArray[np.float32], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weighted sums, ``float32[n, 5] -> float64[n]``: cubeless values, less a constant.

    Not a matrix product, whose last bit depends on where in the batch a row is.
    """
    out = np.empty(len(five))
    _fill_cubeless(five, weights, out)
    return out


@njit(cache=True, nogil=True)
def _fill_lowest(values, five, weights, which, offsets, out):  # type: ignore[no-untyped-def]
    for g in range(len(offsets) - 1):
        best = which[offsets[g]]
        for j in range(offsets[g] + 1, offsets[g + 1]):
            k = which[j]
            if values[k] < values[best] or (
                values[k] == values[best]
                and cubeless(five, k, weights) < cubeless(five, best, weights)
            ):
                best = k
        out[g] = best


def lowest_of_each(
    values: NDArray[np.float64],
    five: NDArray[np.float32],
    weights: NDArray[np.float64],
    which: NDArray[np.int64],
    offsets: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The position of the lowest value of each group, int64[n]: the worst for the other side.

    Group i has the positions ``which[offsets[i]:offsets[i + 1]]``, rows of ``values`` float64[m]
    and ``five`` float32[m, 5]. Of equal values the lowest cubeless value goes first.
    """
    out = np.empty(len(offsets) - 1, np.int64)
    _fill_lowest(values, five, weights, which, offsets, out)
    return out
