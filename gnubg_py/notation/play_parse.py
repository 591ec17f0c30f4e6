"""Reading a play as gnubg's users type it, and saying what is wrong with one that is illegal.

A leg is ``from/to`` or ``from/via/to``, in any order and either case; ``*`` marks a hit and may be
left out, ``(2)`` repeats, and a comma may stand for a space. The bar is ``bar``,
``b`` or 25; off is ``off``, ``o`` or 0. Plain pairs of numbers, ``8 5 6 5``, are read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

from gnubg_py.board import Board, check_board
from gnubg_py.dice import check_dice
from gnubg_py.errors import IllegalPlayError
from gnubg_py.notation.play_text import CANNOT_MOVE
from gnubg_py.notation.steps import (
    BAR_POINT,
    OFF,
    BothSides,
    Step,
    fault,
    lacking,
    lift,
    longest,
    name,
    result_of,
    sides,
)

_MOST_STEPS = 4
_POINT = r"(?:bar|b|off|o|[0-9]+)"
_LEG = re.compile(rf"({_POINT}(?:/{_POINT}\*?)+)(?:\(([0-9]+)\))?")
_PAIRS = re.compile(rf"{_POINT}(?: {_POINT})+")
_WORDS = {"bar": BAR_POINT, "b": BAR_POINT, "off": OFF, "o": OFF}


class _Leg(NamedTuple):
    """One checker from one named point to the next, and whether a hit there is claimed."""

    start: int
    end: int
    hits: bool


class _Reading(NamedTuple):
    """One way of carrying out the text: where it leads and on which points it hits."""

    position: BothSides
    hits: frozenset[int]
    steps: list[Step]


def parse_play(board: Board, dice: tuple[int, int], text: str) -> Board:
    """The position after a play given as text: ``int8[2, 25]``, the opponent on roll.

    Where a leg may be played over either of two points, the way that hits nothing unsaid is
    taken. ``ValueError`` says why a play is illegal or unreadable.

    >>> from gnubg_py.board import START
    >>> parse_play(START, (5, 1), "24/19 6/5")
    Traceback (most recent call last):
    gnubg_py.errors.IllegalPlayError: play '24/19 6/5': 24/19 is blocked
    """
    check_board(board)
    roll = check_dice(dice)
    position = sides(board)
    try:
        return result_of(_play(position, roll, text).position)
    except ValueError as error:
        raise IllegalPlayError(f"play {text.strip()!r}: {error}") from None


def _play(position: BothSides, dice: tuple[int, int], text: str) -> _Reading:
    if text.strip().lower() == CANNOT_MOVE:
        if longest(position, dice):
            raise ValueError("there is a legal move")
        return _Reading(position, frozenset(), [])
    legs = _legs(text)
    readings, faults = _readings(position, dice, legs)
    if not readings:
        raise ValueError(_worst_fault(position, legs, faults))
    marked = {leg.end for leg in legs if leg.hits}
    missed = min((sorted(marked - reading.hits, reverse=True) for reading in readings), key=len)
    if missed:
        raise ValueError(f"{name(missed[0])}* hits nothing: no lone checker is there to hit")
    readings = [reading for reading in readings if marked <= reading.hits]
    unplayed = [lacking(position, dice, reading.steps) for reading in readings]
    if all(unplayed):
        raise ValueError(unplayed[0])
    complete = [r for r, lack in zip(readings, unplayed, strict=True) if not lack]
    return _quietest(complete, {leg.end for leg in legs})


def _legs(text: str) -> list[_Leg]:
    """The legs of a text, those of ``(2)`` twice."""
    words = re.sub(r"\s+(?=\()", "", text.strip().lower().replace(",", " "))
    if _PAIRS.fullmatch(" ".join(words.split())):
        points = words.split()
        if len(points) % 2:
            raise ValueError(f"{len(points)} numbers: give a point to come from and one to go to")
        words = " ".join(f"{a}/{b}" for a, b in zip(points[::2], points[1::2], strict=True))
    legs: list[_Leg] = []
    for word in words.split():
        match = _LEG.fullmatch(word)
        if match is None:
            raise ValueError(f"{word!r} is not a move: expected one like 8/5, bar/20* or 6/off(2)")
        legs += _word_legs(match[1]) * _repeats(match[2], word)
    if not legs:
        raise ValueError("empty: expected moves like 8/5 6/5")
    if len(legs) > _MOST_STEPS:
        raise ValueError(f"{len(legs)} moves: a roll has four at most")
    return legs


def _repeats(digits: str | None, word: str) -> int:
    if digits is None:
        return 1
    if digits not in ("2", "3", "4"):
        raise ValueError(f"{word!r}: a move can be repeated (2), (3) or (4) times")
    return int(digits)


def _word_legs(word: str) -> list[_Leg]:
    stops = word.split("/")
    points = [_point(stop) for stop in stops]
    legs = []
    for start, end, stop in zip(points, points[1:], stops[1:], strict=False):
        if start <= end:
            raise ValueError(
                f"{name(start)}/{name(end)} goes backwards: a move is from high to low"
            )
        legs.append(_Leg(start, end, stop.endswith("*")))
    return legs


def _point(stop: str) -> int:
    text = stop.removesuffix("*")
    point = _WORDS[text] if text in _WORDS else int(text)
    if point > BAR_POINT:
        raise ValueError(f"no point {text}: points are 1 to 24, bar and off")
    return point


def _readings(
    position: BothSides, dice: tuple[int, int], legs: list[_Leg]
) -> tuple[list[_Reading], list[tuple[int, str]]]:
    """Every way the legs can be played, and the faults met: steps played before, and why."""
    remaining = (dice[0],) * 4 if dice[0] == dice[1] else dice
    readings: list[_Reading] = []
    faults: list[tuple[int, str]] = []
    seen: set[tuple[Step, ...]] = set()
    for steps in _expansions(legs, remaining, remaining, faults):
        for order in permutations(steps):
            if order in seen:
                continue
            seen.add(order)
            reading = _carry_out(position, order, faults)
            if reading is not None:
                readings.append(reading)
                break  # another order of the same steps leads to the same position
    return readings, faults


def _expansions(
    legs: list[_Leg],
    dice: tuple[int, ...],
    left: tuple[int, ...],
    faults: list[tuple[int, str]],
) -> Iterator[list[Step]]:
    """Every way to make up the legs from what is left of the dice, each die used once."""
    if not legs:
        yield []
        return
    leg = legs[0]
    ways = set(_ways(leg.start, leg.end, left))
    if not ways:
        faults.append((-1, _no_die(leg, dice)))
    for way in sorted(ways):
        unused = list(left)
        steps, start = [], leg.start
        for die in way:
            unused.remove(die)
            steps.append(Step(start, die))
            start -= die
        for rest in _expansions(legs[1:], dice, tuple(unused), faults):
            yield steps + rest


def _ways(start: int, end: int, dice: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The dice, in order, that bring a checker from ``start`` to ``end``."""
    for i, die in enumerate(dice):
        if start - die == end or (end == OFF and start < die):
            yield (die,)
        elif start - die > end:
            rest = dice[:i] + dice[i + 1 :]
            yield from ((die, *way) for way in _ways(start - die, end, rest))


def _no_die(leg: _Leg, dice: tuple[int, ...]) -> str:
    move = f"{name(leg.start)}/{name(leg.end)}"
    if any(_ways(leg.start, leg.end, dice)):
        return f"no die is left for {move}"
    shown = " and ".join(str(die) for die in dict.fromkeys(dice))
    return f"{move} is {leg.start - leg.end} pips: not to be made with {shown}"


def _carry_out(
    position: BothSides, steps: tuple[Step, ...], faults: list[tuple[int, str]]
) -> _Reading | None:
    now = position.copy()
    hits = set()
    for played, step in enumerate(steps):
        reason = fault(now, step)
        if reason:
            faults.append((played, reason))
            return None
        if lift(now, step):
            hits.add(step.end)
    return _Reading(now, frozenset(hits), list(steps))


def _worst_fault(position: BothSides, legs: list[_Leg], faults: list[tuple[int, str]]) -> str:
    """The fault to name: of those met, the one met after the most steps."""
    played, reason = max(faults, key=lambda fault: fault[0])
    if played >= 0 and reason.endswith("is blocked"):
        for leg in legs:  # the leg as it was typed, when it is its own end that is blocked
            if leg.end != OFF and position.theirs[24 - leg.end] > 1:
                return f"{name(leg.start)}/{name(leg.end)} is blocked"
    return reason


def _quietest(readings: list[_Reading], named: set[int]) -> _Reading:
    """The reading with the fewest hits on points the text does not name."""
    fewest = min(len(reading.hits - named) for reading in readings)
    best = [reading for reading in readings if len(reading.hits - named) == fewest]
    if any(reading.position != best[0].position for reading in best):
        points = sorted({point for reading in best for point in reading.hits - named})
        ways = " or ".join(str(point) for point in points)
        raise ValueError(f"it hits on {ways}, as it is played: name the point, as in 24/18*/13")
    return best[0]
