"""The first layer as a table: one row per (place, count), added up in whole numbers.

Rows are fixed-point int32, so a sum is exact in any order. That is what makes a position's value
the same whether its first layer was summed afresh or reached from its parent's by exchanging
the few rows that a play changes.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gnubg_py.bits import differing_places, lowest_bit
from gnubg_py.network.encoding import COUNTS, PLACES, encoding_named, place_columns, place_units
from gnubg_py.network.weights import Weights

_MOST_CHANGES = 52
_ROOM = 2.0**31 - 1


def fold_first_layer(weights: Weights) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Table float64[832, width] and bias float64[width] of a net's first layer.

    Row 16 * place + count is what ``count`` checkers on ``place`` add, beyond what none add.
    """
    encoding = encoding_named(weights.architecture.encoding)
    matrix, bias = (a.astype(np.float64) for a in weights.layers[0])
    columns = place_columns(encoding)
    table = np.empty((PLACES * COUNTS, len(bias)))
    start = bias + matrix[:, columns[-1] :] @ encoding.constants.astype(np.float64)
    for place in range(PLACES):
        units = place_units(encoding, place).astype(np.float64)
        rows = units @ matrix[:, columns[place] : columns[place + 1]].T
        start += rows[0]
        table[place * COUNTS : (place + 1) * COUNTS] = rows - rows[0]
    return table, start


def fixed_point(
    table: NDArray[np.float64], bias: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], float]:
    """Table and bias as int32, and the step they count: the finest that no sum can overflow."""
    largest = np.abs(table).reshape(PLACES, COUNTS, -1).max(axis=1).sum(axis=0) + np.abs(bias)
    bits = min(24, int(np.floor(np.log2(_ROOM / max(float(largest.max()), 1e-6)))))
    step = 2.0**-bits
    return np.rint(table / step).astype(np.int32), np.rint(bias / step).astype(np.int32), step


@njit(cache=True, nogil=True)
def _off(boards, i, side):  # type: ignore[no-untyped-def]
    off = 15
    for p in range(25):
        off -= boards[i, side, p]
    return off


@njit(cache=True, nogil=True)
def add_board(boards, i, table, bias, rows, sums):  # type: ignore[no-untyped-def]
    """sums int32[width] = bias and the rows of boards[i]; ``rows`` int64[60] is scratch."""
    n = 0
    for side in range(2):
        off = 15
        for p in range(25):
            count = boards[i, side, p]
            if count > 0:
                off -= count
                rows[n] = (side * 26 + p) * 16 + count
                n += 1
        if off > 0:
            rows[n] = (side * 26 + 25) * 16 + off
            n += 1
    while n % 4:
        rows[n] = 0
        n += 1
    for h in range(sums.shape[0]):
        sums[h] = bias[h]
    for k in range(0, n, 4):
        a, b, c, d = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        for h in range(sums.shape[0]):
            sums[h] += (table[a, h] + table[b, h]) + (table[c, h] + table[d, h])


@njit(cache=True, nogil=True)
def _changes(parents, i, children, j, rows):  # type: ignore[no-untyped-def]
    """Table rows to add (even places) and take away (odd) from parents[i] to children[j]."""
    n = 0
    mine, theirs = 0, 0
    places = differing_places(parents, i, children, j)
    while places:
        place = lowest_bit(places)
        places &= places - 1
        side = 1 if place >= 25 else 0
        p = place - 25 * side
        before = parents[i, side, p]
        after = children[j, side, p]
        if side == 0:
            mine += before - after
        else:
            theirs += before - after
        rows[n] = (side * 26 + p) * 16 + after
        rows[n + 1] = (side * 26 + p) * 16 + before
        n += 2
    for side in range(2):
        gone = mine if side == 0 else theirs
        if gone != 0:
            off = _off(parents, i, side)
            rows[n] = (side * 26 + 25) * 16 + off + gone
            rows[n + 1] = (side * 26 + 25) * 16 + off
            n += 2
    return n


@njit(cache=True, nogil=True)
def add_changes(parents, i, children, j, table, base, rows, sums):  # type: ignore[no-untyped-def]
    """sums = base (the sums of parents[i]) with what differs in children[j] exchanged."""
    n = _changes(parents, i, children, j, rows)
    while n % 4:
        rows[n] = 0
        n += 1
    for h in range(sums.shape[0]):
        sums[h] = base[h]
    for k in range(0, n, 4):
        a, b, c, d = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        for h in range(sums.shape[0]):
            sums[h] += (table[a, h] - table[b, h]) + (table[c, h] - table[d, h])
