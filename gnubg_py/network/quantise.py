"""Round a net of float32 to a net of whole numbers.

The first layer's table is rounded to 16 bits. In large nets the units after it are rounded to bytes
and the first dense layer's weights to 8 bits; all other levels and weights have 16 bits. The ranges
of leaky units are measured on positions. Those of clipped units are known, so that nets that were
trained with rounding (``quantised`` of ``network/rounding.py``) lose nothing here.

The 8-bit weights of other nets may be rounded with feedback: the weights of an output one after
another, those to come making good what each rounding changed, as far as the units' values vary
together (Frantar et al., GPTQ, 2022).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.network.encoding import COUNTS, PLACES, encode, encoding_named
from gnubg_py.network.integers import (
    BYTE_TOP,
    WORD_TOP,
    DenseLayer,
    FirstLayer,
    IntegerWeights,
    check_room,
)
from gnubg_py.network.plain import is_plain
from gnubg_py.network.table import fold_first_layer
from gnubg_py.network.tails import tails_of
from gnubg_py.network.weights import Weights, by_tail

_MIX = 0.95
"""A unit's range is ``widest ** (1 - _MIX) * own ** _MIX``, between its own and the widest of its
layer. (Its own alone makes the weights of units with wide ranges coarse; the widest alone the
levels of units with narrow ones.) No value is cut: rare positions are where the highest are."""
_MARGIN = 2
"""The ranges of later layers' units, which have levels to spare, are this much wider."""
_SHORT_ROOM = 2**15 - 1 - PLACES
"""The largest sum of rows, in steps: each of the rows and the bias adds half a step by rounding."""
_STEEPEST = 100
"""A first-layer unit's range is at least the largest value of its sum divided by this."""
_SUM_ROOM = 2**30
"""A later layer's sum of products stays below this, and so does its bias."""

_DAMPING = 0.01
"""This share of the units' mean variance is added to each, so that few positions suffice."""
_ENOUGH = 2
"""A tail's positions, a unit, from which its spread is measured."""
_SMALL = 2**14
"""First dense layers of fewer products than this have 16 bits: they take little time in any case,
and the rounding errors of few units do not average out."""

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Ranges:
    """A layer's units: the level of value 0, and the value of a step, both float64[width]."""

    zero: Reals
    step: Reals


@dataclass(frozen=True)
class Spread:
    """How the values of a layer's units vary, in steps: float64[width], float64[width, width]."""

    mean: Reals
    covariance: Reals


def quantise(
    weights: Weights, boards: Boards, byte_levels: bool | None = None, feedback: bool = False
) -> IntegerWeights:
    """Round a net; ``boards`` should be like those that it will evaluate.

    ``byte_levels``: whether the first layer's levels are bytes; None lets the net's size decide,
    if its units are leaky. ``feedback``: whether 8-bit weights are rounded with feedback, which
    takes longer. ``ValueError`` if a net of its shape cannot be rounded.
    """
    check_can_round(weights)
    clipped = weights.architecture.activation == "clipped"
    if clipped and byte_levels is False:
        # Their levels end where the value is 1, wherever that is in the steps of the sums.
        raise ValueError("the levels of clipped units are bytes")
    tails, hidden = weights.architecture.tails, weights.architecture.hidden
    if byte_levels is None:
        byte_levels = clipped or hidden[0] * hidden[1] >= _SMALL
    ranges = _ranges(weights, boards, byte_levels)
    first, ranges[0] = _first_layer(weights, ranges[0], byte_levels)
    spreads: list[Spread | None] = [None] * tails
    if byte_levels and feedback:
        units = _hidden(weights, boards)[0] / ranges[0].step
        spreads[:] = _spreads(units, tails_of(boards, tails), tails)
    layers = _dense_layers(weights, ranges, byte_levels, spreads)
    found = IntegerWeights(weights.architecture, first, layers, dict(weights.card))
    check_room(found, "the net of whole numbers")
    return found


def _dense_layers(
    weights: Weights, ranges: list[Ranges], byte_levels: bool, spreads: Sequence[Spread | None]
) -> tuple[DenseLayer, ...]:
    """The layers behind the first; ``spreads`` are those of the first layer's units, a tail."""
    tails = weights.architecture.tails
    before, layers = [ranges[0]] * tails, []
    for i, layer in enumerate(weights.layers[1:]):
        after = _by_tail(ranges[i + 1], tails) if i + 1 < len(ranges) else []
        of_tails = []
        for t, (matrix, bias) in enumerate(by_tail(weights.architecture, *layer)):
            ends = before[t], after[t] if after else None
            spread = spreads[t] if i == 0 else None
            of_tails.append(_dense_layer(matrix, bias, i == 0 and byte_levels, *ends, spread))
        layers.append(_joined(of_tails))
        before = after
    return tuple(layers)


def _by_tail(ranges: Ranges, tails: int) -> list[Ranges]:
    """Each tail's part of the ranges of all tails' units."""
    return list(map(Ranges, np.split(ranges.zero, tails), np.split(ranges.step, tails)))


def _joined(tails: list[DenseLayer]) -> DenseLayer:
    """The layer of all tails."""
    parts = zip(*((tail.weight, tail.bias, tail.scale) for tail in tails), strict=True)
    return DenseLayer(*(np.concatenate(part) for part in parts))


def check_can_round(weights: Weights) -> None:
    """``ValueError`` if a net of this shape cannot be rounded."""
    if is_plain(weights.architecture):
        raise ValueError("a net of sigmoid units, five outputs or computed inputs is not rounded")
    if len(weights.architecture.hidden) < 2:
        hidden = weights.architecture.hidden
        raise ValueError(f"hidden widths {hidden}: a net of whole numbers has two or more")


def first_ranges(weights: Weights, boards: Boards) -> Ranges:
    """The levels of the first layer's units in the net of whole numbers, if they are bytes."""
    check_can_round(weights)
    return _first_layer(weights, _ranges(weights, boards, True)[0], True)[1]


def _ranges(weights: Weights, boards: Boards, byte_levels: bool) -> list[Ranges]:
    """The ranges of the hidden layers' units."""
    tops = [WORD_TOP] * len(weights.architecture.hidden)
    if byte_levels:
        tops[0] = BYTE_TOP
    tails = weights.architecture.tails
    if weights.architecture.activation == "clipped":
        first, *others = weights.architecture.hidden
        widths = [first, *(tails * width for width in others)]
        return [
            Ranges(np.zeros(width), np.full(width, 1 / top))
            for width, top in zip(widths, tops, strict=True)
        ]
    return [
        _byte_ranges(x) if i == 0 and byte_levels else _word_ranges(x, tails)
        for i, x in enumerate(_hidden(weights, boards))
    ]


def _hidden(weights: Weights, boards: Boards) -> list[NDArray[np.float32]]:
    """The values of the hidden layers' units, float32[n, width] each.

    The units of a tail are 0 where another one evaluates a position.
    """
    x = encode(boards, encoding_named(weights.architecture.encoding))
    slope, ceiling = weights.architecture.bend
    tails = weights.architecture.tails
    first, *dense = weights.layers[:-1]
    x = _bent(x @ first[0].T + first[1], slope, ceiling)
    found = [x, *(np.zeros((len(boards), len(bias)), np.float32) for _, bias in dense)]
    which = tails_of(boards, tails)
    by_tails = zip(*(by_tail(weights.architecture, *layer) for layer in dense), strict=True)
    for t, parts in enumerate(by_tails):
        rows = np.flatnonzero(which == t)
        part = x[rows]
        for values, (matrix, bias) in zip(found[1:], parts, strict=True):
            part = _bent(part @ matrix.T + bias, slope, ceiling)
            values[rows, t * len(bias) : (t + 1) * len(bias)] = part
    return found


def _bent(x: NDArray[np.float32], slope: float, ceiling: float) -> NDArray[np.float32]:
    """What hidden units make of their sums."""
    return np.asarray(np.minimum(np.maximum(x, slope * x), np.float32(ceiling)), np.float32)


def _byte_ranges(x: NDArray[np.float32]) -> Ranges:
    high = np.maximum(x.max(axis=0), 0).astype(np.float64)
    low = np.minimum(x.min(axis=0), 0).astype(np.float64)
    own = high - low
    layer = float(own.max())
    own = np.maximum(own, layer / 64)
    step = np.maximum(layer ** (1 - _MIX) * own**_MIX, 1e-9) / BYTE_TOP
    return Ranges(np.clip(np.rint(-low / step), 0, BYTE_TOP), step)


def _word_ranges(x: NDArray[np.float32], tails: int) -> Ranges:
    """Every unit's own range; in nets of tails the widest unit's, for all units of the layer.

    There, units of tails that few of the positions belong to have not shown their highest values.
    """
    highest = np.abs(x).max(axis=0).astype(np.float64)
    own = np.maximum(highest, highest.max() / (64 if tails == 1 else 1) + 1e-9)
    return Ranges(np.zeros(x.shape[1]), _MARGIN * own / WORD_TOP)


def sum_bounds(table: NDArray[np.number], bias: NDArray[np.number]) -> Reals:
    """The size of the largest sum, positive or negative, of any 15 checkers a side, float64[width].

    ``table`` is [832, width]. ``most[k]`` is the largest sum of k checkers on the places so far.
    """
    rows = table.astype(np.float64).reshape(2, PLACES // 2, COUNTS, -1)
    bounds = []
    for sign in (1, -1):
        total = sign * bias.astype(np.float64)
        for side in range(2):
            most = np.full((COUNTS, rows.shape[3]), -np.inf)
            most[0] = 0
            for place in rows[side]:
                new = np.full_like(most, -np.inf)
                for count in range(COUNTS):
                    np.maximum(
                        new[count:], most[: COUNTS - count] + sign * place[count], out=new[count:]
                    )
                most = new
            total = total + most[COUNTS - 1]
        bounds.append(total)
    return np.asarray(np.maximum(*bounds), np.float64)


def _first_layer(weights: Weights, ranges: Ranges, byte_levels: bool) -> tuple[FirstLayer, Ranges]:
    """The table in the finest steps in which no sum overflows 16 bits, and the ranges that result.

    The ratio of the steps of sums and of levels is rounded to a whole number / 32768: ``up``.
    """
    table, bias = fold_first_layer(weights)
    bound = np.maximum(sum_bounds(table, bias), 1e-6)
    fine = bound / _SHORT_ROOM
    # Levels of 16 bits may be as fine as sums, but no finer.
    finest = bound / (_STEEPEST * BYTE_TOP) if byte_levels else 1.001 * fine
    step = np.maximum(ranges.step, finest)
    # A unit that no checker moves has sums of a size that no step of levels measures.
    up = np.maximum(1, np.rint(fine / step * 2**15))
    first = FirstLayer(
        np.rint(table / fine).astype(np.int16),
        np.rint(bias / fine).astype(np.int16),
        up.astype(np.int16),
        np.rint(up * weights.architecture.bend[0]).astype(np.int16),
        np.rint(ranges.zero * ranges.step / step).astype(np.uint8),
    )
    return first, Ranges(first.zero.astype(np.float64), fine / up * 2**15)


def _dense_layer(
    matrix: NDArray[np.float32],
    bias: NDArray[np.float32],
    is_bytes: bool,
    before: Ranges,
    after: Ranges | None,
    spread: Spread | None,
) -> DenseLayer:
    """A tail's layer between levels of these ranges; without ``after`` its outputs are logits.

    With the ``spread`` of its inputs the weights are rounded with feedback.
    """
    real = matrix.astype(np.float64) * before.step
    top = 127 if is_bytes else min(2**15 - 1, _SUM_ROOM // (WORD_TOP * matrix.shape[1]))
    step = np.maximum(np.abs(real).max(axis=1), 1e-12) / top
    fine = real / step[:, None]
    whole = np.rint(fine) if spread is None else _rounded(fine, spread, top)
    shift = 0 if spread is None else (fine - whole) @ spread.mean
    start = np.rint(bias / step - whole @ before.zero + shift)
    scale = step if after is None else step / after.step
    return DenseLayer(
        whole.astype(np.int8 if is_bytes else np.int16),
        np.clip(start, -_SUM_ROOM, _SUM_ROOM).astype(np.int32),
        scale.astype(np.float32),
    )


def _spreads(x: Reals, which: NDArray[np.int64], tails: int) -> list[Spread]:
    """Each tail's spread, from its own positions; from all where it has too few of them."""
    everywhere = _spread(x)
    return [
        _spread(x[which == t])
        if np.count_nonzero(which == t) > _ENOUGH * x.shape[1]
        else everywhere
        for t in range(tails)
    ]


def _spread(x: Reals) -> Spread:
    """The spread of units' values ``x`` [n, width], in steps, once they are rounded to levels."""
    # Rounding to whole levels adds a twelfth; the share of the mean keeps the inverse tame.
    covariance = np.cov(x.T)
    more = 1 / 12 + _DAMPING * np.diag(covariance).mean()
    return Spread(x.mean(axis=0), covariance + more * np.eye(x.shape[1]))


def _rounded(fine: Reals, spread: Spread, top: int) -> Reals:
    """Weights [out, in] rounded to whole numbers of size ``top`` or less, with feedback.

    Inputs that vary most come first. After each, the weights of those to come are changed as the
    least squares have it: so that the sums over all of them change least.
    """
    order = np.argsort(-np.diag(spread.covariance), kind="stable")
    inverse = np.linalg.inv(spread.covariance[np.ix_(order, order)])
    factor = np.linalg.cholesky(inverse).T
    left = fine[:, order]
    for j in range(len(order)):
        whole = np.clip(np.rint(left[:, j]), -top, top)
        missing = (left[:, j] - whole) / factor[j, j]
        left[:, j] = whole
        left[:, j + 1 :] -= np.outer(missing, factor[j, j + 1 :])
    return left[:, np.argsort(order)]
