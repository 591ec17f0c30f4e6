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


def new_draw() -> int:
    """The draw of a search or rollout whose noise is not deterministic, another one at every call.

    So equal hints get different noise, and a session with the same seed and commands gets the same
    noise again.
    """
    return next(_draws)


@dataclass(frozen=True)
class NoisyEvaluator:
    """``evaluator`` with normal noise on every probability of a game that is not over.

    Probabilities stay between 0 and 1 and nested. Noise is a function of the position, the seed
    and the draw, which is 0 for deterministic noise.
    """

    evaluator: Evaluator
    noise: float
    seed: int
    draw: int = 0

    @property
    def name(self) -> str:
        return f"{self.evaluator.name} with noise {self.noise:g}"

    @property
    def identity(self) -> Hashable:
        """What the values depend on."""
        return (self.evaluator.identity, self.noise, self.seed, self.draw)

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        out = self.evaluator(boards).copy()
        playing = np.all(np.any(boards, axis=2), axis=1)
        stream = (self.seed << 32) + self.draw if self.draw else self.seed << 1
        normal = np.empty((len(boards), 5))
        _fill_normal(board_keys(boards), np.uint64(stream & 0xFFFFFFFFFFFFFFFF), normal)
        out[playing] += (self.noise * normal[playing]).astype(np.float32)
        return nested(out)
