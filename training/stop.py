"""Stopping a run politely: Ctrl-C and kill end it after the round it is in."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class Stop:
    """Whether the run should end."""

    asked = False

    def __call__(self, *_: object) -> None:
        self.asked = True


@contextmanager
def stop_when_asked() -> Iterator[Stop]:
    """Within it, Ctrl-C and a polite kill set the ``Stop`` that it gives, and do nothing else."""
    stop = Stop()
    handlers = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
