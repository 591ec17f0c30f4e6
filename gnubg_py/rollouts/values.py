"""The values of positions in a rollout, where every game has a cube of its own.

A game's cube is its number among the ``GameCubes``. A value is, as in ``gnubg_py.cube``, in units
of that cube in money play and a match winning chance in match play.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.cube.decision import gammons_count
from gnubg_py.cube.doubling import decisions, values_with_double
from gnubg_py.cube.kernels import DOUBLE_SCALE, PASS_VALUE
from gnubg_py.cube.met import MatchEquityTable, value_of_a_point
from gnubg_py.cube.state import MAX_VALUE, Cube, can_double, double_cube, swap_cube
from gnubg_py.cube.tree import child_cubes, cube_decision_cubes
from gnubg_py.cube.values import CubeTable, Numbers, cube_table, node_values
from gnubg_py.dice import ROLLS
from gnubg_py.engine import Engine
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.evaluators.router import LEARNED, Router
from gnubg_py.probabilities import WIN_GAMMON
from gnubg_py.rollouts.counts import levels_of
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.search.cache import Table
from gnubg_py.search.context import Search, StopToken, make_search
from gnubg_py.search.noise import new_draw
from gnubg_py.search.nply import search_values
from gnubg_py.search.settings import EvalSettings
from gnubg_py.search.values import cubeless_probabilities
from gnubg_py.search.values import values as searched

QUANTITIES = 6
"""gnubg's five probabilities, and the cubeful value in units of the first cube or mwc."""

ROLL_VALUES = len(ROLLS) * QUANTITIES
_EARLY_BOARDS = 1 << 14


@dataclass(frozen=True, eq=False)
class GameCubes:
    """Every cube that can occur in the games of a rollout, numbered.

    All as seen by the side on roll. ``swapped[i]``: cube i seen by the other side. ``doubled[i]``:
    after a double is taken, still seen by the doubler; -1 where it cannot be doubled. ``stake[i]``:
    its value in units of the first cube's in money play, 1 in match play. ``level[i]``: the place
    of its value among 1, 2, 4 ... ``gammons[i]``: whether
    gammons count while the cube stays as it is. ``searched[i]``: the first of the cubes for which a
    search finds the same values: in money play all with one owner, since values are in units of the
    cube. ``point[i]``: what a point of equity is in values.
    """

    table: CubeTable
    swapped: Numbers
    doubled: Numbers
    stake: NDArray[np.float64]
    level: NDArray[np.int64]
    gammons: NDArray[np.bool_]
    searched: Numbers
    point: NDArray[np.float64]

    def index(self, cube: Cube) -> int:
        """The number of a cube."""
        return self.table.cubes.index(cube)


def game_cubes(starts: Sequence[Cube], met: MatchEquityTable, cubeful: bool) -> GameCubes:
    """The cubes of games that start with ``starts``; if not ``cubeful``, none is doubled.

    >>> from gnubg_py.cube.met import kazaross_xg2
    >>> len(game_cubes([Cube()], kazaross_xg2(), True).table.cubes)
    25
    """
    cubes = list(dict.fromkeys(starts))
    for cube in cubes:  # the list grows in the loop
        following = [swap_cube(cube)]
        if cubeful and can_double(cube):
            following.append(double_cube(cube))
        cubes += [c for c in following if c not in cubes]
    number = {cube: i for i, cube in enumerate(cubes)}
    is_match = starts[0].away is not None
    doubled = [number[double_cube(c)] if cubeful and can_double(c) else -1 for c in cubes]
    stakes = [1.0 if is_match else c.value / starts[0].value for c in cubes]
    return GameCubes(
        cube_table(cubes, met),
        np.array([number[swap_cube(c)] for c in cubes], np.int64),
        np.array(doubled, np.int64),
        np.array(stakes),
        levels_of(tuple(cubes)),
        np.array([gammons_count(c) for c in cubes]),
        _searched_alike(cubes),
        np.array([value_of_a_point(c, met) for c in cubes]),
    )


def _searched_alike(cubes: Sequence[Cube]) -> Numbers:
    """For each cube the first of those that differ from it, in money play, in their value alone."""
    first: dict[tuple[object, ...], int] = {}
    kinds = [(c.owner, c.value == MAX_VALUE, c.jacoby) if c.away is None else (c,) for c in cubes]
    return np.array([first.setdefault(kind, i) for i, kind in enumerate(kinds)], np.int64)


@dataclass(frozen=True, eq=False)
class Plan:
    """What all games of a rollout share.

    ``fast`` is the evaluator that judges luck. ``early`` keeps the values of the rolls of the first
    turns, where many games come through the same positions. ``stop`` ends games that are being
    played. ``draw`` is that of noise that is not deterministic.
    """

    settings: RolloutSettings
    engine: Engine
    fast: Evaluator
    cubes: GameCubes
    early: Table = field(default_factory=lambda: Table(_EARLY_BOARDS, ROLL_VALUES, np.float64))
    stop: StopToken = field(default_factory=StopToken)
    draw: int = field(default_factory=new_draw)

    def search(self, settings: EvalSettings) -> Search:
        """A search by these settings."""
        return make_search(self.engine, settings, stop=self.stop, draw=self.draw)

    def search_of_plays(self, settings: EvalSettings) -> Search:
        """The same, cubeless in a cubeless rollout."""
        cubeful = settings.cubeful and self.settings.cubeful
        return self.search(replace(settings, cubeful=cubeful))


def fast_of(engine: Engine) -> Evaluator:
    """The evaluator with the pruner in place of its nets, if it has one for them."""
    evaluator, pruner = engine.evaluator, engine.pruner
    if pruner is None or not isinstance(evaluator, Router):
        return evaluator
    return replace(evaluator, table={**evaluator.table, **dict.fromkeys(LEARNED, pruner)})


def make_plan(
    settings: RolloutSettings,
    engine: Engine,
    cubes: Sequence[Cube],
    fast: Evaluator | None = None,
) -> Plan:
    """The plan of a rollout whose games begin with any of these cubes."""
    numbered = game_cubes(cubes, engine.met, settings.cubeful)
    return Plan(settings, engine, fast or fast_of(engine), numbered)


def is_static(settings: EvalSettings) -> bool:
    """Whether no search is needed: 0-ply without noise."""
    return settings.plies == 0 and settings.noise == 0


def static_values(
    plan: Plan,
    boards: Boards,
    classes: NDArray[np.int8],
    five: NDArray[np.float32],
    numbers: Numbers,
) -> NDArray[np.float64]:
    """The 0-ply cubeful values, the side on roll free to double first, ``float64[n]``."""
    return node_values(
        boards,
        classes,
        five,
        plan.cubes.table,
        numbers[:, None],
        exact=plan.engine.exact,
        efficiency=plan.engine.efficiency,
    )[:, 0]


def decision_values(
    plan: Plan, boards: Boards, numbers: Numbers, settings: EvalSettings
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Probabilities, and the values of no double and of double/take: ``[n, 5]``, float64[n, 2].

    Both are in units of the cube before doubling. For cubes that cannot be doubled the second value
    means nothing. Cube decisions are always cubeful.
    """
    cubes = plan.cubes
    after_double = cubes.doubled[numbers]
    pairs = np.stack([numbers, np.where(after_double >= 0, after_double, numbers)], axis=1)
    if is_static(settings):
        five = plan.engine.evaluator(boards)
        values = node_values(
            boards,
            plan.engine.classes(boards),
            five,
            cubes.table,
            pairs,
            may_double=False,
            exact=plan.engine.exact,
            efficiency=plan.engine.efficiency,
        )
    else:
        search = plan.search(replace(settings, cubeful=True))
        five, values = np.empty((len(boards), 5), np.float32), np.empty((len(boards), 2))
        kinds = cubes.searched[numbers]
        for k in np.unique(kinds).tolist():
            rows = np.flatnonzero(kinds == k)
            of_decision = cube_decision_cubes(cubes.table.cubes[k])
            five[rows], found = searched(search, boards[rows], of_decision)
            values[rows, 0], values[rows, 1] = found[:, 0], found[:, -1]
    values[:, 1] *= cubes.table.constants[numbers, DOUBLE_SCALE]
    return five, values


def best_values(plan: Plan, decided: NDArray[np.float64], numbers: Numbers) -> NDArray[np.float64]:
    """The better of no double and double, answered rightly: ``float64[n, 2] -> float64[n]``."""
    passed = plan.cubes.table.constants[numbers, PASS_VALUE]
    return values_with_double(decided, passed, plan.cubes.doubled[numbers] >= 0)


def searched_values(
    plan: Plan, boards: Boards, numbers: Numbers, settings: EvalSettings
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Probabilities and cubeful values at any depth, the side on roll free to double first.

    A cubeless rollout has no cubeful values: they are 0.
    """
    if not plan.settings.cubeful and not is_static(settings):
        five = cubeless_probabilities(plan.search(settings), boards)
        return five, np.zeros(len(boards))
    if settings.plies == 0:
        five, decided = decision_values(plan, boards, numbers, settings)
        return five, best_values(plan, decided, numbers)
    search = plan.search(replace(settings, cubeful=True))
    classes = plan.engine.classes(boards)
    five, values = np.empty((len(boards), 5), np.float32), np.empty(len(boards))
    kinds = plan.cubes.searched[numbers]
    for k in np.unique(kinds).tolist():
        rows = np.flatnonzero(kinds == k)
        # With these cubes the search of the turn before has valued most of these positions.
        cubes = child_cubes((swap_cube(plan.cubes.table.cubes[k]),)).children
        five[rows], found = search_values(
            search, boards[rows], classes[rows], cubes, settings.plies, False
        )
        values[rows] = found[:, 0]
    return five, values


def choose_cube_actions(
    plan: Plan, five: NDArray[np.float32], decided: NDArray[np.float64], numbers: Numbers
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each side on roll doubles, and whether a double is passed: ``bool[n]`` each."""
    passed = plan.cubes.table.constants[numbers, PASS_VALUE]
    gammons = plan.cubes.gammons[numbers] & (five[:, WIN_GAMMON] > 0)
    return decisions(decided, passed, gammons)
