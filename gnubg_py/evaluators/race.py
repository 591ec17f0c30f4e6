"""The evaluator of races: it estimates how many rolls each side needs to bear off.

In a race neither side can block the other, so each bears off in as few rolls as possible. A *rolls
net* takes one side's checkers and returns the chances that this side needs 0, 1, 2 ... rolls to
bear off its last checker, and its first. If all its checkers are home, the one-sided database
gives both exactly. The five probabilities follow from the chances of both sides, as in
``bearoff.one_sided``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff.numbering import count_positions, row_number
from gnubg_py.bearoff.one_sided import one_sided_database
from gnubg_py.board import CHECKERS, HOME_POINTS, MOVER, Boards, for_kernels
from gnubg_py.kernel_cache import njit
from gnubg_py.keys import board_keys, distinct
from gnubg_py.network.forward import AnyNet, logits, unpacked
from gnubg_py.network.integers import IntegerWeights, net_checksum
from gnubg_py.network.softmax import exp_not_above_0
from gnubg_py.network.weights import ROLLS_COUNTED, Weights
from gnubg_py.threads import map_slices

_ALL_ON = count_positions(HOME_POINTS, CHECKERS - 1)
_OPPONENT_HOME = 18
_SLICE = 4096


@dataclass(frozen=True)
class RollChances:
    """The chances that each of n sides needs 0, 1, 2 ... rolls, float32[n, 48] each."""

    bearoff: NDArray[np.float32]
    """To bear the last checker off."""
    first: NDArray[np.float32]
    """To bear the first checker off: 0 rolls if one is off already."""


def roll_chances(net: AnyNet, rows: NDArray[np.int8]) -> RollChances:
    """Evaluate sides ``int8[n, 25]``: by the database if all checkers are home, else by the net."""
    chances = np.zeros((2, len(rows), ROLLS_COUNTED), np.float32)
    away = np.flatnonzero(rows[:, HOME_POINTS:].any(axis=1))
    sides = np.zeros((len(away), 2, 25), np.int8)
    sides[:, MOVER] = rows[away]
    found = logits(net, sides, 2 * ROLLS_COUNTED)

    def work(some: slice) -> None:
        _fill_away(rows, away[some], found[some], chances)

    map_slices(work, len(away), _SLICE)
    if len(away) < len(rows):
        database = one_sided_database()
        _fill_home(rows, database.bearoff, database.gammon, chances)
    return RollChances(chances[0], chances[1])


@njit(cache=True, nogil=True, fastmath={"reassoc", "nnan", "nsz"})
def _highest(values):  # type: ignore[no-untyped-def]
    highest = values[0]
    for k in range(values.shape[0]):
        highest = max(highest, values[k])
    return highest


@njit(cache=True, nogil=True, fastmath={"reassoc", "nnan", "nsz"})
def _total(values):  # type: ignore[no-untyped-def]
    total = np.float32(0)
    for k in range(values.shape[0]):
        total += values[k]
    return total


@njit(cache=True, nogil=True)
def _fill_away(rows, away, found, chances):  # type: ignore[no-untyped-def]
    """Write the softmax of the logits. The chance of 0 rolls is 0, so its logit is left out."""
    values = np.empty(ROLLS_COUNTED - 1, np.float32)
    for i in range(away.shape[0]):
        row = away[i]
        for side in range(2):
            begin = side * ROLLS_COUNTED + 1
            if side == 1 and _checkers(rows[row]) < CHECKERS:
                chances[side, row, 0] = 1
                continue
            highest = _highest(found[i, begin : begin + ROLLS_COUNTED - 1])
            for k in range(ROLLS_COUNTED - 1):
                values[k] = exp_not_above_0(found[i, begin + k] - highest)
            share = np.float32(1) / _total(values)
            for k in range(ROLLS_COUNTED - 1):
                chances[side, row, 1 + k] = values[k] * share


@njit(cache=True, nogil=True)
def _fill_home(rows, bearoff, gammon, chances):  # type: ignore[no-untyped-def]
    for i in range(rows.shape[0]):
        if _checkers(rows[i][HOME_POINTS:]) > 0:
            continue
        number = row_number(rows[i], HOME_POINTS)
        for k in range(bearoff.shape[1]):
            chances[0, i, k] = bearoff[number, k]
        if number < _ALL_ON:
            chances[1, i, 0] = 1
            continue
        for k in range(gammon.shape[1]):
            chances[1, i, k] = gammon[number - _ALL_ON + 1, k]


@njit(cache=True, nogil=True)
def _checkers(row):  # type: ignore[no-untyped-def]
    count = 0
    for p in range(row.shape[0]):
        count += row[p]
    return count


@dataclass(frozen=True)
class RaceLeaf:
    """A rolls net as the evaluator of races. ``identity`` is the checksum of its weights."""

    name: str
    net: AnyNet
    identity: str
    position_class: str = "rolls"

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        """gnubg's five of races in progress, ``int8[n, 2, 25] -> float32[n, 5]``."""
        boards = for_kernels(boards)
        rows, which = _distinct_sides(boards)
        chances = roll_chances(self.net, rows)
        out = np.empty((len(boards), 5), np.float32)
        leaving = one_sided_database().leaving
        _fill_five(boards, chances.bearoff, chances.first, which, leaving, out)
        return out


def _distinct_sides(boards: Boards) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The different sides of boards, ``int8[m, 25]``, and which each board has, ``int64[n, 2]``.

    The positions of a search share most of theirs: after the plays of one roll the side that did
    not move has the same checkers, and what a side plays does not depend on the other.
    """
    keys = np.zeros((2 * len(boards), 2), np.uint64)
    keys[:, 0] = board_keys(boards).reshape(-1)
    first, which = distinct(keys)
    return boards.reshape(-1, 25)[first], which.reshape(-1, 2)


def race_leaf(weights: Weights | IntegerWeights, name: str) -> RaceLeaf:
    """The leaf of a rolls net."""
    if weights.architecture.position_class != "rolls":
        raise ValueError(f"{name}: a {weights.architecture.position_class} net counts no rolls")
    return RaceLeaf(name, unpacked(weights), net_checksum(weights))


@njit(cache=True, nogil=True)
def _checkers_behind(row, behind):  # type: ignore[no-untyped-def]
    """Copy the checkers in the other's home into ``behind``; return their database number."""
    for p in range(HOME_POINTS):
        behind[p] = row[_OPPONENT_HOME + p]
    return row_number(behind, HOME_POINTS)


@njit(cache=True, nogil=True)
def _fill_five(boards, bearoff, first, which, leaving, out):  # type: ignore[no-untyped-def]
    home = np.zeros(HOME_POINTS, np.int8)
    chances = np.empty(5)
    for i in range(boards.shape[0]):
        a, b = which[i, 0], which[i, 1]
        mine_behind = _checkers_behind(boards[i, 0], home)
        theirs_behind = _checkers_behind(boards[i, 1], home)
        _fill_chances(bearoff, first, a, b, leaving, mine_behind, theirs_behind, chances)
        win = min(chances[0], 1.0)
        gammon, lose_gammon = min(win, chances[1]), min(1.0 - win, chances[3])
        out[i, 0], out[i, 1], out[i, 3] = win, gammon, lose_gammon
        out[i, 2], out[i, 4] = min(gammon, chances[2]), min(lose_gammon, chances[4])


# Five times ``finishes_first``, to the last bit, side by side: each sum alone waits for the one
# before.
@njit(cache=True, nogil=True)
def _fill_chances(bearoff, first, a, b, leaving, mine_behind, theirs_behind, out):  # type: ignore[no-untyped-def]
    """The chances that side a, on roll, wins, and by a gammon, a backgammon; that b does so by two.

    They may be a little above 1.
    """
    win, gammon, backgammon, lose_gammon, lose_backgammon = 0.0, 0.0, 0.0, 0.0, 0.0
    # The chances that the other side has not yet borne off, or its first checker, or left home.
    all_on, none_off, inside, mine_none_off, mine_inside = 1.0, 1.0, 1.0, 1.0, 1.0
    rolls, home_rolls = bearoff.shape[1], leaving.shape[1]
    for n in range(rolls):
        if n > 0:
            all_on -= bearoff[b, n - 1]
            none_off -= first[b, n - 1]
            if n - 1 < home_rolls:
                inside -= leaving[theirs_behind, n - 1]
        mine_none_off -= first[a, n]
        if n < home_rolls:
            mine_inside -= leaving[mine_behind, n]
        win += bearoff[a, n] * max(all_on, 0.0)
        gammon += bearoff[a, n] * max(none_off, 0.0)
        backgammon += bearoff[a, n] * max(inside, 0.0)
        lose_gammon += bearoff[b, n] * max(mine_none_off, 0.0)
        lose_backgammon += bearoff[b, n] * max(mine_inside, 0.0)
    out[0], out[1], out[2], out[3], out[4] = win, gammon, backgammon, lose_gammon, lose_backgammon
