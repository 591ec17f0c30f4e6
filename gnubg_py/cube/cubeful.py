"""Cubeless and cubeful values of a batch of positions, from their five probabilities.

The unit of a *value* is, in money play, the equity in units of the cube, and in match play the
match winning chance (mwc): what gnubg carries up its tree. An *equity* is always normalised to the
cube: +1 is winning the cube's value now. ``met.eq2mwc`` and ``met.mwc2eq`` convert. Everything is
the side on roll's, which does not double this turn; ``tree.leaf_values`` is where it may.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnubg_py.cube.constants import cube_constants
from gnubg_py.cube.kernels import fill_each, fill_values
from gnubg_py.cube.met import MatchEquityTable, after_game, kazaross_xg2, mwc2eq
from gnubg_py.cube.state import CENTRED, Cube

Floats: TypeAlias = NDArray[np.floating[Any]]


def cubeful_values(
    probabilities: Floats, efficiency: Floats, cube: Cube, met: MatchEquityTable | None = None
) -> NDArray[np.float64]:
    """The value of every position with one cube, ``[n, 5]``, ``[n] -> float64[n]``.

    >>> half = np.array([[0.5, 0, 0, 0, 0]], np.float32)
    >>> x = np.array([0.68])
    >>> [cubeful_values(half, x, c).tolist() for c in (Cube(2, 0), Cube(away=(3, 3)))]
    [[0.17], [0.5]]
    """
    return cubeful_values_of(probabilities, efficiency, (cube,), met)[:, 0]


def cubeful_values_of(
    probabilities: Floats,
    efficiency: Floats,
    cubes: Sequence[Cube],
    met: MatchEquityTable | None = None,
) -> NDArray[np.float64]:
    """The value of every position with every cube, ``[n, 5]``, ``[n] -> float64[n, k]``."""
    out = np.empty((len(probabilities), len(cubes)))
    rows = cube_constants(tuple(cubes), met or kazaross_xg2())
    fill_values(probabilities, efficiency, rows, out)
    return out


def cubeful_values_each(
    probabilities: Floats,
    efficiency: Floats,
    constants: NDArray[np.float64],
    which: NDArray[np.integer[Any]],
) -> NDArray[np.float64]:
    """The value of every position with its own cube, ``[n, 5]``, ``[n] -> float64[n]``.

    ``constants`` is ``cube_constants(cubes, met)``, and ``which[i]`` the row of position i.
    """
    out = np.empty(len(probabilities))
    fill_each(probabilities, efficiency, constants, which, out)
    return out


def cubeful_equities(
    probabilities: Floats, efficiency: Floats, cube: Cube, met: MatchEquityTable | None = None
) -> NDArray[np.float64]:
    """The equity of every position, normalised to the cube, in money and match play alike."""
    met = met or kazaross_xg2()
    values = cubeful_values(probabilities, efficiency, cube, met)
    return values if cube.away is None else mwc2eq(values, cube, met)


def cubeless_equity(probabilities: Floats) -> Floats:
    """The money equity without a cube, ``[..., 5] -> [...]``.

    >>> float(cubeless_equity(np.array([0.6, 0.2, 0.1, 0.1, 0.0])))
    0.4
    """
    return np.asarray(2 * probabilities[..., 0] - 1 + probabilities[..., 1:] @ _GAMMON_SIGNS)


_GAMMON_SIGNS = np.array([1, 1, -1, -1], np.float32)


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
    wins = [mwc2eq(after_game(cube, k * cube.value, met), cube, met) for k in (1, 2, 3)]
    losses = [mwc2eq(after_game(cube, -k * cube.value, met), cube, met) for k in (1, 2, 3)]
    steps = [
        (wins[1] - wins[0], wins[2] - wins[1]),
        (losses[0] - losses[1], losses[1] - losses[2]),
    ]
    (win_gammon, win_bg), (lose_gammon, lose_bg) = [[max(s, 0.0) for s in pair] for pair in steps]
    return GammonPrices(win_gammon, win_bg, lose_gammon, lose_bg)


def utility(probabilities: Floats, cube: Cube, met: MatchEquityTable | None = None) -> Floats:
    """The cubeless equity at a score, gammons at their price, ``[..., 5] -> [...]``.

    What gnubg prints as the cubeless equity in a match; with a dead cube it is the equity.
    """
    price = gammon_prices(cube, met)
    prices = [price.win_gammon, price.win_backgammon, -price.lose_gammon, -price.lose_backgammon]
    return np.asarray(2 * probabilities[..., 0] - 1 + probabilities[..., 1:] @ np.array(prices))
