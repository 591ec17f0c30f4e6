"""The dense layers' inner loop, as vector instructions inside numba kernels.

numba compiles plain loops well, but will not keep a tile of sums in registers, which a matrix
product lives on. ``tile`` writes that one loop in LLVM's vector language: portable (LLVM splits
vectors wider than the machine's), and every output is a sum over the inputs in their order, so
that a position's value never depends on what else is in the batch. BLAS promises neither.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

_WIDE = bool(llvmlite.binding.get_host_cpu_features().get("avx512f"))
LANES = 16 if _WIDE else 8
"""Floats in a vector register."""
_VECTORS = 4 if _WIDE else 2
COLUMNS = LANES * _VECTORS
"""Outputs of one tile; a layer is cut into panels of so many, the last one padded."""
ROWS = 6
"""Positions of one tile: rows x vectors sums, as many as there are registers for."""

_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)
_INT = ir.IntType(64)


@intrinsic
def _tile(
    typing_context: Any, x: Any, row: Any, panels: Any, panel: Any, bias: Any, slope: Any, out: Any
) -> Any:
    """out[row:row+ROWS, that panel's columns] = leaky(x[row:row+ROWS] @ panels[panel] + bias)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = [
            context.make_array(signature.args[i])(context, builder, args[i]) for i in (0, 2, 4, 6)
        ]
        x_array, m_array, b_array, out_array = arrays
        row_at, panel_at, slope_value = args[1], args[3], args[5]
        inputs = builder.extract_value(m_array.shape, 1)
        x_stride = builder.extract_value(x_array.shape, 1)
        out_stride = builder.extract_value(out_array.shape, 1)

        def splat(value: Any) -> Any:
            first = builder.insert_element(
                ir.Constant(_VECTOR, ir.Undefined), value, ir.Constant(ir.IntType(32), 0)
            )
            mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
            return builder.shuffle_vector(first, ir.Constant(_VECTOR, ir.Undefined), mask)

        def vector_at(base: Any, index: Any) -> Any:
            pointer = builder.gep(base, [index], source_etype=_FLOAT)
            return builder.bitcast(pointer, _VECTOR.as_pointer())

        def load(base: Any, index: Any) -> Any:
            value = builder.load(vector_at(base, index), typ=_VECTOR)
            value.align = 4
            return value

        def at(a: Any, stride: Any, b: Any) -> Any:
            return builder.add(builder.mul(a, stride), b)

        def constant(i: int) -> Any:
            return ir.Constant(_INT, i)

        multiply_add = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_VECTOR, [_VECTOR] * 3), f"llvm.fma.v{LANES}f32"
        )
        column_at = builder.mul(panel_at, constant(COLUMNS))
        first_row = builder.mul(panel_at, inputs)
        starts = [
            load(b_array.data, builder.add(column_at, constant(v * LANES))) for v in range(_VECTORS)
        ]
        row_starts = [builder.mul(builder.add(row_at, constant(r)), x_stride) for r in range(ROWS)]
        before = builder.block
        loop = builder.append_basic_block("inputs")
        after = builder.append_basic_block("done")
        builder.branch(loop)
        builder.position_at_end(loop)
        k = builder.phi(_INT)
        k.add_incoming(constant(0), before)
        sums = []
        for _ in range(ROWS):
            for v in range(_VECTORS):
                phi = builder.phi(_VECTOR)
                phi.add_incoming(starts[v], before)
                sums.append(phi)
        weights = [
            load(
                m_array.data, at(builder.add(first_row, k), constant(COLUMNS), constant(v * LANES))
            )
            for v in range(_VECTORS)
        ]
        new = []
        for r in range(ROWS):
            pointer = builder.gep(
                x_array.data, [builder.add(row_starts[r], k)], source_etype=_FLOAT
            )
            value = splat(builder.load(pointer, typ=_FLOAT))
            for v in range(_VECTORS):
                new.append(builder.call(multiply_add, [value, weights[v], sums[r * _VECTORS + v]]))
        following = builder.add(k, constant(1))
        k.add_incoming(following, loop)
        for phi, value in zip(sums, new, strict=True):
            phi.add_incoming(value, loop)
        builder.cbranch(builder.icmp_signed("<", following, inputs), loop, after)
        builder.position_at_end(after)
        slopes = splat(slope_value)
        for r in range(ROWS):
            for v in range(_VECTORS):
                value = new[r * _VECTORS + v]
                scaled = builder.fmul(value, slopes)
                leaky = builder.select(builder.fcmp_ordered(">", value, scaled), value, scaled)
                index = at(
                    builder.add(row_at, constant(r)),
                    out_stride,
                    builder.add(column_at, constant(v * LANES)),
                )
                store = builder.store(leaky, vector_at(out_array.data, index))
                store.align = 4
        return context.get_dummy_value()

    signature = types.void(x, types.int64, panels, types.int64, bias, types.float32, out)
    return signature, generate


@njit(nogil=True, cache=True)
def dense(x, rows, panels, bias, slope, out):  # type: ignore[no-untyped-def]
    """out[:rows] = leaky(x[:rows] @ matrix + bias, slope); slope 1 leaves the sums as they are.

    ``x`` float32[n, inputs], the matrix as ``panelled`` cuts it, ``out`` float32[n, outputs]; n at
    least ``rows`` rounded up to a multiple of ROWS.
    """
    for panel in range(panels.shape[0]):
        for row in range(0, rows, ROWS):
            _tile(x, row, panels, panel, bias, slope, out)


def panelled(
    matrix: NDArray[np.float32], bias: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """A layer as ``dense`` takes it: (float32[out, in], float32[out]) ->
    (float32[panels, in, COLUMNS], float32[panels * COLUMNS]).

    A tile then reads its weights from one end to the other; rows of the whole matrix, a power of
    two apart, took twice as long.
    """
    outputs, inputs = matrix.shape
    panels = -(-outputs // COLUMNS)
    wide = np.zeros((panels * COLUMNS, inputs), np.float32)
    wide[:outputs] = matrix
    cut = wide.reshape(panels, COLUMNS, inputs).transpose(0, 2, 1)
    wide_bias = np.zeros(panels * COLUMNS, np.float32)
    wide_bias[:outputs] = bias
    return np.ascontiguousarray(cut), wide_bias
