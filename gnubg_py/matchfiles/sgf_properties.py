"""The values that gnubg writes to SGF: points as letters, evaluations of plays and of the cube."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gnubg_py.matchfiles.contents import ROLLED_OUT
from gnubg_py.notation.steps import BAR_POINT, OFF

_Leg = tuple[int, int]
SIDES = ("W", "B")
"""Player 0 is white, player 1 black."""

_EVALUATION = re.compile(r"E ver \d+ ")
_NUMBERS = r"((?: [-+.\de]{1,30}){7})"
_ROLLED_PLAY = re.compile(
    rf"X ver \d+ Score ([-+.\de]{{1,30}}) [-+.\de]{{1,30}} Trials \d{{1,9}} Output{_NUMBERS} StdDev"
)
_ROLLED_CUBE = re.compile(
    rf"X ver \d+ Eq Trials \d{{1,9}} NoDouble Output{_NUMBERS} StdDev{_NUMBERS} "
    rf"DoubleTake Output{_NUMBERS} StdDev"
)
_LONGEST_ROLLOUT = 4000
_MOST_PLAYS = 200


def letter(player: int, point: int) -> str:
    """The letter of a player's point: a to x are white's points 1 to 24, y the bar, z off.

    >>> letter(0, 6), letter(1, 6), letter(1, 25), letter(0, 0)
    ('f', 's', 'y', 'z')
    """
    if point in (BAR_POINT, OFF):
        return "y" if point == BAR_POINT else "z"
    return chr(ord("a") + (point - 1 if player == 0 else 24 - point))


def point(player: int, letter: str) -> int:
    """The point of a letter, as the player counts; ``ValueError`` if it is not a point."""
    if len(letter) != 1 or not "a" <= letter <= "z":
        raise ValueError(f"{letter[:10]!r} is no point: expected a letter from a to z")
    if letter in "yz":
        return BAR_POINT if letter == "y" else OFF
    place = ord(letter) - ord("a")
    return place + 1 if player == 0 else 24 - place


def legs_of_letters(player: int, letters: str) -> list[_Leg]:
    """The legs of a play written as pairs of letters."""
    if len(letters) % 2 or len(letters) > 8:
        raise ValueError(f"{letters[:20]!r}: a play is up to four pairs of letters")
    points = [point(player, item) for item in letters]
    return list(zip(points[::2], points[1::2], strict=True))


def letters_of_legs(player: int, legs: Sequence[_Leg]) -> str:
    """A play as pairs of letters."""
    return "".join(letter(player, start) + letter(player, end) for start, end in legs)


@dataclass(frozen=True)
class KeptEvaluation:
    """An evaluation: plies, gnubg's five, and the equity of a play or of the cube actions.

    The cube has two equities: of no double, and of double and take. ``rollout`` is gnubg's text of
    a rollout, if it was one.
    """

    ply: int
    five: tuple[float, ...]
    equities: tuple[float, ...]
    rollout: str = ""


def play_value(letters: str, kept: KeptEvaluation) -> str:
    """A play with its evaluation, as a value of the property ``A``."""
    if kept.rollout:
        return f"{letters} {kept.rollout}"
    numbers = " ".join(f"{p:.6f}" for p in (*kept.five, kept.equities[0]))
    return f"{letters} E ver 3 {numbers} {written_ply(kept.ply)}C 0 1 0.000000 1"


def written_ply(ply: int) -> int:
    """The plies in a form that gnubg can read, without those of a rollout."""
    return 0 if ply >= ROLLED_OUT else ply


def read_play_value(text: str) -> tuple[str, KeptEvaluation] | None:
    """The letters of a play and its evaluation; ``None`` if it is not an evaluation."""
    letters, _, rest = text.partition(" ")
    if rest.startswith("X"):
        rolled = _rolled_play(rest)
        return None if rolled is None else (letters, rolled)
    head = _EVALUATION.match(rest)
    if head is None:
        return None
    numbers = _numbers(rest[head.end() :].split(), 6)
    if numbers is None:
        return None
    ply = re.match(r"(\d)C?\b", " ".join(rest.split()[9:10]))
    return letters, KeptEvaluation(int(ply[1]) if ply else 0, numbers[:5], numbers[5:6])


def _rolled_play(text: str) -> KeptEvaluation | None:
    """The rollout of a play; ``None`` if it is not written as gnubg does."""
    found = _ROLLED_PLAY.match(text)
    if found is None or not _is_kept(text):
        return None
    score, five = _numbers([found[1]], 1), _numbers(found[2].split(), 5)
    if score is None or five is None:
        return None
    return KeptEvaluation(ROLLED_OUT, five, score, text)


def _rolled_cube(text: str) -> KeptEvaluation | None:
    """The rollout of a cube decision: no double, and double and take."""
    found = _ROLLED_CUBE.match(text)
    if found is None or not _is_kept(text):
        return None
    one, two = (_numbers(found[i].split(), 7) for i in (1, 3))
    if one is None or two is None:
        return None
    return KeptEvaluation(ROLLED_OUT, one[:5], (one[6], two[6]), text)


def _is_kept(text: str) -> bool:
    return len(text) <= _LONGEST_ROLLOUT and text.isascii() and text.isprintable()


def cube_value(kept: KeptEvaluation, cubeless: float) -> str:
    """A cube decision, with its cubeless equity, as the value of the property ``DA``."""
    if kept.rollout:
        return kept.rollout
    five = " ".join(f"{p:.6f}" for p in (*kept.five, cubeless))
    no_double, take = kept.equities
    return f"E ver 3 {written_ply(kept.ply)}C 1 0.000000 1 {five} {no_double:.6f} {five} {take:.6f}"


def read_cube_value(text: str) -> KeptEvaluation | None:
    """A cube decision from the property ``DA``; ``None`` if it is not an evaluation."""
    if text.startswith("X"):
        return _rolled_cube(text)
    head = _EVALUATION.match(text)
    if head is None:
        return None
    words = text[head.end() :].split()
    numbers = _numbers(words[4:], 14)
    ply = re.match(r"(\d)C?\Z", words[0]) if words else None
    if numbers is None or ply is None:
        return None
    return KeptEvaluation(int(ply[1]), numbers[:5], (numbers[6], numbers[13]))


def _numbers(words: Sequence[str], count: int) -> tuple[float, ...] | None:
    try:
        numbers = tuple(float(word) for word in words[:count])
    except ValueError:
        return None
    # No equity in backgammon is as large as this; for "nan" the comparison is False.
    return numbers if len(numbers) == count and all(abs(x) < 1e5 for x in numbers) else None


def most_plays(values: Sequence[str]) -> Sequence[str]:
    """The plays of the property ``A`` that are read."""
    return values[1 : _MOST_PLAYS + 1]
