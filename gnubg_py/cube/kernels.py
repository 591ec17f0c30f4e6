"""From five probabilities to a cubeful value, compiled; callable from other kernels.

A cube is a row of numbers here (``constants.py`` makes it): what the formulas need of the score,
worked out once. A value is, in money play, the equity in units of the cube; in match play the
match winning chance (mwc). It is that of the side on roll, which has not doubled this turn.

Janowski, "Take-points in money games" (1993): between a dead cube (gammons and wins as they are)
and a fully live one (every double at the last moment, so that the value is linear between the
points where a side cashes), ``value = (1 - x) * dead + x * live``. In match play the cash points
of a live cube follow from those of the cube at twice the value, down from a cube that is dead.

The efficiency x is read from a curve, by where the position is between those points: 0 at the take
point of the side on roll, 1 at its cash point. ``efficiency.py`` has the curves.
"""

from __future__ import annotations

import numpy as np

from gnubg_py.cube.doubling import with_double
from gnubg_py.kernel_cache import njit

MONEY_CENTRED, MONEY_OWN, MONEY_OTHER, MONEY_JACOBY = 0, 1, 2, 3
MATCH_DEAD, MATCH_CENTRED, MATCH_OWN, MATCH_OTHER = 4, 5, 6, 7

KIND = 0
CAN_DOUBLE = 1
DOUBLE_SCALE = 2  # what a value of the doubled cube is multiplied by: 2 in money play
PASS_VALUE = 3  # the value of a double that is passed
TOP_LEVEL = 4  # the number of doublings after which one more decides nothing
WIN, LOSE = 5, 8  # mwc on winning, losing the cube's value times 1, 2, 3
LEVELS = 11
# Of a side that doubles, at every level, in its own mwc: winning and losing the doubled cube times
# 1, 2, 3; the double passed; its opponent's redouble passed.
PASSED, REDOUBLE_PASSED = 6, 7
SIDE_SIZE = 8
LEVEL_SIZE = 2 * SIDE_SIZE
MAX_LEVELS = 7
SIZE = LEVELS + MAX_LEVELS * LEVEL_SIZE

CURVE_POINTS = 9
CURVE_FIRST = -0.5  # the place of a curve's first point, between the take and cash points at 0, 1
CURVE_PER_UNIT = 4.0

_NEVER = 1e-7
"""A chance below which a side's wins are taken to be single, as gnubg does in money play."""


@njit(cache=True, nogil=True, error_model="numpy")
def cubeful_value(w, wg, wbg, lg, lbg, curves, which, cube):  # type: ignore[no-untyped-def]
    """The value of one position's probabilities, floats.

    ``curves[which]``, float64[3, CURVE_POINTS], are the efficiency of a centred cube, of one's own,
    of the other side's. If the first starts with 0, the cube is dead. ``cube``: float64[SIZE].
    """
    if cube[KIND] < MATCH_DEAD:
        return _money_value(w, wg, wbg, lg, lbg, curves, which, int(cube[KIND]))
    return _match_value(w, wg, wbg, lg, lbg, curves, which, cube)


@njit(cache=True, nogil=True, error_model="numpy")
def efficiency_at(curves, which, owner, place):  # type: ignore[no-untyped-def]
    """The efficiency at a place between the take point (0) and the cash point (1), linearly.

    Read from ``curves[which, owner]`` without a view of it, which numba would have to count.
    """
    at = (place - CURVE_FIRST) * CURVE_PER_UNIT
    if at <= 0.0:
        return curves[which, owner, 0]
    if at >= CURVE_POINTS - 1:
        return curves[which, owner, CURVE_POINTS - 1]
    low = int(at)
    left = curves[which, owner, low]
    return left + (at - low) * (curves[which, owner, low + 1] - left)


@njit(cache=True, nogil=True, error_model="numpy")
def node_value(w, wg, wbg, lg, lbg, curves, which, cube, doubled):  # type: ignore[no-untyped-def]
    """The value when the side on roll may double first: ``doubled`` is the cube it then gives."""
    no_double = cubeful_value(w, wg, wbg, lg, lbg, curves, which, cube)
    if cube[CAN_DOUBLE] == 0.0:
        return no_double
    take = cube[DOUBLE_SCALE] * cubeful_value(w, wg, wbg, lg, lbg, curves, which, doubled)
    return with_double(no_double, take, cube[PASS_VALUE])


@njit(cache=True, nogil=True, error_model="numpy")
def _money_value(w, wg, wbg, lg, lbg, curves, which, kind):  # type: ignore[no-untyped-def]
    win, loss = wins_and_losses(w, wg, wbg, lg, lbg)
    return _mixed(w, wg + wbg - lg - lbg, win, loss, curves, which, kind)


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def wins_and_losses(w, wg, wbg, lg, lbg):  # type: ignore[no-untyped-def]
    """The average value of a win and of a loss, gammons counted."""
    win = 1.0 + (wg + wbg) / w if w > _NEVER else 1.0
    loss = 1.0 + (lg + lbg) / (1.0 - w) if w < 1.0 - _NEVER else 1.0
    return win, loss


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def money_place(w, win, loss):  # type: ignore[no-untyped-def]
    """Where a winning chance is between the take point (0) and the cash point (1) in money play."""
    return (w * (win + loss + 0.5) - loss + 0.5) / 1.5


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _mixed(w, gammons, win, loss, curves, which, kind):  # type: ignore[no-untyped-def]
    """The value in money play, between a dead cube and a live one."""
    dead = 2.0 * w - 1.0
    if kind != MONEY_JACOBY:
        dead += gammons
    place = money_place(w, win, loss)
    x = efficiency_at(curves, which, 0 if kind == MONEY_JACOBY else kind, place)
    return (1.0 - x) * dead + x * _money_live(w, win, loss, kind)


@njit(cache=True, nogil=True, error_model="numpy")
def _money_live(w, win, loss, kind):  # type: ignore[no-untyped-def]
    """Piecewise linear through (0, -loss), (take point, -1), (cash point, 1) and (1, win).

    On the scale of ``at`` a side takes from ``loss - 1/2`` and cashes from ``loss + 1``.
    """
    at = w * (win + loss + 0.5)
    if kind != MONEY_OWN:
        if at < loss - 0.5:
            return -1.0 if kind == MONEY_JACOBY else (loss - 1.0) * at / (loss - 0.5) - loss
        if kind == MONEY_OTHER:
            return at - loss - 0.5
    if at >= loss + 1.0:
        if kind == MONEY_JACOBY:
            return 1.0
        return 1.0 + (win - 1.0) * (at - loss - 1.0) / (win - 0.5)
    if kind == MONEY_OWN:
        return at - loss
    return (at - loss + 0.5) * (4.0 / 3.0) - 1.0


@njit(cache=True, nogil=True, error_model="numpy")
def _match_value(w, wg, wbg, lg, lbg, curves, which, cube):  # type: ignore[no-untyped-def]
    g1, b1, g2, b2 = gammon_shares(w, wg, wbg, lg, lbg)
    win = _weigh(cube, WIN, g1, b1)
    loss = _weigh(cube, LOSE, g2, b2)
    dead = loss + (win - loss) * w
    kind = int(cube[KIND])
    if kind == MATCH_DEAD or curves[which, 0, 0] == 0.0:
        return dead
    cash, other_cash = live_cash_points(g1, b1, g2, b2, cube)
    take = 1.0 - other_cash
    live = _match_live(w, win, loss, cash, take, cube)
    place = (w - take) / (cash - take) if cash > take else 0.5
    x = efficiency_at(curves, which, kind - MATCH_CENTRED, place)
    return (1.0 - x) * dead + x * live


@njit(cache=True, nogil=True, error_model="numpy")
def _match_live(w, win, loss, cash, take_point, cube):  # type: ignore[no-untyped-def]
    """Piecewise linear through (0, loss), the take point, the cash point, and (1, win)."""
    kind = int(cube[KIND])
    left, low = 0.0, loss
    if kind != MATCH_OWN:
        if w < take_point:
            return loss + (cube[LOSE] - loss) * w / take_point
        left, low = take_point, cube[LOSE]
    right, high = 1.0, win
    if kind != MATCH_OTHER:
        if w >= cash:
            return _between(w, cash, cube[WIN], 1.0, win)
        right, high = cash, cube[WIN]
    return _between(w, left, low, right, high)


@njit(cache=True, nogil=True, error_model="numpy")
def _between(w, left, low, right, high):  # type: ignore[no-untyped-def]
    return low + (high - low) * (w - left) / (right - left) if right > left else high


@njit(cache=True, nogil=True, error_model="numpy")
def gammon_shares(w, wg, wbg, lg, lbg):  # type: ignore[no-untyped-def]
    """The shares of gammons and of backgammons in a side's wins: (on roll's two, other's two)."""
    wins = 1.0 / w if w > 0.0 else 0.0
    losses = 1.0 / (1.0 - w) if w < 1.0 else 0.0
    return (wg - wbg) * wins, wbg * wins, (lg - lbg) * losses, lbg * losses


@njit(cache=True, nogil=True, error_model="numpy")
def _weigh(cube, at, gammons, backgammons):  # type: ignore[no-untyped-def]
    single = 1.0 - gammons - backgammons
    return single * cube[at] + gammons * cube[at + 1] + backgammons * cube[at + 2]


@njit(cache=True, nogil=True, error_model="numpy")
def live_cash_points(g1, b1, g2, b2, cube):  # type: ignore[no-untyped-def]
    """The winning chance from which a double at this cube is a pass: (side on roll's, other's).

    At the last level the double makes a dead cube: the other should pass where taking and playing
    on has a lower mwc than passing. At lower levels, the taker will redouble and cash in turn:
    between the point where it does so and a certain win, the doubler's mwc is linear.
    """
    level = int(cube[TOP_LEVEL])
    at = LEVELS + level * LEVEL_SIZE
    mine = _dead_cash_point(cube, at, g1, b1, g2, b2)
    theirs = _dead_cash_point(cube, at + SIDE_SIZE, g2, b2, g1, b1)
    while level > 0:
        level -= 1
        at -= LEVEL_SIZE
        mine, theirs = (
            1.0 - theirs * _redoubled_share(cube, at, g1, b1),
            1.0 - mine * _redoubled_share(cube, at + SIDE_SIZE, g2, b2),
        )
    return mine, theirs


@njit(cache=True, nogil=True, error_model="numpy")
def _dead_cash_point(cube, at, g1, b1, g2, b2):  # type: ignore[no-untyped-def]
    win = _weigh(cube, at, g1, b1)
    loss = _weigh(cube, at + 3, g2, b2)
    return (loss - cube[at + PASSED]) / (loss - win)


@njit(cache=True, nogil=True, error_model="numpy")
def _redoubled_share(cube, at, g1, b1):  # type: ignore[no-untyped-def]
    win = _weigh(cube, at, g1, b1)
    return (cube[at + PASSED] - win) / (cube[at + REDOUBLE_PASSED] - win)


@njit(cache=True, nogil=True)
def fill_values(probabilities, curves, which, cubes, doubled, numbers, may_double, out):  # type: ignore[no-untyped-def]
    """``out[i, j]``: position i with cube ``numbers[i, j]``, or ``numbers[0, j]`` if it is one row.

    The efficiency of its cube is on the curves ``curves[which[i]]``, float64[3, CURVE_POINTS].

    ``cubes`` and ``doubled`` are the rows of all cubes, as they are and doubled by the side on
    roll. That side doubles first where it is better, if it ``may_double``.
    """
    if numbers.shape[0] == 1 and _are_money(cubes, numbers):
        _fill_money_values(probabilities, curves, which, cubes, doubled, numbers, may_double, out)
        return
    step = 0 if numbers.shape[0] == 1 else 1
    for i in range(probabilities.shape[0]):
        p = probabilities[i]
        w, wg, wbg, lg, lbg = p[0], p[1], p[2], p[3], p[4]
        for j in range(numbers.shape[1]):
            k = numbers[i * step, j]
            if cubes[k, KIND] < MATCH_DEAD:
                win, loss = wins_and_losses(w, wg, wbg, lg, lbg)
                gammons, kind = wg + wbg - lg - lbg, int(cubes[k, KIND])
                value = _mixed(w, gammons, win, loss, curves, which[i], kind)
                if may_double and cubes[k, CAN_DOUBLE] != 0.0:
                    kind = int(doubled[k, KIND])
                    take = _mixed(w, gammons, win, loss, curves, which[i], kind)
                    take *= cubes[k, DOUBLE_SCALE]
                    value = with_double(value, take, cubes[k, PASS_VALUE])
                out[i, j] = value
            elif may_double:
                out[i, j] = node_value(w, wg, wbg, lg, lbg, curves, which[i], cubes[k], doubled[k])
            else:
                out[i, j] = cubeful_value(w, wg, wbg, lg, lbg, curves, which[i], cubes[k])


@njit(cache=True, nogil=True)
def _are_money(cubes, numbers):  # type: ignore[no-untyped-def]
    """Whether the cubes of one row of numbers are all of money play."""
    highest = 0.0
    for k in numbers[0]:
        highest = max(highest, cubes[k, KIND])
    return highest < MATCH_DEAD


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_money_values(probabilities, curves, which, cubes, doubled, numbers, may_double, out):  # type: ignore[no-untyped-def]
    """``fill_values`` where all positions have the same cubes, of money play.

    A value of each kind of cube is computed once: a double of one is often another one.
    """
    values, needed = np.empty(MATCH_DEAD), np.zeros(MATCH_DEAD, np.bool_)
    for k in numbers[0]:
        needed[int(cubes[k, KIND])] = True
        if may_double and cubes[k, CAN_DOUBLE] != 0.0:
            needed[int(doubled[k, KIND])] = True
    for i in range(probabilities.shape[0]):
        p = probabilities[i]
        w, wg, wbg, lg, lbg = p[0], p[1], p[2], p[3], p[4]
        win, loss = wins_and_losses(w, wg, wbg, lg, lbg)
        gammons = wg + wbg - lg - lbg
        for kind in range(MATCH_DEAD):
            if needed[kind]:
                values[kind] = _mixed(w, gammons, win, loss, curves, which[i], kind)
        for j in range(numbers.shape[1]):
            k = numbers[0, j]
            value = values[int(cubes[k, KIND])]
            if may_double and cubes[k, CAN_DOUBLE] != 0.0:
                take = cubes[k, DOUBLE_SCALE] * values[int(doubled[k, KIND])]
                value = with_double(value, take, cubes[k, PASS_VALUE])
            out[i, j] = value


@njit(cache=True, nogil=True, error_model="numpy")
def fill_node_values(five, begin, end, curves, numbers, classes, cube, doubled, out):  # type: ignore[no-untyped-def]
    """``out[k]``: the ``node_value`` of row k of ``five``, from ``begin`` to ``end``.

    Its curves are those of its class: ``numbers[classes[k]]``.
    """
    if cube[KIND] >= MATCH_DEAD:
        for k in range(begin, end):
            w, wg, wbg, lg, lbg = five[k, 0], five[k, 1], five[k, 2], five[k, 3], five[k, 4]
            which = numbers[classes[k]]
            out[k] = node_value(w, wg, wbg, lg, lbg, curves, which, cube, doubled)
        return
    kind, other, can_double = int(cube[KIND]), int(doubled[KIND]), cube[CAN_DOUBLE] != 0.0
    for k in range(begin, end):
        w, wg, wbg, lg, lbg = five[k, 0], five[k, 1], five[k, 2], five[k, 3], five[k, 4]
        which, gammons = numbers[classes[k]], wg + wbg - lg - lbg
        win, loss = wins_and_losses(w, wg, wbg, lg, lbg)
        value = _mixed(w, gammons, win, loss, curves, which, kind)
        if can_double:
            take = cube[DOUBLE_SCALE] * _mixed(w, gammons, win, loss, curves, which, other)
            value = with_double(value, take, cube[PASS_VALUE])
        out[k] = value
