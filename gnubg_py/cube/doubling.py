"""gnubg's rule for doubling, once: what to do by three values, and what a position is then worth.

The three values are those of no double, of a double that is taken and of one that is passed.
``decide`` gives the proper actions: a decision of one position (``cube_decision``) and the games of
a rollout (``decisions``) follow it. ``with_double`` gives the value when both sides do what is best
for them: searches, static cubeful values and rollouts call it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnubg_py.kernel_cache import njit

NO_DOUBLE, DOUBLE, OPTIONAL, TOO_GOOD = range(4)
"""What the side on roll should do; OPTIONAL is a double."""

_OPTIONAL = 1e-5
"""Doubling is optional when it changes the equity by no more than this, as gnubg has it."""


@njit(cache=True, nogil=True)
def decide(no_double, take, passed, gammons):  # type: ignore[no-untyped-def]
    """The proper action by the three values: NO_DOUBLE to TOO_GOOD, and whether to pass.

    ``gammons``: whether the side on roll can win a gammon that counts; without, it is never too
    good to double. Ties go as in gnubg.
    """
    if take >= no_double and no_double <= passed:
        if take < passed:
            return (OPTIONAL if abs(take - no_double) <= _OPTIONAL else DOUBLE), False
        optional = abs(passed - no_double) <= _OPTIONAL and gammons
        return (OPTIONAL if optional else DOUBLE), True
    if take > passed:
        return (TOO_GOOD if gammons else DOUBLE), True
    return (TOO_GOOD if no_double > passed and gammons else NO_DOUBLE), False


@njit(cache=True, nogil=True)
def _fill_decisions(values, passed, gammons, doubles, passes):  # type: ignore[no-untyped-def]
    for i in range(values.shape[0]):
        action, is_pass = decide(values[i, 0], values[i, 1], passed[i], gammons[i])
        doubles[i] = action in (DOUBLE, OPTIONAL)
        passes[i] = is_pass


def decisions(
    values: NDArray[np.float64], passed: NDArray[np.float64], gammons: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether to double, and whether a double is passed, ``bool[n]`` each.

    ``values`` float64[n, 2] are of no double and of double/take, ``passed`` float64[n] of a double
    that is passed. ``gammons`` as for ``decide``. The side on roll may double in all of them.
    """
    doubles, passes = np.empty(len(values), np.bool_), np.empty(len(values), np.bool_)
    _fill_decisions(values, passed, gammons, doubles, passes)
    return doubles, passes


@njit(cache=True, nogil=True, forceinline=True)
def with_double(no_double, take, passed):  # type: ignore[no-untyped-def]
    """The value if the side on roll doubles where that is better, and the other answers rightly."""
    return max(no_double, min(take, passed))


@njit(cache=True, nogil=True)
def _fill_with_double(values, passed, may_double, out):  # type: ignore[no-untyped-def]
    for i in range(len(out)):
        out[i] = values[i, 0]
        if may_double[i]:
            out[i] = with_double(values[i, 0], values[i, 1], passed[i])


def values_with_double(
    values: NDArray[np.float64], passed: NDArray[np.float64], may_double: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """``with_double`` where the side on roll ``may_double`` bool[n], else the value of no double.

    ``values`` float64[n, 2] and ``passed`` float64[n] as for ``decisions``. Returns float64[n].
    """
    out = np.empty(len(values))
    _fill_with_double(values, passed, may_double, out)
    return out
