"""Means over the rolls of a position: its probabilities and values from those after the rolls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnubg_py.cube.kernels import fill_values
from gnubg_py.dice import ROLL_WEIGHTS, ROLLS
from gnubg_py.kernel_cache import njit

_ROLLS = len(ROLLS)
_ALL_ROLLS = 36.0
"""Sums are divided by this at the end: chances in float64 add up to a little more than 1."""


class Means(NamedTuple):
    """The means of n positions, ``five`` float64[n, 5] and ``values`` float64[n, k]; their making.

    The five probabilities are those of the side on roll, the values the other side's. Positions
    after a roll have the k cubes that are rows of ``cubes`` and ``doubled`` (see ``CubeTable``),
    and the efficiency ``curves[by_class[c]]`` if their class is c.
    """

    five: NDArray[np.float64]
    values: NDArray[np.float64]
    curves: NDArray[np.float64]
    by_class: NDArray[np.int64]
    cubes: NDArray[np.float64]
    doubled: NDArray[np.float64]
    may_double: bool


@njit(cache=True, nogil=True)
def fill_means(five, classes, these, means):  # type: ignore[no-untyped-def]
    """Fill the ``means`` of ``these`` positions, int64[k], from the best plays of all their rolls.

    ``five`` float32[n * 21, 5] and ``classes`` int8[n * 21] are of the positions after the plays.
    """
    k = means.values.shape[1]
    numbers, which = np.empty((1, k), np.int64), np.empty(_ROLLS, np.int64)
    values = np.empty((_ROLLS, k))
    for j in range(k):
        numbers[0, j] = j
    for i in these:
        begin = i * _ROLLS
        for r in range(_ROLLS):
            which[r] = means.by_class[classes[begin + r]]
        rows = five[begin : begin + _ROLLS]
        curves, cubes, doubled = means.curves, means.cubes, means.doubled
        fill_values(rows, curves, which, cubes, doubled, numbers, means.may_double, values)
        _average_five(rows, 0, means.five, i)
        _average(values, 0, means.values, i)


def averaged(
    five: NDArray[np.floating], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The means ``five`` and ``values`` of ``Means``, from those of all positions after the rolls.

    ``[n * 21, 5], float64[n * 21, k] -> float64[n, 5], float64[n, k]``.
    """
    nodes = len(five) // _ROLLS
    out = np.empty((nodes, 5)), np.empty((nodes, values.shape[1]))
    _fill_averages(five, values, *out)
    return out


@njit(cache=True, nogil=True)
def _fill_averages(five, values, five_out, values_out):  # type: ignore[no-untyped-def]
    for i in range(len(five_out)):
        _average_five(five, i * _ROLLS, five_out, i)
        _average(values, i * _ROLLS, values_out, i)


@njit(cache=True, nogil=True)
def _average(values, begin, out, i):  # type: ignore[no-untyped-def]
    """out[i] = the mean of the 21 rows of values from ``begin`` on."""
    for j in range(out.shape[1]):
        total = 0.0
        for r in range(_ROLLS):
            total += ROLL_WEIGHTS[r] * values[begin + r, j]
        out[i, j] = total / _ALL_ROLLS


@njit(cache=True, nogil=True)
def _average_five(five, begin, out, i):  # type: ignore[no-untyped-def]
    """out[i] = the mean of the other side's probabilities from row ``begin`` on, by this side."""
    w, wg, wbg, lg, lbg = 0.0, 0.0, 0.0, 0.0, 0.0
    for r in range(_ROLLS):
        k, weight = begin + r, ROLL_WEIGHTS[r]
        w += weight * five[k, 0]
        wg += weight * five[k, 1]
        wbg += weight * five[k, 2]
        lg += weight * five[k, 3]
        lbg += weight * five[k, 4]
    out[i, 0] = 1.0 - w / _ALL_ROLLS
    out[i, 1], out[i, 2] = lg / _ALL_ROLLS, lbg / _ALL_ROLLS
    out[i, 3], out[i, 4] = wg / _ALL_ROLLS, wbg / _ALL_ROLLS
