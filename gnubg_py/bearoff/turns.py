"""Turns left of every home board: expected, fewest and most, and the best play of each roll.

For each of the 54,264 boards of up to 15 checkers at home, and each of the 21 rolls, the best play
is the one with the least expected number of turns still to come; of equals, the one that leaves
the smaller position number. The fewest and most turns are those of the best plays: one more than
the least, and the greatest, of the 21 boards they lead to.

A board is written as six digits, the ace point first: 002220 has two checkers on each of the 3-,
4- and 5-points. Six numbers with commas between them write any board: 10,0,0,0,0,5.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gnubg_py.bearoff import storage
from gnubg_py.bearoff.index import MAX_CHECKERS, all_positions, index_of, unrank
from gnubg_py.bearoff.rules import HOME_POINTS, fewest_rolls
from gnubg_py.dice import ROLL_INDEX, ROLLS, check_dice
from gnubg_py.messages import progress

NAME = "turns"


@dataclass(frozen=True)
class Turns:
    """The database, by position number: ``expected`` float64[n], ``fewest`` and ``most`` int8[n]
    turns left; ``best`` int32[n, 21], the position after the best play of each roll."""

    expected: NDArray[np.float64]
    fewest: NDArray[np.int8]
    most: NDArray[np.int8]
    best: NDArray[np.int32]


class TurnsLeft(NamedTuple):
    """Turns left after a roll is played: the board it leads to, and its figures."""

    board: tuple[int, ...]
    fewest: int
    most: int
    expected: float


@njit(cache=True, nogil=True)
def _extremes(best: Any, fewest: Any, most: Any) -> None:  # pragma: no cover - compiled
    for i in range(1, len(best)):
        low, high = 127, 0
        for r in range(best.shape[1]):
            low = min(low, fewest[best[i, r]])
            high = max(high, most[best[i, r]])
        fewest[i] = low + 1
        most[i] = high + 1


def build() -> storage.Arrays:
    """Compute the whole database, with a progress bar; the arrays of ``Turns`` by name."""
    rows = all_positions(HOME_POINTS, MAX_CHECKERS)
    with progress(len(rows) - 1, "turns to bear off") as bar:
        expected, best = fewest_rolls(rows, 1, progress=bar.update)
    fewest = np.zeros(len(rows), dtype=np.int8)
    most = np.zeros(len(rows), dtype=np.int8)
    _extremes(best, fewest, most)
    return {"expected": expected, "fewest": fewest, "most": most, "best": best}


@cache
def load() -> Turns:
    """The database, memory-mapped; built when there is none yet."""
    return Turns(**storage.fetch(NAME, build))


def parse_home(text: str) -> tuple[int, ...]:
    """The six counts of a home board written as six digits, or numbers with commas; ace first.

    >>> parse_home("002220"), parse_home("10,0,0,0,0,5")
    ((0, 0, 2, 2, 2, 0), (10, 0, 0, 0, 0, 5))
    >>> parse_home("992220")
    Traceback (most recent call last):
    ValueError: board '992220': the numbers total 24, they must total 15 or less
    """
    words = text.split(",") if "," in text else list(text)
    numbers = all(w.isascii() and w.isdigit() and len(w) < 4 for w in words)
    if len(words) != HOME_POINTS or not numbers:
        raise ValueError(
            f"board {text!r}: expected six digits, the ace point first, as in 002220 "
            "(or six numbers with commas between them)"
        )
    counts = tuple(int(w) for w in words)
    if sum(counts) > MAX_CHECKERS:
        raise ValueError(
            f"board {text!r}: the numbers total {sum(counts)}, they must total "
            f"{MAX_CHECKERS} or less"
        )
    if sum(counts) == 0:
        raise ValueError(f"board {text!r}: no checkers are left to bear off")
    return counts


def format_home(board: tuple[int, ...]) -> str:
    """The text that ``parse_home`` reads back.

    >>> format_home((0, 1, 1, 2, 1, 0)), format_home((10, 0, 0, 0, 0, 5))
    ('011210', '10,0,0,0,0,5')
    """
    return ("," if max(board) > 9 else "").join(str(n) for n in board)


def _number(board: tuple[int, ...]) -> int:
    return int(index_of(np.array([board]))[0])


def _after(number: int, roll: int, turns: Turns) -> TurnsLeft:
    j = int(turns.best[number, roll])
    row = np.zeros(HOME_POINTS, dtype=np.int8)
    unrank(j, HOME_POINTS, row)
    return TurnsLeft(
        tuple(row.tolist()), int(turns.fewest[j]), int(turns.most[j]), float(turns.expected[j])
    )


def suggest(board: tuple[int, ...], dice: tuple[int, int]) -> TurnsLeft:
    """The board after the best play of ``dice``, and the turns then left.

    >>> left = suggest((0, 0, 2, 2, 2, 0), (6, 1))
    >>> format_home(left.board), left.most, round(left.expected, 3)
    ('011210', 6, 3.09)
    """
    a, b = check_dice(dice)
    return _after(_number(board), int(ROLL_INDEX[a, b]), load())


def analyze(board: tuple[int, ...]) -> list[tuple[tuple[int, int], TurnsLeft]]:
    """For each of the 21 rolls, smaller die first and in order, what ``suggest`` says of it."""
    number, turns = _number(board), load()
    rolls = sorted((int(b), int(a)) for a, b in ROLLS)
    return [((a, b), _after(number, int(ROLL_INDEX[a, b]), turns)) for a, b in rolls]


def turns_left(board: tuple[int, ...]) -> TurnsLeft:
    """The turns left of ``board`` itself, before a roll.

    >>> turns_left((0, 0, 0, 0, 0, 1))[1:]
    (1, 2, 1.25)
    """
    number, turns = _number(board), load()
    return TurnsLeft(
        board,
        int(turns.fewest[number]),
        int(turns.most[number]),
        float(turns.expected[number]),
    )
