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
def fill_equities(probabilities, offsets, prices, which, out):  # type: ignore[no-untyped-def]
    """``out[j]``: cubeless equity of row j, but for a constant.

    Gammons count as row ``which[i]`` of ``prices`` has it in rows ``offsets[i]:offsets[i + 1]``.
    """
    for i in range(len(offsets) - 1):
        price = prices[which[i]]
        for j in range(offsets[i], offsets[i + 1]):
            equity = 0.0
            for k in range(5):
                equity += probabilities[j, k] * price[k]
            out[j] = equity


@njit(cache=True, nogil=True)
def fill_lowest(scores, offsets, keep, within, rows, ends):  # type: ignore[no-untyped-def]
    """The ``keep`` lowest scores of each group, first of equals first; returns how many in all.

    Group i is ``offsets[i]:offsets[i + 1]``; ``rows[ends[i]:ends[i + 1]]`` are those it keeps,
    lowest first, less those more than ``within`` above the lowest.
    """
    n = 0
    ends[0] = 0
    for i in range(len(offsets) - 1):
        begin = n
        for j in range(offsets[i], offsets[i + 1]):
            if n - begin == keep:
                if scores[j] >= scores[rows[n - 1]]:
                    continue
                n -= 1
            at = n
            while at > begin and scores[rows[at - 1]] > scores[j]:
                rows[at] = rows[at - 1]
                at -= 1
            rows[at] = j
            n += 1
        while scores[rows[n - 1]] > scores[rows[begin]] + within:
            n -= 1
        ends[i + 1] = n
    return n
