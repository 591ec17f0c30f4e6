"""The value of positions with the cube, from their five probabilities: one home for all callers.

The unit of a *value* is, in money play, the equity in units of the cube, and in match play the
match winning chance (mwc). An *equity* is always normalised to the cube: +1 is winning the cube's
value now. ``met.equity_of`` converts. Everything is the side on roll's.

A search values every position with each of a few cubes; in a rollout each game has a cube of its
own. Both number their cubes in a ``CubeTable`` and pass, for each value, the number of its cube.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff import two_sided
from gnubg_py.bearoff.two_sided import apply_doubles
from gnubg_py.board import Boards
from gnubg_py.cube.constants import cube_constants, doubled_constants
from gnubg_py.cube.efficiency import (
    DEFAULT_EFFICIENCY,
    CubeEfficiency,
    curve_numbers,
    efficiency_curves,
    flat_curves,
    learned_classes,
)
from gnubg_py.cube.efficiency_net import position_efficiency
from gnubg_py.cube.kernels import fill_values
from gnubg_py.cube.met import (
    MatchEquityTable,
    after_game,
    equity_of_chance,
    kazaross_xg2,
    value_of_a_point,
)
from gnubg_py.cube.state import CENTRED, OTHER, OWN, Cube
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.protocol import ExactEvaluator
from gnubg_py.kernel_cache import njit
from gnubg_py.probabilities import Floats
from gnubg_py.threads import map_slices

Numbers: TypeAlias = NDArray[np.int64]

_SLICE = 2048
DEAD = flat_curves(np.zeros(1))
"""The curves of a cube that is not doubled any more."""


@dataclass(frozen=True, eq=False)
class CubeTable:
    """Some cubes, numbered, with what the kernels need of each.

    ``constants`` and ``doubled``: the rows of ``constants.py`` for each cube, and for the same cube
    doubled by the side on roll. ``weights[i]`` float64[5]: what each of the five probabilities adds
    to the value if cube i is never doubled again; gammons count whatever the Jacoby rule, as in
    gnubg. ``points[i]``: a point of equity in values. ``columns[i]``: the column of cube i in the
    equities of an ``ExactEvaluator``.
    """

    cubes: tuple[Cube, ...]
    constants: NDArray[np.float64]
    doubled: NDArray[np.float64]
    weights: NDArray[np.float64]
    points: NDArray[np.float64]
    columns: Numbers
    is_match: bool


NOTHING_EXACT: Mapping[PositionClass, ExactEvaluator] = MappingProxyType({})
_COLUMNS = {CENTRED: two_sided.CENTRED, OWN: two_sided.OWNED, OTHER: two_sided.OTHER_OWNS}


def _column(cube: Cube) -> int:
    """The column of a cube in the equities of an ``ExactEvaluator``."""
    jacoby = cube.jacoby and cube.owner == CENTRED
    return two_sided.CENTRED_JACOBY if jacoby else _COLUMNS[cube.owner]


@lru_cache(maxsize=1024)
def _cube_table(cubes: tuple[Cube, ...], met: MatchEquityTable) -> CubeTable:
    return CubeTable(
        cubes,
        cube_constants(cubes, met),
        doubled_constants(cubes, met),
        np.array([_weights(cube, met) for cube in cubes]),
        np.array([value_of_a_point(cube, met) for cube in cubes]),
        np.array([_column(cube) for cube in cubes], np.int64),
        cubes[0].away is not None,
    )


def cube_table(cubes: Sequence[Cube], met: MatchEquityTable | None = None) -> CubeTable:
    """The table of these cubes, numbered from 0 in their order."""
    return _cube_table(tuple(cubes), met or kazaross_xg2())


def without_jacoby(cube: Cube) -> Cube:
    """The cube for cubeless values, in which gammons always count."""
    return replace(cube, jacoby=False) if cube.jacoby else cube


def cubeful_values(
    five: Floats,
    efficiency: Floats,
    table: CubeTable,
    numbers: Numbers | None = None,
    may_double: bool = False,
) -> NDArray[np.float64]:
    """The values of positions with cubes of some efficiency, ``[n, 5]``, ``[n] -> float64[n, k]``.

    ``numbers`` int64[n, k] are the cubes of each position; int64[1, k] is the same cubes for all,
    and None all cubes of the table. The side on roll doubles first where that is better if it
    ``may_double``, the answer to the double being the static formula's too.

    >>> half = np.array([[0.5, 0, 0, 0, 0]], np.float32)
    >>> x = np.array([0.68])
    >>> [cubeful_values(half, x, cube_table([c])).item() for c in (Cube(2, 0), Cube(away=(3, 3)))]
    [0.17, 0.5]
    """
    numbers = np.arange(len(table.cubes))[None] if numbers is None else numbers
    out = np.empty((len(five), numbers.shape[1]))
    known, which = np.unique(efficiency, return_inverse=True)
    curves = flat_curves(known)
    fill_values(five, curves, which, table.constants, table.doubled, numbers, may_double, out)
    return out


def node_values(
    boards: Boards,
    classes: NDArray[np.int8],
    five: Floats,
    table: CubeTable,
    numbers: Numbers | None = None,
    *,
    may_double: bool = True,
    cubeful: bool = True,
    exact: Mapping[PositionClass, ExactEvaluator] = NOTHING_EXACT,
    efficiency: CubeEfficiency = DEFAULT_EFFICIENCY,
    by_position: bool = False,
) -> NDArray[np.float64]:
    """The values of boards of these classes, as ``cubeful_values``: ``float64[n, k]``.

    The cube's efficiency is on the curves of each board's class (``efficiency.py``); with
    ``by_position`` contact positions have their own (``efficiency_net.py``). Money values
    of the classes of ``exact`` are those of their databases. If not ``cubeful``, no cube is doubled
    any more.
    """
    may_double = may_double and cubeful
    numbers = np.arange(len(table.cubes))[None] if numbers is None else numbers
    out = np.empty((len(boards), numbers.shape[1]))
    curves = efficiency_curves(efficiency) if cubeful else DEAD

    def work(rows: slice) -> None:
        of_rows = numbers if len(numbers) == 1 else numbers[rows]
        which, known = np.zeros(len(classes[rows]), np.int64), curves
        if cubeful:
            which = curve_numbers(boards[rows], classes[rows])
        if cubeful and by_position:
            own = np.flatnonzero(np.isin(classes[rows], learned_classes(efficiency)))
            found = position_efficiency(boards[rows][own], five[rows][own])
            which[own] = len(curves) + np.arange(len(own))
            known = np.concatenate([curves, flat_curves(found)])
        rest = (table.constants, table.doubled, of_rows, may_double, out[rows])
        fill_values(five[rows], known, which, *rest)

    map_slices(work, len(boards), _SLICE)
    for position_class, evaluator in exact.items() if cubeful and not table.is_match else ():
        rows = np.flatnonzero(classes == position_class)
        if len(rows):
            known = evaluator.money_equities(boards[rows])
            if may_double:
                apply_doubles(known)
            columns = table.columns[numbers if len(numbers) == 1 else numbers[rows]]
            out[rows] = known[np.arange(len(rows))[:, None], columns]
    return out


def cubeless_values(five: Floats, table: CubeTable, numbers: Numbers) -> NDArray[np.float64]:
    """The values if no cube is doubled again, less a constant of each cube: ``float64[n]``.

    ``numbers`` int64[n], or int64[1] where all positions have one cube.
    """
    # Not a matrix product, whose last bit depends on where in the batch a row is.
    out = np.empty(len(five))
    _fill_cubeless(five, table.weights, numbers, out)
    return out


@njit(cache=True, nogil=True)
def _fill_cubeless(five, weights, numbers, out):  # type: ignore[no-untyped-def]
    step = 0 if len(numbers) == 1 else 1
    for i in range(five.shape[0]):
        out[i] = cubeless_value(five, i, weights[numbers[i * step]])


@njit(cache=True, nogil=True, forceinline=True)
def cubeless_value(five, i, weight):  # type: ignore[no-untyped-def]
    """What row i of ``five`` is worth by a row of ``CubeTable.weights``."""
    total = 0.0
    for k in range(5):
        total += weight[k] * five[i, k]
    return total


# Games won single, by a gammon, a backgammon, and lost so, as five probabilities.
_OUTCOMES = np.array(
    [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 1, 1],
    ],
    np.float32,
)


@lru_cache(maxsize=4096)
def _weights(cube: Cube, met: MatchEquityTable) -> NDArray[np.float64]:
    """The row of a cube in ``CubeTable.weights``: for money 2, 1, 1, -1, -1."""
    rows = cube_constants((without_jacoby(cube),), met)
    values = np.empty((6, 1))
    only = np.zeros((1, 1), np.int64)
    fill_values(_OUTCOMES, DEAD, np.zeros(6, np.int64), rows, rows, only, False, values)
    single, gammon, backgammon, lost, by_gammon, by_backgammon = values[:, 0]
    return np.array(
        [
            single - lost,
            gammon - single,
            backgammon - gammon,
            by_gammon - lost,
            by_backgammon - by_gammon,
        ]
    )


@dataclass(frozen=True)
class GammonPrices:
    """What a gammon adds to a win, and a backgammon to a gammon, in units of a win minus none.

    All 1 in money play, 0 with a centred cube under the Jacoby rule; 0.5 is the textbook's "gammon
    value" of 50 % of money's.
    """

    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float


def gammon_prices(cube: Cube, met: MatchEquityTable | None = None) -> GammonPrices:
    """The gammon prices at a score and cube, as gnubg's ``show gammonvalues`` gives them.

    >>> gammon_prices(Cube(2, 0, away=(2, 4))).win_gammon
    0.0
    """
    if cube.away is None:
        return GammonPrices(*[0.0 if cube.jacoby and cube.owner == CENTRED else 1.0] * 4)
    met = met or kazaross_xg2()

    def price(points: int) -> float:
        return equity_of_chance(after_game(cube, points * cube.value, met), cube, met)

    wins, losses = [price(k) for k in (1, 2, 3)], [price(-k) for k in (1, 2, 3)]
    won = [wins[1] - wins[0], wins[2] - wins[1]]
    lost = [losses[0] - losses[1], losses[1] - losses[2]]
    return GammonPrices(*(max(price, 0.0) for price in won + lost))


def utility(
    five: Floats, cube: Cube, met: MatchEquityTable | None = None, jacoby: bool = False
) -> Floats:
    """The cubeless equity at a score, gammons at their price, ``[..., 5] -> [...]``.

    What gnubg prints as the cubeless equity. In money play gammons count, whatever the Jacoby rule,
    unless ``jacoby`` asks for it.
    """
    return priced(five, prices(cube, met, jacoby))


def priced(five: Floats, price: NDArray[np.float64]) -> Floats:
    """The equity where each probability adds its price, ``[..., 5] -> [...]``; see ``prices``."""
    return np.asarray(2 * five[..., 0] - 1 + five[..., 1:] @ price[1:])


def prices(
    cube: Cube, met: MatchEquityTable | None = None, jacoby: bool = False
) -> NDArray[np.float64]:
    """What each of the five probabilities adds to the cubeless equity, which is -1 without them.

    The cube's Jacoby rule holds only with ``jacoby``.
    """
    price = gammon_prices(cube if jacoby else without_jacoby(cube), met)
    gammons = [price.win_gammon, price.win_backgammon]
    return np.array([2.0, *gammons, -price.lose_gammon, -price.lose_backgammon])
