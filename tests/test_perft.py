"""Perft: how many positions there are after 1, 2 and 3 rolls from the start, and ways to them."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gnubg_py.bench.reference_plays import PlainBoard, reference_states
from gnubg_py.board import START, Boards
from gnubg_py.dice import ROLLS
from gnubg_py.plays import all_rolls, plays_slice
from gnubg_py.threads import map_slices

# Distinct positions, and sequences of (roll, play) that lead to them. The plain-Python generator,
# run once, found the numbers of 3 rolls too; here it is held to 1 and 2.
PERFT = {1: (406, 447), 2: (163_706, 202_782), 3: (29_420_722, 116_154_993)}

# A position's number is the sum over places of checkers times a random odd number: that two of
# thirty million positions share one has a chance of 1 in 40,000.
PLACE_NUMBERS = np.random.default_rng(1).integers(0, 2**64, 50, np.uint64) | np.uint64(1)


@njit(nogil=True)
def _number(positions, place_numbers, out):  # type: ignore[no-untyped-def]
    for i in range(positions.shape[0]):
        total = np.uint64(0)
        for j in range(50):
            total += np.uint64(positions[i, j]) * place_numbers[j]
        out[i] = total


def numbers(positions: Boards) -> NDArray[np.uint64]:
    out = np.empty(len(positions), np.uint64)
    _number(positions.reshape(-1, 50), PLACE_NUMBERS, out)
    return out


def test_plain_python_generator() -> None:
    start = tuple(START[0].tolist())
    ways: dict[PlainBoard, int] = {(start, start): 1}
    for depth in (1, 2):
        after: dict[PlainBoard, int] = {}
        for state, n in ways.items():
            for a, b in ROLLS.tolist():
                for own, other in reference_states(state, (a, b)):
                    after[other, own] = after.get((other, own), 0) + n
        ways = after
        assert (len(ways), sum(ways.values())) == PERFT[depth]


def test_kernel() -> None:
    positions, ways = START[None], np.ones(1, np.int64)
    for depth in (1, 2):
        results, offsets = all_rolls(positions)
        reached = np.repeat(ways, np.diff(offsets[::21]))
        _, first, index = np.unique(numbers(results), return_index=True, return_inverse=True)
        positions, ways = results[first], np.bincount(index, reached).astype(np.int64)
        assert (len(positions), ways.sum()) == PERFT[depth]

    def last_roll(rows: slice) -> tuple[int, NDArray[np.uint64]]:
        part = positions[rows]
        results, offsets = plays_slice(np.repeat(part, 21, axis=0), np.tile(ROLLS, (len(part), 1)))
        return int(ways[rows] @ np.diff(offsets[::21])), sorted_once(numbers(results))

    parts = map_slices(last_roll, len(positions), 128)
    assert (distinct([n for _, n in parts]), sum(leaves for leaves, _ in parts)) == PERFT[3]


def sorted_once(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """``np.unique``, which hashes numbers since numpy 2.3; for so many, sorting is far quicker."""
    values.sort()
    new = np.ones(len(values), bool)
    new[1:] = values[1:] != values[:-1]
    return np.asarray(values[new])


def distinct(parts: list[NDArray[np.uint64]]) -> int:
    """How many different numbers sorted arrays hold; a sixteenth at a time, to save memory."""
    limits = np.arange(1, 16, dtype=np.uint64) << np.uint64(60)
    pieces = [np.split(part, np.searchsorted(part, limits)) for part in parts]
    return sum(len(sorted_once(np.concatenate(same))) for same in zip(*pieces, strict=True))
