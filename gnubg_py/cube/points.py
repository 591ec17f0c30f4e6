"""Cube points: the winning chances at which doubling, taking and passing begin.

Gammons are given as the position's five probabilities; their shares of the wins and of the losses
stay as they are while the winning chance varies.
"""

from __future__ import annotations

from dataclasses import dataclass

from gnubg_py.cube.constants import cube_constants, is_dead, played_value
from gnubg_py.cube.kernels import gammon_shares, live_cash_points
from gnubg_py.cube.met import MatchEquityTable, after_game, kazaross_xg2
from gnubg_py.cube.state import Cube
from gnubg_py.probabilities import Floats


@dataclass(frozen=True)
class MoneyPoints:
    """The cube points of a side in money play (Janowski 1993), as winning chances of that side.

    ``take``, ``beaver``, ``raccoon``: it is doubled, and from there takes and beavers; or it has
    doubled, was beavered, and raccoons. The others: it doubles, first or again, cashes, or from
    there is too good to.
    """

    take: float
    beaver: float
    raccoon: float
    initial_double: float
    redouble: float
    cash: float
    too_good: float


def money_points(win: float, loss: float, efficiency: float, jacoby: bool = False) -> MoneyPoints:
    """The cube points if an average win is worth ``win`` and an average loss ``loss``, 1 to 3.

    Efficiency 0 is a dead cube, 1 a fully live one. The Jacoby rule changes the initial double.

    >>> [round(money_points(1, 1, x).take, 3) for x in (0, 0.65, 1)]
    [0.25, 0.215, 0.2]
    """
    for name, value in (("win", win), ("loss", loss)):
        if not 1 <= value <= 3:
            raise ValueError(f"an average {name} of {value}: should be 1 to 3")
    if not 0 <= efficiency <= 1:
        raise ValueError(f"cube efficiency {efficiency}: should be 0 to 1")
    x, both = efficiency, win + loss
    scale = 1 / (both + x / 2)
    return MoneyPoints(
        take=(loss - 0.5) * scale,
        beaver=loss * scale,
        raccoon=(loss + x / 2) * scale,
        initial_double=_initial_double(loss, both, x, jacoby),
        redouble=(loss + x) * scale,
        cash=(loss + (1 + x) / 2) * scale,
        too_good=_too_good(win, loss, x),
    )


def _initial_double(loss: float, both: float, x: float, jacoby: bool) -> float:
    """Where the values of a centred cube and of a doubled one are equal: see docs/cube.md."""
    if jacoby:
        k = 2 - 4 * x / 3
        return (loss * k - 1 + 5 * x / 3) / (both * k - 2 + 7 * x / 3)
    return (loss * (1 - x / 3) + 2 * x / 3) / (both * (1 - x / 3) + x / 3)


def _too_good(win: float, loss: float, x: float) -> float:
    """Where the value of holding the cube is 1; above the cash point it rises more slowly."""
    cash = (loss + 1) / (win + loss + 0.5)
    slope = (win - 1) * (win + loss + 0.5) / (win - 0.5)
    rise = (1 - x) * (win + loss) + x * slope
    if rise == 0:
        return cash
    return ((1 - x) * (1 + loss) + x * slope * cash) / rise


@dataclass(frozen=True)
class MarketWindow:
    """From where a side may double to where the other should pass; its own winning chances."""

    double: float
    cash: float


@dataclass(frozen=True)
class MatchWindows:
    """A side's market windows at a match score, as gnubg's ``show marketwindow`` has them.

    ``dead``: the cube is not turned again. ``redoubled``: the other redoubles at once, where it
    has nothing to lose by that, else None. ``live``: both sides use the cube at its best; None
    where the doubled cube is dead to one side. The other side's take point is ``1 - cash``.
    """

    dead: MarketWindow
    redoubled: MarketWindow | None
    live: MarketWindow | None


def match_windows(
    probabilities: Floats, cube: Cube, met: MatchEquityTable | None = None
) -> MatchWindows:
    """The market windows of the side on roll, were it to double this cube.

    >>> import numpy as np
    >>> last = match_windows(np.array([0.5, 0, 0, 0, 0]), Cube(away=(2, 2)))
    >>> round(last.dead.double, 3), round(1 - last.dead.cash, 3)
    (0.5, 0.323)
    """
    if cube.away is None:
        raise ValueError("market windows are of match scores: for money see money_points")
    if cube.crawford or cube.away[0] <= cube.value:
        raise ValueError("the cube is dead: the side on roll has no market window")
    met = met or kazaross_xg2()
    shares = gammon_shares(*(float(p) for p in probabilities))
    value = cube.value
    dead = _window(cube, 2 * value, shares, met)
    played = played_value(cube, value)
    redoubled = _window(cube, played, shares, met) if played != 2 * value else None
    live = None
    if min(cube.away) > 2 * value and not is_dead(cube):
        cash, _ = live_cash_points(*shares, cube_constants((cube,), met)[0])
        live = MarketWindow(dead.double, float(cash))
    return MatchWindows(dead, redoubled, live)


def _window(
    cube: Cube, stake: int, shares: tuple[float, float, float, float], met: MatchEquityTable
) -> MarketWindow:
    """Playing for ``stake`` against playing on for the cube's value, and against a pass."""
    win, loss = _expected(cube, stake, shares[:2], met), _expected(cube, -stake, shares[2:], met)
    win_undoubled = _expected(cube, cube.value, shares[:2], met)
    loss_undoubled = _expected(cube, -cube.value, shares[2:], met)
    risk, gain = loss_undoubled - loss, win - win_undoubled
    passed = after_game(cube, cube.value, met)
    return MarketWindow(risk / (risk + gain), (passed - loss) / (win - loss))


def _expected(cube: Cube, points: int, shares: tuple[float, ...], met: MatchEquityTable) -> float:
    gammons, backgammons = shares
    single = (1 - gammons - backgammons) * after_game(cube, points, met)
    gammon = gammons * after_game(cube, 2 * points, met)
    return single + gammon + backgammons * after_game(cube, 3 * points, met)
