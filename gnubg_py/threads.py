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
_working = 0
"""Threads that work on slices or items of streams."""


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


def _idle() -> int:
    """How many threads could help the calling one now."""
    mine = 0 if _here.is_working else 1
    return max(0, _threads - _taken - _working - mine)


def _claim_helpers(most: int) -> int:
    """Count idle threads as working, at most so many; how many these are."""
    global _working
    if most == 0:
        return 0
    with _lock:
        found = min(most, _idle())
        _working += found
    return found


def _count_working(change: int) -> None:
    global _working
    with _lock:
        _working += change


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
    threads = 1 + _idle()
    rounds = max(1, -(-n // (most * threads)))
    return max(least, -(-n // (rounds * threads)))


def map_slices(work: Callable[[slice], T], n: int, size: int) -> list[T]:
    """``work`` on slices of ``size`` of range(n), in order; at least one slice, maybe empty.

    The calling thread works too: it need not wake up when the others are done. ``work`` may call
    this function itself: threads that have nothing else to do then help with the inner slices.
    """
    global _pool
    parts = slices(n, size) or [slice(0, 0)]
    count = _claim_helpers(len(parts) - 1)
    if count == 0:
        return [work(rows) for rows in parts]
    if _pool is None:
        _pool = _new_pool(_mark_helper)
    found: dict[int, T] = {}
    left = iter(enumerate(parts))

    def work_on() -> None:
        try:
            for number, rows in left:
                found[number] = work(rows)
        finally:
            for _ in left:  # after a failure nobody begins another slice
                pass

    def help_out() -> None:
        try:
            work_on()
        finally:
            _count_working(-1)

    helpers = [_pool.submit(help_out) for _ in range(count)]
    try:
        with _at_work():
            work_on()
    finally:
        # Helpers that have not begun are not needed: so a thread of the pool that waits for
        # others waits only for threads that work.
        begun = [helper for helper in helpers if not helper.cancel()]
        _count_working(len(begun) - count)
        wait(begun)
    for helper in begun:
        helper.result()
    return [found[number] for number in range(len(parts))]


@contextmanager
def _at_work() -> Iterator[None]:
    """Count the calling thread as working, unless it is counted already."""
    if _here.is_working:
        yield
        return
    _here.is_working = True
    _count_working(1)
    try:
        yield
    finally:
        _here.is_working = False
        _count_working(-1)


def on_threads(work: Callable[[], None], most: int) -> None:
    """Call ``work`` on all threads, at most on ``most``, and wait until every call has ended.

    The calls share what is to be done among themselves: see ``claims.py``.
    """
    map_slices(lambda _: work(), min(max(1, most), 1 + _idle()), 1)


def map_stream(
    work: Callable[[Item], T], items: Iterable[Item], give_up: Callable[[], None]
) -> Generator[T, None, None]:
    """Yield ``work(item)`` of each item, in order; one more item than threads is taken ahead.

    If the caller closes the stream before its end, or an item fails, ``give_up`` is called: it
    should make unfinished work end soon, and the stream waits for that.
    """
    if _idle() == 0:
        yield from map(work, items)
        return
    waiting: deque[Future[T]] = deque()
    pool = _new_pool()

    def work_on(item: Item) -> T:
        with _at_work():
            return work(item)

    try:
        for item in items:
            waiting.append(pool.submit(work_on, item))
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


def _new_pool(begin: Callable[[], None] | None = None) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_threads, thread_name_prefix="gnubg_py", initializer=begin)


def _mark_helper() -> None:
    """Who asks for a helper counts it."""
    _here.is_working = True


class _Here(threading.local):
    """Whether this thread is counted as working."""

    is_working = False


_here = _Here()
