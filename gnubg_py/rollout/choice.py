"""The plays of a turn: for every live game the position after its best play."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.evaluate.choice import lowest
from gnubg_py.plays import plays_batch
from gnubg_py.rollout.settings import SideSettings
from gnubg_py.rollout.values import Plan, children_of, is_static, static_values
from gnubg_py.threads import map_slices

# Decisions whose plays are made at once: some 10,000 positions.
_SLICE = 512


def play_turn(
    plan: Plan,
    boards: Boards,
    dice: NDArray[np.int8],
    which: NDArray[np.int64],
    side: SideSettings,
) -> Boards:
    """The boards after the best plays, the other side on roll: ``int8[n, 2, 25]``."""
    if not is_static(side.plays):
        return _searched_plays(plan, boards, dice, which, side)

    def work(rows: slice) -> Boards:
        return _static_plays(plan, boards[rows], dice[rows], which[rows], side)

    return np.concatenate(map_slices(work, len(boards), _SLICE))


def _static_plays(
    plan: Plan,
    boards: Boards,
    dice: NDArray[np.int8],
    which: NDArray[np.int64],
    side: SideSettings,
) -> Boards:
    children, offsets = plays_batch(boards, dice)
    five = children_of(plan.router, boards, children, offsets)
    cubes = plan.cubes.swapped[which]
    each = np.repeat(cubes, np.diff(offsets))
    if plan.settings.cubeful and side.plays.cubeful:
        values = static_values(plan, children, five, each)
    else:
        values = np.einsum("ij,ij->i", five, plan.cubes.prices[each])
    return children[lowest(values, offsets)]


def _searched_plays(
    plan: Plan,
    boards: Boards,
    dice: NDArray[np.int8],
    which: NDArray[np.int64],
    side: SideSettings,
) -> Boards:
    from gnubg_py.search import choose_plays

    out = np.empty_like(boards)
    for k in np.unique(which).tolist():
        rows = np.flatnonzero(which == k)
        choice = choose_plays(
            boards[rows],
            dice[rows],
            plan.cubes.cubes[k],
            side.plays,
            side.move_filter,
            plan.router,
            plan.met,
        )
        out[rows] = choice.boards
    return out
