"""Numbering of the positions of one side that has all its checkers on its first few points.

A row of counts over ``points`` points, with at most ``checkers`` checkers, has a number from 0 to
C(points + checkers, points) - 1. With t(1) <= t(2) <= ... <= t(points) the checkers on the highest
point, the highest two, ... and all of them, the number is the sum over i of C(t(i) + i - 1, i): the
combinatorial number system. It follows that

- 0 is the empty row, and every move of a checker leads to a smaller number, so that a database
  can be filled in order;
- positions with fewer checkers come first, whatever the greatest count, so that a database of 6
  checkers and one of 15 share their numbers;
- it is the order of gnubg's bearoff files, so that the two can be compared entry by entry.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import CHECKERS
from gnubg_py.kernel_cache import njit

_MAX_POINTS = 25
"""The 24 points and the bar."""
_SIZE = _MAX_POINTS + CHECKERS + 1
# float64 would not hold the largest of these exactly; int64 does.
CHOOSE: NDArray[np.int64] = np.array(
    [[comb(n, k) for k in range(_MAX_POINTS + 1)] for n in range(_SIZE)], dtype=np.int64
)


def count_positions(points: int, checkers: int) -> int:
    """The number of rows of up to ``checkers`` checkers on ``points`` points.

    >>> count_positions(6, 15), count_positions(6, 6), count_positions(10, 15)
    (54264, 924, 3268760)
    """
    return comb(points + checkers, points)


@njit(cache=True, nogil=True)
def row_number(row, points):  # type: ignore[no-untyped-def]
    """The number of ``row``, of which the first ``points`` entries count."""
    total = 0
    number = 0
    for p in range(points - 1, -1, -1):
        total += row[p]
        number += CHOOSE[total + points - 1 - p, points - p]
    return number


@njit(cache=True, nogil=True)
def fill_row(number, points, row):  # type: ignore[no-untyped-def]
    """Write the counts of position ``number`` into ``row[:points]``; inverts ``row_number``."""
    above = 0
    for p in range(points):
        k = points - p
        total = 0
        while total < CHECKERS and CHOOSE[total + k, k] <= number:
            total += 1
        number -= CHOOSE[total + k - 1, k]
        if p > 0:
            row[p - 1] = above - total
        above = total
    row[points - 1] = above


@njit(cache=True, nogil=True)
def _fill_numbers(rows, numbers):  # type: ignore[no-untyped-def]
    for i in range(len(rows)):
        numbers[i] = row_number(rows[i], rows.shape[1])


@njit(cache=True, nogil=True)
def _fill_rows(rows):  # type: ignore[no-untyped-def]
    for i in range(len(rows)):
        fill_row(i, rows.shape[1], rows[i])


def row_numbers(rows: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """The numbers of rows of counts, ``[n, points] -> int64[n]``.

    >>> row_numbers(np.array([[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 15]])).tolist()
    [0, 54263]
    """
    rows = np.asarray(rows)
    if rows.ndim != 2 or not 1 <= rows.shape[1] <= _MAX_POINTS:
        raise ValueError(
            f"rows have shape [n, points], 1 to {_MAX_POINTS} points: not {rows.shape}"
        )
    if (rows < 0).any() or (rows.sum(axis=1) > CHECKERS).any():
        raise ValueError(f"a row has counts of 0 or more, at most {CHECKERS} in all")
    numbers = np.empty(len(rows), dtype=np.int64)
    _fill_numbers(np.ascontiguousarray(rows, dtype=np.int8), numbers)
    return numbers


def all_positions(points: int, checkers: int) -> NDArray[np.int8]:
    """Every position in the order of its number, ``int8[count_positions, points]``.

    >>> all_positions(2, 2).tolist()
    [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [0, 2]]
    """
    if not 1 <= points <= _MAX_POINTS or not 1 <= checkers <= CHECKERS:
        raise ValueError(
            f"{points} points and {checkers} checkers: "
            f"expected 1 to {_MAX_POINTS} points and 1 to {CHECKERS} checkers"
        )
    rows = np.empty((count_positions(points, checkers), points), dtype=np.int8)
    _fill_rows(rows)
    return rows


@njit(cache=True, nogil=True)
def number_within(row, points, checkers):  # type: ignore[no-untyped-def]
    """The number of a side's position, or -1 if it is beyond ``points`` or ``checkers``."""
    total = 0
    for p in range(len(row)):
        if row[p] < 0 or (p >= points and row[p] != 0):
            return -1
        total += row[p]
        if total > checkers:
            return -1
    return row_number(row, points)
