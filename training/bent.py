"""What hidden units make of their sums in the fit, and the way back, in place.

Numba knows no bfloat16: such numbers come as the uint16 of their bits. Torch's own kernels for them
take twice to three times as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from gnubg_py.kernel_cache import njit

_SHORT, _WORD = ir.IntType(16), ir.IntType(32)
_ONE, _NOTHING = np.float32(1), np.float32(0)


def bits_of(x: torch.Tensor) -> NDArray[Any]:
    """The memory of a tensor as numpy knows it: float32, or the bits of bfloat16."""
    return (x.view(torch.uint16) if x.dtype == torch.bfloat16 else x).numpy()


@intrinsic  # type: ignore[untyped-decorator]
def _real(typing_context: Any, number: Any) -> Any:
    """The float32 that a number is, if it is a float32 or the bits of a bfloat16."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if number == types.float32:
            return args[0]
        bits = builder.shl(builder.zext(args[0], _WORD), ir.Constant(_WORD, 16))
        return builder.bitcast(bits, ir.FloatType())

    return types.float32(number), generate


@intrinsic  # type: ignore[untyped-decorator]
def _like(typing_context: Any, real: Any, number: Any) -> Any:
    """A float32 as a number like another: a float32, or the bits of the nearest bfloat16."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if number == types.float32:
            return args[0]
        bits = builder.bitcast(args[0], _WORD)
        odd = builder.and_(builder.lshr(bits, ir.Constant(_WORD, 16)), ir.Constant(_WORD, 1))
        bits = builder.add(bits, builder.add(odd, ir.Constant(_WORD, 0x7FFF)))
        return builder.trunc(builder.lshr(bits, ir.Constant(_WORD, 16)), _SHORT)

    return number(real, number), generate


@njit(cache=True, nogil=True)
def bend(x, slope, ceiling):  # type: ignore[no-untyped-def]
    """x = the greater of x and ``slope`` x, cut at the ceiling."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            value = _real(x[i, j])
            below = value * slope
            value = value if value > below else below
            value = value if value < ceiling else ceiling
            x[i, j] = _like(value, x[i, j])


@njit(cache=True, nogil=True)
def unbend(gradient, x, slope, ceiling, sums):  # type: ignore[no-untyped-def]
    """Make the gradient of units x that of what they were before ``bend``; ``sums``: its columns.

    ``sums`` float32[width] are added to.
    """
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            value = _real(x[i, j])
            share = _ONE if value > _NOTHING else slope
            share = share if value < ceiling else _NOTHING
            found = _real(gradient[i, j]) * share
            sums[j] += found
            gradient[i, j] = _like(found, gradient[i, j])
