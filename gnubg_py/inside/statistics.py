"""The statistics of a game or a match as gnubg's dictionaries."""

from __future__ import annotations

from gnubg_py.game.statistics import (
    CUBE_ERRORS,
    Statistics,
    match_result,
    rating_difference,
    rating_losses,
)
from gnubg_py.inside.arguments import Dictionary
from gnubg_py.shell import engine
from gnubg_py.shell.session import Session
from gnubg_py.shell.statistics_commands import collected

_CUBE_KEYS = (
    "missed-double-below-cp", "missed-double-above-cp", "wrong-double-below-dp",
    "wrong-double-above-tg", "wrong-take", "wrong-drop",
)  # fmt: skip
_MARKS = ("very bad", "bad", "doubtful", "unmarked")
_ROLLS = {
    "verybad": "very unlucky", "bad": "unlucky", "unmarked": "unmarked",
    "good": "lucky", "verygood": "very lucky",
}  # fmt: skip


def game_statistics(session: Session, number: int) -> Dictionary:
    """The statistics of a game, by player."""
    return _statistics(session, range(number, number + 1))


def match_statistics(session: Session) -> Dictionary:
    """The statistics of the match, by player, in match play with ratings."""
    record = session.match()
    games = range(len(record.games))
    found = _statistics(session, games)
    if record.length:
        for one, made in zip(collected(session, games), found.values(), strict=True):
            _add_ratings(session, one, made, record.length)
    return found


def _statistics(session: Session, games: range) -> Dictionary:
    both = collected(session, games)
    actual = match_result(session.match(), games, engine.met_of(session)) or 0.0
    luck = both[0].luck.worth - both[1].luck.worth
    return {
        "X": _player(both[0], actual, actual - luck),
        "O": _player(both[1], -actual, luck - actual),
    }


def _player(one: Statistics, actual: float, adjusted: float) -> Dictionary:
    return {
        "moves": {
            "unforced-moves": one.unforced,
            "total-moves": one.moves,
            "error-skill": float(one.play_error.equity),
            "error-cost": float(one.play_error.worth),
            "marked": {mark: one.marks[mark] for mark in _MARKS},
        },
        "cube": _cube(one),
        "dice": {
            "luck": float(one.luck.equity),
            "luck-cost": float(one.luck.worth),
            "actual-result": float(actual),
            "luck-adjusted-result": float(adjusted),
            "marked-rolls": {key: one.luck_marks[mark] for key, mark in _ROLLS.items()},
        },
    }


def _cube(one: Statistics) -> Dictionary:
    errors = [one.cube_errors[name] for name in CUBE_ERRORS]
    made: Dictionary = {
        "total-cube": one.cube_decisions,
        "close-cube": one.close,
        "n-doubles": one.doubles,
        "n-takes": one.takes,
        "n-drops": one.passes,
    }
    made |= {key: error.count for key, error in zip(_CUBE_KEYS, errors, strict=True)}
    for key, error in zip(_CUBE_KEYS, errors, strict=True):
        made |= {f"err-{key}-skill": float(error.equity), f"err-{key}-cost": float(error.worth)}
    equity, worth = one.cube_error
    return made | {"error-skill": float(equity), "error-cost": float(worth)}


def _add_ratings(session: Session, one: Statistics, made: Dictionary, length: int) -> None:
    """Add the FIBS ratings that luck and errors stand for."""
    dice = made["dice"]
    difference = rating_difference(0.5 + dice["luck-adjusted-result"], length)
    marked = dice.pop("marked-rolls")
    if difference is not None:
        dice["fibs-rating-difference"] = difference
    dice["marked-rolls"] = marked
    plays, cube = rating_losses(one, length)
    rating = {"total": session.printing.rating_offset - plays - cube}
    if one.unforced:
        rating["chequer"] = plays
    if one.close:
        rating["cube"] = cube
    made["error-based-fibs-rating"] = rating
