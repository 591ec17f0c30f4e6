"""How many blocks a second a dask scheduler passes on: ``python -m tests.cluster_scale``.

The scheduler is dask's own, in a process of its own, and the command's side is the program's own.
The workers are virtual: one process registers them all, each at a port of its own on the loopback
interface, and answers every block at once with a result of the size of a rollout's, computing
nothing. So what is measured is messages alone: the smallest sensible block for so many workers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from distributed.batched import BatchedSend
from distributed.comm.core import connect as open_comm
from distributed.core import Server, Status
from distributed.protocol.serialize import to_serialize
from distributed.versions import get_versions
from distributed.worker import run as run_function

from gnubg_py.cluster.connecting import Cluster, connect
from gnubg_py.engine import engine_of


class VirtualWorkers(Server):
    """Many workers in one process: they register, and answer at once."""

    def __init__(self, scheduler: str, result: bytes) -> None:
        handlers = {
            "get_data": self.get_data,
            "run": self.run,
            "plugin-add": self.accept,
            "plugin-remove": self.accept,
            "free_keys": self.accept,
        }
        super().__init__(handlers)
        self.scheduler_address, self.result = scheduler, result
        self.versions = get_versions()
        self.tasks: list[asyncio.Task[None]] = []

    async def run(self, comm: Any, function: bytes, **options: Any) -> Any:
        """What ``Client.run`` asks of every worker."""
        options.pop("reply", None)
        return await run_function(self, comm, function, **options)

    async def accept(self, comm: Any = None, **_: Any) -> dict[str, str]:
        """A delivery is taken, and not looked at."""
        return {"status": "OK"}

    async def get_data(self, comm: Any, keys: Any, serializers: Any = None, **_: Any) -> Status:
        """The results of blocks: always the same bytes."""
        data = {key: to_serialize(self.result) for key in keys}
        await comm.write({"status": "OK", "data": data}, serializers=serializers)
        await comm.read(deserializers=serializers)
        return Status.dont_reply

    async def add(self, number: int) -> None:
        """Register one more worker with the scheduler, and serve it."""
        await self.listen("tcp://127.0.0.1:0")
        address = self.listeners[-1].contact_address
        comm = await open_comm(self.scheduler_address)
        comm.name = f"virtual {number}"
        await comm.write(
            {
                "op": "register-worker",
                "reply": False,
                "address": address,
                "status": "running",
                "nthreads": 1,
                "name": f"virtual-{number}",
                "now": time.time(),
                "resources": {},
                "memory_limit": 0,
                "local_directory": "",
                "services": {},
                "nanny": None,
                "pid": os.getpid(),
                "versions": self.versions,
                "metrics": METRICS,
                "extra": {},
                "stimulus_id": "worker-connect",
                "server_id": f"virtual-{number}",
            },
            serializers=["msgpack"],
        )
        answer = await comm.read(deserializers=["msgpack"])
        assert answer["status"] == "OK", answer
        self.tasks.append(asyncio.create_task(self.serve_one(comm)))

    async def serve_one(self, comm: Any) -> None:
        """Answer every block that comes over a worker's connection."""
        stream = BatchedSend(interval="2ms", loop=self.io_loop)
        stream.start(comm)
        kind = pickle.dumps(bytes)
        try:
            while True:
                for message in await comm.read():
                    if message["op"] == "compute-task":
                        stream.send(finished(message, len(self.result), kind))
        except OSError:
            return


METRICS: dict[str, Any] = {
    "task_counts": {},
    "bandwidth": {"total": 100_000_000, "workers": {}, "types": {}},
    "digests_total_since_heartbeat": {},
    "managed_bytes": 0,
    "spilled_bytes": {"memory": 0, "disk": 0},
    "transfer": {"incoming_bytes": 0, "incoming_count": 0, "incoming_count_total": 0,
                 "outgoing_bytes": 0, "outgoing_count": 0, "outgoing_count_total": 0},
    "event_loop_interval": 0.02,
    "cpu": 0.0,
    "memory": 0,
    "time": 0.0,
    "host_net_io": {"read_bps": 0, "write_bps": 0},
    "host_disk_io": {"read_bps": 0, "write_bps": 0},
    "num_fds": 0,
}  # fmt: skip


def finished(message: dict[str, Any], size: int, kind: bytes) -> dict[str, Any]:
    """What a worker says of a block that it has computed."""
    return {
        "op": "task-finished",
        "status": "OK",
        "key": message["key"],
        "run_id": message["run_id"],
        "nbytes": size,
        "type": kind,
        "typename": "bytes",
        "metadata": {},
        "thread": 1,
        "startstops": [{"action": "compute", "start": 0.0, "stop": 0.001}],
        "stimulus_id": message["stimulus_id"],
    }


async def serve(scheduler: str, count: int, size: int) -> None:
    """Be ``count`` workers until the scheduler goes."""
    workers = VirtualWorkers(scheduler, bytes(size))
    await workers
    for number in range(count):
        await workers.add(number)
    print("ready", flush=True)
    await asyncio.gather(*workers.tasks)


def nothing(_: Any, item: int) -> int:
    """The work of a block; virtual workers do not do it."""
    return item


def measured(cluster: Cluster, blocks: int) -> dict[str, float]:
    """What a delivery of the shipped nets takes, and blocks a second."""
    began = time.perf_counter()
    key = cluster.deliver(engine_of())
    delivered = time.perf_counter()
    cluster.withdraw(key)
    small = time.perf_counter()
    done = sum(1 for _ in cluster.results(nothing, None, range(blocks)))
    ended = time.perf_counter()
    assert done == blocks
    return {
        "threads": cluster.count,
        "delivery_seconds": round(delivered - began, 3),
        "delivered_megabytes_each": round(cluster.stocked_bytes / 1e6, 2),
        "blocks": blocks,
        "seconds": round(ended - small, 3),
        "blocks_per_second": round(blocks / (ended - small), 1),
    }


def measure(count: int, blocks: int, size: int) -> dict[str, float]:
    """Start a scheduler and ``count`` virtual workers, and measure."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        where = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--dashboard-address",
                 "127.0.0.1:0", "--scheduler-file", str(file)]  # fmt: skip
        dask = [sys.executable, "-m", "dask", "scheduler", *where]
        scheduler = subprocess.Popen(dask, stderr=subprocess.DEVNULL)
        workers = None
        try:
            while not (file.exists() and file.read_text().endswith("}")):
                time.sleep(0.1)
            address = json.loads(file.read_text())["address"]
            words = ["--serve", address, "--workers", str(count), "--bytes", str(size)]
            command = [sys.executable, "-m", "tests.cluster_scale", *words]
            workers = subprocess.Popen(command, stdout=subprocess.PIPE)
            began = time.perf_counter()
            assert workers.stdout is not None
            assert workers.stdout.readline() == b"ready\n"
            registered = time.perf_counter() - began
            began = time.perf_counter()
            with connect(address) as cluster:
                connected = time.perf_counter() - began
                found = measured(cluster, blocks)
            return {
                "workers": count,
                "registered_seconds": round(registered, 1),
                "connected_seconds": round(connected, 2),
                **found,
            }
        finally:
            for process in (workers, scheduler):
                if process is not None:
                    process.kill()
                    process.wait()


def main() -> None:
    """Print a line of JSON for each number of workers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--blocks", type=int, default=3000)
    parser.add_argument("--bytes", type=int, default=32_000, help="of a block's result")
    parser.add_argument("--serve", metavar="ADDRESS", help=argparse.SUPPRESS)
    args = parser.parse_args()

    logging.getLogger("distributed").setLevel(50)
    if args.serve:
        asyncio.run(serve(args.serve, args.workers[0], args.bytes))
        return
    for count in args.workers:
        print(json.dumps(measure(count, args.blocks, args.bytes)), flush=True)


if __name__ == "__main__":
    main()
