"""The luck of a roll: its value less the mean over the 21 rolls, for each quantity rolled out.

The value of a roll may be any function of the position and the roll: whatever it is, its mean
over the rolls is what it comes to on average, so that taking luck out leaves a result unbiased.
How much smaller the error gets depends on how well the function follows what the game comes to.
Here it is the value of the best play, looked for by the fast evaluator among all and by the main
one among the few that it keeps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.dice import ROLL_PROBABILITIES, ROLLS
from gnubg_py.keys import KEY_BITS, board_keys, distinct
from gnubg_py.plays import all_rolls
from gnubg_py.rollouts.choice import lowest_few, value_again
from gnubg_py.rollouts.values import (
    Plan,
    children_of,
    searched_values,
    static_values,
)
from gnubg_py.search.ranking import inverted
from gnubg_py.search.settings import EvalSettings
from gnubg_py.threads import map_slices

QUANTITIES = 6
"""gnubg's five probabilities, and the cubeful value in units of the first cube or mwc."""

_WITHIN = 0.1
"""Plays that the fast evaluator finds worse than its best by more points are not looked at."""

# Boards whose plays are made at once: some 25,000 positions, which stay in cache.
_SLICE = 64

_NO_DOUBLE = np.where(ROLLS[:, 0] == ROLLS[:, 1], 0.0, 1 / 15)


def luck(
    plan: Plan,
    boards: Boards,
    which: NDArray[np.int64],
    rolls: NDArray[np.int64],
    plies: int,
    no_doubles: bool = False,
) -> NDArray[np.float64]:
    """The luck of every game's roll for the side on roll, ``float64[n, QUANTITIES]``.

    ``rolls`` int64[n]: the row of ``ROLLS`` that came. ``no_doubles``: only 15 rolls can come.
    """
    games, group = alike(boards, which)
    values = roll_values(plan, boards[games], which[games], plies)
    chances = _NO_DOUBLE if no_doubles else ROLL_PROBABILITIES
    means = np.einsum("nrq,r->nq", values, chances)
    found: NDArray[np.float64] = values[group, rolls] - means[group]
    return found


def alike(
    boards: Boards, which: NDArray[np.int64], rolls: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Games alike in board, cube and roll: a row of each kind, and the kind of every row."""
    keys = board_keys(boards)
    keys[:, 0] |= which.astype(np.uint64) << np.uint64(KEY_BITS)
    if rolls is not None:
        keys[:, 1] |= rolls.astype(np.uint64) << np.uint64(KEY_BITS)
    return distinct(keys)


def roll_values(
    plan: Plan, boards: Boards, which: NDArray[np.int64], plies: int
) -> NDArray[np.float64]:
    """The values of all 21 rolls for the side on roll, ``float64[n, 21, QUANTITIES]``."""

    def work(rows: slice) -> NDArray[np.float64]:
        return _roll_values(plan, boards[rows], which[rows], plies)

    return np.concatenate(map_slices(work, len(boards), _SLICE))


def _roll_values(
    plan: Plan, boards: Boards, which: NDArray[np.int64], plies: int
) -> NDArray[np.float64]:
    n, table = len(boards), plan.cubes
    children, offsets = all_rolls(boards)
    five = children_of(plan.fast, boards, children, offsets[::21])
    cubes = np.repeat(table.swapped[which], 21)
    keep = plan.settings.luck_keep if plan.fast is not plan.router else 0
    rows, ends = lowest_few(plan, five, offsets, cubes, max(1, keep), _WITHIN)
    after, five = children[rows], five[rows]
    if keep:
        value_again(plan, boards, after, ends[::21], five)
    if keep > 1:
        rows, _ = lowest_few(plan, five, ends, cubes, 1, 0.0)
        after, five = after[rows], five[rows]
    if plies > 0:
        five, values = searched_values(plan, after, cubes, EvalSettings(plies=plies))
    else:
        values = static_values(plan, after, five, cubes)
    out = np.empty((21 * n, QUANTITIES))
    out[:, :5] = inverted(five.astype(np.float64))
    out[:, 5] = table.other_side(values) * table.stake[cubes]
    return out.reshape(n, 21, QUANTITIES)
