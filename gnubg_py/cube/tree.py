"""The cube inside a search: which cubes a node's children are valued with, and its own values.

A node has the values of a position with each of a few cubes, seen by the side on roll. It needs
from its children, where the other side is on roll, the values with each of these cubes not doubled
and, where it can be, doubled. It takes the better of doubling or not; the other side then takes or
passes as is best for it. At the root nothing is doubled: to judge a double, the caller values the
position with the cube as it is and with the doubled one (``cube_decision_cubes``). gnubg's search
does the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gnubg_py.cube.constants import cube_constants
from gnubg_py.cube.doubling import with_double
from gnubg_py.cube.kernels import CAN_DOUBLE, DOUBLE_SCALE, PASS_VALUE
from gnubg_py.cube.met import MatchEquityTable, kazaross_xg2
from gnubg_py.cube.state import CENTRED, Cube, can_double, double_cube, swap_cube
from gnubg_py.kernel_cache import njit


@dataclass(frozen=True, eq=False)
class CubeStep:
    """From the cubes of a node to those of its children.

    ``children``: the distinct cubes, seen by the other side. ``no_double[j]`` and ``double[j]``:
    the child's cube that cube j becomes if it is not doubled, and if it is doubled and taken; -1
    where it is not doubled.
    """

    children: tuple[Cube, ...]
    no_double: NDArray[np.int64]
    double: NDArray[np.int64]


def cube_decision_cubes(cube: Cube) -> tuple[Cube, ...]:
    """The cubes of a root: the cube not doubled and, where it can be, doubled and taken."""
    return (cube, double_cube(cube)) if can_double(cube) else (cube,)


def in_units_before_doubling(values: NDArray[np.float64], cube: Cube) -> NDArray[np.float64]:
    """The values of ``cube_decision_cubes(cube)`` [n, 2] in units of ``cube``: double/take twice.

    A money value is in units of its own cube; a match winning chance is as it is.
    """
    return values * [1.0, 2.0] if cube.away is None else values


def child_cubes(cubes: Sequence[Cube], root: bool = False) -> CubeStep:
    """The cubes that the children of a node are valued with, without duplicates.

    In money play values are in units of the cube, so that its value does not matter: children
    have 1 when centred, 2 when owned. At the ``root`` no cube is doubled.

    >>> step = child_cubes([Cube(), Cube(2, 1)])
    >>> [(c.value, c.owner) for c in step.children], step.no_double.tolist(), step.double.tolist()
    ([(1, -1), (2, 0)], [0, 1], [1, -1])
    """
    return _child_cubes(tuple(cubes), root)


@lru_cache(maxsize=1024)
def _child_cubes(cubes: tuple[Cube, ...], root: bool) -> CubeStep:
    index: dict[Cube, int] = {}

    def child(cube: Cube) -> int:
        return index.setdefault(_plain(swap_cube(cube)), len(index))

    no_double = np.array([child(cube) for cube in cubes], np.int64)
    double = np.array(
        [child(double_cube(c)) if can_double(c) and not root else -1 for c in cubes], np.int64
    )
    return CubeStep(tuple(index), no_double, double)


def _plain(cube: Cube) -> Cube:
    if cube.away is not None:
        return cube
    return replace(cube, value=1 if cube.owner == CENTRED else 2)


def combine(
    child_values: NDArray[np.float64],
    step: CubeStep,
    cubes: Sequence[Cube],
    met: MatchEquityTable | None = None,
) -> NDArray[np.float64]:
    """The values of positions from the means over the rolls of their children's.

    ``float64[n, len(step.children)] -> float64[n, len(cubes)]``. Both are of the side on roll at
    the node: call ``other_side`` on the children's values first. A cube that can be doubled is,
    where that is better (``doubling.with_double``).
    """
    out = np.empty((len(child_values), len(step.no_double)))
    rows = cube_constants(tuple(cubes), met or kazaross_xg2())
    _fill_combined(child_values, step.no_double, step.double, rows, out)
    return out


@njit(cache=True, nogil=True)
def _fill_combined(child_values, no_double, double, cubes, out):  # type: ignore[no-untyped-def]
    for i in range(child_values.shape[0]):
        for j in range(len(no_double)):
            value = child_values[i, no_double[j]]
            if double[j] >= 0 and cubes[j, CAN_DOUBLE] != 0.0:
                take = cubes[j, DOUBLE_SCALE] * child_values[i, double[j]]
                value = with_double(value, take, cubes[j, PASS_VALUE])
            out[i, j] = value


def other_side(values: NDArray[np.float64], cubes: Sequence[Cube]) -> NDArray[np.float64]:
    """The other side's values: in money play the negative, in a match 1 - mwc."""
    return -values if cubes[0].away is None else 1.0 - values
