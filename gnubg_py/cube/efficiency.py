"""Cube efficiency: how near the cube is to fully live, on curves learned from rollouts or constant.

A curve gives the efficiency by where a position is between the take point (0) and the cash point
(1) of the side on roll, at ``CURVE_POINTS`` places; ``kernels.efficiency_at`` reads it. Positions
have three curves: for a centred cube, for one's own, for the other side's. The learned ones are in
``efficiency.csv``, by group of positions; ``gnubg_py.training.cube_curves`` fits them. gnubg has
Janowski's constants in their place. In contact, cube decisions without deep searches ask a net for
the efficiency of each position: ``efficiency_net.py``.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import CHECKERS, Boards
from gnubg_py.cube.kernels import CURVE_POINTS
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.kernel_cache import njit

CURVE_OWNERS = ("centred", "own", "other")
"""Whose cube each of a position's three curves is for, seen by the side on roll."""
CONSTANTS_OF = {
    "contact": ("contact",),
    "crashed": ("crashed",),
    "race": ("race_base", "race_per_pip", "race_least", "race_most"),
    "one-sided": ("one_sided",),
    "short": ("one_sided",),
    "two-sided": ("two_sided",),
}
"""The groups of positions that can have curves, and the constants they have otherwise."""
GROUPS = tuple(CONSTANTS_OF)
_SHORT = 7
"""A one-sided bearoff is short when a side has at most this number of checkers left."""
CURVES_FILE = Path(__file__).with_name("efficiency.csv")
Curves: TypeAlias = NDArray[np.float64]
"""The efficiency of a centred cube, of one's own, of the other side's: float64[3, CURVE_POINTS]."""

_MOST_PIPS = CHECKERS * 25
_FIRST_GROUP = len(PositionClass)
_ONE_SIDED = _FIRST_GROUP + GROUPS.index("one-sided")
_SHORT_BEAROFF = _FIRST_GROUP + GROUPS.index("short")
_RACES = _FIRST_GROUP + len(GROUPS)
"""Curves by number: one for each class without a group, for each group, and for each pip count of
the side on roll in a race."""
NUMBERS_BY_CLASS = np.arange(len(PositionClass))
NUMBERS_BY_CLASS[PositionClass.CONTACT] = _FIRST_GROUP + GROUPS.index("contact")
NUMBERS_BY_CLASS[PositionClass.CRASHED] = _FIRST_GROUP + GROUPS.index("crashed")
NUMBERS_BY_CLASS[PositionClass.RACE] = _RACES
NUMBERS_BY_CLASS[[PositionClass.BEAROFF1, PositionClass.BEAROFF_OS]] = _ONE_SIDED
NUMBERS_BY_CLASS[[PositionClass.BEAROFF2, PositionClass.BEAROFF_TS]] = _FIRST_GROUP + GROUPS.index(
    "two-sided"
)
"""The number of a class's curve; in a race and a one-sided bearoff where the numbers begin."""


@dataclass(frozen=True)
class CubeEfficiency:
    """The cube's efficiency by class of position: learned curves, or Janowski's constants x.

    A group has its learned curves if ``learned`` and if its constants are gnubg's, which are the
    defaults; else its constants hold. x is 0 for a dead cube, 1 for a fully live one. In a race it
    is ``race_base + race_per_pip * pips`` of the side on roll, kept between ``race_least`` and
    ``race_most``. Contact and crashed positions and hypergammon have no curves; those of contact
    have an efficiency of their own where ``node_values`` is asked ``by_position``.
    """

    contact: float = 0.68
    crashed: float = 0.68
    race_base: float = 0.55
    race_per_pip: float = 0.00125
    race_least: float = 0.6
    race_most: float = 0.7
    one_sided: float = 0.6
    two_sided: float = 0.6
    hypergammon: float = 0.6
    learned: bool = True

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (isinstance(value, int | float) and 0 <= value <= 1):
                raise ValueError(f"cube efficiency {field.name} {value}: should be 0 to 1")
        if self.race_least > self.race_most:
            raise ValueError(
                f"cube efficiency race_least {self.race_least}: should not be above race_most, "
                f"{self.race_most}"
            )


DEFAULT_EFFICIENCY = CubeEfficiency()
CONSTANTS = CubeEfficiency(learned=False)
"""gnubg's constants, without the learned curves."""


def learned_groups(settings: CubeEfficiency) -> tuple[str, ...]:
    """The names of the groups that have learned curves by these settings.

    >>> learned_groups(CubeEfficiency()), learned_groups(CubeEfficiency(one_sided=0.7))
    (('race', 'one-sided', 'short', 'two-sided'), ('race', 'two-sided'))
    """
    return tuple(name for name in read_curves() if _is_learned(settings, name))


def learned_classes(settings: CubeEfficiency) -> list[PositionClass]:
    """The classes whose positions have their own learned efficiency by these settings.

    >>> [c.name for c in learned_classes(CubeEfficiency(crashed=0.7))], learned_classes(CONSTANTS)
    (['CONTACT'], [])
    """
    classes = PositionClass.CONTACT, PositionClass.CRASHED
    return [c for c in classes if _is_learned(settings, c.name.lower())]


def _is_learned(settings: CubeEfficiency, group: str) -> bool:
    """Whether what was learned holds in a group: its constants are gnubg's."""
    return settings.learned and all(
        getattr(settings, c) == getattr(DEFAULT_EFFICIENCY, c) for c in CONSTANTS_OF[group]
    )


def group_numbers(boards: Boards, classes: NDArray[np.int8]) -> NDArray[np.int64]:
    """The groups of positions, numbers of ``GROUPS``, ``int64[n]``; -1 for none."""
    numbers = curve_numbers(boards, classes)
    groups = np.where(numbers >= _RACES, GROUPS.index("race"), numbers - _FIRST_GROUP)
    return np.maximum(groups, -1)


def cube_efficiency(
    boards: Boards, classes: NDArray[np.int8], settings: CubeEfficiency = CONSTANTS
) -> NDArray[np.float32]:
    """The constants, as gnubg has them, ``int8[n, 2, 25]``, ``int8[n] -> float32[n]``.

    0 in a game that is over.

    >>> from gnubg_py.board import START, parse
    >>> from gnubg_py.evaluators.classify import classify
    >>> boards = np.stack([START, parse("x 6:5 8:5 / o 6:5 7:1"), parse("x 6:2 / o 5:7")])
    >>> cube_efficiency(boards, classify(boards)).tolist()
    [0.6800000071525574, 0.637499988079071, 0.6000000238418579]
    """
    constants = efficiency_curves(replace(settings, learned=False))[:, 0, 0].astype(np.float32)
    return np.asarray(constants[curve_numbers(boards, classes)])


def curve_numbers(boards: Boards, classes: NDArray[np.int8]) -> NDArray[np.int64]:
    """The numbers of the positions' curves, ``int8[n, 2, 25]``, ``int8[n] -> int64[n]``."""
    out = np.empty(len(boards), np.int64)
    _fill_numbers(boards, classes, NUMBERS_BY_CLASS, out)
    return out


@njit(cache=True, nogil=True)
def _fill_numbers(boards, classes, numbers, out):  # type: ignore[no-untyped-def]
    for i in range(boards.shape[0]):
        out[i] = numbers[classes[i]]
        if out[i] == _RACES:
            for p in range(25):
                out[i] += (p + 1) * boards[i, 0, p]
        elif out[i] == _ONE_SIDED:
            mine = theirs = 0
            for p in range(25):
                mine += boards[i, 0, p]
                theirs += boards[i, 1, p]
            if min(mine, theirs) <= _SHORT:
                out[i] = _SHORT_BEAROFF


@lru_cache(maxsize=64)
def efficiency_curves(settings: CubeEfficiency) -> NDArray[np.float64]:
    """All curves by these settings, ``float64[m, 3, CURVE_POINTS]``, read-only."""
    hypergammon = np.zeros(len(PositionClass))
    hypergammon[PositionClass.HYPERGAMMON1 : PositionClass.HYPERGAMMON3 + 1] = settings.hypergammon
    groups = [getattr(settings, constants[0]) for constants in CONSTANTS_OF.values()]
    race = settings.race_base + settings.race_per_pip * np.arange(_MOST_PIPS + 1)
    race = np.clip(race, settings.race_least, settings.race_most)
    curves = flat_curves(np.concatenate([hypergammon, groups, race]).astype(np.float32))
    for name in learned_groups(settings):
        rows = slice(_RACES, None) if name == "race" else _FIRST_GROUP + GROUPS.index(name)
        curves[rows] = read_curves()[name]
    curves.setflags(write=False)
    return curves


def flat_curves(efficiency: NDArray[np.floating]) -> NDArray[np.float64]:
    """Curves of constants, for each cube or for all, ``[n, 3]`` or ``[n]``: float64[n, 3, points].

    >>> flat_curves(np.array([0.6])).shape
    (1, 3, 9)
    """
    shape = (len(efficiency), len(CURVE_OWNERS), CURVE_POINTS)
    each = efficiency[:, None, None] if efficiency.ndim == 1 else efficiency[:, :, None]
    return np.broadcast_to(each, shape).astype(np.float64)


@cache
def read_curves(path: Path = CURVES_FILE) -> Mapping[str, Curves]:
    """The learned curves of a file, by name of group."""
    rows: dict[str, dict[str, list[float]]] = {}
    with path.open(newline="") as file:
        for name, owner, *efficiency in csv.reader(file):
            rows.setdefault(name, {})[owner] = [float(x) for x in efficiency]
    return {name: np.array([rows[name][owner] for owner in CURVE_OWNERS]) for name in rows}
