"""The cubes that can occur in the games of a rollout, numbered, with what kernels need of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gnubg_py.cube.constants import cube_constants, doubled_constants
from gnubg_py.cube.cubeful import gammon_prices
from gnubg_py.cube.met import MatchEquityTable
from gnubg_py.cube.state import Cube, can_double, double_cube, swap_cube


@dataclass(frozen=True, eq=False)
class CubeTable:
    """Every cube that games from the given ones can come to; a game's cube is its number here.

    All as seen by the side on roll. ``swapped[i]``: cube i seen by the other side. ``doubled[i]``:
    after a double is taken, still seen by the doubler; -1 where it cannot be. ``constants`` and
    ``doubled_constants``: the rows of ``gnubg_py.cube``. ``stake[i]``: its value in units of
    the first cube's in money play, 1 in match play, where values are mwc.
    ``prices[i]``: a position's cubeless equity is ``probabilities @ prices[i] - 1``.
    """

    cubes: tuple[Cube, ...]
    swapped: NDArray[np.int64]
    doubled: NDArray[np.int64]
    constants: NDArray[np.float64]
    doubled_constants: NDArray[np.float64]
    stake: NDArray[np.float64]
    prices: NDArray[np.float64]
    is_match: bool

    def index(self, cube: Cube) -> int:
        """The number of a cube."""
        return self.cubes.index(cube)

    def other_side(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values turned round: money changes sign, mwc becomes 1 - mwc."""
        return 1.0 - values if self.is_match else -values


def cube_table(starts: Sequence[Cube], met: MatchEquityTable, cubeful: bool) -> CubeTable:
    """The table of all cubes that come of ``starts``; without ``cubeful`` none is turned.

    >>> from gnubg_py.cube.met import kazaross_xg2
    >>> len(cube_table([Cube()], kazaross_xg2(), True).cubes)
    25
    """
    cubes = list(dict.fromkeys(starts))
    for cube in cubes:  # grows as it goes
        following = [swap_cube(cube)]
        if cubeful and can_double(cube):
            following.append(double_cube(cube))
        cubes += [c for c in following if c not in cubes]
    number = {cube: i for i, cube in enumerate(cubes)}
    is_match = starts[0].away is not None
    doubled = [number[double_cube(c)] if cubeful and can_double(c) else -1 for c in cubes]
    stakes = [1.0 if is_match else c.value / starts[0].value for c in cubes]
    return CubeTable(
        tuple(cubes),
        np.array([number[swap_cube(c)] for c in cubes], np.int64),
        np.array(doubled, np.int64),
        cube_constants(tuple(cubes), met),
        doubled_constants(tuple(cubes), met),
        np.array(stakes),
        np.array([_price_row(c, met) for c in cubes]),
        is_match,
    )


def _price_row(cube: Cube, met: MatchEquityTable) -> list[float]:
    # A centred cube under the Jacoby rule may yet be turned: gammons count in plays.
    price = gammon_prices(replace(cube, jacoby=False), met)
    return [
        2.0,
        price.win_gammon,
        price.win_backgammon,
        -price.lose_gammon,
        -price.lose_backgammon,
    ]
