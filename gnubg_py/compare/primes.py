"""Primes: random positions in which a side has five or six points in a row, checkers behind them.

Self-play comes to few of them, and units of nets have their highest values there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import BAR, CHECKERS, Boards
from gnubg_py.compare.late_contact import put
from gnubg_py.evaluators.classify import PositionClass, classify

_LOWEST, _HIGHEST = 1, 7
"""Where a prime's nearest point is, counted from 0."""
_MOST_BEHIND = 5
"""The most checkers that the other side has behind the prime or on the bar."""
_NEAR = 0.6
"""How likely each of the other checkers is at home, or nearly."""


def deal_primes(count: int, generator: np.random.Generator) -> Boards:
    """``count`` contact or crashed positions with a prime, int8[count, 2, 25]."""
    found = np.zeros((0, 2, 25), np.int8)
    while len(found) < count:
        dealt = np.stack([_deal(generator) for _ in range(count - len(found) + 4)])
        found = np.concatenate([found, dealt[classify(dealt) >= PositionClass.CRASHED]])
    return found[:count]


def _deal(generator: np.random.Generator) -> Boards:
    """One position, int8[2, 25]."""
    owner, other = np.zeros(25, np.int8), np.zeros(25, np.int8)
    length = int(generator.integers(5, 7))
    nearest = int(generator.integers(_LOWEST, _HIGHEST + 1))
    owner[nearest : nearest + length] = 2
    behind = int(generator.integers(1, _MOST_BEHIND + 1))
    # The other side's points count from its own home: its bar is behind every prime.
    put(other, owner, behind, generator.integers(BAR - nearest, BAR + 1, size=behind), BAR)
    put(other, owner, CHECKERS - behind, _points(CHECKERS - behind, generator), BAR)
    left = CHECKERS - 2 * length
    put(owner, other, left, _points(left, generator), BAR)
    sides = [owner, other] if generator.random() < 0.5 else [other, owner]
    return np.stack(sides)


def _points(count: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Points for the checkers that are free."""
    near = generator.random(count) < _NEAR
    return np.where(near, generator.integers(0, 9, count), generator.integers(0, BAR, count))
