"""Search positions before the roll: their values, and cube decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.cube.decision import CubeDecision, cube_decision
from gnubg_py.cube.met import equity_of
from gnubg_py.cube.state import Cube, check_double
from gnubg_py.cube.tree import cube_decision_cubes, in_units_before_doubling
from gnubg_py.evaluators.router import contact_net
from gnubg_py.search.context import Search
from gnubg_py.search.nply import search_values


def values(
    search: Search, boards: Boards, cubes: Sequence[Cube], *, root: bool = True
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """n-ply probabilities and the value with every cube: ``float32[n, 5], float64[n, len(cubes)]``.

    For the side on roll, whose cubes they are; a value is in money play the equity in units of the
    cube, in a match the chance of winning it. With ``root`` the side on roll does not double this
    turn; without, it does where that is right. The first cube decides which plays the search
    expects, so only the cubes of one decision (``cube_decision_cubes``) belong together.
    """
    if not cubes:
        raise ValueError("no cubes: at least one is needed")
    boards = _checked(boards)
    plies, classes = search.settings.plies, search.engine.classes(boards)
    five, found = search_values(search, boards, classes, tuple(cubes), plies, root)
    return five.astype(np.float32), found


def cubeless_probabilities(search: Search, boards: Boards) -> NDArray[np.float32]:
    """n-ply probabilities in money play without a cube, ``int8[n, 2, 25] -> float32[n, 5]``."""
    cubeless = replace(search, settings=replace(search.settings, cubeful=False))
    return values(cubeless, boards, (Cube(),))[0]


@dataclass(frozen=True)
class CubeEquities:
    """The cube decisions of n positions: probabilities and equities for the side on roll.

    ``probabilities`` float32[n, 5]. ``values`` float64[n, 2] are of no double and of double/take,
    in money play in units of the cube before doubling; ``no_double`` and ``double_take``
    float64[n] the same as equities normalised to that cube. A double that is passed is worth 1.
    """

    probabilities: NDArray[np.float32]
    values: NDArray[np.float64]
    no_double: NDArray[np.float64]
    double_take: NDArray[np.float64]


def cube_equities(search: Search, boards: Boards, cube: Cube) -> CubeEquities:
    """The equities of the side on roll's cube decision in every position.

    Cube decisions are always cubeful. Up to 1 ply contact positions that a net of ours values have
    their own efficiency of the cube; deeper searches are what that was learned from.
    ``ValueError`` says why where the cube cannot be doubled.
    """
    check_double(cube)
    settings = replace(search.settings, cubeful=True)
    by_position = settings.plies <= 1 and contact_net(search.engine.evaluator) is not None
    search = replace(search, settings=settings, by_position=by_position)
    five, found = values(search, boards, cube_decision_cubes(cube))
    found = in_units_before_doubling(found, cube)
    equities = equity_of(found, cube, search.engine.met)
    return CubeEquities(five, found, equities[:, 0], equities[:, 1])


def decide_cube(search: Search, boards: Boards, cube: Cube) -> list[CubeDecision]:
    """The cube decision of every position; ``ValueError`` as ``cube_equities``."""
    found = cube_equities(search, boards, cube)
    return [
        cube_decision((no_double, take), cube, search.engine.met, gammons=bool(five[1] > 0))
        for (no_double, take), five in zip(found.values.tolist(), found.probabilities, strict=True)
    ]


def _checked(boards: Boards) -> Boards:
    boards = np.ascontiguousarray(boards, np.int8)
    if boards.ndim != 3 or boards.shape[1:] != (2, 25):
        raise ValueError(f"boards of shape {list(boards.shape)}: should be [n, 2, 25]")
    return boards
