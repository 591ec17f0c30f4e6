"""The first layer as a table: one row per (place, count), added up in whole numbers.

Rows are fixed-point int32, so a sum is exact in any order. That is what makes a position's value
the same whether its first layer was summed afresh or reached from its parent's by exchanging
the few rows that a play changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from gnubg_py.bits import board_at, differing_bits
from gnubg_py.kernel_cache import njit
from gnubg_py.network.encoding import COUNTS, PLACES, encoding_named, place_columns, place_units
from gnubg_py.network.weights import Weights
from gnubg_py.vectors import (
    COLUMNS,
    FLOATS,
    INT,
    LANES,
    VECTORS,
    WHOLES,
    bent,
    constant,
    counted_loop,
    load_vector,
    splat,
    splat_bend,
    store,
)

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
def board_rows(boards, i, rows):  # type: ignore[no-untyped-def]
    """Put the table rows that add up to boards[i] into ``rows`` int64[SCRATCH_ROWS]; how many."""
    n = 0
    for side in range(2):
        off = 15
        for p in range(25):
            # Without a branch, which would often go the way that was not foreseen.
            count = int(boards[i, side, p])
            rows[n] = (side * 26 + p) * 16 + count
            n += int(count > 0)
            off -= count
        rows[n] = (side * 26 + 25) * 16 + off
        n += int(off > 0)
    return n


class Change(NamedTuple):
    """A place where a child differs from its parent: its first row in the table, and its checkers.

    All are int64 values of LLVM.
    """

    row: Any
    before: Any
    after: Any


class Changes:
    """The changes from a parent to a child, one after the other, as LLVM code.

    ``parent`` and ``child`` are the addresses of the boards. ``following`` takes the ``state`` left
    by the one before, which begins with ``start``; after the last, ``off_board`` visits the places
    off the board.
    """

    def __init__(self, builder: Any, parent: Any, child: Any) -> None:
        self._builder, self._parent, self._child = builder, parent, child
        differ = differing_bits(builder, parent, child)
        self.count = builder.ctpop(differ)
        self.start = [differ, constant(0), constant(0)]

    def following(self, state: list[Any], *, maybe: bool = False) -> tuple[Change, list[Any]]:
        """The next change, and the state after it.

        If there may be none, ``maybe``, that is a change from some checkers to as many.
        """
        builder, (places, gone, theirs) = self._builder, state
        place = builder.cttz(places, ir.Constant(ir.IntType(1), 0 if maybe else 1))
        nothing = builder.icmp_unsigned("==", places, constant(0))
        if maybe:
            place = builder.select(nothing, constant(0), place)
        is_theirs = builder.icmp_signed(">=", place, constant(25))
        # A side has 26 places in the table: the last is off the board.
        number = builder.add(place, builder.zext(is_theirs, INT))
        before, after = self._count(self._parent, place), self._count(self._child, place)
        if maybe:
            after = builder.select(nothing, before, after)
        change = builder.sub(before, after)
        return Change(builder.mul(number, constant(COUNTS)), before, after), [
            builder.and_(places, builder.sub(places, constant(1))),
            builder.add(gone, change),
            builder.add(theirs, builder.select(is_theirs, change, constant(0))),
        ]

    def off_board(self, state: list[Any], visit: Callable[[Change], None]) -> None:
        """Call ``visit`` with the change off the board of each side that has one."""
        builder, (_, gone, theirs) = self._builder, state
        for side, off in enumerate((builder.sub(gone, theirs), theirs)):
            with builder.if_then(builder.icmp_signed("!=", off, constant(0)), likely=False):
                first = constant(25 * side)
                (on,) = counted_loop(
                    builder,
                    constant(25),
                    [constant(0)],
                    lambda p, sums, first=first: [
                        builder.add(sums[0], self._count(self._parent, builder.add(p, first)))
                    ],
                )
                before = builder.sub(constant(15), on)
                row = constant(COUNTS * (26 * side + 25))
                visit(Change(row, before, builder.add(before, off)))

    def _count(self, board: Any, place: Any) -> Any:
        """The checkers on a place of a board."""
        at = self._builder.gep(board, [place], source_etype=ir.IntType(8))
        return self._builder.zext(self._builder.load(at, typ=ir.IntType(8)), INT)


@intrinsic
def _changed_rows(
    typing_context: Any, parents: Any, i: Any, children: Any, j: Any, rows: Any
) -> Any:
    """As ``changed_rows``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        parent, child = (
            board_at(context, builder, signature.args[k], args[k], args[k + 1]) for k in (0, 2)
        )
        out = context.make_array(signature.args[4])(context, builder, args[4]).data
        changes = Changes(builder, parent, child)

        def put(k: Any, change: Change) -> None:
            for begin, checkers in ((0, change.after), (TAKEN, change.before)):
                at = builder.gep(out, [builder.add(k, constant(begin))], source_etype=INT)
                builder.store(builder.add(change.row, checkers), at)

        def one(k: Any, state: list[Any]) -> list[Any]:
            change, state = changes.following(state)
            put(k, change)
            return state

        def put_last(change: Change) -> None:
            put(builder.load(n), change)
            builder.store(builder.add(builder.load(n), constant(1)), n)

        n = cgutils.alloca_once_value(builder, changes.count)
        state = counted_loop(builder, changes.count, changes.start, one)
        changes.off_board(state, put_last)
        return builder.load(n)

    n = types.int64
    return n(parents, n, children, n, rows), generate


# In LLVM's language and inlined, since this is done for every position.
@njit(cache=True, nogil=True, forceinline=True)
def changed_rows(parents, i, children, j, rows):  # type: ignore[no-untyped-def]
    """Put the rows to add and, from TAKEN on, to take away from parents[i] to children[j].

    Returns how many of each.
    """
    return _changed_rows(parents, i, children, j, rows)


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
                    load_vector(builder, table_array.data, builder.add(start, offset), WHOLES)
                    for offset in offsets
                ]
                return [operation(*pair) for pair in zip(sums, parts, strict=True)]

            return one

        sums = [load_vector(builder, base_array.data, offset, WHOLES) for offset in offsets]
        sums = counted_loop(builder, args[3], sums, change(builder.add, 0))
        sums = counted_loop(builder, args[4], sums, change(builder.sub, TAKEN))
        steps, limits = splat(builder, args[6]), splat_bend(builder, args[7])
        row = builder.mul(args[9], builder.extract_value(out_array.shape, 1))
        for value, offset in zip(sums, offsets, strict=True):
            real = builder.fmul(builder.sitofp(value, FLOATS), steps)
            store(builder, bent(builder, real, *limits), out_array.data, builder.add(row, offset))
        return context.get_dummy_value()

    n = types.int64
    given = (table, base, rows, n, n, n, types.float32, bend, out, n)
    return types.void(*given), generate


@njit(cache=True, nogil=True, forceinline=True)
def activations(table, base, rows, added, taken, step, bend, out, i):  # type: ignore[no-untyped-def]
    """out[i] = the first layer's units: base int32[width] plus and less rows of the table, bent.

    ``bend`` is a pair of float32 (see ``Architecture.bend``), ``rows`` as ``changed_rows`` fills
    it; the width is a multiple of COLUMNS.
    """
    for column in range(0, table.shape[1], COLUMNS):
        _exchange(table, base, rows, added, taken, column, step, bend, out, i)


@njit(cache=True, nogil=True)
def add_rows(table, bias, rows, n, sums):  # type: ignore[no-untyped-def]
    """sums[width] = bias and the first n rows, of the table's own type."""
    for h in range(sums.shape[0]):
        sums[h] = bias[h]
    for k in range(n):
        row = table[rows[k]]
        for h in range(sums.shape[0]):
            sums[h] = sums[h] + row[h]
