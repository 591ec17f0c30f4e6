"""Nets of whole numbers: every path against plain Python and torch; their files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from gnubg_py.board import START, Board, Boards, swap
from gnubg_py.errors import WeightsError
from gnubg_py.network.dot import (
    BLOCK,
    PATH_VARIABLE,
    PATHS,
    chosen_path,
    possible_paths,
    products,
    words_of,
)
from gnubg_py.network.floats import fast_net
from gnubg_py.network.forward import logits, net_children_five, net_five
from gnubg_py.network.integers import (
    WORD_TOP,
    IntegerWeights,
    integer_checksum,
    load_net,
    save_integers,
    tensors_of,
)
from gnubg_py.network.leaf import load_leaf
from gnubg_py.network.levels import IntegerNet, integer_net
from gnubg_py.network.quantise import quantise
from gnubg_py.network.weights import load_weights
from gnubg_py.plays import all_rolls
from gnubg_py.threads import set_thread_count, thread_count
from tests.network_twins import random_weights, rounded
from tests.strategies import boards

Positions = Callable[[int, int], Boards]
HERE = possible_paths()


@pytest.fixture
def _threads_as_before() -> Iterator[None]:
    before = thread_count()
    yield
    set_thread_count(before)


@cache
def net_of(
    path: str,
    hidden: tuple[int, ...] = (96, 40),
    activation: str = "leaky",
    byte_levels: bool = True,
) -> IntegerNet:
    return integer_net(rounded(hidden, activation, byte_levels), path)


# Products


@pytest.mark.parametrize("path", HERE)
@pytest.mark.parametrize("kind", [np.uint8, np.int16])
@pytest.mark.parametrize(("inputs", "outputs"), [(4, 6), (64, 17), (36, 40), (512, 130)])
def test_products_are_exact_on_every_path(path: str, kind: Any, inputs: int, outputs: int) -> None:
    generator = np.random.default_rng(91)
    weight_kind: Any = np.int8 if kind is np.uint8 else np.int16
    lowest, highest = (0, 255) if kind is np.uint8 else (-WORD_TOP, WORD_TOP)
    x = generator.integers(lowest, highest + 1, (BLOCK, inputs)).astype(kind)
    x[:3], x[3:5] = highest, lowest
    matrix = generator.integers(-127, 128, (outputs, inputs)).astype(weight_kind)
    matrix[0], matrix[1] = -127, 127
    bias = generator.integers(-(2**20), 2**20, outputs).astype(np.int32)
    panels, wide_bias = words_of(PATHS[path], matrix, bias, inputs)
    expected = x.astype(np.int64) @ matrix.T.astype(np.int64) + bias
    for rows in (1, 7, BLOCK):
        out = np.zeros((BLOCK, len(wide_bias)), np.int32)
        products(PATHS[path].kind(0), x, 0, rows, panels, 0, 1, wide_bias, out)
        assert np.array_equal(out[:rows, :outputs], expected[:rows])


def test_the_plain_path_is_everywhere_and_last() -> None:
    assert HERE[-1] == "plain"
    assert [name for name in PATHS if name in HERE] == HERE


def test_the_environment_names_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PATH_VARIABLE, raising=False)
    assert chosen_path() == HERE[0]
    monkeypatch.setenv(PATH_VARIABLE, "plain")
    assert chosen_path() == "plain"
    monkeypatch.setenv(PATH_VARIABLE, "neon")
    message = f"^GNUBG_PY_PATH=neon: this machine has {', '.join(HERE)}$"
    with pytest.raises(ValueError, match=message):
        chosen_path()


# A whole net against its twins


def plain_logits(weights: IntegerWeights, board: Board) -> list[float]:
    """The net in Python's own whole numbers, and float32 where the kernels have it."""
    first, one = weights.first, np.float32
    slope, ceiling = weights.architecture.bend
    lowest = 0 if np.isfinite(ceiling) else -WORD_TOP
    places = [count for row in board.tolist() for count in (*row, 15 - sum(row))]
    x = []
    for unit in range(len(first.bias)):
        total = int(first.bias[unit])
        total += sum(int(first.table[16 * p + count, unit]) for p, count in enumerate(places))
        assert -(2**15) <= total < 2**15
        up, down = (((total * int(f[unit])) + 2**14) // 2**15 for f in (first.up, first.down))
        bytes_here = weights.layers[0].weight.dtype == np.int8
        least, most = (0, 255) if bytes_here else (lowest, WORD_TOP)
        x.append(min(max(max(up, down) + int(first.zero[unit]), least), most))
    for i, layer in enumerate(weights.layers):
        sums = [
            int(bias) + sum(int(a) * int(w) for a, w in zip(x, row, strict=True))
            for row, bias in zip(layer.weight, layer.bias, strict=True)
        ]
        assert max(map(abs, sums)) < 2**31
        values = [one(total) * scale for total, scale in zip(sums, layer.scale, strict=True)]
        if i == len(weights.layers) - 1:
            return [float(value) for value in values]
        bent = [max(value, value * one(slope)) for value in values]
        x = [int(np.rint(min(max(value, one(lowest)), one(WORD_TOP)))) for value in bent]
    raise AssertionError


@settings(max_examples=15)
@given(boards())
def test_every_path_and_plain_python_agree_to_the_bit(board: Board) -> None:
    for activation, byte_levels in (("leaky", True), ("leaky", False), ("clipped", True)):
        kind = (96, 40), activation, byte_levels
        expected = plain_logits(rounded(*kind), board)
        for path in HERE:
            assert logits(net_of(path, *kind), board[None], 6)[0].tolist() == expected


@pytest.mark.parametrize(
    ("hidden", "byte_levels", "activation"),
    [
        ((96, 40), True, "leaky"),
        ((96, 40), True, "clipped"),
        ((96, 40), False, "leaky"),
        ((300, 70, 20), True, "leaky"),
        ((300, 70, 20), True, "clipped"),
    ],
)
def test_torch_computes_the_net_to_the_bit(
    hidden: tuple[int, ...], byte_levels: bool, activation: str, random_positions: Positions
) -> None:
    import torch

    from gnubg_py.network.rounding import IntegerModule

    positions = random_positions(1000, 92)
    module = IntegerModule(rounded(hidden, activation, byte_levels))
    expected = module(torch.from_numpy(positions)).numpy()
    assert np.ptp(expected, axis=0).min() > 0.5  # these nets tell positions apart
    for path in HERE if len(hidden) == 2 else HERE[:1]:
        net = net_of(path, hidden, activation, byte_levels)
        assert np.array_equal(logits(net, positions, 6), expected)


@pytest.mark.parametrize("path", HERE)
def test_a_position_has_one_value_whatever_else_is_asked(
    path: str, random_positions: Positions
) -> None:
    net, positions = net_of(path), random_positions(400, 93)
    together = net_five(net, positions)
    for n in (1, 2, 7, BLOCK, BLOCK + 1):
        assert np.array_equal(net_five(net, positions[:n]), together[:n])
    assert np.array_equal(net_five(net, positions[::-1]), together[::-1])


@pytest.mark.usefixtures("_threads_as_before")
@pytest.mark.parametrize("path", HERE)
@pytest.mark.parametrize(
    ("hidden", "byte_levels"), [((96, 40), True), ((60, 16), True), ((60, 16), False)]
)
def test_children_have_the_same_values_beside_their_parents(
    path: str, hidden: tuple[int, ...], byte_levels: bool, random_positions: Positions
) -> None:
    net, parents = net_of(path, hidden, byte_levels=byte_levels), random_positions(20, 94)
    children, offsets = all_rolls(parents)
    assert len(children) > 5000  # several slices
    expected = net_five(net, children)
    for threads in (1, 3):
        set_thread_count(threads)
        found = net_children_five(net, swap(parents), children, offsets[::21])
        assert np.array_equal(found, expected)
    strangers = swap(parents)[::-1]
    assert np.array_equal(net_children_five(net, strangers, children, offsets[::21]), expected)


# Rounding


@pytest.fixture
def net_file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.safetensors"
    save_integers(path, replace(rounded((8, 4)), card={"trained": "by hand"}))
    return path


def spoil(path: Path, change: Callable[[dict[str, NDArray[Any]], dict[str, str]], None]) -> str:
    """What is said of the file after ``change`` of its tensors and metadata."""
    from safetensors import safe_open

    tensors = load_file(path)
    with safe_open(str(path), framework="numpy") as file:
        metadata = dict(file.metadata())
    change(tensors, metadata)
    save_file(tensors, path, metadata)
    with pytest.raises(WeightsError, match=f"^{re.escape(str(path))}: ") as caught:
        load_net(path)
    return str(caught.value).removeprefix(f"{path}: ")


def test_what_is_saved_is_read_back(net_file: Path) -> None:
    weights, saved = load_net(net_file), rounded((8, 4))
    assert isinstance(weights, IntegerWeights)
    assert weights.card == {"trained": "by hand"}
    assert weights.architecture == saved.architecture
    assert integer_checksum(weights) == integer_checksum(saved) == load_leaf(net_file).identity
    for name, array in tensors_of(weights).items():
        assert array.dtype == tensors_of(saved)[name].dtype
        assert np.array_equal(array, tensors_of(saved)[name])


def test_spoilt_files_are_refused(net_file: Path) -> None:
    def shorter(tensors: dict[str, Any], metadata: dict[str, str]) -> None:
        tensors["first.up"] = tensors["first.up"][:5]

    assert spoil(net_file, shorter) == "first.up is int16[5], expected int16[8]"


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("first.zero", None, "first.zero is missing, expected uint8[8]"),
        ("more", np.zeros(2), "12 tensors, expected 11"),
        ("layers.1.weight", np.zeros((4, 8), np.int16),
         "the checksum does not match its weights"),
        ("layers.1.weight", np.zeros((4, 8), np.int32),
         "layers.1.weight is int32[4, 8], expected int8[4, 8]"),
        ("layers.2.bias", np.zeros(6, np.int32), "the checksum does not match its weights"),
    ],
)  # fmt: skip
def test_wrong_tensors_are_refused(
    net_file: Path, name: str, array: NDArray[Any] | None, message: str
) -> None:
    def change(tensors: dict[str, Any], metadata: dict[str, str]) -> None:
        tensors.pop(name, None)
        if array is not None:
            tensors[name] = array

    assert spoil(net_file, change).startswith(message)


def test_sums_that_could_leave_32_bits_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "loud.safetensors"
    weights = rounded((8, 4))
    loud = replace(weights.layers[1], bias=np.full(6, 2**31 - 1, np.int32))
    save_integers(path, replace(weights, layers=(weights.layers[0], loud)))
    with pytest.raises(WeightsError, match=r"layers\.2: a sum could leave 32 bits$"):
        load_net(path)
    endless = replace(weights.layers[1], scale=np.full(6, np.inf, np.float32))
    save_integers(path, replace(weights, layers=(weights.layers[0], endless)))
    with pytest.raises(WeightsError, match=r"layers\.2\.scale holds a number that is not finite$"):
        load_net(path)


@pytest.mark.parametrize("activation", ["leaky", "clipped"])
def test_a_unit_that_no_checker_moves_is_rounded_too(
    activation: str, random_positions: Positions
) -> None:
    weights, positions = random_weights((256, 64), activation=activation), random_positions(500, 3)
    weights.layers[0][0][3] = 0
    found = quantise(weights, positions)
    apart = net_five(integer_net(found), positions) - net_five(fast_net(weights), positions)
    assert np.abs(apart).max() < 0.05


def test_a_net_that_whole_numbers_cannot_compute_is_not_rounded() -> None:
    with pytest.raises(ValueError, match="a net of sigmoid units"):
        quantise(random_weights((64, 16), activation="sigmoid"), START[None])


def test_training_needs_the_float_net(net_file: Path) -> None:
    with pytest.raises(WeightsError, match="a net of whole numbers: its float net is needed here"):
        load_weights(net_file)
