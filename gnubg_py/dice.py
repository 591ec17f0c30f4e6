"""The 21 distinct rolls and their weights, seeded dice, and stratified dice for rollouts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ROLLS: NDArray[np.int8] = np.array([(a, b) for a in range(1, 7) for b in range(1, a + 1)], np.int8)
"""The distinct rolls, larger die first: 1-1, 2-1, 2-2, 3-1 ... 6-6. ``int8[21, 2]``."""

ROLL_WEIGHTS: NDArray[np.int64] = np.where(ROLLS[:, 0] == ROLLS[:, 1], 1, 2).astype(np.int64)
"""How many of the 36 rolls each distinct one stands for. ``int64[21]``, sum 36."""

ROLL_PROBABILITIES: NDArray[np.float64] = ROLL_WEIGHTS / 36.0

ROLL_INDEX: NDArray[np.int8] = np.full((7, 7), -1, np.int8)
"""``ROLL_INDEX[a, b]`` is the row of ``ROLLS`` that holds the roll, in either order of dice."""
for _i, (_a, _b) in enumerate(ROLLS.tolist()):
    ROLL_INDEX[_a, _b] = ROLL_INDEX[_b, _a] = _i

for _constant in (ROLLS, ROLL_WEIGHTS, ROLL_PROBABILITIES, ROLL_INDEX):
    _constant.setflags(write=False)


def check_dice(dice: tuple[int, int]) -> tuple[int, int]:
    """The two dice as plain numbers, larger first; ``ValueError`` unless each is 1 to 6.

    >>> check_dice((1, 3))
    (3, 1)
    >>> check_dice((0, 7))
    Traceback (most recent call last):
    ValueError: dice 0 and 7: each die should be 1 to 6
    """
    a, b = (int(d) for d in dice)
    if not (1 <= a <= 6 and 1 <= b <= 6):
        raise ValueError(f"dice {a} and {b}: each die should be 1 to 6")
    return max(a, b), min(a, b)


def parse_dice(text: str) -> tuple[int, int]:
    """Dice written as ``31``, ``3 1`` or ``3-1``.

    >>> parse_dice("1-3")
    (3, 1)
    """
    digits = [c for c in text if c not in " -,/"]
    if len(digits) != 2 or not all(c.isascii() and c.isdigit() for c in digits):
        raise ValueError(f"dice {text!r}: expected two numbers from 1 to 6, as in 31")
    return check_dice((int(digits[0]), int(digits[1])))


def roll_dice(generator: np.random.Generator, n: int) -> NDArray[np.int8]:
    """``n`` fair rolls, ``int8[n, 2]``, each larger die first.

    >>> roll_dice(np.random.default_rng(1), 2).tolist()
    [[6, 6], [3, 1]]
    """
    dice = generator.integers(1, 7, size=(n, 2), dtype=np.int8)
    dice[:, ::-1].sort(axis=1)
    return dice


def opening_rolls(generator: np.random.Generator, n: int) -> NDArray[np.int8]:
    """``n`` rolls that are not doubles, as a game's first roll is. ``int8[n, 2]``."""
    a = generator.integers(1, 7, size=n, dtype=np.int8)
    b = (a + generator.integers(0, 5, size=n, dtype=np.int8)) % 6 + 1
    return np.stack([np.maximum(a, b), np.minimum(a, b)], axis=1)


def stratified_rolls(
    trials: NDArray[np.int64], turn: int, seed: int, *, first_no_double: bool = False
) -> NDArray[np.int8]:
    """The rolls of one turn of a rollout's trials, spread evenly. ``int64[n] -> int8[n, 2]``.

    Of every 36 trials in a row each has its own first roll, of every 1,296 each its own pair of
    first two rolls, of every 46,656 its own first three; then dice are random. A trial's dice
    depend on the seed, its number and the turn alone. With ``first_no_double`` the first roll
    is one of the 30 that are not doubles, and the blocks are 30, 30 x 36, 30 x 36 x 36.

    >>> first = stratified_rolls(np.arange(36), 0, seed=7)
    >>> len(np.unique(ROLL_INDEX[first[:, 0], first[:, 1]])), bool((first >= 1).all())
    (21, True)
    """
    first_faces = 30 if first_no_double else 36
    if turn < STRATIFIED_TURNS:
        faces = first_faces if turn == 0 else 36
        stride = 1 if turn == 0 else first_faces * 36 ** (turn - 1)
        # Shifting each digit by what the higher digits are keeps every block complete while
        # neighbouring blocks do not repeat one another's sequence.
        block = trials // (stride * faces)
        shift = _hash(block, np.full_like(trials, 2 * turn + 1), seed) % np.uint64(faces)
        digit = (trials // stride + shift.astype(np.int64)) % faces
        number = _permutation(seed, turn, faces)[digit]
    else:
        faces = 36
        number = (_hash(trials, np.full_like(trials, 2 * turn), seed) % np.uint64(36)).astype(int)
    if faces == 30:
        a, rest = number // 5 + 1, number % 5
        b = rest + 1 + (rest + 1 >= a)
    else:
        a, b = number // 6 + 1, number % 6 + 1
    return np.stack([np.maximum(a, b), np.minimum(a, b)], axis=1).astype(np.int8)


STRATIFIED_TURNS = 3


def _permutation(seed: int, turn: int, faces: int) -> NDArray[np.int64]:
    return np.random.default_rng([seed, turn]).permutation(faces)


def _hash(a: NDArray[np.int64], b: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """A well mixed 64-bit number of each (a, b, seed): the SplitMix64 finaliser, twice."""
    with np.errstate(over="ignore"):
        x = a.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        x = _mix(x ^ np.uint64(seed & 0xFFFFFFFFFFFFFFFF))
        return _mix(x + b.astype(np.uint64) * np.uint64(0xD1B54A32D192ED03))


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
