"""One-sided bearoff: the number of rolls a side needs, independent of the other side.

For each of the 54,264 positions of up to 15 checkers in the home board (or on the first 7 to 10
points, by option) the database holds the chances of bearing all off in 1, 2, 3 ... rolls, if the
side minimises its expected rolls. For positions of 15 checkers it also holds the chances of rolls
until the first checker is off, if the side minimises those. Two rows, one for each side, give the
chances of a race: with u the rolls of the side on roll and t those of the other, it wins if u <= t.

A third table is for checkers that a side still has in the other's home: the rolls until the last
one has left, if any die can move any of them. It gives the chance that a lost race is a backgammon.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff import store
from gnubg_py.bearoff.numbering import (
    all_positions,
    count_positions,
    number_within,
    row_number,
    row_numbers,
)
from gnubg_py.bearoff.rules import distributions, fewest_rolls
from gnubg_py.board import CHECKERS, HOME_POINTS, Boards
from gnubg_py.kernel_cache import njit
from gnubg_py.messages import progress

MOST_POINTS = 10
MEAN_PIPS = 49 / 6  # pips of an average roll


@dataclass(frozen=True)
class OneSided:
    """The database; positions are numbered by ``row_numbers``, rolls are columns from 0.

    - ``mean`` float64[n]: expected rolls to bear off; n = count_positions(points, 15)
    - ``bearoff`` float32[n, width]: chances of bearing off in exactly 0, 1, ... rolls
    - ``gammon`` float32[m, width]: the same to the first checker off; row 0 is for positions with
      one off already, then come those of 15 checkers in order of number
    - ``leaving`` float32[54264, width]: the same for checkers on 6 points to leave these points
    """

    points: int
    mean: NDArray[np.float64]
    bearoff: NDArray[np.float32]
    gammon: NDArray[np.float32]
    leaving: NDArray[np.float32]


def _check_points(points: int) -> None:
    if not HOME_POINTS <= points <= MOST_POINTS:
        raise ValueError(
            f"one-sided database of {points} points: expected {HOME_POINTS} to {MOST_POINTS}"
        )


def _trimmed(chances: NDArray[np.float32]) -> NDArray[np.float32]:
    """Drop empty columns at the end; the width stays a multiple of 16, so rows fill cache lines."""
    used = int(np.flatnonzero(chances.any(axis=0))[-1]) + 1
    return np.ascontiguousarray(chances[:, : -(-used // 16) * 16])


def build_one_sided(points: int = HOME_POINTS) -> store.Arrays:
    """Compute the whole database, with a progress bar; the arrays of ``OneSided`` by name."""
    _check_points(points)
    rows = all_positions(points, CHECKERS)
    home = all_positions(HOME_POINTS, CHECKERS)
    all_on = count_positions(points, CHECKERS - 1)  # from here on no checker is off
    # No home position takes more than 30 rolls. From ten points the chance of more than 46 is below
    # float32's resolution, and the last column includes it.
    width = 32 if points == HOME_POINTS else 48
    work = 2 * (len(rows) - 1) + 2 * (len(rows) - all_on) + 2 * (len(home) - 1)
    with progress(work, f"one-sided bearoff, {points} points") as bar:
        mean, best = fewest_rolls(rows, 1, progress=bar.update)
        bearoff = distributions(best, 1, width, bar.update)
        best = fewest_rolls(rows, all_on, progress=bar.update).best
        gammon = distributions(best, all_on, width, bar.update)
        best = fewest_rolls(home, 1, leaving=True, progress=bar.update).best
        leaving = distributions(best, 1, 32, bar.update)
    return {
        "mean": mean,
        "bearoff": _trimmed(bearoff),
        "gammon": _trimmed(gammon),
        "leaving": _trimmed(leaving),
    }


def one_sided_name(points: int = HOME_POINTS) -> str:
    """The database's name in storage; ``ValueError`` for a size it cannot have."""
    _check_points(points)
    return f"one-sided-{points}-points"


@cache
def one_sided_database(points: int = HOME_POINTS) -> OneSided:
    """The database of ``points`` points, memory-mapped; it is built if there is none yet."""
    return OneSided(points, **store.fetch(one_sided_name(points), lambda: build_one_sided(points)))


@njit(cache=True, nogil=True)
def finishes_first(rolls, others, lead):  # type: ignore[no-untyped-def]
    """The chance that the count of ``rolls`` is below ``lead`` + the count of ``others``.

    ``lead`` is 1 if the first side is on roll, which then wins equal counts, else 0.
    """
    survive = 1.0
    seen = 0
    total = 0.0
    for n in range(len(rolls)):
        while seen <= n - lead:
            if seen < len(others):
                survive -= others[seen]
            seen += 1
        if survive <= 0.0:
            break
        total += rolls[n] * survive
    return min(total, 1.0)


@njit(cache=True, nogil=True)
def _win_and_gammons(boards, points, all_on, bearoff, gammon, out):  # type: ignore[no-untyped-def]
    for i in range(len(boards)):
        mine = number_within(boards[i, 0], points, CHECKERS)
        theirs = number_within(boards[i, 1], points, CHECKERS)
        if mine < 1 or theirs < 1:
            return i
        win = finishes_first(bearoff[mine], bearoff[theirs], 1)
        out[i] = 0.0
        out[i, 0] = win
        if theirs >= all_on:
            out[i, 1] = min(win, finishes_first(bearoff[mine], gammon[theirs - all_on + 1], 1))
        if mine >= all_on:
            lost = finishes_first(bearoff[theirs], gammon[mine - all_on + 1], 0)
            out[i, 3] = min(1.0 - win, lost)
    return -1


def one_sided_five(boards: Boards, database: OneSided | None = None) -> NDArray[np.float32]:
    """The five probabilities of races within the database, ``int8[n, 2, 25] -> float32[n, 5]``.

    The database is the usual one by default. A board outside it is a ``ValueError``. Each side's
    rolls are independent of the other's, so chances multiply: with u, t the rolls to bear off and
    a, b those to a first checker off, win = P(u <= t), win gammon = P(u <= b), lose gammon =
    P(t < a). No checker is in the other's home, so there is no backgammon.
    """
    database = database or one_sided_database()
    out = np.empty((len(boards), 5), dtype=np.float32)
    all_on = count_positions(database.points, CHECKERS - 1)
    bad = _win_and_gammons(boards, database.points, all_on, database.bearoff, database.gammon, out)
    if bad >= 0:
        raise ValueError(
            f"board {bad} is not within the one-sided bearoff database: "
            f"both sides need 1 to {CHECKERS} checkers, all on their first "
            f"{database.points} points"
        )
    return out


@njit(cache=True, nogil=True)
def _backgammons(boards, points, bearoff, leaving, out):  # type: ignore[no-untyped-def]
    men = np.zeros(6, dtype=np.int8)
    for i in range(len(boards)):
        for winner in range(2):
            loser = boards[i, 1 - winner]
            total = 0
            for p in range(25):
                total += loser[p]
            held = 0
            for p in range(6):
                men[p] = loser[18 + p]
                held += men[p]
            if loser[24] != 0:
                out[i, winner] = np.nan
                continue
            if held == 0 or total != CHECKERS:
                out[i, winner] = 0.0
                continue
            number = number_within(boards[i, winner], points, CHECKERS)
            if number < 1:
                out[i, winner] = np.nan
                continue
            out[i, winner] = finishes_first(
                bearoff[number], leaving[row_number(men, HOME_POINTS)], 1 - winner
            )


def backgammon_chances(boards: Boards, database: OneSided | None = None) -> NDArray[np.float32]:
    """Chances in a race that one side bears off before the other's checkers have left its home.

    ``int8[n, 2, 25] -> float32[n, 2]``: that the side on roll wins a backgammon, and that it
    loses one. The loser is assumed to move those checkers first, any of them by any die. The chance
    is 0 if no checker is in the other's home, and nan if it is unknown: the winner's checkers are
    not all within the database, or a checker is on the bar.
    """
    database = database or one_sided_database()
    out = np.empty((len(boards), 2), dtype=np.float32)
    _backgammons(boards, database.points, database.bearoff, database.leaving, out)
    return out


def effective_pips(boards: Boards, database: OneSided | None = None) -> NDArray[np.float64]:
    """Effective pip count of each side, ``int8[n, 2, 25] -> float64[n, 2]``.

    It is the expected rolls times the 49/6 pips of an average roll, so it is the pips plus the
    expected waste. It is nan for a side that is not within the database.
    """
    database = database or one_sided_database()
    out = np.full((len(boards), 2), np.nan)
    for side in range(2):
        rows = boards[:, side]
        inside = (rows[:, database.points :] == 0).all(axis=1)
        inside &= rows.sum(axis=1, dtype=np.int64) <= CHECKERS
        numbers = row_numbers(rows[inside, : database.points])
        out[inside, side] = database.mean[numbers] * MEAN_PIPS
    return out
