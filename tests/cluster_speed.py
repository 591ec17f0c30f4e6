"""How much faster two worker processes are than one: ``python -m tests.cluster_speed``.

Each piece of work is timed in this process with one thread, on one worker of one thread, and on
two. The first two tell what a cluster costs, the last two what a second worker brings.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from contextlib import nullcontext

import numpy as np

import gnubg_py
from gnubg_py.cluster import connect
from gnubg_py.compare.judge import Judge, RollToJudge, judge_roll
from gnubg_py.dice import roll_dice
from gnubg_py.engine import engine_of
from gnubg_py.paths import checkout
from gnubg_py.plays import plays
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.threads import set_thread_count
from gnubg_py.workers import HERE, Workers
from tests.conftest import play_random_positions

POSITION = "4HPwATDgc/ABMA"


def roll_out(workers: Workers, size: float) -> None:
    """A rollout of the opening at 0-ply."""
    gnubg_py.rollout(POSITION, RolloutSettings(trials=36 * round(250 * size)), workers=workers)


def judge(workers: Workers, size: float) -> None:
    """Rolls of random positions, three plays each, as ``gnubg-py judge`` judges them."""
    boards = play_random_positions(round(60 * size), seed=1)
    dice = roll_dice(np.random.default_rng(2), len(boards))
    rolls = [_roll(board, roll) for board, roll in zip(boards, dice, strict=True)]
    shared = Judge(engine_of(), error=0.01, trials=648)
    assert sum(1 for _ in workers.results(judge_roll, shared, rolls)) == len(rolls)


def _roll(board: np.ndarray, dice: np.ndarray) -> RollToJudge:
    after = plays(board, (int(dice[0]), int(dice[1])))
    candidates = frozenset(range(min(3, len(after))))
    return RollToJudge(after, np.zeros(len(after)), candidates, frozenset())


def analyse(workers: Workers, size: float) -> None:
    """The match of docs/reports/, at 2-ply with the largest move filter, several times."""
    root = checkout()
    assert root is not None
    for _ in range(round(4 * size)):
        match = root / "docs" / "reports" / "match.mat"
        gnubg_py.analyse(match, ply=2, filters="huge", workers=workers)


PIECES: dict[str, Callable[[Workers, float], None]] = {
    "rollout": roll_out,
    "judge": judge,
    "analyse": analyse,
}


def seconds(work: Callable[[Workers, float], None], workers: Workers, size: float) -> float:
    """The time that a piece of work takes, after a small one that loads the kernels."""
    work(workers, min(size, 0.25) if work is analyse else size / 20)
    began = time.perf_counter()
    work(workers, size)
    return time.perf_counter() - began


def main() -> None:
    """Print a line of JSON for each piece of work."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pieces", nargs="*", default=list(PIECES), choices=[*PIECES, []])
    parser.add_argument("--size", type=float, default=1.0, help="1: about a minute in one thread")
    args = parser.parse_args()
    set_thread_count(1)
    for name in args.pieces:
        found: dict[str, float] = {}
        for count in (0, 1, 2):
            with connect(count) if count else nullcontext(HERE) as workers:
                found[str(count)] = seconds(PIECES[name], workers, args.size)
        line = {
            "piece": name,
            "here": round(found["0"], 2),
            "one worker": round(found["1"], 2),
            "two workers": round(found["2"], 2),
            "two against one": round(found["1"] / found["2"], 2),
            "cost of a cluster": f"{found['1'] / found['0'] - 1:+.1%}",
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
