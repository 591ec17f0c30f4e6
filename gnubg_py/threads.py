"""Work over slices of a batch, or over a stream of items, on as many threads as are allowed.

The kernels release the interpreter's lock, so plain threads use every core. What a slice yields
must not depend on where it is cut: then results do not depend on the number of threads.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")
T = TypeVar("T")

_threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_pool: ThreadPoolExecutor | None = None
_lock = threading.Lock()
_taken = 0
"""Threads that do other work."""


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


@contextmanager
def thread_taken() -> Iterator[None]:
    """While the calling thread does other work, let slices have one thread less.

    If all of them worked beside it, they would share its processor core, and it would end later.
    """
    global _taken
    with _lock:
        _taken += 1
    try:
        yield
    finally:
        with _lock:
            _taken -= 1


def _free() -> int:
    """How many threads slices may have now."""
    return max(1, _threads - _taken)


def slices(n: int, size: int) -> list[slice]:
    """Slices of at most ``size`` rows that make up range(n), in order.

    >>> slices(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def slice_size(n: int, most: int, least: int = 1) -> int:
    """How many of n rows make a slice, at most ``most``, so that every thread gets as many slices.

    Few and large slices: between two of them threads wait for the interpreter. For fewer rows than
    ``least`` no other thread is woken.
    """
    threads = 1 if _is_alone() else _threads
    rounds = max(1, -(-n // (most * threads)))
    return max(least, -(-n // (rounds * threads)))


def map_slices(work: Callable[[slice], T], n: int, size: int) -> list[T]:
    """``work`` on slices of ``size`` of range(n), in order; at least one slice, maybe empty.

    The calling thread works too: it need not wake up when the others are done. If ``work`` calls
    this function itself, the inner slices run on the thread of ``work``: a thread of the pool that
    waited for the pool could wait for ever.
    """
    global _pool
    parts = slices(n, size) or [slice(0, 0)]
    if len(parts) == 1 or _is_alone():
        return [work(rows) for rows in parts]
    if _pool is None:
        _pool = _new_pool()
    found: dict[int, T] = {}
    left = iter(enumerate(parts))

    def work_on() -> None:
        was_working, _here.is_working = _here.is_working, True
        try:
            for number, rows in left:
                found[number] = work(rows)
        finally:
            _here.is_working = was_working
            for _ in left:  # after a failure nobody begins another slice
                pass

    helpers = [_pool.submit(work_on) for _ in range(min(_free(), len(parts)) - 1)]
    try:
        work_on()
    finally:
        helpers = [helper for helper in helpers if not helper.cancel()]
        wait(helpers)
    for helper in helpers:
        helper.result()
    return [found[number] for number in range(len(parts))]


def on_threads(work: Callable[[], None], most: int) -> None:
    """Call ``work`` on all threads, at most on ``most``, and wait until every call has ended.

    The calls share what is to be done among themselves: see ``claims.py``.
    """
    map_slices(lambda _: work(), min(max(1, most), _threads), 1)


def map_stream(
    work: Callable[[Item], T], items: Iterable[Item], give_up: Callable[[], None]
) -> Generator[T, None, None]:
    """Yield ``work(item)`` of each item, in order; one more item than threads is taken ahead.

    If the caller closes the stream before its end, or an item fails, ``give_up`` is called: it
    should make unfinished work end soon, and the stream waits for that.
    """
    if _is_alone():
        yield from map(work, items)
        return
    waiting: deque[Future[T]] = deque()
    pool = _new_pool()
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > _threads:
                yield _first_done(waiting)
        while waiting:
            yield _first_done(waiting)
    finally:
        if waiting:
            give_up()
        pool.shutdown(cancel_futures=True)


def _first_done(waiting: deque[Future[T]]) -> T:
    """Wait for the first result and remove it from ``waiting``; an interrupt leaves it there."""
    answer = waiting[0].result()
    waiting.popleft()
    return answer


def _is_alone() -> bool:
    """Whether work must run on the calling thread."""
    return _free() == 1 or _here.is_working


def _new_pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_threads, thread_name_prefix="gnubg_py", initializer=_mark_worker)


def _mark_worker() -> None:
    _here.is_working = True


class _Here(threading.local):
    """Whether this thread works on a slice or an item."""

    is_working = False


_here = _Here()
