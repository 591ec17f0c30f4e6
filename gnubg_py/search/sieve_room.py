"""What the sieve's kernels are given: room to work in, rules, cubes, and room for what is left.

They are named tuples, which kernels take as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import MAX_PLAYS
from gnubg_py.dice import ROLLS

_MOST = len(ROLLS) * MAX_PLAYS


class Room(NamedTuple):
    """What the kernel works in: a position and all its plays, then what is kept of many."""

    parent: NDArray[np.int8]  # as the other side sees it
    plays: NDArray[np.int8]
    ends: NDArray[np.int64]  # of the rolls, in plays
    table: NDArray[np.int32]  # which kept play is in each slot, by its hash
    five: NDArray[np.float32]  # of kept plays
    values: NDArray[np.float64]  # of plays, by the net that judges; then of kept plays
    lowest: NDArray[np.float64]  # the lowest values of a roll
    rows: NDArray[np.int64]  # the plays of a roll that are kept, in order
    kept: NDArray[np.int8]
    which: NDArray[np.int64]
    classes: NDArray[np.int8]  # of those kept
    ties: NDArray[np.float64]  # their cubeless values


def new_room() -> Room:
    """Room for all plays of all rolls of a position."""
    return Room(
        parent=np.empty((1, 2, 25), np.int8),
        plays=np.empty((_MOST, 50), np.int8),
        ends=np.empty(len(ROLLS) + 1, np.int64),
        table=np.empty(1 << (2 * _MOST - 1).bit_length(), np.int32),
        five=np.empty((_MOST, 5), np.float32),
        values=np.empty(_MOST),
        lowest=np.empty(MAX_PLAYS),
        rows=np.empty(MAX_PLAYS, np.int64),
        kept=np.empty((_MOST, 50), np.int8),
        which=np.empty(_MOST, np.int64),
        classes=np.empty(_MOST, np.int8),
        ties=np.empty(_MOST),
    )


class SieveRules(NamedTuple):
    """Which plays of a roll are kept.

    ``sizes`` are those of the bearoff databases, ``keep`` how many plays are kept. ``limits``
    float64[n], of each board, or float64[1], of all: how much worse than the best they may be.
    ``learned_only``: whether learned positions alone are judged; ``races``: whether races are.
    ``by_other``: whether an evaluator that the kernels cannot call judges all boards.
    """

    sizes: tuple[int, int, int]
    keep: int
    limits: NDArray[np.float64]
    learned_only: bool
    races: bool
    by_other: bool


class CubeRows(NamedTuple):
    """The cube of each board, or of all: rows of a ``CubeTable``.

    ``curves`` are those of its efficiency; none if cubeless values decide between plays.
    ``weights`` are what the five probabilities count for.
    """

    curves: NDArray[np.float64]
    constants: NDArray[np.float64]
    doubled: NDArray[np.float64]
    weights: NDArray[np.float64]


class Left(NamedTuple):
    """The boards whose best plays ``fill_chosen`` leaves open, and those whose plays it has chosen.

    ``rows`` are the boards, ``whole`` says whether every play is kept, since the net that judges
    cannot judge some; ``first`` and ``offsets`` of their plays in the room are as in ``Kept``.
    ``done`` are the boards whose best plays are known.
    """

    rows: NDArray[np.int64]
    whole: NDArray[np.bool_]
    first: NDArray[np.int64]
    offsets: NDArray[np.int64]
    done: NDArray[np.int64]


def room_for_left(boards: int, rolls: int) -> Left:
    """Room for boards and so many rolls of all of them."""
    return Left(
        np.empty(boards, np.int64),
        np.empty(boards, np.bool_),
        np.zeros(boards + 1, np.int64),
        np.zeros(rolls + 1, np.int64),
        np.empty(boards, np.int64),
    )
