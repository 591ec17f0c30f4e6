"""Boards that games begin from: as many of every kind, drawn from the buffer of a run.

``python -m gnubg_py.training.starts RUN OUT.npy --each 4000``. Some kinds of positions are rare in
play: of each class and each of the sixty-four tails (``network/tails.py``) as many are drawn here.
With ``--boards OUT.npy --boards-share 0.15``, ``gnubg-py train`` begins a share of its games from
them, so that every tail of a net sees enough positions, crashed ones too.
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path

import numpy as np

from gnubg_py.board import Boards
from gnubg_py.evaluators.classify import classify
from gnubg_py.exits import DONE, guarded
from gnubg_py.files import write_aside
from gnubg_py.network.tails import MOST_TAILS, tails_of

from .checkpoint import checkpoint_of, read_arrays
from .config import check_at_least


def balanced(boards: Boards, each: int, seed: int = 0) -> Boards:
    """Up to ``each`` boards of every class and tail, in a random order of a seed."""
    generator = np.random.default_rng(seed)
    kinds = classify(boards).astype(np.int64) * MOST_TAILS + tails_of(boards, MOST_TAILS)
    drawn = [
        generator.permutation(np.flatnonzero(kinds == kind))[:each] for kind in np.unique(kinds)
    ]
    return np.asarray(boards[generator.permutation(np.concatenate(drawn))])


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m gnubg_py.training.starts")
    parser.description = __doc__
    parser.add_argument("run", type=Path, help="the folder of a training run")
    parser.add_argument("out", type=Path, help="the .npy file to write")
    parser.add_argument("--each", type=int, default=4000, help="of every kind (default: 4000)")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (default: 0)")
    args = parser.parse_args(argv)

    def work() -> int:
        check_at_least(1, args, ("each",))
        arrays, _ = read_arrays(checkpoint_of(args.run), ("buffer.boards",))
        found = balanced(arrays["buffer.boards"], args.each, args.seed)
        written = io.BytesIO()
        np.save(written, found)
        write_aside(args.out, written.getvalue())
        print(f"{args.out}: {len(found)} boards")
        return DONE

    return guarded(work)


if __name__ == "__main__":
    raise SystemExit(main())
