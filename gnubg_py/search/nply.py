"""The n-ply search, breadth-first: a whole batch of positions goes down one ply at a time.

A position's n-ply value is the mean over the 21 rolls of its (n-1)-ply value after the roll's
best play, turned round. Which play that is, the 0-ply value says, as in gnubg: with the first of
the cubes that the node answers for, not doubled. gnubg's search, whose numbering this is, differs
in the order of the work only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gnubg_py.board import Boards, swap
from gnubg_py.cube.state import Cube
from gnubg_py.cube.tree import CubeStep, child_cubes, combine, other_side
from gnubg_py.dice import ROLL_PROBABILITIES
from gnubg_py.keys import board_keys, distinct
from gnubg_py.plays import all_rolls
from gnubg_py.search.cache import DEEP_WIDTH
from gnubg_py.search.choice import cubeless_weights, lowest_of_each
from gnubg_py.search.context import Search
from gnubg_py.search.leaf import ask, is_final, probabilities, static_values
from gnubg_py.search.prune import kept_plays

Values = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Five probabilities float64[n, 5], and values float64[n, len(cubes)]."""

CHUNK = 384
"""Positions expanded at once: some 160,000 plays, 10 MB."""


def search_values(
    search: Search,
    boards: Boards,
    cubes: tuple[Cube, ...],
    plies: int,
    root: bool,
    share: float = 1.0,
) -> Values:
    """Probabilities and values of positions, looking ``plies`` rolls ahead.

    At the ``root`` the side on roll does not double this turn; below it does where that is right.
    ``share`` is how much of the whole work this is, for those who watch.
    """
    if plies == 0:
        five = probabilities(search, boards)
        return five.astype(np.float64), static_values(search, boards, five, cubes, root)
    keys = board_keys(boards)
    rows, inverse = distinct(keys)
    answer = _distinct_values(search, boards[rows], keys[rows], cubes, plies, root, share)
    return answer[inverse, :5], answer[inverse, 5:]


def _distinct_values(
    search: Search,
    boards: Boards,
    keys: NDArray[np.uint64],
    cubes: tuple[Cube, ...],
    plies: int,
    root: bool,
    share: float,
) -> NDArray[np.float64]:
    """As ``search_values``, both answers side by side; no two boards are equal."""
    width = 5 + len(cubes)
    tag = search.tag(cubes, plies, root)
    answer, known = search.cache.deep.look_up(keys, tag, min(width, DEEP_WIDTH))
    if width > DEEP_WIDTH:
        answer, known = np.empty((len(boards), width)), np.zeros(len(boards), np.bool_)
    final = is_final(search, boards) & ~known
    if final.any():
        answer[final, :5], answer[final, 5:] = search_values(search, boards[final], cubes, 0, root)
    todo = np.flatnonzero(~(known | final))
    for start in range(0, len(todo), CHUNK):
        part = todo[start : start + CHUNK]
        mine = share * len(part) / len(todo)
        answer[part] = _node_values(search, boards[part], cubes, plies, root, mine)
        if width <= DEEP_WIDTH:
            search.cache.deep.insert(keys[part], tag, answer[part])
    return np.asarray(answer, np.float64)


def _node_values(
    search: Search,
    boards: Boards,
    cubes: tuple[Cube, ...],
    plies: int,
    root: bool,
    share: float,
) -> NDArray[np.float64]:
    step = child_cubes(cubes, root or not search.settings.cubeful)
    after, five = best_plays(search, boards, step.children[0])
    if plies == 1:
        child_five = five.astype(np.float64)
        child_values = static_values(search, after, five, step.children, root=False)
        if search.advance is not None:
            search.advance(share)
    else:
        child_five, child_values = search_values(
            search, after, step.children, plies - 1, False, share
        )
    return _backed_up(search, child_five, child_values, step, cubes)


def best_plays(search: Search, boards: Boards, cube: Cube) -> tuple[Boards, NDArray[np.float32]]:
    """The play of each of the 21 rolls that is best at 0-ply, and its probabilities.

    ``int8[n, 2, 25] -> int8[21 * n, 2, 25], float32[21 * n, 5]``, boards outermost; the other
    side on roll, whose ``cube`` it is.
    """
    search.check()
    plays, offsets = all_rolls(boards)
    parents = swap(boards)
    # Different plays lead to the same position often enough to pay for finding that out; that the
    # cache knows one is too rare, at this depth, to pay for asking it.
    rows, which = distinct(board_keys(plays))
    unique, first = plays[rows], np.searchsorted(rows, offsets[::21])
    if search.pruner is not None:
        stay = kept_plays(search, parents, unique, first, which, offsets, cube)
        which, offsets = which[stay], np.searchsorted(stay, offsets)
        needed = np.zeros(len(unique), np.bool_)
        needed[which] = True
        rows = np.flatnonzero(needed)
        number = np.cumsum(needed) - 1
        unique, which, first = unique[rows], number[which], np.searchsorted(rows, first)
    five = ask(search, unique, parents, first)
    values = static_values(search, unique, five, (cube,), root=False)[:, 0]
    weights = cubeless_weights(cube, search.met)
    best = lowest_of_each(values, five, weights, which, offsets)
    return unique[best], five[best]


def _backed_up(
    search: Search,
    child_five: NDArray[np.float64],
    child_values: NDArray[np.float64],
    step: CubeStep,
    cubes: Sequence[Cube],
) -> NDArray[np.float64]:
    """Means over the rolls, seen by the node's side on roll: five probabilities, then values."""
    nodes = len(child_five) // 21
    out = np.empty((nodes, 5 + len(cubes)))
    _average_five(child_five, ROLL_PROBABILITIES, out)
    mean = np.zeros((nodes, len(step.children)))
    _average(child_values, ROLL_PROBABILITIES, mean)
    out[:, 5:] = combine(other_side(mean, step.children), step, cubes, search.met)
    return out


@njit(cache=True, nogil=True)
def _average(values, weights, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        for r in range(21):
            for j in range(out.shape[1]):
                out[i, j] += weights[r] * values[21 * i + r, j]


@njit(cache=True, nogil=True)
def _average_five(five, weights, out):  # type: ignore[no-untyped-def]
    """The mean of the other side's probabilities, turned round, into out[:, :5]."""
    for i in range(out.shape[0]):
        w, wg, wbg, lg, lbg = 0.0, 0.0, 0.0, 0.0, 0.0
        for r in range(21):
            k = 21 * i + r
            w += weights[r] * five[k, 0]
            wg += weights[r] * five[k, 1]
            wbg += weights[r] * five[k, 2]
            lg += weights[r] * five[k, 3]
            lbg += weights[r] * five[k, 4]
        out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4] = 1.0 - w, lg, lbg, wg, wbg
