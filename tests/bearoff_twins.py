"""Bearing off in plain Python, on the program's own legal plays: what the kernels must equal."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np

from gnubg_py.dice import ROLL_WEIGHTS, ROLLS
from gnubg_py.plays import plays

Row = tuple[int, ...]  # counts on the ace point, the 2-point, ...; what is missing is off
Chances = dict[int, Fraction]  # of the number of rolls

ROLLS_OF_36 = [
    ((int(a), int(b)), int(weight)) for (a, b), weight in zip(ROLLS, ROLL_WEIGHTS, strict=True)
]


@cache
def after(row: Row, dice: tuple[int, int]) -> tuple[Row, ...]:
    """The distinct positions that a roll leads to, no enemy in the way."""
    board = np.zeros((2, 25), dtype=np.int8)
    board[0, : len(row)] = row
    board[1, 0] = 1
    return tuple(sorted(tuple(b[1, : len(row)].tolist()) for b in plays(board, dice)))


@cache
def after_leaving(row: Row, dice: tuple[int, int]) -> tuple[Row, ...]:
    """The same where a man needs only to get past the end, whatever stands behind it."""
    a, b = dice
    orders = [(a,) * 4] if a == b else [(a, b), (b, a)]
    found = set()
    for order in orders:
        layer = {row}
        for die in order:
            layer = {_moved(r, p, die) for r in layer for p in range(6) if r[p]} or layer
        found |= layer
    return tuple(sorted(found))


def _moved(row: Row, point: int, die: int) -> Row:
    counts = list(row)
    counts[point] -= 1
    if point >= die:
        counts[point - die] += 1
    return tuple(counts)


def fewest_rolls(
    row: Row,
    done: Callable[[Row], bool],
    moves: Callable[[Row, tuple[int, int]], tuple[Row, ...]] = after,
) -> tuple[Fraction, Chances]:
    """The least expected rolls until ``done``, and the chances of each number of rolls."""

    @cache
    def solve(row: Row) -> tuple[Fraction, Chances]:
        if done(row):
            return Fraction(0), {0: Fraction(1)}
        chances: Chances = defaultdict(Fraction)
        for dice, weight in ROLLS_OF_36:
            # Of equal plays any will do here: tests take positions where they do not differ.
            _, best = min((solve(play) for play in moves(row, dice)), key=lambda s: s[0])
            for rolls, chance in best.items():
                chances[rolls + 1] += chance * weight / 36
        return sum((n * c for n, c in chances.items()), Fraction(0)), dict(chances)

    return solve(row)


@cache
def equities(mine: Row, theirs: Row) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Cubeless, centred, owned by me, owned by them; not doubling this turn, I am on roll."""
    if not any(mine):
        return (Fraction(1),) * 4
    if not any(theirs):
        return (Fraction(-1),) * 4
    totals = [Fraction(0)] * 4
    for dice, weight in ROLLS_OF_36:
        replies = [doubling(equities(theirs, play)) for play in after(mine, dice)]
        for column, seen_by_them in enumerate((0, 1, 3, 2)):
            totals[column] += weight * max(-r[seen_by_them] for r in replies)
    cubeless, centred, owned, other = (total / 36 for total in totals)
    return cubeless, centred, owned, other


def doubling(
    values: tuple[Fraction, Fraction, Fraction, Fraction],
) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """The same four values when I double whenever that gains."""
    cubeless, centred, owned, other = values
    double = min(2 * other, Fraction(1))
    return cubeless, max(centred, double), max(owned, double), other


def finishes_first(mine: Chances, theirs: Chances, lead: int) -> Fraction:
    """Chance that my rolls are fewer than theirs and ``lead`` together."""
    return sum(
        (p * q for n, p in mine.items() for m, q in theirs.items() if n < m + lead), Fraction(0)
    )


def _use_fully(row: Row, die: int) -> set[Row]:
    """The boards after a checker moves exactly ``die`` pips, bearing off included."""
    return {_moved(row, p, die) for p in range(die - 1, 6) if row[p]}


def _pop(row: Row) -> Row:
    """The board without a checker of its highest point."""
    highest = max((p for p in range(6) if row[p]), default=None)
    return row if highest is None else _moved(row, highest, highest + 1)


def _use(row: Row, die: int) -> set[Row]:
    return _use_fully(row, die) or {_pop(row)}


def seed_boards(row: Row, dice: tuple[int, int]) -> set[Row]:
    """The boards that the bearing-off program's four states lead to; doubles are done twice."""
    high, low = max(dice), min(dice)
    if high == low:
        boards = {row}
        for _ in range(4):
            boards = {after for board in boards for after in _use(board, low)}
        return boards
    if _use_fully(row, high):
        return {after for board in _use_fully(row, high) for after in _use(board, low)}
    if _use_fully(row, low):
        return {_pop(board) for board in _use_fully(row, low)}
    return {_pop(_pop(row))}


@cache
def seed_turns(row: Row) -> float:
    """Its expected turns: each value is cut to three decimals when it is stored."""
    if not any(row):
        return 0.0
    total = sum(
        weight * min(seed_turns(board) for board in seed_boards(row, dice))
        for dice, weight in ROLLS_OF_36
    )
    return math.floor(1000 * (1 + total / 36) + 1e-9) / 1000
