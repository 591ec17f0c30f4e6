"""Running a rollout: trials in batches, rules that stop it, results so far, and its front door.

Every thread plays batches of its own. They are counted in order, so that a result is always
that of the first trials, without gaps.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Board
from gnubg_py.cube.met import MatchEquityTable, value_of_a_point
from gnubg_py.cube.state import Cube, cube_of
from gnubg_py.cube.values import prices
from gnubg_py.dice import check_dice
from gnubg_py.engine import Engine, default_engine, engine_of
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.evaluators.router import Router
from gnubg_py.match import NO_DICE, MatchState
from gnubg_py.messages import progress
from gnubg_py.notation.playable import AnyPosition, read_position
from gnubg_py.rollouts.games import play_games
from gnubg_py.rollouts.result import DONE, INTERRUPTED, STOPPED, RolloutResult
from gnubg_py.rollouts.settings import RolloutSettings, StopRules, same_games
from gnubg_py.rollouts.statistics import (
    CUBEFUL,
    EQUITY,
    SUM_COLUMNS,
    Sums,
    add_trials,
    difference_errors,
    means,
    no_trials,
    standard_errors,
)
from gnubg_py.rollouts.task import (
    DEFAULT_PLAYS,
    Task,
    cube_task,
    few_best_plays,
    plays_task,
    position_task,
)
from gnubg_py.rollouts.values import Plan, make_plan
from gnubg_py.search.settings import Strength
from gnubg_py.workers import HERE, Threads, Workers, WorkersLostError, in_order

Report = Callable[[RolloutResult], None]

_RULE_STEP = 36
"""Trials from one check of the stop rules to the next, wherever batches end."""

_GAMES_AT_ONCE = ((324, 648), (24, 72), (4, 18), (1, 2), (1, 1))
"""The least and the most games of a batch, by the plies of the deepest play."""


def rollout(
    position: AnyPosition,
    settings: RolloutSettings | None = None,
    *,
    dice: tuple[int, int] | None = None,
    plays: Sequence[str | Board] | None = None,
    best: int | None = None,
    cube: bool = False,
    evaluator: Evaluator | str | None = None,
    engine: Engine | None = None,
    fast: Evaluator | None = None,
    earlier: RolloutResult | None = None,
    report: Report | None = None,
    games_at_once: int | None = None,
    workers: Workers = HERE,
) -> RolloutResult:
    """Roll out a position, plays of a roll, or (``cube``) no double and double/take.

    ``position``: any text that ``parse_position`` takes, or a board, alone or with its match state.
    With a roll, in the position or as ``dice``, its ``plays`` are rolled out, or the ``best`` few
    by 0-ply (5 by default). An ``evaluator`` plays, or a whole ``engine``. ``fast`` judges the luck
    of rolls; it has no say in plays. ``earlier``: a result to extend to ``settings.trials`` in all.
    ``report`` is called with the result so far after every batch. ``workers`` play the games.

    >>> result = rollout("x 1:2 / o 1:2", RolloutSettings(trials=36))
    >>> round(result.best.probabilities[0], 6), result.trials
    (1.0, 36)
    """
    board, state = read_position(position)
    engine = engine or engine_of(evaluator)
    return roll_out(
        _task(board, state, dice, plays, best, cube, engine),
        settings or RolloutSettings(),
        engine=engine,
        fast=fast,
        earlier=earlier,
        report=report,
        games_at_once=games_at_once,
        workers=workers,
    )


def _task(
    board: Board,
    state: MatchState,
    dice: tuple[int, int] | None,
    plays: Sequence[str | Board] | None,
    best: int | None,
    cube: bool,
    engine: Engine,
) -> Task:
    start = cube_of(state)
    roll = check_dice(dice) if dice is not None else state.dice
    named = plays is not None or best is not None
    if cube:
        if named:
            raise ValueError("plays in the rollout of a cube decision: roll out one or the other")
        return cube_task(board, start)
    if roll == NO_DICE:
        if named:
            raise ValueError("plays without a roll: give the dice")
        return position_task(board, start)
    if plays is None:
        count = DEFAULT_PLAYS if best is None else best
        plays = few_best_plays(board, start, roll, count, engine)
    elif best is not None:
        raise ValueError("plays, and the best few: name one or the other")
    return plays_task(board, start, roll, plays)


def roll_out(
    task: Task,
    settings: RolloutSettings,
    *,
    engine: Engine | None = None,
    fast: Evaluator | None = None,
    earlier: RolloutResult | None = None,
    report: Report | None = None,
    games_at_once: int | None = None,
    workers: Workers = HERE,
) -> RolloutResult:
    """Roll out a task; see ``rollout`` for the rest.

    Where workers are lost, the error's ``partial`` is the result so far.
    """
    engine = engine or default_engine()
    plan = make_plan(settings, engine, [task.cube, *(s.cube for s in task.starts)], fast)
    evaluators = {"plays": identity(engine.evaluator), "luck": identity(plan.fast)}
    if earlier is not None:
        _check_same(earlier, task, settings, evaluators, engine.met)
    sums = earlier.sums if earlier is not None else no_trials(len(task.starts))
    begin, before = time.perf_counter(), earlier.seconds if earlier is not None else 0.0
    if sums.trials >= settings.trials:
        raise ValueError(
            f"the saved rollout has {sums.trials} trials already: ask for more than that"
        )

    def result(ending: str) -> RolloutResult:
        seconds = before + time.perf_counter() - begin
        return RolloutResult(task, settings, evaluators, sums, seconds, ending, engine.met)

    if workers is HERE:
        workers = Threads(plan.stop.stop)
    batches = _batches(sums.trials, settings, len(task.starts), games_at_once, workers.count)
    played = in_order(workers.results(_play_batch, _Rollout(plan, task), batches))
    with progress(settings.trials, "trials") as bar, closing(played):
        bar.update(sums.trials)
        try:
            for batch in played:
                sums, stopped = _counted(plan, task.cube, sums, batch)
                bar.update(sums.trials - bar.n)
                if report is not None:
                    report(result(STOPPED if stopped else DONE))
                if stopped:
                    return result(STOPPED)
        except KeyboardInterrupt:
            if sums.trials == 0:
                raise
            return result(INTERRUPTED)
        except WorkersLostError as error:
            error.partial = result(INTERRUPTED) if sums.trials else None
            raise
    return result(DONE)


@dataclass(frozen=True, eq=False)
class _Rollout:
    """What all batches of trials share."""

    plan: Plan
    task: Task


_Played = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint8]]
"""The arguments of ``add_trials`` after the sums."""


def _play_batch(shared: _Rollout, trials: range) -> _Played:
    """The results of trials with the luck taken out, as they came (``_columns``), and counts."""
    plan, task = shared.plan, shared.task
    games = play_games(plan, task.starts, np.arange(trials.start, trials.stop))
    return (
        _columns(plan, task.cube, games.results - games.luck, len(task.starts)),
        _columns(plan, task.cube, games.results, len(task.starts)),
        games.counts.reshape(len(task.starts), -1, *games.counts.shape[1:]),
    )


def _batches(
    begin: int,
    settings: RolloutSettings,
    alternatives: int,
    games_at_once: int | None,
    at_once: int,
) -> Iterator[range]:
    """The trials of each batch, ``at_once`` batches being played at a time.

    The first are small, for early figures, unless the whole rollout takes moments (at 0-ply, or of
    one batch for each thread) and no rule stops it. The others are alike, so that all is done at
    about the same time; larger ones take less time for each game. The numbers of the rollout do not
    depend on it.
    """
    deepest = max(max(s.plays.plies, s.cube.plies) for s in _strengths(settings))
    least, most = _GAMES_AT_ONCE[deepest]
    games = (settings.trials - begin) * alternatives
    takes_moments = deepest == 0 or games <= at_once * most
    early = 0 if takes_moments and settings.stop == StopRules() else at_once * least
    late = max(0, games - early)
    rounds = max(1, -(-late // (most * at_once)))
    alike = max(least, -(-late // (rounds * at_once)))
    done = begin
    while done < settings.trials:
        some = games_at_once or (least if (done - begin) * alternatives < early else alike)
        end = min(done + max(1, some // alternatives), settings.trials)
        yield range(done, end)
        done = end


def _strengths(settings: RolloutSettings) -> tuple[Strength, ...]:
    return (*settings.sides, *(settings.later or ()))


def identity(evaluator: Evaluator) -> str:
    """An evaluator's name with the checksums of its nets, to know it by in a saved result."""
    leaves = evaluator.table.values() if isinstance(evaluator, Router) else ()
    sums = [
        leaf.identity if isinstance(leaf.identity, str) else leaf.name
        for leaf in (evaluator, *leaves)
    ]
    return " ".join(dict.fromkeys(sums))


def _check_same(
    earlier: RolloutResult,
    task: Task,
    settings: RolloutSettings,
    evaluators: dict[str, str],
    met: MatchEquityTable,
) -> None:
    """``ValueError`` unless ``earlier`` is of the same games."""
    old = earlier.task
    if not np.array_equal(old.board, task.board) or old.cube != task.cube:
        raise ValueError("the saved rollout is of another position")
    if (old.kind, old.dice, old.names) != (task.kind, task.dice, task.names):
        was = f"{old.kind} {', '.join(old.names)}".strip()
        raise ValueError(f"the saved rollout is of something else: {was}")
    if not same_games(earlier.settings, settings):
        raise ValueError("the saved rollout has other settings: only trials and stops may differ")
    if earlier.evaluators != evaluators:
        raise ValueError(
            f"the saved rollout was made by another evaluator: {earlier.evaluators['plays']}"
        )
    if task.cube.away is not None and earlier.met.name != met.name:
        raise ValueError(f"the saved rollout used another match equity table: {earlier.met.name}")


def has_rule(settings: RolloutSettings) -> bool:
    """Whether anything may stop the rollout before its trials are done."""
    return settings.stop.error is not None or settings.stop.ahead is not None


def _counted(plan: Plan, cube: Cube, sums: Sums, batch: _Played) -> tuple[Sums, bool]:
    """The sums with a batch of trials, up to where a stop rule holds; whether one does."""
    if not has_rule(plan.settings):
        return add_trials(sums, *batch), False
    results, plain, counts = batch
    begin = 0
    while begin < results.shape[1]:
        end = begin + _RULE_STEP - sums.trials % _RULE_STEP
        some = slice(begin, end)
        sums = add_trials(sums, results[:, some], plain[:, some], counts[:, some])
        if sums.trials % _RULE_STEP == 0 and should_stop(plan, cube, sums):
            return sums, True
        begin = end
    return sums, False


def _columns(
    plan: Plan, cube: Cube, quantities: NDArray[np.float64], alternatives: int
) -> NDArray[np.float64]:
    """Games' quantities as gnubg's seven, ``float64[alternatives, trials, SUM_COLUMNS]``."""
    out = np.empty((len(quantities), SUM_COLUMNS))
    out[:, :EQUITY] = quantities[:, :EQUITY]
    # Not a matrix product, whose last bit depends on the number of rows and on the processor.
    parts = quantities[:, :EQUITY] * prices(cube, plan.engine.met)
    out[:, EQUITY] = np.cumsum(parts, axis=1)[:, -1] - 1
    out[:, CUBEFUL] = quantities[:, 5]
    return out.reshape(alternatives, -1, SUM_COLUMNS)


def should_stop(plan: Plan, cube: Cube, sums: Sums) -> bool:
    """Whether one of the stop rules holds after these trials."""
    rules, column = plan.settings.stop, CUBEFUL if plan.settings.cubeful else EQUITY
    unit = 1.0 / value_of_a_point(cube, plan.engine.met) if column == CUBEFUL else 1.0
    if rules.error is not None and sums.trials >= rules.error_minimum:
        columns = [EQUITY, CUBEFUL] if plan.settings.cubeful else [EQUITY]
        errors = standard_errors(sums)[:, columns] * np.array([1.0, unit][: len(columns)])
        if errors.max() <= rules.error:
            return True
    if rules.ahead is not None and sums.trials >= rules.ahead_minimum and len(sums.total) > 1:
        mean = means(sums)[:, column]
        best = int(np.argmax(mean))
        others = np.arange(len(mean)) != best
        behind = mean[best] - mean[others]
        return bool((behind > rules.ahead * difference_errors(sums, column)[best, others]).all())
    return False
