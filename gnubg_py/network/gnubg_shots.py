"""Shots, as gnubg's nets count them: what the 36 rolls of a side hit, and how much it costs.

Some of it is a rule of thumb, not the rules of the game; nets were trained on it, so the
details matter:

- A blot on the other side's two rearmost places counts only if this side holds a checker on three
  home places at least. A checker of a home point of exactly two does not hit.
- A die can hit directly; both dice together, with one of the two places between open; of a double
  two, three and four dice together, with every place between open.
- With a checker on the bar only shots from the bar use both dice; a die hits from elsewhere if the
  other enters. With more on the bar only a single die from the bar hits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gnubg_py.kernel_cache import njit

BLOCKS = 4096
"""Ways to hold some of 12 places."""
_BAR = 24
PER_36, _PER_432 = (np.float32(1) / np.float32(n) for n in (36, 432))


@njit(cache=True, nogil=True)
def _may_hit(mine: Any, p: int) -> bool:  # pragma: no cover - compiled
    return mine[p] > 0 and not (p < 6 and mine[p] == 2)


@njit(cache=True, nogil=True)
def _is_open(
    theirs: Any, blot: int, a: int, b: int, dice: int
) -> bool:  # pragma: no cover - compiled
    """Whether ``dice`` dice lead to the blot: both orders are tried, a double needs every place."""
    if dice == 1:
        return True
    if a != b:
        return bool(theirs[blot - a] < 2 or theirs[blot - b] < 2)
    blocked = False
    for k in range(1, dice):
        blocked |= theirs[blot - k * a] > 1
    return not blocked


@njit(cache=True, nogil=True)
def _hitters(
    mine: Any, theirs: Any, deepest: int, a: int, b: int, pips: int, dice: int
) -> int:  # pragma: no cover - compiled
    """The places, as bits, from which ``dice`` dice of a roll hit a blot ``pips`` away."""
    found = 0
    for blot in range(max(pips - 1, 0), deepest + 1):
        p = 23 - blot + pips
        if (
            theirs[blot] == 1
            and p < 25
            and _may_hit(mine, p)
            and _is_open(theirs, blot, a, b, dice)
        ):
            found |= 1 << p
    return found


@njit(cache=True, nogil=True)
def _highest(bits: int) -> int:  # pragma: no cover - compiled
    p = 0
    while bits > 1:
        bits >>= 1
        p += 1
    return p


@njit(cache=True, nogil=True)
def _way(a: int, b: int, k: int) -> tuple[int, int]:  # pragma: no cover - compiled
    """Pips and dice of the k-th way to play a roll: a die, the other, both; 1 to 4 of a double."""
    if a == b:
        return (k + 1) * a, k + 1
    return (a, 1) if k == 0 else (b, 1) if k == 1 else (a + b, 2)


@njit(cache=True, nogil=True)
def _blot_between(
    theirs: Any, origin: int, a: int, b: int, dice: int
) -> bool:  # pragma: no cover - compiled
    """Whether a blot stands where a checker from ``origin`` (the other's place) can touch down."""
    if a != b:
        return bool(theirs[origin + a] == 1 or theirs[origin + b] == 1)
    found = False
    for k in range(1, dice):
        found |= theirs[origin + k * a] == 1
    return found


@njit(cache=True, nogil=True)
def _free_roll(
    mine: Any, theirs: Any, deepest: int, a: int, b: int
) -> tuple[int, int]:  # pragma: no cover - compiled
    """Checkers that a roll hits, and pips that the costliest loses, with none on the bar."""
    hits = loss = 0
    last = -1
    for k in range(4 if a == b else 3):
        pips, dice = _way(a, b, k)
        hitters = _hitters(mine, theirs, deepest, a, b, pips, dice)
        if hitters == 0:
            continue
        p = _highest(hitters)
        loss = max(loss, p - pips + 1)
        if dice > 1:
            hits = max(hits, 1) + _blot_between(theirs, 23 - p, a, b, dice)
            continue
        if last != p or mine[p] > 1:
            hits += 1
        last = p
        if a == b and hitters != 1 << p:
            hits += 1
    return hits, loss


@njit(cache=True, nogil=True)
def _entering_roll(
    mine: Any, theirs: Any, deepest: int, a: int, b: int
) -> tuple[int, int]:  # pragma: no cover - compiled
    """The same with one checker on the bar."""
    hits = loss = 0
    entered = False
    for k in range(4 if a == b else 3):
        pips, dice = _way(a, b, k)
        hitters = _hitters(mine, theirs, deepest, a, b, pips, dice)
        if dice > 1:
            if hitters >> _BAR & 1:
                hits = max(hits, 1) + _blot_between(theirs, 1, a, b, dice)
                loss = max(loss, 25 - pips)
            continue
        other = _way(a, b, 1 - k)[0]
        for p in range(_BAR, 0, -1):
            if not hitters >> p & 1:
                continue
            if p != _BAR:
                if entered or theirs[other - 1] > 1:
                    break
                entered = True
            hits += 1
            loss = max(loss, p - pips + 1)
    return hits, loss


@njit(cache=True, nogil=True)
def _barred_roll(
    mine: Any, theirs: Any, deepest: int, a: int, b: int
) -> tuple[int, int]:  # pragma: no cover - compiled
    """The same with more checkers on the bar."""
    hits = loss = 0
    for k in range(2):
        pips, dice = _way(a, b, k)
        if dice == 1 and _hitters(mine, theirs, deepest, a, b, pips, dice) >> _BAR & 1:
            hits += 1
            loss = max(loss, 25 - pips)
    return hits, loss


@njit(cache=True, nogil=True)
def fill_shots(mine: Any, theirs: Any, x: Any) -> None:  # pragma: no cover - compiled
    """x[0:3]: pips lost by hits on average, of 12; chances to hit one checker, and two."""
    home = 0
    for p in range(6):
        home += mine[p] > 0
    deepest = 23 if home > 2 else 21
    lost = one = two = 0
    for a in range(1, 7):
        for b in range(a, 7):
            if mine[_BAR] == 0:
                hits, loss = _free_roll(mine, theirs, deepest, a, b)
            elif mine[_BAR] == 1:
                hits, loss = _entering_roll(mine, theirs, deepest, a, b)
            else:
                hits, loss = _barred_roll(mine, theirs, deepest, a, b)
            weight = 1 if a == b else 2
            lost += weight * loss
            one += weight * (hits > 0)
            two += weight * (hits > 1)
    x[0], x[1], x[2] = lost * _PER_432, one * PER_36, two * PER_36
