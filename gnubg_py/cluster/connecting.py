"""Connecting to workers: those of a scheduler that runs, or processes started here.

A cluster started here listens on the loopback interface alone, and ends with the command.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gnubg_py.cluster.checks import data_checksum, difference, installation
from gnubg_py.messages import say
from gnubg_py.threads import Item, T
from gnubg_py.workers import Numbered, Shared, WorkersLostError

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

    from gnubg_py.cluster.deliveries import Packed

ADDRESS_VARIABLE = "DASK_SCHEDULER_ADDRESS"
MOST_LOCAL_WORKERS = 256
_CONNECT_SECONDS = 10
_LOCAL_SECONDS = 3
_ENVIRONMENT = "distributed.nanny.pre-spawn-environ"
_WORKER_ENVIRONMENT = {
    "MALLOC_TRIM_THRESHOLD_": 1 << 28,
    "MALLOC_MMAP_THRESHOLD_": 1 << 26,
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms",
}
"""dask's own setting gives memory back to the system after every large array, which costs a rollout
half of its time again. Its profiler and its clock wake a worker 150 times a second."""
_COUNT_SECONDS = 2.0
_LARGEST_STOCK = 256 << 20
"""Bytes of arrays that stay with the workers for work to come."""


def connect(where: int | str) -> Cluster:
    """The workers of a scheduler by its address, or a number of worker processes started here.

    Use it as ``with connect(2) as workers: ...``. ``ValueError`` where nothing can be reached.
    """
    count = _local_count(where)
    _quiet_logs()
    local, client = _started(count) if count else (None, _client(str(where)))
    return Cluster(local, client)


def _local_count(where: int | str) -> int:
    """The number of local workers that is asked for, or 0 where it is an address."""
    text = str(where)
    if not text.lstrip("+-").isdecimal():
        return 0
    if not 1 <= int(text) <= MOST_LOCAL_WORKERS:
        raise ValueError(f"cluster {text}: should be 1 to {MOST_LOCAL_WORKERS} worker processes")
    return int(text)


def _quiet_logs() -> None:
    """Silence the library's own messages: this program says in one line what matters."""
    for name in ("distributed", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _started(count: int) -> tuple[LocalCluster, Client]:
    """A cluster of one-threaded worker processes on this machine."""
    import dask
    from distributed import Client, LocalCluster

    # A result may be on a worker that has just died: on this machine, no answer is a sure sign.
    dask.config.set({"distributed.comm.timeouts.connect": f"{_LOCAL_SECONDS}s"})
    dask.config.set(
        {f"{_ENVIRONMENT}.{name}": value for name, value in _WORKER_ENVIRONMENT.items()}
    )
    with _workers_without_interrupts():
        local = LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            memory_limit=0,
            silence_logs=logging.CRITICAL + 1,
        )
        return local, Client(local, set_as_default=False)


@contextmanager
def _workers_without_interrupts() -> Iterator[None]:
    """Processes started meanwhile do not get Ctrl-C, which is this process's to handle."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _client(address: str) -> Client:
    """A connection to a scheduler that runs; TLS by dask's own configuration."""
    from distributed import Client

    try:
        return Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise ValueError(
            f"cluster {address}: no scheduler answers there; start one with: dask scheduler"
        ) from error
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(
            f"cluster {address}: {error}; should be like tcp://host:8786, or a number"
        ) from error


class Cluster:
    """The workers of a dask scheduler, as ``gnubg_py.workers.Workers``. ``connect`` makes one."""

    def __init__(self, local: LocalCluster | None, client: Client) -> None:
        from gnubg_py.cluster.databases import DatabaseSender

        self.client, self._local = client, local
        self.address = client.scheduler_info()["address"]
        self._refused: dict[str, str] = {}
        self._deliveries: dict[str, Packed] = {}
        self._stock: dict[str, dict[str, int]] = {}
        self._databases: dict[str, bool] = {}
        self._sender = DatabaseSender(self._ask_workers)
        self._count, self._counted = 0, -_COUNT_SECONDS
        try:
            self._check_workers()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __str__(self) -> str:
        noun = "thread" if self.count == 1 else "threads"
        return f"{self.address}, {self.count} {noun}"

    def close(self) -> None:
        """Let the workers go; those that were started here end."""
        with suppress(Exception):  # a scheduler that is gone cannot say goodbye
            for key in self._stock if self.is_running() else ():
                self.client.unregister_worker_plugin(_name(key))
        for one in (self.client, self._local):
            with suppress(Exception):
                if one is not None:
                    one.close(timeout=2)

    # The workers.

    @property
    def count(self) -> int:
        """The threads of all workers that can be used, at least 1."""
        if time.monotonic() - self._counted > _COUNT_SECONDS:
            self.count_now()
        return max(1, self._count)

    def count_now(self) -> int:
        """The threads of all workers that can be used."""
        threads = self._asked(self.client.nthreads)
        self._count = sum(n for address, n in threads.items() if address not in self._refused)
        self._counted = time.monotonic()
        return self._count

    def usable(self) -> list[str] | None:
        """The addresses of the workers to use; None is all of them."""
        if not self._refused:
            return None
        found = [one for one in self._asked(self.client.nthreads) if one not in self._refused]
        if not found:
            address, reason = next(iter(self._refused.items()))
            raise WorkersLostError(f"worker {address} is refused, and there is no other: {reason}")
        return found

    def refuse(self, address: str, reason: str) -> None:
        """Send nothing to a worker any more, and say why."""
        if address not in self._refused:
            say(f"worker {address} is refused: {reason}")
        self._refused[address] = reason

    def _check_workers(self) -> None:
        """Wait for the first worker; refuse those of another installation."""
        from gnubg_py.cluster.worker import report

        try:
            self.client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        except TimeoutError:
            raise ValueError(
                f"cluster {self.address}: it has no workers; start some with:"
                f" dask worker {self.address}"
            ) from None
        found = self._ask_workers(report, workers=None)
        for address, theirs in found.items():
            if isinstance(theirs, BaseException):
                self.refuse(address, f"it does not run gnubg-py ({theirs})")
            elif (reason := difference(installation(), theirs)) is not None:
                self.refuse(address, reason)
        self.usable()

    # What is sent to them.

    def results(
        self, work: Callable[[Shared, Item], T], shared: Shared, items: Iterable[Item], /
    ) -> Numbered[T]:
        """See ``Workers.results``."""
        from gnubg_py.cluster.blocks import results_of

        return results_of(self, work, shared, items)

    def deliver(self, shared: object) -> str:
        """Send an object to all workers; the key it has there, until it is withdrawn."""
        from gnubg_py.cluster.deliveries import pack

        packed = pack(shared)
        key = f"{packed.key}-{self.client.id}-{len(self._deliveries)}"
        self._deliveries[key] = packed
        self.deliver_again(key, only_new=True)
        return key

    def deliver_again(self, key: str, only_new: bool = False) -> None:
        """Send a delivery to workers that may not have it."""
        packed = self._deliveries[key]
        for name in packed.databases:
            if not only_new or name not in self._databases:
                self._databases[name] = self._sender.send(name, self.usable())
        there = {name for names in self._stock.values() for name in names}
        new = {n: a for n, a in packed.arrays.items() if not only_new or n not in there}
        if new:
            stock = data_checksum(" ".join(new).encode())
            self._register(stock, replace(packed, data=b"", arrays=new, databases=()))
            self._stock[stock] = {name: array.nbytes for name, array in new.items()}
        sent = tuple(name for name in packed.databases if self._databases[name])
        self._register(key, replace(packed, arrays={}, databases=sent))
        self._make_room()

    def withdraw(self, key: str) -> None:
        """Let the workers forget a delivery, but for large arrays, which work to come may need."""
        self._deliveries.pop(key, None)
        with suppress(Exception):  # a scheduler that is gone has forgotten it too
            if self.is_running():
                self.client.unregister_worker_plugin(_name(key))

    def _ask_workers(
        self, question: Callable[..., Any], *args: Any, workers: list[str] | None
    ) -> dict[str, Any]:
        """What a function returns, or the error it raises, on each of these workers, or all."""
        run = self.client.run
        found: dict[str, Any] = self._asked(
            run, question, *args, workers=workers, on_error="return"
        )
        return found

    def _register(self, key: str, packed: Packed) -> None:
        from gnubg_py.cluster.worker import Delivery

        plugin = Delivery(key, packed, installation(), self._local is not None)
        self._asked(self.client.register_plugin, plugin, name=_name(key))

    def _make_room(self) -> None:
        """Let the workers forget the oldest arrays that no work needs, where they are too many."""
        used = {name for packed in self._deliveries.values() for name in packed.arrays}
        for stock in [key for key, names in self._stock.items() if not names.keys() & used]:
            if self.stocked_bytes <= _LARGEST_STOCK:
                return
            del self._stock[stock]
            self._asked(self.client.unregister_worker_plugin, _name(stock))

    @property
    def stocked_bytes(self) -> int:
        """The bytes of the large arrays that every worker has."""
        return sum(sum(names.values()) for names in self._stock.values())

    # Whether they can be reached.

    def is_running(self) -> bool:
        """Whether the scheduler can be reached."""
        return bool(self.client.status == "running")

    def check(self) -> None:
        """Raise ``WorkersLostError`` where the scheduler cannot be reached."""
        if not self.is_running():
            raise self.lost()

    def lost(self) -> WorkersLostError:
        """The error that says so."""
        return WorkersLostError(f"cluster {self.address}: the scheduler does not answer any more")

    def _asked(self, question: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """The answer of the scheduler, or of the workers through it."""
        self.check()
        for tries in range(3):
            try:
                return question(*args, **kwargs)
            except OSError as error:  # a worker that dies meanwhile is no reason to give up
                self.check()
                if tries == 2:
                    raise self.lost() from error
                time.sleep(0.2)
        raise AssertionError("the last try returns or raises")


def _name(key: str) -> str:
    """The name of a delivery among dask's plugins."""
    return f"gnubg-py {key}"


def address_asked_for(option: str | None) -> str | None:
    """The cluster that an option or ``DASK_SCHEDULER_ADDRESS`` names; None for this process."""
    return option or os.environ.get(ADDRESS_VARIABLE) or None
