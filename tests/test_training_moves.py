"""The plays of self-play: what pruning nets keep, which play is made."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import torch

from gnubg_py.board import START, Boards, parse, swap
from gnubg_py.cube.state import Cube
from gnubg_py.cube.values import cube_table, cubeless_values
from gnubg_py.dice import ROLLS, roll_dice
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.keys import board_keys
from gnubg_py.network.leaf import net_leaf
from gnubg_py.network.model import Net, weights_of
from gnubg_py.network.weights import Architecture
from gnubg_py.plays import plays_slice
from gnubg_py.search.sieve import Kept, Sieve, kept_plays, sieved_again
from gnubg_py.threads import set_thread_count, thread_count
from gnubg_py.training.config import TrainConfig
from gnubg_py.training.games import Round, starts_of
from gnubg_py.training.moves import Nets, Rolling, child_values, kept_parts, make_moves
from gnubg_py.training.net import training_net
from gnubg_py.training.selfplay import new_games, play_round
from tests.conftest import play_random_positions
from tests.test_training import TINY


def test_a_pruned_turn_keeps_the_best_plays() -> None:
    weights = weights_of(Net(Architecture((16,))))
    net, same = training_net(weights, "float32"), net_leaf(weights, "same")
    config = replace(TINY, hidden=(16,), games=8, turns=2, random_plays=0.0, keep=(3,))
    games = new_games(Nets((net,)), np.repeat(START[None], 8, axis=0))

    def played(nets: Nets, config: TrainConfig) -> Round:
        starts = starts_of(config)
        return play_round(nets, games, np.random.default_rng(2), config, starts, 99)[1]

    plain = played(Nets((net,)), config)
    # Pruning nets that value as the main one does change nothing.
    for prune, keep in (((same,), (3,)), ((same, same), (4, 2))):
        found = played(Nets((net,), None, prune), replace(config, keep=keep))
        assert np.allclose(plain.targets, found.targets, atol=1e-4)
    near = replace(config, near_plays=1.0, prune=("the same",))
    assert not np.array_equal(played(Nets((net,), None, (same,)), near).boards, plain.boards)


def test_races_and_endings_are_kept_whatever_a_pruning_net_thinks() -> None:
    torch.manual_seed(3)
    leaf = net_leaf(weights_of(Net(Architecture((16, 8)))), "any")
    boards = np.stack([parse("x 7:1 6:2 5:2 4:2 / o 19:1 3:3"), parse("x 2:2 1:1 / o 24:1 6:2")])
    everything = kept_of(Nets(()), boards)
    kept = kept_of(Nets((), None, (leaf, leaf)), boards, keep=(2, 1))
    contact = classify(everything.boards) >= PositionClass.CRASHED
    assert contact.any()
    for roll in range(42):
        before, left = (
            plays.which[plays.offsets[roll] : plays.offsets[roll + 1]]
            for plays in (everything, kept)
        )
        exact = everything.boards[before[~contact[before]]]
        left_exact = kept.boards[left][classify(kept.boards[left]) < PositionClass.CRASHED]
        assert np.array_equal(exact, left_exact)
        assert len(left) == len(exact) + contact[before].any()


def kept_of(nets: Nets, boards: Boards, keep: tuple[int, ...] = ()) -> Kept:
    """The plays of all rolls of boards that the pruning nets keep."""
    rolls = np.tile(ROLLS, (len(boards), 1))
    [(rows, kept)] = kept_parts(nets, replace(TINY, keep=keep), boards, rolls)
    assert rows == slice(0, len(boards))
    return kept


def test_games_with_very_many_plays_are_looked_at_in_parts() -> None:
    crowded = parse("x 24:1 22:1 20:1 18:1 16:1 14:1 12:1 10:1 8:1 6:1 4:1 3:1 2:1 1:1 / o bar:1")
    boards = np.repeat(crowded[None], 400, axis=0)
    parts = list(kept_parts(Nets(()), TINY, boards, np.tile(ROLLS, (400, 1)), 7))
    assert len(parts) > 1
    edges = [7, *(rows.stop for rows, _ in parts)]
    assert [rows.start for rows, _ in parts] == edges[:-1]
    assert edges[-1] == 407
    for rows, kept in parts:
        assert len(kept.first) == rows.stop - rows.start + 1
        assert len(kept.offsets) == 21 * (rows.stop - rows.start) + 1


def test_random_plays_are_any_legal_ones() -> None:
    torch.manual_seed(3)
    weights = weights_of(Net(Architecture((16, 8))))
    net, leaf = training_net(weights, "float32"), net_leaf(weights, "any")
    config = replace(TINY, random_plays=1.0, keep=(1,), rolls="one")
    boards, dice = np.repeat(START[None], 300, axis=0), np.tile(np.array([2, 1], np.int8), (300, 1))
    nets = Nets((net,), None, (leaf,))
    chance = np.random.default_rng(2).random(300)
    rolled = Rolling(boards, dice, chance)
    moves = make_moves(nets, config, rolled)
    plays, _ = plays_slice(START[None], dice[:1])
    keys = {key.tobytes() for key in board_keys(plays)}
    assert {key.tobytes() for key in board_keys(moves.boards)} == keys
    best = make_moves(nets, replace(config, random_plays=0.0), rolled.of(slice(1)))
    assert np.array_equal(moves.best, (moves.boards == best.boards).all(axis=(1, 2)))
    values, _ = child_values(nets, moves.boards, moves.boards, np.arange(301, dtype=np.int64))
    assert np.allclose(moves.values, values, atol=1e-6)


def test_what_a_second_net_keeps_is_what_its_values_say() -> None:
    torch.manual_seed(8)
    first, second = (net_leaf(weights_of(Net(Architecture((16, 8)))), name) for name in "ab")
    late = ["x 7:1 6:2 5:2 4:2 / o 19:1 3:3", "x 2:2 1:1 / o 24:1 6:2", "x 13:2 12:3 / o 13:1 6:4"]
    boards = np.concatenate([play_random_positions(40, seed=7), [parse(text) for text in late]])
    money = cube_table((Cube(),))
    rolls, one_cube = np.tile(ROLLS, (len(boards), 1)), np.zeros(1, np.int64)
    (kept,) = kept_plays(boards, rolls, Sieve(first, 6, np.inf, races=False), money, one_cube)
    again = sieved_again(kept, swap(boards), Sieve(second, 2, np.inf, races=False), money)
    scores = cubeless_values(second(kept.boards), money, one_cube)
    judged = classify(kept.boards) >= PositionClass.CRASHED
    before, after = board_keys(kept.boards), board_keys(again.boards)
    assert 0 < judged.mean() < 1
    for roll in range(len(rolls)):
        plays = kept.which[kept.offsets[roll] : kept.offsets[roll + 1]]
        best = sorted(plays[judged[plays]], key=lambda play: scores[play])[:2]
        wanted = sorted([*best, *plays[~judged[plays]]], key=plays.tolist().index)
        left = again.which[again.offsets[roll] : again.offsets[roll + 1]]
        assert np.array_equal(after[left], before[wanted if len(plays) > 2 else plays])


def test_moves_do_not_depend_on_threads() -> None:
    torch.manual_seed(9)
    weights = weights_of(Net(Architecture((16, 8))))
    leaf = net_leaf(weights, "any")
    nets = Nets((training_net(weights),), None, (leaf, leaf))
    boards = play_random_positions(300, seed=11)
    config = replace(TINY, keep=(4, 2), random_plays=0.2, near_plays=0.3, siblings=True)
    generator = np.random.default_rng(12)
    dice, chance = roll_dice(generator, len(boards)), generator.random(len(boards))
    before, found = thread_count(), []
    try:
        for threads in (1, 2):
            set_thread_count(threads)
            found.append(make_moves(nets, config, Rolling(boards, dice, chance)))
    finally:
        set_thread_count(before)
    for field in fields(found[0]):
        assert np.array_equal(*(getattr(moves, field.name) for moves in found))
