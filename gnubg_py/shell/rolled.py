"""Rollouts in the place of evaluations, where `set ... type rollout' asks for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gnubg_py.board import Board
from gnubg_py.cube.decision import CubeDecision
from gnubg_py.cube.met import chance_of_equity
from gnubg_py.cube.state import can_double
from gnubg_py.game.actions import Action
from gnubg_py.game.analysis import (
    CubeJudgement,
    Judgement,
    PlayJudgement,
    before_double,
    cost_of,
    judged_cube,
)
from gnubg_py.game.position import Position, valued
from gnubg_py.rollouts.result import RolloutResult
from gnubg_py.rollouts.run import Report, rollout
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.search.ranking import RankedPlay
from gnubg_py.search.settings import Strength
from gnubg_py.shell import engine
from gnubg_py.shell.rollout_settings import seen_by
from gnubg_py.shell.session import Session

MOST_PLAYS = 10
"""How many plays of a roll are rolled out at most: of those that were ranked deepest."""


def rollout_settings_of(session: Session, place: str) -> RolloutSettings | None:
    """The rollouts of a place such as "evaluation chequerplay"; None where it evaluates."""
    if place not in session.by_rollout:
        return None
    return session.rollouts_at(place)


def roll_out_plays(
    session: Session, position: Position, plays: list[RankedPlay], settings: RolloutSettings
) -> tuple[RolloutResult, list[RankedPlay]]:
    """Roll out the plays that were ranked deepest: the result, and all plays by it."""
    deepest = [play for play in plays if play.ply == plays[0].ply][:MOST_PLAYS]
    result = session_rollout(session, position, settings, plays=[play.board for play in deepest])
    cube, met = engine.session_cube(session, position), engine.met_of(session)
    rolled = []
    for play, row in zip(deepest, result.rows, strict=True):
        value = row.equity if cube.away is None else float(chance_of_equity(row.equity, cube, met))
        five = np.array(row.probabilities, np.float32)
        rolled.append(replace(play, equity=row.equity, value=value, probabilities=five))
    rolled.sort(key=lambda play: -play.equity)
    return result, [*rolled, *plays[len(deepest) :]]


def session_rollout(
    session: Session,
    position: Position,
    settings: RolloutSettings,
    *,
    plays: list[Board] | None = None,
    cube: bool = False,
    report: Report | None = None,
) -> RolloutResult:
    """Roll out plays, the cube decision or what the roll asks for, by the session's engine."""
    match = position.match
    return rollout(
        (position.board, valued(match)),
        seen_by(settings, match.move),
        plays=plays,
        cube=cube,
        engine=engine.session_engine(session),
        report=report,
        workers=session.workers,
    )


def roll_out_cube(
    session: Session, position: Position, settings: RolloutSettings
) -> tuple[RolloutResult, CubeDecision]:
    """Roll out the cube decision of the side on roll, which can double: always with the cube."""
    result = session_rollout(session, position, replace(settings, cubeful=True), cube=True)
    assert result.decision is not None
    return result, result.decision


def ranked_or_rolled(
    session: Session, position: Position, strength: Strength, place: str
) -> list[RankedPlay]:
    """The plays of the roll, best first, rolled out if the settings of the place say so."""
    plays = engine.ranked(session, position, strength)
    settings = rollout_settings_of(session, f"{place} chequerplay")
    if settings is None or len(plays) == 1:
        return plays
    return roll_out_plays(session, position, plays, settings)[1]


def decision_or_rolled(
    session: Session, position: Position, strength: Strength, place: str
) -> CubeDecision | None:
    """The cube decision, rolled out if the settings of the place say so; None if there is none."""
    settings = rollout_settings_of(session, f"{place} cubedecision")
    if settings is None or not can_double(engine.session_cube(session, position)):
        return engine.position_decision(session, position, strength)
    return roll_out_cube(session, position, settings)[1]


def judgements(
    session: Session, position: Position, action: Action, judged: tuple[Judgement, ...]
) -> tuple[Judgement, ...]:
    """The judgements of an action, with rollouts where `set analysis' asks for them."""
    plays = rollout_settings_of(session, "analysis chequerplay")
    cube = rollout_settings_of(session, "analysis cubedecision")
    found: list[Judgement] = []
    for item in judged:
        if isinstance(item, PlayJudgement) and plays is not None and not item.forced:
            found.append(_play(session, position, item, plays))
        elif isinstance(item, CubeJudgement) and cube is not None:
            found.append(_cube(session, position, action, item, cube))
        else:
            found.append(item)
    return tuple(found)


def _play(
    session: Session, position: Position, item: PlayJudgement, settings: RolloutSettings
) -> PlayJudgement:
    """The judgement of a play by rollouts of the best plays and of the one chosen."""
    chosen = item.plays[item.chosen]
    first = [replace(play, ply=-1) for play in item.plays[:MOST_PLAYS] if play is not chosen]
    candidates = [replace(chosen, ply=-1), *first][:MOST_PLAYS]
    rolled = roll_out_plays(session, position, candidates, settings)[1]
    ply = item.plays[0].ply
    plays = tuple(replace(play, ply=ply) for play in rolled)
    at = next(i for i, play in enumerate(plays) if (play.board == chosen.board).all())
    loss = max(0.0, plays[0].equity - plays[at].equity)
    cost = cost_of(loss, item.cube, engine.met_of(session))
    return replace(item, plays=plays, chosen=at, loss=loss, cost=cost)


def _cube(
    session: Session,
    position: Position,
    action: Action,
    item: CubeJudgement,
    settings: RolloutSettings,
) -> CubeJudgement:
    asked = before_double(position) if position.match.doubled else position
    result, decided = roll_out_cube(session, asked, settings)
    five = tuple(result.rows[0].probabilities)
    did = action if item.doubled or item.answer else None
    return judged_cube(item.player, did, decided, five, item.ply, engine.met_of(session))
