"""Exact leaves for bearoff positions.

``BEAROFF1_LEAF`` values BEAROFF1 (both sides within the one-sided database), ``BEAROFF2_LEAF``
BEAROFF2 (both within the two-sided one). The databases open, or are built, when a leaf is first
called.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff.one_sided import one_sided_database, one_sided_five
from gnubg_py.bearoff.two_sided import (
    CENTRED,
    CUBELESS,
    TWO_SIDED_CHECKERS,
    two_sided_database,
    two_sided_without_double,
)
from gnubg_py.board import HOME_POINTS, Boards


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
        return one_sided_five(boards, one_sided_database(self.points))


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
        out[:, 0] = (equities[:, CUBELESS] + 1) / 2
        return out

    def money_equities(self, boards: Boards) -> NDArray[np.float32]:
        """See ``ExactEvaluator``."""
        database = two_sided_database(self.points, self.checkers)
        equities = two_sided_without_double(boards, database)
        return np.column_stack([equities, equities[:, CENTRED]])


BEAROFF1_LEAF = OneSidedLeaf()
BEAROFF2_LEAF = TwoSidedLeaf()
