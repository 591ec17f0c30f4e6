"""Workers: compute long work item by item, in this process or on a cluster.

Long work is divided into items. The result of an item depends only on the item and on the data
that all items share, so it is the same to the bit on every worker and in any order. ``HERE``
computes items in this process; ``gnubg_py.cluster`` has workers in other processes and on other
machines.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar

from gnubg_py.threads import Item, T, map_stream, thread_count

Shared = TypeVar("Shared")

Numbered: TypeAlias = Generator[tuple[int, T], None, None]
"""Pairs of an item's number and its result, in any order."""


class WorkersLostError(ValueError):
    """The workers cannot be reached any more; ``partial`` is the work finished before, or None."""

    partial: Any = None


class Workers(Protocol):
    """What computes items of work."""

    @property
    def count(self) -> int:
        """How many items are computed at once."""
        ...

    def results(
        self, work: Callable[[Shared, Item], T], shared: Shared, items: Iterable[Item], /
    ) -> Numbered[T]:
        """``work(shared, item)`` of every item, with the item's number, in any order.

        ``work`` is a function at the top level of a module. Items are taken from ``items`` when
        workers are free. Closing the generator cancels the unfinished items.
        """
        ...


class _Here:
    """This process: one item after another."""

    count = 1

    def results(
        self, work: Callable[[Shared, Item], T], shared: Shared, items: Iterable[Item], /
    ) -> Numbered[T]:
        for number, item in enumerate(items):
            yield number, work(shared, item)


HERE: Workers = _Here()


@dataclass(frozen=True)
class Threads:
    """The threads of this process, each with an item of its own.

    ``give_up`` makes unfinished items end soon; it is called if the results are closed before
    their end.
    """

    give_up: Callable[[], None]

    @property
    def count(self) -> int:
        """How many items are computed at once."""
        return thread_count()

    def results(
        self, work: Callable[[Shared, Item], T], shared: Shared, items: Iterable[Item], /
    ) -> Numbered[T]:
        """See ``Workers.results``; the results are in order."""
        with closing(map_stream(partial(work, shared), items, self.give_up)) as found:
            yield from enumerate(found)


def in_order(results: Numbered[T]) -> Generator[T, None, None]:
    """The results alone, in the order of the items.

    >>> list(in_order((n, name) for n, name in [(1, "b"), (2, "c"), (0, "a")]))
    ['a', 'b', 'c']
    """
    ahead: dict[int, T] = {}
    following = 0
    with closing(results):
        for number, result in results:
            ahead[number] = result
            while following in ahead:
                yield ahead.pop(following)
                following += 1


_SHARES = 4


def share_size(n: int, workers: Workers, most: int) -> int:
    """The number of rows of an item, for n rows in all: there are several items for each worker.

    It is at most ``most``, and exactly ``most`` where there is one worker.
    """
    return most if workers.count == 1 else max(1, min(most, -(-n // (_SHARES * workers.count))))
