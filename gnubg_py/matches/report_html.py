"""The report of an analysed match: one HTML page that needs nothing else.

The page is ``report.html`` beside this module. Its data are one JSON object, and its script draws a
board when the reader comes to it: pictures of all boards of a long match would be many megabytes.
"""

from __future__ import annotations

import json
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from gnubg_py.game.analysis import PlayJudgement
from gnubg_py.game.record import played_at
from gnubg_py.game.statistics import rating
from gnubg_py.matches.decisions import ANSWER, DOUBLE, PLAY, Decision
from gnubg_py.matches.match_analysis import MatchAnalysis
from gnubg_py.matchfiles.contents import Place

_KINDS = {PLAY: 0, DOUBLE: 1, ANSWER: 2}


def match_report(analysis: MatchAnalysis) -> str:
    """The report of a match as HTML text."""
    data = report_data(analysis)
    # A browser ends a script at </script>, whatever the string around it.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return _template().substitute(TITLE=escape(title_of(analysis)), DATA=text)


@cache
def _template() -> Template:
    return Template(Path(__file__).with_name("report.html").read_text("utf-8"))


def title_of(analysis: MatchAnalysis) -> str:
    """The title of the page: the players and the match length."""
    points = f"match to {analysis.length}" if analysis.length else "money session"
    return f"{analysis.players[0]} - {analysis.players[1]}, {points}"


def report_data(analysis: MatchAnalysis) -> dict[str, Any]:
    """The data of the page: statistics, and one entry for each decision that the page shows."""
    games = analysis.record.games
    checkers = max((int(game.start.board[0].sum()) for game in games), default=15)
    return {
        "players": list(analysis.players),
        "length": analysis.length,
        "about": _about(analysis),
        "checkers": checkers,
        "games": [list(played_at(game).score) for game in games],
        "statistics": _statistics(analysis),
        "entries": [_entry(one, analysis) for one in _shown(analysis)],
    }


def _shown(analysis: MatchAnalysis) -> list[Decision]:
    """All decisions except those not to double that were not close."""
    return [one for one in analysis if one.kind != DOUBLE or one.counts or one.loss > 0]


def entry_numbers(analysis: MatchAnalysis) -> dict[Place, int]:
    """The numbers of entries in addresses of the page, such as ``match.html#12``, by place."""
    numbers: dict[Place, int] = {}
    for number, one in enumerate(_shown(analysis)):
        numbers.setdefault(one.place, number)
    return numbers


def _about(analysis: MatchAnalysis) -> str:
    info = analysis.contents.info
    parts = [info.event, info.round, info.place, info.date]
    parts.append(f"{len(analysis)} decisions")
    parts += [] if analysis.complete else ["the analysis was stopped before its end"]
    return ", ".join(part for part in parts if part)


def _statistics(analysis: MatchAnalysis) -> list[tuple[str, str, str]]:
    both = analysis.statistics()
    errors = [analysis.performance(seat)[1] for seat in (0, 1)]
    columns = [
        [
            f"{one.performance:.1f} ± {error:.1f}",
            rating(one.rate) if one.decisions else "n/a",
            str(one.decisions),
            f"{one.play_error.equity:.3f}",
            f"{one.cube_error[0]:.3f}",
            f"{one.marks['bad']} / {one.marks['very bad']}",
            f"{one.luck.equity:+.3f}",
        ]
        for one, error in zip(both, errors, strict=True)
    ]
    names = (
        "Performance rating",
        "In words",
        "Decisions that count",
        "Loss in plays",
        "Loss in cube actions",
        "Bad / very bad plays",
        "Luck",
    )
    return list(zip(names, *columns, strict=True))


def _entry(one: Decision, analysis: MatchAnalysis) -> dict[str, Any]:
    """A decision as a short dict, with the keys that the script of ``report.html`` reads."""
    match, candidates = one.position.match, one.candidates()
    entry: dict[str, Any] = {
        "g": one.place[0],
        "n": one.move,
        "p": one.player,
        "k": _KINDS[one.kind],
        "r": match.move,
        "b": _board_text(one),
        "c": match.cube_value,
        "o": match.cube_owner,
        "s": list(match.score),
        "cr": int(match.crawford),
        "ca": [
            [
                c.text,
                round(c.equity, 4),
                round(c.loss, 4),
                c.probabilities and [round(1000 * p) for p in c.probabilities],
            ]
            for c in candidates
        ],
        "be": one.best,
        "l": round(one.loss, 4),
        "co": round(one.cost, 5),
        "w": _chance(one, analysis),
        "x": one.xgid,
    }
    if isinstance(one.judgement, PlayJudgement):
        texts = [candidate.text for candidate in candidates]
        entry |= {"d": f"{one.judgement.dice[0]}{one.judgement.dice[1]}"}
        entry |= {"pl": texts.index(one.played), "lu": one.luck and round(one.luck, 4)}
    else:
        entry |= _cube_entry(one)
    if one.rolled_out is not None:
        rolled = one.rolled_out
        entry["ro"] = [round(rolled.loss, 4), round(rolled.error, 4), rolled.trials]
    return entry


def _cube_entry(one: Decision) -> dict[str, Any]:
    """A cube decision: what was done, and which candidates are that action and the best one."""
    no_double, take, passed = (candidate.text for candidate in one.candidates())
    _, with_take, with_pass = (candidate.equity for candidate in one.candidates())
    doubled = passed if with_pass < with_take else take
    if one.kind == ANSWER:
        best = passed if one.best == "pass" else take
        made = passed if one.played == "pass" else take
    else:
        best = no_double if one.best in ("no double", "too good to double") else doubled
        made = no_double if one.played == "no double" else doubled
    return {"m": one.played, "pl": (no_double, take, passed).index(made), "bc": best}


def _board_text(one: Decision) -> str:
    """50 hexadecimal digits: the checkers of player 0, then of player 1, each from its own side."""
    rows = one.position.board if one.position.match.move == 0 else one.position.board[::-1]
    return "".join(f"{count:x}" for count in np.asarray(rows).ravel().tolist())


def _chance(one: Decision, analysis: MatchAnalysis) -> float | None:
    """Player 0's chance of winning the match, or in money play the game, after a play."""
    if not isinstance(one.judgement, PlayJudgement):
        return None
    play = one.judgement.plays[one.judgement.chosen]
    chance = play.value if analysis.length else float(play.probabilities[0])
    return round(chance if one.player == 0 else 1 - chance, 4)
