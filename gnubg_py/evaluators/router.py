"""The router: an evaluator that passes each position on to the evaluator of its class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff.in_use import USUAL, sizes_in_use
from gnubg_py.board import HOME_POINTS, Boards
from gnubg_py.errors import UnknownNameError
from gnubg_py.evaluators.bearoff import BEAROFF1_LEAF, BEAROFF2_LEAF, OneSidedLeaf, TwoSidedLeaf
from gnubg_py.evaluators.classify import HYPERGAMMON, STANDARD, Classifier, PositionClass
from gnubg_py.evaluators.over import over_leaf
from gnubg_py.evaluators.protocol import Evaluator, ExactEvaluator, evaluate_children
from gnubg_py.network.forward import AnyNet
from gnubg_py.network.leaf import NetLeaf

EXACT = (PositionClass.OVER, PositionClass.BEAROFF1, PositionClass.BEAROFF2)
"""Classes whose values are exact, and stay so unless a user routes them elsewhere by name."""
LEARNED = (PositionClass.RACE, PositionClass.CRASHED, PositionClass.CONTACT)


@dataclass(frozen=True)
class Router:
    """An evaluator per class of positions; together they are an evaluator of all positions.

    ``classes`` gives the classes of boards, which differ between variations of backgammon.
    """

    name: str
    table: Mapping[PositionClass, Evaluator]
    classes: Classifier = STANDARD

    @property
    def identity(self) -> tuple[object, ...]:
        """Each class with the identity of its evaluator."""
        return tuple((int(c), self.table[c].identity) for c in sorted(self.table))

    @cached_property
    def exact(self) -> Mapping[PositionClass, ExactEvaluator]:
        """The classes whose money equities a database knows exactly: they need no search."""
        return {c: leaf for c, leaf in self.table.items() if isinstance(leaf, ExactEvaluator)}

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        out = np.empty((len(boards), 5), np.float32)
        for evaluator, rows in self._groups(boards):
            out[rows] = evaluator(_taken(boards, rows))
        return out

    def evaluate_children(
        self, parents: Boards, children: Boards, first: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Evaluate children; see ``ChildEvaluator``."""
        out = np.empty((len(children), 5), np.float32)
        for evaluator, rows in self._groups(children):
            starts = np.searchsorted(rows, first)
            out[rows] = evaluate_children(evaluator, parents, _taken(children, rows), starts)
        return out

    def _groups(self, boards: Boards) -> list[tuple[Evaluator, NDArray[np.int64]]]:
        """Each evaluator that is needed, with the rows it evaluates, ascending."""
        classes = self.classes(boards)
        present = np.flatnonzero(np.bincount(classes, minlength=len(PositionClass)))
        rows_of: dict[int, tuple[Evaluator, NDArray[np.bool_]]] = {}
        for code in present.tolist():
            evaluator = self.leaf(PositionClass(code))
            mine = classes == code
            known = rows_of.get(id(evaluator))
            rows_of[id(evaluator)] = (evaluator, mine if known is None else known[1] | mine)
        return [(evaluator, np.flatnonzero(mine)) for evaluator, mine in rows_of.values()]

    def leaf(self, position_class: PositionClass) -> Evaluator:
        """The evaluator of a class; ``ValueError`` where there is none."""
        if position_class not in self.table:
            raise ValueError(f"no evaluator for {position_class.name.lower()} positions")
        return self.table[position_class]

    def routed(self, position_class: PositionClass, evaluator: Evaluator) -> Router:
        """A copy of this router with ``evaluator`` for one class."""
        return replace(self, table={**self.table, position_class: evaluator})


def _taken(boards: Boards, rows: NDArray[np.int64]) -> Boards:
    return boards if len(rows) == len(boards) else boards[rows]


def leaf_of(evaluator: Evaluator, position_class: PositionClass) -> Evaluator | None:
    """A router's evaluator of a class, or None if it has none; any other evaluator itself."""
    return evaluator.table.get(position_class) if isinstance(evaluator, Router) else evaluator


def contact_net(evaluator: Evaluator) -> AnyNet | None:
    """The net that values contact and crashed positions, if one net of ours values both."""
    if not isinstance(evaluator, Router):
        return None
    leaf, other = (evaluator.table.get(c) for c in (PositionClass.CONTACT, PositionClass.CRASHED))
    return leaf.net if isinstance(leaf, NetLeaf) and leaf is other else None


def classifier_of(evaluator: Evaluator) -> Classifier:
    """The classifier of an evaluator: a router's own, else that of standard backgammon."""
    return evaluator.classes if isinstance(evaluator, Router) else STANDARD


def class_named(name: str) -> PositionClass:
    """The class that a user names, as in ``set evaluator contact ...``."""
    names = {c.name.lower(): c for c in (*EXACT, *LEARNED, *HYPERGAMMON.values())}
    if name.lower() not in names:
        raise UnknownNameError("class", name, names)
    return names[name.lower()]


def with_exact_endings(name: str, leaf: Evaluator) -> Router:
    """A router with ``leaf`` for race, crashed and contact positions, and exact endings."""
    return with_endings(name, dict.fromkeys(LEARNED, leaf))


def with_endings(name: str, table: Mapping[PositionClass, Evaluator]) -> Router:
    """A router with the bearoff databases that are in use for the classes they hold."""
    sizes = sizes_in_use()
    endings = dict(ENDINGS)
    if sizes.one_sided_points > HOME_POINTS:
        endings[PositionClass.BEAROFF_OS] = OneSidedLeaf(sizes.one_sided_points)
    if sizes[1:] != USUAL[1:]:
        endings[PositionClass.BEAROFF_TS] = TwoSidedLeaf(*sizes[1:])
    return Router(name, {**endings, **table}, Classifier("standard", *sizes))


ENDINGS: Mapping[PositionClass, Evaluator] = {
    PositionClass.OVER: over_leaf(),
    PositionClass.BEAROFF1: BEAROFF1_LEAF,
    PositionClass.BEAROFF2: BEAROFF2_LEAF,
}
"""The evaluators of the exact classes that every router has."""
