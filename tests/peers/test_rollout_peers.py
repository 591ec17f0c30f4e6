"""Rollouts against gnubg's, for time and for numbers; and the long checks of the estimator.

gnubg prints the result of a rollout only on a terminal: ``script`` gives it one. Times depend on
what else the machine does: both programs run one after the other, and processor time is printed
beside wall time.
"""

from __future__ import annotations

import json
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.bearoff.numbering import all_positions
from gnubg_py.bearoff.two_sided import two_sided_equities
from gnubg_py.bench.gnubg_program import find_gnubg
from gnubg_py.board import START, Boards, parse
from gnubg_py.cube.state import Cube
from gnubg_py.engine import engine_of
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.heuristics.pseudopip import PSEUDOPIP_LEAF
from gnubg_py.evaluators.registry import default_router
from gnubg_py.match import MatchState
from gnubg_py.notation import gnubg_id
from gnubg_py.rollouts.result import RolloutResult
from gnubg_py.rollouts.run import roll_out, rollout
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.rollouts.task import position_task
from gnubg_py.threads import thread_count
from tests.conftest import play_random_positions
from tests.test_rollout_estimator import assert_standard_normal, standardised

from .peers import GNUBG_HINT

NUMBER = r"[-+]?[0-9.]+"
ROW = re.compile(rf"({NUMBER}) ({NUMBER}) ({NUMBER}) - {NUMBER} ({NUMBER}) ({NUMBER}) ")
EQUITIES = re.compile(rf"CL\s+({NUMBER})\s+CF\s+({NUMBER})")
OPENING = gnubg_id(START, MatchState(jacoby=True))


@dataclass(frozen=True)
class Theirs:
    """gnubg's result: five probabilities, cubeless and cubeful equity, and standard errors."""

    values: NDArray[np.float64]
    errors: NDArray[np.float64]


@dataclass(frozen=True)
class Spent:
    """Seconds of wall time and of processor time."""

    wall: float
    processor: float


def spent(command: list[str], timeout: float, cwd: Path | None = None) -> tuple[str, Spent]:
    """What a command prints, and what it took."""

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    wall, processor = time.perf_counter(), used()
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, cwd=cwd
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, Spent(time.perf_counter() - wall, used() - processor)


def gnubg_rollouts(
    ids: list[str], commands: list[str], folder: Path, timeout: float = 3000
) -> tuple[list[Theirs], Spent]:
    """gnubg's rollouts of positions, with the settings that ``commands`` make."""
    program = find_gnubg()
    if program is None:
        pytest.skip(GNUBG_HINT)
    if shutil.which("script") is None:
        pytest.skip("script is not installed: apt-get install bsdutils")
    sides = [f"set rollout player {n} cubedecision plies 0" for n in (0, 1)]
    begin = [
        "set automatic game off",
        "set automatic roll off",
        f"set threads {thread_count()}",
        "set player 0 human",
        "set player 1 human",
        "set rollout cubedecision plies 0",
        *sides,
        *commands,
        "new session",
    ]
    each = [c for i in ids for c in (f"set gnubgid {i}", "rollout")]
    lines = ["import gnubg", *(f"gnubg.command({c!r})" for c in [*begin, *each])]
    (folder / "rollouts.py").write_text("\n".join([*lines, "print('THE END')", ""]))
    (folder / "prefs").mkdir(exist_ok=True)
    words = [program, "--tty", "--quiet", "--no-rc", "--prefsdir", "prefs", "-p", "rollouts.py"]
    out, took = spent(["script", "-qec", shlex.join(words), "/dev/null"], timeout, folder)
    finals = out.replace("\r", "\n").split("Printing final results")[1:]
    assert len(finals) == len(ids), out[-2000:]
    return [theirs(text) for text in finals], took


def theirs(text: str) -> Theirs:
    rows, equities = ROW.findall(text)[:2], EQUITIES.findall(text)[:2]
    numbers = [
        np.array([*map(float, row), *map(float, both)])
        for row, both in zip(rows, equities, strict=True)
    ]
    return Theirs(*numbers)


def ours(result: RolloutResult) -> Theirs:
    row = result.rows[0]
    assert row.cubeful_equity is not None
    assert row.cubeful_error is not None
    return Theirs(
        np.array([*row.probabilities, row.cubeless_equity, row.cubeful_equity]),
        np.array([*row.probability_errors, row.cubeless_error, row.cubeful_error]),
    )


@pytest.mark.parametrize(
    ("name", "commands", "words"),
    [
        ("full, 1,296 trials", ["set rollout trials 1296"], ["--trials", "1296"]),
        (
            "truncated at 11, 1,296 trials",
            ["set rollout trials 1296", "set rollout truncation plies 11"],
            ["--trials", "1296", "--truncate", "11"],
        ),
        (
            "2-ply plays, 36 trials",
            [
                "set rollout trials 36",
                *(f"set rollout player {n} chequerplay plies 2" for n in (0, 1)),
            ],
            ["--trials", "36", "--ply", "2", "--cube-ply", "0"],
        ),
    ],
)
def test_time_of_an_opening_rollout(
    name: str, commands: list[str], words: list[str], tmp_path: Path
) -> None:
    truncation = "on" if "truncated" in name else "off"
    commands = [*commands, f"set rollout truncation enable {truncation}"]
    (their,), their_time = gnubg_rollouts([OPENING], commands, tmp_path)
    program = [sys.executable, "-m", "gnubg_py", "rollout", OPENING, "--json", *words]
    out, our_time = spent(program, 3000)
    found = json.loads(out)
    errors = np.array(
        [found["cubeless_equity_standard_error"], found["cubeful_equity_standard_error"]]
    )
    ratio = their_time.wall / found["seconds"]
    factor = ratio * (their.errors[5:] / errors) ** 2
    print(
        f"\n{name}: gnubg {their_time.wall:.1f} s ({their_time.processor:.1f} s processor), "
        f"standard error {their.errors[5]:.4f} cubeless, {their.errors[6]:.4f} cubeful\n"
        f"ours {found['seconds']:.1f} s, with start-up {our_time.wall:.1f} s "
        f"({our_time.processor:.1f} s processor), {errors[0]:.4f} cubeless, {errors[1]:.4f} "
        f"cubeful\n{ratio:.1f} times as fast; to the same standard error {factor[0]:.1f} times "
        f"cubeless, {factor[1]:.1f} times cubeful"
    )
    assert ratio > 1


REFERENCE = {
    "opening": "x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5",
    "reply to 3-1": "x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:2 6:4 5:2",
    "reply to 6-5": "x 24:2 13:5 8:3 6:5 / o 24:1 13:6 8:3 6:5",
    "reply to a split": "x 24:2 13:5 8:3 6:5 / o 24:1 23:1 13:4 10:1 8:3 6:5",
    "prime": "x 24:1 13:2 8:2 7:2 6:2 5:2 4:2 3:2 / o 24:2 13:3 8:3 6:5 5:2",
    "back game": "x 24:2 22:2 13:3 8:3 6:5 / o 20:2 13:2 8:3 7:2 6:3 5:3",
    "blitz": "x 24:1 13:3 8:2 6:4 5:2 4:3 / o bar:1 24:1 13:5 8:3 6:5",
    "holding": "x 20:2 13:4 8:3 6:4 4:2 / o 18:2 13:4 8:3 6:4 4:2",
    "race": "x 10:2 8:3 6:4 5:3 4:3 / o 12:2 9:2 6:4 5:4 4:3",
    "cube, race": "x 8:3 6:4 5:3 4:3 3:2 / o 9:3 7:2 6:4 5:3 4:3",
    "cube, bear-in": "x 7:2 6:4 5:3 4:3 3:3 / o 24:1 6:4 5:3 4:3 3:2 2:2",
    "cube, attack": "x 22:1 13:2 8:3 7:1 6:4 5:2 4:2 / o bar:1 22:1 13:4 8:3 6:4 5:2",
}
NETS_DIFFER = np.array([0.02, 0.02, 0.01, 0.02, 0.01, 0.05, 0.10])
"""How far the nets' own play may move a result: gnubg's plays are not ours."""


def test_reference_positions_come_to_what_gnubg_finds(tmp_path: Path) -> None:
    state = MatchState(jacoby=True)
    boards = [parse(text) for text in REFERENCE.values()]
    ids = [gnubg_id(board, state) for board in boards]
    their, took = gnubg_rollouts(ids, ["set rollout trials 324"], tmp_path)
    print(f"\ngnubg {took.wall:.0f} s")
    far = []
    for name, board, peer in zip(REFERENCE, boards, their, strict=True):
        mine = ours(rollout((board, state), RolloutSettings(trials=324)))
        gap, joint = mine.values - peer.values, np.hypot(mine.errors, peer.errors)
        print(
            f"{name:<18} gnubg {peer.values[5]:+.3f} {peer.values[6]:+.3f}, ours "
            f"{mine.values[5]:+.3f} {mine.values[6]:+.3f}, joint errors {joint[5]:.3f} "
            f"{joint[6]:.3f}"
        )
        if (np.abs(gap) > 3 * joint + NETS_DIFFER).any():
            far.append((name, gap.round(3).tolist()))
    assert not far


def two_sided_positions(n: int, seed: int) -> Boards:
    generator = np.random.default_rng(seed)
    rows = all_positions(6, 6)
    rows = rows[rows.sum(axis=1) >= 2]
    boards = np.zeros((n, 2, 25), np.int8)
    boards[:, :, :6] = rows[generator.integers(0, len(rows), (n, 2))]
    return boards


@pytest.mark.parametrize("variance_reduction", [False, True])
def test_bearoffs_without_a_database(variance_reduction: bool) -> None:
    # Plays are exact. The heuristic that judges luck is not, so that errors are there to be judged.
    router = judge = default_router()
    heuristic = PSEUDOPIP_LEAF
    for known in (PositionClass.BEAROFF1, PositionClass.BEAROFF2):
        judge = judge.routed(known, heuristic)
    settings = RolloutSettings(
        trials=1296,
        cubeful=False,
        variance_reduction=variance_reduction,
        luck_keep=0,
        truncate_two_sided=False,
        truncate_one_sided=False,
    )
    boards = two_sided_positions(20, 4)
    results = [
        roll_out(
            position_task(board, Cube()),
            replace(settings, seed=k),
            engine=engine_of(router),
            fast=judge,
        )
        for k, board in enumerate(boards)
    ]
    exact = two_sided_equities(boards)[:, 0].astype(float)
    z = standardised(results, exact)
    gaps = np.array([r.rows[0].cubeless_equity for r in results]) - exact
    print(f"\nmean gap {gaps.mean():+.5f}, chi-square {float((z**2).sum()):.1f} of {len(z)}")
    assert_standard_normal(z)


def test_reduced_and_plain_agree_on_200_positions() -> None:
    boards = play_random_positions(200, 21)
    settings = RolloutSettings(trials=72, truncate=8)
    z, factor = [], []
    for k, board in enumerate(boards):
        task = position_task(board, Cube())
        reduced = roll_out(task, replace(settings, seed=k)).rows[0]
        plain = roll_out(
            task, replace(settings, seed=1000 + k, trials=648, variance_reduction=False)
        ).rows[0]
        joint = np.hypot(reduced.error, plain.error)
        if joint > 1e-6:
            z.append((reduced.equity - plain.equity) / joint)
            factor.append(plain.error * 3 / reduced.error / reduced.reduction)
    chi_square = float((np.array(z) ** 2).sum())
    print(
        f"\nchi-square {chi_square:.1f} of {len(z)}; the errors' ratio over the factor reported, "
        f"median {np.median(factor):.3f}"
    )
    assert abs(chi_square - len(z)) < 4 * np.sqrt(2 * len(z))
    assert 0.85 < np.median(factor) < 1.15


def test_memory_does_not_grow_with_trials() -> None:
    code = (
        "import resource, sys\n"
        "from gnubg_py.board import START\n"
        "from gnubg_py.cube.state import Cube\n"
        "from gnubg_py.rollouts.run import roll_out\n"
        "from gnubg_py.rollouts.settings import RolloutSettings\n"
        "from gnubg_py.rollouts.task import position_task\n"
        "s = RolloutSettings(trials=100_000, truncate=2)\n"
        "r = roll_out(position_task(START, Cube()), s)\n"
        "print(r.trials, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    out, took = spent([sys.executable, "-c", code], 3000)
    trials, kibibytes = map(int, out.split())
    print(f"\n{trials} trials in {took.wall:.0f} s, at most {kibibytes / 2**20:.2f} GiB")
    assert kibibytes < 2 * 2**20
