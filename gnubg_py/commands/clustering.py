"""The option ``--cluster`` of the commands whose work can be done by other processes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from gnubg_py.cluster.connecting import address_asked_for, connect
from gnubg_py.workers import HERE, Workers


def add_cluster_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--cluster``."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS|N",
        help="work on a dask scheduler's workers, or on N processes of this machine, with the same"
        " results (default: DASK_SCHEDULER_ADDRESS, or none; see docs/cluster.md)",
    )


@contextmanager
def chosen_workers(args: argparse.Namespace) -> Iterator[Workers]:
    """The workers that the option or the environment names; this process where they name none."""
    where = address_asked_for(args.cluster)
    if where is None:
        yield HERE
        return
    with connect(where) as workers:
        yield workers
