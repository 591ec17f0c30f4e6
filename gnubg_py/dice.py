"""The 21 distinct rolls, their weights, and seeded dice (for rollouts: ``rollouts/dice.py``)."""

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
