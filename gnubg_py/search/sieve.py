"""The plays of many rolls that are evaluated: made, without repeats, chosen by a faster net.

All plays of a position are made and judged by one kernel, one position after the other, so that
they stay in the processor's nearest cache. Only the plays that are left come out of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards, for_kernels, swap
from gnubg_py.claims import new_claims
from gnubg_py.cube.efficiency import CURVE_OWNERS
from gnubg_py.cube.kernels import CURVE_POINTS
from gnubg_py.cube.values import CubeTable, Numbers, cubeless_values
from gnubg_py.evaluators.classify import STANDARD, Classifier, PositionClass
from gnubg_py.evaluators.protocol import Evaluator, evaluate_children
from gnubg_py.evaluators.router import LEARNED
from gnubg_py.groups import few_lowest
from gnubg_py.network.forward import AnyNet, ready
from gnubg_py.network.leaf import NetLeaf
from gnubg_py.plays import KEYS
from gnubg_py.search.means import Means, fill_means
from gnubg_py.search.sieve_kernels import fill_chosen, fill_sieved
from gnubg_py.search.sieve_room import (
    CubeRows,
    Left,
    Room,
    SieveRules,
    new_room,
    room_for_left,
)

_NO_CURVES = np.empty((0, len(CURVE_OWNERS), CURVE_POINTS))
_NO_NET = None, None


@dataclass(frozen=True)
class Sieve:
    """Which plays of a roll are evaluated: the ``keep`` best by a faster evaluator.

    Plays more than ``within`` points worse than the best are left out; for those of higher ranks
    the limit is smaller (``groups.narrowing``). With ``learned_only``, only plays into contact,
    crashed and race positions are judged (without ``races``, not these): the others (into a
    bearoff, or the end of the game) are always evaluated.
    Then the plays that are left keep their order; without ``learned_only`` the best come first: of
    plays that are equal to the evaluator in everything, the first is made.
    """

    evaluator: Evaluator
    keep: int
    within: float
    learned_only: bool = True
    classes: Classifier = STANDARD
    races: bool = True

    @property
    def judged(self) -> list[PositionClass]:
        """The classes of positions that are judged, with ``learned_only``."""
        return [c for c in LEARNED if self.races or c != PositionClass.RACE]

    @property
    def net(self) -> NetLeaf | None:
        """The net that judges learned positions, if one net does and the kernel can call it."""
        table = getattr(self.evaluator, "table", {})
        leaves = [table.get(c, self.evaluator) for c in self.judged]
        only = leaves[0] if all(leaf is leaves[0] for leaf in leaves) else None
        return only if isinstance(only, NetLeaf) else None


@dataclass(frozen=True)
class Contact:
    """How contact and crashed positions are evaluated: a net, and the efficiency of the cube.

    ``curves`` float64[m, 3, CURVE_POINTS] are those of all positions (``efficiency.py``); none if
    cubeless values decide between plays. ``count`` is called with the number of positions that the
    net has evaluated.
    """

    net: AnyNet
    curves: NDArray[np.float64]
    count: Callable[[int], None] | None = None


@dataclass(frozen=True)
class Positions:
    """Positions with what is known of them: ``classes`` int8[n], ``five`` float32[n, 5]."""

    boards: Boards
    classes: NDArray[np.int8]
    five: NDArray[np.float32]


def empty_positions(n: int) -> Positions:
    """Room for n positions."""
    boards, five = np.empty((n, 2, 25), np.int8), np.empty((n, 5), np.float32)
    return Positions(boards, np.empty(n, np.int8), five)


class Kept(NamedTuple):
    """Plays of n positions that are evaluated.

    ``boards`` int8[m, 2, 25] are distinct among the plays of a position; those of position i are
    ``first[i]:first[i + 1]``. Roll j of all has the plays ``which[offsets[j]:offsets[j + 1]]``,
    rows of ``boards``.
    """

    boards: Boards
    first: NDArray[np.int64]
    which: NDArray[np.int64]
    offsets: NDArray[np.int64]


class _Thread(threading.local):
    """Each thread's room: address space, of which few plays use a little."""

    def __init__(self) -> None:
        self.room = new_room()


_thread = _Thread()


def kept_plays(
    boards: Boards,
    dice: NDArray[np.int8],
    sieve: Sieve | None,
    table: CubeTable,
    numbers: Numbers,
) -> Iterator[Kept]:
    """The plays that are evaluated of ``dice`` int8[n * r, 2], r rolls of each of n boards.

    Without a ``sieve`` all of them. The cube of the side that is then on roll, ``numbers`` int64[n]
    (or int64[1], the same for all) of ``table``, is taken as if it were dead. Boards with too many
    plays for one ``Kept`` are in several, in order.
    """
    best = empty_positions(0)
    claims, order = new_claims(slice(0, len(boards))), np.arange(len(boards))
    for _, kept in fill_chosen_plays(
        boards, dice, sieve, table, numbers, None, best, claims, order
    ):
        yield kept


def fill_chosen_plays(
    boards: Boards,
    dice: NDArray[np.int8],
    sieve: Sieve | None,
    table: CubeTable,
    numbers: Numbers,
    contact: Contact | None,
    best: Positions,
    claims: NDArray[np.int64],
    order: NDArray[np.int64],
    means: Means | None = None,
) -> Iterator[tuple[NDArray[np.int64], Kept]]:
    """Fill ``best`` with the best plays of those boards that ``contact`` evaluates.

    Yields the other boards, as rows, and those of their plays that are to be evaluated: the boards
    some of whose kept plays are no contact or crashed positions, without ``contact`` all of them.
    Arguments are as in ``kept_plays``; threads with the same ``claims`` share the boards, and take
    them in an ``order``, int64[n] (its numbers are what is claimed). Where
    ``means`` are asked for, ``dice`` are all rolls of each board, and the means are filled of the
    boards that are not yielded.
    """
    boards, dice = for_kernels(boards), for_kernels(dice)
    leaf = None if sieve is None else sieve.net
    room = _thread.room
    judge = _NO_NET if leaf is None else ready(leaf.net)
    main = _NO_NET if contact is None else ready(contact.net)
    curves = _NO_CURVES if contact is None else contact.curves
    rules = _rules(sieve, table.points[numbers])
    cubes = CubeRows(
        curves, table.constants[numbers], table.doubled[numbers], table.weights[numbers]
    )
    left = room_for_left(len(boards), len(dice))
    out = left, (best.boards, best.classes, best.five)
    board = -1
    while claims[0] < claims[1] or board >= 0:
        n, done, count, board = fill_chosen(
            boards, dice, KEYS, order, claims, board, *judge, *main, rules, cubes, room, out
        )
        if means is not None:
            fill_means(best.five, best.classes, left.done[:done], means)
        if contact is not None and contact.count is not None:
            contact.count(count)
        if n:
            rows = left.rows[:n].copy()
            kept = _copied(room, left, n, len(dice) // len(boards))
            if sieve is not None and left.whole[:n].any():
                theirs = numbers[rows] if len(numbers) > 1 else numbers
                kept = _sieved(kept, left.whole[:n], swap(boards[rows]), sieve, table, theirs)
            yield rows, kept


def _copied(room: Room, left: Left, n: int, rolls: int) -> Kept:
    """A copy of the plays of the n boards that are left."""
    first, offsets = left.first[: n + 1].copy(), left.offsets[: n * rolls + 1].copy()
    plays = room.kept[: first[-1]].reshape(-1, 2, 25).copy()
    return Kept(plays, first, room.which[: offsets[-1]].copy(), offsets)


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where groups of so many rows begin, and the end of the last."""
    return np.concatenate([[0], np.cumsum(sizes)])


def _sieved(
    found: Kept,
    whole: NDArray[np.bool_],
    parents: Boards,
    sieve: Sieve,
    table: CubeTable,
    numbers: Numbers,
) -> Kept:
    """What a sieve leaves of plays that the kernel cannot judge: those of the boards ``whole``."""
    boards, first, which, offsets = found
    sizes = np.diff(first)
    cubes = np.repeat(numbers, sizes) if len(numbers) > 1 else numbers
    of_whole = np.repeat(whole, sizes)
    first_of_whole = _starts(sizes[whole])
    five = evaluate_children(sieve.evaluator, parents[whole], boards[of_whole], first_of_whole)
    # What the kernel has chosen stays, and in its order: all of it has the same score.
    scores = np.zeros(len(boards))
    scores[of_whole] = cubeless_values(five, table, cubes[of_whole] if len(cubes) > 1 else cubes)
    always = ~np.isin(sieve.classes(boards), sieve.judged)[which] if sieve.learned_only else None
    points = table.points[cubes]
    within = sieve.within * (points if len(cubes) == 1 else points[which[offsets[:-1]]])
    rows, ends = few_lowest(scores[which], offsets, sieve.keep, within, narrow=True, always=always)
    if sieve.learned_only:
        rows.sort()
    used = np.zeros(len(boards), np.bool_)
    used[which[rows]] = True
    return _of_used(boards, first, used, which[rows], ends)


def _of_used(
    boards: Boards,
    first: NDArray[np.int64],
    used: NDArray[np.bool_],
    which: NDArray[np.int64],
    offsets: NDArray[np.int64],
) -> Kept:
    """Those of ``boards`` that are ``used`` bool[m], as the rows ``which`` of all boards are."""
    left = np.flatnonzero(used)
    return Kept(boards[left], np.searchsorted(left, first), (np.cumsum(used) - 1)[which], offsets)


def sieved_again(kept: Kept, parents: Boards, sieve: Sieve, table: CubeTable) -> Kept:
    """What another sieve, of a net, leaves of the plays that one has kept of ``parents``.

    ``parents`` are the boards before the plays, swapped. The cube is the table's first.
    """
    leaf = sieve.net
    if leaf is None or not sieve.learned_only:
        raise ValueError("a second sieve should be a net's, and judge learned positions alone")
    numbers = np.zeros(1, np.int64)
    rules = _rules(sieve, table.points[numbers])
    used, which = np.zeros(len(kept.boards), np.bool_), np.empty_like(kept.which)
    offsets = np.zeros_like(kept.offsets)
    fill_sieved(
        *(for_kernels(parents), tuple(kept), *ready(leaf.net), rules, table.weights[numbers]),
        *(_thread.room, used, which, offsets),
    )
    return _of_used(kept.boards, kept.first, used, which[: offsets[-1]], offsets)


def _rules(sieve: Sieve | None, points: NDArray[np.float64]) -> SieveRules:
    """What the kernels need to know of a sieve; without one, all plays are kept.

    ``points`` is what a point is worth with the cube of each board, or of all.
    """
    if sieve is None:
        return SieveRules(STANDARD.sizes, 0, 0.0 * points, True, True, False)
    limits, by_other = sieve.within * points, sieve.net is None
    return SieveRules(
        sieve.classes.sizes, sieve.keep, limits, sieve.learned_only, sieve.races, by_other
    )
