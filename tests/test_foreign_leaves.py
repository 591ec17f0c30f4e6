"""Foreign nets as evaluators: torch modules and ONNX files."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.board import START, Boards
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.evaluators.router import with_exact_endings
from gnubg_py.network.encoding import encode, encoding_named
from gnubg_py.network.leaf import OnnxLeaf, TorchLeaf, five_from_logits, load_onnx
from gnubg_py.search.cache import SearchCache
from gnubg_py.search.settings import EvalSettings
from tests.onnx_files import write_linear_onnx
from tests.searching import evaluate_batch

Positions = Callable[[int, int], Boards]


def linear(encoding: str, outputs: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """A layer that tells positions apart: [inputs, outputs] and [outputs]."""
    generator = np.random.default_rng(83)
    inputs = encoding_named(encoding).inputs
    matrix = generator.normal(0, 0.3, (inputs, outputs)).astype(np.float32)
    return matrix, generator.normal(0, 0.3, outputs).astype(np.float32)


def torch_leaf(encoding: str, outputs: int, output: str) -> TorchLeaf:
    import torch

    matrix, bias = linear(encoding, outputs)
    layer = torch.nn.Linear(*matrix.shape)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(matrix.T))
        layer.bias.copy_(torch.from_numpy(bias))
    module = layer if output == "logits" else torch.nn.Sequential(layer, torch.nn.Sigmoid())
    return TorchLeaf("theirs", module, encoding, output)


@pytest.mark.parametrize("encoding", ["thermometer", "tesauro196"])
def test_a_torch_module_is_a_leaf(encoding: str, random_positions: Positions) -> None:
    positions = random_positions(300, 84)
    matrix, bias = linear(encoding, 6)
    logits = encode(positions, encoding_named(encoding)).astype(np.float64) @ matrix + bias
    answers = torch_leaf(encoding, 6, "logits")(positions)
    assert answers.dtype == np.float32
    assert np.abs(answers - five_from_logits(logits)).max() < 1e-5


def test_a_torch_module_may_answer_the_five_itself(random_positions: Positions) -> None:
    positions = random_positions(100, 85)
    matrix, bias = linear("thermometer", 5)
    expected = 1 / (1 + np.exp(-(encode(positions).astype(np.float64) @ matrix + bias)))
    leaf = torch_leaf("thermometer", 5, "five")
    assert np.abs(leaf(positions) - expected).max() < 1e-5
    router = with_exact_endings("theirs", leaf)
    assert np.abs(router(START[None]) - leaf(START[None])).max() < 1e-6


@pytest.mark.parametrize("output", ["five", "six"])
def test_an_onnx_file_says_its_inputs_and_outputs_in_its_name(
    output: str, tmp_path: Path, random_positions: Positions
) -> None:
    pytest.importorskip("onnxruntime")
    positions = random_positions(20, 86)
    width = 5 if output == "five" else 6
    chances = np.array([0.6, 0.2, 0.1, 0.1, 0.0] if width == 5 else [0.4, 0.1, 0.1, 0.3, 0.1, 0.0])
    write_linear_onnx(
        tmp_path / "theirs.onnx", np.zeros((198, width), np.float32), chances.astype(np.float32)
    )
    name = f"{tmp_path}/theirs.onnx"
    evaluator = evaluator_named(f"{name}:encoding=tesauro198,output={output}")
    assert evaluator.name == "theirs"
    assert evaluator(START[None])[0] == pytest.approx([0.6, 0.2, 0.1, 0.1, 0.0])
    assert np.ptp(evaluator(positions[:1]), axis=0).max() == 0
    with pytest.raises(ValueError, match="expected one tensor"):
        evaluator_named(f"{name}:output={output}")
    with pytest.raises(ValueError, match="option 'inputs' is not one of encoding, output"):
        evaluator_named(f"{name}:inputs=198")


def test_a_torch_module_in_training_is_put_to_evaluate() -> None:
    import torch

    module = torch.nn.Sequential(torch.nn.Linear(206, 6), torch.nn.Dropout(0.9)).train()
    leaf = TorchLeaf("dropping", module)
    assert np.array_equal(leaf(START[None]), leaf(START[None]))


def test_a_torch_module_whose_weights_change_is_another_evaluator() -> None:
    import torch

    module = torch.nn.Linear(206, 6)
    leaf, cache = TorchLeaf("learning", module), SearchCache(1 << 10)
    before = evaluate_batch(START[None], EvalSettings(0), leaf, cache=cache)
    with torch.no_grad():
        module.bias[0] += 3
    after = evaluate_batch(START[None], EvalSettings(0), leaf, cache=cache)
    assert np.array_equal(after, leaf(START[None]))
    assert not np.array_equal(after, before)


@pytest.mark.parametrize(
    ("outputs", "output", "message"),
    [
        (5, "logits", "theirs: answered [1, 5], expected [n, 6] of logits"),
        (6, "five", "theirs: answered [1, 6], expected [n, 5] of five"),
    ],
)
def test_answers_of_the_wrong_width_are_refused(outputs: int, output: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        torch_leaf("thermometer", outputs, output)(START[None])


def test_answers_that_are_not_finite_are_refused() -> None:
    import torch

    leaf = torch_leaf("thermometer", 6, "logits")
    with torch.no_grad():
        next(iter(leaf.module.parameters()))[0, 3] = float("nan")
    with pytest.raises(ValueError, match="theirs: answered a number that is not finite"):
        leaf(START[None])


def test_unknown_encodings_and_outputs_are_refused() -> None:
    module: Any = None
    with pytest.raises(ValueError, match="encoding 'xg' is not known"):
        TorchLeaf("theirs", module, "xg")
    with pytest.raises(ValueError, match=r"^output 'odds': expected one of logits, six, five$"):
        TorchLeaf("theirs", module, output="odds")


def test_an_onnx_session_is_a_leaf(random_positions: Positions) -> None:
    """Without onnxruntime: the session is one that does what a linear model would."""
    matrix, bias = linear("tesauro196", 6)

    def run(names: None, feed: dict[str, NDArray[np.float32]]) -> list[NDArray[np.float32]]:
        return [feed["boards"] @ matrix + bias]

    session = SimpleNamespace(get_inputs=lambda: [SimpleNamespace(name="boards")], run=run)
    positions = random_positions(5000, 86)  # more than a batch
    answers = OnnxLeaf("theirs", session, np.zeros(0, np.uint8), "tesauro196")(positions)
    expected = torch_leaf("tesauro196", 6, "logits")(positions)
    assert np.abs(answers - expected).max() < 1e-5


def test_an_onnx_file_is_an_evaluator(tmp_path: Path, random_positions: Positions) -> None:
    pytest.importorskip("onnxruntime")
    path = tmp_path / "theirs.onnx"
    write_linear_onnx(path, *linear("thermometer", 6))
    positions = random_positions(200, 87)
    evaluator = evaluator_named(str(path))
    assert evaluator.name == "theirs"
    leaf = torch_leaf("thermometer", 6, "logits")
    expected = with_exact_endings("theirs", leaf)(positions)
    assert np.abs(evaluator(positions) - expected).max() < 1e-5
    write_linear_onnx(path, *linear("tesauro198", 6))
    other = load_onnx(path, encoding="tesauro198")(positions)
    assert np.abs(other - torch_leaf("tesauro198", 6, "logits")(positions)).max() < 1e-5


def test_onnx_files_of_the_wrong_shape_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    path = tmp_path / "theirs.onnx"
    matrix, bias = linear("thermometer", 6)
    expected = "expected one tensor(float)['n', 206], any n, for thermometer"
    for arguments, found in (
        ((matrix[:196], bias), "tensor(float)['n', 196]"),
        ((matrix, bias, 1), "tensor(float)[1, 206]"),
        ((matrix.astype(np.float64), bias.astype(np.float64)), "tensor(double)['n', 206]"),
    ):
        write_linear_onnx(path, *arguments)
        with pytest.raises(ValueError, match=re.escape(f"{path}: takes {found}, {expected}")):
            load_onnx(path)
    write_linear_onnx(path, matrix[:, :5].copy(), bias[:5])
    with pytest.raises(ValueError, match="answered"):
        load_onnx(path)
    write_linear_onnx(path, matrix, np.zeros((3, 6), np.float32))
    with pytest.raises(ValueError, match="theirs: "):
        load_onnx(path)


def test_files_that_are_no_onnx_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    path = tmp_path / "theirs.onnx"
    with pytest.raises(ValueError, match="no such file"):
        load_onnx(path)
    path.write_bytes(b"GNU Backgammon 1.00\n" * 9)
    with pytest.raises(ValueError, match="not a model that onnxruntime can run"):
        load_onnx(path)


def test_onnx_files_without_onnxruntime_say_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ValueError, match=r"need onnxruntime: pip install 'gnubg-py\[onnx\]'"):
        load_onnx(tmp_path / "theirs.onnx")
