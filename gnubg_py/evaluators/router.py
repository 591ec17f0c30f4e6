"""The router: an evaluator that asks, for each position, the evaluator of its class.

An evaluator is anything with a name that maps ``int8[n, 2, 25]`` to ``float32[n, 5]``, gnubg's five
probabilities for the side on roll. The router is one too. Evaluators are known by name: the
shipped ones, a user's own (``register``), or the path of a weights file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.groups import CHOOSERS
from gnubg_py.paths import nets_dir
from gnubg_py.probabilities import checked_five

if TYPE_CHECKING:
    from gnubg_py.evaluators.race import RaceLeaf
    from gnubg_py.network.leaf import NetLeaf


class Evaluator(Protocol):
    """What values positions: ``int8[n, 2, 25] -> float32[n, 5]``, for the side on roll."""

    @property
    def name(self) -> str: ...

    def __call__(self, boards: Boards, /) -> NDArray[np.float32]: ...


@dataclass(frozen=True)
class Named:
    """A plain function under a name; what it answers is checked."""

    name: str
    function: Callable[[Boards], NDArray[np.float32]]

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        five = np.asarray(self.function(boards), np.float32)
        if five.shape != (len(boards), 5):
            raise ValueError(f"{self.name}: answered {list(five.shape)}, not [{len(boards)}, 5]")
        return checked_five(five, self.name)


EXACT = (PositionClass.OVER, PositionClass.BEAROFF1, PositionClass.BEAROFF2)
"""Classes whose values are exact, and stay so unless a user routes them elsewhere by name."""
LEARNED = (PositionClass.RACE, PositionClass.CRASHED, PositionClass.CONTACT)

_HYPERGAMMON = (
    PositionClass.HYPERGAMMON1,
    PositionClass.HYPERGAMMON2,
    PositionClass.HYPERGAMMON3,
)
_SERVED = {
    "rolls": (PositionClass.RACE,),
    "race": (PositionClass.RACE,),
    "crashed": (PositionClass.CRASHED,),
    "contact": (PositionClass.CONTACT, PositionClass.CRASHED),
}


@dataclass(frozen=True)
class Router:
    """Routes every board of a batch to its class's evaluator, and the answers back."""

    name: str
    table: Mapping[PositionClass, Evaluator]

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        out = np.empty((len(boards), 5), np.float32)
        for evaluator, rows in self._groups(boards):
            out[rows] = evaluator(_taken(boards, rows))
        return out

    def evaluate_children(
        self, parents: Boards, children: Boards, first: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """``self(children)``, sooner where evaluators gain from parents (see ``NetLeaf``)."""
        out = np.empty((len(children), 5), np.float32)
        for evaluator, rows in self._groups(children):
            faster = getattr(evaluator, "evaluate_children", None)
            part = _taken(children, rows)
            if faster is None:
                out[rows] = evaluator(part)
            else:
                out[rows] = faster(parents, part, np.searchsorted(rows, first))
        return out

    def _groups(self, boards: Boards) -> list[tuple[Evaluator, NDArray[np.int64]]]:
        """Each evaluator needed, with the rows it is asked for, ascending."""
        classes = classify(boards)
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
        """A router that asks ``evaluator`` for one class, and else what this one does."""
        return Router(self.name, {**self.table, position_class: evaluator})


def _taken(boards: Boards, rows: NDArray[np.int64]) -> Boards:
    return boards if len(rows) == len(boards) else boards[rows]


def class_named(name: str) -> PositionClass:
    """The class a user names, as in ``set evaluator contact ...``."""
    names = {c.name.lower(): c for c in (*EXACT, *LEARNED, *_HYPERGAMMON)}
    if name.lower() not in names:
        raise ValueError(f"class {name!r} is not one of {', '.join(names)}")
    return names[name.lower()]


def with_exact_endings(name: str, leaf: Evaluator) -> Router:
    """A router with ``leaf`` for race, crashed and contact positions, and exact endings."""
    return Router(name, {**_endings(), **dict.fromkeys(LEARNED, leaf)})


@cache
def _endings() -> dict[PositionClass, Evaluator]:
    from gnubg_py.evaluators.bearoff import BEAROFF1_LEAF, BEAROFF2_LEAF
    from gnubg_py.evaluators.over import OverLeaf

    return {
        PositionClass.OVER: OverLeaf(),
        PositionClass.BEAROFF1: BEAROFF1_LEAF,
        PositionClass.BEAROFF2: BEAROFF2_LEAF,
    }


def leaf_of_file(path: Path) -> NetLeaf | RaceLeaf:
    """The leaf of a weights file of ours, whatever its class."""
    from gnubg_py.evaluators.race import race_leaf
    from gnubg_py.network.leaf import net_leaf
    from gnubg_py.network.weights import load_weights

    weights = load_weights(path)
    make = race_leaf if weights.architecture.position_class == "rolls" else net_leaf
    return make(weights, path.stem)


@cache
def shipped_leaf(file: str) -> NetLeaf | RaceLeaf:
    """The leaf of a net in ``nets/``, by its name there."""
    return leaf_of_file(nets_dir() / f"{file}.safetensors")


def _shipped(contact: str, name: str) -> Router:
    """The router of a shipped net for contact and crashed positions."""
    leaf = shipped_leaf(contact)
    learned = {
        PositionClass.RACE: shipped_leaf("race"),
        PositionClass.CRASHED: leaf,
        PositionClass.CONTACT: leaf,
    }
    return Router(name, {**_endings(), **learned})


def _net() -> Evaluator:
    return _shipped("contact", "net")


def _fast() -> Evaluator:
    return _shipped("fast", "fast")


def _large() -> Evaluator:
    return _shipped("large", "large")


def _pseudopip() -> Evaluator:
    from gnubg_py.evaluators.heuristics.pseudopip import PseudopipLeaf

    return with_exact_endings("pseudopip", PseudopipLeaf())


def _ten_factor() -> Evaluator:
    from gnubg_py.evaluators.heuristics.ten_factor import TenFactorLeaf

    return with_exact_endings("ten-factor", TenFactorLeaf())


_FACTORIES: dict[str, Callable[[], Evaluator]] = {
    "net": _net,
    "large": _large,
    "fast": _fast,
    "pseudopip": _pseudopip,
    "ten-factor": _ten_factor,
}
_SHIPPED = frozenset(_FACTORIES)
_made: dict[str, Evaluator] = {}

DEFAULT = "net"


def evaluator_names() -> list[str]:
    """The names that ``evaluator_named`` knows."""
    return list(_FACTORIES)


def register(name: str, function: Callable[[Boards], NDArray[np.float32]]) -> Evaluator:
    """Make a function ``int8[n, 2, 25] -> float32[n, 5]`` an evaluator known by ``name``.

    It is asked for every class; use ``with_exact_endings`` to keep the databases. The names of the
    evaluators that come with the program stay theirs: ``ValueError``.
    """
    if name in _SHIPPED or name in CHOOSERS:
        raise ValueError(f"evaluator {name!r} comes with the program: choose another name")
    evaluator = Named(name, function)
    _FACTORIES[name] = lambda: evaluator
    _made[name] = evaluator
    return evaluator


def evaluator_named(name: str) -> Evaluator:
    """A known evaluator, or that of a weights file (``.safetensors`` or ``.onnx``) by its path."""
    if name in _made:
        return _made[name]
    if name in _FACTORIES:
        _made[name] = _FACTORIES[name]()
        return _made[name]
    path = Path(name)
    if path.suffix in (".safetensors", ".onnx"):
        return with_net_file(path)
    known = ", ".join(evaluator_names())
    raise ValueError(f"evaluator {name!r} is not one of {known}, nor a .safetensors or .onnx file")


def with_net_file(path: Path) -> Router:
    """The default router with a file's net for its class; contact serves crashed positions too."""
    if path.suffix == ".onnx":
        from gnubg_py.network.leaf import load_onnx

        return with_exact_endings(path.stem, load_onnx(path))
    leaf = leaf_of_file(path)
    table = dict.fromkeys(classes_served(path, leaf.position_class), leaf)
    return Router(path.stem, {**default_router().table, **table})


def classes_served(path: Path, trained_for: str) -> tuple[PositionClass, ...]:
    """The classes that a file's net serves, trained for one of them: contact's crashed ones too."""
    if trained_for not in _SERVED:
        raise ValueError(f"{path}: a {trained_for} net values no positions by itself")
    return _SERVED[trained_for]


def default_router() -> Router:
    """The shipped nets with the exact endings."""
    router = evaluator_named(DEFAULT)
    assert isinstance(router, Router)
    return router
