"""The cube decision: to double or not, to take or pass, in gnubg's words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from gnubg_py.cube.cubeful import Floats, cubeful_values_of
from gnubg_py.cube.met import MatchEquityTable, eq2mwc, kazaross_xg2, mwc2eq
from gnubg_py.cube.state import CENTRED, Cube, why_no_double
from gnubg_py.cube.tree import cube_decision_cubes

_OPTIONAL = 1e-5
"""Doubling is optional when it changes the equity by no more than this, as gnubg has it."""


class Verdict(Enum):
    """What the side on roll should do."""

    DOUBLE = "double"
    OPTIONAL = "optional double"
    NO_DOUBLE = "no double"
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

    @property
    def wrong_answers(self) -> float | None:
        """How often the other side must answer wrongly for a double to be right; None: no matter.

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
    """The decision from what a search gives for ``tree.cube_decision_cubes(cube)``.

    ``values`` are of the cube not doubled, and doubled and taken (in money play in units of the
    doubled cube), for the side on roll. Without ``gammons`` to win, no one is too good to double.
    ``ValueError`` says why where the side on roll cannot double.
    """
    reason = why_no_double(cube)
    if reason is not None:
        raise ValueError(reason)
    met = met or kazaross_xg2()
    if cube.away is None:
        no_double, take, mwc = float(values[0]), 2 * float(values[1]), None
    else:
        no_double, take = (float(mwc2eq(float(v), cube, met)) for v in values)
        mwc = (float(values[0]), float(values[1]), eq2mwc(1.0, cube, met))
    if cube.away is None and cube.jacoby and cube.owner == CENTRED:
        gammons = False
    verdict, answer = _decide(no_double, take, gammons)
    # A taker who is not the underdog turns the cube at once and keeps it.
    if answer == Answer.TAKE and cube.beavers and -2 <= take <= 0 and verdict != Verdict.TOO_GOOD:
        answer = Answer.BEAVER
    return CubeDecision(cube, no_double, take, 1.0, verdict, answer, mwc)


def _decide(no_double: float, take: float, gammons: bool) -> tuple[Verdict, Answer]:
    """The proper action; a double passed is worth 1. gnubg decides ties so."""
    if take >= no_double and no_double <= 1:
        if take < 1:
            optional = abs(take - no_double) <= _OPTIONAL
            return (Verdict.OPTIONAL if optional else Verdict.DOUBLE), Answer.TAKE
        optional = abs(1 - no_double) <= _OPTIONAL and gammons
        return (Verdict.OPTIONAL if optional else Verdict.DOUBLE), Answer.PASS
    if take > 1:
        return (Verdict.TOO_GOOD if gammons else Verdict.DOUBLE), Answer.PASS
    if no_double > 1:
        return (Verdict.TOO_GOOD if gammons else Verdict.NO_DOUBLE), Answer.TAKE
    return Verdict.NO_DOUBLE, Answer.TAKE


def static_cube_decision(
    probabilities: Floats, efficiency: float, cube: Cube, met: MatchEquityTable | None = None
) -> CubeDecision:
    """The decision from one position's five probabilities, by the static formula (0-ply)."""
    reason = why_no_double(cube)
    if reason is not None:
        raise ValueError(reason)
    one = np.asarray(probabilities)[None]
    x = np.array([efficiency])
    no_double, take = cubeful_values_of(one, x, cube_decision_cubes(cube), met)[0].tolist()
    return cube_decision((no_double, take), cube, met, gammons=bool(one[0, 1] > 0))
