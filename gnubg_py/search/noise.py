"""Noise: an evaluator that errs, as gnubg's weaker presets do."""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.kernel_cache import njit
from gnubg_py.keys import board_keys, mix
from gnubg_py.probabilities import nested


@njit(cache=True, nogil=True)
def _fill_normal(keys, stream, out):  # type: ignore[no-untyped-def]
    """Five standard normal numbers of each key and ``stream``, by Box and Muller's transform."""
    for i in range(keys.shape[0]):
        state = mix(mix(keys[i, 0], keys[i, 1]), stream)
        for j in range(0, 5, 2):
            state = mix(state, np.uint64(j + 1))
            u = (np.float64(state >> np.uint64(11)) + 1.0) / 2.0**53
            state = mix(state, np.uint64(j + 2))
            angle = 2.0 * np.pi * np.float64(state >> np.uint64(11)) / 2.0**53
            radius = np.sqrt(-2.0 * np.log(u))
            out[i, j] = radius * np.cos(angle)
            if j + 1 < 5:
                out[i, j + 1] = radius * np.sin(angle)


_draws = itertools.count(1)
"""Numbers the evaluations with noise that is not deterministic, over the whole session: equal
hints get different noise, and a session with the same seed and commands gets the same again."""


@dataclass(frozen=True)
class NoisyEvaluator:
    """``evaluator`` with normal noise on every probability of a game that is not over.

    Probabilities stay between 0 and 1 and nested. Deterministic noise is a function of the
    position and the seed; other noise also of how many evaluations had such noise before.
    """

    evaluator: Evaluator
    noise: float
    seed: int
    deterministic: bool = True

    @property
    def name(self) -> str:
        return f"{self.evaluator.name} with noise {self.noise:g}"

    @property
    def identity(self) -> Hashable:
        """What the noise depends on; noise that is drawn anew is like no other."""
        if not self.deterministic:
            return ("noise", id(self))
        return (self.evaluator.identity, self.noise, self.seed)

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        out = self.evaluator(boards).copy()
        playing = np.all(np.any(boards, axis=2), axis=1)
        stream = (self.seed << 1) if self.deterministic else (self.seed << 32) + next(_draws)
        normal = np.empty((len(boards), 5))
        _fill_normal(board_keys(boards), np.uint64(stream & 0xFFFFFFFFFFFFFFFF), normal)
        out[playing] += (self.noise * normal[playing]).astype(np.float32)
        return nested(out)
