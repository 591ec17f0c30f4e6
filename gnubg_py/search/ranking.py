"""Ranking plays: iterative deepening over the move filters, for many decisions at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Board, Boards
from gnubg_py.cube.met import equity_of, value_of_a_point
from gnubg_py.cube.state import Cube, swap_cube
from gnubg_py.cube.tree import other_side
from gnubg_py.cube.values import cubeless_values
from gnubg_py.groups import few_lowest
from gnubg_py.plays import plays_batch
from gnubg_py.probabilities import inverted
from gnubg_py.search.best import ONE_CUBE
from gnubg_py.search.context import Progress, Search, watch
from gnubg_py.search.nply import search_values
from gnubg_py.search.settings import NORMAL, FilterStep, MoveFilter


@dataclass(frozen=True)
class Ranking:
    """The plays of n decisions, and how each was judged.

    ``plays`` int8[m, 2, 25], the opponent on roll; those of decision i are rows ``offsets[i]`` to
    ``offsets[i + 1]``. ``ply`` int8[m]: the depth at which each play was valued. For the side that
    plays: ``values`` float64[m], in money play the equity in units of the cube, in a match the
    chance of winning it; ``equities`` float64[m], normalised to the cube; ``probabilities``
    float32[m, 5]; ``cubeless`` float64[m], which ranks plays of equal value: the value without a
    cube, less a constant. ``complete`` is False if the search was stopped before its last ply.
    """

    plays: Boards
    offsets: NDArray[np.int64]
    ply: NDArray[np.int8]
    values: NDArray[np.float64]
    equities: NDArray[np.float64]
    probabilities: NDArray[np.float32]
    cubeless: NDArray[np.float64]
    complete: bool

    @property
    def chosen(self) -> NDArray[np.int64]:
        """The best play of each decision, of those ranked at the deepest ply: rows of ``plays``."""
        order = self.order()
        return order[self.offsets[:-1]]

    @property
    def boards(self) -> Boards:
        """The position each decision's best play leads to, ``int8[n, 2, 25]``, opponent on roll."""
        return self.plays[self.chosen]

    def order(self) -> NDArray[np.int64]:
        """Rows of ``plays`` by decision, the deepest ply first, and of one ply the best first."""
        group = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        return np.lexsort((-self.cubeless, -self.values, -self.ply, group))


@dataclass(frozen=True)
class RankedPlay:
    """One play of a decision: the position after it, the opponent on roll, and its value."""

    board: Board
    ply: int
    equity: float
    value: float
    probabilities: NDArray[np.float32]


def ranked_plays(ranking: Ranking, decision: int = 0) -> list[RankedPlay]:
    """The plays of one decision of a ranking, best first."""
    first, end = ranking.offsets[decision : decision + 2].tolist()
    rows = slice(first, end)
    order = np.lexsort((-ranking.cubeless[rows], -ranking.values[rows], -ranking.ply[rows]))
    return [
        RankedPlay(
            ranking.plays[i],
            int(ranking.ply[i]),
            float(ranking.equities[i]),
            float(ranking.values[i]),
            ranking.probabilities[i],
        )
        for i in (first + order).tolist()
    ]


def rank(
    search: Search,
    boards: Boards,
    dice: NDArray[np.int8],
    cube: Cube,
    filters: MoveFilter = NORMAL,
) -> Ranking:
    """Rank the plays of many decisions, ``int8[n, 2, 25], int8[n, 2]``; ``chosen`` are the best.

    ``cube`` is that of the side that plays, the same for all. All plays are ranked at 0-ply; each
    step of the filter says which go on; those left in the end are ranked at the full depth. A
    decision of which one play is left goes no deeper, unless the step asks for exactly one.
    """
    *_, ranking = looks(search, boards, dice, cube, filters)
    return ranking


def looks(
    search: Search,
    boards: Boards,
    dice: NDArray[np.int8],
    cube: Cube,
    filters: MoveFilter = NORMAL,
    on_progress: Progress | None = None,
) -> Iterator[Ranking]:
    """The ranking of ``rank`` after each of its looks, the last of them ``complete``.

    ``on_progress`` is called with the ply of the look and the share of it that is done. All
    rankings share their arrays: a later look changes the earlier rankings too.
    """
    search.check()
    boards = np.ascontiguousarray(boards, np.int8)
    plays, offsets = plays_batch(boards, dice)
    classes = search.engine.classes(plays)
    theirs, met = (swap_cube(cube),), search.engine.met
    table = search.table((cube,))
    m = len(plays)
    ply, values, equities = np.zeros(m, np.int8), np.empty(m), np.empty(m)
    five, cubeless = np.empty((m, 5), np.float32), np.empty(m)

    def look(depth: int, rows: NDArray[np.int64]) -> None:
        watched = search if on_progress is None else watch(search, depth, on_progress)
        theirs_five, found = search_values(
            watched, plays[rows], classes[rows], theirs, depth, root=False
        )
        values[rows] = other_side(found, theirs)[:, 0]
        equities[rows] = equity_of(values[rows], cube, met)
        five[rows] = inverted(theirs_five)
        cubeless[rows] = cubeless_values(five[rows], table, ONE_CUBE)
        ply[rows] = depth
        if on_progress is not None:
            on_progress(depth, 1.0)

    def ranking(complete: bool) -> Ranking:
        return Ranking(plays, offsets, ply, values, equities, five, cubeless, complete)

    rows, plies = np.arange(m), search.settings.plies
    look(0, rows)
    for step in filters.of(plies):
        if step.ply > 0:
            yield ranking(False)
            look(step.ply, rows)
        within = step.within * value_of_a_point(cube, met)
        first = np.searchsorted(rows, offsets)
        rows = rows[kept(values[rows], cubeless[rows], first, step, within)]
    if plies > 0 and len(rows):
        yield ranking(False)
        look(plies, rows)
    yield ranking(True)


def kept(
    values: NDArray[np.float64],
    cubeless: NDArray[np.float64],
    first: NDArray[np.int64],
    step: FilterStep,
    within: float,
) -> NDArray[np.int64]:
    """Which plays a filter step keeps, ascending; none of a decision with one play left.

    Decision i has ``values[first[i]:first[i + 1]]``; a higher value is better, and of equal values
    a higher ``cubeless``. A single play goes on only if the step says to keep exactly one, as in
    gnubg.
    """
    most = step.keep + step.extra
    rows, ends = few_lowest(-values, first, most, within, least=step.keep, ties=-cubeless)
    sizes = np.diff(ends)
    return np.sort(rows[np.repeat((sizes > 1) | (step.keep == 1), sizes)])
