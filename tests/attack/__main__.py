"""``make attack``: every attack in turn, each time with another seed, until the time is over."""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from tests.attack import formats, kills, matches, plays, protocol, rollouts, shell, streams

Attack = Callable[[int, Path], int]

ATTACKS: dict[str, tuple[str, Attack]] = {
    "formats": ("damaged files", formats.attack),
    "matches": ("match files with small damages", matches.attack),
    "shell": ("lines", shell.attack),
    "terminal": ("lines on a terminal", shell.attack_terminal),
    "plays": ("plays against gnubg-nn", plays.attack),
    "protocol": ("lines of the external protocol", protocol.attack),
    "rollouts": ("trials against exact equities", rollouts.attack),
    "streams": ("commands with odd streams", streams.attack),
    "kills": ("writers killed", kills.attack),
    "extended": ("rollouts killed", kills.attack_extended),
}
"""What each attack counts, and its function: a seed and an empty folder in, the count out."""

SLOWEST = 300
"""Seconds after which one attack is taken to hang."""


def main() -> int:
    """Run the attacks; the exit status is 1 if any failed."""
    parser = argparse.ArgumentParser(prog="make attack", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, help="the first seed, of a failure say")
    parser.add_argument("--only", choices=ATTACKS, nargs="+", default=list(ATTACKS))
    parser.add_argument("--once", action="store_true", help="each attack once")
    parser.add_argument("--seeds", type=int, help="each attack with this many seeds, however long")
    args = parser.parse_args()
    seed = random.SystemRandom().randrange(10**9) if args.seed is None else args.seed
    signal.signal(signal.SIGALRM, _hangs)
    seeds = 1 if args.once else args.seeds
    return run(args.only, seed, 60 * args.minutes, seeds)


def run(names: list[str], seed: int, seconds: float, seeds: int | None = None) -> int:
    """Attack with ``seeds`` seeds, or for ``seconds``; print counts and the seeds of failures."""
    first, end = seed, time.monotonic() + seconds
    stopped = False
    counts: Counter[str] = Counter()
    failures: list[str] = []
    skipped: dict[str, str] = {}
    print(f"seed {seed}", flush=True)
    while True:
        for name in [n for n in names if n not in skipped]:
            try:
                counts[name] += _run_one(name, seed)
            except pytest.skip.Exception as reason:
                skipped[name] = str(reason)
            except KeyboardInterrupt:
                stopped = True
                break
            except BaseException as problem:
                failures.append(f"{name} --seed {seed}: {type(problem).__name__}: {problem}")
                print(f"FAILED: make attack ARGS='--once --only {name} --seed {seed}'", flush=True)
                traceback.print_exc()
        seed += 1
        over = time.monotonic() > end if seeds is None else seed - first >= seeds
        if stopped or over or len(failures) >= 20:
            break
    for name in names:
        what = f"{counts[name]:,} {ATTACKS[name][0]}"
        print(f"{name:<10}{what if name not in skipped else 'skipped: ' + skipped[name]}")
    print(f"{len(failures)} failures; the last seed was {seed - 1}")
    return 1 if failures else 0


def _run_one(name: str, seed: int) -> int:
    signal.alarm(SLOWEST)
    try:
        with tempfile.TemporaryDirectory() as folder:
            return ATTACKS[name][1](seed, Path(folder))
    finally:
        signal.alarm(0)


def _hangs(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"took longer than {SLOWEST} seconds")


if __name__ == "__main__":
    sys.exit(main())
