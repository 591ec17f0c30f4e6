"""What positions are worth in a rollout: probabilities, cubeful values, cube decisions.

Every game has its own cube, given by its number in the plan's ``CubeTable``. A value is, as in
``gnubg_py.cube``, in units of that cube in money play and a match winning chance in match play.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff import two_sided
from gnubg_py.board import Boards
from gnubg_py.cube.efficiency import cube_efficiency
from gnubg_py.cube.kernels import PASS_VALUE
from gnubg_py.cube.met import MatchEquityTable
from gnubg_py.cube.state import CENTRED
from gnubg_py.evaluators.bearoff import BEAROFF2_LEAF, two_sided_without_double
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.rollouts.cubes import CubeTable
from gnubg_py.rollouts.kernels import fill_actions, fill_decisions, fill_node_values
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.search.leaf import OWNER_COLUMN
from gnubg_py.search.settings import EvalSettings


@dataclass(frozen=True, eq=False)
class Plan:
    """What all games of a rollout share.

    ``router`` values positions; ``fast`` chooses, for the luck of a roll, the play it is valued
    by. ``cubes`` are the cubes games can come to.
    """

    settings: RolloutSettings
    router: Evaluator
    fast: Evaluator
    cubes: CubeTable
    met: MatchEquityTable

    @property
    def exact(self) -> bool:
        """Whether cubeful values of two-sided bearoffs are taken from the database."""
        leaves = getattr(self.router, "table", {})
        return leaves.get(PositionClass.BEAROFF2) is BEAROFF2_LEAF and not self.cubes.is_match

    @cached_property
    def shared(self) -> NDArray[np.bool_]:
        """By class, whether the router and the fast evaluator ask the same leaf. bool[classes]."""
        main, fast = (getattr(e, "table", {}) for e in (self.router, self.fast))
        return np.array([c in main and main[c] is fast.get(c) for c in PositionClass])


def children_of(
    evaluator: Evaluator, parents: Boards, children: Boards, first: NDArray[np.int64]
) -> NDArray[np.float32]:
    """``evaluator(children)``; children first[i]:first[i + 1] are plays from ``parents[i]``."""
    faster = getattr(evaluator, "evaluate_children", None)
    if faster is None:
        return evaluator(children)
    answer: NDArray[np.float32] = faster(np.ascontiguousarray(parents[:, ::-1]), children, first)
    return answer


def is_static(how: EvalSettings) -> bool:
    """Whether a value is one evaluation, which this package makes in batches of its own."""
    return how.plies == 0 and how.noise == 0


def static_values(
    plan: Plan, boards: Boards, five: NDArray[np.float32], which: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The cubeful value of every position, the side on roll free to double first. float64[n]."""
    classes = classify(boards)
    table, out = plan.cubes, np.empty(len(boards))
    x = cube_efficiency(boards, classes)
    fill_node_values(five, x, table.constants, table.doubled_constants, which, out)
    rows = _exact_rows(plan, classes)
    if len(rows):
        out[rows] = node_values(
            plan, _exact_decisions(plan, boards[rows], which[rows]), which[rows]
        )
    return out


def decision_values(
    plan: Plan, boards: Boards, which: NDArray[np.int64], how: EvalSettings
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Probabilities, and the values of no double and of double/take: ``[n, 5]``, float64[n, 2].

    For cubes that cannot be turned the second value means nothing.
    """
    if is_static(how):
        five = plan.router(boards)
        values = np.empty((len(boards), 2))
        x = cube_efficiency(boards, classify(boards))
        table = plan.cubes
        fill_decisions(five, x, table.constants, table.doubled_constants, which, values)
    else:
        five, values = _searched_decisions(plan, boards, which, how)
    rows = _exact_rows(plan, classify(boards))
    if len(rows):
        values[rows] = _exact_decisions(plan, boards[rows], which[rows])
    return five, values


def _searched_decisions(
    plan: Plan, boards: Boards, which: NDArray[np.int64], how: EvalSettings
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    from gnubg_py.search import cubeful_values

    table = plan.cubes
    five, values = np.empty((len(boards), 5), np.float32), np.empty((len(boards), 2))
    for k in np.unique(which).tolist():
        rows = np.flatnonzero(which == k)
        turned = int(table.doubled[k])
        cubes = [table.cubes[k]] + ([table.cubes[turned]] if turned >= 0 else [])
        five[rows], found = cubeful_values(boards[rows], cubes, how, plan.router, plan.met)
        values[rows, 0] = found[:, 0]
        values[rows, 1] = found[:, -1] * (1.0 if table.is_match else 2.0)
    return five, values


def node_values(
    plan: Plan, decisions: NDArray[np.float64], which: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The best of no double and double, rightly answered: ``float64[n, 2] -> float64[n]``."""
    passed = plan.cubes.constants[which, PASS_VALUE]
    double = np.minimum(decisions[:, 1], passed)
    can = plan.cubes.doubled[which] >= 0
    return np.where(can, np.maximum(decisions[:, 0], double), decisions[:, 0])


def searched_values(
    plan: Plan, boards: Boards, which: NDArray[np.int64], how: EvalSettings
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Probabilities and cubeful values at any depth, the side on roll free to double first."""
    five, decisions = decision_values(plan, boards, which, how)
    return five, node_values(plan, decisions, which)


def cube_actions(
    plan: Plan,
    five: NDArray[np.float32],
    decisions: NDArray[np.float64],
    which: NDArray[np.int64],
) -> NDArray[np.int8]:
    """What happens to each cube: PLAY_ON, TAKEN or PASSED of ``kernels``, int8[n]."""
    table, out = plan.cubes, np.empty(len(which), np.int8)
    count = [not (c.jacoby and c.owner == CENTRED) for c in table.cubes]
    gammons = np.array(count)[which] & (five[:, 1] > 0)
    fill_actions(decisions, gammons, table.constants, which, out)
    return out


def _exact_rows(plan: Plan, classes: NDArray[np.int8]) -> NDArray[np.int64]:
    if not plan.exact:
        return np.empty(0, np.int64)
    return np.flatnonzero(classes == PositionClass.BEAROFF2)


def _exact_decisions(plan: Plan, boards: Boards, which: NDArray[np.int64]) -> NDArray[np.float64]:
    """Exact values of no double and double/take in money play, ``float64[n, 2]``."""
    equities = two_sided_without_double(boards).astype(np.float64)
    column = np.array([OWNER_COLUMN[c.owner] for c in plan.cubes.cubes])[which]
    no_double = equities[np.arange(len(boards)), column]
    return np.stack([no_double, 2 * equities[:, two_sided.OTHER_OWNS]], axis=1)
