"""The first layer as a table: one row per (place, count), added up in whole numbers.

Rows are fixed-point int32, so a sum is exact in any order. That is what makes a position's value
the same whether its first layer was summed afresh or reached from its parent's by exchanging
the few rows that a play changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from gnubg_py.bits import differing_places, lowest_bit
from gnubg_py.network.encoding import COUNTS, PLACES, encoding_named, place_columns, place_units
from gnubg_py.network.vectors import (
    COLUMNS,
    FLOATS,
    INT,
    LANES,
    VECTORS,
    WHOLES,
    bent,
    constant,
    counted,
    load,
    splat,
    splat_bend,
    store,
)
from gnubg_py.network.weights import Weights

_ROOM = 2.0**31 - 1
TAKEN = 64
SCRATCH_ROWS = 2 * TAKEN
"""Room for table rows to add and, from TAKEN on, rows to take away."""


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


def first_layer(weights: Weights) -> tuple[NDArray[np.int32], NDArray[np.int32], float]:
    """Table, bias and step of a net, with columns of zeros up to a multiple of COLUMNS."""
    table, bias, step = fixed_point(*fold_first_layer(weights))
    more = -len(bias) % COLUMNS
    return np.pad(table, ((0, 0), (0, more))), np.pad(bias, (0, more)), step


@njit(cache=True, nogil=True)
def _off(boards, i, side):  # type: ignore[no-untyped-def]
    off = 15
    for p in range(25):
        off -= boards[i, side, p]
    return off


@njit(cache=True, nogil=True)
def board_rows(boards, i, rows):  # type: ignore[no-untyped-def]
    """Put the table rows that add up to boards[i] into ``rows`` int64[SCRATCH_ROWS]; how many."""
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
    return n


@njit(cache=True, nogil=True)
def changed_rows(parents, i, children, j, rows):  # type: ignore[no-untyped-def]
    """Put the rows to add and, from TAKEN on, to take away from parents[i] to children[j].

    Returns how many of each.
    """
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
        row = (side * 26 + p) * 16
        rows[n] = row + after
        rows[TAKEN + n] = row + before
        n += 1
    for side in range(2):
        gone = mine if side == 0 else theirs
        if gone != 0:
            row = (side * 26 + 25) * 16 + _off(parents, i, side)
            rows[n] = row + gone
            rows[TAKEN + n] = row
            n += 1
    return n


@intrinsic
def _exchange(
    typing_context: Any,
    table: Any,
    base: Any,
    rows: Any,
    added: Any,
    taken: Any,
    column: Any,
    step: Any,
    bend: Any,
    out: Any,
    i: Any,
) -> Any:
    """out[i, column:column+COLUMNS] = bent(step * (base + rows added - rows taken))."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        table_array, base_array, rows_array, out_array = (
            context.make_array(signature.args[k])(context, builder, args[k]) for k in (0, 1, 2, 8)
        )
        width = builder.extract_value(table_array.shape, 1)
        offsets = [builder.add(args[5], constant(v * LANES)) for v in range(VECTORS)]

        def change(operation: Any, begin: int) -> Any:
            def one(k: Any, sums: list[Any]) -> list[Any]:
                which = builder.gep(
                    rows_array.data, [builder.add(k, constant(begin))], source_etype=INT
                )
                start = builder.mul(builder.load(which, typ=INT), width)
                parts = [
                    load(builder, table_array.data, builder.add(start, offset), WHOLES)
                    for offset in offsets
                ]
                return [operation(*pair) for pair in zip(sums, parts, strict=True)]

            return one

        sums = [load(builder, base_array.data, offset, WHOLES) for offset in offsets]
        sums = counted(builder, args[3], sums, change(builder.add, 0))
        sums = counted(builder, args[4], sums, change(builder.sub, TAKEN))
        steps, limits = splat(builder, args[6]), splat_bend(builder, args[7])
        row = builder.mul(args[9], builder.extract_value(out_array.shape, 1))
        for value, offset in zip(sums, offsets, strict=True):
            real = builder.fmul(builder.sitofp(value, FLOATS), steps)
            store(builder, bent(builder, real, *limits), out_array.data, builder.add(row, offset))
        return context.get_dummy_value()

    n = types.int64
    given = (table, base, rows, n, n, n, types.float32, bend, out, n)
    return types.void(*given), generate


@njit(cache=True, nogil=True)
def activations(table, base, rows, added, taken, step, bend, out, i):  # type: ignore[no-untyped-def]
    """out[i] = the first layer's units: base int32[width] plus and less rows of the table, bent.

    ``bend`` is a pair of float32 (see ``Architecture.bend``), ``rows`` as ``changed_rows`` fills
    it; the width is a multiple of COLUMNS.
    """
    for column in range(0, table.shape[1], COLUMNS):
        _exchange(table, base, rows, added, taken, column, step, bend, out, i)


@njit(cache=True, nogil=True)
def add_rows(table, bias, rows, n, sums):  # type: ignore[no-untyped-def]
    """sums int32[width] = bias and the first n rows."""
    for h in range(sums.shape[0]):
        sums[h] = bias[h]
    for k in range(n):
        for h in range(sums.shape[0]):
            sums[h] += table[rows[k], h]
