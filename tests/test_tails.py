"""Nets of tails: which tail evaluates a position, and the passes against plain Python and torch."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.board import START, Board, Boards, parse, swap
from gnubg_py.compare.duel import random_play
from gnubg_py.errors import WeightsError
from gnubg_py.network.dot import BLOCK, possible_paths
from gnubg_py.network.floats import fast_net
from gnubg_py.network.forward import logits, net_children_five, net_five
from gnubg_py.network.integers import IntegerWeights, load_net, save_integers
from gnubg_py.network.levels import integer_net
from gnubg_py.network.quantise import quantise
from gnubg_py.network.tails import (
    MOST_TAILS,
    TAILS,
    new_places,
    place_in_order,
    sort_by_tail,
    tail_order,
    tails_of,
)
from gnubg_py.network.weights import Architecture, Weights, check_tails, load_weights, save_weights
from gnubg_py.plays import all_rolls
from tests.network_twins import random_weights
from tests.strategies import boards

Positions = Callable[[int, int], Boards]
SHAPES = [((64, 16), TAILS), ((300, 70, 20), TAILS), ((64, 16), MOST_TAILS)]


@cache
def tailed(hidden: tuple[int, ...], tails: int = TAILS) -> Weights:
    return random_weights(hidden, tails=tails)


@cache
def rounded(hidden: tuple[int, ...], tails: int = TAILS) -> IntegerWeights:
    """A random net made whole numbers, with ranges from random play."""
    return quantise(tailed(hidden, tails), random_play(2000, 35))


@pytest.mark.parametrize(
    ("position", "mine", "theirs"),
    [
        ("x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5", 2, 2),
        ("x bar:1 20:1 6:5 / o 6:5", 2, 0),
        ("x 24:2 22:2 6:5 / o 18:15", 3, 0),
        ("x 6:2 / o bar:3 24:1 19:2", 0, 3),
    ],
)
def test_checkers_back_name_the_tail(position: str, mine: int, theirs: int) -> None:
    assert tails_of(parse(position)[None], TAILS).tolist() == [4 * mine + theirs]


@pytest.mark.parametrize(
    ("position", "strong", "theirs_strong"),
    [
        ("x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5", 0, 0),
        ("x 24:2 13:4 8:3 6:2 5:2 4:2 / o 24:2 13:5 8:3 6:4 5:1", 1, 0),
        ("x 24:2 13:5 6:7 4:1 / o 24:2 13:7 6:2 5:2 2:2", 0, 1),
    ],
)
def test_strong_homes_tell_more_tails_apart(position: str, strong: int, theirs_strong: int) -> None:
    board = parse(position)[None]
    assert tails_of(board, MOST_TAILS).tolist() == [10 + 16 * strong + 32 * theirs_strong]


@given(boards())
def test_tails_and_twin_agree(board: Board) -> None:
    mine, theirs = (min(3, sum(side[18:])) for side in board.tolist())
    assert tails_of(board[None], TAILS).tolist() == [4 * mine + theirs]
    strong, theirs_strong = (sum(n > 1 for n in side[:6]) > 2 for side in board.tolist())
    expected = 4 * mine + theirs + 16 * strong + 32 * theirs_strong
    assert tails_of(board[None], MOST_TAILS).tolist() == [expected]


@given(st.lists(boards(), min_size=1, max_size=BLOCK), st.sampled_from([TAILS, MOST_TAILS]))
def test_a_block_is_sorted_by_tail(some: list[Board], tails: int) -> None:
    places, n = new_places(tails), len(some)
    sort_by_tail(np.array(some), 0, n, places)
    slots, ends = places[:n], places[BLOCK:]
    assert sorted(slots.tolist()) == list(range(n))
    assert (ends[0], ends[-1]) == (0, n)
    for slot, tail in zip(slots, tails_of(np.array(some), tails), strict=True):
        assert ends[tail] <= slot < ends[tail + 1]


@pytest.mark.parametrize(("hidden", "tails"), SHAPES)
def test_every_tail_answers_as_the_net_it_is(
    hidden: tuple[int, ...], tails: int, random_positions: Positions
) -> None:
    """A net of tails and as many nets without, which have its first layer and one tail each."""
    weights, positions = tailed(hidden, tails), random_positions(1000, 31)
    which, found = tails_of(positions, tails), logits(fast_net(weights), positions, 6)
    assert len(set(which.tolist())) > 8
    for tail in set(which.tolist()):
        parts = tuple(
            tuple(array.reshape(tails, -1, *array.shape[1:])[tail] for array in layer)
            for layer in weights.layers[1:]
        )
        alone = Weights(Architecture(hidden), (weights.layers[0], *parts))
        mine = positions[which == tail]
        assert np.array_equal(logits(fast_net(alone), mine, 6), found[which == tail])


@pytest.mark.parametrize(("hidden", "tails"), SHAPES)
def test_torch_and_every_path_agree(
    hidden: tuple[int, ...], tails: int, random_positions: Positions
) -> None:
    import torch

    from gnubg_py.network.encoding import encode
    from gnubg_py.network.model import net_from_weights
    from gnubg_py.network.rounding import IntegerModule

    positions = random_positions(1000, 32)
    with torch.no_grad():
        expected = net_from_weights(tailed(hidden, tails))(torch.from_numpy(encode(positions)))
    found = logits(fast_net(tailed(hidden, tails)), positions, 6)
    assert found == pytest.approx(expected.numpy(), abs=2e-5)
    whole = IntegerModule(rounded(hidden, tails))(torch.from_numpy(positions)).numpy()
    assert np.sqrt(np.mean((whole - found) ** 2)) < 0.05
    for path in possible_paths():
        net = integer_net(rounded(hidden, tails), path)
        assert np.array_equal(logits(net, positions, 6), whole)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["float", "whole"])
def test_a_position_has_one_value(
    kind: str, shape: tuple[tuple[int, ...], int], random_positions: Positions
) -> None:
    net = fast_net(tailed(*shape)) if kind == "float" else integer_net(rounded(*shape))
    parents = random_positions(20, 33)
    children, offsets = all_rolls(parents)
    together = net_five(net, children)
    for n in (1, 7, BLOCK + 1):
        assert np.array_equal(net_five(net, children[:n]), together[:n])
    beside = net_children_five(net, swap(parents), children, offsets[::21])
    assert np.array_equal(beside, together)


def test_tails_that_no_measured_position_has_keep_their_values(
    random_positions: Positions,
) -> None:
    weights, positions = tailed((64, 16)), random_positions(1000, 34)
    usual = tails_of(positions, TAILS) == tails_of(START[None], TAILS)[0]
    net = integer_net(quantise(weights, positions[usual]))
    rare = positions[~usual]
    errors = logits(net, rare, 6) - logits(fast_net(weights), rare, 6)
    assert np.sqrt(np.mean(errors**2)) < 0.2


def test_files_hold_tails(tmp_path: Path) -> None:
    path = tmp_path / "tails.safetensors"
    save_weights(path, tailed((64, 16)))
    assert load_weights(path).architecture == Architecture((64, 16), tails=TAILS)
    save_integers(path, rounded((64, 16)))
    found = load_net(path)
    assert isinstance(found, IntegerWeights)
    assert found.architecture.tails == TAILS
    assert found.layers[0].weight.shape == (TAILS * 16, 64)


@pytest.mark.parametrize(
    ("shape", "fault"),
    [
        (Architecture(tails=2), "^2 tails, expected 1, 16 or 64$"),
        (Architecture(tails=16, encoding="tesauro196"), "^only nets from thermometer inputs"),
        (Architecture(tails=16, position_class="rolls"), "^only nets from thermometer inputs"),
        (Architecture(tails=16, activation="sigmoid"), "^only nets from thermometer inputs"),
        (Architecture(tails=16, output="five"), "^only nets from thermometer inputs"),
    ],
)
def test_other_nets_have_no_tails(shape: Architecture, fault: str) -> None:
    with pytest.raises(WeightsError, match=fault):
        check_tails(shape)


def test_boards_in_the_order_of_their_tails_keep_their_own_order(
    random_positions: Positions,
) -> None:
    positions = random_positions(500, 36)
    which = tails_of(positions, TAILS)
    expected = sorted(range(len(positions)), key=lambda i: (which[i], i))
    order, ends = tail_order(positions, TAILS)
    assert order.tolist() == expected
    assert ends.tolist() == np.searchsorted(which[order], range(TAILS + 1)).tolist()
    assert tail_order(positions[:0], TAILS)[0].tolist() == []
    for start in range(0, 500, 70):
        places, again = new_places(TAILS), new_places(TAILS)
        some = order[start : start + 70]
        place_in_order(ends, start, len(some), places)
        sort_by_tail(positions[some], 0, len(some), again)
        assert places[: len(some)].tolist() == again[: len(some)].tolist()
        assert places[BLOCK:].tolist() == again[BLOCK:].tolist()
