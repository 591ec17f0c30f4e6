"""Nets of whole numbers: their arrays, and the files that hold them.

How a number travels from the board to the equity is in docs/integer-nets.md. Nothing here
unpickles, and torch is not needed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.errors import WeightsError
from gnubg_py.network.encoding import COUNTS, PLACES
from gnubg_py.network.weights import (
    INTEGERS_FORMAT,
    Architecture,
    Weights,
    architecture_text,
    card_of,
    check_digest,
    checked_weights,
    checksum,
    layer_shapes,
    net_facts,
    read_architecture,
    read_tensors,
    write_net,
)

BYTE_TOP = 255
"""The highest level of a unit of the first layer, an unsigned byte."""
WORD_TOP = 8191
"""The highest level of a unit of a later layer, in 16 bits; the lowest of a leaky one is -8191."""
_ROOM = 2**31 - 1


@dataclass(frozen=True)
class FirstLayer:
    """The table of the first layer, and how its sums become levels: bytes, or 16 bits.

    ``table`` int16[832, width], ``bias`` int16[width]; no board's sum overflows 16 bits. A sum s
    becomes ``zero`` + the greater of s * up / 32768 and s * down / 32768, each rounded, and cut to
    ``first_levels``. ``up``, ``down`` int16[width], ``zero`` uint8[width].
    """

    table: NDArray[np.int16]
    bias: NDArray[np.int16]
    up: NDArray[np.int16]
    down: NDArray[np.int16]
    zero: NDArray[np.uint8]


@dataclass(frozen=True)
class DenseLayer:
    """A dense layer: weights int8[out, in] of levels in bytes, or int16, bias int32[out], scale.

    A sum times ``scale`` float32[out] is in levels of the output's unit, or is a logit. The outputs
    are those of all tails, one tail's after the other's.
    """

    weight: NDArray[Any]
    bias: NDArray[np.int32]
    scale: NDArray[np.float32]


@dataclass(frozen=True)
class IntegerWeights:
    """A net of whole numbers, and its card."""

    architecture: Architecture
    first: FirstLayer
    layers: tuple[DenseLayer, ...]
    card: dict[str, str] = field(default_factory=dict)


def first_levels(weights: IntegerWeights) -> tuple[int, int]:
    """The lowest and the highest level of the first layer: bytes if the next weights are."""
    if weights.layers[0].weight.dtype == np.int8:
        return 0, BYTE_TOP
    return lowest_word(weights.architecture), WORD_TOP


def lowest_word(architecture: Architecture) -> int:
    """The lowest level of units of 16 bits, which is 0 for clipped units."""
    return 0 if architecture.activation == "clipped" else -WORD_TOP


def tensors_of(weights: IntegerWeights) -> dict[str, NDArray[Any]]:
    """The net's arrays by their names in a file."""
    tensors = {f"first.{name}": array for name, array in vars(weights.first).items()}
    for i, layer in enumerate(weights.layers, 1):
        tensors |= {f"layers.{i}.{name}": array for name, array in vars(layer).items()}
    return tensors


def integer_checksum(weights: IntegerWeights) -> str:
    """Sixteen hex digits over shape and values, the same wherever the net is stored."""
    digest = hashlib.sha256(f"{INTEGERS_FORMAT} {architecture_text(weights.architecture)}".encode())
    for array in tensors_of(weights).values():
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]


def save_integers(path: Path, weights: IntegerWeights) -> None:
    """Write the file of a net of whole numbers."""
    facts = net_facts(INTEGERS_FORMAT, weights.architecture, integer_checksum(weights))
    write_net(path, {**weights.card, **facts}, tensors_of(weights))


def load_net(path: Path) -> Weights | IntegerWeights:
    """Read and check a net of either kind; ``ValueError`` names the file and what is wrong."""
    metadata, tensors = read_tensors(path)
    if metadata.get("format") == INTEGERS_FORMAT:
        return _checked(path, metadata, tensors)
    return checked_weights(path, metadata, tensors)


def net_checksum(weights: Weights | IntegerWeights) -> str:
    """The checksum of a net of either kind."""
    if isinstance(weights, IntegerWeights):
        return integer_checksum(weights)
    return checksum(weights)


def _checked(
    path: Path, metadata: dict[str, str], tensors: dict[str, NDArray[Any]]
) -> IntegerWeights:
    architecture = read_architecture(path, metadata.get("architecture", ""))
    first_weight = tensors.get("layers.1.weight", np.empty(0, np.int8))
    expected = _expected(architecture, "int16" if first_weight.dtype == np.int16 else "int8")
    for name, (kind, shape) in expected.items():
        if name not in tensors:
            raise WeightsError(f"{path}: {name} is missing, expected {kind}{list(shape)}")
        found = tensors[name]
        if found.shape != shape or found.dtype != kind:
            raise WeightsError(
                f"{path}: {name} is {found.dtype}{list(found.shape)}, expected {kind}{list(shape)}"
            )
    if len(tensors) != len(expected):
        raise WeightsError(f"{path}: {len(tensors)} tensors, expected {len(expected)}")
    weights = IntegerWeights(
        architecture,
        FirstLayer(**{name: tensors[f"first.{name}"] for name in FirstLayer.__annotations__}),
        tuple(
            DenseLayer(*(tensors[f"layers.{i}.{name}"] for name in DenseLayer.__annotations__))
            for i in range(1, len(architecture.hidden) + 1)
        ),
        card_of(metadata),
    )
    check_digest(path, metadata, integer_checksum(weights))
    check_room(weights, str(path))
    return weights


Kinds = dict[str, tuple[str, tuple[int, ...]]]
"""The type and shape of arrays, by name."""


def _expected(architecture: Architecture, first_kind: str) -> Kinds:
    """The type and shape of every tensor of a net of this architecture."""
    width = architecture.hidden[0]
    kinds: Kinds = dict.fromkeys(FirstLayer.__annotations__, ("int16", (width,)))
    kinds |= {"table": ("int16", (PLACES * COUNTS, width)), "zero": ("uint8", (width,))}
    tensors: Kinds = {f"first.{name}": kind for name, kind in kinds.items()}
    for i, (outputs, inputs) in enumerate(layer_shapes(architecture)[1:], 1):
        tensors[f"layers.{i}.weight"] = (first_kind if i == 1 else "int16", (outputs, inputs))
        tensors[f"layers.{i}.bias"] = ("int32", (outputs,))
        tensors[f"layers.{i}.scale"] = ("float32", (outputs,))
    return tensors


def check_room(weights: IntegerWeights, name: str) -> None:
    """``ValueError`` if a sum of a dense layer could leave 32 bits, or a scale is not finite."""
    for i, layer in enumerate(weights.layers, 1):
        top = first_levels(weights)[1] if i == 1 else WORD_TOP
        highest = np.abs(layer.weight.astype(np.int64)).sum(axis=1) * top
        if (highest + np.abs(layer.bias.astype(np.int64))).max() > _ROOM:
            raise WeightsError(f"{name}: layers.{i}: a sum could leave 32 bits")
        if not np.isfinite(layer.scale).all():
            raise WeightsError(f"{name}: layers.{i}.scale holds a number that is not finite")
