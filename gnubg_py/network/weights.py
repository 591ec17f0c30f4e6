"""Weights files: safetensors with the architecture and a card of the net in their metadata.

Nothing here unpickles, and torch is not needed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from gnubg_py.errors import WeightsError
from gnubg_py.files import check_source, parse_json, write_aside
from gnubg_py.network.encoding import COMPUTED, ENCODINGS, any_encoding
from gnubg_py.network.tails import NUMBERS_OF_TAILS
from gnubg_py.probabilities import OUTCOMES

WEIGHTS_FORMAT = "gnubg_py 1"
INTEGERS_FORMAT = "gnubg_py integers 1"
_FLOATS = (np.float32, np.float16)
_LARGEST_HALF = float(np.finfo(np.float16).max)
LARGEST_NET = 1 << 30
"""Bytes of a file with a net, at most."""
MAX_WIDTH = 65536
"""Units of a hidden layer, at most."""
NET_CLASSES = ("contact", "crashed", "race", "prune", "rolls", "cube")
"""What a net is for; ``rolls``: counting one side's rolls in a race (``evaluators/race.py``);
``cube``: the efficiency of the cube in contact positions (``cube/efficiency_net.py``)."""
ACTIVATIONS = ("leaky", "clipped", "sigmoid")
"""What a hidden unit does to its sum x: the greater of x and ``slope`` x; or x cut to 0 to 1; or
1 / (1 + e^-x)."""
OUTPUT_KINDS = ("six", "five")
"""What the last layer gives: logits of the six outcomes, or a logit of each of gnubg's five."""
ROLLS_COUNTED = 48
"""A rolls net gives the chances of 0 to 47 rolls to bear off, then to the first checker off."""
CUBE_FACTS = 7
"""Inputs of a cube net beside those of its encoding: what is known of the position's value."""
CUBE_OWNERS = 3
"""A cube net gives the efficiency of a centred cube, of one's own, and of the other side's."""


@dataclass(frozen=True)
class Architecture:
    """The shape of a net: encoding, hidden widths and units, and the class it was made for.

    ``slope`` is that of leaky units below 0; clipped units have none. ``hidden`` are the widths of
    one of its ``tails`` (``tails.py``); the matrices of the layers behind the first have the rows
    of all tails, one tail's after the other's.
    """

    hidden: tuple[int, ...] = (512, 128, 64)
    encoding: str = "thermometer"
    slope: float = 0.05
    position_class: str = "contact"
    activation: str = "leaky"
    output: str = "six"
    tails: int = 1

    @property
    def bend(self) -> tuple[float, float]:
        """The slope of hidden units below 0, and the highest value they can have.

        >>> Architecture().bend, Architecture(activation="clipped").bend
        ((0.05, inf), (0.0, 1.0))
        """
        return (0.0, 1.0) if self.activation == "clipped" else (self.slope, inf)


def architecture_text(architecture: Architecture) -> str:
    """An architecture as JSON, for files and checksums.

    Fields that came later are left out where they have their first value, so that checksums of
    older files hold.

    >>> architecture_text(Architecture((8,)))[:44]
    '{"encoding": "thermometer", "hidden": [8], "'
    """
    fields = asdict(architecture)
    if architecture.activation == "leaky":
        del fields["activation"]
    if architecture.output == "six":
        del fields["output"]
    if architecture.tails == 1:
        del fields["tails"]
    return json.dumps(fields, sort_keys=True)


def outputs_of(architecture: Architecture) -> int:
    """The number of logits of a net of this shape, of a cube net its efficiencies."""
    if architecture.position_class == "rolls":
        return 2 * ROLLS_COUNTED
    if architecture.position_class == "cube":
        return CUBE_OWNERS
    return OUTCOMES if architecture.output == "six" else 5


def inputs_of(architecture: Architecture) -> int:
    """The number of inputs of a net of this shape."""
    facts = CUBE_FACTS if architecture.position_class == "cube" else 0
    return any_encoding(architecture.encoding).inputs + facts


def layer_shapes(architecture: Architecture) -> list[tuple[int, int]]:
    """The shape (out, in) of each layer's matrix, ``out`` counting the rows of all tails.

    >>> layer_shapes(Architecture((64, 16), tails=16))
    [(64, 206), (256, 64), (96, 16)]
    """
    sizes = [inputs_of(architecture), *architecture.hidden, outputs_of(architecture)]
    (inputs, first), *dense = pairwise(sizes)
    return [(first, inputs), *((architecture.tails * out, inputs) for inputs, out in dense)]


@dataclass(frozen=True)
class Weights:
    """A net's arrays: (matrix float32[out, in], bias float32[out]) per layer, and its card."""

    architecture: Architecture
    layers: tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]
    card: dict[str, str] = field(default_factory=dict)


def by_tail(shape: Architecture, *arrays: NDArray[Any]) -> Iterator[tuple[NDArray[Any], ...]]:
    """Each tail's part of arrays whose rows are those of all tails."""
    parts = (array.reshape(shape.tails, -1, *array.shape[1:]) for array in arrays)
    return zip(*parts, strict=True)


def checksum(weights: Weights) -> str:
    """Sixteen hex digits over shape and values, the same wherever the net is stored."""
    digest = hashlib.sha256(architecture_text(weights.architecture).encode())
    for matrix, bias in weights.layers:
        digest.update(matrix.tobytes())
        digest.update(bias.tobytes())
    return digest.hexdigest()[:16]


def save_weights(path: Path, weights: Weights, half: bool = False) -> None:
    """Write a weights file; with ``half`` its weights are rounded to float16."""
    tensors, layers = {}, []
    for i, layer in enumerate(weights.layers):
        if half and max(float(np.abs(array).max(initial=0)) for array in layer) > _LARGEST_HALF:
            raise ValueError(
                f"layers.{i}: weights above {_LARGEST_HALF:,.0f} are too large for 16 bits"
            )
        stored = [array.astype(np.float16 if half else np.float32) for array in layer]
        tensors[f"layers.{i}.weight"], tensors[f"layers.{i}.bias"] = stored
        layers.append((stored[0].astype(np.float32), stored[1].astype(np.float32)))
    digest = checksum(replace(weights, layers=tuple(layers)))
    facts = net_facts(WEIGHTS_FORMAT, weights.architecture, digest)
    write_net(path, {**weights.card, **facts}, tensors)


def net_facts(form: str, architecture: Architecture, digest: str) -> dict[str, str]:
    """The metadata of a net's file that are not its card."""
    text = architecture_text(architecture)
    return {"format": form, "architecture": text, "checksum": digest}


def write_net(path: Path, metadata: dict[str, str], tensors: dict[str, NDArray[Any]]) -> None:
    """Write the file beside its name and rename it: a stopped run leaves no half file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    write_aside(path, save(arrays, metadata))


def card_of(metadata: dict[str, str]) -> dict[str, str]:
    """The card in the metadata of a net's file."""
    return {k: v for k, v in metadata.items() if k not in ("format", "architecture", "checksum")}


def check_digest(path: Path, metadata: dict[str, str], digest: str) -> None:
    """Raise ``WeightsError`` if a file's checksum is not that of its arrays."""
    if metadata.get("checksum") != digest:
        raise WeightsError(f"{path}: the checksum does not match its weights: damaged or edited")


def read_tensors(path: Path) -> tuple[dict[str, str], dict[str, NDArray[Any]]]:
    """The metadata and tensors of a safetensors file; ``ValueError`` if it is not one."""
    check_source(path, LARGEST_NET)
    try:
        with safe_open(str(path), framework="numpy") as file:
            metadata = dict(file.metadata() or {})
            return metadata, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise WeightsError(f"{path}: not a whole safetensors file ({error})") from error
    except (TypeError, AttributeError) as error:  # numpy does not have the type, such as bfloat16
        raise WeightsError(f"{path}: its tensors should be float32 ({error})") from error


def load_weights(path: Path) -> Weights:
    """Read and check a weights file; ``ValueError`` names the file and what is wrong with it."""
    return checked_weights(path, *read_tensors(path))


def checked_weights(
    path: Path, metadata: dict[str, str], tensors: dict[str, NDArray[Any]]
) -> Weights:
    """Check the tensors of a file and return them as weights; ``ValueError`` says what is wrong.

    Tensors are float32, or float16 in files of half the size.
    """
    if metadata.get("format") == INTEGERS_FORMAT:
        raise WeightsError(f"{path}: a net of whole numbers: its float net is needed here")
    if metadata.get("format") != WEIGHTS_FORMAT:
        raise WeightsError(
            f"{path}: not a gnubg_py net (format {metadata.get('format')!r}, "
            f"expected {WEIGHTS_FORMAT!r}); 'gnubg-py net import' makes one of a state dict"
        )
    architecture = read_architecture(path, metadata.get("architecture", ""))
    layers = []
    for i, (outputs, inputs) in enumerate(layer_shapes(architecture)):
        shapes = {f"layers.{i}.weight": (outputs, inputs), f"layers.{i}.bias": (outputs,)}
        for name, shape in shapes.items():
            if name not in tensors:
                raise WeightsError(f"{path}: {name} is missing, expected {shape}")
            if tensors[name].shape != shape or tensors[name].dtype not in _FLOATS:
                found = f"{tensors[name].dtype}{list(tensors[name].shape)}"
                raise WeightsError(f"{path}: {name} is {found}, expected float32{list(shape)}")
            if not np.isfinite(tensors[name]).all():
                raise WeightsError(f"{path}: {name} holds a number that is not finite")
        matrix, bias = (tensors[name].astype(np.float32, copy=False) for name in shapes)
        layers.append((matrix, bias))
    if len(tensors) != 2 * len(layers):
        raise WeightsError(f"{path}: {len(tensors)} tensors, expected {2 * len(layers)}")
    weights = Weights(architecture, tuple(layers), card_of(metadata))
    check_digest(path, metadata, checksum(weights))
    return weights


def check_name(where: str, what: str, name: str, names: Iterable[str]) -> None:
    """Raise ``WeightsError`` if a name is not one of those that are known."""
    known = tuple(names)
    if name not in known:
        raise WeightsError(f"{where}{what} {name!r} is not one of {', '.join(known)}")


def read_architecture(path: Path, text: str) -> Architecture:
    """The architecture in a file's metadata, checked."""
    try:
        fields = parse_json(text)
        hidden = tuple(int(h) for h in fields["hidden"])
        architecture = Architecture(
            hidden,
            str(fields["encoding"]),
            float(fields["slope"]),
            str(fields["position_class"]),
            str(fields.get("activation", "leaky")),
            str(fields.get("output", "six")),
            int(fields.get("tails", 1)),
        )
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise WeightsError(f"{path}: its architecture cannot be read: {text[:80]!r}") from error
    if not hidden or min(hidden) < 1 or max(hidden) > MAX_WIDTH:
        expected = f"expected at least one from 1 to {MAX_WIDTH}"
        raise WeightsError(f"{path}: hidden widths {hidden}, {expected}")
    if not 0 <= architecture.slope <= 1:
        raise WeightsError(f"{path}: slope {architecture.slope}, expected 0 to 1")
    where = f"{path}: "
    check_name(where, "encoding", architecture.encoding, sorted([*ENCODINGS, *COMPUTED]))
    check_name(where, "class", architecture.position_class, NET_CLASSES)
    check_name(where, "activation", architecture.activation, ACTIVATIONS)
    of_places = architecture.encoding in ENCODINGS and architecture.activation != "sigmoid"
    kind = architecture.position_class
    if kind in ("rolls", "cube") and not of_places:
        raise WeightsError(f"{path}: a {kind} net has no sigmoid units and no computed inputs")
    check_name(where, "output", architecture.output, OUTPUT_KINDS)
    check_tails(architecture, where)
    return architecture


def check_tails(architecture: Architecture, where: str = "") -> None:
    """Raise ``WeightsError`` if a net of this shape cannot have the tails it is said to have."""
    if architecture.tails not in NUMBERS_OF_TAILS:
        one, *more = NUMBERS_OF_TAILS
        expected = f"{one}, {' or '.join(map(str, more))}"
        raise WeightsError(f"{where}{architecture.tails} tails, expected {expected}")
    usual = (
        architecture.encoding == "thermometer"
        and architecture.activation != "sigmoid"
        and architecture.output == "six"
        and architecture.position_class not in ("rolls", "cube")
    )
    if architecture.tails > 1 and not usual:
        raise WeightsError(
            f"{where}only nets from thermometer inputs to the six outcomes have tails"
        )
