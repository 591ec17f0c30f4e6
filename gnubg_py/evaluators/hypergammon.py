"""Exact values of hypergammon from its databases, which are built when they are first needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff.hypergammon import (
    hypergammon_database,
    hypergammon_equities,
    hypergammon_five,
)
from gnubg_py.board import Boards, start_position
from gnubg_py.evaluators.classify import HYPERGAMMON, Classifier, PositionClass
from gnubg_py.evaluators.over import over_leaf
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.evaluators.router import Router


@dataclass(frozen=True)
class HypergammonLeaf:
    """The leaf of hypergammon with this many checkers a side; an ``ExactEvaluator``."""

    checkers: int

    @property
    def name(self) -> str:
        return f"hypergammon{self.checkers}"

    @property
    def identity(self) -> tuple[str, int]:
        """The kind and size of the database."""
        return "hypergammon", self.checkers

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        return hypergammon_five(boards, hypergammon_database(self.checkers))

    def money_equities(self, boards: Boards) -> NDArray[np.float32]:
        """See ``ExactEvaluator``."""
        return hypergammon_equities(boards, hypergammon_database(self.checkers))


def hypergammon_router(variation: str) -> Router:
    """The evaluator of a variation: ``hypergammon1``, ``hypergammon2`` or ``hypergammon3``.

    >>> router = hypergammon_router("hypergammon1")
    >>> [round(float(p), 3) for p in router(start_position("hypergammon1")[None])[0]]
    [0.602, 0.602, 0.08, 0.398, 0.033]
    """
    checkers = int(start_position(variation)[0].sum())
    table: dict[PositionClass, Evaluator] = {
        PositionClass.OVER: over_leaf(checkers),
        HYPERGAMMON[variation]: HypergammonLeaf(checkers),
    }
    return Router(variation, table, Classifier(variation))
