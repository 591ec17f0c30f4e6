"""Generators of dice: each an endless iterator of numbers from 1 to 6 that follow from a seed.

All but PCG-64 give the same dice as gnubg 1.07 does for the same seed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from itertools import count

import numpy as np

BBS_MODULUS = 46669116508701198206463178178218347698370262771368237383789001446050921334081
"""The modulus of Blum, Blum and Shub where none is given, as in gnubg."""
_LEAST_FACTOR = 17
_SHORT_CYCLE = 16
_MOST_TRIES = 1000
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
    for number in count(md5_seed(seed)):
        digest = hashlib.md5((number & _WORD).to_bytes(4, "little"), usedforsecurity=False).digest()
        for place in (0, 4):
            yield int.from_bytes(digest[place : place + 4], "little") // _SIXTH % 6 + 1


def md5_seed(seed: int) -> int:
    """The 32 bits that stand for a seed: of more than 64, gnubg takes the lowest."""
    return seed % 2**64 % _WORD


class BlumBlumShub:
    """Dice of Blum, Blum and Shub (1986): x becomes x squared modulo a number; x's last bit counts.

    Two bits that are alike give the remainder 0 or 2 of a die modulo 3; after two that differ, a
    third one like the second gives 1, and any other is the first of the next two. One bit more
    tells whether the die is above 3. A seed that returns within a few squares is counted up.

    >>> dice = BlumBlumShub(42)
    >>> [next(dice) for _ in range(6)]
    [1, 1, 3, 4, 4, 5]
    """

    def __init__(self, seed: int, modulus: int = BBS_MODULUS) -> None:
        self.modulus = modulus
        tries = range(seed, seed + min(modulus, _MOST_TRIES)) if seed else ()
        self.state = next((x for x in tries if not _returns_soon(x, modulus)), 0)
        """The newest square, or the seed before the first one; 0: there are no dice."""

    def __iter__(self) -> BlumBlumShub:
        """The dice themselves."""
        return self

    def __next__(self) -> int:
        """One die."""
        one, two = self._bit(), self._bit()
        remainder = 2 * one
        for _ in range(_MOST_TRIES):  # the last bits of a bad modulus may alternate for ever
            if one == two:
                break
            one = self._bit()
            if one == two:
                remainder = 1
                break
            two = self._bit()
            remainder = 2 * one
        return 1 + remainder + 3 * self._bit()

    def _bit(self) -> int:
        self.state = self.state * self.state % self.modulus
        return self.state & 1


def _returns_soon(x: int, modulus: int) -> bool:
    """Whether the squares of a number are soon the same again."""
    for _ in range(_SHORT_CYCLE):
        x = x * x % modulus
    first = x
    for _ in range(_SHORT_CYCLE):
        x = x * x % modulus
        if x == first:
            return True
    return False


def blum_prime(least: int, other: int = 0) -> int:
    """The smallest prime from ``least`` on that is 3 modulo 4, neither tiny nor ``other``.

    >>> blum_prime(7), blum_prime(19, other=19), blum_prime(100)
    (19, 23, 103)
    """
    number = max(least, _LEAST_FACTOR)
    while number % 4 != 3 or number == other or not _is_prime(number):
        number += 1
    return number


def _is_prime(n: int) -> bool:
    """Miller and Rabin's test with the first 40 primes as bases."""
    small = [p for p in range(2, 174) if all(p % q for q in range(2, p))]
    if any(n % p == 0 for p in small):
        return n in small
    twos = (n - 1 & 1 - n).bit_length() - 1
    for base in small:
        x = pow(base, n >> twos, n)
        powers = [x]
        for _ in range(twos - 1):
            powers.append(powers[-1] * powers[-1] % n)
        if x != 1 and n - 1 not in powers:
            return False
    return True


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
    "bbs": BlumBlumShub,
    "isaac": isaac_dice,
    "md5": md5_dice,
    "mersenne": mersenne_dice,
    "pcg64": pcg64_dice,
}
