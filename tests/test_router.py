"""The router and the evaluators known by name; nets of other kinds as leaves."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.board import START, Boards, parse, swap
from gnubg_py.evaluators import registry
from gnubg_py.evaluators.bearoff import BEAROFF1_LEAF, BEAROFF2_LEAF
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.files import leaf_of_file
from gnubg_py.evaluators.over import over
from gnubg_py.evaluators.protocol import ChildEvaluator, FunctionEvaluator, evaluate_children
from gnubg_py.evaluators.registry import default_router, evaluator_named, evaluator_names, register
from gnubg_py.evaluators.router import (
    EXACT,
    LEARNED,
    Router,
    class_named,
    leaf_of,
    with_exact_endings,
)
from gnubg_py.network.encoding import encode, encoding_named
from gnubg_py.network.leaf import OnnxLeaf, TorchLeaf, five_from_logits, load_leaf, load_onnx
from gnubg_py.network.weights import save_weights
from gnubg_py.paths import nets_dir
from gnubg_py.plays import all_rolls
from tests.network_twins import random_weights
from tests.onnx_files import write_linear_onnx

Positions = Callable[[int, int], Boards]

OVER = parse("x 5:15 / o")
BEAROFF2 = parse("x 6:2 1:1 / o 2:3")
BEAROFF1 = parse("x 6:7 1:3 / o 2:8")
RACE = parse("x 12:3 6:9 / o 11:2 5:10")
CRASHED = parse("x 24:2 1:9 2:4 / o 13:5 8:3 6:7")
ONE_OF_EACH = np.stack([OVER, BEAROFF2, BEAROFF1, RACE, CRASHED, START])


@pytest.fixture
def registered() -> Iterator[None]:
    """Forgets what a test registers."""
    yield
    registry._registered.clear()


def constant(value: float) -> FunctionEvaluator:
    """An evaluator that answers the same of every board."""
    return FunctionEvaluator(
        str(value), lambda boards: np.full((len(boards), 5), value, np.float32)
    )


def by_pips(boards: Boards) -> NDArray[np.float32]:
    """Something that tells boards apart."""
    pips = (boards[:, 0] * np.arange(1, 26)).sum(axis=1)
    return np.repeat(pips[:, None] / 375, 5, axis=1).astype(np.float32)


def test_every_board_goes_to_the_evaluator_of_its_class() -> None:
    classes = classify(ONE_OF_EACH).tolist()
    assert len(set(classes)) == 6
    router = Router("test", {PositionClass(c): constant(c / 10) for c in classes})
    boards = ONE_OF_EACH[[5, 0, 3, 5, 1, 4, 2]]
    expected = [1.0, 0.0, 0.8, 1.0, 0.4, 0.9, 0.6]
    assert router(boards)[:, 0].tolist() == pytest.approx(expected)
    assert router(boards[:0]).shape == (0, 5)


def test_an_evaluator_of_several_classes_is_asked_once() -> None:
    asked: list[int] = []

    def count(boards: Boards) -> NDArray[np.float32]:
        asked.append(len(boards))
        return by_pips(boards)

    router = Router("test", dict.fromkeys([*EXACT, *LEARNED], FunctionEvaluator("count", count)))
    assert np.array_equal(router(ONE_OF_EACH), by_pips(ONE_OF_EACH))
    assert asked == [6]


def test_a_class_without_an_evaluator_is_named() -> None:
    router = Router("test", {PositionClass.RACE: constant(0.5)})
    assert router(RACE[None])[0, 0] == 0.5
    with pytest.raises(ValueError, match=r"^no evaluator for contact positions$"):
        router(START[None])


def test_rerouting_makes_another_router_and_leaves_the_first() -> None:
    first = with_exact_endings("first", constant(0.25))
    second = first.routed(PositionClass.RACE, constant(0.75))
    assert first(ONE_OF_EACH)[3:, 0].tolist() == [0.25, 0.25, 0.25]
    assert second(ONE_OF_EACH)[3:, 0].tolist() == [0.75, 0.25, 0.25]
    assert np.array_equal(first(ONE_OF_EACH)[:3], second(ONE_OF_EACH)[:3])


@pytest.mark.parametrize("name", ["net", "large", "fast", "pseudopip", "ten-factor"])
def test_shipped_evaluators_keep_endings_exact(name: str) -> None:
    evaluator = evaluator_named(name)
    assert evaluator.name == name
    assert evaluator is evaluator_named(name)  # made once
    answers = evaluator(ONE_OF_EACH)
    assert np.array_equal(answers[:1], over(OVER[None]))
    assert np.array_equal(answers[1:2], BEAROFF2_LEAF(BEAROFF2[None]))
    assert np.array_equal(answers[2:3], BEAROFF1_LEAF(BEAROFF1[None]))
    assert ((answers >= 0) & (answers <= 1)).all()
    assert name in evaluator_names()


def test_exact_classes_go_elsewhere_only_if_told_so() -> None:
    elsewhere = default_router().routed(class_named("bearoff2"), constant(0.5))
    assert elsewhere(BEAROFF2[None])[0, 0] == 0.5
    assert default_router()(BEAROFF2[None])[0, 0] != 0.5


def test_shipped_nets_serve_their_classes() -> None:
    router = default_router()
    assert router is evaluator_named("net")
    for name, board in (("contact", START), ("race", RACE)):
        leaf = leaf_of_file(nets_dir() / f"{name}.safetensors")
        assert np.array_equal(router(board[None]), leaf(board[None]))
    with pytest.raises(ValueError, match="a rolls net has no outcomes"):
        load_leaf(nets_dir() / "race.safetensors")


def test_classes_by_name() -> None:
    assert class_named("Contact") is PositionClass.CONTACT
    assert class_named("hypergammon2") is PositionClass.HYPERGAMMON2
    with pytest.raises(ValueError, match=r"^class 'prime' is not one of over, bearoff1, bearoff2,"):
        class_named("prime")


@pytest.mark.usefixtures("registered")
def test_a_users_own_function_is_an_evaluator() -> None:
    mine = register("pips", by_pips)
    assert mine.name == "pips"
    assert evaluator_named("pips") is mine
    assert evaluator_names()[-1] == "pips"
    assert np.array_equal(evaluator_named("pips")(ONE_OF_EACH), by_pips(ONE_OF_EACH))
    again = register("pips", lambda boards: 1 - by_pips(boards))
    assert evaluator_named("pips") is again
    endings = with_exact_endings("mine", again)
    assert np.array_equal(endings(ONE_OF_EACH)[:1], over(OVER[None]))
    assert np.array_equal(endings(ONE_OF_EACH)[3:], 1 - by_pips(ONE_OF_EACH)[3:])


@pytest.mark.parametrize(
    ("answer", "message"),
    [(lambda boards: np.full((len(boards), 5), 7.0), "answered a probability that is not from 0"),
     (lambda boards: np.full((len(boards), 5), np.nan), "answered a probability that is not"),
     (lambda boards: np.zeros((len(boards), 6)), r"answered \[1, 6\], not \[1, 5\]")],
)  # fmt: skip
def test_what_a_users_function_answers_is_checked(
    answer: Callable[[Boards], NDArray[np.float32]], message: str
) -> None:
    with pytest.raises(ValueError, match=f"mine: {message}"):
        FunctionEvaluator("mine", answer)(START[None])


def test_names_of_players_are_not_evaluators() -> None:
    with pytest.raises(ValueError, match="comes with the program"):
        register("random", by_pips)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "snowie",
            "evaluator 'snowie' is not one of net, large, fast, pseudopip, ten-factor",
        ),
        ("", "evaluator '' is not one of net"),
        ("nets/contact.pt", "evaluator 'nets/contact.pt' is not one of net"),
        ("no/such.safetensors", "no/such.safetensors: no such file"),
    ],
)
def test_unknown_evaluators_are_named(name: str, message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        evaluator_named(name)


@pytest.mark.parametrize(
    ("position_class", "served"),
    [("contact", [4, 5]), ("crashed", [4]), ("race", [3])],
)
def test_a_weights_file_serves_its_class(
    position_class: str, served: list[int], tmp_path: Path
) -> None:
    path = tmp_path / "mine.safetensors"
    save_weights(path, random_weights((8,), position_class=position_class))
    mine = evaluator_named(str(path))
    assert mine.name == "mine"
    answers, leaf, default = (e(ONE_OF_EACH) for e in (mine, load_leaf(path), default_router()))
    for i in range(6):
        assert np.array_equal(answers[i], (leaf if i in served else default)[i])


def test_a_pruning_net_is_no_evaluator(tmp_path: Path) -> None:
    path = tmp_path / "p.safetensors"
    save_weights(path, random_weights((8,), position_class="prune"))
    with pytest.raises(ValueError, match="a prune net values no positions by itself"):
        evaluator_named(str(path))


def test_children_are_worth_what_they_are_worth_alone(random_positions: Positions) -> None:
    parents = np.concatenate([random_positions(60, 81), ONE_OF_EACH[1:]])
    children, offsets = all_rolls(parents)
    assert len(set(classify(children).tolist())) == 6
    first = offsets[::21]
    pips = FunctionEvaluator("pips", by_pips)
    for router in (default_router(), default_router().routed(PositionClass.RACE, pips)):
        together = router.evaluate_children(swap(parents), children, first)
        assert np.array_equal(together, router(children))


def test_a_boards_value_does_not_depend_on_its_batch(random_positions: Positions) -> None:
    positions = random_positions(300, 82)
    for name in ("net", "pseudopip", "ten-factor"):
        evaluator = evaluator_named(name)
        together = evaluator(positions)
        assert np.array_equal(evaluator(positions[::-1]), together[::-1]), name
        for i in range(0, 300, 15):
            assert np.array_equal(evaluator(positions[i : i + 1]), together[i : i + 1]), name


# Nets of other kinds


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
        leaf(ONE_OF_EACH)


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


def test_shipped_names_stay_what_they_are() -> None:
    with pytest.raises(ValueError, match=r"^evaluator 'net' comes with the program: "):
        register("net", lambda boards: np.zeros((len(boards), 5), np.float32))
    assert evaluator_named("net") is default_router()


def test_parents_help_only_evaluators_that_can_use_them(random_positions: Positions) -> None:
    parents = random_positions(5, 88)
    children, offsets = all_rolls(parents)
    mine = FunctionEvaluator("pips", by_pips)
    assert not isinstance(mine, ChildEvaluator)
    assert isinstance(default_router(), ChildEvaluator)
    for evaluator in (mine, default_router(), default_router().leaf(PositionClass.CONTACT)):
        together = evaluate_children(evaluator, swap(parents), children, offsets[::21])
        assert np.array_equal(together, evaluator(children))


def test_equal_identities_are_those_of_evaluators_that_answer_alike() -> None:
    pips, router = FunctionEvaluator("pips", by_pips), default_router()
    assert pips.identity == FunctionEvaluator("pips", by_pips).identity
    assert pips.identity != FunctionEvaluator("other", by_pips).identity
    assert router.identity == Router("copy", dict(router.table)).identity
    assert router.identity != router.routed(PositionClass.RACE, pips).identity
    assert leaf_of(router, PositionClass.RACE) is router.table[PositionClass.RACE]
    assert leaf_of(pips, PositionClass.RACE) is pips
    assert leaf_of(router, PositionClass.HYPERGAMMON1) is None


def test_a_function_that_cannot_be_hashed_has_an_identity() -> None:
    class Unhashable:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, boards: Boards) -> NDArray[np.float32]:
            return by_pips(boards)

    one, two = Unhashable(), Unhashable()
    assert len({FunctionEvaluator("a", f).identity for f in (one, one, two)}) == 2
