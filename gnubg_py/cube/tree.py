"""The cube inside a search: which cubes a node's children must answer for, and its answer.

A node is asked for the values of a position with each of a few cubes, seen by the side on roll. It
asks its children, where the other side is on roll, for the cubes left when that side is not
doubled and when it is, and takes the better of doubling or not, the double answered as is best for
the other side. At the root nothing is doubled: the caller asks for the cube as it is and, to judge
a double, for the one after it (``cube_decision_cubes``). gnubg's search does the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gnubg_py.cube.constants import cube_constants, doubled_constants
from gnubg_py.cube.cubeful import Floats, cubeful_values_of
from gnubg_py.cube.kernels import CAN_DOUBLE, DOUBLE_SCALE, PASS_VALUE, fill_nodes
from gnubg_py.cube.met import MatchEquityTable, kazaross_xg2
from gnubg_py.cube.state import CENTRED, Cube, can_double, double_cube, swap_cube


@dataclass(frozen=True, eq=False)
class CubeStep:
    """From the cubes a node answers for to those its children do.

    ``children``: the distinct cubes, seen by the other side. ``no_double[j]`` and ``double[j]``:
    the child that cube j leads to undoubled, and doubled and taken; -1 where it is not doubled.
    """

    children: tuple[Cube, ...]
    no_double: NDArray[np.int64]
    double: NDArray[np.int64]


def cube_decision_cubes(cube: Cube) -> tuple[Cube, ...]:
    """What to ask the root for: the cube undoubled and, where it can be, doubled and taken."""
    return (cube, double_cube(cube)) if can_double(cube) else (cube,)


def child_cubes(cubes: Sequence[Cube], root: bool = False) -> CubeStep:
    """The cubes the children of a node must answer for, without duplicates.

    In money play values are in units of the cube, so that its height does not matter: children
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

    ``float64[n, len(step.children)] -> float64[n, len(cubes)]``, for the side on roll at the node
    both before and after: turn the children's answers round first (``other_side``). A cube that
    can be turned is, where that is better: ``max(no double, min(double/take, double/pass))``.
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
                value = max(value, min(take, cubes[j, PASS_VALUE]))
            out[i, j] = value


def other_side(values: NDArray[np.float64], cubes: Sequence[Cube]) -> NDArray[np.float64]:
    """Values turned round to the other side's: money changes sign, mwc becomes 1 - mwc."""
    return -values if cubes[0].away is None else 1.0 - values


def leaf_values(
    probabilities: Floats,
    efficiency: Floats,
    cubes: Sequence[Cube],
    met: MatchEquityTable | None = None,
    root: bool = False,
) -> NDArray[np.float64]:
    """What a leaf answers, ``[n, 5]``, ``[n] -> float64[n, len(cubes)]``.

    Below the root the side on roll may double here too, both answers by the static formula.
    """
    met = met or kazaross_xg2()
    if root:
        return cubeful_values_of(probabilities, efficiency, cubes, met)
    out = np.empty((len(probabilities), len(cubes)))
    rows, doubled = cube_constants(tuple(cubes), met), doubled_constants(tuple(cubes), met)
    fill_nodes(probabilities, efficiency, rows, doubled, out)
    return out
