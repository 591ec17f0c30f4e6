"""Keys of boards: two integers that identify a position; and finding the distinct keys."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.kernel_cache import njit
from gnubg_py.threads import map_slices

_SLICE = 8192
KEY_BITS = 40
"""The bits of a side's key: at most 15 ones and 25 zeros. The upper 24 bits are free."""


@njit(cache=True, nogil=True)
def fill_keys(boards, out):  # type: ignore[no-untyped-def]
    """Write the key of each side: for every point a one for each checker, then a zero."""
    for i in range(boards.shape[0]):
        for side in range(2):
            key = np.uint64(0)
            at = 0
            for p in range(25):
                count = boards[i, side, p]
                key |= ((np.uint64(1) << np.uint64(count)) - np.uint64(1)) << np.uint64(at)
                at += count + 1
            out[i, side] = key


def board_keys(boards: Boards) -> NDArray[np.uint64]:
    """The keys of boards, ``int8[n, 2, 25] -> uint64[n, 2]``. Only equal boards have equal keys."""
    out = np.empty((len(boards), 2), np.uint64)
    map_slices(lambda rows: fill_keys(boards[rows], out[rows]), len(boards), _SLICE)
    return out


def boards_of_keys(keys: NDArray[np.uint64]) -> Boards:
    """The boards that have these keys, ``uint64[n, 2] -> int8[n, 2, 25]``.

    >>> from gnubg_py.board import START
    >>> bool((boards_of_keys(board_keys(START[None]))[0] == START).all())
    True
    """
    places = np.arange(KEY_BITS, dtype=np.uint64)
    bits = (keys[..., None] >> places & np.uint64(1)).astype(np.int64)
    # A one is a checker on the point whose number is that of the zeros before it.
    point = np.cumsum(1 - bits, axis=-1)
    boards = [(bits * (point == p)).sum(axis=-1) for p in range(25)]
    return np.stack(boards, axis=-1).astype(np.int8)


@njit(cache=True, nogil=True)
def mix(a, b):  # type: ignore[no-untyped-def]
    """A uint64 hash of two: the SplitMix64 finaliser, applied to their combination."""
    x = (a * np.uint64(0x9E3779B97F4A7C15)) ^ (b * np.uint64(0xD1B54A32D192ED03))
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True)
def _fill_distinct(keys, table, first, inverse):  # type: ignore[no-untyped-def]
    """Number the distinct keys. ``table`` int32[a power of two], all -1, is the hash table."""
    mask = np.uint64(len(table) - 1)
    n = 0
    for i in range(keys.shape[0]):
        slot = mix(keys[i, 0], keys[i, 1]) & mask
        while True:
            k = table[slot]
            if k < 0:
                table[slot] = n
                first[n] = i
                inverse[i] = n
                n += 1
                break
            j = first[k]
            if keys[j, 0] == keys[i, 0] and keys[j, 1] == keys[i, 1]:
                inverse[i] = k
                break
            slot = (slot + np.uint64(1)) & mask
    return n


def distinct(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first row of each distinct key, ascending, and for every row the number of its key.

    ``uint64[n, 2] -> first int64[d], inverse int64[n]``, with ``keys[first][inverse] == keys``.
    """
    n = len(keys)
    table = np.full(1 << max(4, (2 * n - 1).bit_length()), -1, np.int32)
    first, inverse = np.empty(n, np.int64), np.empty(n, np.int64)
    count = _fill_distinct(keys, table, first, inverse)
    return first[:count], inverse
