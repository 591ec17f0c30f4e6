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
from dataclasses import dataclass
from functools import cache

import numpy as np

import gnubg_py
from gnubg_py.cluster import connect
from gnubg_py.cluster.connecting import Cluster
from gnubg_py.compare.judge import Judge, RollToJudge, judge_roll
from gnubg_py.dice import roll_dice
from gnubg_py.engine import engine_of
from gnubg_py.game.record import MatchRecord
from gnubg_py.plays import plays
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.search.cache import shared_cache
from gnubg_py.search.settings import EvalSettings
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
    """A long match of the net against itself, at 2-ply with the largest move filter."""
    gnubg_py.analyse(_match(max(1, round(40 * size))), ply=2, filters="huge", workers=workers)


@cache
def _match(length: int) -> MatchRecord:
    """A match to so many points, played without doubles."""
    game = gnubg_py.Game(length, seed=1)
    how = EvalSettings(0, noise=0.03, seed=1)
    while not game.is_match_over:
        if game.is_over:
            game.new_game()
        elif game.dice is None:
            game.roll()
        else:
            game.play(gnubg_py.best_plays(game.position, settings=how).best.board)
    return game.match


PIECES: dict[str, Callable[[Workers, float], None]] = {
    "rollout": roll_out,
    "judge": judge,
    "analyse": analyse,
}


@dataclass(frozen=True)
class Spent:
    """What a piece of work took: the time, and the processor's time of this process and others."""

    seconds: float
    command: float
    workers: tuple[float, ...]

    @property
    def processor(self) -> float:
        """The processor's time of all processes."""
        return self.command + sum(self.workers)


def spent(work: Callable[[Workers, float], None], workers: Workers, size: float) -> Spent:
    """What a piece of work takes, after a small one that loads the kernels."""
    work(workers, size / 20)
    _forget(workers)
    began, before, own = time.perf_counter(), _busy(workers), time.process_time()
    work(workers, size)
    seconds, own = time.perf_counter() - began, time.process_time() - own
    busy = tuple(now - then for now, then in zip(_busy(workers), before, strict=True))
    return Spent(seconds, own, busy)


def _forget(workers: Workers) -> None:
    """Clear the caches of evaluations: the small piece is a part of the whole."""
    shared_cache().clear()
    if isinstance(workers, Cluster):
        workers.client.run(lambda: shared_cache().clear())


def _busy(workers: Workers) -> list[float]:
    """The processor's time that each worker process has had."""
    if not isinstance(workers, Cluster):
        return []
    return list(workers.client.run(time.process_time).values())


def main() -> None:
    """Print a line of JSON for each piece of work.

    "two against one" is of the time by the clock. Where other programs use the machine, "at best"
    says more: the work of both workers over that of the one that had more, with the command's own.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pieces", nargs="+", default=list(PIECES), choices=list(PIECES))
    parser.add_argument("--size", type=float, default=1.0, help="1: about a minute in one thread")
    args = parser.parse_args()
    set_thread_count(1)
    for name in args.pieces:
        found = []
        for count in (0, 1, 2):
            with connect(count) if count else nullcontext(HERE) as workers:
                found.append(spent(PIECES[name], workers, args.size))
        here, one, two = found
        line = {
            "piece": name,
            "seconds here, one, two": [round(each.seconds, 1) for each in found],
            "processor here, one, two": [round(each.processor, 1) for each in found],
            "command's share of two": f"{two.command / two.processor:.1%}",
            "two against one": round(one.seconds / two.seconds, 2),
            "at best": round(sum(two.workers) / max(two.workers), 2),
            "cost of a cluster": f"{one.processor / here.processor - 1:+.1%}",
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
