"""The layers of a net of whole numbers inside numba kernels: levels in, levels out.

A unit's level is its value in steps of its own: a byte in the first layer of a large net, 16 bits
in later layers and in small nets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from gnubg_py.kernel_cache import njit
from gnubg_py.network.dot import BLOCK, PATHS, chosen_path, products, words_of
from gnubg_py.network.integers import BYTE_TOP, WORD_TOP, IntegerWeights, lowest_word
from gnubg_py.network.table import SCRATCH_ROWS, TAKEN, board_rows, changed_rows
from gnubg_py.network.weights import outputs_of
from gnubg_py.probabilities import OUTCOMES
from gnubg_py.vectors import INT, WIDE, all_aligned, constant, counted_loop

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
_ROUNDED = np.float32(3 * 2.0**22)
"""Added and taken away again, it leaves a float32 below 2^22 rounded to a whole number."""


class IntegerLayers(NamedTuple):
    """A net of whole numbers as the kernels take it; arrays are padded with zeros."""

    path: Any
    """How to multiply: a type of ``dot.py``."""
    table: NDArray[np.int16]
    bias: NDArray[np.int16]
    up: NDArray[np.int16]
    down: NDArray[np.int16]
    zero: NDArray[np.int16]
    first_panels: NDArray[np.int8] | NDArray[np.int16]
    panels: tuple[NDArray[np.int16], ...]
    biases: tuple[NDArray[np.int32], ...]
    scales: tuple[NDArray[np.float32], ...]
    """Biases and scales of the first dense layer, then of the others."""
    slope: np.float32
    lowest: np.float32
    """The lowest level of 16 bits."""


class IntegerScratch(NamedTuple):
    """Room for a block: its units, sums, levels and logits; a parent's sums and table rows."""

    units: NDArray[np.uint8] | NDArray[np.int16]
    sums: NDArray[np.int32]
    levels: NDArray[np.int16]
    logits: NDArray[np.float32]
    base: NDArray[np.int16]
    rows: NDArray[np.int64]
    outcomes: NDArray[np.float32]


@dataclass(frozen=True)
class IntegerNet:
    """A net of whole numbers unpacked for the kernels."""

    layers: IntegerLayers
    outputs: int


def integer_net(weights: IntegerWeights, path: str | None = None) -> IntegerNet:
    """Unpack weights for the fast pass, by the path chosen for this machine if none is named."""
    way = PATHS[path or chosen_path()]
    first = weights.first
    more = -len(first.bias) % UNITS

    def padded(array: NDArray[Any]) -> NDArray[np.int16]:
        ends = [(0, 0)] * (array.ndim - 1) + [(0, more)]
        return np.pad(array, ends).astype(np.int16)

    width, cut, scales = len(first.bias) + more, [], []
    for layer in weights.layers:
        panels, bias = words_of(way, layer.weight, layer.bias, width)
        cut.append((panels, bias))
        scales.append(np.pad(layer.scale, (0, len(bias) - len(layer.scale))))
        width = len(bias)
    slope = weights.architecture.bend[0]
    layers = IntegerLayers(
        way.kind(0),
        padded(first.table),
        padded(first.bias),
        padded(first.up),
        padded(first.down),
        padded(first.zero),
        cut[0][0],
        tuple(panels for panels, _ in cut[1:]),
        tuple(bias for _, bias in cut),
        tuple(scales),
        np.float32(slope),
        np.float32(lowest_word(weights.architecture)),
    )
    return IntegerNet(all_aligned(layers), outputs_of(weights.architecture))


def integer_scratch(net: IntegerNet) -> IntegerScratch:
    """Room for a block of this net."""
    widest = max(len(bias) for bias in net.layers.biases)
    width = len(net.layers.bias)
    units: Any = np.uint8 if net.layers.first_panels.itemsize == 1 else np.int16
    scratch = IntegerScratch(
        np.empty((BLOCK, width), units),
        np.empty((BLOCK, widest), np.int32),
        np.empty((BLOCK, widest), np.int16),
        np.empty((BLOCK, net.outputs), np.float32),
        np.empty(width, np.int16),
        np.empty(SCRATCH_ROWS, np.int64),
        np.empty((OUTCOMES, BLOCK), np.float32),
    )
    return all_aligned(scratch)


def _exchange_of(vectors: int) -> Any:
    """The first layer of so many vectors of units, in registers."""
    shorts = ir.VectorType(_SHORT, _LANES)
    bytes_, words = ir.VectorType(_BYTE, _LANES), ir.VectorType(_WORD, _LANES)

    def all_lanes(kind: Any, number: int) -> Any:
        return ir.Constant(kind, [number] * _LANES)

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
        are_bytes = out.dtype == types.uint8
        # A clipped unit's levels of 16 bits are not below 0: its ``down`` is 0, and so ``zero``.
        lowest, highest = (0, BYTE_TOP) if are_bytes else (-WORD_TOP, WORD_TOP)
        kind, vector = (_BYTE, bytes_) if are_bytes else (_SHORT, shorts)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            arrays = {
                k: context.make_array(signature.args[k])(context, builder, args[k])
                for k in (0, 1, 2, 6, 7, 8, 9)
            }
            width = builder.extract_value(arrays[0].shape, 1)
            offsets = [builder.add(args[5], constant(v * _LANES)) for v in range(vectors)]

            def load(base: Any, index: Any) -> Any:
                pointer = builder.gep(base, [index], source_etype=_SHORT)
                value = builder.load(builder.bitcast(pointer, shorts.as_pointer()), typ=shorts)
                value.align = 2
                return value

            def row(k: Any, first: Any) -> list[Any]:
                """The table's row that is number first + k of ``rows``."""
                which = builder.gep(arrays[2].data, [builder.add(k, first)], source_etype=INT)
                start = builder.mul(builder.load(which, typ=INT), width)
                return [load(arrays[0].data, builder.add(start, o)) for o in offsets]

            def exchanged(k: Any, sums: list[Any]) -> list[Any]:
                rows = zip(sums, row(k, constant(0)), row(k, constant(TAKEN)), strict=True)
                return [builder.sub(builder.add(s, more), less) for s, more, less in rows]

            def increased(k: Any, sums: list[Any]) -> list[Any]:
                return [builder.add(s, more) for s, more in zip(sums, row(k, args[4]), strict=True)]

            def scaled(value: Any, factors: Any) -> Any:
                """Rounded value * factors / 2^15."""
                if _MULTIPLY is not None:
                    kind = ir.FunctionType(shorts, [shorts, shorts])
                    function = cgutils.get_or_insert_function(builder.module, kind, _MULTIPLY)
                    return builder.call(function, [value, factors])
                product = builder.mul(builder.sext(value, words), builder.sext(factors, words))
                halves = builder.lshr(product, all_lanes(words, 14))
                rounded = builder.add(halves, all_lanes(words, 1))
                return builder.trunc(builder.lshr(rounded, all_lanes(words, 1)), shorts)

            def cut(value: Any, sign: str, limit: Any) -> Any:
                return builder.select(builder.icmp_signed(sign, value, limit), value, limit)

            sums = [load(arrays[1].data, offset) for offset in offsets]
            sums = counted_loop(builder, args[4], sums, exchanged)
            sums = counted_loop(builder, builder.sub(args[3], args[4]), sums, increased)
            start = builder.mul(args[10], builder.extract_value(arrays[9].shape, 1))
            for value, offset in zip(sums, offsets, strict=True):
                above, below = (scaled(value, load(arrays[k].data, offset)) for k in (6, 7))
                level = builder.add(cut(above, ">", below), load(arrays[8].data, offset))
                level = cut(level, ">", all_lanes(shorts, lowest))
                level = cut(level, "<", all_lanes(shorts, highest))
                pointer = builder.gep(
                    arrays[9].data, [builder.add(start, offset)], source_etype=kind
                )
                pointer = builder.bitcast(pointer, vector.as_pointer())
                level = builder.trunc(level, bytes_) if are_bytes else level
                builder.store(level, pointer).align = 1
            return context.get_dummy_value()

        n = types.int64
        return types.void(table, base, rows, n, n, n, up, down, zero, out, n), generate

    return exchange


_WIDE, _SLIM = _exchange_of(_WIDE_VECTORS), _exchange_of(_SLIM_VECTORS)


@njit(cache=True, nogil=True, forceinline=True)
def _units(table, up, down, zero, base, rows, added, taken, out, i):  # type: ignore[no-untyped-def]
    """out[i] = levels of the first layer's units: base plus and less rows of the table."""
    column = 0
    while column + _WIDE_COLUMNS <= table.shape[1]:
        _WIDE(table, base, rows, added, taken, column, up, down, zero, out, i)
        column += _WIDE_COLUMNS
    while column < table.shape[1]:
        _SLIM(table, base, rows, added, taken, column, up, down, zero, out, i)
        column += UNITS


@njit(cache=True, nogil=True)
def integer_board_units(layers, scratch, boards, start, n):  # type: ignore[no-untyped-def]
    """As ``forward.board_units``."""
    table, up, down, zero = layers.table, layers.up, layers.down, layers.zero
    bias, rows, out = layers.bias, scratch.rows, scratch.units
    for i in range(n):
        added = board_rows(boards, start + i, rows)
        _units(table, up, down, zero, bias, rows, added, 0, out, i)


@njit(cache=True, nogil=True)
def integer_child_units(layers, scratch, parents, parent, children, start, i, end):  # type: ignore[no-untyped-def]
    """As ``forward.child_units``."""
    table, up, down, zero = layers.table, layers.up, layers.down, layers.zero
    base, rows, out = scratch.base, scratch.rows, scratch.units
    while i < end:
        changes = changed_rows(parents, parent, children, start + i, rows)
        _units(table, up, down, zero, base, rows, changes, changes, out, i)
        i += 1


@njit(cache=True, nogil=True, forceinline=True)
def _levels(sums, rows, scale, slope, lowest, out):  # type: ignore[no-untyped-def]
    """out[:rows] int16 = the levels of hidden units whose sums these are.

    Every step is one float32 operation, the same on all processors.
    """
    top = np.float32(WORD_TOP)
    for i in range(rows):
        for j in range(len(scale)):
            value = np.float32(sums[i, j]) * scale[j]
            below = value * slope
            value = value if value > below else below
            value = value if value > lowest else lowest
            value = value if value < top else top
            out[i, j] = np.int16(np.int32((value + _ROUNDED) - _ROUNDED))


@njit(cache=True, nogil=True, forceinline=True)
def _integer_sums(layers, rows, scratch):  # type: ignore[no-untyped-def]
    """The dense layers on a block of levels: the last layer's sums, in ``scratch.sums``."""
    path, sums, levels = layers.path, scratch.sums, scratch.levels
    products(path, scratch.units, rows, layers.first_panels, layers.biases[0], sums)
    for i in range(len(layers.panels)):
        _levels(sums, rows, layers.scales[i], layers.slope, layers.lowest, levels)
        products(path, levels, rows, layers.panels[i], layers.biases[i + 1], sums)


@njit(cache=True, nogil=True, forceinline=True)
def integer_logits(layers, rows, scratch):  # type: ignore[no-untyped-def]
    """As ``forward.block_logits``."""
    _integer_sums(layers, rows, scratch)
    sums, logits = scratch.sums, scratch.logits
    scale = layers.scales[len(layers.scales) - 1]
    for i in range(rows):
        for k in range(logits.shape[1]):
            logits[i, k] = np.float32(sums[i, k]) * scale[k]
    return logits


@njit(cache=True, nogil=True, forceinline=True)
def integer_columns(layers, rows, scratch, out):  # type: ignore[no-untyped-def]
    """As ``forward.block_columns``."""
    _integer_sums(layers, rows, scratch)
    sums, scale = scratch.sums, layers.scales[len(layers.scales) - 1]
    for k in range(out.shape[0]):
        for i in range(rows):
            out[k, i] = np.float32(sums[i, k]) * scale[k]
