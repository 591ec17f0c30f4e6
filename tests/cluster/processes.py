"""Processes of a cluster for the tests: how many, killed, started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gnubg_py.bearoff.store import CACHE_VARIABLE
from gnubg_py.cluster.connecting import Cluster
from gnubg_py.workers import Workers

POSITION = "4HPwATDgc/ABMA"


def with_workers(cluster: Cluster, count: int) -> Cluster:
    """The same cluster with another number of workers."""
    assert cluster._local is not None
    cluster._local.scale(count)
    deadline = time.monotonic() + 60
    while cluster.count_now() != count:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return cluster


def kill_a_worker(cluster: Cluster) -> None:
    """Kill one of the worker processes with SIGKILL."""
    os.kill(next(iter(cluster.client.run(os.getpid).values())), signal.SIGKILL)


def started(file: Path, *words: str, cache: Path | None = None) -> subprocess.Popen[bytes]:
    """A process of dask's; ``cache`` is its folder of databases, as if on another machine."""
    where = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
    command = [sys.executable, "-m", "dask", *words, *where]
    environment = os.environ | ({} if cache is None else {CACHE_VARIABLE: str(cache)})
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdout=quiet, stderr=quiet, env=environment)


def started_worker(file: Path, cache: Path | None) -> subprocess.Popen[bytes]:
    """A worker of one thread."""
    return started(file, "worker", "--no-nanny", "--nthreads", "1", cache=cache)


@contextmanager
def scheduler_and_worker(
    tmp_path: Path, cache: Path | None = None
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A scheduler of its own process with one worker: its address, and the process."""
    file = tmp_path / "scheduler.json"

    scheduler = started(file, "scheduler", "--port", "0")
    worker = started_worker(file, cache)
    try:
        deadline = time.monotonic() + 60
        while not (file.exists() and file.read_text().endswith("}")):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield json.loads(file.read_text())["address"], scheduler
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()


def several(workers: Cluster) -> Workers:
    """The same workers, which say that they are more than one, so that work is cut small."""
    workers._count, workers._counted = 2, float("inf")
    return workers
