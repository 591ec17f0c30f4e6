"""Strength: the equity given up per judged checker decision, by class, and paired differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.compare.choices import choices, first_decisions
from gnubg_py.compare.decisions import Decisions, Score, given_up, scores_by_class
from gnubg_py.compare.players import Player

Scores = dict[str, Score]


@dataclass(frozen=True)
class Strength:
    """How one player did: what it gave up in each decision (points), and the scores of that."""

    player: str
    lost: NDArray[np.float64]
    scores: Scores
    seconds: float


@dataclass(frozen=True)
class Difference:
    """Paired difference, thousandths a decision: what ``first`` gives up less what ``second`` does.

    Below 0 the first plays better. It is far surer than the difference of the two scores, since
    both faced the same decisions.
    """

    first: str
    second: str
    scores: Scores


def strength(player: Player, decisions: Decisions) -> Strength:
    """What a player gives up in judged decisions, or, after Ctrl-C, in the first of them."""
    made = choices(player, decisions)
    decisions = first_decisions(decisions, len(made.chosen))
    lost = given_up(decisions, made.chosen)
    return Strength(player.name, lost, scores_by_class(decisions, lost), made.seconds)


def differences(decisions: Decisions, strengths: Sequence[Strength]) -> list[Difference]:
    """The first player against each of the others, on the decisions that both made."""
    first = strengths[0]
    answer = []
    for other in strengths[1:]:
        n = min(len(first.lost), len(other.lost))
        scores = scores_by_class(first_decisions(decisions, n), first.lost[:n] - other.lost[:n])
        answer.append(Difference(first.player, other.player, scores))
    return answer


def as_dict(scores: Scores) -> dict[str, Any]:
    """Scores as JSON has them.

    >>> as_dict({"race": Score(0.5, 0.25, 205)})
    {'race': {'error': 0.5, 'standard_error': 0.25, 'n': 205}}
    """
    return {name: asdict(score) for name, score in scores.items()}


def strength_dict(
    strengths: Sequence[Strength], compared: Sequence[Difference]
) -> dict[str, Any]:
    """The answer as JSON: the first player's classes, and those of all, and the differences."""
    return {
        "evaluator": strengths[0].player,
        "classes": as_dict(strengths[0].scores),
        "evaluators": [
            {"evaluator": s.player, "classes": as_dict(s.scores), "seconds": round(s.seconds, 3)}
            for s in strengths
        ],
        "differences": [
            {"first": d.first, "second": d.second, "classes": as_dict(d.scores)} for d in compared
        ],
    }


def strength_text(strengths: Sequence[Strength], compared: Sequence[Difference]) -> str:
    """The answer as text: a row to each class, a column to each player, then the differences."""
    parts = [
        "Equity given up, thousandths of a point a decision:",
        score_table([(s.player, s.scores) for s in strengths]),
    ]
    if compared:
        parts.append(f"Paired difference, {compared[0].first} less the other:")
        parts.append(score_table([(d.second, d.scores) for d in compared]))
    return "\n\n".join(parts)


def score_table(columns: Sequence[tuple[str, Scores]], width: int = 80) -> str:
    """Scores of groups (rows) by column, broken into several tables where one is too wide."""
    left = 8 + max(len(group) for _, scores in columns for group in scores)
    wide = max(18, max(len(name) + 2 for name, _ in columns))
    fit = max(1, (width - left) // wide)
    parts = [columns[i : i + fit] for i in range(0, len(columns), fit)]
    return "\n\n".join(_table_part(part, left, wide) for part in parts)


def _table_part(columns: Sequence[tuple[str, Scores]], left: int, wide: int) -> str:
    lines = [f"{'decisions':>{left}}" + "".join(f"{name:>{wide}}" for name, _ in columns)]
    for group, first in columns[0][1].items():
        cells = [_cell(scores[group]) if group in scores else "" for _, scores in columns]
        lines.append(f"{group:<{left - 7}}{first.n:>7,}" + "".join(f"{c:>{wide}}" for c in cells))
    return "\n".join(lines)


def _cell(score: Score) -> str:
    return f"{score.error:.2f} ± {score.standard_error:.2f}"
