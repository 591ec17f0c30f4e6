"""Turns left of a home board, the best play of each roll, and the boards that follow.

The best play of a roll is the one with the fewest expected turns left; of equal plays, the one that
leaves the smaller position number. The fewest and most turns assume that the best plays are made.

There are two rules. ``exact`` plays by the rules of backgammon, and its figures are read from the
one-sided database. ``seed`` is that of the bearing-off program on which these functions are
modelled: it plays the higher die first if a checker can use it in full, otherwise the lower one
first, tries no other order, and keeps three decimals of each expected number of turns.

A board is written as six digits, the ace point first: 002220 has two checkers on each of the 3-,
4- and 5-points. Six numbers with commas between them write any board: 10,0,0,0,0,5.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff.numbering import all_positions, row_numbers
from gnubg_py.bearoff.one_sided import one_sided_database
from gnubg_py.bearoff.rules import better, distributions, fewest_rolls, fill_ways
from gnubg_py.board import CHECKERS, HOME_POINTS
from gnubg_py.dice import ROLLS, check_dice
from gnubg_py.errors import UnknownNameError
from gnubg_py.kernel_cache import njit

RULES = ("exact", "seed")


class TurnsLeft(NamedTuple):
    """A home board, and the turns left to bear it off."""

    board: tuple[int, ...]
    fewest: int
    most: int
    expected: float


def parse_home(text: str, checkers: int = CHECKERS) -> tuple[int, ...]:
    """The six counts of a home board written as six digits, or numbers with commas; ace first.

    ``ValueError`` for a board of more than ``checkers`` checkers.

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
    if sum(counts) > checkers:
        raise ValueError(
            f"board {text!r}: the numbers total {sum(counts)}, they must total {checkers} or less"
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


@cache
def _home_boards() -> NDArray[np.int8]:
    return all_positions(HOME_POINTS, CHECKERS)


def _number(board: tuple[int, ...]) -> int:
    return int(row_numbers(np.array([board]))[0])


@cache
def _means_and_chances(rule: str) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """The expected turns left by position number, and the chances of 0, 1, 2 ... turns."""
    if rule not in RULES:
        raise UnknownNameError("rule", rule, RULES)
    if rule == "exact":
        database = one_sided_database()
        return database.mean, database.bearoff
    mean, best = fewest_rolls(_home_boards(), 1, one_order=True)
    return mean, distributions(best, 1, 32)


def _turns_left(number: int, rule: str) -> TurnsLeft:
    mean, chances = _means_and_chances(rule)
    turns = np.flatnonzero(chances[number])
    board = tuple(_home_boards()[number].tolist())
    return TurnsLeft(board, int(turns[0]), int(turns[-1]), float(mean[number]))


@njit(cache=True, nogil=True)
def _best_play(number, rows, a, b, one_order, mean):  # type: ignore[no-untyped-def]
    plays = np.empty(4096, dtype=np.int64)
    best = -1
    for k in range(fill_ways(number, rows, a, b, one_order, plays)):
        best = better(best, plays[k], mean)
    return best


def suggest(board: tuple[int, ...], dice: tuple[int, int], rule: str = "exact") -> TurnsLeft:
    """The board after the best play of ``dice``, and the turns then left.

    >>> left = suggest((0, 0, 2, 2, 2, 0), (6, 1))
    >>> format_home(left.board), left.most, round(left.expected, 3)
    ('011210', 6, 3.09)
    >>> suggest((0, 0, 2, 2, 2, 0), (6, 1), "seed").expected
    3.128
    """
    a, b = check_dice(dice)
    mean, _ = _means_and_chances(rule)
    best = _best_play(_number(board), _home_boards(), a, b, rule == "seed", mean)
    return _turns_left(best, rule)


def analyze(board: tuple[int, ...], rule: str = "exact") -> list[tuple[tuple[int, int], TurnsLeft]]:
    """The result of ``suggest`` for each of the 21 rolls, smaller die first, in order."""
    rolls = sorted((int(b), int(a)) for a, b in ROLLS)
    return [(roll, suggest(board, roll, rule)) for roll in rolls]


def turns_left(board: tuple[int, ...], rule: str = "exact") -> TurnsLeft:
    """The turns left of ``board`` itself, before a roll.

    >>> turns_left((0, 0, 0, 0, 0, 1))[1:]
    (1, 2, 1.25)
    """
    return _turns_left(_number(board), rule)


def boards_after(
    board: tuple[int, ...], dice: tuple[int, int] | None = None, rule: str = "exact"
) -> list[TurnsLeft]:
    """The boards after a roll (by default any of the 21), with the turns left, the best first.

    >>> [format_home(left.board) for left in boards_after((1, 0, 1, 0, 0, 0), (4, 2))]
    ['000000', '100000']
    >>> [format_home(left.board) for left in boards_after((1, 0, 1, 0, 0, 0), (4, 2), "seed")]
    ['100000']
    """
    out = np.empty(4096, dtype=np.int64)
    numbers: set[int] = set()
    for a, b in ROLLS.tolist() if dice is None else [check_dice(dice)]:
        count = fill_ways(_number(board), _home_boards(), a, b, rule == "seed", out)
        numbers.update(out[:count].tolist())
    mean, _ = _means_and_chances(rule)
    return [_turns_left(n, rule) for n in sorted(numbers, key=lambda n: (mean[n], n))]


def after_step(board: tuple[int, ...], point: int, die: int) -> tuple[int, ...]:
    """A copy of ``board`` with a checker of ``point`` (1 to 6) moved by ``die``, off at the end.

    >>> after_step((0, 0, 2, 2, 2, 0), 5, 1), after_step((0, 0, 2, 2, 2, 0), 3, 3)
    ((0, 0, 2, 3, 1, 0), (0, 0, 1, 2, 2, 0))
    """
    counts = list(board)
    counts[point - 1] -= 1
    if point > die:
        counts[point - die - 1] += 1
    return tuple(counts)


def without_highest(board: tuple[int, ...]) -> tuple[int, ...]:
    """A copy of ``board`` with a checker of its highest point borne off.

    >>> without_highest((1, 0, 1, 0, 0, 0))
    (1, 0, 0, 0, 0, 0)
    """
    highest = max(point for point, count in enumerate(board, start=1) if count)
    return after_step(board, highest, highest)


def boards_after_die(board: tuple[int, ...], die: int) -> list[TurnsLeft]:
    """The boards that a single die leads to, with the turns left; the best first.

    They play the die in full; where no checker is that far from the end, the highest is borne off.

    >>> [format_home(left.board) for left in boards_after_die((1, 0, 1, 0, 0, 0), 2)]
    ['200000']
    >>> [format_home(left.board) for left in boards_after_die((1, 0, 1, 0, 0, 0), 4)]
    ['100000']
    """
    if not 1 <= die <= HOME_POINTS:
        raise ValueError(f"die {die}: should be 1 to 6")
    points = [p for p, count in enumerate(board, start=1) if count and p >= die]
    found = [turns_left(after_step(board, point, die)) for point in points]
    found = found or [turns_left(without_highest(board))]
    return sorted(found, key=lambda left: left.expected)
