"""The kernels of the sieve: they make the plays of rolls, drop repeats, judge and choose.

Each works on one position after the other, in the room of its thread.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bits import board_hash, copy_board, differing_places
from gnubg_py.cube.efficiency import NUMBERS_BY_CLASS
from gnubg_py.cube.kernels import node_value
from gnubg_py.cube.values import cubeless_value
from gnubg_py.dice import ROLLS
from gnubg_py.evaluators.classify import PositionClass, class_of, is_learned
from gnubg_py.groups import is_lower
from gnubg_py.kernel_cache import njit
from gnubg_py.network.forward import children_values, one_parents_five
from gnubg_py.plays import MAX_PLAYS, fill_plays

_MOST = len(ROLLS) * MAX_PLAYS
_CRASHED = int(PositionClass.CRASHED)
_EXACT = -np.inf
"""Stands for the value of a play that is not judged, and always kept."""


class Room(NamedTuple):
    """What the kernel works in: all plays of one position, then what is kept of many."""

    plays: NDArray[np.int8]
    ends: NDArray[np.int64]  # of the rolls, in plays
    table: NDArray[np.int32]  # which distinct play is in each slot, by its hash
    same: NDArray[np.int64]  # which distinct play each play is
    place: NDArray[np.int64]  # where a distinct play is among those kept, -1 if it is not
    five: NDArray[np.float32]  # of distinct plays
    values: NDArray[np.float64]  # of distinct plays, cubeless
    lowest: NDArray[np.float64]  # the lowest values of a roll
    stay: NDArray[np.bool_]  # whether each play is kept
    rows: NDArray[np.int64]  # the plays of a roll that are kept, in order
    kept: NDArray[np.int8]
    which: NDArray[np.int64]
    classes: NDArray[np.int8]  # of those kept
    ties: NDArray[np.float64]  # their cubeless values


def new_room() -> Room:
    """Room for all plays of all rolls of a position."""
    return Room(
        plays=np.empty((_MOST, 50), np.int8),
        ends=np.empty(len(ROLLS) + 1, np.int64),
        table=np.empty(1 << (2 * _MOST - 1).bit_length(), np.int32),
        same=np.empty(_MOST, np.int64),
        place=np.empty(_MOST, np.int64),
        five=np.empty((_MOST, 5), np.float32),
        values=np.empty(_MOST),
        lowest=np.empty(MAX_PLAYS),
        stay=np.empty(_MOST, np.bool_),
        rows=np.empty(MAX_PLAYS, np.int64),
        kept=np.empty((_MOST, 50), np.int8),
        which=np.empty(_MOST, np.int64),
        classes=np.empty(_MOST, np.int8),
        ties=np.empty(_MOST),
    )


@njit(cache=True, nogil=True)
def fill_kept(  # type: ignore[no-untyped-def]
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
    children_values(parents, i, plays, net, scratch, weight, room.values)
    for k in range(distinct):
        if not is_learned(plays, k, sizes):
            room.values[k] = _EXACT


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
def fill_best(  # type: ignore[no-untyped-def]
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
    left,
    best_boards,
    best_classes,
    best_five,
):
    """The best of the plays that ``fill_kept`` left, of each roll, and how many were evaluated.

    Boards marked in ``left``, and those some of whose plays are not contact or crashed, are left
    out, and marked. ``cubes``, ``doubled`` and ``weights``: the rows of a ``CubeTable`` for each
    board or for all; ``curves`` as in ``Contact``.
    """
    kept = room.kept.reshape((-1, 2, 25))
    rolls = (len(offsets) - 1) // max(1, len(parents))
    evaluated = 0
    for i in range(len(parents)):
        begin, end = first[i], first[i + 1]
        if left[i] or not _all_contact(kept, begin, end, sizes, room.classes):
            left[i] = True
            continue
        plays, five = kept[begin:end], room.five[begin:end]
        one_parents_five(parents, i, plays, net, scratch, five)
        evaluated += end - begin
        j = min(i, len(cubes) - 1)
        for k in range(begin, end):
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
    return evaluated


@njit(cache=True, nogil=True)
def _all_contact(kept, begin, end, sizes, classes):  # type: ignore[no-untyped-def]
    """Whether kept plays are all into contact and crashed positions; writes their classes."""
    for k in range(begin, end):
        classes[k] = class_of(kept, k, sizes)
        if classes[k] < _CRASHED:
            return False
    return True
