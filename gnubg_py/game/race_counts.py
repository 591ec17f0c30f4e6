"""Rules of thumb for races: Thorp, Keith, Kleinman, Isight and 8-9-12.

Each compares the side on roll, which gnubg calls the leader, with the other, the trailer. Sources:
Edward Thorp 1984; Tom Keith 2004; Danny Kleinman 1980; Axel Reichert 2014.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import HOME_POINTS, Board, pip_count


@dataclass(frozen=True)
class Count:
    """The adjusted counts of both sides, and the value and the words that the rule derives."""

    leader: int
    trailer: int
    value: float
    words: str


def _rows(board: Board) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    rows = np.asarray(board).astype(np.int64)
    return rows[0], rows[1]


def thorp(board: Board) -> Count:
    """Thorp's count; ``value`` is the leader's, plus a tenth if it is above 30.

    >>> from gnubg_py.board import START
    >>> thorp(START).leader, thorp(START).words
    (196, 'No Double, Take (since L > T + 2)')
    """
    pips = pip_count(board).tolist()
    counts = [
        pip + 2 * int(row.sum()) + int(row[0]) - int((row[:HOME_POINTS] > 0).sum())
        for pip, row in zip(pips, _rows(board), strict=True)
    ]
    leader, trailer = counts
    value = leader * 1.1 if leader > 30 else float(leader)
    return Count(leader, trailer, value, _words(value, trailer, (-2, 1, 2)))


def keith(board: Board) -> Count:
    """Keith's count; ``value`` is the leader's, plus a seventh.

    >>> from gnubg_py.board import START
    >>> keith(START).leader, round(keith(START).value, 1)
    (169, 193.1)
    """
    counts = [
        pip + _stacked(row, 1, 1) + int((row[3:HOME_POINTS] == 0).sum())
        for pip, row in zip(pip_count(board).tolist(), _rows(board), strict=True)
    ]
    leader, trailer = counts
    value = leader * 8 / 7
    return Count(leader, trailer, value, _words(value, trailer, (2, 3, 4)))


def isight(board: Board) -> Count:
    """Reichert's Isight count; ``value`` is the game winning chance it estimates, in percent.

    >>> from gnubg_py.board import START
    >>> round(isight(START).value, 1)
    24.3
    """
    mine, theirs = _rows(board)
    pips = pip_count(board).tolist()
    counts = [
        pip + _stacked(row, 2, 2) + _gaps(row, other) + _more(row, other)
        for pip, row, other in zip(pips, (mine, theirs), (theirs, mine), strict=True)
    ]
    leader, trailer = counts
    value = 80 - leader / 3 + 2 * (trailer - leader)
    if value < 68:
        words = "No Double, Take (est. GWC < 68%)"
    elif value <= 70:
        words = "Double, Take (since 68% <= est. GWC <= 70%)"
    elif value <= 76:
        words = "Redouble, Take (since 70% <= est. GWC <= 76%)"
    else:
        words = "Double, Drop (since est. GWC > 76%)"
    return Count(leader, trailer, value, words)


def _stacked(row: NDArray[np.int64], ace: int, deuce: int) -> int:
    """2 for each checker over ``ace`` on the ace point, 1 for each over ``deuce`` on 2, 3 on 3."""
    above = [max(0, int(n) - limit) for n, limit in zip(row, (ace, deuce, 3), strict=False)]
    return 2 * above[0] + above[1] + above[2]


def _gaps(row: NDArray[np.int64], other: NDArray[np.int64]) -> int:
    """1 for each of the 4, 5 and 6 points that is empty while the other side's is not."""
    return int(((row[3:HOME_POINTS] == 0) & (other[3:HOME_POINTS] > 0)).sum())


def _more(row: NDArray[np.int64], other: NDArray[np.int64]) -> int:
    """1 for each checker and each crossover that this side has left and the other side has not."""
    crossovers = [int(r @ _CROSSOVERS) for r in (row, other)]
    checkers = [int(r.sum()) for r in (row, other)]
    return max(0, checkers[0] - checkers[1]) + max(0, crossovers[0] - crossovers[1])


_CROSSOVERS = np.array([0] * 6 + [1] * 6 + [2] * 6 + [3] * 6 + [4], np.int64)


def kleinman(board: Board) -> Count:
    """Kleinman's metric K in ``value``, and the winning chance that belongs to it in ``words``.

    >>> from gnubg_py.board import START
    >>> round(kleinman(START).value, 4), kleinman(START).words
    (0.1101, '0.5619')
    """
    leader, trailer = pip_count(board).tolist()
    total, lead = leader + trailer, trailer - leader
    if total <= 4:
        return Count(leader, trailer, math.inf, "1.0000")
    value = (lead + 4) / (2 * math.sqrt(total - 4))
    return Count(leader, trailer, value, f"{(1 + math.erf(value)) / 2:.4f}")


def eight_nine_twelve(board: Board) -> Count:
    """Double with a lead of 8 percent, redouble with 9; the other side passes above 12.

    ``value`` is the lead in percent.
    """
    leader, trailer = pip_count(board).tolist()
    value = 100 * (trailer - leader) / leader
    if value > 12:
        words = "Double, Drop (ahead > 12 percent)"
    elif value > 9:
        words = "Double, Take (12 percent > ahead > 9 percent)"
    elif value > 8:
        words = "Double, Take (9 percent > ahead > 8 percent)"
    else:
        words = "NoDouble (8 percent > ahead)"
    return Count(leader, trailer, value, words)


def _words(leader: float, trailer: int, margins: tuple[int, int, int]) -> str:
    """The decision by how far the leader's count is above the trailer's, or below it."""
    decisions = ("Double, Drop", "Redouble, Take", "Double, Take")
    for margin, words in zip(margins, decisions, strict=True):
        if leader <= trailer + margin:
            return f"{words} (since L <= T {'-' if margin < 0 else '+'} {abs(margin)})"
    return f"No Double, Take (since L > T + {margins[-1]})"


def _count_text(name: str, share: str, count: Count) -> str:
    return (
        f"{name} Count Leader            : {count.leader}\n"
        f"{f'{name} Count Leader(+{share})':<29}L: {count.value:.1f}\n"
        f"{name} Count Trailer          T: {count.trailer}\n\n{count.words}"
    )


def _kleinman_text(board: Board) -> str:
    count = kleinman(board)
    total, lead = count.leader + count.trailer, count.trailer - count.leader
    return (
        f"Leader Pip Count : {count.leader}\nTrailer Pip Count: {count.trailer}\n\n"
        f"sum              : {total}\ndiff             : {lead}\n\n"
        f"K = (diff+4)/(2 sqrt(sum-4)) = {count.value:8.4g}\n"
        f"Cubeless Winning Chance: {count.words}"
    )


def _isight_text(board: Board) -> str:
    count = isight(board)
    return (
        f"Isight Count Leader          L: {count.leader}\n"
        f"Isight Count Trailer         T: {count.trailer}\n\n"
        f"Estimated GWC: {count.value:4.1f}% (80 - L/3 + 2*(L-T))\n\n{count.words}"
    )


def _eight_nine_twelve_text(board: Board) -> str:
    count = eight_nine_twelve(board)
    return (
        f"Leader Pip Count : {count.leader}\nTrailer Pip Count: {count.trailer}\n\n"
        f"Leader is {count.value:.1f} percent ahead\n{count.words}"
    )


@dataclass(frozen=True)
class Formula:
    """A rule of thumb as the shell shows it: ``show WORD`` prints ``text`` of the board."""

    word: str
    help: str
    text: Callable[[Board], str]


FORMULAS = (
    Formula("8912", "The 8-9-12 rule", _eight_nine_twelve_text),
    Formula("isight", "The Isight count", _isight_text),
    Formula("keith", "Keith's count", lambda board: _count_text("Keith", "1/7", keith(board))),
    Formula("kleinman", "Kleinman's count", _kleinman_text),
    Formula("thorp", "Thorp's count", lambda board: _count_text("Thorp", "1/10", thorp(board))),
)
"""All formulas. A new one needs a function and a row here; its shell command is made from it."""
