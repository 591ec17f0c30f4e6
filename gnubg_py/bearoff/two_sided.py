"""Two-sided bearoff: exact money equities when both sides have few checkers left.

For each pair of positions of up to 6 checkers on 6 points (924 a side), the side on roll and the
other, the database holds four equities before the dice, for a cube of 1. Each side plays every
roll for its greatest equity with that cube; nine checkers are off, so there are no gammons.

V is the value to the side on roll (own: it owns the cube; other: the other side does), N the value
if it rolls without doubling; the means are over rolls, and the maxima over the plays k of a roll:

    N_own(i, j) = mean of max -V_other(j, k)          V_own = max(N_own, min(2 V_other(i, j), 1))
    N_centred   = mean of max -V_centred(j, k)        V_centred = max(N_centred, min(2 V_other, 1))
    V_other     = mean of max -V_own(j, k)

2 V_other is the value of double and take, 1 that of double and pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff import store
from gnubg_py.bearoff.numbering import all_positions, count_positions, number_within
from gnubg_py.bearoff.rules import fill_ways
from gnubg_py.board import HOME_POINTS, Boards
from gnubg_py.dice import ROLL_WEIGHTS, ROLLS
from gnubg_py.kernel_cache import njit
from gnubg_py.messages import progress

TWO_SIDED_CHECKERS = 6
MAX_SIDE = 5005  # positions a side: 6 points and 9 checkers; a 400 MB file

CUBELESS, CENTRED, OWNED, OTHER_OWNS, CENTRED_JACOBY = 0, 1, 2, 3, 4
"""Columns of equities. The last, of a cube centred under the Jacoby rule, equals ``CENTRED`` here:
there are no gammons."""


@dataclass(frozen=True)
class TwoSided:
    """The database; ``equities[i, j]`` has the side on roll at position i, the other at j.

    ``equities`` float32[n, n, 4]: cubeless; cube centred, not doubling this turn; cube owned, not
    doubling this turn; cube owned by the other side, from which the value of a double follows.
    """

    points: int
    checkers: int
    equities: NDArray[np.float32]


def _check_size(points: int, checkers: int) -> None:
    good = 1 <= points <= 10 and 1 <= checkers <= 10
    if not good or count_positions(points, checkers) > MAX_SIDE:
        raise ValueError(
            f"two-sided database of {points} points and {checkers} checkers: expected 1 to 10 of "
            f"each and at most {MAX_SIDE} positions a side, as 6 and 9 have"
        )


@njit(cache=True, nogil=True)
def _all_plays(rows, rolls, offsets, targets):  # type: ignore[no-untyped-def]
    """Fill ``offsets`` and, as far as there is room, ``targets``; return the number of targets."""
    out = np.empty(4096, dtype=np.int64)
    end = 0
    for i in range(1, len(rows)):
        for r in range(len(rolls)):
            offsets[21 * i + r] = end
            count = fill_ways(i, rows, rolls[r, 0], rolls[r, 1], False, out)
            if end + count <= len(targets):
                targets[end : end + count] = out[:count]
            end += count
    offsets[21 * len(rows)] = end
    return end


def legal_plays(rows: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The positions after every roll from every position; ``rows`` is ``all_positions(...)``.

    Position i and roll r of ``dice.ROLLS`` lead to the distinct positions
    ``targets[offsets[21 * i + r] : offsets[21 * i + r + 1]]``.
    """
    offsets = np.zeros(21 * len(rows) + 1, dtype=np.int64)
    rows = rows.copy()
    total = _all_plays(rows, ROLLS, offsets, np.empty(0, dtype=np.int32))
    targets = np.empty(total, dtype=np.int32)
    _all_plays(rows, ROLLS, offsets, targets)
    return offsets, targets


@njit(cache=True, nogil=True)
def _fill_pair(i, j, offsets, targets, weights, values, kept):  # type: ignore[no-untyped-def]
    cubeless = centred = owned = other = 0.0
    for r in range(21):
        best0 = best1 = best2 = best3 = -np.inf
        for t in range(offsets[21 * i + r], offsets[21 * i + r + 1]):
            reply = values[j, targets[t]]
            best0 = max(best0, -reply[0])
            best1 = max(best1, -reply[1])
            best2 = max(best2, -reply[3])
            best3 = max(best3, -reply[2])
        cubeless += weights[r] * best0
        centred += weights[r] * best1
        owned += weights[r] * best2
        other += weights[r] * best3
    cubeless, centred, owned, other = cubeless / 36, centred / 36, owned / 36, other / 36
    double = min(2.0 * other, 1.0)
    values[i, j, 0] = cubeless
    values[i, j, 1] = max(centred, double)
    values[i, j, 2] = max(owned, double)
    values[i, j, 3] = other
    kept[i, j, 0] = cubeless
    kept[i, j, 1] = centred
    kept[i, j, 2] = owned
    kept[i, j, 3] = other


@njit(cache=True, nogil=True)
def _fill_pairs(i, offsets, targets, weights, values, kept):  # type: ignore[no-untyped-def]
    """Fill all pairs of ``i`` with smaller numbers, which depend only on pairs filled before."""
    for j in range(1, i + 1):
        _fill_pair(i, j, offsets, targets, weights, values, kept)
        if j < i:
            _fill_pair(j, i, offsets, targets, weights, values, kept)


def build_two_sided(points: int = HOME_POINTS, checkers: int = TWO_SIDED_CHECKERS) -> store.Arrays:
    """Compute the whole database, with a progress bar; the arrays of ``TwoSided`` by name."""
    _check_size(points, checkers)
    rows = all_positions(points, checkers)
    n = len(rows)
    offsets, targets = legal_plays(rows)
    values = np.zeros((n, n, 4), dtype=np.float64)
    values[0], values[:, 0] = 1.0, -1.0
    kept = values.astype(np.float32)
    title = f"two-sided bearoff, {points} points, {checkers} checkers"
    with progress((n - 1) ** 2, title) as bar:
        for i in range(1, n):
            _fill_pairs(i, offsets, targets, ROLL_WEIGHTS, values, kept)
            bar.update(2 * i - 1)
    return {"equities": kept}


def two_sided_name(points: int = HOME_POINTS, checkers: int = TWO_SIDED_CHECKERS) -> str:
    """The database's name in storage; ``ValueError`` for a size it cannot have."""
    _check_size(points, checkers)
    return f"two-sided-{points}-points-{checkers}-checkers"


@cache
def two_sided_database(points: int = HOME_POINTS, checkers: int = TWO_SIDED_CHECKERS) -> TwoSided:
    """The database of that size, memory-mapped; it is built if there is none yet."""
    name = two_sided_name(points, checkers)
    arrays = store.fetch(name, lambda: build_two_sided(points, checkers))
    return TwoSided(points, checkers, **arrays)


@njit(cache=True, nogil=True)
def _gather(boards, points, checkers, equities, out):  # type: ignore[no-untyped-def]
    for i in range(len(boards)):
        mine = number_within(boards[i, 0], points, checkers)
        theirs = number_within(boards[i, 1], points, checkers)
        if mine < 0 or theirs < 0 or mine + theirs == 0:
            return i
        for c in range(4):
            out[i, c] = equities[mine, theirs, c]
    return -1


def two_sided_without_double(
    boards: Boards, database: TwoSided | None = None
) -> NDArray[np.float32]:
    """Equities without a double this turn, ``int8[n, 2, 25] -> float32[n, 4]``.

    Columns ``CUBELESS``, ``CENTRED``, ``OWNED``, ``OTHER_OWNS``, for a cube of 1. They give the
    exact cube action: the equity of no double is that of ``CENTRED`` or ``OWNED``, of double and
    take twice that of ``OTHER_OWNS``, of double and pass 1. The database is the usual one by
    default; a board outside it is a ``ValueError``.
    """
    database = database or two_sided_database()
    out = np.empty((len(boards), 4), dtype=np.float32)
    bad = _gather(boards, database.points, database.checkers, database.equities, out)
    if bad >= 0:
        raise ValueError(
            f"board {bad} is not within the two-sided bearoff database: both sides need at most "
            f"{database.checkers} checkers, all on their first {database.points} points"
        )
    return out


def two_sided_equities(boards: Boards, database: TwoSided | None = None) -> NDArray[np.float32]:
    """Exact money equities, doubling whenever that is right, ``int8[n, 2, 25] -> float32[n, 4]``.

    Columns ``CUBELESS``, ``CENTRED``, ``OWNED``, ``OTHER_OWNS``, before the dice, for a cube of 1,
    as the side on roll sees them. See ``two_sided_without_double`` for the database.

    >>> from gnubg_py.board import parse
    >>> (36 * two_sided_equities(parse("x 5:1 2:1 / o 1:1")[None])).round(4).tolist()
    [[2.0, 4.0, 4.0, 2.0]]
    """
    out = two_sided_without_double(boards, database)
    apply_doubles(out)
    return out


def apply_doubles(values: NDArray[np.floating[Any]]) -> None:
    """Change equities without a double this turn to those with the best action, in place.

    ``[..., 4 or 5]``, with the columns of ``two_sided_equities``.
    """
    double = np.minimum(2 * values[..., OTHER_OWNS], 1)
    for column in (CENTRED, OWNED, CENTRED_JACOBY)[: values.shape[-1] - 2]:
        np.maximum(values[..., column], double, out=values[..., column])
