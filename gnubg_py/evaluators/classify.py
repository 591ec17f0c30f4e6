"""The class of a board, which determines the evaluator that values it. The classes are gnubg's."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff.two_sided import TWO_SIDED_CHECKERS
from gnubg_py.bits import checkers_left, differing_places, highest_bit
from gnubg_py.board import HOME_POINTS, Boards, for_kernels
from gnubg_py.kernel_cache import njit


class PositionClass(IntEnum):
    """gnubg's numbers. BEAROFF_TS and BEAROFF_OS are positions of optional larger databases."""

    OVER = 0
    HYPERGAMMON1 = 1
    HYPERGAMMON2 = 2
    HYPERGAMMON3 = 3
    BEAROFF2 = 4
    BEAROFF_TS = 5
    BEAROFF1 = 6
    BEAROFF_OS = 7
    RACE = 8
    CRASHED = 9
    CONTACT = 10


HYPERGAMMON = {
    "hypergammon1": PositionClass.HYPERGAMMON1,
    "hypergammon2": PositionClass.HYPERGAMMON2,
    "hypergammon3": PositionClass.HYPERGAMMON3,
}

_EMPTY = np.zeros((1, 2, 25), np.int8)
_ONE_SIDE = 2**25 - 1
"""The bits of the places of the side on roll."""
ACTIVE_CHECKERS = 7
"""A side with fewer active checkers has crashed."""

_OVER = int(PositionClass.OVER)
_BEAROFF2, _BEAROFF_TS, _BEAROFF1, _BEAROFF_OS = (
    int(PositionClass.BEAROFF2),
    int(PositionClass.BEAROFF_TS),
    int(PositionClass.BEAROFF1),
    int(PositionClass.BEAROFF_OS),
)
_RACE, _CRASHED, _CONTACT = (
    int(PositionClass.RACE),
    int(PositionClass.CRASHED),
    int(PositionClass.CONTACT),
)


@njit(cache=True, nogil=True)
def _has_crashed(ace, deuce, checkers):  # type: ignore[no-untyped-def]
    """Whether fewer than 7 checkers are active: not on a stacked ace or deuce point.

    Checkers stacked on the ace point are dead; of those on the deuce point, all but one are,
    where the ace point is stacked too or not held.
    """
    active = checkers
    if active >= ACTIVE_CHECKERS:
        if ace > 1:
            active = checkers - ace
            if deuce > 1:
                active = min(active, checkers + 1 - ace - deuce)
        elif deuce > 1:
            active = checkers + 1 - deuce
    return active < ACTIVE_CHECKERS


@njit(cache=True, nogil=True, forceinline=True)
def is_learned(boards, i, sizes, races):  # type: ignore[no-untyped-def]
    """Whether boards[i] is a crashed or contact position, or one of the ``races`` if they count.

    No database knows these exactly.
    """
    occupied = differing_places(boards, i, _EMPTY, 0)
    mine, theirs = occupied & _ONE_SIDE, occupied >> 25
    if mine == 0 or theirs == 0:
        return False
    if highest_bit(mine) + highest_bit(theirs) > 22:
        return True
    return races and class_of(boards, i, sizes) == _RACE


@njit(cache=True, nogil=True)
def class_of(boards, i, sizes):  # type: ignore[no-untyped-def]
    """The class of boards[i]; ``sizes`` are ``Classifier.sizes``."""
    one_sided_points, two_sided_points, two_sided_checkers = sizes
    occupied = differing_places(boards, i, _EMPTY, 0)
    mine, theirs = occupied & _ONE_SIDE, occupied >> 25
    if mine == 0 or theirs == 0:
        return _OVER
    rear, other_rear = highest_bit(mine), highest_bit(theirs)
    total, other_total = checkers_left(boards, i, 0), checkers_left(boards, i, 1)
    most, rearmost = max(total, other_total), max(rear, other_rear)
    if rear + other_rear > 22:
        crashed = _has_crashed(boards[i, 0, 0], boards[i, 0, 1], total)
        crashed = crashed or _has_crashed(boards[i, 1, 0], boards[i, 1, 1], other_total)
        return _CRASHED if crashed else _CONTACT
    if rearmost < HOME_POINTS and most <= TWO_SIDED_CHECKERS:
        return _BEAROFF2
    if rearmost < two_sided_points and most <= two_sided_checkers:
        return _BEAROFF_TS
    if rearmost < HOME_POINTS:
        return _BEAROFF1
    return _BEAROFF_OS if rearmost < one_sided_points else _RACE


@njit(cache=True, nogil=True)
def _fill_classes(boards, sizes, out):  # type: ignore[no-untyped-def]
    for i in range(boards.shape[0]):
        out[i] = class_of(boards, i, sizes)


@dataclass(frozen=True)
class Classifier:
    """The classes of boards, for a variation of backgammon and the bearoff databases in use.

    BEAROFF_TS are the positions that a two-sided database of these points and checkers holds,
    BEAROFF_OS those that a one-sided database of these points holds, and the usual two do not.
    """

    variation: str = "standard"
    one_sided_points: int = HOME_POINTS
    two_sided_points: int = HOME_POINTS
    two_sided_checkers: int = TWO_SIDED_CHECKERS

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Points of the one-sided database; points and checkers of the two-sided one."""
        return self.one_sided_points, self.two_sided_points, self.two_sided_checkers

    def __call__(self, boards: Boards) -> NDArray[np.int8]:
        """The ``PositionClass`` of every board, ``int8[n, 2, 25] -> int8[n]``."""
        out = np.empty(len(boards), np.int8)
        _fill_classes(for_kernels(boards), self.sizes, out)
        if self.variation in HYPERGAMMON:
            out[out != PositionClass.OVER] = HYPERGAMMON[self.variation]
        return out


STANDARD = Classifier()


def classify(boards: Boards, variation: str = "standard") -> NDArray[np.int8]:
    """The class of every board by the usual databases, ``int8[n, 2, 25] -> int8[n]``.

    >>> from gnubg_py.board import START, parse
    >>> boards = np.stack([START, parse("x 6:2 / o 5:3"), parse("x 1:8 24:7 / o 13:15")])
    >>> [PositionClass(c).name for c in classify(boards)]
    ['CONTACT', 'BEAROFF2', 'CONTACT']
    """
    return Classifier(variation)(boards)
