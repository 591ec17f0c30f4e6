"""Plays and Position IDs of random and artificial positions against gnubg-nn's."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from gnubg_py.board import Boards, possible, swap
from gnubg_py.dice import ROLLS
from gnubg_py.notation import position_ids
from gnubg_py.plays import all_rolls
from tests.conftest import play_random_positions
from tests.peers.peers import emitted, gnubg_nn_script
from tests.peers.test_plays_peers import GNUBG_NN, crowded_positions

BOARDS = 200
_IDS = """
import gnubg_nn
emit([gnubg_nn.position_id([other, mover]) for mover, other in data])
"""


def attack(seed: int, folder: Path, boards: int = BOARDS) -> int:
    """Every play of every roll, and the IDs, of as many positions; the number of plays.

    Needs gnubg-nn (``GNUBG_NN_PYTHON``); skips where there is none.
    """
    positions = _positions(seed, boards)
    data = {"boards": positions.tolist(), "rolls": ROLLS.tolist()}
    theirs = emitted(gnubg_nn_script(GNUBG_NN, data, timeout=300))
    results, offsets = all_rolls(positions)
    before, after = position_ids(positions), position_ids(swap(results))
    (known,) = emitted(gnubg_nn_script(_IDS, positions.tolist()))
    assert known == before
    for i, (counts, digests) in enumerate(theirs):
        for r, (a, b) in enumerate(ROLLS.tolist()):
            ours = after[offsets[21 * i + r] : offsets[21 * i + r + 1]]
            if ours == [before[i]]:  # gnubg-nn has no play where no checker can move
                ours = []
            digest = hashlib.md5(" ".join(sorted(ours)).encode()).hexdigest()
            assert (len(ours), digest) == (counts[r], digests[r]), f"{before[i]} {a}-{b}"
    return len(after)


def _positions(seed: int, n: int) -> Boards:
    """Half from random play, half put up at random: bars, stacks, closed boards, bearoffs."""
    generator = np.random.default_rng(seed)
    played, crowded = play_random_positions(n // 2, seed), crowded_positions(n // 2, generator)
    boards = np.concatenate([played, crowded, _closed(n // 4, generator)])
    in_play = (boards.sum(axis=2) > 0).all(axis=1)
    return np.asarray(boards[possible(boards) & in_play])


def _closed(n: int, generator: np.random.Generator) -> Boards:
    """One side's home board is closed or nearly, and the other has checkers on the bar."""
    boards = np.zeros((n, 2, 25), np.int8)
    for board in boards:
        board[0, generator.permutation(8)[:6]] = 2
        board[1, 24] = generator.integers(0, 4)
        for place in generator.integers(0, 24, 11):
            if board[0, 23 - place] == 0:
                board[1, place] += 1
    return boards
