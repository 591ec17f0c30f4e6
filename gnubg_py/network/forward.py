"""The fast forward pass: boards to five probabilities without torch.

Blocks of a few dozen positions go through all layers while they are in the nearest cache; threads
take slices of many blocks. Every number a position yields depends on that position alone, bit by
bit: not on its batch, on threads, or on whether it was evaluated as a child of its parent. Nets
are of float32 or of whole numbers (``levels.py``); numba compiles the pass for either.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from gnubg_py.bits import copy_board
from gnubg_py.board import Boards, for_kernels
from gnubg_py.kernel_cache import njit
from gnubg_py.network.dense import ROWS, STRAIGHT, dense, panelled
from gnubg_py.network.dot import BLOCK
from gnubg_py.network.integers import IntegerWeights
from gnubg_py.network.levels import (
    IntegerLayers,
    IntegerNet,
    integer_board_units,
    integer_child_units,
    integer_columns,
    integer_logits,
    integer_net,
    integer_scratch,
)
from gnubg_py.network.softmax import softmax_columns
from gnubg_py.network.table import (
    SCRATCH_ROWS,
    activations,
    add_rows,
    board_rows,
    changed_rows,
    first_layer,
)
from gnubg_py.network.tails import new_places, sort_by_tail, tail_order
from gnubg_py.network.weights import Weights, by_tail
from gnubg_py.probabilities import OUTCOMES
from gnubg_py.threads import map_slices

_SLICE = 64 * BLOCK
_NETS = 8
"""Nets that a thread keeps ready for the kernels."""


class FloatLayers(NamedTuple):
    """A net of float32 as the kernels take it: the first layer's table, then padded layers.

    Those have the parts of all tails, one after the other.
    """

    table: NDArray[np.int32]
    bias: NDArray[np.int32]
    step: np.float32
    bend: tuple[np.float32, np.float32]
    matrices: tuple[NDArray[np.float32], ...]
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
    """A net as the kernels take it: first-layer table in fixed point, then padded dense layers."""

    table: NDArray[np.int32]  # int32[832, width]
    bias: NDArray[np.int32]
    step: float
    bend: tuple[float, float]
    matrices: tuple[NDArray[np.float32], ...]  # float32[panels of all tails, in, COLUMNS]
    biases: tuple[NDArray[np.float32], ...]
    widest: int
    """The widest row that a block needs room for."""
    tails: int


def fast_net(weights: Weights) -> FastNet:
    """Unpack weights for the fast pass."""
    table, bias, step = first_layer(weights)
    tails, layers = weights.architecture.tails, []
    for layer in weights.layers[1:]:
        cut = [panelled(*tail) for tail in by_tail(weights.architecture, *layer)]
        layers.append(tuple(np.concatenate([tail[k] for tail in cut]) for k in range(2)))
    return FastNet(
        table,
        bias,
        step,
        weights.architecture.bend,
        tuple(matrix for matrix, _ in layers),
        tuple(bias for _, bias in layers),
        max(len(table[0]), *(len(bias) // tails for _, bias in layers)),
        tails,
    )


def net_five(net: AnyNet, boards: Boards) -> NDArray[np.float32]:
    """gnubg's five probabilities of every board, ``int8[n, 2, 25] -> float32[n, 5]``."""
    boards = for_kernels(boards)
    out = np.empty((len(boards), 5), np.float32)

    def work(rows: slice) -> None:
        layers, scratch = ready(net)
        if layers.tails == 1:
            _evaluate(boards[rows], layers, scratch, out[rows])
        else:
            _evaluate_by_tails(boards[rows], layers, scratch, out[rows])

    map_slices(work, len(boards), _SLICE)
    return out


def net_children_five(
    net: AnyNet, parents: Boards, children: Boards, first: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The result of ``net_five(net, children)``, computed faster from the children's parents.

    ``first`` is int64[len(parents) + 1]: children first[i]:first[i + 1] are those of parents[i]. A
    parent is the board before the play, swapped; the less a play changes, the faster this is.
    """
    parents, children = for_kernels(parents), for_kernels(children)
    out = np.empty((len(children), 5), np.float32)

    def work(rows: slice) -> None:
        low = int(np.searchsorted(first, rows.start, side="right")) - 1
        shifted = first[low:] - rows.start
        part = children[rows]
        children_five(parents[low:], part, shifted, *ready(net), out[rows])

    map_slices(work, len(children), _SLICE)
    return out


def logits(net: AnyNet, boards: Boards, outputs: int) -> NDArray[np.float32]:
    """The outputs of the last layer, ``int8[n, 2, 25] -> float32[n, outputs]``."""
    boards = for_kernels(boards)
    out = np.empty((len(boards), outputs), np.float32)

    def work(rows: slice) -> None:
        _logits(boards[rows], *ready(net), out[rows])

    map_slices(work, len(boards), _SLICE)
    return out


AnyNet = FastNet | IntegerNet


def unpacked(weights: Weights | IntegerWeights) -> AnyNet:
    """A net of either kind, unpacked for the fast pass."""
    return integer_net(weights) if isinstance(weights, IntegerWeights) else fast_net(weights)


def layers_of(net: AnyNet) -> FloatLayers | IntegerLayers:
    """The arrays of a net for the kernels."""
    if isinstance(net, IntegerNet):
        return net.layers
    bend = (np.float32(net.bend[0]), np.float32(net.bend[1]))
    step = np.float32(net.step)
    return FloatLayers(net.table, net.bias, step, bend, net.matrices, net.biases, net.tails)


def scratch_of(net: AnyNet) -> Any:
    """Room for a block of this net."""
    if isinstance(net, IntegerNet):
        return integer_scratch(net)
    return FloatScratch(
        np.empty((BLOCK + ROWS, net.widest), np.float32),
        np.empty((BLOCK + ROWS, net.widest), np.float32),
        np.empty_like(net.bias),
        np.empty(SCRATCH_ROWS, np.int64),
        np.empty((OUTCOMES, BLOCK), np.float32),
        new_places(net.tails),
    )


class _Mine(threading.local):
    """The nets that a thread keeps ready for the kernels."""

    def __init__(self) -> None:
        self.nets: dict[int, tuple[AnyNet, Any, Any]] = {}


_mine = _Mine()


def ready(net: AnyNet) -> tuple[Any, Any]:
    """The layers and the calling thread's scratch of a net, as kernels take them."""
    nets = _mine.nets
    if id(net) not in nets:
        if len(nets) == _NETS:
            nets.clear()
        # With the net itself, so that no other net has its id.
        nets[id(net)] = net, layers_of(net), scratch_of(net)
    return nets[id(net)][1:]


@njit(cache=True, nogil=True)
def _float_board_units(layers, scratch, boards, start, n):  # type: ignore[no-untyped-def]
    table, bias, step, bend = layers.table, layers.bias, layers.step, layers.bend
    rows, out, places = scratch.rows, scratch.units, scratch.places
    for i in range(n):
        added = board_rows(boards, start + i, rows)
        activations(table, bias, rows, added, 0, step, bend, out, places[i])


@njit(cache=True, nogil=True)
def _float_child_units(layers, scratch, parents, parent, children, start, i, end):  # type: ignore[no-untyped-def]
    table, step, bend = layers.table, layers.step, layers.bend
    base, rows, out, places = scratch.base, scratch.rows, scratch.units, scratch.places
    while i < end:
        changes = changed_rows(parents, parent, children, start + i, rows)
        activations(table, base, rows, changes, changes, step, bend, out, places[i])
        i += 1


@njit(cache=True, nogil=True)
def _float_logits(layers, scratch):  # type: ignore[no-untyped-def]
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
def _float_columns(layers, scratch, out):  # type: ignore[no-untyped-def]
    logits = _float_logits(layers, scratch)
    for k in range(out.shape[0]):
        for i in range(scratch.places[BLOCK + layers.tails]):
            out[k, i] = logits[i, k]


# The four parts of the pass that differ between float32 and whole numbers. Each takes a block:
# unpacking ``layers`` for every board would take longer than the first layer does.


def board_units(layers, scratch, boards, start, n):  # type: ignore[no-untyped-def]
    """The first layer's units of ``n`` boards from ``start`` on, into their slots of scratch."""


def child_units(layers, scratch, parents, parent, children, start, i, end):  # type: ignore[no-untyped-def]
    """The first layer's units of children start + i to start + end, into their slots of scratch.

    They are children of ``parents[parent]``, whose sums are ``scratch.base``.
    """


def block_logits(layers, scratch):  # type: ignore[no-untyped-def]
    """Apply the dense layers to a block; return the array with the logits, by slots."""


def block_columns(layers, scratch, out):  # type: ignore[no-untyped-def]
    """Apply the dense layers to a block: out[k, i] = logit k of the position in slot i."""


def _by_kind(part: Any, real: Any, whole: Any) -> None:
    """Make kernels that call ``part`` call the function for the kind of net that they are given."""

    @overload(part, jit_options={"nogil": True, "forceinline": True}, strict=False)
    def choose(layers: Any, *_: Any) -> Any:
        return whole.py_func if layers.instance_class is IntegerLayers else real.py_func


_by_kind(board_units, _float_board_units, integer_board_units)
_by_kind(child_units, _float_child_units, integer_child_units)
_by_kind(block_logits, _float_logits, integer_logits)
_by_kind(block_columns, _float_columns, integer_columns)


@njit(cache=True, nogil=True, forceinline=True)
def _fill_outcomes(layers, n, scratch):  # type: ignore[no-untyped-def]
    """The outcomes of the block in scratch, float32[6, n] there: a softmax of the logits."""
    block_columns(layers, scratch, scratch.outcomes)
    softmax_columns(scratch.outcomes, n)


@njit(cache=True, nogil=True, forceinline=True)
def _block_five(layers, n, scratch, out, start):  # type: ignore[no-untyped-def]
    """out[start:start + n] = gnubg's five of the block in scratch."""
    _fill_outcomes(layers, n, scratch)
    p, places = scratch.outcomes, scratch.places
    for i in range(n):
        slot = places[i]
        out[start + i, 2] = p[2, slot]
        out[start + i, 1] = p[1, slot] + p[2, slot]
        out[start + i, 0] = p[0, slot] + p[1, slot] + p[2, slot]
        out[start + i, 4] = p[5, slot]
        out[start + i, 3] = p[4, slot] + p[5, slot]


@njit(cache=True, nogil=True, forceinline=True)
def _block_values(layers, n, scratch, weight, out, start):  # type: ignore[no-untyped-def]
    """out[start:start + n] = ``cubeless_value`` of the five of the block in scratch."""
    _fill_outcomes(layers, n, scratch)
    p, places = scratch.outcomes, scratch.places
    for i in range(n):
        slot = places[i]
        total = weight[0] * (p[0, slot] + p[1, slot] + p[2, slot])
        total += weight[1] * (p[1, slot] + p[2, slot])
        total += weight[2] * p[2, slot]
        total += weight[3] * (p[4, slot] + p[5, slot])
        out[start + i] = total + weight[4] * p[5, slot]


@njit(cache=True, nogil=True)
def _logits(boards, layers, scratch, out):  # type: ignore[no-untyped-def]
    for start in range(0, boards.shape[0], BLOCK):
        n = min(BLOCK, boards.shape[0] - start)
        sort_by_tail(boards, start, n, scratch.places)
        board_units(layers, scratch, boards, start, n)
        found = block_logits(layers, scratch)
        for i in range(n):
            out[start + i] = found[scratch.places[i], : out.shape[1]]


@njit(cache=True, nogil=True)
def _evaluate(boards, layers, scratch, out):  # type: ignore[no-untyped-def]
    for start in range(0, boards.shape[0], BLOCK):
        n = min(BLOCK, boards.shape[0] - start)
        sort_by_tail(boards, start, n, scratch.places)
        board_units(layers, scratch, boards, start, n)
        _block_five(layers, n, scratch, out, start)


@njit(cache=True, nogil=True)
def _evaluate_by_tails(boards, layers, scratch, out):  # type: ignore[no-untyped-def]
    """As ``_evaluate``, in an order in which boards of one tail are neighbours.

    Unrelated boards of many tails in a block would leave most places of the tiles empty.
    """
    order = tail_order(boards, layers.tails)
    block, five = np.empty((BLOCK, 2, 25), np.int8), np.empty((BLOCK, 5), np.float32)
    for start in range(0, len(order), BLOCK):
        n = min(BLOCK, len(order) - start)
        for i in range(n):
            copy_board(boards, order[start + i], block, i)
        sort_by_tail(block, 0, n, scratch.places)
        board_units(layers, scratch, block, 0, n)
        _block_five(layers, n, scratch, five, 0)
        for i in range(n):
            for k in range(5):
                out[order[start + i], k] = five[i, k]


@njit(cache=True, nogil=True, forceinline=True)
def _parent_sums(layers, scratch, parents, parent):  # type: ignore[no-untyped-def]
    """Make ``scratch.base`` the first layer's sums of ``parents[parent]``."""
    n = board_rows(parents, parent, scratch.rows)
    add_rows(layers.table, layers.bias, scratch.rows, n, scratch.base)


@njit(cache=True, nogil=True, forceinline=True)
def _children_units(parents, parent, children, first, start, n, layers, scratch):  # type: ignore[no-untyped-def]
    """The first layer's units of the block of n children from ``start`` on, into scratch.

    ``scratch.base`` has the sums of ``parent`` (-1: of no parent). Returns the parent whose sums it
    has afterwards.
    """
    sort_by_tail(children, start, n, scratch.places)
    i = 0
    while i < n:
        known = parent
        while start + i >= first[parent + 1]:
            parent += 1
        if parent != known:
            _parent_sums(layers, scratch, parents, parent)
        end = min(n, first[parent + 1] - start)
        child_units(layers, scratch, parents, parent, children, start, i, end)
        i = end
    return parent


@njit(cache=True, nogil=True)
def children_five(parents, children, first, layers, scratch, out):  # type: ignore[no-untyped-def]
    """Do the work of ``net_children_five`` on the calling thread; write ``out`` float32[n, 5]."""
    parent = -1
    for start in range(0, children.shape[0], BLOCK):
        n = min(BLOCK, children.shape[0] - start)
        parent = _children_units(parents, parent, children, first, start, n, layers, scratch)
        _block_five(layers, n, scratch, out, start)


@njit(cache=True, nogil=True)
def one_parents_five(parents, i, children, layers, scratch, out):  # type: ignore[no-untyped-def]
    """The five of children of parents[i], into ``out`` float32[n, 5]."""
    _parent_sums(layers, scratch, parents, i)
    for start in range(0, children.shape[0], BLOCK):
        n = min(BLOCK, children.shape[0] - start)
        sort_by_tail(children, start, n, scratch.places)
        child_units(layers, scratch, parents, i, children, start, 0, n)
        _block_five(layers, n, scratch, out, start)


@njit(cache=True, nogil=True)
def children_values(parents, i, children, layers, scratch, weight, out):  # type: ignore[no-untyped-def]
    """Cubeless values of children of parents[i], by five weights, into ``out`` float64[n]."""
    _parent_sums(layers, scratch, parents, i)
    for start in range(0, children.shape[0], BLOCK):
        n = min(BLOCK, children.shape[0] - start)
        sort_by_tail(children, start, n, scratch.places)
        child_units(layers, scratch, parents, i, children, start, 0, n)
        _block_values(layers, n, scratch, weight, out, start)
