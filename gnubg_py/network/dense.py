"""The dense layers' inner loop, as vector instructions inside numba kernels.

numba compiles plain loops well, but will not keep a tile of sums in registers, which a matrix
product lives on. ``vectors.write_tile`` writes that one loop in vectors; every output is a sum over
the inputs in their order, so that a position's value never depends on what else is in the batch.
BLAS promises neither.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from gnubg_py.kernel_cache import njit
from gnubg_py.vectors import COLUMNS, FLOATS, LANES, VECTORS, bent, splat_bend, write_tile

STRAIGHT = (np.float32(1), np.float32(np.inf))
"""The bend (slope, ceiling) of a layer that ends in sums."""
_ROWS = 6
"""Positions of a full tile: rows x vectors sums, as many as there are registers for."""
ROWS = _ROWS * VECTORS
"""Positions of the tallest tile."""


def _tile_of(vectors: int) -> Any:
    """(the tile of so many vectors of outputs, its rows, its columns)."""
    rows, columns = ROWS // vectors, vectors * LANES

    @intrinsic
    def tile(
        typing_context: Any,
        x: Any,
        row: Any,
        panels: Any,
        panel: Any,
        bias: Any,
        bend: Any,
        out: Any,
        place: Any,
    ) -> Any:
        """out's rows, from column ``place`` panels on = bent(x's rows @ panels[panel] + bias)."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            arrays = [
                context.make_array(signature.args[i])(context, builder, args[i])
                for i in (0, 2, 4, 6)
            ]
            where = [args[i] for i in (1, 3, 7)]
            fused = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(FLOATS, [FLOATS] * 3), f"llvm.fma.v{LANES}f32"
            )

            def multiply_add(*three: Any) -> Any:
                return builder.call(fused, three)

            def finish(sums: list[Any]) -> list[Any]:
                limits = splat_bend(builder, args[5])
                return [bent(builder, value, *limits) for value in sums]

            write_tile(builder, FLOATS, (rows, vectors), arrays, where, multiply_add, finish)
            return context.get_dummy_value()

        n = types.int64
        signature = types.void(x, n, panels, n, bias, bend, out, n)
        return signature, generate

    return tile, rows, columns


_TILE, _TILE_ROWS, _ = _tile_of(VECTORS)
_HALF, _HALF_ROWS, _HALF_COLUMNS = _tile_of(max(1, VECTORS // 2))
_SLIM, _SLIM_ROWS, _SLIM_COLUMNS = _tile_of(1)


@njit(nogil=True, cache=True)
def dense(x, begin, end, panels, tail, tails, bias, bend, out):  # type: ignore[no-untyped-def]
    """out[begin:end] = bent(x[begin:end] @ a tail's matrix + bias); with ``STRAIGHT`` the sums.

    ``x`` float32[n, inputs], the matrices of all tails one after the other as ``panelled`` cuts
    them, ``out`` float32[n, outputs]. Rows up to the next whole tile are written too, so that n
    is at least end + ROWS.
    """
    count = panels.shape[0] // tails
    first = tail * count
    if panels.shape[2] == _SLIM_COLUMNS:
        for row in range(begin, end, _SLIM_ROWS):
            _SLIM(x, row, panels, first, bias, bend, out, 0)
    elif panels.shape[2] == _HALF_COLUMNS:
        for row in range(begin, end, _HALF_ROWS):
            _HALF(x, row, panels, first, bias, bend, out, 0)
    else:
        for place in range(count):
            for row in range(begin, end, _TILE_ROWS):
                _TILE(x, row, panels, first + place, bias, bend, out, place)


def panelled(
    matrix: NDArray[np.float32], bias: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """A layer as ``dense`` takes it: (float32[out, in], float32[out]) ->
    (float32[panels, in, columns], float32[panels * columns]).

    A tile then reads its weights from one end to the other; rows of the whole matrix, a power of
    two apart, took twice as long. A layer of few outputs is one narrow panel.
    """
    outputs, inputs = matrix.shape
    columns = next((c for c in (_SLIM_COLUMNS, _HALF_COLUMNS) if outputs <= c), COLUMNS)
    panels = -(-outputs // columns)
    wide = np.zeros((panels * columns, inputs), np.float32)
    wide[:outputs] = matrix
    cut = wide.reshape(panels, columns, inputs).transpose(0, 2, 1)
    wide_bias = np.zeros(panels * columns, np.float32)
    wide_bias[:outputs] = bias
    return np.ascontiguousarray(cut), wide_bias
