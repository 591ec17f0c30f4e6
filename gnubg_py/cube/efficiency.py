"""Cube efficiency: how near the cube is to fully live, by class of position."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards, pip_count
from gnubg_py.evaluators.classify import PositionClass


@dataclass(frozen=True)
class CubeEfficiency:
    """Janowski's x by class of position; 0 is a dead cube, 1 a fully live one. gnubg's defaults.

    In a race x is ``race_base + race_per_pip * pips`` of the side on roll, kept between
    ``race_least`` and ``race_most``.
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


def cube_efficiency(
    boards: Boards, classes: NDArray[np.int8], settings: CubeEfficiency = DEFAULT_EFFICIENCY
) -> NDArray[np.float32]:
    """The efficiency of the cube, ``int8[n, 2, 25]``, ``int8[n] -> float32[n]``; 0 in a game over.

    >>> from gnubg_py.board import START, parse
    >>> from gnubg_py.evaluators.classify import classify
    >>> boards = np.stack([START, parse("x 6:5 8:5 / o 6:5 7:1"), parse("x 6:2 / o 5:7")])
    >>> cube_efficiency(boards, classify(boards)).tolist()
    [0.6800000071525574, 0.637499988079071, 0.6000000238418579]
    """
    efficiency = _by_class(settings)[classes]
    racing = np.flatnonzero(classes == PositionClass.RACE)
    if len(racing):
        pips = pip_count(boards[racing, 0:1])[:, 0]
        x = settings.race_base + settings.race_per_pip * pips
        efficiency[racing] = np.clip(x, settings.race_least, settings.race_most)
    return efficiency


def _by_class(settings: CubeEfficiency) -> NDArray[np.float32]:
    table = np.zeros(len(PositionClass), np.float32)
    table[PositionClass.HYPERGAMMON1 : PositionClass.HYPERGAMMON3 + 1] = settings.hypergammon
    table[PositionClass.BEAROFF2 : PositionClass.BEAROFF_TS + 1] = settings.two_sided
    table[PositionClass.BEAROFF1 : PositionClass.BEAROFF_OS + 1] = settings.one_sided
    table[PositionClass.CRASHED] = settings.crashed
    table[PositionClass.CONTACT] = settings.contact
    return table
