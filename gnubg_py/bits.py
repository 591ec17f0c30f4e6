"""Machine instructions for numba kernels: find the highest bit, compare, copy and hash boards."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def highest_bit(typing_context: Any, x: Any) -> Any:
    """The index of the highest set bit of a non-zero int64: ``highest_bit(0b101) == 2``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.int64(types.int64), generate


_BOARD_PLACES = 50
# Odd numbers of 64 random bits, for ``board_hash``.
_FACTORS = [
    0x9E3779B97F4A7C15,
    0xD1B54A32D192ED03,
    0xBF58476D1CE4E5B9,
    0x94D049BB133111EB,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0xA0761D6478BD642F,
]


# A board's fifty counts as vectors, each (index of its first count, its length). The last two
# vectors overlap.
_PARTS = ((0, 32), (32, 16), (34, 16))


def board_at(context: Any, builder: Any, kind: Any, array: Any, i: Any) -> Any:
    """The address of board i of an array ``int8[n, 2, 25]`` or ``int8[n, 50]``, in LLVM."""
    skip = builder.mul(i, ir.Constant(ir.IntType(64), _BOARD_PLACES))
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [skip], source_etype=ir.IntType(8))


def _part(builder: Any, board: Any, first: int, kind: Any) -> Any:
    at = builder.gep(board, [ir.Constant(ir.IntType(64), first)], source_etype=ir.IntType(8))
    return builder.bitcast(at, kind.as_pointer())


def _load_part(builder: Any, board: Any, first: int, kind: Any) -> Any:
    part = builder.load(_part(builder, board, first, kind), typ=kind)
    part.align = 1
    return part


def differing_bits(builder: Any, a: Any, b: Any) -> Any:
    """LLVM code for ``differing_places``, given the addresses of two boards."""
    found = ir.Constant(ir.IntType(64), 0)
    for first, lanes in _PARTS:
        vector = ir.VectorType(ir.IntType(8), lanes)
        parts = [_load_part(builder, board, first, vector) for board in (a, b)]
        unequal = builder.icmp_unsigned("!=", *parts)
        mask = builder.zext(builder.bitcast(unequal, ir.IntType(lanes)), ir.IntType(64))
        found = builder.or_(found, builder.shl(mask, ir.Constant(ir.IntType(64), first)))
    return found


@intrinsic
def differing_places(typing_context: Any, a: Any, i: Any, b: Any, j: Any) -> Any:
    """The places where board i of ``a`` differs from board j of ``b``, as a bit set.

    Both arrays are C-contiguous ``int8[n, 2, 25]``. Bit ``25 * side + point`` stands for a place.
    The fifty counts are compared in three vector instructions.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        boards = [
            board_at(context, builder, signature.args[k], args[k], args[k + 1]) for k in (0, 2)
        ]
        return differing_bits(builder, *boards)

    return types.int64(a, types.int64, b, types.int64), generate


_HALF = 32
"""Counts in a vector: from 0 on it has all of the first side, from 18 on all of the second."""


@intrinsic
def checkers_left(typing_context: Any, boards: Any, i: Any, side: Any) -> Any:
    """How many checkers side 0 or 1 of board i, of ``int8[n, 2, 25]``, has on the board."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.VectorType(ir.IntType(8), _HALF)
        board = board_at(context, builder, signature.args[0], args[0], args[1])
        later = _BOARD_PLACES - _HALF
        totals = []
        for begin, mine in ((0, range(25)), (later, range(25 - later, _HALF))):
            mask = ir.Constant(kind, [255 if k in mine else 0 for k in range(_HALF)])
            counts = builder.and_(_load_part(builder, board, begin, kind), mask)
            add = ir.FunctionType(ir.IntType(8), [kind])
            name = f"llvm.vector.reduce.add.v{_HALF}i8"
            function = cgutils.get_or_insert_function(builder.module, add, name)
            totals.append(builder.call(function, [counts]))
        first = builder.icmp_signed("==", args[2], ir.Constant(ir.IntType(64), 0))
        return builder.zext(builder.select(first, *totals), ir.IntType(64))

    return types.int64(boards, types.int64, types.int64), generate


@intrinsic
def copy_board(typing_context: Any, a: Any, i: Any, b: Any, j: Any) -> Any:
    """Copy board i of ``a`` to board j of ``b``; both C-contiguous int8[n, 2, 25] or [n, 50]."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source, target = (
            board_at(context, builder, signature.args[k], args[k], args[k + 1]) for k in (0, 2)
        )
        for first, lanes in _PARTS:
            kind = ir.VectorType(ir.IntType(8), lanes)
            part = _load_part(builder, source, first, kind)
            builder.store(part, _part(builder, target, first, kind)).align = 1
        return context.get_dummy_value()

    return types.void(a, types.int64, b, types.int64), generate


@intrinsic
def board_hash(typing_context: Any, boards: Any, i: Any) -> Any:
    """The int64 hash of board i of a C-contiguous ``int8[n, 2, 25]``.

    The fifty counts are read as six numbers of 64 bits and one of 16.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        board = board_at(context, builder, signature.args[0], args[0], args[1])
        total = ir.Constant(word, 0)
        for k, factor in enumerate(_FACTORS):
            kind = word if k < 6 else ir.IntType(16)
            part = _load_part(builder, board, 8 * k, kind)
            part = part if kind is word else builder.zext(part, word)
            total = builder.add(
                builder.xor(total, builder.lshr(total, ir.Constant(word, 29))),
                builder.mul(part, ir.Constant(word, factor)),
            )
        total = builder.mul(total, ir.Constant(word, _FACTORS[0]))
        return builder.xor(total, builder.lshr(total, ir.Constant(word, 32)))

    return types.int64(boards, types.int64), generate
