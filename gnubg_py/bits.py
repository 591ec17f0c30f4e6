"""The highest set bit, as one machine instruction inside numba kernels."""

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
