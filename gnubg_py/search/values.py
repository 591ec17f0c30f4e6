"""The search for batches of positions: what rollouts, analysis and scoring call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.cube.met import MatchEquityTable, mwc2eq
from gnubg_py.cube.state import CENTRED, Cube, why_no_double
from gnubg_py.cube.tree import cube_decision_cubes
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.search.context import Search, make_search
from gnubg_py.search.nply import search_values
from gnubg_py.search.settings import EvalSettings

_CUBELESS = Cube()


def evaluate_batch(
    boards: Boards,
    settings: EvalSettings | None = None,
    router: Evaluator | None = None,
    **options: Any,
) -> NDArray[np.float32]:
    """Cubeless n-ply probabilities, ``int8[n, 2, 25] -> float32[n, 5]``, side on roll first.

    Plays are chosen by cubeless money equity. ``options`` are those of ``make_search``.
    """
    settings = replace(settings or EvalSettings(), cubeful=False)
    search = make_search(settings, router, **options)
    five, _ = search_values(search, _checked(boards), (_CUBELESS,), settings.plies, root=True)
    return five.astype(np.float32)


def cubeful_values(
    boards: Boards,
    cubes: Sequence[Cube],
    settings: EvalSettings | None = None,
    router: Evaluator | None = None,
    met: MatchEquityTable | None = None,
    *,
    root: bool = True,
    **options: Any,
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """n-ply probabilities and the value with every cube: ``float32[n, 5], float64[n, len(cubes)]``.

    For the side on roll, whose cubes they are; a value is in money play the equity in units of the
    cube, in a match the chance of winning it. With ``root`` the side on roll does not double this
    turn; without, it does where that is right. The first cube decides which plays the search
    expects, so ask together only for cubes of one decision (``cube_decision_cubes``).
    """
    if not cubes:
        raise ValueError("no cubes: at least one is needed")
    settings = settings or EvalSettings()
    search = make_search(settings, router, met, **options)
    five, values = search_values(search, _checked(boards), tuple(cubes), settings.plies, root)
    return five.astype(np.float32), values


@dataclass(frozen=True)
class CubeEquities:
    """Equities of a cube decision for n positions, normalised to the cube before doubling.

    ``probabilities`` float32[n, 5]; the equities float64[n]. ``values`` float64[n, 2] are what
    ``cube.action.cube_decision`` takes: of the cube as it is, and doubled and taken.
    """

    probabilities: NDArray[np.float32]
    no_double: NDArray[np.float64]
    double_take: NDArray[np.float64]
    double_pass: NDArray[np.float64]
    values: NDArray[np.float64]


def cube_decision_batch(
    boards: Boards,
    cube: Cube,
    settings: EvalSettings | None = None,
    router: Evaluator | None = None,
    met: MatchEquityTable | None = None,
    **options: Any,
) -> CubeEquities:
    """The three equities of the side on roll's cube decision in every position.

    ``ValueError`` says why where the cube cannot be turned. Cube decisions are always cubeful.
    """
    reason = why_no_double(cube)
    if reason is not None:
        raise ValueError(reason)
    settings = replace(settings or EvalSettings(), cubeful=True)
    search = make_search(settings, router, met, **options)
    return cube_equities(search, _checked(boards), cube)


def cube_equities(search: Search, boards: Boards, cube: Cube) -> CubeEquities:
    """``cube_decision_batch`` inside a search."""
    asked = cube_decision_cubes(cube)
    five, values = search_values(search, boards, asked, search.settings.plies, root=True)
    no_double = equities(values[:, 0], cube, search)
    double_take = 2 * values[:, 1] if cube.away is None else equities(values[:, 1], cube, search)
    return CubeEquities(
        five.astype(np.float32), no_double, double_take, np.ones(len(boards)), values
    )


def equities(values: NDArray[np.float64], cube: Cube, search: Search) -> NDArray[np.float64]:
    """Values as equities normalised to the cube."""
    return values if cube.away is None else mwc2eq(values, cube, search.met)


def _checked(boards: Boards) -> Boards:
    boards = np.ascontiguousarray(boards, np.int8)
    if boards.ndim != 3 or boards.shape[1:] != (2, 25):
        raise ValueError(f"boards of shape {list(boards.shape)}: should be [n, 2, 25]")
    return boards


def has_gammons(five: NDArray[np.floating[Any]], cube: Cube) -> bool:
    """Whether the side on roll has gammons to win that count: without, it is never too good."""
    counted = not (cube.away is None and cube.jacoby and cube.owner == CENTRED)
    return counted and bool(five[1] > 0)
