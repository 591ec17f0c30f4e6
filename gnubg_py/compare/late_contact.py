"""Late contact: random positions with contact after one side has borne checkers off.

They are rare in self-play, and nets value them badly. One side, here called the leader, has
checkers off and most others at home. It has been hit or closed out, or the other side still has
checkers on the bar or on the leader's home points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import BAR, CHECKERS, HOME_POINTS, Boards
from gnubg_py.evaluators.classify import PositionClass, classify

_MOST_BACK = 3
"""The most checkers that the leader has on the bar or on their way home."""
_MOST_STAYING = 4
"""The most checkers that the other side has in the leader's home or on the bar."""


def deal_late_contact(count: int, generator: np.random.Generator) -> Boards:
    """``count`` contact or crashed positions with checkers off, int8[count, 2, 25]."""
    found = np.zeros((0, 2, 25), np.int8)
    while len(found) < count:
        dealt = np.stack([_deal(generator) for _ in range(count - len(found) + 4)])
        dealt = dealt[classify(dealt) >= PositionClass.CRASHED]
        found = np.concatenate([found, dealt[~_stuck(dealt)]])
    return found[:count]


def _stuck(boards: Boards) -> NDArray[np.bool_]:
    """Whether both sides are on the bar against closed homes, so that no roll can be played."""
    closed = (boards[:, :, :HOME_POINTS] >= 2).all(axis=2)
    return np.asarray((closed & (boards[:, :, BAR] > 0)[:, ::-1]).all(axis=1))


def _deal(generator: np.random.Generator) -> Boards:
    """One position, int8[2, 25]; it may be a race."""
    leader, other = np.zeros(25, np.int8), np.zeros(25, np.int8)
    left = CHECKERS - int(generator.integers(1, CHECKERS))
    back = min(left, int(generator.integers(0, _MOST_BACK + 1)))
    _put_home(leader, left - back, generator)
    other_left = CHECKERS - max(0, int(generator.integers(-20, 8)))
    staying = min(other_left, int(generator.integers(0 if back else 1, _MOST_STAYING + 1)))
    _make_points(other, other_left - staying, generator)
    put(leader, other, back, generator.integers(HOME_POINTS, BAR + 1, size=back), BAR)
    put(other, leader, staying, BAR - generator.integers(0, HOME_POINTS + 1, size=staying), BAR)
    sides = [leader, other] if generator.random() < 0.5 else [other, leader]
    return np.stack(sides)


def _put_home(row: NDArray[np.int8], count: int, generator: np.random.Generator) -> None:
    """Put checkers on the home points, more on the low ones, as in a bearoff."""
    shares = generator.dirichlet(np.linspace(2.0, 0.6, HOME_POINTS))
    row[:HOME_POINTS] += generator.multinomial(count, shares).astype(np.int8)


def _make_points(row: NDArray[np.int8], count: int, generator: np.random.Generator) -> None:
    """Make up to six home points of two checkers; put the others on these or on the way there."""
    points = generator.permutation(HOME_POINTS)[: int(generator.integers(1, HOME_POINTS + 1))]
    made = points[: count // 2]
    row[made] += 2
    for _ in range(count - 2 * len(made)):
        near = generator.random() < 0.6
        row[generator.integers(0, HOME_POINTS if near else 18)] += 1


def put(
    row: NDArray[np.int8],
    against: NDArray[np.int8],
    count: int,
    points: NDArray[np.int64],
    bar: int,
) -> None:
    """Put checkers on points, or on the bar if the other side holds the point."""
    for point in points[:count]:
        row[bar if point < BAR and against[BAR - 1 - point] else point] += 1
