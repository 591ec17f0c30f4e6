"""Writing a play as gnubg does: ``24/13``, ``24/18*/13``, ``bar/20*``, ``13/11(2)``, ``6/off``.

Steps are taken from the highest point down; a step that goes on where another ended is joined to
it, the point between being named only if something was hit there; equal legs are counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gnubg_py.board import Board, check_board, swap
from gnubg_py.dice import check_dice
from gnubg_py.errors import IllegalPlayError
from gnubg_py.notation.steps import BothSides, Step, find_steps, lacking, lift, name, sides

CANNOT_MOVE = "cannot move"


@dataclass
class _Leg:
    """One checker's way: where it starts, the points it hits on, where it ends."""

    start: int
    end: int
    hits: list[int] = field(default_factory=list)

    def text(self) -> str:
        stops = [f"{name(point)}*" for point in self.hits]
        if self.end not in self.hits:
            stops.append(name(self.end))
        return "/".join([name(self.start), *stops])


def play_text(board: Board, dice: tuple[int, int], result: Board) -> str:
    """The text of the play of ``dice`` that leads from ``board`` to ``result``.

    ``result`` is as ``plays`` gives it, with the opponent on roll. ``ValueError`` if no play
    of the roll leads there.

    >>> from gnubg_py.board import START, parse
    >>> play_text(START, (6, 5), parse("x 24:2 13:5 8:3 6:5 / o 24:1 13:6 8:3 6:5"))
    '24/13'
    """
    check_board(board)
    before = sides(board)
    return text_of_steps(before, steps_between(before, check_dice(dice), sides(swap(result))))


def play_in_steps(board: Board, dice: tuple[int, int], result: Board) -> str:
    """The play one die at a time, as gnubg writes it for programs: ``25/20 8/5*``, 0 is off.

    Arguments are as in ``play_text``; empty if no play of the roll leads there.

    >>> from gnubg_py.board import START, parse
    >>> play_in_steps(START, (6, 5), parse("x 24:2 13:5 8:3 6:5 / o 24:1 13:6 8:3 6:5"))
    '24/18 18/13'
    """
    position, words = sides(board), []
    steps = find_steps(position, dice, sides(swap(result))) or []
    for step in sorted(steps, key=lambda step: (-step.start, -step.end)):
        hit = lift(position, step)
        words.append(f"{step.start}/{step.end}{'*' * hit}")
    return " ".join(words)


def steps_between(before: BothSides, roll: tuple[int, int], after: BothSides) -> list[Step]:
    """The steps of a play, in an order in which they can be played; ``IllegalPlayError`` if none.

    The side that plays is the same before and after.
    """
    steps = find_steps(before, roll, after)
    if steps is None or lacking(before, roll, steps):
        raise IllegalPlayError(f"no play of {roll[0]}{roll[1]} leads to that position")
    return steps


def text_of_steps(position: BothSides, steps: list[Step]) -> str:
    """The text of some steps, given in any order, from a position."""
    if not steps:
        return CANNOT_MOVE
    legs: list[_Leg] = []
    hits = _hit_points(position, steps)
    for step in sorted(steps, key=lambda step: (-step.start, step.die)):
        leg = next((leg for leg in legs if leg.end == step.start), None)
        if leg is None:
            leg = _Leg(step.start, step.end)
            legs.append(leg)
        leg.end = step.end
        if step.end in hits:  # the first checker to come to the point is the one that hits
            hits.remove(step.end)
            leg.hits.append(step.end)
    return _counted(legs)


def _hit_points(position: BothSides, steps: list[Step]) -> set[int]:
    ends = {step.end for step in steps} - {0}
    return {end for end in ends if position.theirs[24 - end] == 1}


def _counted(legs: list[_Leg]) -> str:
    """Legs with the same start and end are counted; the first of them is the one that hit."""
    alike: dict[tuple[int, int], list[_Leg]] = {}
    for leg in legs:
        alike.setdefault((leg.start, leg.end), []).append(leg)
    return " ".join(
        group[0].text() + (f"({len(group)})" if len(group) > 1 else "") for group in alike.values()
    )
