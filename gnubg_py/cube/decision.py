"""The cube decision of one position: its equities, the proper actions by gnubg's rule, its words.

The rule is in ``doubling.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from gnubg_py.cube.doubling import decide, with_double
from gnubg_py.cube.met import MatchEquityTable, chance_of_equity, equity_of, kazaross_xg2
from gnubg_py.cube.state import CENTRED, Cube, check_double
from gnubg_py.cube.tree import cube_decision_cubes, in_units_before_doubling
from gnubg_py.cube.values import cube_table, cubeful_values
from gnubg_py.probabilities import Floats


def gammons_count(cube: Cube) -> bool:
    """Whether gammons count if the cube stays as it is: not centred under the Jacoby rule."""
    return not (cube.away is None and cube.jacoby and cube.owner == CENTRED)


class Verdict(Enum):
    """What the side on roll should do, in the order of the numbers in ``doubling.py``."""

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
    def kept_values(self) -> tuple[float, float]:
        """No double and double/take as files keep them: in a match as winning chances."""
        return (self.no_double, self.double_take) if self.mwc is None else self.mwc[:2]

    @property
    def equity(self) -> float:
        """The equity of the best action of both sides."""
        return float(with_double(self.no_double, self.double_take, self.double_pass))

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
