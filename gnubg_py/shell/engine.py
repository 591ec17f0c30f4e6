"""The engine as the session has it set up: its evaluators, cube and match equity table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gnubg_py.cube.decision import CubeDecision
from gnubg_py.cube.met import MatchEquityTable, kazaross_xg2
from gnubg_py.cube.state import Cube, can_double, cube_of, swap_cube
from gnubg_py.cube.values import utility
from gnubg_py.engine import Engine, engine_of
from gnubg_py.evaluators.classify import HYPERGAMMON, PositionClass
from gnubg_py.evaluators.hypergammon import hypergammon_router
from gnubg_py.evaluators.registry import default_router
from gnubg_py.evaluators.router import Router, class_named
from gnubg_py.game.actions import Take
from gnubg_py.game.position import Position, Rules, apply, valued
from gnubg_py.probabilities import inverted
from gnubg_py.search.context import make_search
from gnubg_py.search.ranking import RankedPlay, rank, ranked_plays
from gnubg_py.search.settings import EvalSettings, Strength
from gnubg_py.search.values import decide_cube, values
from gnubg_py.shell.session import Session

_CERTAIN = 1e-4
"""A value nearer than this to that of a loss is the loss."""


def session_cube(session: Session, position: Position) -> Cube:
    """The cube of a position under the session's rules."""
    return cube_of(valued(position.match), session.rules.beavers > 0)


def met_of(session: Session) -> MatchEquityTable:
    """The match equity table in use.

    ``set invert met`` changes nothing in it: tables that favour a player are refused, so both
    players have the same chances at exchanged scores.
    """
    return session.met or kazaross_xg2()


def session_engine(session: Session) -> Engine:
    """The engine as the session has set it up."""
    engine = engine_of(router_of(session), met_of(session))
    return replace(engine, efficiency=session.efficiency)


def router_of(session: Session) -> Router:
    """The shipped evaluators, with those the user has put in their place."""
    variation = (
        session.rules.variation if session.record is None else session.record.rules.variation
    )
    router = hypergammon_router(variation) if variation in HYPERGAMMON else default_router()
    chosen = {class_named(name): leaf for name, leaf in session.evaluators.items()}
    if variation in HYPERGAMMON:
        chosen = {c: leaf for c, leaf in chosen.items() if c == HYPERGAMMON[variation]}
    if not chosen:
        return router
    name = "+".join(sorted({evaluator.name for evaluator in chosen.values()}))
    return replace(router, name=name, table={**router.table, **chosen})


def ranked(session: Session, position: Position, strength: Strength) -> list[RankedPlay]:
    """The plays of the roll on the table, best first."""
    search = make_search(session_engine(session), strength.plays)
    dice = np.array([position.match.dice], np.int8)
    cube = session_cube(session, position)
    return ranked_plays(rank(search, position.board[None], dice, cube, strength.filters))


def position_decision(
    session: Session, position: Position, strength: Strength
) -> CubeDecision | None:
    """The cube decision of the side on roll, None where it cannot double."""
    cube = session_cube(session, position)
    if not can_double(cube):
        return None
    search = make_search(session_engine(session), strength.cube)
    return decide_cube(search, position.board[None], cube)[0]


def equity(session: Session, position: Position, strength: Strength) -> float:
    """The cubeful value of the side on roll before it rolls; in a match its chance to win."""
    return evaluation(session, position, replace(strength.cube, cubeful=True))[1]


def evaluation(
    session: Session, position: Position, settings: EvalSettings
) -> tuple[list[float], float]:
    """The five probabilities of the side on roll, and its equity; in a match its chance to win.

    The value is cubeful where the settings are.
    """
    cube = session_cube(session, position)
    search = make_search(session_engine(session), settings)
    five, found = values(search, position.board[None], (cube,))
    return [float(p) for p in five[0]], float(found[0, 0])


def resignation_values(
    session: Session, position: Position, strength: Strength
) -> tuple[float, float]:
    """Equities of the side that is offered a resignation: playing on, and accepting it.

    They are cubeless, as gnubg's are: gammons have their price, the cube stays as it is.
    """
    match, met = position.match, met_of(session)
    cube = session_cube(session, position)
    five = np.array(evaluation(session, position, strength.cube)[0])
    if match.turn != match.move:
        five, cube = inverted(five), swap_cube(cube)
    both = np.vstack([five, _won(int(match.resigned))])
    played_on, accepted = utility(both, cube, met, jacoby=True).tolist()
    return played_on, accepted


def _won(level: int) -> NDArray[np.float64]:
    """The five probabilities of a game that is won: single (1), gammon (2), backgammon (3)."""
    return np.array([1.0, level >= 2, level >= 3, 0.0, 0.0])


def is_accepted(played_on: float, accepted: float) -> bool:
    """Whether a resignation is to be accepted; what is worth the same is."""
    return accepted > played_on - _CERTAIN


def certain_loss(session: Session, position: Position) -> int:
    """What the side on roll is certain to lose in a race: a single game (1), to a backgammon (3).

    0 if nothing is certain, or there is contact. Losses that cost the same count as single games.
    """
    classes = session_engine(session).classes(position.board[None])
    if classes[0] >= PositionClass.CRASHED:
        return 0
    five = np.array(evaluation(session, position, EvalSettings(0, cubeful=False))[0])
    lost = [inverted(_won(level)) for level in (1, 2, 3)]
    cube, met = session_cube(session, position), met_of(session)
    values = utility(np.vstack([five, *lost]), cube, met, jacoby=True)
    equal = np.flatnonzero(np.abs(values[1:] - values[0]) < _CERTAIN)
    return int(equal[0]) + 1 if len(equal) else 0


def taken(position: Position) -> Position:
    """The position once the double on the table has been taken."""
    return apply(position, Take(position.match.turn), Rules())
