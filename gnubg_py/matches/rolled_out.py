"""The dearest mistakes of a match rolled out: were they mistakes, and how large?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gnubg_py.engine import Engine
from gnubg_py.game.actions import Action, Double, Drop, Redouble, Take
from gnubg_py.game.analysis import PlayJudgement, before_double, judged_cube
from gnubg_py.game.position import valued
from gnubg_py.matchfiles.contents import Place
from gnubg_py.rollouts.result import INTERRUPTED, RolloutResult
from gnubg_py.rollouts.run import rollout
from gnubg_py.rollouts.settings import RolloutSettings

if TYPE_CHECKING:
    from gnubg_py.matches.decisions import Decision
    from gnubg_py.matches.match_analysis import MatchAnalysis

CANDIDATES = 3
"""How many of the best plays are rolled out beside the play that was made."""


@dataclass(frozen=True)
class RolledOut:
    """What a rollout says of a decision: its loss with the standard error, and the best action."""

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
) -> MatchAnalysis:
    """The analysis with every decision rolled out that lost at least ``above``.

    What is ``known`` is not rolled out again. Ctrl-C ends it: finished rollouts are kept, and the
    analysis is not ``complete``.
    """
    known = dict(known or {})
    wanted = [one for one in analysis.mistakes(above) if one.place not in known]
    for number, decision in enumerate(wanted):
        rolled = rolled_out(decision, settings, engine)
        if rolled is None:
            return replace(analysis, rollouts=known, complete=False)
        known[decision.place] = rolled
        if progress is not None:
            progress(number + 1, len(wanted))
    return replace(analysis, rollouts=known)


def rolled_out(
    decision: Decision, settings: RolloutSettings, engine: Engine | None = None
) -> RolledOut | None:
    """A decision rolled out; None if that was interrupted."""
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
