"""The plays of a turn: for every live game the position after its best play."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.evaluators.classify import classify
from gnubg_py.groups import lowest
from gnubg_py.plays import plays_batch
from gnubg_py.rollouts.kernels import fill_equities, fill_lowest
from gnubg_py.rollouts.settings import SideSettings
from gnubg_py.rollouts.values import Plan, children_of, is_static, static_values
from gnubg_py.threads import map_slices

# Decisions whose plays are made at once: some 10,000 positions.
_SLICE = 512

PRUNE_KEEP, PRUNE_WITHIN = 8, 0.2
"""Plays that the fast evaluator leaves to the router, where a side's plays are pruned: at most so
many, and none that it finds worse than its best by more than so many points."""


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
    cubes = plan.cubes.swapped[which]
    if side.plays.prune and plan.fast is not plan.router:
        five = children_of(plan.fast, boards, children, offsets)
        rows, offsets = lowest_few(plan, five, offsets, cubes, PRUNE_KEEP, PRUNE_WITHIN)
        children, five = children[rows], five[rows]
        value_again(plan, boards, children, offsets, five)
    else:
        five = children_of(plan.router, boards, children, offsets)
    each = np.repeat(cubes, np.diff(offsets))
    if plan.settings.cubeful and side.plays.cubeful:
        values = static_values(plan, children, five, each)
    else:
        values = np.einsum("ij,ij->i", five, plan.cubes.prices[each])
    return children[lowest(values, offsets)]


def lowest_few(
    plan: Plan,
    five: NDArray[np.float32],
    offsets: NDArray[np.int64],
    cubes: NDArray[np.int64],
    keep: int,
    within: float,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each roll's plays the ``keep`` that leave the other side least, by cubeless equity.

    And of those only the ones within so many points of the first.

    Roll i has rows ``offsets[i]:offsets[i + 1]`` and cube ``cubes[i]``; returns rows, those that
    leave least first, and the offsets of each roll's among them.
    """
    scores = np.empty(len(five))
    fill_equities(five, offsets, plan.cubes.prices, cubes, scores)
    rows, ends = np.empty(keep * (len(offsets) - 1), np.int64), np.empty_like(offsets)
    n = fill_lowest(scores, offsets, keep, within, rows, ends)
    return rows[:n], ends


def value_again(
    plan: Plan,
    boards: Boards,
    after: Boards,
    first: NDArray[np.int64],
    five: NDArray[np.float32],
) -> None:
    """Put the router's probabilities in place of the fast evaluator's, where they differ."""
    rows = np.flatnonzero(~plan.shared[classify(after)])
    if len(rows):
        five[rows] = children_of(plan.router, boards, after[rows], np.searchsorted(rows, first))


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
