"""Decisions to measure players on: read them from files, and compute what choices lose.

A file of judged decisions has one JSON line for each: ``id`` (Position ID, side on roll),
``class``, ``dice``, and ``plays``, each ``[Position ID with the opponent on roll, equity for the
side that played, ply of the judge]``. A file of positions has one position with its roll to a
line, and no judgement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Board, Boards
from gnubg_py.dice import check_dice, parse_dice
from gnubg_py.files import parse_json, read_lines
from gnubg_py.keys import board_keys
from gnubg_py.match import NO_DICE
from gnubg_py.notation import parse_position
from gnubg_py.notation.position_id import from_position_ids
from gnubg_py.plays import plays as legal_plays
from gnubg_py.threads import T

CLASSES = ("contact", "crashed", "race", "bearoff")
MILLIPOINTS = 1000.0
_ROLL = re.compile(r"(.*\S)\s+([1-6]-?[1-6])")

MALFORMED = (
    AttributeError,
    IndexError,
    KeyError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)
"""The exceptions that reading a malformed line of JSON may raise."""


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
    """Standard errors of the differences from the best plays, float64[m], if the judge has any;
    they are 0 for plays that were only estimated."""


def json_lines(path: Path, what: str, read: Callable[[Any, str], T]) -> list[T]:
    """``read(item, line)`` of each line of JSON in a file, in order.

    What ``read`` raises for a line becomes a ``ValueError`` of one line: "FILE, line 3: not WHAT".
    """
    found: list[T] = []
    for number, line in enumerate(read_lines(path), 1):
        try:
            found.append(read(parse_json(line), line))
        except MALFORMED as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ValueError(f"{path}, line {number}: not {what} ({reason})") from error
    return found


def read_decisions(path: Path) -> Decisions:
    """Read a decisions file; ``ValueError`` names the first malformed line."""
    rows = json_lines(path, "a judged decision", _decision)
    if not rows:
        raise ValueError(f"{path}: no decisions in it")
    ids, classes, dice, positions, equities, errors = zip(*rows, strict=True)
    counts = [len(one) for one in equities]
    return Decisions(
        ids,
        np.array(classes),
        np.stack([one[0] for one in positions]),
        np.array(dice, np.int8),
        np.concatenate([one[1:] for one in positions]),
        np.concatenate(equities),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        np.concatenate(errors) if any(map(any, errors)) else None,
    )


_Row = tuple[str, str, tuple[int, int], Boards, list[float], list[float]]


def _decision(item: Any, _: str) -> _Row:
    """A decision's id, class, roll, positions (before, then after each play), equities, errors."""
    known = item["plays"]
    if not known:
        raise ValueError("it has no plays")
    if item["class"] not in CLASSES:
        raise ValueError(f"class {item['class']!r} is not one of {', '.join(CLASSES)}")
    positions = from_position_ids([item["id"], *(play[0] for play in known)])
    roll = check_dice(item["dice"])
    _check_plays(positions[0], roll, positions[1:], known)
    equities = [float(play[1]) for play in known]
    if not np.isfinite(equities).all():
        raise ValueError("an equity is not a finite number")
    errors = [float(play[4]) if len(play) > 4 else 0.0 for play in known]
    if not (np.isfinite(errors).all() and min(errors) >= 0):
        raise ValueError("a standard error is not a number of 0 or above")
    return item["id"], item["class"], roll, positions, equities, errors


def _check_plays(
    board: Board, dice: tuple[int, int], positions: Boards, known: list[list[Any]]
) -> None:
    """Raise ``ValueError`` if a candidate is not a legal play of its roll."""
    legal = board_keys(legal_plays(board, dice))
    found = (board_keys(positions)[:, None] == legal).all(axis=2).any(axis=1)
    if not found.all():
        wrong = known[int(np.argmin(found))][0]
        raise ValueError(f"{wrong} is after no play of {dice[0]}-{dice[1]}")


def losses_of(decisions: Decisions, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """The losses of choices, float64[n], in points; ``chosen`` int64[n] indexes candidates."""
    best = np.maximum.reduceat(decisions.equities, decisions.offsets[:-1])
    return np.asarray(best - decisions.equities[chosen])


@dataclass(frozen=True)
class Score:
    """The mean loss in thousandths of a point, its standard error, and the number of decisions."""

    error: float
    standard_error: float
    n: int


def mean_and_error(values: NDArray[np.float64]) -> tuple[float, float]:
    """The mean and its standard error, which is nan for a single value.

    >>> mean_and_error(np.array([0.0, 2.0]))
    (1.0, 1.0)
    """
    n = len(values)
    error = float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    return float(values.mean()), error


def score(losses: NDArray[np.float64]) -> Score:
    """The score of decisions with these losses, float64[n], in points."""
    mean, error = mean_and_error(losses)
    return Score(MILLIPOINTS * mean, MILLIPOINTS * error, len(losses))


def scores_by_class(decisions: Decisions, losses: NDArray[np.float64]) -> dict[str, Score]:
    """The scores of each class that occurs, of contact and crashed together, and of all."""
    groups = {name: decisions.classes == name for name in CLASSES}
    groups["contact+crashed"] = groups["contact"] | groups["crashed"]
    groups["race+bearoff"] = groups["race"] | groups["bearoff"]
    groups["all"] = np.ones(len(losses), bool)
    return {name: score(losses[mine]) for name, mine in groups.items() if mine.any()}


def some_decisions(decisions: Decisions, start: int, end: int) -> Decisions:
    """The decisions from number ``start`` to before ``end``."""
    first, last = decisions.offsets[[start, end]].tolist()
    return Decisions(
        decisions.ids[start:end],
        decisions.classes[start:end],
        decisions.boards[start:end],
        decisions.dice[start:end],
        decisions.candidates[first:last],
        decisions.equities[first:last],
        decisions.offsets[start : end + 1] - first,
        None if decisions.errors is None else decisions.errors[first:last],
    )


def read_positions(path: Path) -> tuple[Boards, NDArray[np.int8]]:
    """Boards int8[n, 2, 25] and rolls int8[n, 2]; ``ValueError`` names the first bad line.

    A line is a position in any notation, then its roll if the position does not include it. Empty
    lines and text after a ``#`` are ignored.
    """
    boards: list[Board] = []
    rolls: list[tuple[int, int]] = []
    for number, line in enumerate(read_lines(path), 1):
        text = line.partition("#")[0].strip()
        if text:
            try:
                board, roll = position_of_line(text)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from error
            boards.append(board)
            rolls.append(roll)
    if not boards:
        raise ValueError(f"{path}: no positions in it")
    return stacked(boards, rolls)


def stacked(
    boards: Sequence[Board], rolls: Sequence[tuple[int, int]]
) -> tuple[Boards, NDArray[np.int8]]:
    """Boards and rolls as arrays."""
    return np.stack(boards).astype(np.int8), np.array(rolls, np.int8)


def position_of_line(text: str, dice: str | None = None) -> tuple[Board, tuple[int, int]]:
    """A position and its roll: ``dice``, or the text after the position, or the position's dice.

    >>> position_of_line("4HPwATDgc/ABMA 31")[1], position_of_line("4HPwATDgc/ABMA", "64")[1]
    ((3, 1), (6, 4))
    """
    with_roll = _ROLL.fullmatch(text)
    if with_roll and dice is None and not _is_position(text):
        text, dice = with_roll[1], with_roll[2]
    board, state = parse_position(text)
    if not board.any(axis=1).all():
        raise ValueError("the game is over: one side has borne off all its checkers")
    roll = parse_dice(dice) if dice else state.dice
    if roll == NO_DICE:
        raise ValueError(f"position {text!r}: no roll: write it behind, as in '{text} 31'")
    return board, roll


def _is_position(text: str) -> bool:
    try:
        parse_position(text)
    except ValueError:
        return False
    return True
