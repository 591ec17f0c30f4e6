"""Strength: the mean loss of judged checker decisions, by class, and paired differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.compare.decisions import (
    MILLIPOINTS,
    Decisions,
    Score,
    losses_of,
    scores_by_class,
    some_decisions,
)
from gnubg_py.compare.players import Player, choices
from gnubg_py.workers import HERE, Workers

Scores = dict[str, Score]
_NONE = np.zeros(0)
_WIDTH = 80


@dataclass(frozen=True)
class StrengthReport:
    """The losses of one player in checker or cube decisions.

    ``losses`` are in points; ``scores`` are by class and other groups. ``errors`` float64[n] are
    the judge's standard errors of ``losses``, 0 if it has none.
    """

    player: str
    losses: NDArray[np.float64]
    scores: Scores
    seconds: float
    errors: NDArray[np.float64] = field(default_factory=lambda: _NONE)


@dataclass(frozen=True)
class Difference:
    """The mean loss of ``first`` less that of ``second``, in thousandths of a point, paired.

    If it is below 0, the first plays better. Its standard error is far smaller than that of the
    difference of the two scores, since both players had the same decisions.
    """

    first: str
    second: str
    scores: Scores
    judge_error: float = 0.0
    """The judge's part of the standard error over all decisions, in thousandths of a point."""


def strength(player: Player, decisions: Decisions, workers: Workers = HERE) -> StrengthReport:
    """The losses of a player in judged decisions, or after Ctrl-C in the first of them."""
    made = choices(player, decisions, workers)
    decisions = some_decisions(decisions, 0, len(made.chosen))
    losses = losses_of(decisions, made.chosen)
    errors = _NONE if decisions.errors is None else decisions.errors[made.chosen]
    scores = scores_by_class(decisions, losses)
    return StrengthReport(player.name, losses, scores, made.seconds, errors)


def judge_error(errors: NDArray[np.float64]) -> float:
    """The part of a mean loss's standard error that comes from the judge's errors.

    It is in thousandths of a point. The errors of different decisions are independent.

    >>> judge_error(np.array([0.003, 0.004]))
    2.5
    """
    return MILLIPOINTS * float(np.sqrt((errors**2).sum())) / max(1, len(errors))


def strength_differences(
    decisions: Decisions, strengths: Sequence[StrengthReport]
) -> list[Difference]:
    """The differences of the first player and each of the others, on decisions that both made."""
    first = strengths[0]
    answer = []
    for other in strengths[1:]:
        n = min(len(first.losses), len(other.losses))
        apart = first.losses[:n] - other.losses[:n]
        scores = scores_by_class(some_decisions(decisions, 0, n), apart)
        error = 0.0
        if len(first.errors) and len(other.errors):
            both = np.hypot(first.errors[:n], other.errors[:n])
            error = judge_error(np.where(apart == 0, 0.0, both))
        answer.append(Difference(first.player, other.player, scores, error))
    return answer


def as_dict(scores: Scores) -> dict[str, Any]:
    """Scores as a dictionary for JSON.

    >>> as_dict({"race": Score(0.5, 0.25, 205)})
    {'race': {'error': 0.5, 'standard_error': 0.25, 'n': 205}}
    """
    return {name: asdict(score) for name, score in scores.items()}


def strength_dict(
    strengths: Sequence[StrengthReport], compared: Sequence[Difference]
) -> dict[str, Any]:
    """A dict for JSON: the first player's scores by class, those of all, the differences."""
    return {
        "evaluator": strengths[0].player,
        "classes": as_dict(strengths[0].scores),
        "evaluators": [
            {
                "evaluator": s.player,
                "classes": as_dict(s.scores),
                "seconds": round(s.seconds, 3),
                "judge_error": round(judge_error(s.errors), 4),
            }
            for s in strengths
        ],
        "differences": [
            {
                "first": d.first,
                "second": d.second,
                "classes": as_dict(d.scores),
                "judge_error": round(d.judge_error, 4),
            }
            for d in compared
        ],
    }


def strength_text(
    strengths: Sequence[StrengthReport], compared: Sequence[Difference], kind: str = "decision"
) -> str:
    """The text: a row for each class, a column for each player, then the differences."""
    parts = [
        f"Equity given up, thousandths of a point a {kind}:",
        score_table([(s.player, s.scores) for s in strengths]),
    ]
    parts += _judge_text([(s.player, judge_error(s.errors)) for s in strengths])
    if compared:
        parts.append(f"Paired difference, {compared[0].first} less the other:")
        parts.append(score_table([(d.second, d.scores) for d in compared]))
        parts += _judge_text([(d.second, d.judge_error) for d in compared])
    return "\n\n".join(parts)


def _judge_text(errors: Sequence[tuple[str, float]]) -> list[str]:
    """A line with the judge's part of the standard errors, if it gives any."""
    if not any(error for _, error in errors):
        return []
    parts = ", ".join(f"{name} {error:.2f}" for name, error in errors)
    return [f"The judge's part of the standard errors over all: {parts}."]


def score_table(columns: Sequence[tuple[str, Scores]]) -> str:
    """A table of scores: a row for each group, a column for each player."""
    counts = {group: score.n for group, score in columns[0][1].items()}
    cells = [(name, {g: _cell(score) for g, score in scores.items()}) for name, scores in columns]
    return table_in_parts(counts, cells)


def _cell(score: Score) -> str:
    return plus_minus(score.error, score.standard_error, 2)


def plus_minus(mean: float, error: float, digits: int, sign: str = "") -> str:
    """A mean with its standard error, or without it if the error is nan.

    >>> plus_minus(3.14159, 0.5, 1), plus_minus(3.14159, float("nan"), 1)
    ('3.1 ± 0.5', '3.1')
    """
    alone = f"{mean:{sign}.{digits}f}"
    return alone if error != error else f"{alone} ± {error:.{digits}f}"


def or_nothing(value: float | None, form: str) -> str:
    """A number in a format; an empty text for None and nan.

    >>> or_nothing(0.5, ".1f"), or_nothing(None, ".1f"), or_nothing(float("nan"), ".1f")
    ('0.5', '', '')
    """
    return "" if value is None or value != value else format(value, form)


def table_in_parts(
    counts: Mapping[str, int], columns: Sequence[tuple[str, Mapping[str, str]]]
) -> str:
    """A row for each group with its count and cells; several tables if one is too wide.

    >>> print(table_in_parts({"race": 205}, [("net", {"race": "0.5"})]))
          decisions   net
    race        205   0.5
    """
    left = 11 + max(len(group) for group in counts)
    texts = [text for name, cells in columns for text in (name, *cells.values())]
    wide = 3 + max(map(len, texts))
    fit = max(1, (_WIDTH - left) // wide)
    tables = []
    for start in range(0, len(columns), fit):
        part = columns[start : start + fit]
        lines = [f"{'decisions':>{left}}" + "".join(f"{name:>{wide}}" for name, _ in part)]
        for group, n in counts.items():
            cells = "".join(f"{cells.get(group, ''):>{wide}}" for _, cells in part)
            lines.append(f"{group:<{left - 8}}{n:>8,}{cells}")
        tables.append("\n".join(lines))
    return "\n\n".join(tables)
