"""The engine as the session has it set up: its evaluators, cube and match equity table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gnubg_py.cube.action import CubeDecision, cube_decision
from gnubg_py.cube.from_match import cube_of
from gnubg_py.cube.met import MatchEquityTable, kazaross_xg2
from gnubg_py.cube.state import Cube, can_double
from gnubg_py.evaluate.router import (
    Router,
    class_named,
    default_router,
    evaluator_named,
)
from gnubg_py.game.position import valued
from gnubg_py.search.ranking import RankedPlay, rank_plays
from gnubg_py.search.values import cube_decision_batch, cubeful_values, has_gammons

if TYPE_CHECKING:
    from gnubg_py.board import Board
    from gnubg_py.game.position import Position
    from gnubg_py.shell.options import Strength
    from gnubg_py.shell.session import Session


def session_cube(session: Session, position: Position) -> Cube:
    """The cube of a position under the session's rules."""
    return cube_of(valued(position.match), session.rules.beavers > 0)


def met_of(session: Session) -> MatchEquityTable:
    """The match equity table in use."""
    return session.met or kazaross_xg2()


def router_of(session: Session) -> Router:
    """The shipped evaluators, with those the user has put in their place."""
    if not session.evaluators:
        return default_router()
    key = tuple(sorted(session.evaluators.items()))
    if session.router_key != key:
        session.router_key, session.router = key, _routed(session.evaluators)
    assert session.router is not None
    return session.router


def _routed(chosen: dict[str, str]) -> Router:
    base = default_router()
    router = Router("+".join(sorted(set(chosen.values()))), dict(base.table))
    for class_name, name in chosen.items():
        position_class = class_named(class_name)
        evaluator = evaluator_named(name)
        if isinstance(evaluator, Router):
            evaluator = evaluator.leaf(position_class)
        router = router.routed(position_class, evaluator)
    return router


def ranked(session: Session, position: Position, strength: Strength) -> list[RankedPlay]:
    """The plays of the roll on the table, best first."""
    return rank_plays(
        position.board,
        position.match.dice,
        session_cube(session, position),
        strength.plays,
        strength.filters,
        router_of(session),
        met_of(session),
    )


def decision(session: Session, position: Position, strength: Strength) -> CubeDecision | None:
    """The cube decision of the side on roll, None where it cannot double."""
    cube = session_cube(session, position)
    if not can_double(cube):
        return None
    answer = cube_decision_batch(
        position.board[None], cube, strength.cube, router_of(session), met_of(session)
    )
    gammons = has_gammons(answer.probabilities[0], cube)
    values = (float(answer.values[0, 0]), float(answer.values[0, 1]))
    return cube_decision(values, cube, met_of(session), gammons)


def equity(session: Session, position: Position, strength: Strength) -> float:
    """The cubeful equity of the side on roll before it rolls, normalised to the cube."""
    from gnubg_py.cube.met import mwc2eq

    cube = session_cube(session, position)
    settings = replace(strength.cube, cubeful=True)
    met = met_of(session)
    _, values = cubeful_values(position.board[None], (cube,), settings, router_of(session), met)
    value = float(values[0, 0])
    return value if cube.away is None else float(mwc2eq(value, cube, met))


def resignation_values(
    session: Session, position: Position, strength: Strength
) -> tuple[float, float]:
    """Equities of the side that is offered a resignation: playing on, and accepting it."""
    from gnubg_py.cube.met import after_game, mwc2eq

    match = position.match
    cube = session_cube(session, position)
    played_on = equity(session, position, strength)
    level = int(match.resigned)
    if cube.away is None:
        accepted = float(level)
    else:
        sign = 1 if match.turn == match.move else -1
        chance = after_game(cube, sign * level * match.cube_value, met_of(session))
        accepted = sign * float(mwc2eq(chance, cube, met_of(session)))
    return (played_on if match.turn == match.move else -played_on), accepted


def best_board(plays: list[RankedPlay]) -> Board:
    """The position the best play leads to."""
    return np.asarray(plays[0].board)


def taken(position: Position) -> Position:
    """The position once the double on the table has been taken."""
    from gnubg_py.game.actions import Take
    from gnubg_py.game.position import Rules, apply

    return apply(position, Take(position.match.turn), Rules())
