"""The fast forward pass: boards to five probabilities without torch.

Blocks of a few dozen positions go through all layers while they are in the nearest cache; threads
take slices of many blocks. Every number a position yields depends on that position alone, bit by
bit: not on its batch, on threads, or on whether it was evaluated as a child of its parent. Nets
are of float32 (``floats.py``) or of whole numbers (``levels.py``); numba compiles the pass for
either.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from gnubg_py.bits import copy_board
from gnubg_py.board import Boards, for_kernels
from gnubg_py.kernel_cache import njit
from gnubg_py.network.dot import BLOCK
from gnubg_py.network.floats import (
    FastNet,
    fast_net,
    float_board_units,
    float_child_units,
    float_columns,
    float_logits,
    float_scratch,
)
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
from gnubg_py.network.table import add_rows, board_rows
from gnubg_py.network.tails import place_in_order, sort_by_tail, tail_order
from gnubg_py.network.weights import Weights
from gnubg_py.threads import map_slices

_SLICE = 64 * BLOCK
_NETS = 8
"""Nets that a thread keeps ready for the kernels."""


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
        scratch = integer_scratch(net) if isinstance(net, IntegerNet) else float_scratch(net)
        nets[id(net)] = net, net.layers, scratch
    return nets[id(net)][1:]


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


_by_kind(board_units, float_board_units, integer_board_units)
_by_kind(child_units, float_child_units, integer_child_units)
_by_kind(block_logits, float_logits, integer_logits)
_by_kind(block_columns, float_columns, integer_columns)


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
    order, ends = tail_order(boards, layers.tails)
    block, five = np.empty((BLOCK, 2, 25), np.int8), np.empty((BLOCK, 5), np.float32)
    for start in range(0, len(order), BLOCK):
        n = min(BLOCK, len(order) - start)
        for i in range(n):
            copy_board(boards, order[start + i], block, i)
        place_in_order(ends, start, n, scratch.places)
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
