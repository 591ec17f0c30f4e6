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
from gnubg_py.network.dot import BLOCK, PATHS, TILE_ROWS, chosen_path, products, words_of
from gnubg_py.network.integers import WORD_TOP, IntegerWeights, lowest_word
from gnubg_py.network.table import SCRATCH_ROWS, board_rows, changed_rows
from gnubg_py.network.tails import new_places
from gnubg_py.network.units import UNITS, slim_units, units
from gnubg_py.network.weights import by_tail, outputs_of
from gnubg_py.probabilities import OUTCOMES
from gnubg_py.vectors import all_aligned

_ROUNDED = np.float32(3 * 2.0**22)
"""Added and taken away again, it leaves a float32 below 2^22 rounded to a whole number."""


class IntegerLayers(NamedTuple):
    """A net of whole numbers as the kernels take it; arrays are padded with zeros.

    Those of dense layers have the parts of all tails, one after the other.
    """

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
    tails: int


class IntegerScratch(NamedTuple):
    """Room for a block: its units, sums, levels and logits; a parent's sums and table rows.

    ``places`` are filled by ``tails.sort_by_tail``.
    """

    units: NDArray[np.uint8] | NDArray[np.int16]
    sums: NDArray[np.int32]
    levels: NDArray[np.int16]
    logits: NDArray[np.float32]
    base: NDArray[np.int16]
    rows: NDArray[np.int64]
    outcomes: NDArray[np.float32]
    places: NDArray[np.int64]


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
        parts = by_tail(weights.architecture, layer.weight, layer.bias, layer.scale)
        tails = [(*words_of(way, matrix, bias, width), scale) for matrix, bias, scale in parts]
        panels, bias = (np.concatenate([tail[k] for tail in tails]) for k in range(2))
        width = len(bias) // len(tails)
        cut.append((panels, bias))
        ends = [np.pad(scale, (0, width - len(scale))) for *_, scale in tails]
        scales.append(np.concatenate(ends))
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
        weights.architecture.tails,
    )
    return IntegerNet(all_aligned(layers), outputs_of(weights.architecture))


def integer_scratch(net: IntegerNet) -> IntegerScratch:
    """Room for a block of this net."""
    widest = max(len(bias) for bias in net.layers.biases) // net.layers.tails
    width, rows = len(net.layers.bias), BLOCK + TILE_ROWS
    units: Any = np.uint8 if net.layers.first_panels.itemsize == 1 else np.int16
    scratch = IntegerScratch(
        np.empty((rows, width), units),
        np.empty((rows, widest), np.int32),
        np.empty((rows, widest), np.int16),
        np.empty((BLOCK, net.outputs), np.float32),
        np.empty(width, np.int16),
        np.empty(SCRATCH_ROWS, np.int64),
        np.empty((OUTCOMES, BLOCK), np.float32),
        new_places(net.layers.tails),
    )
    return all_aligned(scratch)


@njit(cache=True, nogil=True)
def integer_board_units(layers, scratch, boards, start, n):  # type: ignore[no-untyped-def]
    """As ``forward.board_units``."""
    table, up, down, zero = layers.table, layers.up, layers.down, layers.zero
    bias, rows, out, places = layers.bias, scratch.rows, scratch.units, scratch.places
    for i in range(n):
        added = board_rows(boards, start + i, rows)
        units(table, up, down, zero, bias, rows, added, 0, out, places[i])


@njit(cache=True, nogil=True)
def integer_child_units(layers, scratch, parents, parent, children, start, i, end):  # type: ignore[no-untyped-def]
    """As ``forward.child_units``."""
    table, up, down, zero = layers.table, layers.up, layers.down, layers.zero
    base, rows, out, places = scratch.base, scratch.rows, scratch.units, scratch.places
    if table.shape[1] == UNITS:
        while i < end:
            slot = places[i]
            slim_units(table, up, down, zero, base, parents, parent, children, start + i, out, slot)
            i += 1
    while i < end:
        changes = changed_rows(parents, parent, children, start + i, rows)
        units(table, up, down, zero, base, rows, changes, changes, out, places[i])
        i += 1


@njit(cache=True, nogil=True, forceinline=True)
def _levels(sums, begin, end, tail, tails, scale, slope, lowest, out):  # type: ignore[no-untyped-def]
    """out[begin:end] int16 = the levels of a tail's hidden units whose sums these are.

    Every step is one float32 operation, the same on all processors.
    """
    top = np.float32(WORD_TOP)
    width = len(scale) // tails
    mine = scale[tail * width : (tail + 1) * width]
    for i in range(begin, end):
        for j in range(len(mine)):
            value = np.float32(sums[i, j]) * mine[j]
            below = value * slope
            value = value if value > below else below
            value = value if value > lowest else lowest
            value = value if value < top else top
            out[i, j] = np.int16(np.int32((value + _ROUNDED) - _ROUNDED))


@njit(cache=True, nogil=True, forceinline=True)
def _integer_sums(layers, scratch):  # type: ignore[no-untyped-def]
    """The dense layers on a block of levels: the last layer's sums, in ``scratch.sums``.

    A tail's last tile works on the slots of the next tails too, whose turn comes after.
    """
    path, tails, slope, lowest = layers.path, layers.tails, layers.slope, layers.lowest
    units, sums, levels, places = scratch.units, scratch.sums, scratch.levels, scratch.places
    for t in range(tails):
        begin, end = places[BLOCK + t], places[BLOCK + t + 1]
        if begin == end:
            continue
        products(path, units, begin, end, layers.first_panels, t, tails, layers.biases[0], sums)
        for i in range(len(layers.panels)):
            _levels(sums, begin, end, t, tails, layers.scales[i], slope, lowest, levels)
            bias = layers.biases[i + 1]
            products(path, levels, begin, end, layers.panels[i], t, tails, bias, sums)


@njit(cache=True, nogil=True, forceinline=True)
def integer_logits(layers, scratch):  # type: ignore[no-untyped-def]
    """As ``forward.block_logits``."""
    _integer_sums(layers, scratch)
    sums, logits, places = scratch.sums, scratch.logits, scratch.places
    scale = layers.scales[len(layers.scales) - 1]
    for t in range(layers.tails):
        first = t * (len(scale) // layers.tails)
        for i in range(places[BLOCK + t], places[BLOCK + t + 1]):
            for k in range(logits.shape[1]):
                logits[i, k] = np.float32(sums[i, k]) * scale[first + k]
    return logits


@njit(cache=True, nogil=True, forceinline=True)
def integer_columns(layers, scratch, out):  # type: ignore[no-untyped-def]
    """As ``forward.block_columns``."""
    _integer_sums(layers, scratch)
    sums, places, scale = scratch.sums, scratch.places, layers.scales[len(layers.scales) - 1]
    for t in range(layers.tails):
        first = t * (len(scale) // layers.tails)
        # By name, since a factor in an array would be read again for every row.
        f0, f1, f2 = scale[first], scale[first + 1], scale[first + 2]
        f3, f4, f5 = scale[first + 3], scale[first + 4], scale[first + 5]
        for i in range(places[BLOCK + t], places[BLOCK + t + 1]):
            out[0, i] = np.float32(sums[i, 0]) * f0
            out[1, i] = np.float32(sums[i, 1]) * f1
            out[2, i] = np.float32(sums[i, 2]) * f2
            out[3, i] = np.float32(sums[i, 3]) * f3
            out[4, i] = np.float32(sums[i, 4]) * f4
            out[5, i] = np.float32(sums[i, 5]) * f5
