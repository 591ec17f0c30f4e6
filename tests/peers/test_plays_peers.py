"""Plays against gnubg-nn's, and classes of positions against gnubg's."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.board import Boards, start_position, swap
from gnubg_py.dice import ROLLS, roll_dice
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.notation import position_ids
from gnubg_py.plays import all_rolls, plays_batch

Positions = Callable[[int, int], Boards]
Script = Callable[..., str]
Emitted = Callable[[str], list[Any]]

# gnubg-nn's keys are the bytes of a Position ID as letters, A to P for 0 to 15.
GNUBG_NN = """
import base64, hashlib, gnubg_nn
hexadecimal = str.maketrans("ABCDEFGHIJKLMNOP", "0123456789ABCDEF")
def digest(keys):
    ids = [base64.b64encode(bytes.fromhex(k.translate(hexadecimal)))[:14] for k in keys]
    return hashlib.md5(b" ".join(sorted(ids))).hexdigest()
rolls = data["rolls"]
for mover, other in data["boards"]:
    plays = [gnubg_nn.moves([other, mover], a, b) for a, b in rolls]
    emit([[len(p) for p in plays], [digest(p) for p in plays]])
"""


def test_plays_of_10000_positions_with_every_roll(
    random_positions: Positions, gnubg_nn_script: Script, emitted: Emitted
) -> None:
    boards = random_positions(10_000, 201)
    data = {"boards": boards.tolist(), "rolls": ROLLS.tolist()}
    theirs = emitted(gnubg_nn_script(GNUBG_NN, data, timeout=600))
    assert len(theirs) == len(boards)
    plays_seen = stuck = 0
    for start in range(0, len(boards), 500):
        part = boards[start : start + 500]
        results, offsets = all_rolls(part)
        ids = position_ids(swap(results))
        for i, (counts, digests) in enumerate(theirs[start : start + 500]):
            before = position_ids(part[i : i + 1])[0]
            for r, (a, b) in enumerate(ROLLS.tolist()):
                ours = ids[offsets[21 * i + r] : offsets[21 * i + r + 1]]
                if ours == [before]:  # gnubg-nn has no play where no checker can move
                    ours = []
                    stuck += 1
                text = " ".join(sorted(ours)).encode()
                where = f"{before} {a}-{b}"
                assert len(ours) == counts[r], where
                assert hashlib.md5(text).hexdigest() == digests[r], where
                plays_seen += len(ours)
    print(f"{21 * len(boards)} rolls, {plays_seen} plays, all equal; {stuck} rolls with none")


GNUBG = """
import gnubg
emit([gnubg.classifypos((other, mover), variation) for mover, other, variation in data])
"""


def crowded_positions(n: int, generator: np.random.Generator) -> Boards:
    """Positions with few active checkers: most on the two lowest points or off."""
    boards = np.zeros((n, 2, 25), np.int8)
    for board in boards:
        for row in (0, 1):
            low = generator.integers(0, 2, generator.integers(0, 13))
            high = generator.integers(0, 25, generator.integers(1, 15 - len(low) + 1))
            for place in (*low, *high):
                if place == 24 or board[1 - row, 23 - place] == 0:
                    board[row, place] += 1
    return boards[np.all(np.any(boards, axis=2), axis=1)]


def hypergammon_positions(n: int, checkers: int, generator: np.random.Generator) -> Boards:
    """Positions of random hypergammon games, finished ones among them."""
    variation = f"hypergammon{checkers}"
    rounds = [np.repeat(start_position(variation)[None], 20, axis=0)]
    while sum(map(len, rounds)) < n:
        boards = rounds[-1].copy()
        boards[~np.all(np.any(boards, axis=2), axis=1)] = start_position(variation)
        results, offsets = plays_batch(boards, roll_dice(generator, len(boards)))
        rounds.append(results[generator.integers(offsets[:-1], offsets[1:])])
    return np.concatenate(rounds)[:n]


def gnubg_classes(
    script: Script, emitted: Emitted, boards: Boards, variation: int
) -> NDArray[np.int64]:
    data = [(*board, variation) for board in boards.tolist()]
    return np.array(emitted(script(GNUBG, data))[0])


def test_classes(random_positions: Positions, gnubg_script: Script, emitted: Emitted) -> None:
    generator = np.random.default_rng(202)
    home = np.zeros((1000, 2, 25), np.int8)
    for row in home.reshape(-1, 25):
        np.add.at(row, generator.integers(0, 6, generator.integers(1, 9)), 1)
    over = home[:20].copy()
    over[:, 1] = 0
    boards = np.concatenate(
        [random_positions(10_000, 203), crowded_positions(5000, generator), home, over, swap(over)]
    )
    ours = classify(boards)
    assert (gnubg_classes(gnubg_script, emitted, boards, 0) == ours).all()
    counts = {PositionClass(c).name.lower(): int((ours == c).sum()) for c in np.unique(ours)}
    print(counts)
    assert list(counts) == ["over", "bearoff2", "bearoff1", "race", "crashed", "contact"]
    assert min(counts.values()) >= 40


@pytest.mark.parametrize("checkers", [1, 2, 3])
def test_hypergammon_classes(checkers: int, gnubg_script: Script, emitted: Emitted) -> None:
    boards = hypergammon_positions(500, checkers, np.random.default_rng(204 + checkers))
    theirs = gnubg_classes(gnubg_script, emitted, boards, 1 + checkers)
    assert (classify(boards, f"hypergammon{checkers}") == theirs).all()
    assert set(theirs.tolist()) == {PositionClass.OVER, checkers}
