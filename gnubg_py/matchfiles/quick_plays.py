"""Read and make plays of match files quickly. Most are legal and name every step.

``gnubg_py.notation`` reads all other plays, and raises the errors.
"""

from __future__ import annotations

import re
from itertools import pairwise

from gnubg_py.board import Board
from gnubg_py.notation import CANNOT_MOVE
from gnubg_py.notation.play_parse import parse_play
from gnubg_py.notation.play_text import play_text, text_of_steps
from gnubg_py.notation.steps import BAR_POINT, OFF, Step, fault, lift, result_of, sides
from gnubg_py.plays import plays

_LEG = re.compile(r"((?:bar|off|\d{1,2})(?:/(?:bar|off|\d{1,2}))+)(?:\(([2-4])\))?\Z")
_WORDS = {"bar": BAR_POINT, "off": OFF}
_MOST_STEPS = 4

_Leg = tuple[int, int]


def legs_of(text: str) -> list[_Leg] | None:
    """The legs (from, to) of a text like ``25/23 13/11(2)``; ``None`` for any other text."""
    legs: list[_Leg] = []
    for word in text.replace("*", "").lower().split():
        leg = _LEG.match(word)
        if leg is None:
            return None
        points = [_WORDS[p] if p in _WORDS else int(p) for p in leg[1].split("/")]
        legs += list(pairwise(points)) * int(leg[2] or 1)
    return legs


def read_play(board: Board, dice: tuple[int, int], text: str) -> tuple[Board, str]:
    """The board after a play, the opponent's row first, and the play in gnubg's notation.

    ``ValueError`` says why a play is illegal or unreadable. Marks of hits are ignored, since hits
    follow from the board.

    >>> from gnubg_py.board import START
    >>> read_play(START, (3, 1), "8/5 6/5")[1]
    '8/5 6/5'
    """
    legs = legs_of(text)
    found = legs and _single_steps(board, dice, legs)
    if found:
        return found
    words = text.replace("*", "").strip() or CANNOT_MOVE
    after = parse_play(board, dice, words)
    return after, play_text(board, dice, after)


def only_play(board: Board, dice: tuple[int, int]) -> str:
    """The play of a roll that leaves no choice; empty where there are several, or none."""
    found = plays(board, dice)
    return play_text(board, dice, found[0]).replace(CANNOT_MOVE, "") if len(found) == 1 else ""


def _single_steps(
    board: Board, dice: tuple[int, int], legs: list[_Leg]
) -> tuple[Board, str] | None:
    """The play if every leg uses one die and all are legal in this order; else ``None``."""
    unused = [dice[0]] * 4 if dice[0] == dice[1] else sorted(dice)
    before = sides(board)
    now, steps = before.copy(), []
    for start, end in legs:
        die = next((d for d in unused if start - d == end or (end == OFF and d > start)), None)
        if die is None or start > BAR_POINT:
            return None
        step = Step(start, die)
        if fault(now, step):
            return None
        unused.remove(die)
        lift(now, step)
        steps.append(step)
    after = result_of(now)
    if not (plays(board, dice) == after).all(axis=(1, 2)).any():
        return None
    return after, text_of_steps(before, steps)


def forced_through(board: Board, legs: list[_Leg], through_points: bool = False) -> Board | None:
    """The board after illegal legs, the opponent's row first; None if they are impossible.

    A leg needs a checker to move, and at most one enemy checker where it lands; the dice do not
    matter. With ``through_points`` all enemy checkers where it lands are hit. The last checker of a
    side cannot leave the board.
    """
    after = after_legs(board, legs, through_points)
    return after if after is not None and after.any(axis=1).all() else None


def after_legs(board: Board, legs: list[_Leg], through_points: bool = False) -> Board | None:
    """As ``forced_through``, also where the last checker is borne off."""
    now = sides(board)
    if not 1 <= len(legs) <= _MOST_STEPS:
        return None
    for start, end in legs:
        if not (OFF <= end < start <= BAR_POINT) or now.mine[start - 1] == 0:
            return None
        in_the_way = 0 if end == OFF else now.theirs[24 - end]
        if in_the_way > 1:
            if not through_points:
                return None
            now.theirs[24 - end] = 1
            now.theirs[BAR_POINT - 1] += in_the_way - 1
        lift(now, Step(start, start - end))
    return result_of(now)


def is_dance(text: str) -> bool:
    """Whether the text of a play means that the player could not move.

    >>> is_dance("Cannot Move"), is_dance("can't move"), is_dance("8/5")
    (True, True, False)
    """
    words = " ".join(text.lower().split()).rstrip(".")
    return words in ("", CANNOT_MOVE, "can't move", "cannotmove", "no move", "dance", "dances", "-")
