"""gnubg's reciprocal against arithmetic and, on a processor like the one measured, ``rcpps``."""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from gnubg_py.network.gnubg_reciprocal import reciprocals

MEASURED_PROCESSOR = llvm.get_host_cpu_name() == "znver5"
ERROR = 1.5 * 2**-12
"""The largest relative error that the instruction's description allows."""


def mantissas() -> NDArray[np.float32]:
    """Every float32 from 1 to 2, in order."""
    return (np.arange(1 << 23, dtype=np.int32) | 0x3F800000).view(np.float32)


@intrinsic
def rcpps(typing_context: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        four = ir.VectorType(ir.FloatType(), 4)
        kind = ir.FunctionType(four, [four])
        function = builder.module.declare_intrinsic("llvm.x86.sse.rcp.ps", (), kind)
        first = ir.Constant(ir.IntType(32), 0)
        vector = builder.insert_element(ir.Constant(four, ir.Undefined), args[0], first)
        return builder.extract_element(builder.call(function, [vector]), first)

    return types.float32(types.float32), generate


def test_reciprocals_are_right_to_the_instructions_precision() -> None:
    x = np.geomspace(1e-6, 1e6, 100_000).astype(np.float32)
    found = x.copy()
    reciprocals(found)
    assert np.abs(found.astype(np.float64) * x - 1).max() < ERROR


def test_a_power_of_two_changes_the_exponent_alone() -> None:
    x = mantissas()[::1001]
    found, scaled = x.copy(), x * np.float32(2**13)
    reciprocals(found)
    reciprocals(scaled)
    assert np.array_equal(scaled * np.float32(2**13), found)


@pytest.mark.skipif(
    not MEASURED_PROCESSOR, reason="the tables are those of AMD's Zen 5; others have other low bits"
)
def test_the_tables_are_the_processors_for_all_mantissas() -> None:
    @njit
    def measured(x: Any) -> Any:
        out = np.empty_like(x)
        for i in range(len(x)):
            out[i] = rcpps(x[i])
        return out

    x = mantissas()
    found = x.copy()
    reciprocals(found)
    assert np.array_equal(found, measured(x))
