"""The dice of a rollout's trials: each depends on the seed, the trial's number and the turn alone.

Stratified, the first three rolls are spread evenly: of every 36 trials in a row (from a multiple
of 36 on) each has its own first roll, its own second and its own third; of every 1,296 each has its
own pair of first and second, and of first and third; of every 46,656 its own three. So a rollout
stopped early has seen every roll equally often, as long as it did whole 36s. Later rolls are
random.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gnubg_py.kernel_cache import njit
from gnubg_py.keys import mix

STRATIFIED_TURNS = 3
_ALL_ROLLS, _FIRST_ROLLS = 36, 30
"""Rolls that can come, and those of a game's first roll, which is no double."""


@njit(cache=True, nogil=True)
def _fill_random(trials, turn, seed, faces, out):  # type: ignore[no-untyped-def]
    for i in range(len(trials)):
        key = mix(np.uint64(trials[i]), mix(np.uint64(turn + 1), np.uint64(seed)))
        out[i] = np.int64(key % np.uint64(faces))


@lru_cache(maxsize=64)
def _permutations(seed: int, turn: int, faces: int) -> tuple[NDArray[np.int64], ...]:
    """What the rolls of a turn go by: a permutation of them, and shifts by earlier digits."""
    generator = np.random.default_rng([seed, turn])
    return tuple(generator.permutation(n) for n in (faces, _ALL_ROLLS, _ALL_ROLLS))


def trial_dice(
    trials: NDArray[np.int64],
    turn: int,
    seed: int,
    *,
    stratified: bool = True,
    no_double_first: bool = False,
) -> NDArray[np.int8]:
    """The roll of each trial at a turn, larger die first, ``int64[n] -> int8[n, 2]``.

    With ``no_double_first`` the first roll is one of 30, and 36 above reads 30 for it.

    >>> [len(np.unique(trial_dice(np.arange(36), t, seed=7), axis=0)) for t in range(3)]
    [21, 21, 21]
    """
    first = _FIRST_ROLLS if no_double_first else _ALL_ROLLS
    faces = first if turn == 0 else _ALL_ROLLS
    if stratified and turn < STRATIFIED_TURNS:
        own, by_first, by_second = _permutations(seed, turn, faces)
        digits = (
            trials % first,
            trials // first % _ALL_ROLLS,
            trials // (first * _ALL_ROLLS) % _ALL_ROLLS,
        )
        # Three digits give three rolls. Shifting a digit by those before it makes a Latin square:
        # where one of them runs through all its values and the others stay, so does the roll.
        at = digits[turn].copy()
        if turn > 0:
            at += by_first[digits[0]]
        if turn > 1:
            at += by_second[digits[1]]
        number = own[at % faces]
    else:
        number = np.empty(len(trials), np.int64)
        _fill_random(trials, turn, seed, faces, number)
    if faces == _FIRST_ROLLS:
        a, rest = number // 5 + 1, number % 5 + 1
        b = rest + (rest >= a)
    else:
        a, b = number // 6 + 1, number % 6 + 1
    return np.stack([np.maximum(a, b), np.minimum(a, b)], axis=1).astype(np.int8)
