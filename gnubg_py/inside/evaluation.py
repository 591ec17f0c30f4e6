"""Evaluations, cube decisions, best plays and hints, and conversions of equities."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from gnubg_py.cube import met as met_module
from gnubg_py.cube.decision import cube_decision
from gnubg_py.cube.met import equity_of, value_of_a_point
from gnubg_py.cube.state import CENTRED, MAX_AWAY, OTHER, Cube, can_double
from gnubg_py.cube.tree import in_units_before_doubling
from gnubg_py.cube.values import utility
from gnubg_py.dice import check_dice
from gnubg_py.game.statistics import luck_level, rating_level
from gnubg_py.inside.arguments import (
    ArgumentError,
    Dictionary,
    board_of,
    context_of,
    cube_given,
    eval_settings_of,
)
from gnubg_py.inside.positions import moves_between
from gnubg_py.match import NO_DICE
from gnubg_py.notation import CANNOT_MOVE
from gnubg_py.search.context import Search, make_search
from gnubg_py.search.ranking import rank
from gnubg_py.search.settings import EvalSettings
from gnubg_py.search.values import values
from gnubg_py.shell import engine
from gnubg_py.shell.answer_commands import find_plays
from gnubg_py.shell.dice_commands import working_dice
from gnubg_py.shell.session import Session

_DECISIONS = (
    "Double, take", "Double, pass", "No double, take",
    "Too good to double, take", "Too good to double, pass",
    "Double, beaver", "No double, beaver",
    "Redouble, take", "Redouble, pass", "No redouble, take",
    "Too good to redouble, take", "Too good to redouble, pass", "No redouble, beaver",
    "Never double, take (dead cube)", "Never redouble, take (dead cube)",
    "Unknown cube decision",
    "Optional double, take", "Optional redouble, take", "Optional double, beaver",
    "Optional double, pass", "Optional redouble, pass",
)  # fmt: skip
"""gnubg's words for cube decisions, in the order of its numbers."""


_FEW = 10


def _search(session: Session, context: object, default: EvalSettings) -> Search:
    try:
        settings = eval_settings_of(context, default)
    except (TypeError, ValueError) as problem:
        raise ArgumentError(str(problem)) from None
    return make_search(engine.session_engine(session), settings)


def evaluate(
    session: Session, board: object = None, cube_info: object = None, context: object = None, /
) -> tuple[float, ...]:
    """Evaluate a position: five probabilities and the cubeless equity.

    Arguments: [board, cube-info, eval-context], by default those of the session.
    """
    position, cube = board_of(session, board), cube_given(session, cube_info)
    search = _search(session, context, session.hint_strength.plays)
    five = values(search, position[None], (cube,))[0][0]
    equity = float(utility(five.astype(np.float64), cube, engine.met_of(session)))
    return (*(float(p) for p in five), equity)


def cfevaluate(
    session: Session, board: object = None, cube_info: object = None, context: object = None, /
) -> tuple[float, float, float, float, int, str]:
    """Evaluate the cube decision: equities, and gnubg's number and words of what is right.

    Arguments as for ``evaluate``. The equities are those of the right action, of no double, of
    double and take, and of double and pass.
    """
    position, cube = board_of(session, board), cube_given(session, cube_info)
    search = _search(session, context, session.hint_strength.cube)
    search = replace(search, settings=replace(search.settings, cubeful=True))
    doubled = replace(cube, value=2 * cube.value, owner=OTHER, crawford=False)
    five, found = values(search, position[None], (cube, doubled))
    found = in_units_before_doubling(found, cube)
    met = engine.met_of(session)
    if not can_double(cube):
        no_double, take = (float(equity_of(v, cube, met)) for v in found[0].tolist())
        words = _no_decision(cube)
        return no_double, no_double, take, 1.0, _DECISIONS.index(words), words
    made = cube_decision((found[0, 0], found[0, 1]), cube, met, gammons=bool(five[0, 1] > 0))
    words = made.words if made.words in _DECISIONS else "Unknown cube decision"
    best = made.no_double
    if made.doubles:
        best = min(made.double_take, made.double_pass)
    equities = (float(e) for e in (best, made.no_double, made.double_take))
    return (*equities, 1.0, _DECISIONS.index(words), words)  # type: ignore[return-value]


def _no_decision(cube: Cube) -> str:
    """gnubg's words where there is nothing to decide."""
    if cube.owner == OTHER:
        return "Unknown cube decision"
    verb = "double" if cube.owner == CENTRED else "redouble"
    return f"Never {verb}, take (dead cube)"


def findbestmove(
    session: Session,
    board: object = None,
    cube_info: object = None,
    context: object = None,
    dice: Any = None,
    /,
) -> tuple[int, ...]:
    """The best play as a flat tuple: from, to, from, to ...; 25 is the bar and 0 is off.

    Arguments: [board, cube-info, eval-context, dice], by default those of the session.
    """
    position = board_of(session, board)
    if dice is None and session.has_game:
        dice = session.shown().match.dice
    if dice is None or dice == NO_DICE:
        raise Exception("What? No dice?\n")  # gnubg's class and its words
    try:
        roll = check_dice((dice[0], dice[1]))
    except (KeyError, IndexError, TypeError, ValueError):
        raise ArgumentError("dice should be two numbers from 1 to 6") from None
    cube = cube_given(session, cube_info)
    search = _search(session, context, session.hint_strength.plays)
    filters = session.hint_strength.filters
    best = rank(search, position[None], np.array([roll], np.int8), cube, filters).boards[0]
    return tuple(point for step in moves_between(position, roll, best) for point in step)


def hint(session: Session, most: int = -1, /) -> Dictionary:
    """The plays of the roll on the table, best first.

    Arguments: [how many], by default all; 0 means ten. As in gnubg there is an exception where the
    decision is about the cube or a resignation.
    """
    if not isinstance(most, int):
        raise TypeError(f"'{type(most).__name__}' object cannot be interpreted as an integer")
    if not session.is_playing:
        raise Exception("You must set up a board first.")
    position = session.position()
    for waits, what in (
        (position.match.resigned, "resignations"),
        (position.match.doubled, "take actions"),
        (position.match.dice == NO_DICE, "cube actions"),
    ):
        if waits:
            raise Exception(f"Hints for {what} not yet implemented")
    plays = find_plays(session, position).plays
    if plays[0].play == CANNOT_MOVE:
        plays = ()
    return {
        "hinttype": "chequer",
        "gnubgid": position.gnubg_id,
        "hint": [
            {
                "movenum": play.rank,
                "type": "eval",
                "move": play.play,
                "equity": float(play.equity),
                "eqdiff": float(play.equity - plays[0].equity),
                "context": context_of(play.settings),
                "details": {
                    "probs": tuple(float(p) for p in play.probabilities),
                    "score": float(play.equity),
                },
            }
            for play in plays[: (most or _FEW) if most >= 0 else None]
        ],
    }


def met(session: Session, length: int | None = None, /) -> list[Any]:
    """The match equity table to some length: rows before Crawford, then after it for each player.

    Arguments: [length], by default that of the match, or 64.
    """
    if length is None:
        length = (session.shown().match.match_length if session.has_game else 0) or MAX_AWAY
    if not isinstance(length, int):
        raise TypeError(f"'{type(length).__name__}' object cannot be interpreted as an integer")
    if not 1 <= length <= MAX_AWAY:
        raise ValueError("invalid matchlength")
    table = engine.met_of(session)
    post = table.post[:length].tolist()
    return [table.pre[:length, :length].tolist(), post, list(post)]


def eq2mwc(session: Session, equity: float = 0.0, cube_info: object = None, /) -> float:
    """The match winning chance of an equity at the score and cube; 0 in money play, as in gnubg."""
    cube = cube_given(session, cube_info)
    if cube.away is None:
        return 0.0
    return float(met_module.chance_of_equity(_real(equity), cube, engine.met_of(session)))


def mwc2eq(session: Session, chance: float = 0.0, cube_info: object = None, /) -> float:
    """The equity of a match winning chance; infinite in money play, as in gnubg."""
    cube = cube_given(session, cube_info)
    if cube.away is None:
        return math.inf
    return float(met_module.equity_of_chance(_real(chance), cube, engine.met_of(session)))


def eq2mwc_stderr(session: Session, error: float = 0.0, cube_info: object = None, /) -> float:
    """The standard error of a match winning chance from that of an equity."""
    return _real(error) * _point_value(session, cube_info)


def mwc2eq_stderr(session: Session, error: float = 0.0, cube_info: object = None, /) -> float:
    """The standard error of an equity from that of a match winning chance."""
    return _real(error) / _point_value(session, cube_info)


def _point_value(session: Session, cube_info: object) -> float:
    return value_of_a_point(cube_given(session, cube_info), engine.met_of(session))


def _real(value: object) -> float:
    if not isinstance(value, int | float):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return float(value)


def luckrating(session: Session, luck: float, /) -> int:
    """gnubg's rating of the luck of a roll on average: 0 (very unlucky) to 4 (very lucky)."""
    return luck_level(float(np.float32(_real(luck))))  # 0.03 is below gnubg's limit of 0.03


def errorrating(session: Session, error: float, /) -> int:
    """gnubg's rating of an error per decision: 0 (awful) to 7 (supernatural)."""
    return rating_level(_real(error))


def dicerolls(session: Session, count: int, /) -> tuple[tuple[int, int], ...]:
    """Some rolls of the session's dice."""
    if count <= 0:
        raise ValueError("number of rolls must be greater than 0")
    return tuple(working_dice(session).roll(session.ask) for _ in range(count))
