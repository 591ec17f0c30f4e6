"""Rounding nets to whole numbers: no sum overflows, and answers stay nearly the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from gnubg_py.board import START, Board, Boards
from gnubg_py.compare.duel import random_play
from gnubg_py.compare.late_contact import deal_late_contact
from gnubg_py.compare.primes import deal_primes
from gnubg_py.compare.rounding import quantised_net
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.network.dot import (
    possible_paths,
)
from gnubg_py.network.floats import fast_net
from gnubg_py.network.forward import logits, net_five, unpacked
from gnubg_py.network.integers import (
    IntegerWeights,
    load_net,
)
from gnubg_py.network.levels import integer_net
from gnubg_py.network.quantise import quantise, sum_bounds
from gnubg_py.network.weights import Weights, load_weights
from gnubg_py.paths import nets_dir
from gnubg_py.plays import all_rolls
from gnubg_py.probabilities import cubeless_equity
from tests.network_twins import random_weights, rounded
from tests.strategies import boards

Positions = Callable[[int, int], Boards]
HERE = possible_paths()


@given(boards())
def test_no_board_goes_beyond_the_bounds_of_sums(board: Board) -> None:
    first = rounded().first
    places = [count for row in board.tolist() for count in (*row, 15 - sum(row))]
    rows = 16 * np.arange(52) + np.array(places)
    total = first.table[rows].astype(np.int64).sum(axis=0) + first.bias
    assert (np.abs(total) <= sum_bounds(first.table, first.bias)).all()


def test_the_bound_of_sums_is_reached() -> None:
    table = np.zeros((832, 1))
    table[16 * 3 + 2], table[16 * 4 + 13], table[16 * 4 + 15] = 7, 5, 11.5
    table[16 * 30 + 15] = 4
    table[16 * 31 + 1] = -3
    assert sum_bounds(table, np.array([1.0])).tolist() == [1 + 12 + 4]
    assert sum_bounds(-table, np.array([-1.0])).tolist() == [1 + 12 + 4]


@pytest.mark.parametrize("activation", ["leaky", "clipped"])
@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
def test_tables_never_overflow_16_bits(activation: str, scale: float) -> None:
    weights = random_weights((40, 16), activation=activation)
    louder = [(m * np.float32(scale), b * np.float32(scale)) for m, b in weights.layers]
    plays, _ = all_rolls(START[None])
    found = quantise(replace(weights, layers=tuple(louder)), plays)
    assert sum_bounds(found.first.table, found.first.bias).max() < 2**15


@pytest.mark.parametrize("activation", ["leaky", "clipped"])
def test_rounded_nets_answer_nearly_as_before(activation: str, random_positions: Positions) -> None:
    from gnubg_py.probabilities import cubeless_equity

    weights = random_weights((96, 40), activation=activation)
    positions = random_positions(4000, 95)
    found = integer_net(quantise(weights, positions[:2000]))
    before, after = (
        cubeless_equity(net_five(net, positions[2000:])) for net in (fast_net(weights), found)
    )
    assert np.sqrt(np.mean((before - after) ** 2)) < before.std() / 50


@pytest.mark.parametrize(("hidden", "kind"), [((96, 40), np.int16), ((256, 64), np.int8)])
def test_small_leaky_nets_have_16_bits(hidden: tuple[int, ...], kind: Any) -> None:
    plays = all_rolls(START[None])[0]
    assert quantise(random_weights(hidden), plays).layers[0].weight.dtype == kind
    clipped = random_weights(hidden, activation="clipped")
    assert quantise(clipped, plays).layers[0].weight.dtype == np.int8
    with pytest.raises(ValueError, match=r"^the levels of clipped units are bytes$"):
        quantise(clipped, plays, byte_levels=False)


def test_shapes_that_cannot_be_rounded_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^hidden widths \(8,\): a net of whole numbers has two"):
        quantise(random_weights((8,)), START[None])


@pytest.mark.parametrize("activation", ["leaky", "clipped"])
def test_training_with_rounding_answers_as_the_rounded_net_will(
    random_positions: Positions, activation: str
) -> None:
    import torch

    from gnubg_py.network.encoding import encode
    from gnubg_py.network.model import net_from_weights
    from gnubg_py.network.rounding import quantised

    weights = random_weights((96, 40), activation=activation)
    net, positions = net_from_weights(weights), random_positions(500, 96)
    x = torch.from_numpy(encode(positions))
    in_training = quantised(net, positions)(x)
    rounded_net = integer_net(quantise(weights, positions, byte_levels=True), HERE[0])
    found = logits(rounded_net, positions, 6)
    plain = net(x).detach().numpy()
    off = np.abs(in_training.detach().numpy() - found).mean()
    assert off < np.abs(plain - found).mean() / 2
    in_training.square().mean().backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in net.parameters())


# Files


def rounding_errors(
    real: Weights, whole: Weights | IntegerWeights, positions: Boards
) -> NDArray[np.float32]:
    """How far the equities of a net and of the same net rounded are apart."""
    before, after = (cubeless_equity(net_five(unpacked(net), positions)) for net in (real, whole))
    return np.abs(before - after)


@pytest.mark.parametrize("name", ["contact", "large", "fast", "prune"])
def test_shipped_nets_are_rounded_well_in_rare_positions_too(name: str) -> None:
    late = deal_late_contact(500, np.random.default_rng(12))
    far_back = random_play(1200, 12)
    far_back = far_back[classify(far_back) >= PositionClass.CRASHED][:600]
    real = load_weights(nets_dir() / "float" / f"{name}.safetensors")
    whole = load_net(nets_dir() / f"{name}.safetensors")
    errors = rounding_errors(real, whole, np.concatenate([late, far_back]))
    assert errors.max() < 0.06
    assert np.sqrt(np.mean(errors**2)) < 0.006


def test_a_net_is_rounded_well_where_checkers_are_behind_primes() -> None:
    real = load_weights(nets_dir() / "float" / "contact.safetensors")
    whole = quantised_net(real, 1500, 0)
    errors = rounding_errors(real, whole, deal_primes(500, np.random.default_rng(12)))
    assert errors.max() < 0.06
    assert np.sqrt(np.mean(errors**2)) < 0.004


def test_a_prime_is_dealt_with_checkers_behind_it() -> None:
    boards = deal_primes(200, np.random.default_rng(1))
    assert (boards.sum(axis=2) == 15).all()
    for board in boards:
        assert any(
            board[side, start : start + 5].min() >= 2 and board[1 - side, 24 - start :].any()
            for side in (0, 1)
            for start in range(1, 8)
        )


def test_feedback_makes_errors_smaller(random_positions: Positions) -> None:
    weights, positions = random_weights((256, 64)), random_positions(3000, 97)
    usual, others = positions[:2000], positions[2000:]
    alone, together = (
        rounding_errors(weights, quantise(weights, usual, feedback=feedback), others).mean()
        for feedback in (False, True)
    )
    assert together < 0.8 * alone


def test_units_that_are_always_negative_keep_their_lowest_values() -> None:
    plays = all_rolls(START[None])[0]
    weights = random_weights((256, 64))
    (matrix, bias), *later = weights.layers
    low = replace(weights, layers=((matrix, bias - np.float32(100)), *later))
    first = quantise(low, plays).first
    counts = np.concatenate([plays, 15 - plays.sum(axis=2, keepdims=True)], axis=2).reshape(-1, 52)
    rows = counts + 16 * np.arange(52)
    sums = first.bias + first.table[rows].sum(axis=1, dtype=np.int64)
    levels = first.zero + ((sums * first.down + 2**14) >> 15)
    assert levels.min() >= 0
