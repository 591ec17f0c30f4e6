"""Evaluators from files of nets: ours (``.safetensors``) and foreign ones (``.onnx``)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.race import RaceLeaf, race_leaf
from gnubg_py.files import net_name
from gnubg_py.network.integers import IntegerWeights, load_net
from gnubg_py.network.leaf import NetLeaf, net_leaf
from gnubg_py.network.weights import Weights
from gnubg_py.paths import nets_dir

NET_SUFFIXES = (".safetensors", ".onnx")
GNUBG_SUFFIXES = (".wd", ".weights")
"""The names of gnubg's weights files end so; they have a net for each class (``gnubg_nets``)."""

_SERVED = {
    "rolls": (PositionClass.RACE,),
    "race": (PositionClass.RACE,),
    "crashed": (PositionClass.CRASHED,),
    "contact": (PositionClass.CONTACT, PositionClass.CRASHED),
}


def leaf_of_file(path: Path) -> NetLeaf | RaceLeaf:
    """The leaf of a ``.safetensors`` file, whatever class its net was trained for."""
    return leaf_of_weights(load_net(path), net_name(path))


def leaf_of_weights(weights: Weights | IntegerWeights, name: str) -> NetLeaf | RaceLeaf:
    """The leaf of a net in memory."""
    make = race_leaf if weights.architecture.position_class == "rolls" else net_leaf
    return make(weights, name)


@cache
def shipped_leaf(file: str) -> NetLeaf | RaceLeaf:
    """The leaf of a net in ``nets/``, by its name there."""
    return leaf_of_file(nets_dir() / f"{file}.safetensors")


def classes_served(path: Path, trained_for: str) -> tuple[PositionClass, ...]:
    """The classes that a file's net evaluates; a contact net evaluates crashed positions too."""
    if trained_for not in _SERVED:
        raise ValueError(f"{path}: a {trained_for} net values no positions by itself")
    return _SERVED[trained_for]
