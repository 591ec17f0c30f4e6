"""The first layer's units of a net of whole numbers, in vector registers: table rows to levels.

A sum of rows is exact in any order, modulo 2^16. So a child's sums are its parent's, with the rows
of the places that a play changes exchanged.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gnubg_py.bits import board_at
from gnubg_py.kernel_cache import njit
from gnubg_py.network.integers import BYTE_TOP, WORD_TOP
from gnubg_py.network.table import TAKEN, Change, Changes
from gnubg_py.vectors import INT, WIDE, constant, counted_loop, load_vector, store

_SHORT, _BYTE, _WORD = ir.IntType(16), ir.IntType(8), ir.IntType(32)
_LANES = 32 if WIDE else 16
_FEATURES = llvmlite.binding.get_host_cpu_features()
_MULTIPLY = (
    "llvm.x86.avx512.pmul.hr.sw.512"
    if WIDE and _FEATURES.get("avx512bw")
    else "llvm.x86.avx2.pmul.hr.sw"
    if not WIDE and _FEATURES.get("avx2")
    else None
)
"""The instruction that multiplies 16 bits by 16, rounded, where there is one: LLVM does not see it
in the shifts that say the same."""
_WIDE_VECTORS, _SLIM_VECTORS = (8, 2) if WIDE else (6, 2)
_WIDE_COLUMNS, UNITS = _WIDE_VECTORS * _LANES, _SLIM_VECTORS * _LANES
"""UNITS: the first layer's width is padded to a multiple of it."""

_SHORTS = ir.VectorType(_SHORT, _LANES)
_BYTES, _WORDS = ir.VectorType(_BYTE, _LANES), ir.VectorType(_WORD, _LANES)
_MOST_CHANGES = 4
"""Changes from parent to child that are made without a branch: few plays change more places."""


def _all_lanes(kind: Any, number: int) -> Any:
    return ir.Constant(kind, [number] * _LANES)


def _load(builder: Any, base: Any, index: Any) -> Any:
    """The vector of 16 bits that begins at number ``index`` of an array's data."""
    return load_vector(builder, base, index, _SHORTS)


def _scaled(builder: Any, value: Any, factors: Any) -> Any:
    """Rounded value * factors / 2^15."""
    if _MULTIPLY is not None:
        kind = ir.FunctionType(_SHORTS, [_SHORTS, _SHORTS])
        function = cgutils.get_or_insert_function(builder.module, kind, _MULTIPLY)
        return builder.call(function, [value, factors])
    product = builder.mul(builder.sext(value, _WORDS), builder.sext(factors, _WORDS))
    halves = builder.lshr(product, _all_lanes(_WORDS, 14))
    rounded = builder.add(halves, _all_lanes(_WORDS, 1))
    return builder.trunc(builder.lshr(rounded, _all_lanes(_WORDS, 1)), _SHORTS)


def _cut(builder: Any, value: Any, sign: str, limit: Any) -> Any:
    return builder.select(builder.icmp_signed(sign, value, limit), value, limit)


def _put_levels(
    builder: Any, sums: list[Any], offsets: list[Any], factors: list[Any], out: Any, row: Any
) -> None:
    """Write the levels of sums at the columns ``offsets`` of a row of ``out``, of its type.

    ``factors``: the data of ``up``, ``down`` and ``zero`` of a ``FirstLayer``; ``out`` is an array.
    """
    kind = out.data.type.pointee
    are_bytes = kind == _BYTE
    # A clipped unit's levels of 16 bits are not below 0: its ``down`` is 0, and so ``zero``.
    lowest, highest = (0, BYTE_TOP) if are_bytes else (-WORD_TOP, WORD_TOP)
    start = builder.mul(row, builder.extract_value(out.shape, 1))
    for value, offset in zip(sums, offsets, strict=True):
        above, below = (_scaled(builder, value, _load(builder, f, offset)) for f in factors[:2])
        level = _cut(builder, above, ">", below)
        level = builder.add(level, _load(builder, factors[2], offset))
        level = _cut(builder, level, ">", _all_lanes(_SHORTS, lowest))
        level = _cut(builder, level, "<", _all_lanes(_SHORTS, highest))
        level = builder.trunc(level, _BYTES) if are_bytes else level
        store(builder, level, out.data, builder.add(start, offset))


def _exchange_of(vectors: int) -> Any:
    """The first layer of so many vectors of units, by lists of rows."""

    @intrinsic
    def exchange(
        typing_context: Any,
        table: Any,
        base: Any,
        rows: Any,
        added: Any,
        taken: Any,
        column: Any,
        up: Any,
        down: Any,
        zero: Any,
        out: Any,
        i: Any,
    ) -> Any:
        """out[i, column:] = levels of (base + rows added - rows taken), of the type of ``out``.

        At least as many are added as taken.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            arrays = {
                k: context.make_array(signature.args[k])(context, builder, args[k])
                for k in (0, 1, 2, 6, 7, 8, 9)
            }
            width = builder.extract_value(arrays[0].shape, 1)
            offsets = [builder.add(args[5], constant(v * _LANES)) for v in range(vectors)]

            def row(k: Any, first: Any) -> list[Any]:
                """The table's row that is number first + k of ``rows``."""
                which = builder.gep(arrays[2].data, [builder.add(k, first)], source_etype=INT)
                start = builder.mul(builder.load(which, typ=INT), width)
                return [_load(builder, arrays[0].data, builder.add(start, o)) for o in offsets]

            def exchanged(k: Any, sums: list[Any]) -> list[Any]:
                rows = zip(sums, row(k, constant(0)), row(k, constant(TAKEN)), strict=True)
                return [builder.sub(builder.add(s, more), less) for s, more, less in rows]

            def increased(k: Any, sums: list[Any]) -> list[Any]:
                return [builder.add(s, more) for s, more in zip(sums, row(k, args[4]), strict=True)]

            sums = [_load(builder, arrays[1].data, offset) for offset in offsets]
            sums = counted_loop(builder, args[4], sums, exchanged)
            sums = counted_loop(builder, builder.sub(args[3], args[4]), sums, increased)
            factors = [arrays[k].data for k in (6, 7, 8)]
            _put_levels(builder, sums, offsets, factors, arrays[9], args[10])
            return context.get_dummy_value()

        n = types.int64
        return types.void(table, base, rows, n, n, n, up, down, zero, out, n), generate

    return exchange


_WIDE, _SLIM = _exchange_of(_WIDE_VECTORS), _exchange_of(_SLIM_VECTORS)


@njit(cache=True, nogil=True, forceinline=True)
def units(table, up, down, zero, base, rows, added, taken, out, i):  # type: ignore[no-untyped-def]
    """out[i] = levels of the first layer's units: base plus and less rows of the table.

    ``rows`` as ``changed_rows`` fills it.
    """
    column = 0
    while column + _WIDE_COLUMNS <= table.shape[1]:
        _WIDE(table, base, rows, added, taken, column, up, down, zero, out, i)
        column += _WIDE_COLUMNS
    while column < table.shape[1]:
        _SLIM(table, base, rows, added, taken, column, up, down, zero, out, i)
        column += UNITS


def _childs_sums(
    builder: Any, table: Any, base: Any, boards: list[Any], offsets: list[Any]
) -> list[Any]:
    """The vectors of a child's sums: its parent's, with the rows of changed places exchanged.

    ``table`` and ``base``, the parent's sums, are arrays' data; ``boards`` parent and child.
    """
    width = constant(UNITS)
    changes = Changes(builder, *boards)

    def changed(change: Change, sums: list[Any]) -> list[Any]:
        more, less = (
            builder.mul(builder.add(change.row, checkers), width)
            for checkers in (change.after, change.before)
        )
        for start, operation in ((more, builder.add), (less, builder.sub)):
            rows = [_load(builder, table, builder.add(start, o)) for o in offsets]
            sums = [operation(s, row) for s, row in zip(sums, rows, strict=True)]
        return sums

    def one(k: Any, values: list[Any]) -> list[Any]:
        change, state = changes.following(values[:3])
        return [*state, *changed(change, values[3:])]

    state, sums = changes.start, [_load(builder, base, o) for o in offsets]
    for _ in range(_MOST_CHANGES):
        change, state = changes.following(state, maybe=True)
        sums = changed(change, sums)
    left = builder.sub(changes.count, constant(_MOST_CHANGES))
    values = counted_loop(builder, left, [*state, *sums], one)
    kept = [cgutils.alloca_once_value(builder, s) for s in values[3:]]

    def change_last(change: Change) -> None:
        sums = changed(change, [builder.load(s) for s in kept])
        for value, where in zip(sums, kept, strict=True):
            builder.store(value, where)

    changes.off_board(values[:3], change_last)
    return [builder.load(s) for s in kept]


@intrinsic
def _slim_units(
    typing_context: Any,
    table: Any,
    up: Any,
    down: Any,
    zero: Any,
    base: Any,
    parents: Any,
    parent: Any,
    children: Any,
    child: Any,
    out: Any,
    i: Any,
) -> Any:
    """As ``slim_units``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = {
            k: context.make_array(signature.args[k])(context, builder, args[k])
            for k in (0, 1, 2, 3, 4, 9)
        }
        boards = [
            board_at(context, builder, signature.args[k], args[k], args[k + 1]) for k in (5, 7)
        ]
        offsets = [constant(v * _LANES) for v in range(_SLIM_VECTORS)]
        sums = _childs_sums(builder, arrays[0].data, arrays[4].data, boards, offsets)
        factors = [arrays[k].data for k in (1, 2, 3)]
        _put_levels(builder, sums, offsets, factors, arrays[9], args[10])
        return context.get_dummy_value()

    n = types.int64
    given = (table, up, down, zero, base, parents, n, children, n, out, n)
    return types.void(*given), generate


# A small net's sums stay in registers from its parent's on; without lists of rows, whose lengths
# no processor foresees, this takes half the time.
@njit(cache=True, nogil=True, forceinline=True)
def slim_units(table, up, down, zero, base, parents, parent, children, child, out, i):  # type: ignore[no-untyped-def]
    """out[i] = levels of the UNITS units of children[child], whose parent has the sums ``base``."""
    _slim_units(table, up, down, zero, base, parents, parent, children, child, out, i)
