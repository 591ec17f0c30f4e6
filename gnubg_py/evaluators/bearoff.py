"""Exact leaves for bearoff positions, and the other figures that the bearoff databases give.

``bearoff1`` serves BEAROFF1 (both sides within the one-sided database), ``bearoff2`` BEAROFF2
(both within the two-sided). The databases open, or are built, when a leaf is first called.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff import one_sided, two_sided
from gnubg_py.bearoff.one_sided import one_sided_database
from gnubg_py.bearoff.two_sided import TWO_SIDED_CHECKERS, two_sided_database
from gnubg_py.board import HOME_POINTS, Boards


def bearoff1(boards: Boards) -> NDArray[np.float32]:
    """The five probabilities from the one-sided database, ``int8[n, 2, 25] -> float32[n, 5]``.

    A side with all 15 checkers on the board can lose a gammon; there are no backgammons, since all
    checkers are home. ``ValueError`` for a board outside the database.
    """
    return one_sided.probabilities(boards, one_sided_database())


def bearoff2(boards: Boards) -> NDArray[np.float32]:
    """The five probabilities from the two-sided database, ``int8[n, 2, 25] -> float32[n, 5]``.

    At least nine checkers of each side are off, so there are no gammons, and the chance of winning
    is (cubeless equity + 1) / 2. ``ValueError`` for a board outside the database.
    """
    return BEAROFF2_LEAF(boards)


def two_sided_equities(boards: Boards) -> NDArray[np.float32]:
    """Exact money equities of BEAROFF2 boards, ``int8[n, 2, 25] -> float32[n, 4]``.

    Columns: cubeless; cube centred; cube owned by the side on roll; cube owned by the other. The
    equities are those of the side on roll before it rolls, per point of the cube, if both sides
    double whenever that is right. Without gammons the Jacoby rule changes nothing.

    >>> from gnubg_py.board import parse
    >>> (36 * two_sided_equities(parse("x 5:1 2:1 / o 1:1")[None])).round(4).tolist()
    [[2.0, 4.0, 4.0, 2.0]]
    """
    return two_sided.equities(boards, two_sided_database())


def two_sided_without_double(boards: Boards) -> NDArray[np.float32]:
    """The same four columns when the side on roll does not double this turn.

    They give the exact cube action. The equity of no double is column 1 (cube centred) or 2 (cube
    owned), of double and take twice column 3, of double and pass 1.
    """
    return two_sided.without_double(boards, two_sided_database())


def backgammon_chances(boards: Boards) -> NDArray[np.float32]:
    """Chances of winning and of losing a backgammon, ``int8[n, 2, 25] -> float32[n, 2]``.

    They are of races with one side within the one-sided database, and checkers of the other side
    in its home. The result is nan if the database does not hold the winner's position. See
    ``one_sided.one_sided_backgammons``.
    """
    return one_sided.one_sided_backgammons(boards, one_sided_database())


def effective_pips(boards: Boards) -> NDArray[np.float64]:
    """Effective pip counts of both sides, ``int8[n, 2, 25] -> float64[n, 2]``; nan outside home."""
    return one_sided.one_sided_effective_pips(boards, one_sided_database())


@dataclass(frozen=True)
class OneSidedLeaf:
    """The leaf of positions within the one-sided database of this many points."""

    points: int = HOME_POINTS

    @property
    def name(self) -> str:
        return "bearoff1" if self.points == HOME_POINTS else f"bearoff_os {self.points} points"

    @property
    def identity(self) -> tuple[str, int]:
        """The kind and size of the database."""
        return "one-sided", self.points

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        return one_sided.probabilities(boards, one_sided_database(self.points))


@dataclass(frozen=True)
class TwoSidedLeaf:
    """The leaf of positions within a two-sided database; an ``ExactEvaluator``.

    With nine checkers of a side or fewer on the board there are no gammons: the chance of winning
    is (cubeless equity + 1) / 2.
    """

    points: int = HOME_POINTS
    checkers: int = TWO_SIDED_CHECKERS

    @property
    def name(self) -> str:
        usual = self == TwoSidedLeaf()
        return "bearoff2" if usual else f"bearoff_ts {self.points}x{self.checkers}"

    @property
    def identity(self) -> tuple[str, int, int]:
        """The kind and size of the database."""
        return "two-sided", self.points, self.checkers

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        equities = self.money_equities(boards)
        out = np.zeros((len(boards), 5), dtype=np.float32)
        out[:, 0] = (equities[:, two_sided.CUBELESS] + 1) / 2
        return out

    def money_equities(self, boards: Boards) -> NDArray[np.float32]:
        """See ``ExactEvaluator``."""
        database = two_sided_database(self.points, self.checkers)
        equities = two_sided.without_double(boards, database)
        return np.column_stack([equities, equities[:, two_sided.CENTRED]])


BEAROFF1_LEAF = OneSidedLeaf()
BEAROFF2_LEAF = TwoSidedLeaf()
