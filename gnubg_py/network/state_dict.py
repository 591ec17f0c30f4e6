"""Import a foreign net: a torch state dict of linear layers becomes weights of ours."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnubg_py.errors import WeightsError
from gnubg_py.files import check_source, read_bytes
from gnubg_py.network.encoding import any_encoding
from gnubg_py.network.weights import (
    ACTIVATIONS,
    LARGEST_NET,
    MAX_WIDTH,
    NET_CLASSES,
    OUTPUT_KINDS,
    Architecture,
    Weights,
    check_name,
    outputs_of,
)
from gnubg_py.probabilities import OUTCOMES

if TYPE_CHECKING:
    import torch

IMPORTABLE = [
    name for name in NET_CLASSES if outputs_of(Architecture(position_class=name)) == OUTCOMES
]


def import_state_dict(path: Path, architecture: Architecture) -> Weights:
    """The weights in a file that ``torch.save(module.state_dict(), path)`` wrote.

    Its layers, in order, are ``nn.Linear`` with biases, from the inputs of the encoding to the
    logits of the six outcomes (win single, gammon, backgammon, lose single, gammon, backgammon) or
    of gnubg's five; in between are units of the architecture's activation (leaky with slope 0 for
    ReLU). The hidden widths are the file's. ``ValueError`` says what does not fit.
    """
    position_class, slope = architecture.position_class, architecture.slope
    check_name("", "class", position_class, IMPORTABLE)
    if not 0 <= slope <= 1:
        raise WeightsError(f"slope {slope}: should be 0 (ReLU) to 1")
    check_name("", "activation", architecture.activation, ACTIVATIONS)
    check_name("", "output", architecture.output, sorted(OUTPUT_KINDS))
    any_encoding(architecture.encoding)  # an unknown one is refused before the file is read
    layers = _linear_layers(path, _load(path))
    _check_chain(path, layers, architecture)
    arrays = tuple((_array(path, *weight), _array(path, *bias)) for weight, bias in layers)
    hidden = tuple(len(bias) for _, bias in arrays[:-1])
    source = {
        "file": path.name,
        "sha256": hashlib.sha256(read_bytes(path, LARGEST_NET)).hexdigest(),
    }
    return Weights(replace(architecture, hidden=hidden), arrays, {"imported": json.dumps(source)})


Named = tuple[str, "torch.Tensor"]


def _load(path: Path) -> dict[str, torch.Tensor]:
    import torch

    check_source(path, LARGEST_NET)
    try:
        found: Any = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch has a different one for every kind of wrong file
        reason = str(error).strip().split("\n")[0].split(". ")[0][:120]
        raise WeightsError(
            f"{path}: not a state dict that torch loads safely ({reason})"
        ) from error
    if not isinstance(found, dict) or not found:
        raise WeightsError(
            f"{path}: holds a {type(found).__name__}, expected a state dict of layers"
        )
    for name, value in found.items():
        if not (isinstance(name, str) and isinstance(value, torch.Tensor)):
            kind = type(value).__name__
            raise WeightsError(
                f"{path}: {name} is a {kind}, expected a state dict of tensors alone"
            )
        if value.layout != torch.strided or value.device.type != "cpu":
            raise WeightsError(
                f"{path}: {name} is {value.layout} on {value.device}: has no numbers"
            )
    _check_memory(path, found)
    return {name: value.detach() for name, value in found.items()}


def _check_memory(path: Path, tensors: dict[str, torch.Tensor]) -> None:
    """Refuse tensors with more numbers than the file: views that repeat them, or zipped ones."""
    size, stored = sum(t.numel() * t.element_size() for t in tensors.values()), path.stat().st_size
    if size > stored:
        raise WeightsError(
            f"{path}: its tensors take {size:,} bytes, the file {stored:,}: they should not share "
            "numbers; save them with {k: v.clone() for k, v in module.state_dict().items()}"
        )


def _linear_layers(path: Path, tensors: dict[str, torch.Tensor]) -> list[tuple[Named, Named]]:
    """(matrix, bias) of each layer, in the order of the module they come from."""
    rest = dict(tensors)
    layers = []
    for name in tensors:
        if name.endswith("weight") and tensors[name].ndim == 2:
            bias = name.removesuffix("weight") + "bias"
            if bias not in rest:
                raise WeightsError(f"{path}: {bias} is missing, expected a bias in every layer")
            layers.append(((name, rest.pop(name)), (bias, rest.pop(bias))))
    if rest:
        name, tensor = next(iter(rest.items()))
        shape = list(tensor.shape)
        raise WeightsError(
            f"{path}: {name} {shape} is no part of a linear layer; no other is known"
        )
    return layers


def _check_chain(path: Path, layers: list[tuple[Named, Named]], architecture: Architecture) -> None:
    encoding = architecture.encoding
    inputs = any_encoding(encoding).inputs
    if len(layers) < 2:
        raise WeightsError(f"{path}: {len(layers)} linear layers, expected 2 or more")
    width, whence = inputs, f"the {inputs} inputs of {encoding}"
    for (name, matrix), (bias_name, bias) in layers:
        if matrix.shape[1] != width:
            raise WeightsError(f"{path}: {name} takes {matrix.shape[1]}, expected {whence}")
        if list(bias.shape) != [matrix.shape[0]]:
            shape = list(bias.shape)
            raise WeightsError(f"{path}: {bias_name} is {shape}, expected [{matrix.shape[0]}]")
        if not 1 <= matrix.shape[0] <= MAX_WIDTH:
            raise WeightsError(
                f"{path}: {name} has {matrix.shape[0]} outputs, expected 1 to {MAX_WIDTH}"
            )
        width, whence = matrix.shape[0], f"the {matrix.shape[0]} outputs of {name}"
    if width != outputs_of(architecture):
        expected = _expected(width, architecture.output)
        raise WeightsError(f"{path}: {layers[-1][0][0]} has {width} outputs, expected {expected}")


def _array(path: Path, name: str, tensor: torch.Tensor) -> np.ndarray[Any, np.dtype[np.float32]]:
    if not tensor.is_floating_point():
        raise WeightsError(f"{path}: {name} is of {tensor.dtype}, expected floating point")
    array: np.ndarray[Any, np.dtype[np.float32]] = tensor.float().contiguous().numpy()
    if not np.isfinite(array).all():
        raise WeightsError(f"{path}: {name} holds a number that is not finite")
    return array


def _expected(width: int, output: str) -> str:
    """The number of outputs that is expected, and their names."""
    if output == "five":
        return "5: win, win gammon, win backgammon, lose gammon, lose backgammon"
    if width == 5:
        return f"{OUTCOMES}; one of gnubg's five chances is imported with --output five"
    return f"{OUTCOMES}: win and lose, each single, gammon, backgammon"
