"""Compiled loops of rollouts: cubeful values of games that each have their own cube."""

from __future__ import annotations

from numba import njit

from gnubg_py.cube.kernels import CAN_DOUBLE, DOUBLE_SCALE, PASS_VALUE, cubeful_value, node_value


@njit(cache=True, nogil=True)
def fill_node_values(probabilities, efficiency, cubes, doubled, which, out):  # type: ignore[no-untyped-def]
    """``out[i]``: position i with cube ``which[i]``, the side on roll free to double first."""
    for i in range(probabilities.shape[0]):
        p = probabilities[i]
        k = which[i]
        out[i] = node_value(p[0], p[1], p[2], p[3], p[4], efficiency[i], cubes[k], doubled[k])


@njit(cache=True, nogil=True)
def fill_decisions(probabilities, efficiency, cubes, doubled, which, out):  # type: ignore[no-untyped-def]
    """``out[i]``: the values of no double and double/take, in units of cube ``which[i]``."""
    for i in range(probabilities.shape[0]):
        p = probabilities[i]
        k = which[i]
        out[i, 0] = cubeful_value(p[0], p[1], p[2], p[3], p[4], efficiency[i], cubes[k])
        take = cubeful_value(p[0], p[1], p[2], p[3], p[4], efficiency[i], doubled[k])
        out[i, 1] = cubes[k, DOUBLE_SCALE] * take


PLAY_ON, TAKEN, PASSED = 0, 1, 2


@njit(cache=True, nogil=True)
def fill_actions(values, gammons, cubes, which, out):  # type: ignore[no-untyped-def]
    """What is done with the cube: ``values[i]`` of no double and double/take, as gnubg decides.

    ``gammons[i]``: whether the side on roll can win one that counts; else it is never too good.
    """
    for i in range(values.shape[0]):
        no_double = values[i, 0]
        take = values[i, 1]
        passed = cubes[which[i], PASS_VALUE]
        out[i] = PLAY_ON
        if cubes[which[i], CAN_DOUBLE] == 0.0:
            continue
        if take >= no_double and no_double <= passed:
            out[i] = TAKEN if take < passed else PASSED
        elif take > passed and not gammons[i]:
            out[i] = PASSED


@njit(cache=True, nogil=True)
def fill_lowest_equities(probabilities, offsets, prices, which, out):  # type: ignore[no-untyped-def]
    """``out[i]``: of rows ``offsets[i]:offsets[i + 1]`` the first of the lowest cubeless equity.

    Gammons count as in row ``which[i // 21]`` of ``prices``: there are 21 rolls to a game.
    """
    for i in range(len(offsets) - 1):
        price = prices[which[i // 21]]
        best = offsets[i]
        lowest = 99.0
        for j in range(offsets[i], offsets[i + 1]):
            p = probabilities[j]
            equity = 0.0
            for k in range(5):
                equity += p[k] * price[k]
            if equity < lowest:
                lowest = equity
                best = j
        out[i] = best
