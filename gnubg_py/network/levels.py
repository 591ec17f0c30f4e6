"""The layers of a net of whole numbers inside numba kernels: levels in, levels out.

A unit's level is its value in steps of its own: a byte in the first layer of a large net, 16 bits
in later layers and in small nets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnubg_py.kernel_cache import njit
from gnubg_py.network.dot import BLOCK, PATHS, chosen_path, products, words_of
from gnubg_py.network.integers import WORD_TOP, IntegerWeights, lowest_word
from gnubg_py.network.table import SCRATCH_ROWS, board_rows, changed_rows
from gnubg_py.network.units import UNITS, slim_units, units
from gnubg_py.network.weights import outputs_of
from gnubg_py.probabilities import OUTCOMES
from gnubg_py.vectors import all_aligned

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


@njit(cache=True, nogil=True)
def integer_board_units(layers, scratch, boards, start, n):  # type: ignore[no-untyped-def]
    """As ``forward.board_units``."""
    table, up, down, zero = layers.table, layers.up, layers.down, layers.zero
    bias, rows, out = layers.bias, scratch.rows, scratch.units
    for i in range(n):
        added = board_rows(boards, start + i, rows)
        units(table, up, down, zero, bias, rows, added, 0, out, i)


@njit(cache=True, nogil=True)
def integer_child_units(layers, scratch, parents, parent, children, start, i, end):  # type: ignore[no-untyped-def]
    """As ``forward.child_units``."""
    table, up, down, zero = layers.table, layers.up, layers.down, layers.zero
    base, rows, out = scratch.base, scratch.rows, scratch.units
    if table.shape[1] == UNITS:
        while i < end:
            slim_units(table, up, down, zero, base, parents, parent, children, start + i, out, i)
            i += 1
    while i < end:
        changes = changed_rows(parents, parent, children, start + i, rows)
        units(table, up, down, zero, base, rows, changes, changes, out, i)
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
