"""0-ply: what leaves say of positions, through the cache, and its worth with each cube."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff import two_sided
from gnubg_py.board import Boards
from gnubg_py.cube.efficiency import cube_efficiency
from gnubg_py.cube.state import CENTRED, OTHER, OWN, Cube
from gnubg_py.cube.tree import leaf_values
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.keys import board_keys, distinct
from gnubg_py.search.context import Search
from gnubg_py.threads import map_slices

_SLICE = 2048


def probabilities(search: Search, boards: Boards) -> NDArray[np.float32]:
    """The evaluator's five probabilities of every board, through the cache."""
    keys = board_keys(boards)
    rows, inverse = distinct(keys)
    tag = search.cache.tag("static", *search.identity)
    found, hit = search.cache.static.look_up(keys[rows], tag, 5)
    todo = np.flatnonzero(~hit)
    if len(todo):
        asked = rows[todo]
        found[todo] = ask(search, _taken(boards, asked))
        search.cache.static.insert(keys[asked], tag, found[todo])
    return np.asarray(found[inverse], np.float32)


def ask(
    search: Search,
    boards: Boards,
    parents: Boards | None = None,
    first: NDArray[np.int64] | None = None,
) -> NDArray[np.float32]:
    """The evaluator's answer, the cache not asked.

    Where ``boards[first[i]:first[i + 1]]`` resemble ``parents[i]``, and the evaluator can make use
    of that, it is sooner.
    """
    search.check()
    if search.count is not None:
        search.count(len(boards))
    faster = getattr(search.evaluator, "evaluate_children", None)
    if faster is None or parents is None or first is None:
        return search.evaluator(boards)
    answer: NDArray[np.float32] = faster(parents, boards, first)
    return answer


def _taken(boards: Boards, rows: NDArray[np.int64]) -> Boards:
    return boards if len(rows) == len(boards) else boards[rows]


def static_values(
    search: Search,
    boards: Boards,
    five: NDArray[np.float32],
    cubes: Sequence[Cube],
    root: bool,
) -> NDArray[np.float64]:
    """What positions are worth with each cube by their probabilities, ``float64[n, len(cubes)]``.

    Below the ``root`` the side on roll doubles where that is better. A cubeless search takes the
    cube as dead.
    """
    out = np.empty((len(boards), len(cubes)))

    def work(rows: slice) -> None:
        out[rows] = _static_values(search, boards[rows], five[rows], cubes, root)

    map_slices(work, len(boards), _SLICE)
    return out


def _static_values(
    search: Search,
    boards: Boards,
    five: NDArray[np.float32],
    cubes: Sequence[Cube],
    root: bool,
) -> NDArray[np.float64]:
    if not search.settings.cubeful:
        return leaf_values(five, np.zeros(len(boards), np.float32), cubes, search.met, root=True)
    classes = classify(boards)
    x = cube_efficiency(boards, classes, search.efficiency)
    values = leaf_values(five, x, cubes, search.met, root)
    if search.exact_bearoff and cubes[0].away is None:
        exact = np.flatnonzero(classes == PositionClass.BEAROFF2)
        if len(exact):
            values[exact] = _exact_values(boards[exact], cubes, root)
    return values


OWNER_COLUMN = {CENTRED: two_sided.CENTRED, OWN: two_sided.OWNED, OTHER: two_sided.OTHER_OWNS}
"""The two-sided database's column of equities for a cube, by its owner."""


def _exact_values(boards: Boards, cubes: Sequence[Cube], root: bool) -> NDArray[np.float64]:
    """Money values of BEAROFF2 positions from the two-sided database."""
    from gnubg_py.evaluators.bearoff import two_sided_equities, two_sided_without_double

    equities = two_sided_without_double(boards) if root else two_sided_equities(boards)
    return equities[:, [OWNER_COLUMN[c.owner] for c in cubes]].astype(np.float64)


def is_final(search: Search, boards: Boards) -> NDArray[np.bool_]:
    """Positions that no search makes truer: games over, and the two-sided database's."""
    classes = classify(boards)
    final: NDArray[np.bool_] = classes == PositionClass.OVER
    if search.exact_bearoff:
        final |= classes == PositionClass.BEAROFF2
    return final
