"""Rollouts whose luck is judged by a poor function, against equities known exactly.

One rollout is one number off by so many standard errors. None may be far off, and together they
should spread as chance does: the mean of all runs of one process is judged too.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff.numbering import all_positions
from gnubg_py.bearoff.two_sided import two_sided_without_double
from gnubg_py.board import Boards, describe
from gnubg_py.cube.state import Cube
from gnubg_py.evaluators.protocol import FunctionEvaluator
from gnubg_py.rollouts.run import roll_out
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.rollouts.task import position_task

TRIALS = 648
_FAR = 6.0
"""Standard errors that no rollout should be off by; one in 500 million is, by chance."""
_seen: list[float] = []


def poor_judge(seed: int) -> FunctionEvaluator:
    """A judge of luck that knows pips, more or less, and that alone."""
    weights = np.random.default_rng(seed).uniform(0, 1, 25) + np.arange(1, 26)

    def judge(boards: Boards) -> NDArray[np.float32]:
        pips = boards @ weights
        out = np.zeros((len(boards), 5), np.float32)
        out[:, 0] = 1 / (1 + np.exp((pips[:, 0] - pips[:, 1] - 4) / 6))
        return out

    return FunctionEvaluator(f"poor judge {seed}", judge)


def attack(seed: int, folder: Path, trials: int = TRIALS) -> int:
    """Roll out a random bearoff, cubeless or cubeful; the number of trials."""
    generator = np.random.default_rng(seed)
    rows = all_positions(6, 6)
    rows = rows[rows.sum(axis=1) == generator.integers(3, 7)]
    board = np.zeros((2, 25), np.int8)
    board[:, :6] = rows[generator.integers(0, len(rows), 2)]
    cubeful = bool(generator.integers(2))
    settings = RolloutSettings(
        trials=trials, seed=seed, cubeful=cubeful, stratified=False,
        truncate_two_sided=False, truncate_one_sided=False,
    )  # fmt: skip
    task = position_task(board, Cube())
    row = roll_out(task, settings, fast=poor_judge(seed)).rows[0]
    exact = float(two_sided_without_double(board[None])[0, int(cubeful)])
    if row.error > 1e-4:
        z = (row.equity - exact) / row.error
        _seen.append(z)
        where = f"{describe(board)}, cubeful {cubeful}: {row.equity:+.4f}, exact {exact:+.4f}"
        assert abs(z) < _FAR, f"{where}: {z:+.1f} standard errors"
        assert abs(sum(_seen)) < _FAR * len(_seen) ** 0.5, f"mean of {len(_seen)} z: {_summary()}"
    return trials


def _summary() -> str:
    z = np.array(_seen)
    return f"{z.mean():+.2f}, chi-square {float((z**2).sum()):.1f}"
