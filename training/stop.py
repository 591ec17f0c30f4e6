"""Stop a run after its present round, when Ctrl-C or a termination signal comes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class Stop:
    """A flag: whether the run should end."""

    asked = False

    def __call__(self, *_: object) -> None:
        self.asked = True


@contextmanager
def stop_when_asked() -> Iterator[Stop]:
    """Within the block, SIGINT and SIGTERM only set the flag of the ``Stop`` that it gives."""
    stop = Stop()
    handlers = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
