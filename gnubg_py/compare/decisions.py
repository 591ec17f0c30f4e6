"""Judged checker decisions: reading the file, and what a choice of plays gives up.

One JSON line a decision: ``id`` (Position ID, side on roll), ``class``, ``dice``, and ``plays``,
each ``[Position ID with the opponent on roll, equity for the side that played, ply of the judge]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Board, Boards
from gnubg_py.dice import check_dice
from gnubg_py.files import parse_json, read_lines
from gnubg_py.keys import board_keys
from gnubg_py.notation.position_id import from_position_ids
from gnubg_py.plays import plays as legal_plays

CLASSES = ("contact", "crashed", "race", "bearoff")
MILLIPOINTS = 1000.0

MALFORMED = (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError)
"""What reading a line of JSON that is not as it should be may raise."""


@dataclass(frozen=True)
class Decisions:
    """n decisions with m plays in all; those of decision i are offsets[i] to offsets[i + 1]."""

    ids: tuple[str, ...]
    classes: NDArray[np.str_]
    boards: Boards  # int8[n, 2, 25], the side to play on roll
    dice: NDArray[np.int8]  # int8[n, 2]
    candidates: Boards  # int8[m, 2, 25], the opponent on roll
    equities: NDArray[np.float64]  # float64[m], the judge's, for the side that played
    offsets: NDArray[np.int64]  # int64[n + 1]
    errors: NDArray[np.float64] | None = None
    """Standard errors of the differences from the best plays, float64[m], where a judge gives any;
    0 of plays that it only estimated."""


def read_decisions(path: Path) -> Decisions:
    """Read a decisions file; ``ValueError`` names the line of the first malformed one."""
    ids: list[str] = []
    classes: list[str] = []
    dice: list[tuple[int, int]] = []
    boards: list[Boards] = []
    candidates: list[Boards] = []
    equities: list[float] = []
    errors: list[float] = []
    counts: list[int] = []
    for number, line in enumerate(read_lines(path), 1):
        try:
            item = parse_json(line)
            known = item["plays"]
            if not known:
                raise ValueError("it has no plays")
            if item["class"] not in CLASSES:
                raise ValueError(f"class {item['class']!r} is not one of {', '.join(CLASSES)}")
            positions = from_position_ids([item["id"], *(play[0] for play in known)])
            roll = check_dice(item["dice"])
            _check_plays(positions[0], roll, positions[1:], known)
            worth = [float(play[1]) for play in known]
            if not np.isfinite(worth).all():
                raise ValueError("an equity is not a finite number")
            sure = [float(play[4]) if len(play) > 4 else 0.0 for play in known]
            if not (np.isfinite(sure).all() and min(sure) >= 0):
                raise ValueError("a standard error is not a number of 0 or above")
            dice.append(roll)
            equities.extend(worth)
            errors.extend(sure)
            boards.append(positions[:1])
            candidates.append(positions[1:])
            counts.append(len(known))
            ids.append(item["id"])
            classes.append(item["class"])
        except MALFORMED as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ValueError(f"{path}, line {number}: not a judged decision ({reason})") from error
    if not ids:
        raise ValueError(f"{path}: no decisions in it")
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Decisions(
        tuple(ids),
        np.array(classes),
        np.concatenate(boards),
        np.array(dice, np.int8),
        np.concatenate(candidates),
        np.array(equities),
        offsets,
        np.array(errors) if any(errors) else None,
    )


def _check_plays(
    board: Board, dice: tuple[int, int], positions: Boards, known: list[list[Any]]
) -> None:
    """``ValueError`` names the first of some positions that no play of the dice leads to."""
    legal = board_keys(legal_plays(board, dice))
    found = (board_keys(positions)[:, None] == legal).all(axis=2).any(axis=1)
    if not found.all():
        wrong = known[int(np.argmin(found))][0]
        raise ValueError(f"{wrong} is after no play of {dice[0]}-{dice[1]}")


def given_up(decisions: Decisions, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Equity each choice gives up, float64[n], points; ``chosen`` int64[n] indexes candidates."""
    best = np.maximum.reduceat(decisions.equities, decisions.offsets[:-1])
    return np.asarray(best - decisions.equities[chosen])


@dataclass(frozen=True)
class Score:
    """Mean equity given up, thousandths of a point a decision, its standard error, and how many."""

    error: float
    standard_error: float
    n: int


def score(lost: NDArray[np.float64]) -> Score:
    """The score of the decisions whose losses are given."""
    n = len(lost)
    spread = float(lost.std(ddof=1)) / np.sqrt(n) if n > 1 else float("nan")
    return Score(MILLIPOINTS * float(lost.mean()), MILLIPOINTS * float(spread), n)


def scores_by_class(decisions: Decisions, lost: NDArray[np.float64]) -> dict[str, Score]:
    """Scores of each class that occurs, of contact and crashed together, and of all."""
    groups = {name: decisions.classes == name for name in CLASSES}
    groups["contact+crashed"] = groups["contact"] | groups["crashed"]
    groups["race+bearoff"] = groups["race"] | groups["bearoff"]
    groups["all"] = np.ones(len(lost), bool)
    return {name: score(lost[mine]) for name, mine in groups.items() if mine.any()}
