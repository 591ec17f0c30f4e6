"""Weights files: round trips, everything that is refused, and the shipped nets."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from gnubg_py.board import Boards
from gnubg_py.evaluators.files import leaf_of_file
from gnubg_py.files import write_aside
from gnubg_py.network.encoding import encode, encoding_named
from gnubg_py.network.floats import fast_net
from gnubg_py.network.forward import logits, net_five, unpacked
from gnubg_py.network.integers import IntegerWeights, load_net, net_checksum
from gnubg_py.network.leaf import five_from_logits
from gnubg_py.network.weights import checksum, load_weights, outputs_of, save_weights
from gnubg_py.paths import nets_dir
from gnubg_py.probabilities import OUTCOMES
from tests.network_twins import random_weights

SHIPPED = sorted(path for path in nets_dir().glob("*.safetensors") if path.stem != "cube")
"""The shipped nets that evaluate positions."""


@pytest.fixture
def net_file(tmp_path: Path) -> Path:
    """A whole weights file, of a net with two hidden layers of 8 and 4."""
    path = tmp_path / "mine.safetensors"
    save_weights(path, replace(random_weights((8, 4)), card={"trained": "by hand"}))
    return path


def contents(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    with safe_open(str(path), framework="numpy") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return tensors, dict(file.metadata())


def refusal(path: Path) -> str:
    """What ``load_weights`` says of the file, which names it and takes one line."""
    with pytest.raises(ValueError, match=re.escape(str(path))) as fault:
        load_weights(path)
    message = str(fault.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def test_what_is_saved_is_read_back(net_file: Path) -> None:
    weights, saved = load_weights(net_file), random_weights((8, 4))
    assert weights.architecture == saved.architecture
    assert weights.card == {"trained": "by hand"}
    for (matrix, bias), (other, other_bias) in zip(weights.layers, saved.layers, strict=True):
        assert np.array_equal(matrix, other)
        assert np.array_equal(bias, other_bias)
    assert checksum(weights) == checksum(saved) == contents(net_file)[1]["checksum"]


def test_the_card_is_not_part_of_the_checksum() -> None:
    weights = random_weights((8,))
    assert checksum(weights) == checksum(replace(weights, card={"scores": "1"}))
    louder = replace(weights, architecture=replace(weights.architecture, slope=0.06))
    assert checksum(weights) != checksum(louder)


def test_the_units_are_part_of_the_checksum_and_the_file(net_file: Path) -> None:
    clipped = random_weights((8, 4), activation="clipped")
    assert checksum(clipped) != checksum(random_weights((8, 4)))
    save_weights(net_file, clipped)
    assert load_weights(net_file).architecture.activation == "clipped"


def test_leaky_nets_are_stored_as_before_there_were_clipped_ones(net_file: Path) -> None:
    expected = '{"encoding": "thermometer", "hidden": [8, 4], "position_class": "contact", '
    assert contents(net_file)[1]["architecture"] == expected + '"slope": 0.05}'


def test_saving_leaves_one_file_that_others_can_read(net_file: Path) -> None:
    save_weights(net_file, random_weights((8,)))
    assert [p.name for p in net_file.parent.iterdir()] == ["mine.safetensors"]
    ordinary = net_file.parent / "ordinary"
    ordinary.write_bytes(b"")
    assert net_file.stat().st_mode == ordinary.stat().st_mode


def test_a_write_that_fails_leaves_the_old_file(
    net_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("disk full")

    before = net_file.read_bytes()
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ValueError, match="disk full"):
        write_aside(net_file, b"half")
    assert net_file.read_bytes() == before
    assert [p.name for p in net_file.parent.iterdir()] == ["mine.safetensors"]


def test_missing_files_and_folders(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.safetensors") == "no such file"
    assert refusal(tmp_path) == "is a folder"


@pytest.mark.parametrize("length", [0, 4, 100, 900, -1])
def test_truncated_files(net_file: Path, length: int) -> None:
    net_file.write_bytes(net_file.read_bytes()[:length])
    assert refusal(net_file).startswith("not a whole safetensors file (")


def test_something_else_altogether(net_file: Path) -> None:
    net_file.write_bytes(b"GNU Backgammon 1.00\n" * 100)
    assert refusal(net_file).startswith("not a whole safetensors file (")


def test_somebody_elses_safetensors(net_file: Path) -> None:
    tensors, _ = contents(net_file)
    save_file(tensors, net_file)
    assert refusal(net_file).startswith("not a gnubg_py net (format None, expected 'gnubg_py 1')")
    assert "gnubg-py net import" in refusal(net_file)


def test_a_type_that_numpy_has_not(net_file: Path) -> None:
    import torch
    from safetensors.torch import save_file as save_torch_file

    tensors, metadata = contents(net_file)
    halves = {name: torch.from_numpy(t).bfloat16() for name, t in tensors.items()}
    save_torch_file(halves, net_file, metadata)
    assert refusal(net_file).startswith("its tensors should be float32 (")


def _drop(tensors: dict[str, Any]) -> None:
    del tensors["layers.1.bias"]


def _transpose(tensors: dict[str, Any]) -> None:
    tensors["layers.0.weight"] = np.ascontiguousarray(tensors["layers.0.weight"].T)


def _double(tensors: dict[str, Any]) -> None:
    tensors["layers.0.bias"] = tensors["layers.0.bias"].astype(np.float64)


def _nan(tensors: dict[str, Any]) -> None:
    tensors["layers.2.weight"][3, 1] = np.nan


def _infinite(tensors: dict[str, Any]) -> None:
    tensors["layers.2.bias"][0] = np.inf


def _more(tensors: dict[str, Any]) -> None:
    tensors["layers.3.bias"] = np.zeros(6, np.float32)


def _edit(tensors: dict[str, Any]) -> None:
    tensors["layers.1.weight"][0, 0] += 1


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_drop, "layers.1.bias is missing, expected (4,)"),
        (_transpose, "layers.0.weight is float32[206, 8], expected float32[8, 206]"),
        (_double, "layers.0.bias is float64[8], expected float32[8]"),
        (_nan, "layers.2.weight holds a number that is not finite"),
        (_infinite, "layers.2.bias holds a number that is not finite"),
        (_more, "7 tensors, expected 6"),
        (_edit, "the checksum does not match its weights: damaged or edited"),
    ],
)
def test_spoilt_tensors(
    net_file: Path, spoil: Callable[[dict[str, Any]], None], message: str
) -> None:
    tensors, metadata = contents(net_file)
    spoil(tensors)
    save_file(tensors, net_file, metadata)
    assert refusal(net_file) == message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hidden": [8, 5]}, "layers.1.weight is float32[4, 8], expected float32[5, 8]"),
        ({"hidden": [8, 4, 4]}, "layers.2.weight is float32[6, 4], expected float32[4, 4]"),
        ({"hidden": []}, "hidden widths (), expected at least one from 1 to 65536"),
        ({"hidden": [8, 0]}, "hidden widths (8, 0), expected at least one from 1 to 65536"),
        ({"hidden": [8, 65537]}, "hidden widths (8, 65537), expected at least one"),
        ({"hidden": None}, "its architecture cannot be read: "),
        ({"slope": "steep"}, "its architecture cannot be read: "),
        ({"slope": float("nan")}, "slope nan, expected 0 to 1"),
        ({"slope": 1.5}, "slope 1.5, expected 0 to 1"),
        ({"activation": "tanh"}, "activation 'tanh' is not one of leaky, clipped"),
        ({"activation": "clipped"}, "the checksum does not match its weights"),
        ({"tails": 3}, "3 tails, expected 1, 16 or 64"),
        ({"tails": 16}, "layers.1.weight is float32[4, 8], expected float32[64, 8]"),
        ({"encoding": "xg"}, "encoding 'xg' is not one of gnubg-contact, gnubg-crashed"),
        ({"encoding": "tesauro196"},
         "layers.0.weight is float32[8, 206], expected float32[8, 196]"),
        ({"position_class": "bearoff"}, "class 'bearoff' is not one of contact, crashed, race"),
        ({"position_class": "race"}, "the checksum does not match its weights"),
        ({"slope": 0.06}, "the checksum does not match its weights"),
    ],
)  # fmt: skip
def test_spoilt_architectures(net_file: Path, change: dict[str, Any], message: str) -> None:
    tensors, metadata = contents(net_file)
    architecture = {**json.loads(metadata["architecture"]), **change}
    save_file(tensors, net_file, {**metadata, "architecture": json.dumps(architecture)})
    assert refusal(net_file).startswith(message)


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "{}", "\n" * 5])
def test_unreadable_architectures(net_file: Path, text: str) -> None:
    tensors, metadata = contents(net_file)
    save_file(tensors, net_file, {**metadata, "architecture": text})
    assert refusal(net_file).startswith("its architecture cannot be read: ")


@pytest.mark.parametrize("digits", ["0123456789abcdef", ""])
def test_spoilt_checksums(net_file: Path, digits: str) -> None:
    tensors, metadata = contents(net_file)
    save_file(tensors, net_file, {**metadata, "checksum": digits})
    assert refusal(net_file) == "the checksum does not match its weights: damaged or edited"


def test_nets_are_shipped() -> None:
    assert {"contact", "race"} <= {path.stem for path in SHIPPED}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_net(path: Path, random_positions: Callable[[int, int], Boards]) -> None:
    weights, leaf = load_net(path), leaf_of_file(path)
    assert leaf.name == path.stem
    assert leaf.identity == net_checksum(weights)
    assert weights.card
    positions = random_positions(1000, 71)
    if isinstance(weights, IntegerWeights):
        import torch

        from gnubg_py.network.rounding import IntegerModule

        expected = IntegerModule(weights)(torch.from_numpy(positions)).numpy()
        assert np.array_equal(logits(unpacked(weights), positions, expected.shape[1]), expected)
        return
    inputs = encode(positions, encoding_named(weights.architecture.encoding))
    x = inputs.astype(np.float64)
    for i, (matrix, bias) in enumerate(weights.layers):
        x = x @ matrix.T + bias
        if i < len(weights.layers) - 1:
            slope, ceiling = weights.architecture.bend
            x = np.minimum(np.where(x > 0, x, slope * x), ceiling)
    if outputs_of(weights.architecture) == OUTCOMES:
        assert np.abs(net_five(fast_net(weights), positions) - five_from_logits(x)).max() < 1e-5
    else:
        found = logits(fast_net(weights), positions, x.shape[1])
        assert np.allclose(found, x, rtol=1e-5, atol=1e-4)
