"""Nets of float32 inside the fast pass (``forward.py``): a first layer in fixed point, then tiles.

Every number depends on its position alone, since each is summed in one order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnubg_py.kernel_cache import njit
from gnubg_py.network.dense import ROWS, STRAIGHT, dense, panelled
from gnubg_py.network.dot import BLOCK
from gnubg_py.network.table import (
    SCRATCH_ROWS,
    activations,
    board_rows,
    changed_rows,
    first_layer,
)
from gnubg_py.network.tails import new_places
from gnubg_py.network.weights import Weights, by_tail
from gnubg_py.probabilities import OUTCOMES


class FloatLayers(NamedTuple):
    """A net of float32 as the kernels take it: the first layer's table, then padded layers.

    Those have the parts of all tails, one after the other.
    """

    table: NDArray[np.int32]  # int32[832, width], in fixed point
    bias: NDArray[np.int32]
    step: np.float32
    bend: tuple[np.float32, np.float32]
    matrices: tuple[NDArray[np.float32], ...]  # float32[panels of all tails, in, COLUMNS]
    biases: tuple[NDArray[np.float32], ...]
    tails: int


class FloatScratch(NamedTuple):
    """Room for a block: two of its layers, a parent's sums and table rows, its softmax.

    ``places`` are filled by ``tails.sort_by_tail``.
    """

    units: NDArray[np.float32]
    other: NDArray[np.float32]
    base: NDArray[np.int32]
    rows: NDArray[np.int64]
    outcomes: NDArray[np.float32]
    places: NDArray[np.int64]


@dataclass(frozen=True)
class FastNet:
    """A net of float32 for the kernels."""

    layers: FloatLayers


def fast_net(weights: Weights) -> FastNet:
    """Unpack weights for the fast pass."""
    table, bias, step = first_layer(weights)
    tails, layers = weights.architecture.tails, []
    for layer in weights.layers[1:]:
        cut = [panelled(*tail) for tail in by_tail(weights.architecture, *layer)]
        layers.append(tuple(np.concatenate([tail[k] for tail in cut]) for k in range(2)))
    slope, ceiling = weights.architecture.bend
    return FastNet(
        FloatLayers(
            table,
            bias,
            np.float32(step),
            (np.float32(slope), np.float32(ceiling)),
            tuple(matrix for matrix, _ in layers),
            tuple(bias for _, bias in layers),
            tails,
        )
    )


def float_scratch(net: FastNet) -> FloatScratch:
    """Room for a block of this net."""
    layers = net.layers
    widths = [len(bias) // layers.tails for bias in layers.biases]
    widest = max(layers.table.shape[1], *widths)
    return FloatScratch(
        np.empty((BLOCK + ROWS, widest), np.float32),
        np.empty((BLOCK + ROWS, widest), np.float32),
        np.empty_like(layers.bias),
        np.empty(SCRATCH_ROWS, np.int64),
        np.empty((OUTCOMES, BLOCK), np.float32),
        new_places(layers.tails),
    )


@njit(cache=True, nogil=True)
def float_board_units(layers, scratch, boards, start, n):  # type: ignore[no-untyped-def]
    """As ``forward.board_units``."""
    table, bias, step, bend = layers.table, layers.bias, layers.step, layers.bend
    rows, out, places = scratch.rows, scratch.units, scratch.places
    for i in range(n):
        added = board_rows(boards, start + i, rows)
        activations(table, bias, rows, added, 0, step, bend, out, places[i])


@njit(cache=True, nogil=True)
def float_child_units(layers, scratch, parents, parent, children, start, i, end):  # type: ignore[no-untyped-def]
    """As ``forward.child_units``."""
    table, step, bend = layers.table, layers.step, layers.bend
    base, rows, out, places = scratch.base, scratch.rows, scratch.units, scratch.places
    while i < end:
        changes = changed_rows(parents, parent, children, start + i, rows)
        activations(table, base, rows, changes, changes, step, bend, out, places[i])
        i += 1


@njit(cache=True, nogil=True)
def float_logits(layers, scratch):  # type: ignore[no-untyped-def]
    """As ``forward.block_logits``."""
    here, there, ends = scratch.units, scratch.other, scratch.places[BLOCK:]
    for i in range(len(layers.matrices)):
        last = i == len(layers.matrices) - 1
        bend = STRAIGHT if last else layers.bend
        for t in range(layers.tails):
            if ends[t] < ends[t + 1]:
                matrix, bias = layers.matrices[i], layers.biases[i]
                dense(here, ends[t], ends[t + 1], matrix, t, layers.tails, bias, bend, there)
        here, there = there, here
    return here


@njit(cache=True, nogil=True)
def float_columns(layers, scratch, out):  # type: ignore[no-untyped-def]
    """As ``forward.block_columns``."""
    logits = float_logits(layers, scratch)
    for k in range(out.shape[0]):
        for i in range(scratch.places[BLOCK + layers.tails]):
            out[k, i] = logits[i, k]
