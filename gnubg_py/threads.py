"""Work over slices of a batch, on as many threads as are allowed.

The kernels release the interpreter's lock, so plain threads use every core. Slices are cut by
size alone, never by the number of threads: results do not depend on it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_pool: ThreadPoolExecutor | None = None
_here = threading.local()


def thread_count() -> int:
    """How many threads work at once."""
    return _threads


def set_thread_count(n: int) -> None:
    """Use ``n`` threads from now on."""
    global _threads, _pool
    if not 1 <= n <= 1024:
        raise ValueError(f"threads {n}: should be 1 to 1024")
    if n != _threads:
        _threads, _pool = n, None


def map_slices(work: Callable[[slice], T], n: int, size: int) -> list[T]:
    """``work`` on slices of ``size`` of range(n), in order; at least one slice, maybe empty.

    Where ``work`` itself comes here, its slices are done on the thread that it is on: waiting for
    the pool from inside the pool would be waiting for itself.
    """
    global _pool
    slices = [slice(i, min(i + size, n)) for i in range(0, n, size)] or [slice(0, 0)]
    if len(slices) == 1 or _threads == 1 or getattr(_here, "is_worker", False):
        return [work(s) for s in slices]
    if _pool is None:
        _pool = ThreadPoolExecutor(
            _threads, thread_name_prefix="gnubg_py", initializer=_mark_worker
        )
    return list(_pool.map(work, slices))


def _mark_worker() -> None:
    _here.is_worker = True
