"""Three of gnubg's generators of dice: ISAAC, MD5 and Blum-Blum-Shub, each an endless iterator.

They are generators of the same kinds as gnubg's; the same seed gives other dice than gnubg's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from itertools import count

_BLUM = (2**521 - 1) * (2**607 - 1)
"""The product of two primes that are 3 modulo 4."""
_WORD = 0xFFFFFFFF
_SIZE = 256


def md5_dice(seed: int) -> Iterator[int]:
    """Dice from the MD5 digests of the seed and a counter.

    >>> dice = md5_dice(1)
    >>> {next(dice) for _ in range(200)} == {1, 2, 3, 4, 5, 6}
    True
    """
    for number in count():
        for byte in hashlib.md5(f"{seed} {number}".encode(), usedforsecurity=False).digest():
            if byte < 252:  # the largest multiple of 6 that a byte can hold
                yield byte % 6 + 1


def bbs_dice(seed: int) -> Iterator[int]:
    """Dice of Blum, Blum and Shub (1986): x becomes x squared, its lowest bits are the numbers."""
    state = (seed + 2) ** 2 % _BLUM
    for _ in range(8):  # a small seed is a small square
        state = state * state % _BLUM
    while True:
        three = 0
        for _ in range(3):
            state = state * state % _BLUM
            three = 2 * three + (state & 1)
        if three < 6:
            yield three + 1


def isaac_dice(seed: int) -> Iterator[int]:
    """Dice of Jenkins's ISAAC (1996): 256 numbers of 32 bits at a time."""
    state = [(seed >> (32 * (i % 4)) ^ 0x9E3779B9 * (i + 1)) & _WORD for i in range(_SIZE)]
    a = b = c = 0
    for batch in count():
        c = (c + 1) & _WORD
        b = (b + c) & _WORD
        for i in range(_SIZE):
            old = state[i]
            a ^= ((a << 13) & _WORD, a >> 6, (a << 2) & _WORD, a >> 16)[i % 4]
            a = (state[(i + 128) % _SIZE] + a) & _WORD
            state[i] = mixed = (state[(old >> 2) % _SIZE] + a + b) & _WORD
            b = (state[(mixed >> 10) % _SIZE] + old) & _WORD
            if batch >= 4 and b < _WORD // 6 * 6:  # the first batches only mix the seed in
                yield b % 6 + 1


GENERATORS: dict[str, Callable[[int], Iterator[int]]] = {
    "bbs": bbs_dice,
    "isaac": isaac_dice,
    "md5": md5_dice,
}
