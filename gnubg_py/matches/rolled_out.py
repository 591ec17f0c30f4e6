"""Roll out the largest mistakes of a match, to see whether they were mistakes, and how large."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gnubg_py.engine import Engine, default_engine
from gnubg_py.game.actions import Action, Double, Drop, Redouble, Take
from gnubg_py.game.analysis import PlayJudgement, before_double, judged_cube
from gnubg_py.game.position import valued
from gnubg_py.matchfiles.contents import Place
from gnubg_py.rollouts.result import INTERRUPTED, RolloutResult
from gnubg_py.rollouts.run import rollout
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.workers import HERE, Workers, WorkersLostError

if TYPE_CHECKING:
    from gnubg_py.matches.decisions import Decision
    from gnubg_py.matches.match_analysis import MatchAnalysis

CANDIDATES = 3
"""The number of best plays that are rolled out together with the play that was made."""


@dataclass(frozen=True)
class RolledOut:
    """The rollout of a decision: its loss with the standard error, and the best action."""

    loss: float
    error: float
    trials: int
    best: str


def roll_out_mistakes(
    analysis: MatchAnalysis,
    above: float,
    settings: RolloutSettings,
    engine: Engine | None = None,
    known: Mapping[Place, RolledOut] | None = None,
    progress: Callable[[int, int], None] | None = None,
    workers: Workers = HERE,
) -> MatchAnalysis:
    """The analysis with rollouts of all decisions that lost at least ``above``.

    Decisions in ``known`` are not rolled out again. After Ctrl-C the finished rollouts are kept,
    and the analysis is not ``complete``.
    """
    known = dict(known or {})
    wanted = [one for one in analysis.mistakes(above) if one.place not in known]
    done, shared = 0, (settings, engine or default_engine())
    with closing(workers.results(_roll_out, shared, wanted)) as found:
        try:
            for number, rolled in found:
                if rolled is None:
                    return replace(analysis, rollouts=known, complete=False)
                known[wanted[number].place] = rolled
                done += 1
                if progress is not None:
                    progress(done, len(wanted))
        except KeyboardInterrupt:
            return replace(analysis, rollouts=known, complete=False)
        except WorkersLostError as error:
            error.partial = replace(analysis, rollouts=known, complete=False)
            raise
    in_order = {one.place: known[one.place] for one in wanted}
    return replace(analysis, rollouts={**known, **in_order})


def _roll_out(shared: tuple[RolloutSettings, Engine], decision: Decision) -> RolledOut | None:
    """The rollout of a decision; None if it was interrupted."""
    settings, engine = shared
    judgement = decision.judgement
    match = valued(before_double(decision.position).match)
    position = (decision.position.board, match)
    try:
        if isinstance(judgement, PlayJudgement):
            position = (decision.position.board, valued(decision.position.match))
            best = [play.board for play in judgement.plays[:CANDIDATES]]
            made = judgement.plays[judgement.chosen].board
            others = best if judgement.chosen < CANDIDATES else [*best, made]
            result = rollout(position, settings, plays=others, engine=engine)
        else:
            result = rollout(position, settings, cube=True, engine=engine)
    except KeyboardInterrupt:
        return None
    if result.ending == INTERRUPTED:
        return None
    if isinstance(judgement, PlayJudgement):
        return _play(result, min(judgement.chosen, CANDIDATES))
    return _cube(decision, result)


def _play(result: RolloutResult, made: int) -> RolledOut:
    row = result.rows[made]
    loss = max(0.0, result.best.equity - row.equity)
    return RolledOut(loss, row.difference_error if loss else 0.0, result.trials, result.best.name)


_ACTIONS: dict[str, type[Action]] = {
    "double": Double,
    "take": Take,
    "pass": Drop,
    "beaver": Redouble,
}


def _cube(decision: Decision, result: RolloutResult) -> RolledOut | None:
    proper = result.decision
    if proper is None:
        return None
    kind = _ACTIONS.get(decision.played)
    action = None if kind is None else kind(decision.player)
    judged = judged_cube(decision.player, action, proper, (), 0, result.met)
    error = math.hypot(*(row.cubeful_error or 0.0 for row in result.rows))
    best = proper.answer.value if decision.kind == "answer" else proper.verdict.value
    return RolledOut(judged.loss, error, result.trials, best)
