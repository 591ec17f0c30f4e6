"""Decisions of a rollout that one roll of look-ahead makes clear: only the others look deeper.

A rollout makes tens of thousands of decisions and shows none of them, so that all it needs is the
right ones. One roll of look-ahead costs a twentieth of two (for cubes a twelfth), and is rarely
wrong by more than a few hundredths of a point: docs/rollouts.md has what the limits here lose.
Noise would be of another kind at another depth: players with noise always look as deep as they
should.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import MAX_PLAYS, Boards
from gnubg_py.cube.kernels import PASS_VALUE
from gnubg_py.cube.values import Numbers
from gnubg_py.rollouts.values import Plan, decision_values
from gnubg_py.search.settings import EvalSettings, FilterStep, MoveFilter, Strength

_PLAYS = FilterStep(1, 0, MAX_PLAYS, 0.05)
"""Plays that are worse than the best by more at 1-ply are not searched deeper."""
_CUBE = 0.15
"""Cube decisions that would cost more points at 1-ply, made otherwise, are not searched deeper."""


def with_first_look(strength: Strength) -> MoveFilter:
    """The filters of a player's plays, with a look at 1-ply before deeper ones.

    Filters that say themselves what to do after 1-ply are left as they are.
    """
    filters = strength.filters
    if strength.plays.noise:
        return filters
    steps = {
        plies: _with_step(filters.of(plies)) if plies > 1 else filters.of(plies)
        for plies in range(1, strength.plays.plies + 1)
    }
    return MoveFilter(filters.name, steps)


def _with_step(steps: tuple[FilterStep, ...]) -> tuple[FilterStep, ...]:
    if any(step.ply == 1 for step in steps):
        return steps
    return tuple(sorted((*steps, _PLAYS), key=lambda step: step.ply))


def cube_decisions(
    plan: Plan, boards: Boards, numbers: Numbers, settings: EvalSettings
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """``decision_values``, where the decision is clear those of 1-ply.

    Doubles that are passed are never taken as clear: their games end with these probabilities.
    """
    if settings.plies <= 1 or settings.noise:
        return decision_values(plan, boards, numbers, settings)
    five, decided = decision_values(plan, boards, numbers, replace(settings, plies=1))
    rows = np.flatnonzero(~clear(plan, decided, numbers))
    if len(rows):
        deeper = decision_values(plan, boards[rows], numbers[rows], settings)
        five[rows], decided[rows] = deeper
    return five, decided


def clear(plan: Plan, decided: NDArray[np.float64], numbers: Numbers) -> NDArray[np.bool_]:
    """Which decisions are clearly no double, or clearly a double that is taken: ``bool[n]``.

    ``decided`` float64[n, 2]: the values of no double and of double/take.
    """
    limit = _CUBE * plan.cubes.point[numbers]
    no_double, take = decided.T
    passed = plan.cubes.table.constants[numbers, PASS_VALUE]
    gain = np.minimum(take, passed) - no_double
    taken = (gain > limit) & (take < passed - limit)
    return np.asarray((gain < -limit) | taken)
