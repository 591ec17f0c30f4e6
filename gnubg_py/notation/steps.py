"""Single steps: one checker moved by one die. What play text is written in and read from.

Points are numbered as they are spoken of: 25 the bar, 24 to 1, and 0 off. Positions here are
plain lists, for the few steps of one play; ``gnubg_py.plays`` generates plays in bulk.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gnubg_py.board import HOME_POINTS, Board

BAR_POINT, OFF = 25, 0


class Step(NamedTuple):
    """A checker goes from ``start`` by ``die`` pips."""

    start: int
    die: int

    @property
    def end(self) -> int:
        return max(self.start - self.die, OFF)


class BothSides(NamedTuple):
    """Both sides' rows as lists, each counted from its own side; ``mine`` is on roll."""

    mine: list[int]
    theirs: list[int]

    def copy(self) -> BothSides:
        return BothSides(self.mine.copy(), self.theirs.copy())


def sides(board: Board) -> BothSides:
    """The lists of a board ``int8[2, 25]``."""
    mine, theirs = np.asarray(board).tolist()
    return BothSides(mine, theirs)


def result_of(position: BothSides) -> Board:
    """The board once the play is over: ``int8[2, 25]`` with the opponent on roll."""
    return np.array([position.theirs, position.mine], dtype=np.int8)


def name(point: int) -> str:
    """A point as it is written: a number, ``bar`` or ``off``."""
    return {BAR_POINT: "bar", OFF: "off"}.get(point, str(point))


def fault(position: BothSides, step: Step) -> str:
    """Why the step is not allowed, or an empty string if it is."""
    mine, theirs = position
    if mine[step.start - 1] == 0:
        return f"no checker on {name(step.start)}"
    if mine[BAR_POINT - 1] and step.start != BAR_POINT:
        return "a checker is on the bar: it must enter first"
    if step.end != OFF:
        blocked = theirs[24 - step.end] > 1
        return f"{name(step.start)}/{name(step.end)} is blocked" if blocked else ""
    highest = max(point for point in range(1, 26) if mine[point - 1])
    if highest > HOME_POINTS:
        return f"not every checker is home: one is on {name(highest)}"
    if step.die > step.start and highest > step.start:
        return f"{step.start}/off with a {step.die}: a checker on {highest} must move first"
    return ""


def lift(position: BothSides, step: Step) -> bool:
    """Move the checker, in place; whether it hit. The step must be without ``fault``."""
    mine, theirs = position
    mine[step.start - 1] -= 1
    if step.end == OFF:
        return False
    mine[step.end - 1] += 1
    hit = theirs[24 - step.end] == 1
    if hit:
        theirs[24 - step.end] = 0
        theirs[BAR_POINT - 1] += 1
    return hit


def orders(dice: tuple[int, int]) -> list[tuple[int, ...]]:
    """The orders a roll's dice may be used in: both, or four of the same."""
    a, b = dice
    return [(a,) * 4] if a == b else [(a, b), (b, a)]


def longest(position: BothSides, dice: tuple[int, int]) -> int:
    """How many of the roll's dice can be played at most, which is how many must be."""
    return max(_longest(position, order, BAR_POINT) for order in orders(dice))


def _longest(position: BothSides, dice: tuple[int, ...], highest: int) -> int:
    """As ``longest``, for one order; equal dice are played from the highest point down."""
    best = 0
    for step in _steps(position, dice[:1], highest):
        after = position.copy()
        lift(after, step)
        limit = step.start if len(set(dice)) == 1 else BAR_POINT
        best = max(best, 1 + _longest(after, dice[1:], limit))
        if best == len(dice):
            break
    return best


def _steps(position: BothSides, dice: tuple[int, ...], highest: int = BAR_POINT) -> Iterator[Step]:
    for die in dice:
        for start in range(highest, 0, -1):
            if position.mine[start - 1]:
                step = Step(start, die)
                if not fault(position, step):
                    yield step


def lacking(position: BothSides, dice: tuple[int, int], steps: list[Step]) -> str:
    """Which dice had to be played and were not; empty if the steps are a complete play.

    ``dice`` has the larger die first.
    """
    if len(steps) == len(orders(dice)[0]):
        return ""
    most = longest(position, dice)
    if len(steps) < most:
        if dice[0] == dice[1]:
            return f"you must play {most} of the four {dice[0]}s, not {len(steps)}"
        return "you must play both dice" if most == 2 else "you must move"
    if most == 1 and steps[0].die < dice[0] and any(_steps(position, dice[:1])):
        return f"only one die can be played: you must play the larger, the {dice[0]}"
    return ""


def find_steps(position: BothSides, dice: tuple[int, int], target: BothSides) -> list[Step] | None:
    """The steps that lead to ``target``, in an order in which they can be played, or ``None``."""
    if dice[0] == dice[1]:
        return _equal_steps(position, dice[0], target)
    left: list[int] = []
    for point in range(BAR_POINT, 0, -1):
        left += [point] * (position.mine[point - 1] - target.mine[point - 1])
    for first, second in orders(dice):
        for start, then in _starts(left, first, second):
            middle = _after(position, Step(start, first))
            if middle is not None and _after(middle, Step(then, second)) == target:
                return [Step(start, first), Step(then, second)]
    for die, start in itertools.product(dice, left[:1]):
        if _after(position, Step(start, die)) == target:
            return [Step(start, die)]
    return [] if position == target else None


def _starts(left: list[int], first: int, second: int) -> list[tuple[int, int]]:
    """The two points that checkers may leave if afterwards those of ``left`` have fewer.

    A point that one checker leaves, and another one comes to, has as many as before.
    """
    if len(left) == 2:
        return [(left[0], left[1]), (left[1], left[0])]
    return [(point, point - first) for point in left] + [(point - second, point) for point in left]


def _after(position: BothSides, step: Step) -> BothSides | None:
    """The position after a step, or None if it is not allowed."""
    if step.start <= OFF or fault(position, step):
        return None
    end = position.copy()
    lift(end, step)
    return end


def _equal_steps(position: BothSides, die: int, target: BothSides) -> list[Step] | None:
    """With a double, what leaves each point follows from what arrived on it and what stays."""
    steps: list[Step] = []
    arrived = [0] * 26
    for start in range(BAR_POINT, 0, -1):
        leaving = position.mine[start - 1] + arrived[start] - target.mine[start - 1]
        if leaving < 0 or len(steps) + leaving > 4:
            return None
        steps += [Step(start, die)] * leaving
        arrived[max(start - die, OFF)] += leaving
    end = position.copy()
    for step in steps:
        if fault(end, step):
            return None
        lift(end, step)
    return steps if end == target else None
