"""The cube decision: to double or not, to take or pass. gnubg's rule, once, and its words.

The rule is the kernel ``decide``. A search's decision of one position (``cube_decision``) and the
games of a rollout (``decisions``) both call it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from gnubg_py.cube.met import MatchEquityTable, chance_of_equity, equity_of, kazaross_xg2
from gnubg_py.cube.state import CENTRED, Cube, check_double
from gnubg_py.cube.tree import cube_decision_cubes, in_units_before_doubling
from gnubg_py.cube.values import cube_table, cubeful_values
from gnubg_py.kernel_cache import njit
from gnubg_py.probabilities import Floats

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


def gammons_count(cube: Cube) -> bool:
    """Whether gammons count if the cube stays as it is: not centred under the Jacoby rule."""
    return not (cube.away is None and cube.jacoby and cube.owner == CENTRED)


class Verdict(Enum):
    """What the side on roll should do, in the order of the numbers above."""

    NO_DOUBLE = "no double"
    DOUBLE = "double"
    OPTIONAL = "optional double"
    TOO_GOOD = "too good to double"


class Answer(Enum):
    """What the other side should do if doubled."""

    TAKE = "take"
    PASS = "pass"
    BEAVER = "beaver"


@dataclass(frozen=True)
class CubeDecision:
    """A cube decision with the equities it rests on, normalised to the cube before doubling.

    >>> decision = static_cube_decision(np.array([0.70, 0.10, 0, 0.05, 0]), 0.68, Cube())
    >>> decision.words, round(decision.no_double, 3), round(decision.double_take, 3)
    ('Double, take', 0.643, 0.696)
    """

    cube: Cube
    no_double: float
    double_take: float
    double_pass: float
    verdict: Verdict
    answer: Answer
    mwc: tuple[float, float, float] | None
    """Match winning chances of no double, double/take, double/pass; None in money play."""

    @property
    def equity(self) -> float:
        """The equity of the best action of both sides."""
        return max(self.no_double, min(self.double_take, self.double_pass))

    @property
    def doubles(self) -> bool:
        """Whether the side on roll should double; an optional double is one, as gnubg plays it."""
        return self.verdict in (Verdict.DOUBLE, Verdict.OPTIONAL)

    @property
    def words(self) -> str:
        """The proper cube action in gnubg's words, "Redouble, take" and the like."""
        verdict = self.verdict.value
        if self.cube.owner != CENTRED:
            verdict = verdict.replace("double", "redouble")
        return f"{verdict.capitalize()}, {self.answer.value}"

    def alternatives(self, answering: bool) -> tuple[tuple[str, float, float], ...]:
        """(name, equity, equity less the proper action's) of each action, the proper one first.

        ``answering``: as the side that was doubled sees them, else as the side on roll.
        """
        equities = {
            "No double": self.no_double,
            "Double, take": self.double_take,
            "Double, pass": self.double_pass,
        }
        proper = "No double"
        if self.doubles:
            proper = "Double, pass" if self.answer == Answer.PASS else "Double, take"
        order = sorted(equities, key=lambda name: (name != proper, -equities[name]))
        sign, best = -1 if answering else 1, equities[proper]
        return tuple(
            (name, sign * equities[name], sign * (equities[name] - best)) for name in order
        )

    @property
    def wrong_answers(self) -> float | None:
        """How often the other side must answer wrongly for a double to be right, if it is not.

        The fraction, 0 to 1, of wrong passes where doubling is premature, of wrong takes where
        the side is too good: gnubg prints it in brackets after the proper action.
        """
        if self.verdict == Verdict.NO_DOUBLE and self.double_take < self.double_pass:
            return (self.no_double - self.double_take) / (self.double_pass - self.double_take)
        if self.verdict == Verdict.TOO_GOOD and self.no_double < self.double_take:
            return (self.no_double - self.double_pass) / (self.double_take - self.double_pass)
        return None


def cube_decision(
    values: tuple[float, float],
    cube: Cube,
    met: MatchEquityTable | None = None,
    gammons: bool = True,
) -> CubeDecision:
    """The decision from the values of no double and of double/take, for the side on roll.

    In money play both are in units of the cube before doubling. Without ``gammons`` to win, the
    side on roll is never too good to double. ``ValueError`` says why where it cannot double.
    """
    check_double(cube)
    met = met or kazaross_xg2()
    no_double, take = (equity_of(float(value), cube, met) for value in values)
    mwc = None
    if cube.away is not None:
        mwc = (float(values[0]), float(values[1]), chance_of_equity(1.0, cube, met))
    action, is_pass = decide(no_double, take, 1.0, gammons and gammons_count(cube))
    verdict, answer = list(Verdict)[action], Answer.PASS if is_pass else Answer.TAKE
    # A taker who is not the underdog turns the cube at once and keeps it.
    if answer == Answer.TAKE and cube.beavers and -2 <= take <= 0 and verdict != Verdict.TOO_GOOD:
        answer = Answer.BEAVER
    return CubeDecision(cube, no_double, take, 1.0, verdict, answer, mwc)


def static_cube_decision(
    five: Floats, efficiency: float, cube: Cube, met: MatchEquityTable | None = None
) -> CubeDecision:
    """The decision from one position's five probabilities, by the static formula (0-ply)."""
    check_double(cube)
    cubes = cube_decision_cubes(cube)
    one, x = np.asarray(five)[None], np.array([efficiency])
    values = in_units_before_doubling(cubeful_values(one, x, cube_table(cubes, met)), cube)[0]
    return cube_decision((values[0], values[1]), cube, met, gammons=bool(one[0, 1] > 0))
