"""The numbers that the kernels need of a cube and its score, computed once as a row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gnubg_py.cube import kernels
from gnubg_py.cube.met import MatchEquityTable, after_game
from gnubg_py.cube.state import CENTRED, OWN, Cube, can_double, double_cube, swap_cube

_MONEY_KIND = {CENTRED: kernels.MONEY_CENTRED, OWN: kernels.MONEY_OWN}
_MATCH_KIND = {CENTRED: kernels.MATCH_CENTRED, OWN: kernels.MATCH_OWN}


@lru_cache(maxsize=64)
def cube_constants(cubes: tuple[Cube, ...], met: MatchEquityTable) -> NDArray[np.float64]:
    """The rows of several cubes for the kernels, ``float64[len(cubes), SIZE]``, read-only."""
    rows = np.empty((len(cubes), kernels.SIZE))
    for row, cube in zip(rows, cubes, strict=True):
        row[:] = _row(cube, met)
    rows.setflags(write=False)
    return rows


@lru_cache(maxsize=64)
def doubled_constants(cubes: tuple[Cube, ...], met: MatchEquityTable) -> NDArray[np.float64]:
    """The rows of the same cubes turned by the side on roll; of those it cannot turn, as is."""
    return cube_constants(tuple(double_cube(c) if can_double(c) else c for c in cubes), met)


@lru_cache(maxsize=4096)
def _row(cube: Cube, met: MatchEquityTable) -> NDArray[np.float64]:
    row = np.zeros(kernels.SIZE)
    row[kernels.CAN_DOUBLE] = can_double(cube)
    if cube.away is None:
        jacoby = cube.jacoby and cube.owner == CENTRED
        kind = _MONEY_KIND.get(cube.owner, kernels.MONEY_OTHER)
        row[kernels.KIND] = kernels.MONEY_JACOBY if jacoby else kind
        row[kernels.DOUBLE_SCALE], row[kernels.PASS_VALUE] = 2.0, 1.0
        return row
    dead = is_dead(cube)
    kind = _MATCH_KIND.get(cube.owner, kernels.MATCH_OTHER)
    row[kernels.KIND] = kernels.MATCH_DEAD if dead else kind
    row[kernels.WIN : kernels.WIN + 3] = _outcomes(cube, cube.value, met)
    row[kernels.LOSE : kernels.LOSE + 3] = _outcomes(cube, -cube.value, met)
    row[kernels.DOUBLE_SCALE], row[kernels.PASS_VALUE] = 1.0, row[kernels.WIN]
    if not dead:
        levels = list(_levels(cube, met))
        row[kernels.TOP_LEVEL] = len(levels) - 1
        end = kernels.LEVELS + len(levels) * kernels.LEVEL_SIZE
        row[kernels.LEVELS : end] = np.concatenate(levels)
    return row


def is_dead(cube: Cube) -> bool:
    """Whether no double can matter any more, to either side, or the model takes it so.

    At 2-away, 2-away gnubg's model values the cube as dead: whoever doubles, and it is at once,
    the game is for the match.
    """
    if cube.away is None:
        return False
    return cube.crawford or max(cube.away) <= cube.value or cube.away == (2, 2)


def _outcomes(cube: Cube, points: int, met: MatchEquityTable) -> list[float]:
    return [after_game(cube, times * points, met) for times in (1, 2, 3)]


def _levels(cube: Cube, met: MatchEquityTable) -> Iterator[list[float]]:
    """The numbers of each doubling from this cube on, while one can still matter to both."""
    assert cube.away is not None
    value = cube.value
    while True:
        yield _doubling(cube, value, met) + _doubling(swap_cube(cube), value, met)
        value *= 2
        if min(cube.away) < value:
            return


def _doubling(cube: Cube, value: int, met: MatchEquityTable) -> list[float]:
    """The mwc of a side that doubles a cube at ``value``: see the layout in ``kernels``."""
    stake = played_value(cube, value)
    return [
        *_outcomes(cube, stake, met),
        *_outcomes(cube, -stake, met),
        after_game(cube, value, met),
        after_game(cube, -2 * value, met),
    ]


def played_value(cube: Cube, value: int) -> int:
    """What the game is played for once the side on roll doubles a cube at ``value``.

    Where that wins it the match and not so the other, the other redoubles at once: it has nothing
    to lose.
    """
    assert cube.away is not None
    automatic = cube.away[0] <= 2 * value < cube.away[1]
    return 4 * value if automatic else 2 * value
