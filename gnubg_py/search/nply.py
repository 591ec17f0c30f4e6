"""The n-ply search, breadth-first: a whole batch of positions goes down one ply at a time.

A position's n-ply value is the mean over the 21 rolls of the other side's (n-1)-ply value after
the best play of the roll, seen by the side on roll. The best play is that of the best 0-ply value
(``best.py``), with the first of the node's cubes, not doubled; with ``EvalSettings.inner_plies``
that of the best value after as many plies (``_by_inner_search``). gnubg's search has the same
numbers as the first and a different order of work.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.cube.state import Cube
from gnubg_py.cube.tree import CubeStep, child_cubes, combine, other_side
from gnubg_py.cube.values import cubeless_values
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.groups import lowest
from gnubg_py.keys import board_keys, distinct
from gnubg_py.search.best import (
    ONE_CUBE,
    best_of_rolls,
    kept_of_rolls,
    means_of_best,
    sieve_of,
)
from gnubg_py.search.cache import DEEP_WIDTH
from gnubg_py.search.context import Search
from gnubg_py.search.means import averaged

Values = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Five probabilities float64[n, 5], and values float64[n, len(cubes)]."""

_CHUNK = 1024
"""Positions expanded before the next ply is: so that memory does not grow with depth."""


def search_values(
    search: Search,
    boards: Boards,
    classes: NDArray[np.int8],
    cubes: tuple[Cube, ...],
    plies: int,
    root: bool,
    share: float = 1.0,
) -> Values:
    """Probabilities and values of positions of these classes, looking ``plies`` rolls ahead.

    At the ``root`` the side on roll does not double this turn; below, it does where that is right.
    ``share`` is the share of the whole work, for ``search.advance``.
    """
    if plies == 0:
        five = _probabilities(search, boards)
        values = search.values(boards, classes, five, search.table(cubes), may_double=not root)
        return five.astype(np.float64), values
    keys = board_keys(boards)
    rows, inverse = distinct(keys)
    answer = _distinct_values(
        search, boards[rows], classes[rows], keys[rows], cubes, plies, root, share
    )
    return answer[inverse, :5], answer[inverse, 5:]


def _probabilities(search: Search, boards: Boards) -> NDArray[np.float32]:
    """The evaluator's five probabilities of every board, through the cache."""
    cache = search.engine.cache
    keys = board_keys(boards)
    rows, inverse = distinct(keys)
    tag = cache.tag("static", search.engine.evaluator.identity)
    five, hit = cache.static.look_up(keys[rows], tag, 5)
    missing = np.flatnonzero(~hit)
    if len(missing):
        of_boards = rows[missing]
        five[missing] = search.evaluate(boards[of_boards])
        cache.static.insert(keys[of_boards], tag, five[missing])
    return np.asarray(five[inverse], np.float32)


def _distinct_values(
    search: Search,
    boards: Boards,
    classes: NDArray[np.int8],
    keys: NDArray[np.uint64],
    cubes: tuple[Cube, ...],
    plies: int,
    root: bool,
    share: float,
) -> NDArray[np.float64]:
    """``search_values`` of boards that all differ, both results side by side."""
    width = 5 + len(cubes)
    deep, tag = search.engine.cache.deep, search.tag(cubes, plies, root)
    answer, known = deep.look_up(keys, tag, min(width, DEEP_WIDTH))
    if width > DEEP_WIDTH:
        answer, known = np.empty((len(boards), width)), np.zeros(len(boards), np.bool_)
    final = _is_final(search, classes) & ~known
    if final.any():
        answer[final, :5], answer[final, 5:] = search_values(
            search, boards[final], classes[final], cubes, 0, root
        )
    todo = np.flatnonzero(~(known | final))
    for start in range(0, len(todo), _CHUNK):
        part = todo[start : start + _CHUNK]
        part_share = share * len(part) / len(todo)
        answer[part] = _node_values(search, boards[part], cubes, plies, root, part_share)
        if width <= DEEP_WIDTH:
            deep.insert(keys[part], tag, answer[part])
    return np.asarray(answer, np.float64)


def _is_final(search: Search, classes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether a position's 0-ply value is exact: the game is over, or a database has it."""
    final = np.zeros(len(PositionClass), np.bool_)
    final[[PositionClass.OVER, *search.engine.exact]] = True
    return final[classes]


def _node_values(
    search: Search,
    boards: Boards,
    cubes: tuple[Cube, ...],
    plies: int,
    root: bool,
    share: float,
) -> NDArray[np.float64]:
    step = child_cubes(cubes, root or not search.settings.cubeful)
    table, sieve = search.table(step.children), sieve_of(search)
    if plies == 1:
        five, values = means_of_best(search, boards, table, sieve)
        if search.advance is not None:
            search.advance(share)
        return _side_by_side(search, five, values, step, cubes)
    if search.settings.inner_plies:
        five, values = _by_inner_search(search, boards, step.children, plies - 1, share)
        return _backed_up(search, five, values, step, cubes)
    cubeful = search.settings.cubeful
    after = best_of_rolls(search, boards, None, table, sieve=sieve, cubeful=cubeful)
    five, values = search_values(
        search, after.boards, after.classes, step.children, plies - 1, False, share
    )
    return _backed_up(search, five, values, step, cubes)


def _by_inner_search(
    search: Search,
    boards: Boards,
    cubes: tuple[Cube, ...],
    plies: int,
    share: float,
) -> Values:
    """The values of ``plies`` plies after every roll's best play, chosen by ``inner_plies`` plies.

    The plays that the sieve keeps are searched; the first cube decides, and of equal values the
    lowest cubeless one.
    """
    parts = kept_of_rolls(search, boards, search.table(cubes))
    after = np.concatenate([kept.boards for kept in parts])
    classes = search.engine.classes(after)
    inner = min(search.settings.inner_plies, plies)
    share /= 1 if inner == plies else 2
    five, values = search_values(search, after, classes, cubes, inner, False, share)
    cubeless = cubeless_values(five.astype(np.float32), search.table(cubes[:1]), ONE_CUBE)
    first = values[:, 0] if search.settings.cubeful else cubeless
    starts = np.cumsum([0, *(len(kept.boards) for kept in parts)])
    rows = [start + kept.which for start, kept in zip(starts, parts, strict=False)]
    best = np.concatenate(
        [
            which[lowest(first[which], kept.offsets, cubeless[which])]
            for which, kept in zip(rows, parts, strict=True)
        ]
    )
    if inner == plies:
        return five[best], values[best]
    return search_values(search, after[best], classes[best], cubes, plies, False, share)


def _backed_up(
    search: Search,
    child_five: NDArray[np.float64],
    child_values: NDArray[np.float64],
    step: CubeStep,
    cubes: Sequence[Cube],
) -> NDArray[np.float64]:
    """Means over the rolls, seen by the node's side on roll: five probabilities, then values."""
    return _side_by_side(search, *averaged(child_five, child_values), step, cubes)


def _side_by_side(
    search: Search,
    five: NDArray[np.float64],
    means: NDArray[np.float64],
    step: CubeStep,
    cubes: Sequence[Cube],
) -> NDArray[np.float64]:
    """A node's five probabilities, and its values from the means of its children's."""
    values = combine(other_side(means, step.children), step, cubes, search.engine.met)
    return np.concatenate([five, values], axis=1)
