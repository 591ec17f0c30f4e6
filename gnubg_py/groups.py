"""Choosing: from a score for every candidate play to one play per decision.

A chooser is a function of a batch of decisions. It gets the positions before the roll, the
dice, and every legal play's resulting position as ``plays_batch`` lists them, and answers with
one row of ``candidates`` per decision.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gnubg_py.board import Boards

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
def _lowest(scores, offsets, out):  # type: ignore[no-untyped-def]
    for i in range(len(offsets) - 1):
        best = offsets[i]
        for j in range(offsets[i] + 1, offsets[i + 1]):
            if scores[j] < scores[best]:
                best = j
        out[i] = best


def lowest(scores: NDArray[np.floating[Any]], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row of the lowest score of each decision, the first of equals. ``int64[n]``.

    >>> lowest(np.array([3.0, 1.0, 1.0, 5.0, 4.0]), np.array([0, 3, 5])).tolist()
    [1, 4]
    """
    out = np.empty(len(offsets) - 1, np.int64)
    _lowest(np.ascontiguousarray(scores, np.float64), offsets, out)
    return out


def highest(scores: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row of the highest score of each decision, the first of equals. ``int64[n]``."""
    return lowest(-scores, offsets)
