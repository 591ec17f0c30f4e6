"""The plays of one side that no enemy can block, and those that need the fewest rolls."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff.numbering import row_number
from gnubg_py.board import HOME_POINTS
from gnubg_py.dice import ROLL_WEIGHTS, ROLLS
from gnubg_py.kernel_cache import njit

_TIE = 1e-12  # plays whose expected rolls differ by less are equal: the smaller number is taken
_CHUNK = 4096

_Progress = Callable[[int], object]


@njit(cache=True, nogil=True)
def single_moves(row, die, leaving, found):  # type: ignore[no-untyped-def]
    """Write the numbers of all positions that ``die`` leads to from ``row`` into ``found``.

    A checker bears off if all are home, by an exact die or from the highest point; with
    ``leaving``, every checker may move past the end. Returns the number of positions, which is at
    least one unless the row is empty. ``row`` is unchanged afterwards.
    """
    points = len(row)
    highest = points - 1
    while highest >= 0 and row[highest] == 0:
        highest -= 1
    count = 0
    for p in range(highest, -1, -1):
        if row[p] == 0:
            continue
        target = p - die
        exact = highest < HOME_POINTS and (target == -1 or p == highest)
        if target < 0 and not (leaving or exact):
            continue
        row[p] -= 1
        if target >= 0:
            row[target] += 1
        found[count] = row_number(row, points)
        count += 1
        row[p] += 1
        if target >= 0:
            row[target] -= 1
    return count


@njit(cache=True, nogil=True)
def _orders(row, a, b, one_order):  # type: ignore[no-untyped-def]
    """The orders of the dice a >= b to play, as a range: 0 means a first, 1 means b first.

    With ``one_order`` a is played first if a checker stands on point a or behind it, else b.
    """
    if a == b:
        return 0, 1
    if not one_order:
        return 0, 2
    for p in range(a - 1, len(row)):
        if row[p] > 0:
            return 0, 1
    return 1, 2


@njit(cache=True, nogil=True)
def fill_ways(number, rows, a, b, one_order, out):  # type: ignore[no-untyped-def]
    """Write the distinct positions that roll a-b, a >= b, leads to from position ``number``.

    They are sorted by their numbers; their number, at most 4096, is returned. ``rows`` is
    ``all_positions(...)``. The empty position leads to itself. See ``_orders`` for ``one_order``.
    """
    points = rows.shape[1]
    found = np.empty(points, dtype=np.int64)
    count = 0
    first, last = _orders(rows[number], a, b, one_order)
    for order in range(first, last):
        layer = np.empty(1, dtype=np.int64)
        layer[0] = number
        for step in range(4 if a == b else 2):
            die = a if (step + order) % 2 == 0 else b
            following = np.empty(len(layer) * points, dtype=np.int64)
            size = 0
            for source in layer:
                if source == 0:
                    following[size] = 0
                    size += 1
                    continue
                k = single_moves(rows[source], die, False, found)
                following[size : size + k] = found[:k]
                size += k
            layer = np.unique(following[:size])
        out[count : count + len(layer)] = layer
        count += len(layer)
    distinct = np.unique(out[:count])
    out[: len(distinct)] = distinct
    return len(distinct)


class FewestRolls(NamedTuple):
    """``mean[i]``: expected rolls from position i; ``best[i, r]``: the position after roll r."""

    mean: NDArray[np.float64]
    best: NDArray[np.int32]


@njit(cache=True, nogil=True)
def better(choice, other, mean):  # type: ignore[no-untyped-def]
    """The position with fewer expected rolls of two; if these are equal, the smaller number."""
    if choice < 0:
        return other
    gain = mean[choice] - mean[other]
    if gain > _TIE or (gain > -_TIE and other < choice):
        return other
    return choice


@njit(cache=True, nogil=True)
def _fewest_rolls(rows, rolls, weights, leaving, one_order, lo, hi, mean, best, after):  # type: ignore[no-untyped-def]
    points = rows.shape[1]
    found = np.empty((6, points), dtype=np.int64)
    counts = np.empty(6, dtype=np.int64)
    for i in range(lo, hi):
        for d in range(6):
            counts[d] = single_moves(rows[i], d + 1, leaving, found[d])
            for k in range(4):  # after[k, i, d]: the best position after k + 1 moves of die d + 1
                choice = -1
                for m in range(counts[d]):
                    j = found[d, m]
                    if k > 0:
                        j = after[k - 1, j, d]
                    choice = better(choice, j, mean)
                after[k, i, d] = choice
        total = 0.0
        for r in range(len(rolls)):
            a, b = rolls[r, 0] - 1, rolls[r, 1] - 1
            if a == b:
                choice = after[3, i, a]
            else:
                choice = -1
                first, last = _orders(rows[i], a + 1, b + 1, one_order)
                if first == 0:
                    for m in range(counts[a]):
                        choice = better(choice, after[0, found[a, m], b], mean)
                if last == 2:
                    for m in range(counts[b]):
                        choice = better(choice, after[0, found[b, m], a], mean)
            best[i, r] = choice
            total += weights[r] * mean[choice]
        mean[i] = 1.0 + total / 36.0
        if one_order:
            mean[i] = np.floor(1000.0 * mean[i] + 1e-9) / 1000.0


def fewest_rolls(
    rows: NDArray[np.int8],
    start: int,
    leaving: bool = False,
    progress: _Progress | None = None,
    *,
    one_order: bool = False,
) -> FewestRolls:
    """The plays that minimise the expected rolls until a position numbered below ``start``.

    ``rows`` is ``all_positions(...)``. Plays of doubles are built from single moves: the best
    result of k moves is the best, over all first moves, of the best results of k - 1 more moves.
    Every move leads to a smaller number, so these are known. With ``one_order`` the dice of a roll
    are played in one order only, and each mean is truncated to three decimals: the rule ``seed`` of
    ``turns``.
    """
    n = len(rows)
    mean = np.zeros(n, dtype=np.float64)
    best = np.zeros((n, len(ROLLS)), dtype=np.int32)
    after = np.zeros((4, n, 6), dtype=np.int32)
    done = np.arange(start, dtype=np.int32)
    best[:start] = done[:, None]
    after[:, :start] = done[None, :, None]
    rows = rows.copy()
    for lo in range(start, n, _CHUNK):
        hi = min(n, lo + _CHUNK)
        _fewest_rolls(rows, ROLLS, ROLL_WEIGHTS, leaving, one_order, lo, hi, mean, best, after)
        if progress is not None:
            progress(hi - lo)
    return FewestRolls(mean, best)


@njit(cache=True, nogil=True)
def _spread(best, weights, start, lo, hi, out):  # type: ignore[no-untyped-def]
    width = out.shape[1]
    total = np.empty(width, dtype=np.float64)
    for i in range(lo, hi):
        total[:] = 0.0
        for r in range(best.shape[1]):
            source = max(0, best[i, r] - start + 1)
            for n in range(width - 1):
                total[n + 1] += weights[r] * out[source, n]
            total[width - 1] += weights[r] * out[source, width - 1]
        for n in range(width):
            out[i - start + 1, n] = total[n] / 36.0


def distributions(
    best: NDArray[np.int32], start: int, width: int, progress: _Progress | None = None
) -> NDArray[np.float32]:
    """Chances of 0, 1, ... rolls until a position below ``start``, playing ``best``.

    ``float32[len(best) - start + 1, width]``: row 0 is for every position below ``start``, row k
    for position ``start + k - 1``. The last column is for ``width - 1`` rolls or more.
    """
    out = np.zeros((len(best) - start + 1, width), dtype=np.float32)
    out[0, 0] = 1.0
    for lo in range(start, len(best), _CHUNK):
        hi = min(len(best), lo + _CHUNK)
        _spread(best, ROLL_WEIGHTS, start, lo, hi, out)
        if progress is not None:
            progress(hi - lo)
    return out
