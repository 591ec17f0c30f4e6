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
from gnubg_py.network.dense import ROWS, dense, panelled
from gnubg_py.network.table import add_board, add_changes, fixed_point, fold_first_layer
from gnubg_py.network.weights import Weights
from gnubg_py.threads import map_slices

_BLOCK = 8 * ROWS
_SLICE = 32 * _BLOCK
_SCRATCH_ROWS = 128


@dataclass(frozen=True)
class FastNet:
    """A net as the kernels take it: first-layer table in fixed point, then padded dense layers."""

    table: NDArray[np.int32]  # int32[832, width]
    bias: NDArray[np.int32]
    step: float
    slope: float
    matrices: tuple[NDArray[np.float32], ...]  # float32[panels, in, COLUMNS]
    biases: tuple[NDArray[np.float32], ...]
    widest: int
    """The widest row that a block needs room for."""


def fast_net(weights: Weights) -> FastNet:
    """Unpack weights for the fast pass."""
    table, bias, step = fixed_point(*fold_first_layer(weights))
    layers = [panelled(matrix, bias) for matrix, bias in weights.layers[1:]]
    return FastNet(
        table,
        bias,
        step,
        weights.architecture.slope,
        tuple(matrix for matrix, _ in layers),
        tuple(bias for _, bias in layers),
        max(len(table[0]), *(len(bias) for _, bias in layers)),
    )


def evaluate(net: FastNet, boards: Boards) -> NDArray[np.float32]:
    """gnubg's five probabilities of every board, ``int8[n, 2, 25] -> float32[n, 5]``."""
    boards = for_kernels(boards)
    out = np.empty((len(boards), 5), np.float32)

    def work(rows: slice) -> None:
        blocks = _scratch(net)
        _evaluate(boards[rows], *_arrays(net), *blocks, out[rows])

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
        blocks = _scratch(net)
        part = children[rows]
        shifted = first[low:] - rows.start
        _evaluate_children(parents[low:], part, shifted, *_arrays(net), *blocks, out[rows])

    map_slices(work, len(children), _SLICE)
    return out


def logits(net: FastNet, boards: Boards, outputs: int) -> NDArray[np.float32]:
    """What the last layer says, ``int8[n, 2, 25] -> float32[n, outputs]``."""
    out = np.empty((len(boards), outputs), np.float32)

    def work(rows: slice) -> None:
        _logits(boards[rows], *_arrays(net), *_scratch(net), out[rows])

    map_slices(work, len(boards), _SLICE)
    return out


def _arrays(net: FastNet):  # type: ignore[no-untyped-def]
    numbers = np.float32(net.step), np.float32(net.slope)
    return (net.table, net.bias, *numbers, net.matrices, net.biases)


def _scratch(net: FastNet):  # type: ignore[no-untyped-def]
    here, there = (np.empty((_BLOCK, net.widest), np.float32) for _ in range(2))
    sums = np.empty((2, len(net.bias)), np.int32)
    return here, there, sums, np.empty(_SCRATCH_ROWS, np.int64)


@njit(cache=True, nogil=True)
def _activate(sums, step, slope, out, row):  # type: ignore[no-untyped-def]
    for h in range(sums.shape[0]):
        value = np.float32(sums[h]) * step
        out[row, h] = max(value, slope * value)


@njit(cache=True, nogil=True)
def _tail(rows, slope, matrices, biases, here, there):  # type: ignore[no-untyped-def]
    """The dense layers on a block; returns where the logits are."""
    layers = len(matrices)
    for i in range(layers):
        last = i == layers - 1
        dense(here, rows, matrices[i], biases[i], np.float32(1) if last else slope, there)
        here, there = there, here
    return here


@njit(cache=True, nogil=True)
def _five(logits, rows, out, start):  # type: ignore[no-untyped-def]
    """The softmax of six logits as gnubg's five nested probabilities."""
    p = np.empty(6, np.float32)
    for i in range(rows):
        highest = logits[i, 0]
        for k in range(1, 6):
            highest = max(highest, logits[i, k])
        total = np.float32(0)
        for k in range(6):
            p[k] = np.exp(logits[i, k] - highest)
            total += p[k]
        for k in range(6):
            p[k] /= total
        out[start + i, 2] = p[2]
        out[start + i, 1] = p[1] + p[2]
        out[start + i, 0] = p[0] + p[1] + p[2]
        out[start + i, 4] = p[5]
        out[start + i, 3] = p[4] + p[5]


@njit(cache=True, nogil=True)
def _first_layer(boards, start, n, table, bias, step, slope, sums, rows, here):  # type: ignore[no-untyped-def]
    for i in range(n):
        add_board(boards, start + i, table, bias, rows, sums[0])
        _activate(sums[0], step, slope, here, i)


@njit(cache=True, nogil=True)
def _logits(boards, table, bias, step, slope, matrices, biases, here, there, sums, rows, out):  # type: ignore[no-untyped-def]
    for start in range(0, boards.shape[0], here.shape[0]):
        n = min(here.shape[0], boards.shape[0] - start)
        _first_layer(boards, start, n, table, bias, step, slope, sums, rows, here)
        found = _tail(n, slope, matrices, biases, here, there)
        out[start : start + n] = found[:n, : out.shape[1]]


@njit(cache=True, nogil=True)
def _evaluate(boards, table, bias, step, slope, matrices, biases, here, there, sums, rows, out):  # type: ignore[no-untyped-def]
    for start in range(0, boards.shape[0], here.shape[0]):
        n = min(here.shape[0], boards.shape[0] - start)
        _first_layer(boards, start, n, table, bias, step, slope, sums, rows, here)
        _five(_tail(n, slope, matrices, biases, here, there), n, out, start)


@njit(cache=True, nogil=True)
def _evaluate_children(  # type: ignore[no-untyped-def]
    parents,
    children,
    first,
    table,
    bias,
    step,
    slope,
    matrices,
    biases,
    here,
    there,
    sums,
    rows,
    out,
):
    base, total = sums[0], sums[1]
    parent, known = 0, -1
    for start in range(0, children.shape[0], here.shape[0]):
        n = min(here.shape[0], children.shape[0] - start)
        for i in range(n):
            j = start + i
            while j >= first[parent + 1]:
                parent += 1
            if parent != known:
                add_board(parents, parent, table, bias, rows, base)
                known = parent
            add_changes(parents, parent, children, j, table, base, rows, total)
            _activate(total, step, slope, here, i)
        _five(_tail(n, slope, matrices, biases, here, there), n, out, start)
