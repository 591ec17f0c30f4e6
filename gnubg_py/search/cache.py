"""The cache: a fixed-size table of evaluations, keyed by everything they depend on.

A key is the whole position (``keys.py``) and a tag, a number for the rest: the evaluator, the
plies, the cubes, the settings. Both are stored and compared in full, so a wrong hit cannot happen.
Equal hashes share a bucket of four entries. A new entry comes first, and the oldest is dropped.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.kernel_cache import njit
from gnubg_py.keys import KEY_BITS, mix

_WAYS = 4
"""The entries of a bucket."""
_MAX_TAGS = (1 << (64 - KEY_BITS)) - 1


@njit(cache=True, nogil=True)
def _look_up(keys, tag, table, payload, out, hit):  # type: ignore[no-untyped-def]
    """Fill ``out[i]`` and ``hit[i]`` for each key; returns the hits."""
    mask = np.uint64(table.shape[0] // _WAYS - 1)
    label = np.uint64(tag) << np.uint64(KEY_BITS)
    hits = 0
    for i in range(keys.shape[0]):
        a, b = keys[i, 0] | label, keys[i, 1]
        bucket = np.int64(mix(a, b) & mask) * _WAYS
        hit[i] = False
        for way in range(_WAYS):
            if table[bucket + way, 0] == a and table[bucket + way, 1] == b:
                for j in range(out.shape[1]):
                    out[i, j] = payload[bucket + way, j]
                hit[i] = True
                hits += 1
                break
    return hits


@njit(cache=True, nogil=True)
def _insert(keys, tag, values, table, payload):  # type: ignore[no-untyped-def]
    """Put each value first in its bucket; an entry of the same key is replaced."""
    mask = np.uint64(table.shape[0] // _WAYS - 1)
    label = np.uint64(tag) << np.uint64(KEY_BITS)
    width = values.shape[1]
    for i in range(keys.shape[0]):
        a, b = keys[i, 0] | label, keys[i, 1]
        bucket = np.int64(mix(a, b) & mask) * _WAYS
        last = _WAYS - 1
        for way in range(_WAYS):
            if table[bucket + way, 0] == a and table[bucket + way, 1] == b:
                last = way
                break
        for way in range(last, 0, -1):
            table[bucket + way, 0] = table[bucket + way - 1, 0]
            table[bucket + way, 1] = table[bucket + way - 1, 1]
            for j in range(payload.shape[1]):
                payload[bucket + way, j] = payload[bucket + way - 1, j]
        table[bucket, 0], table[bucket, 1] = a, b
        for j in range(width):
            payload[bucket, j] = values[i, j]


@dataclass(frozen=True)
class CacheStatistics:
    """The numbers of a cache: its ``size`` in entries, entries used, look-ups, hits."""

    size: int
    used: int
    lookups: int
    hits: int


class Table:
    """One table: ``size`` entries of ``width`` numbers; shared by threads, one at a time.

    ``size`` is rounded up to a power of two; 0 remembers nothing.
    """

    def __init__(self, size: int, width: int, kind: type[np.floating[Any]]) -> None:
        size = 0 if size == 0 else max(_WAYS, 1 << (size - 1).bit_length())
        # Position keys have at least one checker, so that a row of zeros is no key.
        self._keys = np.zeros((size, 2), np.uint64)
        self._payload = np.zeros((size, width), kind)
        self._lock = threading.Lock()
        self._lookups = self._hits = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process gets an empty table."""
        size, width = self._payload.shape
        return Table, (size, width, self._payload.dtype.type)

    def look_up(
        self, keys: NDArray[np.uint64], tag: int, width: int
    ) -> tuple[NDArray[np.floating[Any]], NDArray[np.bool_]]:
        """Entries of keys, ``uint64[n, 2] -> [n, width], bool[n]``; rows of misses are unset."""
        out = np.empty((len(keys), width), self._payload.dtype)
        hit = np.zeros(len(keys), np.bool_)
        if len(self._keys) and len(keys):
            with self._lock:
                self._hits += _look_up(keys, tag, self._keys, self._payload, out, hit)
                self._lookups += len(keys)
        return out, hit

    def insert(self, keys: NDArray[np.uint64], tag: int, values: NDArray[np.floating[Any]]) -> None:
        """Remember ``values [n, width]``, of the table's own type."""
        if len(self._keys) and len(keys):
            with self._lock:
                _insert(keys, tag, values, self._keys, self._payload)

    def clear(self) -> None:
        """Forget everything, the statistics too."""
        with self._lock:
            self._keys[:] = 0
            self._lookups = self._hits = 0

    def statistics(self) -> CacheStatistics:
        """The numbers since it was made or cleared."""
        with self._lock:
            used = int(np.count_nonzero(self._keys[:, 0] | self._keys[:, 1]))
            size = len(self._keys)
            return CacheStatistics(size, used, self._lookups, self._hits)


DEEP_WIDTH = 5 + 8
"""Five probabilities and the values of up to 8 cubes; nodes with more cubes are not kept."""
_DEEP_SHARE = 8


class SearchCache:
    """The cache of a search: ``static`` for evaluations, ``deep`` for the values of nodes.

    ``size`` counts static entries, of 36 bytes; there is one deep entry, of 120 bytes, to eight of
    them. A cache may be shared by searches of any evaluators and settings, and by threads.
    """

    def __init__(self, size: int = 1 << 18) -> None:
        if not (isinstance(size, int) and 0 <= size <= 1 << 28):
            raise ValueError(f"cache size {size}: should be 0 (none) to {1 << 28} entries")
        self.static = Table(size, 5, np.float32)
        self.deep = Table(size // _DEEP_SHARE, DEEP_WIDTH, np.float64)
        self._tags: dict[tuple[Hashable, ...], int] = {}
        self._last_tag = 0
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process uses its own shared cache: a cache changes only the time."""
        return shared_cache, ()

    def tag(self, *parts: Hashable) -> int:
        """A number for everything that entries depend on besides the position.

        Equal ``parts`` have the same number; that of an evaluator is its ``identity``.
        """
        with self._lock:
            if parts not in self._tags:
                if self._last_tag >= _MAX_TAGS:
                    raise ValueError("cache: too many evaluators and settings: use a new one")
                self._last_tag += 1
                self._tags[parts] = self._last_tag
            return self._tags[parts]

    def clear(self) -> None:
        """Forget everything, the evaluators too.

        Tags are not given twice: a search that still runs may use, and enter, those from before.
        """
        with self._lock:
            self._tags.clear()
        self.static.clear()
        self.deep.clear()


_shared: SearchCache | None = None


def shared_cache() -> SearchCache:
    """The cache that engines share by default."""
    global _shared
    if _shared is None:
        _shared = SearchCache()
    return _shared


def set_cache_size(size: int) -> None:
    """Replace the shared cache by an empty one of this size, in entries. 0 turns it off."""
    global _shared
    _shared = SearchCache(size)
