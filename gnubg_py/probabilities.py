"""gnubg's five probabilities of a position, and the probabilities of the six outcomes.

The *five* are cumulative: the chances that the side on roll wins, wins a gammon or better, wins a
backgammon, loses a gammon or worse, loses a backgammon. The *six* are exclusive and sum to 1: a
single win, a gammon win, a backgammon win, and the three losses in the same order. An array of
them has its positions in the leading axes: ``[..., 5]`` and ``[..., 6]``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]

WIN, WIN_GAMMON, WIN_BACKGAMMON, LOSE_GAMMON, LOSE_BACKGAMMON = range(5)

OUTCOMES = 6
"""The number of exclusive outcomes of a game."""
OUTCOME_EQUITIES = np.array([1, 2, 3, -1, -2, -3], np.float32)
"""The points of each of the six outcomes, for the side on roll."""
INVERTED_OUTCOMES = np.array([3, 4, 5, 0, 1, 2])
"""The six outcomes in the order in which the other side sees them: ``six[..., this]``."""

_INVERTED = [WIN, LOSE_GAMMON, LOSE_BACKGAMMON, WIN_GAMMON, WIN_BACKGAMMON]
_GAMMON_SIGNS = np.array([1, 1, -1, -1], np.float32)
_ROUNDING = 1e-3
"""By how much a foreign evaluator may exceed 0 and 1 through rounding."""


class Five(NamedTuple):
    """The five probabilities of one position."""

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float

    @classmethod
    def of(cls, row: Iterable[float]) -> Five:
        """Five Python floats from five numbers, such as a row of an array."""
        return cls(*(float(p) for p in row))

    @property
    def inverted(self) -> Five:
        """The probabilities of the other side.

        >>> Five(0.75, 0.25, 0.0, 0.125, 0.0).inverted.win_gammon
        0.125
        """
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = self
        return Five(1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon)


def inverted(five: Floats) -> Floats:
    """The probabilities of the other side, ``[..., 5] -> [..., 5]``.

    >>> inverted(np.array([0.75, 0.25, 0.0, 0.125, 0.0])).tolist()
    [0.25, 0.125, 0.0, 0.25, 0.0]
    """
    out = five[..., _INVERTED]
    out[..., WIN] = 1 - out[..., WIN]
    return out


def nested(five: NDArray[np.float32]) -> NDArray[np.float32]:
    """Limit each row of ``five`` [n, 5], in place, to probabilities that are possible.

    Each is limited to 0..1, gammons to the wins or losses they are part of, and backgammons to the
    gammons.

    >>> nested(np.array([[0.5, 0.75, -0.25, 0.625, 0.25]], np.float32)).tolist()
    [[0.5, 0.5, 0.0, 0.5, 0.25]]
    """
    np.clip(five, 0, 1, out=five)
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = five.T
    np.minimum(win_gammon, win, out=win_gammon)
    np.minimum(win_backgammon, win_gammon, out=win_backgammon)
    np.minimum(lose_gammon, 1 - win, out=lose_gammon)
    np.minimum(lose_backgammon, lose_gammon, out=lose_backgammon)
    return five


def checked_five(five: Floats, name: str) -> NDArray[np.float32]:
    """The probabilities of the foreign evaluator ``name`` as float32, each checked to be 0 to 1.

    >>> checked_five(np.full((1, 5), 7.0), "mine")
    Traceback (most recent call last):
    ValueError: mine: answered a probability that is not from 0 to 1
    """
    if not ((five >= -_ROUNDING) & (five <= 1 + _ROUNDING)).all():
        raise ValueError(f"{name}: answered a probability that is not from 0 to 1")
    return five.astype(np.float32, copy=False)


def cubeless_equity(five: Floats) -> Floats:
    """The money equity without a cube, ``[..., 5] -> [...]``.

    >>> float(cubeless_equity(np.array([0.6, 0.2, 0.1, 0.1, 0.0])))
    0.4
    """
    return np.asarray(2 * five[..., WIN] - 1 + five[..., WIN_GAMMON:] @ _GAMMON_SIGNS)


def five_of(six: Floats) -> NDArray[np.float32]:
    """The five probabilities from the six, ``[n, 6] -> float32[n, 5]``.

    >>> five_of(np.array([[0.5, 0.25, 0.0, 0.125, 0.125, 0.0]])).tolist()
    [[0.75, 0.25, 0.0, 0.125, 0.0]]
    """
    five = [six[:, :3].sum(1), six[:, 1:3].sum(1), six[:, 2], six[:, 4:].sum(1), six[:, 5]]
    return np.stack(five, axis=1).astype(np.float32)


def six_of(five: NDArray[np.float32]) -> NDArray[np.float32]:
    """The six probabilities from the five, ``float32[n, 5] -> float32[n, 6]``.

    >>> six_of(np.array([[0.75, 0.25, 0.0, 0.125, 0.0]], np.float32)).tolist()
    [[0.5, 0.25, 0.0, 0.125, 0.125, 0.0]]
    """
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = five.T
    six = [
        win - win_gammon,
        win_gammon - win_backgammon,
        win_backgammon,
        1 - win - lose_gammon,
        lose_gammon - lose_backgammon,
        lose_backgammon,
    ]
    return np.stack(six, axis=1)


def five_text(five: Iterable[float], digits: int = 3, percent: bool = False) -> str:
    """The five probabilities as gnubg prints them: wins, then losses.

    >>> five_text((0.525, 0.149, 0.007, 0.125, 0.005))
    '0.525 0.149 0.007 - 0.475 0.125 0.005'
    >>> five_text((0.525, 0.149, 0.007, 0.125, 0.005), percent=True)
    ' 52.5  14.9   0.7 -  47.5  12.5   0.5'
    """
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = five
    wins, losses = (win, win_gammon, win_backgammon), (1 - win, lose_gammon, lose_backgammon)
    sides = (" ".join(chance_text(p, digits, percent) for p in side) for side in (wins, losses))
    return " - ".join(sides)


def chance_text(probability: float, digits: int = 3, percent: bool = False) -> str:
    """One probability as text, or as a percentage with the same number of digits in all."""
    if percent:
        return f"{100 * probability:{digits + 2}.{max(0, digits - 2)}f}"
    return f"{probability:.{digits}f}"
