"""The dictionaries that describe the cube, the turn, and how positions are evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gnubg_py.board import VARIATIONS
from gnubg_py.cube.values import gammon_prices
from gnubg_py.inside.arguments import (
    ArgumentError,
    Dictionary,
    checked_state,
    context_of,
    cube_of_state,
)
from gnubg_py.match import MatchState
from gnubg_py.search.settings import MAX_PLIES, FilterStep, MoveFilter
from gnubg_py.shell import engine
from gnubg_py.shell.session import Session

_LARGEST_SEED = 2**31 - 1
_MOST_PLIES = 7


def _described(session: Session, state: MatchState, variation: int) -> Dictionary:
    prices = gammon_prices(cube_of_state(state, beavers=False), engine.met_of(session))
    mover = prices.win_gammon, prices.win_backgammon
    other = prices.lose_gammon, prices.lose_backgammon
    return {
        "cube": state.cube_value,
        "cubeowner": state.cube_owner,
        "move": state.move,
        "matchto": state.match_length,
        "score": state.score,
        "crawford": int(state.crawford),
        "jacoby": int(state.jacoby),
        "beavers": 0,
        "gammonprice": (mover, other) if state.move == 0 else (other, mover),
        "bgv": variation,
    }


def _shown(session: Session) -> MatchState | None:
    return session.shown_match() if session.has_game else None


def cubeinfo(session: Session, *given: Any) -> Dictionary:
    """Make a cube-info dictionary.

    Arguments: [cube value, owner (-1, 0, 1), player on roll (0, 1), match length (0: money),
    score (two ints), Crawford game (0, 1), variation]; what is missing is as in the match.
    """
    names = ("cube", "cubeowner", "move", "matchto", "score", "crawford", "bgv")
    if len(given) > len(names):
        raise TypeError(f"cubeinfo() takes at most 7 arguments ({len(given)} given)")
    shown = _shown(session)
    values: Dictionary = {"cube": 0, "cubeowner": -1, "move": 1, "matchto": 0, "score": (0, 0)}
    values |= {"crawford": 0, "jacoby": 0, "beavers": 0}
    values["bgv"] = VARIATIONS.index(session.rules.variation)
    if shown is not None:
        values |= {
            "cube": shown.cube_value,
            "cubeowner": shown.cube_owner,
            "move": shown.move,
            "matchto": shown.match_length,
            "score": shown.score,
            "crawford": int(shown.crawford),
            "jacoby": int(shown.jacoby and len(given) < 4),
        }
    for name, value in zip(names, given, strict=False):
        if name == "score":
            values[name] = tuple(value)
        elif isinstance(value, int):
            values[name] = value
        else:
            raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    return _described(session, checked_state(values), values["bgv"])


def calcgammonprice(session: Session, cube_info: object, /) -> Dictionary:
    """The cube-info dictionary given, with the gammon prices of its score and cube."""
    state = checked_state(cube_info)
    assert isinstance(cube_info, Mapping)
    made = _described(session, state, int(cube_info.get("bgv", 0)))
    return made | {"jacoby": int(state.jacoby), "beavers": int(cube_info["beavers"])}


def posinfo(session: Session, *given: Any) -> Dictionary:
    """Make a pos-info dictionary.

    Arguments: [player to decide, resignation offered (0 to 3), doubled, game state, dice]; what is
    missing is as in the match.
    """
    names = ("turn", "resigned", "doubled", "gamestate", "dice")
    if len(given) > len(names):
        raise TypeError(f"posinfo() takes at most 5 arguments ({len(given)} given)")
    values: Dictionary = {"dice": (0, 0), "turn": -1, "resigned": 0, "doubled": 0, "gamestate": 0}
    shown = _shown(session)
    if shown is not None:
        values = {
            "dice": shown.dice,
            "turn": shown.turn,
            "resigned": int(shown.resigned),
            "doubled": int(shown.doubled),
            "gamestate": int(shown.game_state),
        }
    for name, value in zip(names, given, strict=False):
        if name == "dice" and not (isinstance(value, Sequence) and len(value) == 2):
            kind = type(value).__name__
            raise TypeError(f"posinfo() argument 5 must be 2-item sequence, not {kind}")
        values[name] = tuple(value) if name == "dice" else value
    if not _is_possible(values):
        raise Exception("error in SetPosInfo\n")  # gnubg's class and its words
    return values


def _is_possible(values: Dictionary) -> bool:
    limits = {"turn": (0, 1), "resigned": (0, 3), "doubled": (0, 1), "gamestate": (1, 5)}
    ranges = all(low <= values[name] <= high for name, (low, high) in limits.items())
    return ranges and all(0 <= die <= 6 for die in values["dice"])


def evalcontext(session: Session, *given: Any) -> Dictionary:
    """Make an eval-context dictionary.

    Arguments: [cubeful, plies, deterministic, prune (ints), noise (float)]; what is missing is as
    `set evaluation chequerplay' has it.
    """
    made = _filled(context_of(session.hint_strength.plays), given)
    flags = {name: int(made[name]) & 1 for name in ("cubeful", "deterministic", "prune")}
    return made | flags | {"plies": min(max(made["plies"], 0), _MOST_PLIES)}


def _filled(defaults: Dictionary, given: Sequence[Any]) -> Dictionary:
    """The dictionary with the arguments given in place of its first values."""
    if len(given) > len(defaults):
        most = f"at most {len(defaults)} arguments"
        raise TypeError(f"function takes {most} ({len(given)} given)")
    made = {
        name: _number(value, defaults[name]) for name, value in zip(defaults, given, strict=False)
    }
    return defaults | made


def _number(value: Any, default: float) -> Any:
    """A number of the same kind as the default one; ``TypeError`` as gnubg words it."""
    if isinstance(default, float):
        if not isinstance(value, int | float):
            raise TypeError(f"must be real number, not {type(value).__name__}")
        return float(value)
    if not isinstance(value, int):
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    if abs(value) > _LARGEST_SEED:
        raise OverflowError("signed integer is greater than maximum")
    return int(value)


def rolloutcontext(session: Session, *given: Any) -> Dictionary:
    """Make a rollout-context dictionary.

    Arguments: [16 ints and 2 floats, in the order of the answer's keys].
    """
    settings = session.rollout
    stop = settings.stop
    made: Dictionary = {
        "cubeful": int(settings.cubeful),
        "variance-reduction": int(settings.variance_reduction),
        "initial-position": int(settings.initial_position),
        "quasi-random-dice": int(settings.stratified),
        "late-eval": int(settings.later is not None),
        "truncated-rollouts": int(settings.truncate is not None),
        "n-truncation": settings.truncate or 10,
        "truncate-bearoff2": int(settings.truncate_two_sided),
        "truncate-bearoffOS": int(settings.truncate_one_sided),
        "stop-on-std": int(stop.error is not None),
        "trials": settings.trials,
        "seed": settings.seed & _LARGEST_SEED,
        "minimum-games": stop.error_minimum,
        "stop-on-jsd": int(stop.ahead is not None),
        "late-on-move-n": settings.later_from,
        "minimum-jsd-games": stop.ahead_minimum,
        "std-limit": float(stop.error or 0.01),
        "jsd-limit": float(stop.ahead or 2.33),
    }
    return _filled(made, given)


def getevalhintfilter(session: Session) -> list[Dictionary]:
    """The move filters of ``hint`` and ``eval``, one dictionary for each ply and level."""
    filters = session.hint_strength.filters
    rows = []
    for plies in range(1, MAX_PLIES + 1):
        steps = {step.ply: step for step in filters.of(plies)}
        for level in range(plies):
            step = steps.get(level)
            rows.append(
                {
                    "ply": plies,
                    "level": level,
                    "acceptmoves": -1 if step is None else step.keep,
                    "extramoves": 0 if step is None else step.extra,
                    "threshold": 0.0 if step is None else float(step.within),
                }
            )
    return rows


def setevalhintfilter(session: Session, rows: object, /) -> None:
    """Set the move filters of ``hint`` and ``eval`` from a list as ``getevalhintfilter`` gives."""
    steps: dict[int, list[FilterStep]] = {plies: [] for plies in range(1, MAX_PLIES + 1)}
    try:
        if not (isinstance(rows, list | tuple) and rows):
            raise TypeError("it should have rows as gnubg.getevalhintfilter() gives them")
        for row in rows:
            if row["acceptmoves"] >= 0:
                step = FilterStep(
                    row["level"], row["acceptmoves"], row["extramoves"], row["threshold"]
                )
                steps[row["ply"]].append(step)
        chosen = MoveFilter("script", {plies: tuple(found) for plies, found in steps.items()})
    except (KeyError, TypeError, ValueError) as problem:
        raise ArgumentError(f"not a list of move filters: {problem}") from None
    session.hints = replace(session.hints, filters=chosen)
