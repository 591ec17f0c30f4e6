"""What runs on a worker: deliveries are kept, and blocks of work computed.

This module imports ``distributed``: only workers and commands that were given a cluster import it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

from distributed import Worker, WorkerPlugin
from numpy.typing import NDArray

from gnubg_py.bearoff.store import path_of
from gnubg_py.cluster.checks import Installation, difference, installation
from gnubg_py.cluster.deliveries import Packed, unpack
from gnubg_py.messages import hide_progress
from gnubg_py.threads import set_thread_count


class RefusedError(Exception):
    """A worker cannot be used: its address, and why."""


class NotHereError(Exception):
    """A delivery has not come to this worker."""


_lock = threading.Lock()
_arrays: dict[str, NDArray[Any]] = {}
_packed: dict[str, Packed] = {}
_awaited: set[str] = set()
_given_up: set[str] = set()
"""Databases that this worker has asked for, and those that did not come."""
_shared: dict[str, Any] = {}
_refusals: dict[str, tuple[str, str]] = {}


class Delivery(WorkerPlugin):
    """A packed object, or arrays alone, for all workers, those that come later too.

    ``expected``: the installation that a worker has to have.
    """

    def __init__(self, key: str, packed: Packed, expected: Installation, is_local: bool) -> None:
        self.key, self.packed = key, packed
        self.expected, self.is_local = expected, is_local

    def setup(self, worker: Worker) -> None:
        """Keep what is delivered, or why this worker is refused."""
        reason = difference(self.expected, installation())
        if self.is_local and threading.current_thread() is threading.main_thread():
            # Ctrl-C reaches all processes of a terminal, and is the command's alone to handle.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        set_thread_count(1)  # dask decides how many blocks a worker computes at once
        hide_progress()
        with _lock:
            if reason is not None:
                _refusals[self.key] = worker.address, reason
            _given_up.update(_awaited.intersection(self.packed.databases))
            _arrays.update(self.packed.arrays)
            if self.packed.data:
                _packed[self.key] = self.packed

    def teardown(self, worker: Worker) -> None:
        """Forget what was delivered."""
        with _lock:
            for key in self.packed.arrays:
                _arrays.pop(key, None)
            for known in (_packed, _shared, _refusals):
                known.pop(self.key, None)


def report() -> Installation:
    """The installation of the worker that runs this."""
    return installation()


def compute(key: str, work: Callable[[Any, Any], Any], item: Any) -> Any:
    """``work`` on an item and on the object that was delivered under a key."""
    return work(delivered(key), item)


def delivered(key: str) -> Any:
    """The object that was delivered under a key."""
    with _lock:
        if key in _refusals:
            raise RefusedError(*_refusals[key])
        if key not in _shared:
            if key not in _packed:
                raise NotHereError(key)
            _ask_for_databases(_packed[key].databases)
            try:
                _shared[key] = unpack(_packed[key].data, _arrays)
            except KeyError as error:
                raise NotHereError(str(error)) from error
        return _shared[key]


def _ask_for_databases(names: tuple[str, ...]) -> None:
    """Raise ``NotHereError`` where a database is missing, so that the command sends it.

    A worker that came after it was sent misses it. What has not come with the next delivery is
    built here.
    """
    missing = {name for name in names if not path_of(name).is_file()} - _given_up
    if missing:
        _awaited.update(missing)
        raise NotHereError(", ".join(sorted(missing)))
