"""The risk of a side's blots: the chance of hits and their cost, as one number from 0 to 1.

Each point on which the opponent has checkers (or the bar) is an attacker, and the rolls that hit
are counted for each attacker. Our made points block its moves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnubg_py.kernel_cache import njit

DIRECT_SHOTS = 11  # the number of the 36 rolls that show one given number


def _impacts() -> NDArray[np.float64]:
    """The cost of being hit on each point, by the zone of the blot's own side."""
    p = np.arange(1, 25)
    zones = [
        1.0 - 0.03 * (p - 1),
        0.8 - 0.05 * (p - 7),
        0.5 - 0.05 * (p - 13),
        0.2 - 0.02 * (p - 19),
    ]
    return np.clip(np.choose((p - 1) // 6, zones), 0.1, 1.0)


IMPACTS = _impacts()
"""float64[24], point p at index p - 1."""
IMPACTS.setflags(write=False)


@njit(cache=True, nogil=True)
def hitting_rolls(own, attacker, blot):  # type: ignore[no-untyped-def]
    """The number of the 36 rolls that bring a checker from ``attacker`` to ``blot``.

    Both are indices of our row ``own`` int8[25]. The attacker moves to higher indices, from -1 if
    it is on the bar, and cannot land on our points of two or more checkers.
    """
    distance = blot - attacker
    rolls = DIRECT_SHOTS if distance <= 6 else 0
    for small in range(1, 7):
        large = distance - small
        if small < large <= 6 and (own[attacker + small] < 2 or own[attacker + large] < 2):
            rolls += 2
        for steps in range(2, 5):
            if small * steps == distance:
                is_open = True
                for step in range(1, steps):
                    is_open = is_open and own[attacker + step * small] < 2
                rolls += is_open
    return rolls


@njit(cache=True, nogil=True)
def blot_risk(own, opp):  # type: ignore[no-untyped-def]
    """1 - product over our blots of (1 - risk); risk = min(1, hitting rolls / 36) x impact."""
    safe = 1.0
    for i in range(24):
        if own[i] != 1:
            continue
        rolls = 0
        for attacker in range(-1, i):
            if opp[23 - attacker] > 0:
                rolls += hitting_rolls(own, attacker, i)
        safe *= 1.0 - min(1.0, rolls / 36.0) * IMPACTS[i]
    return 1.0 - safe
