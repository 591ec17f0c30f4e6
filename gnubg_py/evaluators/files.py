"""Evaluators from files of nets: ours (``.safetensors``) and foreign ones (``.onnx``)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.race import RaceLeaf, race_leaf
from gnubg_py.evaluators.router import LEARNED
from gnubg_py.files import net_name
from gnubg_py.network.integers import IntegerWeights, load_net
from gnubg_py.network.leaf import NetLeaf, OnnxLeaf, PlainLeaf, any_leaf, load_onnx
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


Leaf = NetLeaf | PlainLeaf | RaceLeaf


def leaf_of_file(path: Path) -> Leaf:
    """The leaf of a ``.safetensors`` file, whatever class its net was trained for."""
    return leaf_of_weights(load_net(path), net_name(path))


def leaf_of_weights(weights: Weights | IntegerWeights, name: str) -> Leaf:
    """The leaf of a net in memory."""
    rolls = weights.architecture.position_class == "rolls"
    return race_leaf(weights, name) if rolls else any_leaf(weights, name)


def leaf_and_classes(text: str) -> tuple[Leaf | OnnxLeaf, tuple[PositionClass, ...]]:
    """The leaf of a file of a net of ours or a foreign one, and the classes that it evaluates.

    What an ``.onnx`` net was trained for is not known: it evaluates all classes that are not exact.
    """
    if is_onnx(text):
        return onnx_leaf(text), LEARNED
    path = Path(text)
    leaf = leaf_of_file(path)
    return leaf, classes_served(path, leaf.position_class)


def is_onnx(text: str) -> bool:
    """Whether a text names an ``.onnx`` file, alone or with options (``onnx_leaf``)."""
    return text.endswith(".onnx") or ".onnx:" in text


def onnx_leaf(text: str) -> OnnxLeaf:
    """The leaf of an ``.onnx`` file, ``FILE.onnx`` or ``FILE.onnx:encoding=NAME,output=five``.

    ``output`` is logits of the six outcomes (the default), six for their chances, or five.
    """
    file, _, rest = text.rpartition(".onnx:") if ".onnx:" in text else (text[:-5], "", "")
    options = {}
    for part in filter(None, rest.split(",")):
        name, _, value = part.partition("=")
        if name not in ("encoding", "output"):
            raise ValueError(f"{text}: option {name!r} is not one of encoding, output")
        options[name] = value
    return load_onnx(Path(f"{file}.onnx"), **options)


@cache
def shipped_leaf(file: str) -> Leaf:
    """The leaf of a net in ``nets/``, by its name there."""
    return leaf_of_file(nets_dir() / f"{file}.safetensors")


def classes_served(path: Path, trained_for: str) -> tuple[PositionClass, ...]:
    """The classes that a file's net evaluates; a contact net evaluates crashed positions too."""
    if trained_for not in _SERVED:
        raise ValueError(f"{path}: a {trained_for} net values no positions by itself")
    return _SERVED[trained_for]
