"""The leaf of races: how many rolls each side needs, and who needs fewer.

In a race neither side can hinder the other, so each plays its own game: bear off in as few rolls as
possible. A *rolls net* knows, of one side's checkers anywhere on the board, the chances of 0, 1,
2 ... rolls to bear all off, and to bear the first one off; once they are all home the one-sided
database knows both exactly. Two sides' chances then give the game's, as in ``bearoff.one_sided``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gnubg_py.bearoff import one_sided
from gnubg_py.bearoff.index import MAX_CHECKERS, count_positions, rank
from gnubg_py.bearoff.one_sided import finishes_first
from gnubg_py.bearoff.rules import HOME_POINTS
from gnubg_py.board import MOVER, OTHER, Boards
from gnubg_py.network.forward import FastNet, fast_net, logits
from gnubg_py.network.weights import ROLLS, Weights, checksum

_ALL_ON = count_positions(HOME_POINTS, MAX_CHECKERS - 1)
_OPPONENT_HOME = 18


@dataclass(frozen=True)
class RollChances:
    """Chances of 0, 1, 2 ... rolls, float32[n, 48] each, of n sides."""

    bearoff: NDArray[np.float32]
    """To bear the last checker off."""
    first: NDArray[np.float32]
    """To bear the first checker off: none where one is off already."""


def roll_chances(net: FastNet, rows: NDArray[np.int8]) -> RollChances:
    """What the net says of sides ``int8[n, 25]``, the database where all checkers are home."""
    count = len(rows)
    chances = np.zeros((2, count, ROLLS), np.float32)
    away = rows[:, HOME_POINTS:].any(axis=1)
    if away.any():
        sides = np.zeros((int(away.sum()), 2, 25), np.int8)
        sides[:, MOVER] = rows[away]
        found = logits(net, sides, 2 * ROLLS)
        for i in range(2):
            chances[i, away] = _softmax(found[:, i * ROLLS : (i + 1) * ROLLS])
    if not away.all():
        _fill_home(rows, away, *_tables(), chances)
    started = rows.sum(axis=1, dtype=np.int64) < MAX_CHECKERS
    chances[1, started] = 0
    chances[1, started, 0] = 1
    return RollChances(chances[0], chances[1])


def _tables() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    database = one_sided.load()
    return database.bearoff, database.gammon


def _softmax(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Row by row; numpy's exponential is vectorised, a kernel's is not."""
    out = np.exp(values - values.max(axis=1, keepdims=True))
    out /= out.sum(axis=1, keepdims=True)
    return np.asarray(out)


@njit(cache=True, nogil=True)
def _fill_home(
    rows: Any, away: Any, bearoff: Any, gammon: Any, chances: Any
) -> None:  # pragma: no cover - compiled
    for i in range(rows.shape[0]):
        if away[i]:
            continue
        number = rank(rows[i], HOME_POINTS)
        for k in range(bearoff.shape[1]):
            chances[0, i, k] = bearoff[number, k]
        if number >= _ALL_ON:
            for k in range(gammon.shape[1]):
                chances[1, i, k] = gammon[number - _ALL_ON + 1, k]


@dataclass(frozen=True)
class RaceLeaf:
    """A rolls net as the evaluator of races. ``identity`` is the checksum of its weights."""

    name: str
    net: FastNet
    identity: str
    position_class: str = "rolls"

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        """gnubg's five of races ``int8[n, 2, 25] -> float32[n, 5]``; nobody has finished."""
        mine = roll_chances(self.net, np.ascontiguousarray(boards[:, MOVER]))
        theirs = roll_chances(self.net, np.ascontiguousarray(boards[:, OTHER]))
        out = np.empty((len(boards), 5), np.float32)
        leaving = one_sided.load().leaving
        _fill_five(boards, mine.bearoff, mine.first, theirs.bearoff, theirs.first, leaving, out)
        return out


def race_leaf(weights: Weights, name: str) -> RaceLeaf:
    """The leaf of a rolls net."""
    if weights.architecture.position_class != "rolls":
        raise ValueError(f"{name}: a {weights.architecture.position_class} net counts no rolls")
    return RaceLeaf(name, fast_net(weights), checksum(weights))


@njit(cache=True, nogil=True)
def _men_behind(row: Any, men: Any) -> int:  # pragma: no cover - compiled
    """The men in the other's home, into ``men``; their number in the database's order."""
    for p in range(HOME_POINTS):
        men[p] = row[_OPPONENT_HOME + p]
    number: int = rank(men, HOME_POINTS)
    return number


@njit(cache=True, nogil=True)
def _fill_five(
    boards: Any, mine: Any, my_first: Any, theirs: Any, their_first: Any, leaving: Any, out: Any
) -> None:  # pragma: no cover - compiled
    men = np.zeros(HOME_POINTS, np.int8)
    for i in range(boards.shape[0]):
        win = finishes_first(mine[i], theirs[i], 1)
        gammon = min(win, finishes_first(mine[i], their_first[i], 1))
        lose_gammon = min(1.0 - win, finishes_first(theirs[i], my_first[i], 0))
        behind = leaving[_men_behind(boards[i, 1], men)]
        out[i, 2] = min(gammon, finishes_first(mine[i], behind, 1))
        behind = leaving[_men_behind(boards[i, 0], men)]
        out[i, 4] = min(lose_gammon, finishes_first(theirs[i], behind, 0))
        out[i, 0], out[i, 1], out[i, 3] = win, gammon, lose_gammon
