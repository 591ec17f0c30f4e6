"""What runs on a worker: deliveries are kept, and blocks of work computed.

This module imports ``distributed``: only workers and commands that were given a cluster import it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Mapping
from typing import Any

from distributed import Worker, WorkerPlugin
from numpy.typing import NDArray

from gnubg_py.cluster.checks import Installation, difference, installation
from gnubg_py.cluster.deliveries import unpack
from gnubg_py.messages import hide_progress
from gnubg_py.threads import set_thread_count


class RefusedError(Exception):
    """A worker cannot be used: its address, and why."""


class NotHereError(Exception):
    """A delivery has not come to this worker."""


_lock = threading.Lock()
_arrays: dict[str, NDArray[Any]] = {}
_data: dict[str, bytes] = {}
_shared: dict[str, Any] = {}
_refusals: dict[str, tuple[str, str]] = {}


class Delivery(WorkerPlugin):
    """Arrays, and one packed object or none, for all workers, those that come later too.

    ``expected``: the installation that a worker has to have.
    """

    def __init__(
        self,
        key: str,
        data: bytes | None,
        arrays: Mapping[str, NDArray[Any]],
        expected: Installation,
        is_local: bool,
    ) -> None:
        self.key, self.data, self.arrays = key, data, dict(arrays)
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
            _arrays.update(self.arrays)
            if self.data is not None:
                _data[self.key] = self.data

    def teardown(self, worker: Worker) -> None:
        """Forget what was delivered."""
        with _lock:
            for key in self.arrays:
                _arrays.pop(key, None)
            for known in (_data, _shared, _refusals):
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
            try:
                _shared[key] = unpack(_data[key], _arrays)
            except KeyError as error:
                raise NotHereError(str(error)) from error
        return _shared[key]
