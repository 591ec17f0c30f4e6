"""The fast forward pass: boards to five probabilities without torch.

Blocks of a few dozen positions go through all layers while they are in the nearest cache; threads
take slices of many blocks. Every number a position yields depends on that position alone, bit by
bit: not on its batch, on threads, or on whether it was evaluated as a child of its parent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gnubg_py.board import Boards, for_kernels
from gnubg_py.network.dense import ROWS, STRAIGHT, dense, panelled
from gnubg_py.network.softmax import softmax_rows
from gnubg_py.network.table import (
    SCRATCH_ROWS,
    activations,
    add_rows,
    board_rows,
    changed_rows,
    first_layer,
)
from gnubg_py.network.weights import Weights
from gnubg_py.threads import map_slices

_BLOCK = 2 * ROWS
_SLICE = 32 * _BLOCK


@dataclass(frozen=True)
class FastNet:
    """A net as the kernels take it: first-layer table in fixed point, then padded dense layers."""

    table: NDArray[np.int32]  # int32[832, width]
    bias: NDArray[np.int32]
    step: float
    bend: tuple[float, float]
    matrices: tuple[NDArray[np.float32], ...]  # float32[panels, in, COLUMNS]
    biases: tuple[NDArray[np.float32], ...]
    widest: int
    """The widest row that a block needs room for."""


def fast_net(weights: Weights) -> FastNet:
    """Unpack weights for the fast pass."""
    table, bias, step = first_layer(weights)
    layers = [panelled(matrix, bias) for matrix, bias in weights.layers[1:]]
    return FastNet(
        table,
        bias,
        step,
        weights.architecture.bend,
        tuple(matrix for matrix, _ in layers),
        tuple(bias for _, bias in layers),
        max(len(table[0]), *(len(bias) for _, bias in layers)),
    )


def evaluate(net: FastNet, boards: Boards) -> NDArray[np.float32]:
    """gnubg's five probabilities of every board, ``int8[n, 2, 25] -> float32[n, 5]``."""
    boards = for_kernels(boards)
    out = np.empty((len(boards), 5), np.float32)

    def work(rows: slice) -> None:
        _evaluate(boards[rows], _layers(net), _scratch(net), out[rows])

    map_slices(work, len(boards), _SLICE)
    return out


def evaluate_children(
    net: FastNet, parents: Boards, children: Boards, first: NDArray[np.int64]
) -> NDArray[np.float32]:
    """As ``evaluate(net, children)``, sooner: children first[i]:first[i + 1] resemble parents[i].

    Parents are as the children's side on roll sees them (the board before the play, swapped);
    the closer they are, the faster it is. ``first`` int64[len(parents) + 1].
    """
    parents, children = for_kernels(parents), for_kernels(children)
    out = np.empty((len(children), 5), np.float32)

    def work(rows: slice) -> None:
        low = int(np.searchsorted(first, rows.start, side="right")) - 1
        shifted = first[low:] - rows.start
        part = children[rows]
        _evaluate_children(parents[low:], part, shifted, _layers(net), _scratch(net), out[rows])

    map_slices(work, len(children), _SLICE)
    return out


def logits(net: FastNet, boards: Boards, outputs: int) -> NDArray[np.float32]:
    """What the last layer says, ``int8[n, 2, 25] -> float32[n, outputs]``."""
    boards = for_kernels(boards)
    out = np.empty((len(boards), outputs), np.float32)

    def work(rows: slice) -> None:
        _logits(boards[rows], _layers(net), _scratch(net), out[rows])

    map_slices(work, len(boards), _SLICE)
    return out


def _layers(net: FastNet):  # type: ignore[no-untyped-def]
    """What the kernels need of a net: (first layer, (bend, dense layers))."""
    bend = (np.float32(net.bend[0]), np.float32(net.bend[1]))
    first = (net.table, net.bias, np.float32(net.step), bend)
    return first, (bend, net.matrices, net.biases)


def _scratch(net: FastNet):  # type: ignore[no-untyped-def]
    """Room for a block: two of its layers, a parent's sums and table rows, its softmax."""
    blocks = tuple(np.empty((_BLOCK, net.widest), np.float32) for _ in range(2))
    first = (np.empty_like(net.bias), np.empty(SCRATCH_ROWS, np.int64))
    outcomes = (np.empty(6 * _BLOCK, np.float32), np.empty(6 * _BLOCK, np.int32))
    return blocks, first, outcomes


@njit(cache=True, nogil=True)
def _first_layer(boards, start, n, layer, scratch, here):  # type: ignore[no-untyped-def]
    table, bias, step, bend = layer
    _, rows = scratch
    for i in range(n):
        added = board_rows(boards, start + i, rows)
        activations(table, bias, rows, added, 0, step, bend, here, i)


@njit(cache=True, nogil=True)
def _dense_layers(rows, layers, blocks):  # type: ignore[no-untyped-def]
    """The dense layers on a block; returns where the logits are."""
    bend, matrices, biases = layers
    here, there = blocks
    for i in range(len(matrices)):
        last = i == len(matrices) - 1
        dense(here, rows, matrices[i], biases[i], STRAIGHT if last else bend, there)
        here, there = there, here
    return here


@njit(cache=True, nogil=True)
def _five(logits, rows, scratch, out, start):  # type: ignore[no-untyped-def]
    """The softmax of six logits as gnubg's five nested probabilities."""
    p, powers = scratch
    n = 6 * rows
    for i in range(rows):
        for k in range(6):
            p[6 * i + k] = logits[i, k]
    softmax_rows(p[:n], powers[:n])
    for i in range(rows):
        j = 6 * i
        out[start + i, 2] = p[j + 2]
        out[start + i, 1] = p[j + 1] + p[j + 2]
        out[start + i, 0] = p[j] + p[j + 1] + p[j + 2]
        out[start + i, 4] = p[j + 5]
        out[start + i, 3] = p[j + 4] + p[j + 5]


@njit(cache=True, nogil=True)
def _logits(boards, layers, scratch, out):  # type: ignore[no-untyped-def]
    blocks, room, _ = scratch
    for start in range(0, boards.shape[0], _BLOCK):
        n = min(_BLOCK, boards.shape[0] - start)
        _first_layer(boards, start, n, layers[0], room, blocks[0])
        found = _dense_layers(n, layers[1], blocks)
        out[start : start + n] = found[:n, : out.shape[1]]


@njit(cache=True, nogil=True)
def _evaluate(boards, layers, scratch, out):  # type: ignore[no-untyped-def]
    blocks, room, outcomes = scratch
    for start in range(0, boards.shape[0], _BLOCK):
        n = min(_BLOCK, boards.shape[0] - start)
        _first_layer(boards, start, n, layers[0], room, blocks[0])
        _five(_dense_layers(n, layers[1], blocks), n, outcomes, out, start)


@njit(cache=True, nogil=True)
def _evaluate_children(parents, children, first, layers, scratch, out):  # type: ignore[no-untyped-def]
    table, bias, step, bend = layers[0]
    blocks, room, outcomes = scratch
    base, rows = room
    parent, known = 0, -1
    for start in range(0, children.shape[0], _BLOCK):
        n = min(_BLOCK, children.shape[0] - start)
        for i in range(n):
            j = start + i
            while j >= first[parent + 1]:
                parent += 1
            if parent != known:
                add_rows(table, bias, rows, board_rows(parents, parent, rows), base)
                known = parent
            changes = changed_rows(parents, parent, children, j, rows)
            activations(table, base, rows, changes, changes, step, bend, blocks[0], i)
        _five(_dense_layers(n, layers[1], blocks), n, outcomes, out, start)
