"""Evaluators by name: the shipped ones, a user's own (``register``), or the path of a net's file.

A new shipped evaluator is a module of its own and one row of ``_SHIPPED`` here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff.in_use import Sizes, sizes_in_use
from gnubg_py.board import Boards
from gnubg_py.errors import UnknownNameError
from gnubg_py.evaluators.classify import HYPERGAMMON, PositionClass
from gnubg_py.evaluators.files import (
    GNUBG_SUFFIXES,
    NET_SUFFIXES,
    is_onnx,
    leaf_and_classes,
    shipped_leaf,
)
from gnubg_py.evaluators.protocol import Evaluator, FunctionEvaluator
from gnubg_py.evaluators.router import Router, with_endings, with_exact_endings
from gnubg_py.files import net_name
from gnubg_py.groups import CHOOSERS
from gnubg_py.network.leaf import OnnxLeaf

DEFAULT = "net"
GNUBG = "gnubg"
"""gnubg's own nets, where gnubg is installed."""
NOR_A_FILE = ", nor a .safetensors, .onnx or .wd file"


def _nets(name: str, contact: str) -> Router:
    """The router of shipped nets: ``contact`` for contact and crashed positions."""
    leaf = shipped_leaf(contact)
    learned = {
        PositionClass.RACE: shipped_leaf("race"),
        PositionClass.CRASHED: leaf,
        PositionClass.CONTACT: leaf,
    }
    return with_endings(name, learned)


# The heuristics' modules cost some 20 ms at start-up, so they are imported when they are needed.


def _pseudopip() -> Router:
    from gnubg_py.evaluators.heuristics.pseudopip import PSEUDOPIP_LEAF

    return with_exact_endings("pseudopip", PSEUDOPIP_LEAF)


def _ten_factor() -> Router:
    from gnubg_py.evaluators.heuristics.ten_factor import TEN_FACTOR_LEAF

    return with_exact_endings("ten-factor", TEN_FACTOR_LEAF)


def _hypergammon(variation: str) -> Callable[[], Router]:
    def make() -> Router:
        from gnubg_py.evaluators.hypergammon import hypergammon_router

        return hypergammon_router(variation)

    return make


def _gnubg() -> Router:
    from gnubg_py.evaluators.gnubg_nets import gnubg_router, installed_weights

    return gnubg_router(installed_weights(), GNUBG)


_SHIPPED: dict[str, Callable[[], Evaluator]] = {
    "net": lambda: _nets("net", "contact"),
    "large": lambda: _nets("large", "large"),
    "fast": lambda: _nets("fast", "fast"),
    "pseudopip": _pseudopip,
    "ten-factor": _ten_factor,
    GNUBG: _gnubg,
    **{variation: _hypergammon(variation) for variation in HYPERGAMMON},
}
_registered: dict[str, Evaluator] = {}
_made: dict[tuple[str, Sizes], Evaluator] = {}


def evaluator_names() -> list[str]:
    """The names of the evaluators of standard backgammon that ``evaluator_named`` knows.

    It also knows ``gnubg``, whose nets are not part of the program, and the evaluators of
    hypergammon, which have the names of the variations.
    """
    others = (GNUBG, *HYPERGAMMON)
    return [*(name for name in _SHIPPED if name not in others), *_registered]


def register(name: str, function: Callable[[Boards], NDArray[np.float32]]) -> Evaluator:
    """Make a function ``int8[n, 2, 25] -> float32[n, 5]`` an evaluator with the name ``name``.

    It evaluates positions of every class; ``with_exact_endings`` makes one that keeps the
    databases. ``ValueError`` for the name of an evaluator or player of the program.
    """
    if name in _SHIPPED or name in CHOOSERS:
        raise ValueError(f"evaluator {name!r} comes with the program: choose another name")
    _registered[name] = FunctionEvaluator(name, function)
    return _registered[name]


def evaluator_named(name: str) -> Evaluator:
    """The evaluator of that name, or that of a weights file.

    Weights files are ``.safetensors``, ``.onnx`` (with options: ``files.onnx_leaf``), and gnubg's
    ``.wd`` and ``.weights``.
    """
    if name in _registered:
        return _registered[name]
    if name in _SHIPPED:
        key = name, sizes_in_use()
        if key not in _made:
            _made[key] = _SHIPPED[name]()
        return _made[key]
    path = Path(name)
    if is_onnx(name) or path.suffix in NET_SUFFIXES:
        return with_net_file(path)
    if path.suffix in GNUBG_SUFFIXES:
        from gnubg_py.evaluators.gnubg_nets import gnubg_router

        return gnubg_router(path, net_name(path))
    raise UnknownNameError("evaluator", name, [*evaluator_names(), GNUBG, *HYPERGAMMON], NOR_A_FILE)


def with_net_file(path: Path) -> Router:
    """The default router with the net of a file for the classes that the net evaluates.

    The net of an ``.onnx`` file evaluates all classes that are not exact.
    """
    leaf, classes = leaf_and_classes(str(path))
    if isinstance(leaf, OnnxLeaf):
        return with_exact_endings(leaf.name, leaf)
    table = dict.fromkeys(classes, leaf)
    return replace(default_router(), name=net_name(path), table={**default_router().table, **table})


def default_router() -> Router:
    """The shipped nets with the exact endings."""
    router = evaluator_named(DEFAULT)
    assert isinstance(router, Router)
    return router
