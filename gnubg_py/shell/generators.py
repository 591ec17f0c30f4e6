"""Generators of dice: each an endless iterator of numbers from 1 to 6 that follow from a seed.

The Mersenne Twister, ISAAC and MD5 give the same dice as gnubg 1.07 does for the same seed;
Blum-Blum-Shub is a generator of the same kind as gnubg's, with other dice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from itertools import count

import numpy as np

_BLUM = (2**521 - 1) * (2**607 - 1)
"""The product of two primes that are 3 modulo 4."""
_WORD = 0xFFFFFFFF
_SIZE = 16
_MERSENNE_SIZE = 624
_SIXTH = 2**32 // 6


def mersenne_dice(seed: int) -> Iterator[int]:
    """Dice of MT19937, Matsumoto and Nishimura (1998), a seed of more than 32 bits as an array.

    >>> dice = mersenne_dice(42)
    >>> [next(dice) for _ in range(6)]
    [3, 5, 6, 2, 5, 5]
    """
    words = [seed >> 32 * i & _WORD for i in range(_MERSENNE_SIZE)]
    generator = np.random.RandomState(seed if seed <= _WORD else words)
    while True:
        for word in generator.randint(0, _WORD + 1, size=16, dtype=np.uint64).tolist():
            if word < 6 * _SIXTH:
                yield word // _SIXTH + 1


def md5_dice(seed: int) -> Iterator[int]:
    """Dice from the MD5 digests of the seed, the seed plus 1, and so on: two of each.

    >>> dice = md5_dice(42)
    >>> [next(dice) for _ in range(6)]
    [1, 6, 4, 1, 6, 5]
    """
    for number in count(seed):
        digest = hashlib.md5((number & _WORD).to_bytes(4, "little"), usedforsecurity=False).digest()
        for place in (0, 4):
            yield int.from_bytes(digest[place : place + 4], "little") // _SIXTH % 6 + 1


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
    """Dice of Jenkins's ISAAC (1996) with 16 words of 32 bits, as gnubg has it.

    >>> dice = isaac_dice(5)
    >>> [next(dice) for _ in range(8)]
    [6, 3, 6, 3, 5, 4, 1, 1]
    """
    state = _isaac_state([seed >> 32 * i & _WORD for i in range(_SIZE)])
    a = b = 0
    for c in count(1):
        b = (b + c) & _WORD
        batch = []
        for i in range(_SIZE):
            old = state[i]
            a ^= ((a << 13) & _WORD, a >> 6, (a << 2) & _WORD, a >> 16)[i % 4]
            a = (state[(i + _SIZE // 2) % _SIZE] + a) & _WORD
            state[i] = mixed = (state[(old >> 2) % _SIZE] + a + b) & _WORD
            b = (state[(mixed >> 6) % _SIZE] + old) & _WORD
            batch.append(b)
        yield from (word // _SIXTH + 1 for word in reversed(batch) if word < 6 * _SIXTH)


def _isaac_state(seed: list[int]) -> list[int]:
    """ISAAC's words at the start: the golden ratio, and the seed mixed in twice."""
    eight = [0x9E3779B9] * 8
    for _ in range(4):
        _mix(eight)
    state = list(seed)
    for _ in range(2):
        for first in range(0, _SIZE, 8):
            for i in range(8):
                eight[i] = (eight[i] + state[first + i]) & _WORD
            _mix(eight)
            state[first : first + 8] = eight
    return state


def _mix(words: list[int]) -> None:
    """Jenkins's mixing of eight words, in place."""
    for i, shift in enumerate((11, -2, 8, -16, 10, -4, 8, -9)):
        word = words[(i + 1) % 8]
        words[i] ^= word << shift & _WORD if shift > 0 else word >> -shift
        words[(i + 3) % 8] = (words[(i + 3) % 8] + words[i]) & _WORD
        words[(i + 1) % 8] = (word + words[(i + 2) % 8]) & _WORD


def pcg64_dice(seed: int) -> Iterator[int]:
    """Dice of O'Neill's PCG-64 (2014)."""
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    while True:
        yield from generator.integers(1, 7, size=16).tolist()


GENERATORS: dict[str, Callable[[int], Iterator[int]]] = {
    "bbs": bbs_dice,
    "isaac": isaac_dice,
    "md5": md5_dice,
    "mersenne": mersenne_dice,
    "pcg64": pcg64_dice,
}
