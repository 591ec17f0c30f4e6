"""Bits inside numba kernels, by machine instructions: the highest, the lowest, differences."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def highest_bit(typing_context: Any, x: Any) -> Any:
    """The index of the highest set bit of a non-zero int64: ``highest_bit(0b101) == 2``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.int64(types.int64), generate


@intrinsic
def lowest_bit(typing_context: Any, x: Any) -> Any:
    """The index of the lowest set bit of a non-zero int64: ``lowest_bit(0b100) == 2``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


_BOARD_PLACES = 50


@intrinsic
def differing_places(typing_context: Any, a: Any, i: Any, b: Any, j: Any) -> Any:
    """Where board i of ``a`` differs from board j of ``b``, as a set of bits 0 to 49.

    Both are C-contiguous ``int8[n, 2, 25]``; bit 25 * side + point. Fifty counts are compared in
    three vector instructions.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        starts = []
        for at in (0, 2):
            array = context.make_array(signature.args[at])(context, builder, args[at])
            skip = builder.mul(args[at + 1], ir.Constant(ir.IntType(64), _BOARD_PLACES))
            starts.append(builder.gep(array.data, [skip], source_etype=ir.IntType(8)))
        found = ir.Constant(ir.IntType(64), 0)
        for first, lanes in ((0, 32), (32, 16), (48, 2)):
            vector = ir.VectorType(ir.IntType(8), lanes)
            parts = []
            for start in starts:
                pointer = builder.gep(
                    start, [ir.Constant(ir.IntType(64), first)], source_etype=ir.IntType(8)
                )
                part = builder.load(builder.bitcast(pointer, vector.as_pointer()), typ=vector)
                part.align = 1
                parts.append(part)
            unequal = builder.icmp_unsigned("!=", *parts)
            mask = builder.zext(builder.bitcast(unequal, ir.IntType(lanes)), ir.IntType(64))
            found = builder.or_(found, builder.shl(mask, ir.Constant(ir.IntType(64), first)))
        return found

    return types.int64(a, types.int64, b, types.int64), generate
