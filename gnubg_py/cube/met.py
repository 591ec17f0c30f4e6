"""Match equity tables: the chance of winning the match at every score.

A table as published covers matches to some length, 25 points for the default, Kazaross-XG2. Every
table here is carried on to 64 points, as gnubg does (``_normal_chance``, ``_extended_post``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gnubg_py.cube.state import MAX_AWAY, Cube

Number = TypeVar("Number", float, NDArray[np.float64])

# The standard deviation of the points a game turns over, a point of match length at a time, for a
# side 1-away, 2-away ... 11-away and more: the numbers gnubg extrapolates with.
_DEVIATIONS = (1.24, 1.27, 1.47, 1.50, 1.60, 1.61, 1.66, 1.68, 1.70, 1.72, 1.77)
_TRAILER_GAMMONS = 0.25
_ROUNDING = 0.005


@dataclass(frozen=True, eq=False)
class MatchEquityTable:
    """Match winning chances before a game, by the points each side still needs.

    ``pre[i - 1, j - 1]``: of a side i-away against one j-away, and where one of them is 1-away,
    with the Crawford game to come. ``post[j - 1]``: of a side j-away against one 1-away after the
    Crawford game. ``length``: how far the table was published; from there to 64 it is computed.
    """

    name: str
    length: int
    pre: NDArray[np.float64]
    post: NDArray[np.float64]

    def mwc(self, away: int, other_away: int, post_crawford: bool = False) -> float:
        """The match winning chance of a side ``away`` against one ``other_away``; 0 has won.

        >>> met = kazaross_xg2()
        >>> met.mwc(2, 3), met.mwc(2, 1), met.mwc(2, 1, post_crawford=True), met.mwc(0, 7)
        (0.59947, 0.32264, 0.48803, 1.0)
        """
        if away <= 0:
            return 1.0
        if other_away <= 0:
            return 0.0
        if max(away, other_away) > MAX_AWAY:
            raise ValueError(f"{away}-away, {other_away}-away: at most {MAX_AWAY} points each")
        if not post_crawford:
            return float(self.pre[away - 1, other_away - 1])
        if 1 not in (away, other_away):
            raise ValueError(f"{away}-away, {other_away}-away after Crawford: no side is 1-away")
        if away == 1:
            return 1.0 - float(self.post[other_away - 1])
        return float(self.post[away - 1])


@cache
def kazaross_xg2() -> MatchEquityTable:
    """The default table: Kazaross-XG2 (Neil Kazaross, 2011), 25 points."""
    text = files("gnubg_py.cube").joinpath("kazaross_xg2.csv").read_text("utf-8")
    rows = np.array([r.split(",") for r in text.splitlines() if not r.startswith("#")], float)
    return make_table("Kazaross-XG2", rows[:-1], rows[-1])


def make_table(
    name: str, pre: NDArray[np.float64], post: Sequence[float] | NDArray[np.float64]
) -> MatchEquityTable:
    """A table from its published part: ``pre[length, length]``, ``post`` at least length - 1 long.

    The rest to 64 points is computed. Raises ``ValueError`` where the numbers cannot be match
    winning chances; rounding up to 0.005 in ``pre[i, j] + pre[j, i] = 1`` is evened out.
    """
    pre = np.asarray(pre, np.float64)
    post = np.asarray(post, np.float64)
    length = len(pre)
    if not (2 <= length <= MAX_AWAY) or pre.shape != (length, length):
        raise ValueError(f"{name}: the table has shape {pre.shape}: should be n by n, n 2 to 64")
    if post.ndim != 1 or len(post) < length - 1:
        raise ValueError(
            f"{name}: the post-Crawford table has {post.size} entries: needs {length - 1}"
        )
    _check_chances(name, "pre-Crawford", pre)
    _check_chances(name, "post-Crawford", post[None])
    uneven = np.abs(pre + pre.T - 1)
    i, j = (int(k) for k in np.unravel_index(uneven.argmax(), pre.shape))
    if uneven[i, j] > _ROUNDING:
        raise ValueError(
            f"{name}: {i + 1}-away, {j + 1}-away is {pre[i, j]:g} and the other way round "
            f"{pre[j, i]:g}: should add up to 1 (a table with a favourite cannot be used)"
        )
    even = np.where(uneven > 1e-9, (pre + 1 - pre.T) / 2, pre)
    return MatchEquityTable(name, length, _extended_pre(even), _extended_post(post[: length - 1]))


def _check_chances(name: str, part: str, rows: NDArray[np.float64]) -> None:
    bad = np.argwhere(~((rows > 0) & (rows < 1)))
    if len(bad):
        i, j = (int(k) for k in bad[0])
        raise ValueError(
            f"{name}: {part} row {i + 1}, entry {j + 1} is {rows[i, j]:g}: should be a chance "
            "between 0 and 1"
        )


def _extended_pre(published: NDArray[np.float64]) -> NDArray[np.float64]:
    pre = np.array(
        [[_normal_chance(i, j) for j in range(1, MAX_AWAY + 1)] for i in range(1, MAX_AWAY + 1)]
    )
    length = len(published)
    pre[:length, :length] = published
    pre.setflags(write=False)
    return pre


def _normal_chance(away: int, other_away: int) -> float:
    """The chance of a side that far away, for scores beyond a published table.

    What the sides will have won of each other by the end is taken as normally distributed, of mean
    0 and variance ``(s1^2 + s2^2) / 2 * (away + other_away)``: gnubg's extrapolation.
    """
    last = len(_DEVIATIONS)
    s1, s2 = _DEVIATIONS[min(away, last) - 1], _DEVIATIONS[min(other_away, last) - 1]
    sigma = math.sqrt((s1 * s1 + s2 * s2) / 2 * (away + other_away))
    return 0.5 * math.erfc((away - other_away) / (sigma * math.sqrt(2)))


def _extended_post(published: NDArray[np.float64]) -> NDArray[np.float64]:
    """After Crawford the trailer doubles at once: 2 points for a win, 4 for one in 4, a gammon."""
    post = list(published)
    while len(post) < MAX_AWAY:
        single, gammon = _post_chance(post, len(post) - 2), _post_chance(post, len(post) - 4)
        post.append(0.5 * ((1 - _TRAILER_GAMMONS) * single + _TRAILER_GAMMONS * gammon))
    array = np.array(post[:MAX_AWAY])
    array.setflags(write=False)
    return array


def _post_chance(post: list[float], index: int) -> float:
    return post[index] if index >= 0 else 1.0


def after_game(cube: Cube, points: int, met: MatchEquityTable) -> float:
    """The match winning chance of the side on roll once it has won ``points`` (negative: lost).

    >>> after_game(Cube(away=(3, 5)), 1, kazaross_xg2())
    0.74359
    """
    away, other_away = _away(cube)
    post_crawford = cube.crawford or 1 in (away, other_away)
    return met.mwc(away - max(points, 0), other_away - max(-points, 0), post_crawford)


def _away(cube: Cube) -> tuple[int, int]:
    if cube.away is None:
        raise ValueError("match winning chance in money play: there is a match score in matches")
    return cube.away


def chance_of_equity(equity: Number, cube: Cube, met: MatchEquityTable) -> Number:
    """The match winning chance for an equity: +1 is winning the cube's value now, -1 losing it.

    >>> round(chance_of_equity(1.0, Cube(away=(3, 5)), kazaross_xg2()), 5)
    0.74359
    """
    win, lose = after_game(cube, cube.value, met), after_game(cube, -cube.value, met)
    return (win + lose) / 2 + equity * ((win - lose) / 2)


def equity_of_chance(mwc: Number, cube: Cube, met: MatchEquityTable) -> Number:
    """The equity, normalised to the cube, of a match winning chance."""
    win, lose = after_game(cube, cube.value, met), after_game(cube, -cube.value, met)
    return (mwc - (win + lose) / 2) / ((win - lose) / 2)


def equity_of(value: Number, cube: Cube, met: MatchEquityTable) -> Number:
    """A value as an equity normalised to the cube; in money play it is one already.

    >>> equity_of(0.25, Cube(), kazaross_xg2())
    0.25
    """
    return value if cube.away is None else equity_of_chance(value, cube, met)


def value_of_a_point(cube: Cube, met: MatchEquityTable) -> float:
    """What a point of equity is in values: 1 in money play, in matches half of win less loss.

    >>> from gnubg_py.cube.state import Cube
    >>> value_of_a_point(Cube(away=(1, 1)), kazaross_xg2())
    0.5
    """
    if cube.away is None:
        return 1.0
    return float(chance_of_equity(1.0, cube, met) - chance_of_equity(0.0, cube, met))
