"""The plays of many rolls that are evaluated: made, without repeats, chosen by a faster net.

All plays of a position are made and judged by one kernel, one position after the other, so that
they stay in the processor's nearest cache. Only the plays that are left come out of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bits import board_hash, copy_board, differing_places
from gnubg_py.board import Boards, for_kernels, swap
from gnubg_py.cube.efficiency import NUMBERS_BY_CLASS
from gnubg_py.cube.kernels import node_value
from gnubg_py.cube.values import CubeTable, Numbers, cubeless_value, cubeless_values
from gnubg_py.dice import ROLLS
from gnubg_py.evaluators.classify import STANDARD, Classifier, PositionClass, class_of, is_learned
from gnubg_py.evaluators.protocol import Evaluator, evaluate_children
from gnubg_py.evaluators.router import LEARNED
from gnubg_py.groups import few_lowest, is_lower
from gnubg_py.kernel_cache import njit
from gnubg_py.network.forward import AnyNet, children_five, layers_of, scratch_of
from gnubg_py.network.leaf import NetLeaf
from gnubg_py.plays import KEYS, MAX_PLAYS, fill_plays

_LEARNED = np.isin(np.arange(len(PositionClass)), LEARNED)
_MOST = len(ROLLS) * MAX_PLAYS
_NETS = 8
"""Nets that a thread keeps ready for the kernels."""
_CRASHED = int(PositionClass.CRASHED)
_EXACT = -np.inf
"""Stands for the value of a play that is not judged, and always kept."""


@dataclass(frozen=True)
class Sieve:
    """Which plays of a roll are evaluated: the ``keep`` best by a faster evaluator.

    Plays more than ``within`` points worse than the best are left out. With ``learned_only``, only
    plays into contact, crashed and race positions are judged: the others (into a bearoff, or the
    end of the game) are always evaluated, and so is every play of a roll with at most ``keep``.
    Then the plays that are left keep their order; without ``learned_only`` the best come first: of
    plays that are equal to the evaluator in everything, the first is made.
    """

    evaluator: Evaluator
    keep: int
    within: float
    learned_only: bool = True
    classes: Classifier = STANDARD

    @property
    def net(self) -> NetLeaf | None:
        """The net that judges learned positions, if one net does and the kernel can call it."""
        table = getattr(self.evaluator, "table", {})
        leaves = [table.get(c, self.evaluator) for c in LEARNED]
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


class _Room(NamedTuple):
    """What the kernel works in: all plays of one position, then what is kept of many."""

    plays: NDArray[np.int8]
    ends: NDArray[np.int64]  # of the rolls, in plays
    table: NDArray[np.int32]  # which distinct play is in each slot, by its hash
    same: NDArray[np.int64]  # which distinct play each play is
    place: NDArray[np.int64]  # where a distinct play is among those kept, -1 if it is not
    five: NDArray[np.float32]  # of distinct plays
    values: NDArray[np.float64]  # of distinct plays, cubeless
    ends_of_one: NDArray[np.int64]  # 0, and how many they are
    lowest: NDArray[np.float64]  # the lowest values of a roll
    stay: NDArray[np.bool_]  # whether each play is kept
    rows: NDArray[np.int64]  # the plays of a roll that are kept, in order
    kept: NDArray[np.int8]
    which: NDArray[np.int64]
    classes: NDArray[np.int8]  # of those kept
    ties: NDArray[np.float64]  # their cubeless values


def _new_room() -> _Room:
    return _Room(
        plays=np.empty((_MOST, 50), np.int8),
        ends=np.empty(len(ROLLS) + 1, np.int64),
        table=np.empty(1 << (2 * _MOST - 1).bit_length(), np.int32),
        same=np.empty(_MOST, np.int64),
        place=np.empty(_MOST, np.int64),
        five=np.empty((_MOST, 5), np.float32),
        values=np.empty(_MOST),
        ends_of_one=np.zeros(2, np.int64),
        lowest=np.empty(MAX_PLAYS),
        stay=np.empty(_MOST, np.bool_),
        rows=np.empty(MAX_PLAYS, np.int64),
        kept=np.empty((_MOST, 50), np.int8),
        which=np.empty(_MOST, np.int64),
        classes=np.empty(_MOST, np.int8),
        ties=np.empty(_MOST),
    )


class _Mine(threading.local):
    """Each thread's room: address space, of which few plays use a little; and nets for kernels."""

    def __init__(self) -> None:
        self.room = _new_room()
        self._nets: dict[int, tuple[AnyNet, Any, Any]] = {}

    def net(self, net: AnyNet | None) -> tuple[Any, Any]:
        """The layers and the scratch of a net as kernels take them; None without a net."""
        if net is None:
            return None, None
        if id(net) not in self._nets:
            if len(self._nets) == _NETS:
                self._nets.clear()
            # With the net itself, so that no other net has its id.
            self._nets[id(net)] = net, layers_of(net), scratch_of(net)
        return self._nets[id(net)][1:]


_mine = _Mine()


def kept_plays(
    boards: Boards,
    dice: NDArray[np.int8],
    sieve: Sieve | None,
    table: CubeTable,
    numbers: Numbers,
    contact: Contact | None = None,
) -> Kept | Positions | None:
    """The plays that are evaluated of ``dice`` int8[n * r, 2], r rolls of each of n boards.

    Without a ``sieve`` all of them. The cube of the side that is then on roll, ``numbers`` int64[n]
    (or int64[1], the same for all) of ``table``, is taken as if it were dead. None if there are too
    many plays for the room, which has enough for one board. Where all plays that are kept are of
    the classes that ``contact`` evaluates, the best of each roll instead.
    """
    boards, dice, parents = for_kernels(boards), for_kernels(dice), swap(boards)
    leaf, keep, within = None, 0, 0.0
    if sieve is not None:
        leaf, keep, within = sieve.net, sieve.keep, sieve.within
    first, offsets = np.zeros(len(boards) + 1, np.int64), np.zeros(len(dice) + 1, np.int64)
    whole = np.full(len(boards), sieve is not None and leaf is None)
    limits, weights, room = within * table.points[numbers], table.weights[numbers], _mine.room
    sizes = STANDARD.sizes if sieve is None else sieve.classes.sizes
    judge = _mine.net(None if leaf is None else leaf.net)
    how = sizes, keep, limits, sieve is None or sieve.learned_only
    if not _fill_kept(
        boards, parents, dice, KEYS, *judge, how, weights, room, first, offsets, whole
    ):
        return None
    if contact is not None and not whole.any():
        best = empty_positions(len(dice))
        cubes = table.constants[numbers], table.doubled[numbers], weights
        net = _mine.net(contact.net)
        out = best.boards, best.classes, best.five
        if _fill_best(parents, *net, sizes, contact.curves, *cubes, room, first, offsets, *out):
            if contact.count is not None:
                contact.count(int(first[-1]))
            return best
    kept = room.kept[: first[-1]].reshape(-1, 2, 25).copy()
    found = Kept(kept, first, room.which[: offsets[-1]].copy(), offsets)
    if sieve is None or not whole.any():
        return found
    return _sieved(found, whole, parents, sieve, table, numbers)


@njit(cache=True, nogil=True)
def _fill_kept(  # type: ignore[no-untyped-def]
    boards, parents, dice, keys, net, scratch, how, weights, room, first, offsets, whole
):
    """Fill ``room.kept``, ``first``, ``room.which`` and ``offsets`` as in ``Kept``; if they fit.

    ``net`` is None where every play is kept. ``how``: the sizes of the bearoff databases, how many
    plays are kept, how much worse than the best they may be (of each board, or of all), and whether
    learned positions alone are judged. If not, ``whole`` marks the boards all of whose plays are
    kept since the net cannot judge some. ``weights`` are what the five probabilities count for.
    """
    sizes, keep, limits, learned_only = how
    rolls = len(dice) // max(1, len(boards))
    n = 0
    for i in range(len(boards)):
        roll = i * rolls
        fill_plays(boards[i : i + 1], dice[roll : roll + rolls], room.plays, room.ends, keys)
        m = room.ends[rolls]
        entries = offsets[roll]
        if n + m > len(room.kept) or entries + m > len(room.which):
            return False
        distinct = _drop_repeats(room.plays, m, room.table, room.same)
        j = min(i, len(limits) - 1)
        if net is None:
            room.stay[:m] = True
        elif learned_only:
            _judge(parents, i, net, scratch, distinct, weights[j], sizes, room)
            _choose(room, rolls, keep, limits[j])
        else:
            whole[i] = not _all_learned(room.plays, distinct, sizes)
            room.stay[:m] = True
            if not whole[i]:
                _judge(parents, i, net, scratch, distinct, weights[j], sizes, room)
        room.place[:distinct] = -1
        for r in range(rolls):
            if net is None or learned_only or whole[i]:
                left = _staying(room, r)
            else:
                left = _best_first(room, r, keep, limits[j])
            for k in room.rows[:left]:
                play = room.same[k]
                if room.place[play] < 0:
                    room.place[play] = n
                    copy_board(room.plays, play, room.kept, n)
                    n += 1
                room.which[entries] = room.place[play]
                entries += 1
            offsets[roll + r + 1] = entries
        first[i + 1] = n
    return True


@njit(cache=True, nogil=True)
def _all_learned(plays, n, sizes):  # type: ignore[no-untyped-def]
    """Whether the first n plays are all into positions that a net judges."""
    boards = plays.reshape((-1, 2, 25))
    k = 0
    while k < n and is_learned(boards, k, sizes):
        k += 1
    return k == n


@njit(cache=True, nogil=True)
def _staying(room, r):  # type: ignore[no-untyped-def]
    """List in ``room.rows`` the plays of roll r that stay, in order; returns how many."""
    n = 0
    for k in range(room.ends[r], room.ends[r + 1]):
        room.rows[n] = k
        n += room.stay[k]
    return n


@njit(cache=True, nogil=True)
def _best_first(room, r, keep, limit):  # type: ignore[no-untyped-def]
    """List in ``room.rows`` the few plays of roll r with the lowest values; returns how many."""
    rows, values, same = room.rows, room.values, room.same
    n = 0
    for k in range(room.ends[r], room.ends[r + 1]):
        value = values[same[k]]
        if n == keep:
            if value >= values[same[rows[n - 1]]]:
                continue
            n -= 1
        at = n
        while at > 0 and value < values[same[rows[at - 1]]]:
            rows[at] = rows[at - 1]
            at -= 1
        rows[at] = k
        n += 1
    while n > 1 and values[same[rows[n - 1]]] > values[same[rows[0]]] + limit:
        n -= 1
    return n


@njit(cache=True, nogil=True)
def _drop_repeats(plays, m, table, same):  # type: ignore[no-untyped-def]
    """Leave the distinct ones of m plays at the front of ``plays``; returns how many they are."""
    size = 16
    while size < 2 * m:
        size *= 2
    table[:size] = -1
    n = 0
    for i in range(m):
        slot = board_hash(plays, i) & (size - 1)
        while True:
            k = table[slot]
            if k < 0:
                table[slot] = n
                same[i] = n
                copy_board(plays, i, plays, n)
                n += 1
                break
            if differing_places(plays, i, plays, k) == 0:
                same[i] = k
                break
            slot = (slot + 1) & (size - 1)
    return n


@njit(cache=True, nogil=True)
def _judge(parents, i, net, scratch, distinct, weight, sizes, room):  # type: ignore[no-untyped-def]
    """The cubeless values of the distinct plays of parent i; -inf for those known exactly."""
    plays = room.plays.reshape((-1, 2, 25))[:distinct]
    room.ends_of_one[1] = distinct
    children_five(parents[i : i + 1], plays, room.ends_of_one, net, scratch, room.five)
    for k in range(distinct):
        value = cubeless_value(room.five, k, weight)
        room.values[k] = value if is_learned(plays, k, sizes) else _EXACT


@njit(cache=True, nogil=True)
def _choose(room, rolls, keep, limit):  # type: ignore[no-untyped-def]
    """Mark in ``room.stay`` the plays that each roll keeps: the few lowest, and those exact."""
    lowest = room.lowest
    for r in range(rolls):
        first, end = room.ends[r], room.ends[r + 1]
        if end - first <= keep:
            room.stay[first:end] = True
            continue
        lowest[:keep] = np.inf
        for k in range(first, end):
            value = room.values[room.same[k]]
            value = np.inf if value == _EXACT else value
            for j in range(keep):  # without a branch: which way it goes cannot be foreseen
                other = lowest[j]
                lowest[j] = min(other, value)
                value = max(other, value)
        highest = lowest[keep - 1]
        within = lowest[0] + limit
        equals = keep
        for j in range(keep):
            equals -= lowest[j] < highest
        for k in range(first, end):
            value = room.values[room.same[k]]
            # Of equal values the first stay.
            equal = value == highest
            room.stay[k] = value <= within and (value < highest or (equal and equals > 0))
            equals -= equal


@njit(cache=True, nogil=True)
def _fill_best(  # type: ignore[no-untyped-def]
    parents,
    net,
    scratch,
    sizes,
    curves,
    cubes,
    doubled,
    weights,
    room,
    first,
    offsets,
    best_boards,
    best_classes,
    best_five,
):
    """The best of the plays that ``_fill_kept`` left, of each roll; False if not all are contact.

    ``cubes``, ``doubled`` and ``weights``: the rows of a ``CubeTable`` for each board or for all;
    ``curves`` as in ``Contact``.
    """
    kept = room.kept.reshape((-1, 2, 25))[: first[len(parents)]]
    for k in range(len(kept)):
        room.classes[k] = class_of(kept, k, sizes)
        if room.classes[k] < _CRASHED:
            return False
    children_five(parents, kept, first, net, scratch, room.five)
    rolls = (len(offsets) - 1) // max(1, len(parents))
    for i in range(len(parents)):
        j = min(i, len(cubes) - 1)
        for k in range(first[i], first[i + 1]):
            p = room.five[k]
            room.values[k] = room.ties[k] = cubeless_value(room.five, k, weights[j])
            if len(curves):
                which = NUMBERS_BY_CLASS[room.classes[k]]
                room.values[k] = node_value(
                    p[0], p[1], p[2], p[3], p[4], curves, which, cubes[j], doubled[j]
                )
        for r in range(i * rolls, (i + 1) * rolls):
            best = room.which[offsets[r]]
            for entry in range(offsets[r] + 1, offsets[r + 1]):
                k = room.which[entry]
                if is_lower(room.values, room.ties, k, best):
                    best = k
            copy_board(kept, best, best_boards, r)
            best_classes[r] = room.classes[best]
            best_five[r] = room.five[best]
    return True


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
    mine = np.repeat(whole, sizes)
    starts = np.concatenate([[0], np.cumsum(sizes[whole])])
    five = evaluate_children(sieve.evaluator, parents[whole], boards[mine], starts)
    # What the kernel has chosen stays, and in its order: all of it has the same score.
    scores = np.zeros(len(boards))
    scores[mine] = cubeless_values(five, table, cubes[mine] if len(cubes) > 1 else cubes)
    always = ~_LEARNED[sieve.classes(boards)][which] if sieve.learned_only else None
    points = table.points[cubes]
    within = sieve.within * (points if len(cubes) == 1 else points[which[offsets[:-1]]])
    rows, ends = few_lowest(
        scores[which], offsets, sieve.keep, within, whole=sieve.learned_only, always=always
    )
    if sieve.learned_only:
        rows.sort()
    used = np.zeros(len(boards), np.bool_)
    used[which[rows]] = True
    left = np.flatnonzero(used)
    return Kept(
        boards[left], np.searchsorted(left, first), (np.cumsum(used) - 1)[which[rows]], ends
    )
