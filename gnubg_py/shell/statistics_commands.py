"""``show statistics`` and ``show matchresult``, of what has been analysed so far."""

from __future__ import annotations

import math

import numpy as np

from gnubg_py.game.actions import Move, Roll
from gnubg_py.game.analysis import Judgement
from gnubg_py.game.statistics import Statistics, collect, match_result
from gnubg_py.matches.statistics_text import Parts, Scale, row, statistics_text
from gnubg_py.shell import engine
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command

_TWO_SIDED_95 = 1.96
"""How many standard errors a confidence interval of 95% reaches to each side."""


def _judged(session: Session, games: range) -> list[Judgement]:
    """The judgements of some games, in order; as in gnubg not those of a roll not yet played."""
    record = session.match()
    places = []
    for game in games:
        actions = record.games[game].actions
        ends_with_a_roll = bool(actions) and isinstance(actions[-1], Roll)
        places += [(game, place) for place in range(len(actions) - ends_with_a_roll)]
    return [item for place in places for item in session.analysed.get(place, ())]


def collected(session: Session, games: range) -> tuple[Statistics, Statistics]:
    """What is known of some games; plays that were not analysed are counted, without a mark."""
    record = session.match()
    both = collect(_judged(session, games), session.analysis.limits)
    for player, one in enumerate(both):
        actions = [action for g in games for action in record.games[g].actions]
        played = sum(isinstance(act, Move) and act.player == player for act in actions)
        one.marks["unmarked"] += played - one.moves
        one.moves = played
    return both


def text_of_statistics(session: Session, games: range) -> str:
    """The statistics of some games as gnubg prints them."""
    record = session.match()
    scale = Scale(record.length, session.printing.error_factor, session.printing.rating_offset)
    result = match_result(record, games, engine.met_of(session))
    wanted = session.analysis
    parts = Parts(wanted.moves, wanted.luck, wanted.cube)
    text = statistics_text(collected(session, games), session.names, scale, result, parts)
    if record.length == 0 and len(games) > 1:
        text += "\n" + "\n".join(_advantages(_results(session, games)))
    return text


def _results(session: Session, games: range) -> np.ndarray:
    """Each game's result for player 0 and the same without the luck, ``float[games, 2]``.

    In points, or in a match as winning chance; a game in progress is 0, and its luck is taken off.
    """
    rows = []
    for number in games:
        one = range(number, number + 1)
        result = match_result(session.match(), one, engine.met_of(session)) or 0.0
        both = collect(_judged(session, one))
        rows.append((result, result - (both[0].luck.worth - both[1].luck.worth)))
    return np.array(rows).reshape(-1, 2)


def _advantages(results: np.ndarray) -> list[str]:
    """Points per game, and gnubg's intervals, whose middle is the sum of the points."""
    lines = []
    for column, kind in enumerate(("actual", "luck adjusted")):
        points = results[:, column]
        reach = _TWO_SIDED_95 * points.std(ddof=1) / math.sqrt(len(points))
        low, high = points.sum() - reach, points.sum() + reach
        mean = f"{points.mean():+6.3f}", f"{0.0 - points.mean():+6.3f}"
        lines.append(row(f"Advantage ({kind}) in ppg", *mean))
        own, other = f"[{low:6.3f},{high:6.3f}]", f"[{-high:6.3f},{-low:6.3f}]"
        lines.append(row("95% confidence interval (ppg)", own, other))
    return lines


def _show(session: Session, games: range) -> None:
    if not _judged(session, games):
        session.note("Nothing has been analysed yet: type `analyse match' first.")
    session.say(text_of_statistics(session, games))


def statistics_game(session: Session) -> None:
    """``show statistics game``."""
    session.match()
    _show(session, range(session.game_index, session.game_index + 1))


def statistics_match(session: Session) -> None:
    """``show statistics [match]``."""
    if not session.has_game:
        one, two = session.names
        session.say(row("Player", one[:22], two[:22]) + "\n\nOverall statistics\n")
        return
    _show(session, range(len(session.match().games)))


def show_matchresult(session: Session) -> None:
    """``show matchresult``: each game's result for player 0, as it was and without the luck."""
    session.say(f"Actual and luck adjusted results for {session.names[0]}\n")
    session.say("Game       Actual     Luck adj.")
    if not session.has_game:
        session.say("{:>10} {:+9.3f} {:+9.3f}".format("Sum", 0, 0))
        return
    record = session.match()
    results = _results(session, range(len(record.games)))
    if record.length:
        for number, row in enumerate(results):
            session.say(_chances(str(number), row))
        session.say(_chances("Final", results.sum(axis=0)))
        return
    for number, (points, adjusted) in enumerate(results):  # gnubg's percent signs
        session.say(f"{number:>10} {points:9.3f}% {adjusted:9.3f}%")
    session.say("{:>10} {:+9.3f} {:+9.3f}".format("Sum", *results.sum(axis=0)))
    session.say("{:>10} {:+9.3f} {:+9.3f}".format("Average", *results.mean(axis=0)))
    errors = _TWO_SIDED_95 * results.std(axis=0) / math.sqrt(len(results))
    session.say("{:>10} {:9.3f} {:9.3f}".format("95%CI", *errors))


def _chances(title: str, row: np.ndarray) -> str:
    return f"{title:>10} " + " ".join(f"{50 + 100 * value:9.2f}%" for value in row)


COMMANDS = (
    Command("show matchresult", "Each game's result with and without the luck", show_matchresult),
    Command("show statistics", "Errors, luck and ratings", statistics_match),
    Command("show statistics game", "Of the game shown", statistics_game),
    Command("show statistics match", "Of the match", statistics_match),
    Command("show statistics session", "Of the session", statistics_match),
)
