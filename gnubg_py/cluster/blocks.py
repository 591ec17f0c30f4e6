"""The way of blocks: sent to the workers, a few ahead of them, and their results collected."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

from gnubg_py.messages import say
from gnubg_py.threads import Item, T
from gnubg_py.workers import Numbered, Shared, WorkersLostError

if TYPE_CHECKING:
    from distributed import Future

    from gnubg_py.cluster.connecting import Cluster

_AHEAD = 2
"""Blocks on their way for every thread of a worker: one in work, one that waits for it."""
_POLL_SECONDS = 0.5
_WAIT_SECONDS = 10.0
_numbers = count()


def results_of(
    cluster: Cluster, work: Callable[[Shared, Item], T], shared: Shared, items: Iterable[Item]
) -> Numbered[T]:
    """``work(shared, item)`` of all items, computed by the workers; see ``Workers.results``."""
    key = cluster.deliver(shared)
    run = _Run(cluster, key, work)
    coming = enumerate(items)
    try:
        run.fill(coming)
        while run.blocks:
            for result in run.next_results():
                yield result
                run.fill(coming)
    finally:
        run.cancel()
        cluster.withdraw(key)


class _Run:
    """The blocks that are on their way: each with its number and item, so that it can go again."""

    def __init__(self, cluster: Cluster, key: str, work: Callable[..., Any]) -> None:
        self.cluster, self.key, self.work = cluster, key, work
        self.blocks: dict[Future[Any], tuple[int, Any]] = {}
        self.done: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self.heard = time.monotonic()

    def fill(self, coming: Iterator[tuple[int, Any]]) -> None:
        """Send blocks until enough are on their way; items may come again after there were none."""
        while len(self.blocks) < _AHEAD * self.cluster.count:
            following = next(coming, None)
            if following is None:
                return
            self.submit(*following)

    def submit(self, number: int, item: Any) -> None:
        from gnubg_py.cluster.worker import compute

        future = self.cluster.client.submit(
            compute,
            self.key,
            self.work,
            item,
            key=f"{self.work.__name__.strip('_')}-{self.key[:8]}-{next(_numbers)}",
            workers=self.cluster.usable(),
            pure=False,
        )
        self.blocks[future] = number, item
        future.add_done_callback(self.done.put)

    def next_results(self) -> list[tuple[int, Any]]:
        """The next results that come; blocks that failed for a worker's sake go again."""
        finished: dict[Future[Any], int] = {}
        for future in self._next_done():
            number, item = self.blocks.pop(future, (None, None))
            if number is None:
                continue
            if future.status == "error":
                self._failed(future.exception())
                self.submit(number, item)
            else:
                finished[future] = number
        # Collected together: to fetch a result takes several messages, however large it is.
        try:
            results = self.cluster.client.gather(list(finished))
        except (CancelledError, TimeoutError, OSError) as error:
            raise self.cluster.lost() from error
        self.heard = time.monotonic()
        return list(zip(finished.values(), results, strict=True))

    def _next_done(self) -> list[Future[Any]]:
        """The blocks that are done: one at least, which is waited for."""
        while True:
            with suppress(queue.Empty):
                done = [self.done.get(timeout=_POLL_SECONDS)]
                while not self.done.empty():
                    done.append(self.done.get_nowait())
                return done
            self.cluster.check()
            if time.monotonic() - self.heard > _WAIT_SECONDS and not self.cluster.count_now():
                say("the cluster has no workers: waiting for some to come; Ctrl-C stops")
                self.heard = time.monotonic() + 3600

    def _failed(self, problem: BaseException | None) -> None:
        """Raise what a block failed by, unless it was for the worker's sake alone."""
        from distributed.scheduler import KilledWorker

        from gnubg_py.cluster.worker import NotHereError, RefusedError

        if isinstance(problem, RefusedError):
            self.cluster.refuse(*problem.args)
        elif isinstance(problem, NotHereError):
            self.cluster.deliver_again(self.key)
        elif isinstance(problem, KilledWorker):
            raise WorkersLostError(
                f"{problem.allowed_failures + 1} workers died of the same block of work, the last "
                f"one {problem.last_worker.address}: look at its memory and its log"
            ) from None
        else:
            raise problem or self.cluster.lost()

    def cancel(self) -> None:
        """Cancel what is not finished."""
        if self.blocks and self.cluster.is_running():
            with suppress(Exception):  # on the way out, nothing else is to be said
                self.cluster.client.cancel(list(self.blocks), force=True)
        self.blocks.clear()
