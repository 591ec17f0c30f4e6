"""The network: encodings, the table sum, dense layers, and the fast pass against torch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gnubg_py.board import START, Board, Boards, parse, swap
from gnubg_py.network.dense import ROWS, dense, panelled
from gnubg_py.network.encoding import (
    ENCODINGS,
    PLACES,
    TESAURO,
    THERMOMETER,
    Encoding,
    encode,
    encoding_named,
    place_columns,
    place_units,
    register_encoding,
)
from gnubg_py.network.floats import fast_net
from gnubg_py.network.forward import net_children_five, net_five
from gnubg_py.network.leaf import five_from_logits, net_leaf
from gnubg_py.network.table import (
    SCRATCH_ROWS,
    activations,
    add_rows,
    board_rows,
    changed_rows,
    first_layer,
    fixed_point,
    fold_first_layer,
)
from gnubg_py.network.weights import Weights, load_weights
from gnubg_py.paths import nets_dir
from gnubg_py.plays import all_rolls
from gnubg_py.threads import set_thread_count, thread_count
from gnubg_py.vectors import COLUMNS, LANES
from tests.network_twins import plain_dense, plain_encode, random_weights
from tests.strategies import boards

Positions = Callable[[int, int], Boards]


@pytest.fixture
def _threads_as_before() -> Iterator[None]:
    before = thread_count()
    yield
    set_thread_count(before)


# Encodings


@pytest.mark.parametrize(
    ("name", "inputs"), [("thermometer", 206), ("tesauro196", 196), ("tesauro198", 198)]
)
def test_number_of_inputs(name: str, inputs: int) -> None:
    encoding = encoding_named(name)
    assert encoding.inputs == inputs
    assert encode(START[None], encoding).shape == (1, inputs)
    columns = place_columns(encoding)
    assert columns[0] == 0
    assert columns[-1] == inputs - len(encoding.constants)
    assert [place_units(encoding, p).shape[1] for p in range(PLACES)] == np.diff(columns).tolist()


def place(board: Board, encoding: Encoding, side: int, where: int) -> list[float]:
    """What a net is told of one place: 0 to 23 a point, 24 the bar, 25 off."""
    columns = place_columns(encoding)
    at = 26 * side + where
    return [
        round(float(v), 4) for v in encode(board[None], encoding)[0, columns[at] : columns[at + 1]]
    ]


CROWD = parse("x bar:2 6:5 5:1 4:2 3:3 / o bar:1 24:4 8:2")


@pytest.mark.parametrize(
    ("encoding", "side", "where", "inputs"),
    [
        (THERMOMETER, 0, 0, [0, 0, 0, 0]),
        (THERMOMETER, 0, 4, [1, 0, 0, 0]),
        (THERMOMETER, 0, 3, [1, 1, 0, 0]),
        (THERMOMETER, 0, 2, [1, 1, 1, 0]),
        (THERMOMETER, 0, 5, [1, 1, 1, 1]),
        (THERMOMETER, 1, 23, [1, 1, 1, 0.5]),
        (THERMOMETER, 0, 24, [1, 1, 0, 0]),
        (THERMOMETER, 1, 24, [1, 0, 0, 0]),
        (THERMOMETER, 0, 25, [1, 0.1333, 0.0178]),
        (THERMOMETER, 1, 25, [1, 0.5333, 0.2844]),
        (TESAURO, 0, 0, [0, 0, 0, 0]),
        (TESAURO, 0, 4, [1, 0, 0, 0]),
        (TESAURO, 0, 3, [0, 1, 0, 0]),
        (TESAURO, 0, 2, [0, 0, 1, 0]),
        (TESAURO, 0, 5, [0, 0, 0, 1]),
        (TESAURO, 1, 23, [0, 0, 0, 0.5]),
        (TESAURO, 0, 24, [1]),
        (TESAURO, 1, 24, [0.5]),
        (TESAURO, 0, 25, [0.1333]),
        (TESAURO, 1, 25, [0.5333]),
    ],
)
def test_inputs_of_a_place(encoding: Encoding, side: int, where: int, inputs: list[float]) -> None:
    assert place(CROWD, encoding, side, where) == inputs


def test_nobody_off_is_told_by_zeros() -> None:
    assert place(START, THERMOMETER, 0, 25) == [0, 0, 0]
    assert place(START, TESAURO, 1, 25) == [0]


def test_tesauro198_ends_in_two_constants() -> None:
    inputs = encode(CROWD[None], encoding_named("tesauro198"))[0]
    assert inputs[-2:].tolist() == [1, 0]
    assert np.array_equal(inputs[:-2], encode(CROWD[None], TESAURO)[0])


@given(boards(), st.sampled_from(sorted(ENCODINGS)))
def test_encoding_kernel_and_twin_agree(board: Board, name: str) -> None:
    encoding = encoding_named(name)
    assert encode(board[None], encoding)[0].tolist() == plain_encode(board, encoding)


def test_unknown_encodings_and_wrong_shapes_are_refused() -> None:
    with pytest.raises(
        ValueError,
        match=r"^encoding 'xg' is not known: gnubg-contact, gnubg-crashed, gnubg-race",
    ):
        encoding_named("xg")
    with pytest.raises(
        ValueError, match=r"^encoding flat: bar should be \[16, units\], not \(16,\)"
    ):
        register_encoding(replace(THERMOMETER, name="flat", bar=np.zeros(16, np.float32)))
    assert "flat" not in ENCODINGS


# The first layer as a table


@given(boards(), st.sampled_from(sorted(ENCODINGS)))
def test_table_rows_add_up_to_the_first_layer(board: Board, name: str) -> None:
    weights = random_weights((7,), name)
    table, bias = fold_first_layer(weights)
    total = bias.copy()
    for side, row in enumerate(board.tolist()):
        for at, count in enumerate([*row, 15 - sum(row)]):
            total += table[16 * (26 * side + at) + count]
    matrix, start = weights.layers[0]
    expected = matrix.astype(np.float64) @ plain_encode(board, encoding_named(name)) + start
    assert total == pytest.approx(expected, abs=1e-6)


def plain_sums(board: Board, table: NDArray[np.int32], bias: NDArray[np.int32]) -> list[int]:
    rows = [
        16 * (26 * side + at) + count
        for side, row in enumerate(board.tolist())
        for at, count in enumerate([*row, 15 - sum(row)])
    ]
    return [int(b) + sum(int(table[r, h]) for r in rows) for h, b in enumerate(bias.tolist())]


@given(boards(), boards())
def test_table_kernels_and_twin_agree_to_the_last_bit(parent: Board, child: Board) -> None:
    table, bias, step = first_layer(random_weights((5,)))
    rows, base = np.empty(SCRATCH_ROWS, np.int64), np.empty_like(bias)
    both = np.stack([child, parent])
    add_rows(table, bias, rows, board_rows(both, 1, rows), base)
    assert base.tolist() == plain_sums(parent, table, bias)
    wanted = np.array(plain_sums(child, table, bias), np.float32) * np.float32(step)
    wanted = np.maximum(wanted, np.float32(0.25) * wanted)
    wanted = np.minimum(wanted, np.float32(0.7))
    numbers = np.float32(step), (np.float32(0.25), np.float32(0.7))
    units = np.empty((4, len(bias)), np.float32)
    activations(table, bias, rows, board_rows(both, 0, rows), 0, *numbers, units, 1)
    assert units[1].tolist() == wanted.tolist()
    changes = changed_rows(parent[None], 0, child[None], 0, rows)
    activations(table, base, rows, changes, changes, *numbers, units, 2)
    assert units[2].tolist() == wanted.tolist()


def test_first_layers_are_padded_with_units_that_say_nothing() -> None:
    table, bias, _ = first_layer(random_weights((5,)))
    assert table.shape[1] == len(bias) == COLUMNS
    assert not table[:, 5:].any()
    assert not bias[5:].any()


@pytest.mark.parametrize("scale", [0.0, 1e-3, 1.0, 300.0, 1e6])
def test_fixed_point_never_overflows_and_stays_close(scale: float) -> None:
    table, bias = fold_first_layer(random_weights((9,)))
    whole, whole_bias, step = fixed_point(table * scale, bias * scale)
    highest = np.abs(whole.astype(np.int64)).reshape(PLACES, 16, -1).max(axis=1).sum(axis=0)
    assert (highest + np.abs(whole_bias.astype(np.int64))).max() < 2**31
    assert step == 2.0 ** round(np.log2(step))
    assert np.abs(whole * step - table * scale).max() <= step / 2
    assert step <= max(2.0**-24, np.abs(table * scale).max() * 2.0**-22)


# Dense layers


@pytest.mark.parametrize(
    ("rows", "inputs", "outputs", "columns"),
    [
        (1, 1, 6, LANES),
        (17, 9, LANES + 1, COLUMNS // 2 if COLUMNS > 2 * LANES else COLUMNS),
        (ROWS, 32, COLUMNS, COLUMNS),
        (17, 5, COLUMNS + 6, COLUMNS),
    ],
)
def test_dense_kernel_and_twin_agree(rows: int, inputs: int, outputs: int, columns: int) -> None:
    generator = np.random.default_rng(51)
    # Small whole numbers, whose sums are exact in float32 too.
    x = np.zeros((-(-rows // ROWS) * ROWS, inputs), np.float32)
    x[:rows] = generator.integers(-9, 10, (rows, inputs))
    matrix = generator.integers(-9, 10, (outputs, inputs)).astype(np.float32)
    bias = generator.integers(-9, 10, outputs).astype(np.float32)
    panels, wide_bias = panelled(matrix, bias)
    assert panels.shape == (-(-outputs // columns), inputs, columns)
    for slope, ceiling in ((0.25, np.inf), (1.0, np.inf), (0.0, 20.0)):
        out = np.full((len(x), len(wide_bias)), np.nan, np.float32)
        dense(x, 0, rows, panels, 0, 1, wide_bias, (np.float32(slope), np.float32(ceiling)), out)
        expected = plain_dense(
            x[:rows].astype(float), matrix.T.astype(float), bias.astype(float), slope
        )
        assert out[:rows, :outputs].tolist() == np.minimum(expected, ceiling).tolist()
        assert (out[:rows, outputs:] == 0).all()


def test_five_of_six_outcomes() -> None:
    outcomes = np.array([[0.3, 0.2, 0.05, 0.25, 0.15, 0.05]])
    expected = [0.55, 0.25, 0.05, 0.2, 0.05]
    assert five_from_logits(np.log(outcomes))[0] == pytest.approx(expected, abs=1e-7)
    assert five_from_logits(np.log(outcomes) + 500)[0] == pytest.approx(expected, abs=1e-6)


# The fast pass


def torch_five(weights: Weights, positions: Boards) -> NDArray[np.float32]:
    import torch

    from gnubg_py.network.model import net_from_weights

    encoding = encoding_named(weights.architecture.encoding)
    with torch.inference_mode():
        logits = net_from_weights(weights)(torch.from_numpy(encode(positions, encoding)))
    return five_from_logits(logits.numpy())


@pytest.mark.parametrize(
    ("hidden", "encoding", "activation"),
    [
        ((32,), "thermometer", "leaky"),
        ((48, 16, 8), "tesauro196", "leaky"),
        ((100, 33, 70), "tesauro198", "clipped"),
        ((512, 128, 64), "thermometer", "leaky"),
        ((512, 128, 64), "thermometer", "clipped"),
    ],
)
def test_fast_pass_and_torch_agree(
    hidden: tuple[int, ...], encoding: str, activation: str, random_positions: Positions
) -> None:
    positions = random_positions(2000, 52)
    weights = random_weights(hidden, encoding, activation=activation)
    fast, slow = net_five(fast_net(weights), positions), torch_five(weights, positions)
    assert slow[:, 0].max() - slow[:, 0].min() > 0.5  # these nets tell positions apart
    assert np.abs(fast - slow).max() < 1e-5


@pytest.mark.parametrize("name", ["contact", "large", "fast", "prune"])
def test_nets_before_rounding_answer_as_torch_does(name: str, random_positions: Positions) -> None:
    positions = random_positions(10_000, 54)
    weights = load_weights(nets_dir() / "float" / f"{name}.safetensors")
    fast, slow = net_five(fast_net(weights), positions), torch_five(weights, positions)
    assert np.abs(fast - slow).max() < 1e-5


def test_probabilities_are_nested(random_positions: Positions) -> None:
    five = net_five(fast_net(random_weights((32,))), random_positions(500, 53))
    w, wg, wb, lg, lb = five.T
    assert ((five >= 0) & (five <= 1)).all()
    assert ((w >= wg) & (wg >= wb) & (lg >= lb)).all()
    assert (1 - w - lg > -1e-6).all()


@pytest.fixture(scope="module")
def wide_net() -> Weights:
    """The shape of the shipped contact net."""
    return random_weights((512, 128, 64))


def test_a_position_has_one_value_whatever_else_is_asked(
    wide_net: Weights, random_positions: Positions
) -> None:
    net = fast_net(wide_net)
    positions = random_positions(400, 54)
    together = net_five(net, positions)
    for n in (1, 2, 5, 6, 7, 48, 49):
        assert np.array_equal(net_five(net, positions[:n]), together[:n])
    alone = np.concatenate([net_five(net, positions[i : i + 1]) for i in range(60)])
    assert np.array_equal(alone, together[:60])
    order = np.random.default_rng(55).permutation(len(positions))
    assert np.array_equal(net_five(net, positions[order]), together[order])


@pytest.mark.usefixtures("_threads_as_before")
def test_a_position_has_one_value_on_any_number_of_threads(
    wide_net: Weights, random_positions: Positions
) -> None:
    net = fast_net(wide_net)
    positions = np.tile(random_positions(1000, 56), (5, 1, 1))  # several slices
    answers = []
    for threads in (1, 2, 5):
        set_thread_count(threads)
        answers.append(net_five(net, positions))
    assert np.array_equal(answers[0], answers[1])
    assert np.array_equal(answers[0], answers[2])
    assert np.array_equal(answers[0][:1000], answers[0][4000:])


@pytest.mark.usefixtures("_threads_as_before")
@pytest.mark.parametrize("threads", [1, 3])
def test_children_are_worth_the_same_beside_their_parents(
    threads: int, wide_net: Weights, random_positions: Positions
) -> None:
    set_thread_count(threads)
    net = fast_net(wide_net)
    parents = random_positions(20, 57)
    children, offsets = all_rolls(parents)
    expected = net_five(net, children)
    as_children_see_them = swap(parents)
    first = offsets[::21]
    assert len(children) > 5000  # several slices
    assert np.array_equal(net_children_five(net, as_children_see_them, children, first), expected)
    # Parents without a child, and parents that resemble no child of theirs.
    sparse = np.sort(np.random.default_rng(58).integers(0, len(children), 40))
    sparse = np.concatenate([[0, 0], sparse, [len(children)] * 3])
    strangers = random_positions(len(sparse) - 1, 59)
    assert np.array_equal(net_children_five(net, strangers, children, sparse), expected)


def test_no_boards_no_answers() -> None:
    net = fast_net(random_weights((32,)))
    none = START[None][:0]
    assert net_five(net, none).shape == (0, 5)
    assert net_children_five(net, none, none, np.zeros(1, np.int64)).shape == (0, 5)
    assert net_children_five(net, START[None], none, np.zeros(2, np.int64)).shape == (0, 5)


def test_views_and_read_only_boards_are_taken(random_positions: Positions) -> None:
    leaf = net_leaf(random_weights((32,)), "a")
    positions = random_positions(20, 60)
    assert np.array_equal(leaf(positions[:, ::-1]), leaf(swap(positions)))
    assert np.array_equal(leaf(START[None]), leaf(START.copy()[None]))
    assert np.array_equal(leaf(positions.astype(np.int64)), leaf(positions))


def test_a_leafs_identity_is_its_weights() -> None:
    first, again, other = (net_leaf(random_weights((32,), seed=s), "a") for s in (1, 1, 2))
    assert first.identity == again.identity
    assert first.identity != other.identity
    assert re.fullmatch("[0-9a-f]{16}", first.identity)
