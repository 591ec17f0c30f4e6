"""Work over slices of a batch, or over a stream of items, on as many threads as are allowed.

The kernels release the interpreter's lock, so plain threads use every core. What a slice yields
must not depend on where it is cut: then results do not depend on the number of threads.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TypeAlias, TypeVar

Item = TypeVar("Item")
T = TypeVar("T")

_threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
Calls: TypeAlias = SimpleQueue[Callable[[], None] | None]
_calls: Calls | None = None
"""What the helpers are to call. They take one call after another, and end at None. An executor's
futures would take longer than small slices do."""
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
    global _threads, _calls
    if not 1 <= n <= 1024:
        raise ValueError(f"threads {n}: should be 1 to 1024")
    if n != _threads:
        if _calls is not None:
            for _ in range(_threads):
                _calls.put(None)
        _threads, _calls = n, None


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
    parts = slices(n, size) or [slice(0, 0)]
    count = _claim_helpers(len(parts) - 1)
    if count == 0:
        return [work(rows) for rows in parts]
    found: dict[int, T] = {}
    left = iter(enumerate(parts))

    def work_on() -> None:
        try:
            for number, rows in left:
                found[number] = work(rows)
        finally:
            for _ in left:  # after a failure nobody begins another slice
                pass

    with _helped(work_on, count), _at_work():
        work_on()
    return [found[number] for number in range(len(parts))]


@contextmanager
def _helped(work: Callable[[], None], count: int) -> Iterator[None]:
    """Let ``count`` helpers, who are counted already, call ``work`` meanwhile; wait for them.

    Helpers that have not begun in the end are not needed: so a helper that waits for others waits
    only for threads that work.
    """
    calls, places = _helpers_calls(), [None] * count
    ends: SimpleQueue[BaseException | None] = SimpleQueue()

    def help_out() -> None:
        if not _taken_from(places):
            return
        error = None
        try:
            work()
        except BaseException as problem:  # raised again in the calling thread
            error = problem
        _count_working(-1)
        ends.put(error)

    for _ in range(count):
        calls.put(help_out)
    try:
        yield
    finally:
        begun = count
        while _taken_from(places):
            begun -= 1
        _count_working(begun - count)
        errors = [ends.get() for _ in range(begun)]
    for error in errors:
        if error is not None:
            raise error


def _taken_from(places: list[None]) -> bool:
    """Take one of the places left, which no other thread then gets."""
    try:
        places.pop()
    except IndexError:
        return False
    return True


def _helpers_calls() -> Calls:
    """Where helpers take their calls from; they begin to wait there."""
    global _calls
    with _lock:
        if _calls is None:
            _calls = SimpleQueue()
            for k in range(_threads):
                name = f"gnubg_py {k}"
                threading.Thread(target=_help, args=(_calls,), name=name, daemon=True).start()
        return _calls


def _help(calls: Calls) -> None:
    _here.is_working = True  # who asks for a helper counts it
    while (call := calls.get()) is not None:
        call()


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

    If the caller closes the stream before its end, or an item fails, while others are being worked
    on, ``give_up`` is called: it should make these end soon, and the stream waits for that.
    """
    if _idle() == 0:
        yield from map(work, items)
        return
    waiting: deque[Future[T]] = deque()
    pool = ThreadPoolExecutor(_threads, thread_name_prefix="gnubg_py")

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


class _Here(threading.local):
    """Whether this thread is counted as working."""

    is_working = False


_here = _Here()
