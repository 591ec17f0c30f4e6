"""Nets as evaluators: ours by the fast forward pass, foreign ones by torch or onnxruntime."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import START, Boards
from gnubg_py.errors import WeightsError
from gnubg_py.files import net_name, read_bytes
from gnubg_py.network.encoding import any_encoding, encode_named
from gnubg_py.network.forward import AnyNet, net_children_five, net_five, unpacked
from gnubg_py.network.integers import IntegerWeights, load_net, net_checksum
from gnubg_py.network.plain import five_from_sigmoids, is_plain, plain_logits
from gnubg_py.network.weights import LARGEST_NET, Weights, outputs_of
from gnubg_py.probabilities import OUTCOMES, checked_five, five_of

if TYPE_CHECKING:
    from torch import nn

_BATCH = 4096


@dataclass(frozen=True)
class NetLeaf:
    """A net of ours as an evaluator. ``identity`` is the checksum of its weights."""

    name: str
    net: AnyNet
    position_class: str
    identity: str

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        return net_five(self.net, boards)

    def evaluate_children(
        self, parents: Boards, children: Boards, first: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """The result of ``self(children)``, computed faster from the parents; see ``forward``."""
        return net_children_five(self.net, parents, children, first)


@dataclass(frozen=True, eq=False)
class PlainLeaf:
    """A net that the fast pass cannot take, as an evaluator; see ``network.plain``."""

    name: str
    weights: Weights
    position_class: str
    identity: str

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        found = plain_logits(self.weights, boards)
        five = self.weights.architecture.output == "five"
        return five_from_sigmoids(found) if five else five_from_logits(found)


def net_leaf(weights: Weights | IntegerWeights, name: str) -> NetLeaf:
    """The leaf of weights in memory for the fast pass, which must end in the six outcomes."""
    if outputs_of(weights.architecture) != OUTCOMES:
        kind = weights.architecture.position_class
        raise ValueError(f"{name}: a {kind} net does not give the outcomes of a game")
    kind = weights.architecture.position_class
    return NetLeaf(name, unpacked(weights), kind, net_checksum(weights))


def any_leaf(weights: Weights | IntegerWeights, name: str) -> NetLeaf | PlainLeaf:
    """The leaf of weights in memory, whatever their shape."""
    if isinstance(weights, Weights) and is_plain(weights.architecture):
        kind = weights.architecture.position_class
        return PlainLeaf(name, weights, kind, net_checksum(weights))
    return net_leaf(weights, name)


def load_leaf(path: Path) -> NetLeaf | PlainLeaf:
    """The leaf of a weights file, named after the file."""
    return any_leaf(load_net(path), net_name(path))


def five_from_logits(logits: NDArray[np.floating]) -> NDArray[np.float32]:
    """gnubg's five of six logits (win, lose x single, gammon, backgammon): [n, 6] -> [n, 5].

    >>> five_from_logits(np.zeros((1, 6))).round(3).tolist()
    [[0.5, 0.3330000042915344, 0.16699999570846558, 0.3330000042915344, 0.16699999570846558]]
    """
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return five_of(p)


def _five(output: NDArray[np.floating], kind: str, name: str) -> NDArray[np.float32]:
    """The five probabilities of a foreign net's output, checked."""
    width = 5 if kind == "five" else OUTCOMES
    if output.ndim != 2 or output.shape[1] != width:
        raise ValueError(f"{name}: answered {list(output.shape)}, expected [n, {width}] of {kind}")
    if not np.isfinite(output).all():
        raise ValueError(f"{name}: answered a number that is not finite")
    if kind == "logits":
        return five_from_logits(output)
    return checked_five(five_of(output) if kind == "six" else output, name)


OUTPUTS = ("logits", "six", "five")
"""What a foreign net may return: logits of the six outcomes, their chances, or gnubg's five."""


def _check_output(kind: str) -> None:
    if kind not in OUTPUTS:
        raise ValueError(f"output {kind!r}: expected one of {', '.join(OUTPUTS)}")


@dataclass(frozen=True)
class TorchLeaf:
    """Any ``nn.Module`` from float32[n, inputs] of a named encoding, as an evaluator."""

    name: str
    module: nn.Module
    encoding: str = "thermometer"
    output: str = "logits"

    def __post_init__(self) -> None:
        any_encoding(self.encoding)
        _check_output(self.output)

    @property
    def identity(self) -> Hashable:
        """The module, and how often each of its weights has been changed in place."""
        weights = self.module.state_dict().values()
        return self, tuple(-1 if w.is_inference() else w._version for w in weights)

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        import torch

        self.module.eval()
        out = np.empty((len(boards), 5), np.float32)
        with torch.inference_mode():
            for start in range(0, len(boards), _BATCH):
                part = boards[start : start + _BATCH]
                x = torch.from_numpy(encode_named(part, self.encoding))
                answer = self.module(x).float().numpy()
                out[start : start + _BATCH] = _five(answer, self.output, self.name)
        return out


@dataclass(frozen=True, eq=False)
class OnnxLeaf:
    """An ONNX model of one input and one output, run by onnxruntime, as an evaluator.

    ``model`` uint8[n] are the bytes of its file, from which another process makes its own session.
    """

    name: str
    session: Any
    model: NDArray[np.uint8]
    encoding: str = "thermometer"
    output: str = "logits"

    @cached_property
    def identity(self) -> Hashable:
        """The checksum of the file, and how it is used."""
        checksum = hashlib.sha256(self.model.data).hexdigest()
        return "onnx", checksum, self.encoding, self.output

    def __reduce__(self) -> tuple[Any, ...]:
        """Send the model in place of the session, which cannot be pickled."""
        version = _onnxruntime(self.name).__version__
        return _sent_onnx_leaf, (self.name, self.model, self.encoding, self.output, version)

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        out = np.empty((len(boards), 5), np.float32)
        feed = self.session.get_inputs()[0].name
        for start in range(0, len(boards), _BATCH):
            x = encode_named(boards[start : start + _BATCH], self.encoding)
            try:
                answer = np.asarray(self.session.run(None, {feed: x})[0])
            except Exception as error:  # onnxruntime has an exception of its own for every fault
                raise ValueError(f"{self.name}: {str(error).strip().splitlines()[0]}") from error
            out[start : start + _BATCH] = _five(answer, self.output, self.name)
        return out


def _takes_batches(inputs: Any, width: int) -> bool:
    """Whether an ONNX model's inputs are one float32[n, width] of any n."""
    if len(inputs) != 1 or inputs[0].type != "tensor(float)" or len(inputs[0].shape) != 2:
        return False
    batch, last = inputs[0].shape
    return not isinstance(batch, int) and last == width


def load_onnx(path: Path, encoding: str = "thermometer", output: str = "logits") -> OnnxLeaf:
    """The leaf of an ``.onnx`` file, its shape checked against the encoding."""
    _onnxruntime(path)
    model = np.frombuffer(read_bytes(path, LARGEST_NET), np.uint8)
    _check_output(output)
    session = _session(path, str(path))  # not the bytes: weights may be in files beside it
    inputs = session.get_inputs()
    expected = any_encoding(encoding).inputs
    if not _takes_batches(inputs, expected):
        shapes = ", ".join(f"{i.type}{i.shape}" for i in inputs)
        raise WeightsError(
            f"{path}: takes {shapes}, expected one tensor(float)['n', {expected}], any n,"
            f" for {encoding}"
        )
    leaf = OnnxLeaf(net_name(path), session, model, encoding, output)
    for batch in (1, 3):
        leaf(np.repeat(START[None], batch, axis=0))
    return leaf


def _onnxruntime(name: object) -> Any:
    """The library, which is an extra of this program."""
    try:
        import onnxruntime
    except ImportError as error:
        raise WeightsError(
            f"{name}: .onnx files need onnxruntime: pip install 'gnubg-py[onnx]'"
        ) from error
    return onnxruntime


def _session(name: object, model: str | bytes) -> Any:
    """A session of a model, which is the path of a file or its bytes."""
    onnxruntime = _onnxruntime(name)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"], enable_fallback=0
        )
    except Exception as error:  # onnxruntime has an exception of its own for every fault
        shown = " ".join(str(error).split())[:200]
        raise WeightsError(f"{name}: not a model that onnxruntime can run ({shown})") from error


def _sent_onnx_leaf(
    name: str, model: NDArray[np.uint8], encoding: str, output: str, version: str
) -> OnnxLeaf:
    """The leaf of a model that another process sent; it must have the same onnxruntime."""
    here = _onnxruntime(name).__version__
    if here != version:
        raise WeightsError(
            f"{name}: a worker has onnxruntime {here}, the command {version}: install the same"
        )
    return OnnxLeaf(name, _session(name, model.tobytes()), model, encoding, output)
