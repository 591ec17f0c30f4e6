"""Ranking plays: iterative deepening over the move filters, for many decisions at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gnubg_py.board import Board, Boards
from gnubg_py.cube.met import MatchEquityTable, mwc2eq, value_of_a_point
from gnubg_py.cube.state import Cube, swap_cube
from gnubg_py.cube.tree import other_side
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.plays import plays_batch
from gnubg_py.search.choice import cubeless_values, cubeless_weights
from gnubg_py.search.context import Progress, Search, StoppedError, make_search, watch
from gnubg_py.search.nply import search_values
from gnubg_py.search.settings import NORMAL, EvalSettings, FilterStep, MoveFilter


@dataclass(frozen=True)
class Ranking:
    """The plays of n decisions, and how each was judged.

    ``plays`` int8[m, 2, 25], the opponent on roll; those of decision i are rows ``offsets[i]`` to
    ``offsets[i + 1]``. ``ply`` int8[m]: how deep each play was looked at. For the side that plays:
    ``values`` float64[m], in money play the equity in units of the cube, in a match the chance of
    winning it; ``equities`` float64[m], normalised to the cube; ``probabilities`` float32[m, 5];
    ``cubeless`` float64[m], what ranks plays of equal value: cubeless values, less a constant.
    ``complete`` is False where the search was stopped before its last ply.
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
        """The best play of each decision, rows of ``plays``: of those looked at deepest."""
        order = self.order()
        return order[self.offsets[:-1]]

    @property
    def boards(self) -> Boards:
        """The position each decision's best play leads to, ``int8[n, 2, 25]``, opponent on roll."""
        return self.plays[self.chosen]

    def order(self) -> NDArray[np.int64]:
        """Rows of ``plays`` by decision, best first; those looked at deepest before the rest."""
        group = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        return np.lexsort((-self.cubeless, -self.values, -self.ply, group))


def choose_plays(
    boards: Boards,
    dice: NDArray[np.int8],
    cube: Cube,
    settings: EvalSettings | None = None,
    filters: MoveFilter = NORMAL,
    router: Evaluator | None = None,
    met: MatchEquityTable | None = None,
    **options: Any,
) -> Ranking:
    """Rank the plays of many decisions, ``int8[n, 2, 25], int8[n, 2]``; ``.chosen`` is the answer.

    ``cube`` is that of the side that plays, the same for all. ``options`` are ``make_search``'s.
    """
    search = make_search(settings or EvalSettings(), router, met, **options)
    return rank(search, np.ascontiguousarray(boards, np.int8), dice, cube, filters)


@dataclass(frozen=True)
class RankedPlay:
    """One play of a decision: the position after it, the opponent on roll, and its worth."""

    board: Board
    ply: int
    equity: float
    value: float
    probabilities: NDArray[np.float32]


def rank_plays(
    board: Board,
    dice: tuple[int, int],
    cube: Cube,
    settings: EvalSettings | None = None,
    filters: MoveFilter = NORMAL,
    router: Evaluator | None = None,
    met: MatchEquityTable | None = None,
    **options: Any,
) -> list[RankedPlay]:
    """The plays of one decision, best first, those looked at deepest before all others."""
    roll = np.array([dice], np.int8)
    ranking = choose_plays(board[None], roll, cube, settings, filters, router, met, **options)
    return ranked_plays(ranking)


def ranked_plays(ranking: Ranking) -> list[RankedPlay]:
    """The plays of a ranking of one decision, best first."""
    return [
        RankedPlay(
            ranking.plays[i],
            int(ranking.ply[i]),
            float(ranking.equities[i]),
            float(ranking.values[i]),
            ranking.probabilities[i],
        )
        for i in ranking.order().tolist()
    ]


def rank(
    search: Search,
    boards: Boards,
    dice: NDArray[np.int8],
    cube: Cube,
    filters: MoveFilter,
    on_progress: Progress | None = None,
    partial: tuple[type[BaseException], ...] = (StoppedError,),
) -> Ranking:
    """``choose_plays`` inside a search, which tells ``on_progress`` the ply and how far it is.

    All plays are ranked at 0-ply; each step of the filter says which go on; those left in the end
    are ranked at the full depth. A decision of which one play is left goes no deeper. When one of
    ``partial`` is raised, what is finished is returned.
    """
    search.check()
    plays, offsets = plays_batch(boards, dice)
    theirs = (swap_cube(cube),)
    m = len(plays)
    ply = np.zeros(m, np.int8)
    values, cubeless, five = np.empty(m), np.empty(m), np.empty((m, 5), np.float32)
    weights = cubeless_weights(cube, search.met)
    rows = np.arange(m)
    complete = True

    def look(depth: int, rows: NDArray[np.int64]) -> None:
        watched = search if on_progress is None else watch(search, depth, on_progress)
        answer, worth = search_values(watched, plays[rows], theirs, depth, root=False)
        values[rows] = other_side(worth, theirs)[:, 0]
        five[rows] = inverted(answer)
        cubeless[rows] = cubeless_values(five[rows], weights)
        ply[rows] = depth
        if on_progress is not None:
            on_progress(depth, 1.0)

    look(0, rows)
    plies = search.settings.plies
    try:
        for step in filters.of(plies):
            if step.ply > 0:
                look(step.ply, rows)
            rows = _going_on(search, values, cubeless, offsets, rows, step, cube)
        if plies > 0 and len(rows):
            look(plies, rows)
    except partial:
        complete = False
    equities = values if cube.away is None else mwc2eq(values, cube, search.met)
    return Ranking(plays, offsets, ply, values, equities, five, cubeless, complete)


def _going_on(
    search: Search,
    values: NDArray[np.float64],
    cubeless: NDArray[np.float64],
    offsets: NDArray[np.int64],
    rows: NDArray[np.int64],
    step: FilterStep,
    cube: Cube,
) -> NDArray[np.int64]:
    """Which of ``rows`` are looked at deeper, ascending. Filters speak of equity."""
    within = step.within * value_of_a_point(cube, search.met)
    first = np.searchsorted(rows, offsets)
    return rows[kept(values[rows], cubeless[rows], first, step, within)]


def kept(
    values: NDArray[np.float64],
    cubeless: NDArray[np.float64],
    first: NDArray[np.int64],
    step: FilterStep,
    within: float,
) -> NDArray[np.int64]:
    """Which plays a filter step keeps, ascending; none of a decision with one play left.

    Decision i has ``values[first[i]:first[i + 1]]``, more being better and ``cubeless``
    telling equals apart. A single play goes on only
    where the step says to keep exactly one, as in gnubg.
    """
    mark = np.zeros(len(values), np.bool_)
    _mark_kept(values, cubeless, first, step.keep, step.keep + step.extra, within, mark)
    return np.flatnonzero(mark)


@njit(cache=True, nogil=True)
def _mark_kept(values, cubeless, first, keep, most, within, mark):  # type: ignore[no-untyped-def]
    for g in range(len(first) - 1):
        start, end = first[g], first[g + 1]
        if end == start:
            continue
        order = np.argsort(-cubeless[start:end], kind="mergesort")
        order = order[np.argsort(-values[start:end][order], kind="mergesort")]
        best = values[start + order[0]]
        n = min(keep, end - start)
        while n < min(most, end - start) and values[start + order[n]] >= best - within:
            n += 1
        if n == 1 and keep != 1:
            continue
        for k in range(n):
            mark[start + order[k]] = True


def inverted(five: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Probabilities seen by the other side, ``[..., 5]``.

    >>> inverted(np.array([0.75, 0.25, 0.0, 0.125, 0.0])).tolist()
    [0.25, 0.125, 0.0, 0.25, 0.0]
    """
    out = five[..., [0, 3, 4, 1, 2]]
    out[..., 0] = 1 - out[..., 0]
    return out
