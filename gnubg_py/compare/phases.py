"""Phases and situations of positions: groups for which errors are counted separately.

Every position is in one phase; it may be in several situations or in none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import BAR, CHECKERS, HOME_POINTS, MOVER, OTHER, Boards, pip_count
from gnubg_py.evaluators.classify import PositionClass, classify

OPENING_PIPS = 290
LATE_PIPS = 200
PHASES = ("opening", "middle game", "late contact", "race", "bearoff")
"""With contact, the sum of both pip counts (334 at the start) decides the phase: 290 or more is the
opening, less than 200 is late contact. In a bearoff all checkers of both sides are home."""

SITUATIONS = (
    "on the bar",
    "opponent on the bar",
    "own prime",
    "facing a prime",
    "back game",
    "facing a back game",
    "bearing off in contact",
    "ahead in pips",
    "behind in pips",
)
PRIME = 4
"""The number of consecutive points that make a prime."""
BACK_CHECKERS = 4
"""The number of checkers in the opponent's home or on the bar that make a back game."""
LEAD_PIPS = 20


def phases(boards: Boards) -> NDArray[np.int64]:
    """The phase of each position, an index of ``PHASES``. ``int8[n, 2, 25] -> int64[n]``.

    >>> from gnubg_py.board import START, parse
    >>> boards = np.stack([START, parse("x 6:5 / o 5:3"), parse("x 20:1 6:14 / o 20:1 6:14")])
    >>> [PHASES[p] for p in phases(boards)]
    ['opening', 'bearoff', 'middle game']
    """
    classes = classify(boards)
    pips = pip_count(boards).sum(axis=1)
    contact = np.isin(classes, (PositionClass.CONTACT, PositionClass.CRASHED))
    kinds = [contact & (pips >= OPENING_PIPS), contact & (pips >= LATE_PIPS), contact]
    return np.asarray(np.select([*kinds, classes == PositionClass.RACE], [0, 1, 2, 3], 4))


def situations(boards: Boards) -> dict[str, NDArray[np.bool_]]:
    """The positions in each of ``SITUATIONS``, as the side on roll sees it, bool[n] each.

    Only positions with contact are in any situation.
    """
    contact = phases(boards) < PHASES.index("race")
    own, other = boards[:, MOVER], boards[:, OTHER]
    pips = pip_count(boards)
    lead = pips[:, OTHER] - pips[:, MOVER]
    facts = (
        own[:, BAR] > 0,
        other[:, BAR] > 0,
        _has_prime(own),
        _has_prime(other),
        _back(own) >= BACK_CHECKERS,
        _back(other) >= BACK_CHECKERS,
        own.sum(axis=1, dtype=np.int64) < CHECKERS,
        lead >= LEAD_PIPS,
        lead <= -LEAD_PIPS,
    )
    return {name: contact & fact for name, fact in zip(SITUATIONS, facts, strict=True)}


def _back(rows: NDArray[np.int8]) -> NDArray[np.int64]:
    return np.asarray(rows[:, BAR - HOME_POINTS :].sum(axis=1, dtype=np.int64))


def _has_prime(rows: NDArray[np.int8]) -> NDArray[np.bool_]:
    held = rows[:, :BAR] >= 2
    windows = np.lib.stride_tricks.sliding_window_view(held, PRIME, axis=1)
    return np.asarray(np.any(np.all(windows, axis=2), axis=1))
