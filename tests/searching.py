"""A search in one call, as tests want it: the engine and the search are made on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Board, Boards
from gnubg_py.cube.state import Cube
from gnubg_py.engine import engine_of
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.search.cache import SearchCache
from gnubg_py.search.context import Search, StopToken, make_search
from gnubg_py.search.ranking import RankedPlay, Ranking, rank, ranked_plays
from gnubg_py.search.settings import NORMAL, STATIC, EvalSettings, MoveFilter
from gnubg_py.search.values import CubeEquities, cube_equities, cubeless_probabilities, values


def search_of(
    settings: EvalSettings = STATIC,
    evaluator: Evaluator | None = None,
    cache: SearchCache | None = None,
    count: Callable[[int], None] | None = None,
    stop: StopToken | None = None,
) -> Search:
    return make_search(engine_of(evaluator, cache=cache), settings, count=count, stop=stop)


def cubeful_values(
    boards: Boards,
    cubes: Sequence[Cube],
    settings: EvalSettings = STATIC,
    evaluator: Evaluator | None = None,
    cache: SearchCache | None = None,
    root: bool = True,
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    return values(search_of(settings, evaluator, cache), boards, cubes, root=root)


def evaluate_batch(
    boards: Boards,
    settings: EvalSettings = STATIC,
    evaluator: Evaluator | None = None,
    cache: SearchCache | None = None,
) -> NDArray[np.float32]:
    return cubeless_probabilities(search_of(settings, evaluator, cache), boards)


def cube_decision_batch(
    boards: Boards,
    cube: Cube,
    settings: EvalSettings = STATIC,
    evaluator: Evaluator | None = None,
    cache: SearchCache | None = None,
) -> CubeEquities:
    return cube_equities(search_of(settings, evaluator, cache), boards, cube)


def choose_plays(
    boards: Boards,
    dice: NDArray[np.int8],
    cube: Cube,
    settings: EvalSettings = STATIC,
    filters: MoveFilter = NORMAL,
    evaluator: Evaluator | None = None,
    cache: SearchCache | None = None,
    count: Callable[[int], None] | None = None,
    stop: StopToken | None = None,
) -> Ranking:
    return rank(search_of(settings, evaluator, cache, count, stop), boards, dice, cube, filters)


def rank_plays(
    board: Board,
    dice: tuple[int, int],
    cube: Cube,
    settings: EvalSettings = STATIC,
    filters: MoveFilter = NORMAL,
    evaluator: Evaluator | None = None,
    cache: SearchCache | None = None,
    count: Callable[[int], None] | None = None,
) -> list[RankedPlay]:
    roll = np.array([dice], np.int8)
    return ranked_plays(
        choose_plays(board[None], roll, cube, settings, filters, evaluator, cache, count)
    )
