"""Choose rows of groups by score: the lowest row of each group, or the few lowest.

The rows of all groups lie one after another; group i has the rows ``offsets[i]:offsets[i + 1]``
and is not empty. Usually a group is the plays of one roll, as ``plays_batch`` lists them, and a
score is the opponent's equity after the play. Only this module chooses rows by score.

A ``Chooser`` is a player that chooses plays without valuing the positions after them.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.kernel_cache import njit

CHOOSERS = {
    "pseudopip-analysis": "tabula's three-step analysis of a roll",
    "ten-factor-play": "the play with the highest ten-factor score",
    "random": "any legal play",
}
"""Players that choose a play without valuing the position after it."""


class Chooser(Protocol):
    """``choose(boards, dice, candidates, offsets) -> int64[n]``, rows of ``candidates``.

    ``boards`` int8[n, 2, 25], side on roll first; ``dice`` int8[n, 2]; ``candidates``
    int8[m, 2, 25], the opponent on roll; decision i has rows ``offsets[i]:offsets[i + 1]``.
    """

    def __call__(
        self,
        boards: Boards,
        dice: NDArray[np.int8],
        candidates: Boards,
        offsets: NDArray[np.int64],
    ) -> NDArray[np.int64]: ...


@njit(cache=True, nogil=True)
def is_lower(scores, ties, i, j):  # type: ignore[no-untyped-def]
    """Whether row i comes before row j: by score, and where scores are equal by ``ties``."""
    return scores[i] < scores[j] or (scores[i] == scores[j] and ties[i] < ties[j])


@njit(cache=True, nogil=True)
def _fill_lowest(scores, ties, offsets, out):  # type: ignore[no-untyped-def]
    for i in range(len(offsets) - 1):
        best = offsets[i]
        for j in range(offsets[i] + 1, offsets[i + 1]):
            if is_lower(scores, ties, j, best):
                best = j
        out[i] = best


def lowest(
    scores: NDArray[np.floating[Any]],
    offsets: NDArray[np.int64],
    ties: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """The row of the lowest score of each group, ``int64[n]``.

    Of rows with equal scores the one with the lowest ``ties`` is taken, then the first one.

    >>> lowest(np.array([3.0, 1.0, 1.0, 5.0, 4.0]), np.array([0, 3, 5])).tolist()
    [1, 4]
    """
    out = np.empty(len(offsets) - 1, np.int64)
    scores = np.ascontiguousarray(scores, np.float64)
    _fill_lowest(scores, scores if ties is None else ties, offsets, out)
    return out


def highest(scores: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row of the highest score of each group, the first of equals. ``int64[n]``."""
    return lowest(-scores, offsets)


@njit(cache=True, nogil=True, forceinline=True)
def narrowing(rank, keep):  # type: ignore[no-untyped-def]
    """The share of a limit that holds for the row of a rank, 2 to ``keep``: less with each rank.

    It is 1 for the second lowest row. Rows of higher ranks are less often the best ones in truth.
    """
    return (keep + 2 - rank) / keep


@njit(cache=True, nogil=True)
def _fill_few_lowest(scores, ties, always, offsets, keep, least, narrow, within, rows, ends):  # type: ignore[no-untyped-def]
    step = 0 if len(within) == 1 else 1
    n = 0
    ends[0] = 0
    for i in range(len(offsets) - 1):
        begin = n
        start, end = offsets[i], offsets[i + 1]
        for j in range(start, end):
            if len(always) and always[j]:
                continue
            if n - begin == keep:
                if not is_lower(scores, ties, j, rows[n - 1]):
                    continue
                n -= 1
            at = n
            while at > begin and is_lower(scores, ties, j, rows[at - 1]):
                rows[at] = rows[at - 1]
                at -= 1
            rows[at] = j
            n += 1
        limit = within[i * step]
        while n - begin > least:
            share = narrowing(n - begin, keep) if narrow else 1.0
            if scores[rows[n - 1]] <= scores[rows[begin]] + limit * share:
                break
            n -= 1
        if len(always):
            for j in range(start, end):
                if always[j]:
                    rows[n] = j
                    n += 1
        ends[i + 1] = n
    return n


_NOTHING = np.empty(0, np.bool_)


def few_lowest(
    scores: NDArray[np.float64],
    offsets: NDArray[np.int64],
    keep: int,
    within: float | NDArray[np.float64],
    *,
    least: int = 1,
    narrow: bool = False,
    ties: NDArray[np.float64] | None = None,
    always: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of the ``keep`` lowest scores of each group: rows, and offsets of groups in them.

    The rows of a group are sorted, the lowest first. Rows more than ``within`` (one number, or one
    for each group) above the lowest are left out, except the ``least`` lowest. If ``narrow``, that
    limit is smaller for rows of higher ranks (``narrowing``). Rows marked ``always`` (bool[m])
    follow the others and do not count. Equal scores are sorted by ``ties``, then by row number.

    >>> few_lowest(np.array([3.0, 1.0, 1.5, 5.0, 4.0]), np.array([0, 3, 5]), 2, 0.5)
    (array([1, 2, 4]), array([0, 2, 3]))
    """
    always = _NOTHING if always is None else always
    room = len(scores) if len(always) else min(keep * (len(offsets) - 1), len(scores))
    rows, ends = np.empty(room, np.int64), np.empty(len(offsets), np.int64)
    ties = scores if ties is None else ties
    limits = np.atleast_1d(np.asarray(within, np.float64))
    n = _fill_few_lowest(scores, ties, always, offsets, keep, least, narrow, limits, rows, ends)
    return rows[:n], ends
