"""The library's front door: ``hint``, ``evaluate`` and ``cube_action`` of a position.

A position is any text that ``gnubg_py.notation.parse_position`` reads, or a board with its match
state. Wrong input raises a ``ValueError`` of one line.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Board, swap
from gnubg_py.cube.decision import cube_decision
from gnubg_py.cube.met import MatchEquityTable, equity_of
from gnubg_py.cube.state import Cube, cube_of
from gnubg_py.cube.values import priced, prices, utility
from gnubg_py.dice import check_dice, parse_dice
from gnubg_py.engine import Engine, engine_of
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.match import NO_DICE, MatchState, Resignation
from gnubg_py.notation.play_text import steps_between, text_of_steps
from gnubg_py.notation.playable import AnyPosition, Situation, read_position, situated
from gnubg_py.notation.steps import sides
from gnubg_py.probabilities import Five, cubeless_equity
from gnubg_py.results import CubeHint, Evaluation, EvaluationRow, Play, PlaysHint
from gnubg_py.search.context import Progress, Search, StoppedError, StopToken, make_search, watch
from gnubg_py.search.nply import search_values
from gnubg_py.search.ranking import Ranking, looks, ranked_plays
from gnubg_py.search.settings import NORMAL, EvalSettings, MoveFilter, filter_named, preset_named
from gnubg_py.search.values import CubeEquities, cube_equities

Dice: TypeAlias = str | int | Sequence[int] | NDArray[Any]
"""A roll: ``"31"``, ``31``, ``(3, 1)``, ``[3, 1]`` or an array."""

DEFAULT_PLIES = 2
_PARTIAL = (StoppedError, KeyboardInterrupt)


def hint(
    position: AnyPosition,
    dice: Dice | None = None,
    *,
    ply: int | None = None,
    settings: EvalSettings | str | None = None,
    filters: MoveFilter | str | None = None,
    evaluator: Evaluator | str | None = None,
    engine: Engine | None = None,
    beavers: bool = False,
    progress: Progress | None = None,
    stop: StopToken | None = None,
    **situation: Unpack[Situation],
) -> PlaysHint | CubeHint:
    """The plays of the roll, best first, or without a roll the cube action.

    ``dice`` are by default those of the position. If it has none, the result is the cube action of
    the side on roll, or of the other side if a double is on the table. ``settings`` are an
    ``EvalSettings`` or the name of a preset ("supremo"), by default 2-ply with the Normal filter;
    ``ply`` changes only their depth. ``evaluator`` values positions; an ``engine`` has its own
    evaluator, match equity table and cache. ``progress(ply, share)`` is called during the search.
    After ``stop`` or Ctrl-C the finished part is returned, with ``complete=False``. The score and
    the cube can be given by name: see ``Situation``.

    >>> answer = hint("4HPwATDgc/ABMA", "31", ply=0)
    >>> len(answer), answer[0].rank
    (16, 1)
    """
    board, state = _situated(position, situation)
    roll = _dice(dice, state)
    if roll == NO_DICE:
        return cube_action(
            (board, state),
            ply=ply,
            settings=settings,
            evaluator=evaluator,
            engine=engine,
            beavers=beavers,
            progress=progress,
            stop=stop,
        )
    return best_plays(
        (board, state),
        roll,
        ply=ply,
        settings=settings,
        filters=filters,
        evaluator=evaluator,
        engine=engine,
        beavers=beavers,
        progress=progress,
        stop=stop,
    )


def best_plays(
    position: AnyPosition,
    dice: Dice | None = None,
    *,
    ply: int | None = None,
    settings: EvalSettings | str | None = None,
    filters: MoveFilter | str | None = None,
    evaluator: Evaluator | str | None = None,
    engine: Engine | None = None,
    beavers: bool = False,
    progress: Progress | None = None,
    stop: StopToken | None = None,
    **situation: Unpack[Situation],
) -> PlaysHint:
    """The plays of a roll, best first; ``ValueError`` if there is no roll to play.

    See ``hint`` for the arguments.

    >>> best_plays("4HPwATDgc/ABMA", "31", ply=0).best.play
    '8/5 6/5'
    """
    board, state = _situated(position, situation)
    roll = _dice(dice, state)
    if roll == NO_DICE:
        raise ValueError("no dice: the position has no roll to play, and none is given")
    if state.doubled or state.resigned:
        offered = "double" if state.doubled else "resignation"
        raise ValueError(f"a {offered} is on the table: it is answered before plays are ranked")
    how, chosen_filters = chosen_settings(settings, filters, ply)
    search = make_search(engine or engine_of(evaluator), how, stop=stop)
    how = search.settings
    cube = cube_of(state, beavers)
    ranking = _ranking(search, board, roll, cube, chosen_filters, progress)
    rolled, met = replace(state, dice=roll), search.engine.met
    return plays_hint(ranking, 0, board, rolled, cube, how, chosen_filters, met)


def plays_hint(
    ranking: Ranking,
    decision: int,
    board: Board,
    state: MatchState,
    cube: Cube,
    settings: EvalSettings,
    filters: MoveFilter,
    met: MatchEquityTable,
) -> PlaysHint:
    """One decision of a ranking as a ``PlaysHint``; ``state`` has the roll."""
    ranked = ranked_plays(ranking, decision)
    before, roll = sides(board), check_dice(state.dice)
    at_ply = {ply: replace(settings, plies=ply) for ply in {entry.ply for entry in ranked}}
    price = prices(cube, met)
    plays = []
    for number, entry in enumerate(ranked, start=1):
        steps = steps_between(before, roll, sides(swap(entry.board)))
        plays.append(
            Play(
                number,
                text_of_steps(before, steps),
                entry.ply,
                entry.equity,
                ranked[0].equity - entry.equity,
                None if cube.away is None else entry.value,
                Five.of(entry.probabilities),
                at_ply[entry.ply],
                entry.board,
                float(priced(entry.probabilities, price)),
                tuple((step.start, step.end) for step in steps),
                sum(step.die for step in steps),
            )
        )
    return PlaysHint(board, state, state.dice, tuple(plays), settings, filters, ranking.complete)


def _ranking(
    search: Search,
    board: Board,
    roll: tuple[int, int],
    cube: Cube,
    filters: MoveFilter,
    progress: Progress | None,
) -> Ranking:
    """The ranking of one decision; if it is stopped, that of the deepest ply that is finished."""
    dice = np.array([roll], np.int8)
    finished: list[Ranking] = []
    try:
        finished.extend(looks(search, board[None], dice, cube, filters, progress))
    except _PARTIAL:
        if not finished:
            raise
    return finished[-1]


def cube_action(
    position: AnyPosition,
    *,
    ply: int | None = None,
    settings: EvalSettings | str | None = None,
    evaluator: Evaluator | str | None = None,
    engine: Engine | None = None,
    beavers: bool = False,
    progress: Progress | None = None,
    stop: StopToken | None = None,
    **situation: Unpack[Situation],
) -> CubeHint:
    """The cube action before the roll, or the answer to a double on the table.

    If the side on roll cannot double, ``ValueError`` says why. See ``hint`` for the arguments.
    """
    board, state = _situated(position, situation)
    if state.resigned != Resignation.NONE:
        raise ValueError("a resignation is on the table: there is no cube action before its answer")
    cube = cube_of(state, beavers)
    how = replace(chosen_settings(settings, None, ply)[0], cubeful=True)
    search = make_search(engine or engine_of(evaluator), how, stop=stop)
    how = search.settings
    found, depth = _cube_equities(search, board, cube, progress)
    return cube_hint(found, 0, board, state, cube, how, depth, search.engine.met)


def cube_hint(
    found: CubeEquities,
    decision: int,
    board: Board,
    state: MatchState,
    cube: Cube,
    settings: EvalSettings,
    depth: int,
    met: MatchEquityTable,
) -> CubeHint:
    """One of the decisions of a search as a ``CubeHint``; ``depth`` is the plies of the search."""
    five = found.probabilities[decision]
    no_double, take = found.values[decision].tolist()
    return CubeHint(
        board,
        state,
        cube,
        cube_decision((no_double, take), cube, met, gammons=bool(five[1] > 0)),
        Five.of(five),
        float(utility(five, cube, met)),
        float(cubeless_equity(five)),
        depth,
        settings,
        state.doubled,
        complete=depth == settings.plies,
    )


def _cube_equities(
    search: Search, board: Board, cube: Cube, progress: Progress | None
) -> tuple[CubeEquities, int]:
    """The equities of the decision, and the plies of the search that gave them."""
    found, depth = cube_equities(search.at(0), board[None], cube), 0
    plies = search.settings.plies
    if plies > 0:
        watched = search if progress is None else watch(search, plies, progress)
        with suppress(*_PARTIAL):
            found, depth = cube_equities(watched, board[None], cube), plies
    return found, depth


def evaluate(
    position: AnyPosition,
    *,
    ply: int | None = None,
    settings: EvalSettings | str | None = None,
    evaluator: Evaluator | str | None = None,
    engine: Engine | None = None,
    beavers: bool = False,
    progress: Progress | None = None,
    stop: StopToken | None = None,
    **situation: Unpack[Situation],
) -> Evaluation:
    """The value of a position before the roll, at every ply up to ``ply`` (default 2).

    See ``hint`` for the arguments.
    """
    board, state = _situated(position, situation)
    cube = cube_of(state, beavers)
    how, _ = chosen_settings(settings, None, ply)
    search = make_search(engine or engine_of(evaluator), how, stop=stop)
    rows: list[EvaluationRow] = []
    complete = True
    try:
        for depth in range(how.plies + 1):
            at = search.at(depth)
            rows.append(_row(at if progress is None else watch(at, depth, progress), board, cube))
    except _PARTIAL:
        if not rows:
            raise
        complete = False
    name = PositionClass(int(search.engine.classes(board[None])[0])).name.lower()
    return Evaluation(board, state, name, tuple(rows), complete)


def _row(search: Search, board: Board, cube: Cube) -> EvaluationRow:
    depth = search.settings.plies
    classes = search.engine.classes(board[None])
    five, values = search_values(search, board[None], classes, (cube,), depth, root=True)
    met = search.engine.met
    return EvaluationRow(
        depth,
        Five.of(five[0]),
        float(utility(five[0], cube, met)),
        float(equity_of(values[0, 0], cube, met)),
    )


def _situated(position: AnyPosition, situation: Situation) -> tuple[Board, MatchState]:
    board, state = read_position(position)
    return board, situated(state, situation)


def _dice(dice: Dice | None, state: MatchState) -> tuple[int, int]:
    return state.dice if dice is None else dice_of(dice)


def dice_of(dice: Dice) -> tuple[int, int]:
    """A roll in any form as two numbers, the larger first."""
    if isinstance(dice, str):
        return parse_dice(dice)
    given = [dice] if isinstance(dice, int | float | np.number) else list(dice)
    if not all(float(number).is_integer() for number in given):
        raise ValueError(f"dice {dice}: should be whole numbers")
    numbers = [int(number) for number in given]
    if len(numbers) == 1:
        return parse_dice(str(numbers[0]))
    if len(numbers) != 2:
        raise ValueError(f"dice {numbers}: should be two numbers from 1 to 6")
    return check_dice((numbers[0], numbers[1]))


def chosen_settings(
    settings: EvalSettings | str | None, filters: MoveFilter | str | None, ply: int | None
) -> tuple[EvalSettings, MoveFilter]:
    """The settings and the filter of a call: ``filters`` and ``ply`` override ``settings``."""
    chosen = NORMAL
    if isinstance(settings, str):
        preset = preset_named(settings)
        settings, chosen = preset.plays, preset.filters
    elif settings is None:
        settings = EvalSettings(DEFAULT_PLIES)
    if ply is not None:
        settings = replace(settings, plies=ply)
    if filters is not None:
        chosen = filter_named(filters) if isinstance(filters, str) else filters
    return settings, chosen
