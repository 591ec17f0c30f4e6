"""The rules of moving, in plain Python: slow, short, and independent of the kernel.

Tests and the bench compare ``plays.py`` with this module. It is also the place to read what a legal
play is. Here a side's row is a tuple of 25 counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gnubg_py.board import BAR, Board, Boards

_Row = tuple[int, ...]
PlainBoard = tuple[_Row, _Row]


def steps(state: PlainBoard, die: int) -> Iterator[PlainBoard]:
    """Every position after moving one checker by one die."""
    own, opp = state
    home = sum(own[6:]) == 0
    for p in range(25):
        if not own[p] or (own[BAR] and p != BAR):
            continue
        to = p - die
        if to < 0:
            exact = to == -1
            highest = sum(own[p + 1 :]) == 0
            if not home or not (exact or highest):
                continue
        elif opp[23 - to] > 1:
            continue
        mine, theirs = list(own), list(opp)
        mine[p] -= 1
        if to >= 0:
            mine[to] += 1
            if theirs[23 - to]:
                theirs[23 - to] = 0
                theirs[BAR] += 1
        yield tuple(mine), tuple(theirs)


def _sequences(states: set[PlainBoard], dice: tuple[int, ...]) -> set[PlainBoard]:
    for die in dice:
        states = {after for state in states for after in steps(state, die)}
    return states


def reference_states(state: PlainBoard, dice: tuple[int, int]) -> set[PlainBoard]:
    """The distinct positions after the roll, the mover's row first; ``state`` if it cannot move."""
    a, b = max(dice), min(dice)
    if a == b:
        for moves in (4, 3, 2, 1):
            if found := _sequences({state}, (a,) * moves):
                return found
        return {state}
    both = _sequences({state}, (a, b)) | _sequences({state}, (b, a))
    return both or set(steps(state, a)) or set(steps(state, b)) or {state}


def reference_plays(board: Board, dice: tuple[int, int]) -> Boards:
    """The same positions as ``plays.plays``, in sorted order.

    >>> from gnubg_py.board import START
    >>> len(reference_plays(START, (3, 1)))
    16
    """
    state = (tuple(board[0].tolist()), tuple(board[1].tolist()))
    found = sorted(reference_states(state, dice))
    return np.array([(opp, own) for own, opp in found], dtype=np.int8)
