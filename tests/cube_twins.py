"""Cubes to test with, and the cubeful formulas in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from gnubg_py.cube.kernels import CURVE_FIRST, CURVE_PER_UNIT, CURVE_POINTS
from gnubg_py.cube.met import MatchEquityTable, kazaross_xg2
from gnubg_py.cube.state import CENTRED, OTHER, OWN, Cube
from gnubg_py.cube.values import cube_table, cubeful_values
from gnubg_py.probabilities import Floats

MET = kazaross_xg2()
Efficiency: TypeAlias = float | Sequence[Sequence[float]]
"""A constant, or curves for a centred cube, one's own, the other side's."""


@st.composite
def cubes(draw: st.DrawFn, longest: int = 25) -> Cube:
    """Any cube that can be, in money play and in matches."""
    money = draw(st.booleans())
    value = 1 << draw(st.integers(0, 5))
    owner = CENTRED if value == 1 else draw(st.sampled_from([OWN, OTHER]))
    if money:
        return Cube(value, owner, jacoby=draw(st.booleans()), beavers=draw(st.booleans()))
    points = st.integers(1, longest)
    away = draw(points), draw(points)
    crawford = 1 in away and value == 1 and draw(st.booleans())
    return Cube(value, owner, away, crawford)


def random_probabilities(n: int, seed: int) -> NDArray[np.float32]:
    """Nested probabilities of every kind, some of them certain and some without gammons."""
    generator = np.random.default_rng(seed)
    w = generator.random(n)
    w[:4] = 0.0, 1.0, 1e-9, 0.5
    shares = np.sort(generator.random((n, 4)).reshape(n, 2, 2), axis=2)[:, :, ::-1]
    shares[generator.random(n) < 0.3] = 0.0
    sides = np.stack([w, 1 - w], axis=1)[:, :, None] * shares
    return np.concatenate([w[:, None], sides.reshape(n, 4)], axis=1).astype(np.float32)


def average(p: float, gammon: float, backgammon: float) -> tuple[float, float, float]:
    """The shares of single wins, gammons and backgammons in a side's wins."""
    if p <= 0:
        return 1.0, 0.0, 0.0
    return 1 - gammon / p, (gammon - backgammon) / p, backgammon / p


def interpolate(w: float, points: list[tuple[float, float]]) -> float:
    """The piecewise linear function through the points, at ``w``."""
    return float(np.interp(w, [x for x, _ in points], [y for _, y in points]))


def plain_efficiency(x: Efficiency, cube: Cube, take: float, cash: float, w: float) -> float:
    """A constant, or the value of the owner's curve between the take and the cash point."""
    if isinstance(x, float):
        return x
    place = (w - take) / (cash - take) if cash > take else 0.5
    knots = CURVE_FIRST + np.arange(CURVE_POINTS) / CURVE_PER_UNIT
    return float(np.interp(place, knots, x[(CENTRED, OWN, OTHER).index(cube.owner)]))


def plain_money(p: list[float], x: Efficiency, cube: Cube) -> float:
    w, wg, wb, lg, lb = p
    win = 1 + (wg + wb) / w if w > 1e-7 else 1.0
    loss = 1 + (lg + lb) / (1 - w) if w < 1 - 1e-7 else 1.0
    jacoby = cube.jacoby and cube.owner == CENTRED
    dead = 2 * w - 1 + (0 if jacoby else wg + wb - lg - lb)
    take = (loss - 0.5) / (win + loss + 0.5)
    cash = (loss + 1) / (win + loss + 0.5)
    points = [(0.0, -loss)]
    if cube.owner != OWN:
        points.append((take, -1.0))
    if cube.owner != OTHER:
        points.append((cash, 1.0))
    points.append((1.0, win))
    live = interpolate(w, points)
    if jacoby:
        live = -1.0 if w < take else 1.0 if w >= cash else live
    x = plain_efficiency(x, cube, take, cash, w)
    return (1 - x) * dead + x * live


def plain_match(p: list[float], x: Efficiency, cube: Cube) -> float:
    assert cube.away is not None
    w, wg, wb, lg, lb = p
    shares = [average(w, wg, wb), average(1 - w, lg, lb)]
    away, post = cube.away, cube.crawford or 1 in cube.away

    def mwc(side: int, points: int) -> float:
        mine, other = away[side] - max(points, 0), away[1 - side] - max(-points, 0)
        return MET.mwc(mine, other, post)

    def expected(side: int, points: int) -> float:
        mix = shares[side] if points > 0 else shares[1 - side]
        return sum(s * mwc(side, k * points) for k, s in enumerate(mix, 1))

    def cash_point(side: int, value: int) -> float:
        played = 4 * value if away[side] <= 2 * value < away[1 - side] else 2 * value
        win, passed = expected(side, played), mwc(side, value)
        if min(away) < 2 * value:
            loss = expected(side, -played)
            return (loss - passed) / (loss - win)
        redouble_passed = mwc(side, -2 * value)
        return 1 - cash_point(1 - side, 2 * value) * (passed - win) / (redouble_passed - win)

    value = cube.value
    win, loss = expected(0, value), expected(0, -value)
    dead = w * win + (1 - w) * loss
    if cube.crawford or max(away) <= value or away == (2, 2):
        return dead
    take, cash = 1 - cash_point(1, value), cash_point(0, value)
    points = [(0.0, loss)]
    if cube.owner != OWN:
        points.append((take, mwc(0, -value)))
    if cube.owner != OTHER:
        points.append((cash, mwc(0, value)))
    points.append((1.0, win))
    x = plain_efficiency(x, cube, take, cash, w)
    return (1 - x) * dead + x * interpolate(w, points)


def values_with(
    five: Floats,
    efficiency: Floats,
    cubes: Sequence[Cube],
    met: MatchEquityTable = MET,
    may_double: bool = False,
) -> NDArray[np.float64]:
    """The values of positions with every cube, ``float64[n, len(cubes)]``."""
    return cubeful_values(five, efficiency, cube_table(cubes, met), may_double=may_double)
