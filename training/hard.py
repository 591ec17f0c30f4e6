"""Hard positions: those of a run with the largest residuals, from which some games begin again.

A net can learn most from positions with a large residual (the value one roll ahead less its own).
This helps most when training has slowed down (Regret-Guided Search Control, arXiv 2602.20809).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards

_FADING = 0.97
"""Each round multiplies residuals by this, so that new positions replace old ones."""


@dataclass(frozen=True)
class Hard:
    """Positions int8[h, 2, 25] and their absolute residuals float32[h], the largest first."""

    boards: Boards
    residuals: NDArray[np.float32]


NO_HARD = Hard(np.zeros((0, 2, 25), np.int8), np.zeros(0, np.float32))


def with_new(hard: Hard, boards: Boards, residuals: NDArray[np.floating], most: int) -> Hard:
    """The ``most`` old or new positions with the largest residuals, each position once."""
    old = _FADING * hard.residuals
    least = old[-1] if len(old) >= most else 0.0
    new = np.abs(residuals) > least
    # New positions come first, so that their old residuals are dropped.
    both = np.concatenate([boards[new], hard.boards])
    sizes = np.concatenate([np.abs(residuals[new]), old]).astype(np.float32)
    keys = np.ascontiguousarray(both).reshape(len(both), -1).view("V50").reshape(-1)
    once = np.unique(keys, return_index=True)[1]
    best = once[np.argsort(-sizes[once], kind="stable")[:most]]
    return Hard(both[best], sizes[best])


def draw_hard(hard: Hard, count: int, generator: np.random.Generator) -> Boards:
    """``count`` of the positions, drawn by the square roots of their residuals."""
    weights = np.sqrt(hard.residuals.astype(np.float64))
    return hard.boards[generator.choice(len(weights), size=count, p=weights / weights.sum())]
