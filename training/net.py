"""Nets as self-play evaluates them: all children of many boards at once.

A play changes a few places of the board, so a child's first layer is its parent's with a few table
rows exchanged. The dense layers, up to the last hidden one, may run in bfloat16. That is several
times faster, and its error is small beside the noise of early self-play. Nets of whole numbers, and
those that prune, are evaluated as in the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.kernel_cache import njit
from gnubg_py.network.floats import FastNet, fast_net
from gnubg_py.network.forward import AnyNet, net_children_five
from gnubg_py.network.integers import IntegerWeights, load_net
from gnubg_py.network.leaf import NetLeaf, load_leaf
from gnubg_py.network.levels import integer_net
from gnubg_py.network.model import activate
from gnubg_py.network.softmax import softmax_columns
from gnubg_py.network.table import (
    SCRATCH_ROWS,
    activations,
    add_rows,
    board_rows,
    changed_rows,
    first_layer,
)
from gnubg_py.network.weights import Architecture, Weights
from gnubg_py.probabilities import six_of

_SLICE_VALUES = 2**19
"""Values of the first layer that are computed at once, so that they stay in the cache."""
_ROW_COUNTS = 128
"""Matrix products get a multiple of this many rows: torch compiles one for each shape it meets."""


@dataclass(frozen=True)
class TrainingNet:
    """A net prepared for self-play: first-layer table, its bias, dense layers, last layer."""

    table: NDArray[np.int32]  # int32[52 * 16, width]
    bias: NDArray[np.int32]
    step: float
    architecture: Architecture
    dense: tuple[tuple[torch.Tensor, torch.Tensor], ...]
    last: tuple[torch.Tensor, torch.Tensor]


def training_net(weights: Weights, precision: str = "bfloat16") -> TrainingNet | FastNet:
    """Prepare weights for self-play; ``precision`` is that of the dense layers.

    Nets of tails are evaluated as in the engine, in float32.
    """
    if weights.architecture.tails > 1:
        return fast_net(weights)
    table, bias, step = first_layer(weights)
    tensors = [(torch.from_numpy(w.copy()), torch.from_numpy(b.copy())) for w, b in weights.layers]
    kind = torch.bfloat16 if precision == "bfloat16" else torch.float32
    dense = tuple((w.to(kind), b.to(kind)) for w, b in tensors[1:-1])
    return TrainingNet(table, bias, step, weights.architecture, dense, tensors[-1])


PlayingNet = TrainingNet | AnyNet


def helper_net(path: Path, precision: str) -> PlayingNet:
    """The net of a file, of float32 or of whole numbers, prepared for self-play."""
    weights = load_net(path)
    if isinstance(weights, IntegerWeights):
        return integer_net(weights)
    return training_net(weights, precision)


def pruning_net(path: Path) -> NetLeaf:
    """The net of a file as the kernels that choose plays call it."""
    leaf = load_leaf(path)
    if not isinstance(leaf, NetLeaf):
        raise ValueError(f"{path}: a net of this shape cannot choose plays in training")
    return leaf


def outcomes(
    net: PlayingNet, parents: Boards, children: Boards, first: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The six outcomes of every child, ``float32[m, 6]``.

    Children ``first[i]`` to ``first[i + 1]`` are close to parent i (the same side on roll).
    """
    if not isinstance(net, TrainingNet):
        return six_of(net_children_five(net, parents, children, first))
    out = np.empty((len(children), 6), np.float32)
    width, units = net.table.shape[1], (*net.dense, net.last)[0][0].shape[1]
    size = -(-_SLICE_VALUES // (width * _ROW_COUNTS)) * _ROW_COUNTS
    hidden = np.zeros((size, width), np.float32)
    kind = net.dense[0][0].dtype if net.dense else torch.float32
    base, rows = np.empty(width, np.int32), np.empty(SCRATCH_ROWS, np.int64)
    slope, ceiling = net.architecture.bend
    numbers = np.float32(net.step), (np.float32(slope), np.float32(ceiling))
    at = (0, -1)
    with torch.inference_mode():
        for begin in range(0, len(children), size):
            part = children[begin : begin + size]
            at = _fill_hidden(
                parents, part, first, begin, at, net.table, net.bias, *numbers, base, rows, hidden
            )
            filled = -(-len(part) // _ROW_COUNTS) * _ROW_COUNTS
            x = torch.from_numpy(hidden[:filled, :units]).to(kind)
            for matrix, bias in net.dense:
                x = activate(torch.nn.functional.linear(x, matrix, bias), net.architecture)
            logits = torch.nn.functional.linear(x.float(), *net.last)
            out[begin : begin + len(part)] = logits[: len(part)].numpy()
    columns = np.ascontiguousarray(out.T)
    softmax_columns(columns, len(out))
    return np.ascontiguousarray(columns.T)


@njit(cache=True, nogil=True)
def _fill_hidden(  # type: ignore[no-untyped-def]
    parents, children, first, begin, at, table, bias, step, bend, base, rows, out
):
    """Write first-layer activations; return the last child's parent, and the one in ``base``."""
    parent, known = at
    for j in range(children.shape[0]):
        while begin + j >= first[parent + 1]:
            parent += 1
        if parent != known:
            add_rows(table, bias, rows, board_rows(parents, parent, rows), base)
            known = parent
        changes = changed_rows(parents, parent, children, j, rows)
        activations(table, base, rows, changes, changes, step, bend, out, j)
    return parent, known
