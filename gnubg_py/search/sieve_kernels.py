"""The kernels of the sieve: they make the plays of rolls, drop repeats, judge and choose.

Each works on one position after the other, in the room of its thread.
"""

from __future__ import annotations

import numpy as np

from gnubg_py.bits import board_hash, copy_board, differing_places
from gnubg_py.claims import claimed
from gnubg_py.cube.efficiency import NUMBERS_BY_CLASS
from gnubg_py.cube.kernels import fill_node_values
from gnubg_py.cube.values import cubeless_value
from gnubg_py.evaluators.classify import PositionClass, class_of, is_learned
from gnubg_py.groups import is_lower, narrowing
from gnubg_py.kernel_cache import njit
from gnubg_py.network.forward import children_values, one_parents_five
from gnubg_py.plays import fill_plays

_CRASHED = int(PositionClass.CRASHED)
_MOVES = 4
"""The most checkers that a play moves."""
_EXACT = -np.inf
"""Stands for the value of a play that is not judged, and always kept."""


@njit(cache=True, nogil=True)
def fill_chosen(  # type: ignore[no-untyped-def]
    boards, dice, keys, order, claims, i, judge, judge_scratch, main, main_scratch, rules, cubes,
    room, out,
):  # fmt: skip
    """Claim boards until there are no more, and choose the best plays of their rolls.

    ``dice`` are r rolls of each board; threads with the same ``claims`` share the boards, which are
    numbered by their place in ``order``.
    Board ``i``, if it is not -1, is claimed already. ``judge`` and ``main`` are the layers of nets,
    None where there is none. ``out`` is a ``Left``, then the arrays of ``Positions`` for the best
    plays. Left are the boards that have whole plays, or some into positions that are not contact or
    crashed; without a main net all boards.

    Returns how many boards are left and how many are done, how many plays the main net evaluated,
    and a board whose plays have no room beside those of the boards left; -1 if there is none.
    """
    left, best = out
    rolls = len(dice) // max(1, len(boards))
    open_boards, done, evaluated = 0, 0, 0
    while True:
        if i < 0:
            place = claimed(claims)
            if place >= claims[1]:
                return open_boards, done, evaluated, -1
            i = order[place]
        for p in range(25):
            room.parent[0, 0, p], room.parent[0, 1, p] = boards[i, 1, p], boards[i, 0, p]
        rolled = dice[i * rolls : (i + 1) * rolls]
        fill_plays(boards[i : i + 1], rolled, room.plays, room.ends, keys)
        begin, roll = left.first[open_boards], open_boards * rolls
        m = room.ends[rolls]
        if begin + m > len(room.kept) or left.offsets[roll] + m > len(room.which):
            return open_boards, done, evaluated, i
        mine = left.offsets[roll : roll + rolls + 1]
        end, whole = _keep_plays(i, begin, judge, judge_scratch, rules, cubes.weights, room, mine)
        chosen = False
        if main is not None:
            chosen = not whole and _choose_best(
                i, begin, end, main, main_scratch, rules.sizes, cubes, room, mine, best
            )
        if chosen:
            evaluated += end - begin
            left.done[done] = i
            done += 1
        else:
            left.rows[open_boards] = i
            left.whole[open_boards] = whole
            open_boards += 1
            left.first[open_boards] = end
        i = -1


@njit(cache=True, nogil=True)
def _keep_plays(i, begin, net, scratch, rules, weights, room, offsets):  # type: ignore[no-untyped-def]
    """Write the plays of board i that are kept into ``room``, from ``begin`` on.

    ``net`` is None where every play is kept. ``weights`` are those of ``CubeRows``. ``offsets``
    int64[rolls + 1] has its first number, and gets the others. Returns the end of the plays, and
    whether they are all of them, since the net cannot judge some.
    """
    sizes, races, limits = rules.sizes, rules.races, rules.limits
    whole = rules.by_other
    rolls = len(offsets) - 1
    m = room.ends[rolls]
    if net is not None:
        known = stays_in_contact(room.parent, 0)
        if not rules.learned_only:
            whole = not (known or _all_learned(room.plays, m, sizes, races))
        if not whole:
            plays = room.plays.reshape((-1, 2, 25))[:m]
            weight = weights[min(i, len(weights) - 1)]
            children_values(room.parent, 0, plays, net, scratch, weight, room.values)
            if not known:
                _mark_exact(plays, sizes, races, room.values)
    few = 0 if net is None or whole else rules.keep
    limit = limits[min(i, len(limits) - 1)]
    return _keep(room, rolls, few, rules.learned_only, limit, begin, offsets), whole


@njit(cache=True, nogil=True)
def stays_in_contact(parents, i):  # type: ignore[no-untyped-def]
    """Whether a quick look shows that all plays from a board lead to contact.

    ``parents[i]`` is the board before the play, swapped. The side that plays moves at most four
    checkers, and the other side's rear one can only be sent back.
    """
    rear = 24
    while rear > 0 and parents[i, 0, rear] == 0:
        rear -= 1
    beyond = 0
    for p in range(23 - rear if rear < 24 else 0, 25):
        beyond += parents[i, 1, p]
    return beyond > _MOVES and parents[i, 0, rear] > 0


@njit(cache=True, nogil=True)
def _mark_exact(plays, sizes, races, values):  # type: ignore[no-untyped-def]
    """Give plays into positions that no net judges the lowest value."""
    for k in range(len(plays)):
        if not is_learned(plays, k, sizes, races):
            values[k] = _EXACT


@njit(cache=True, nogil=True)
def fill_sieved(parents, kept, net, scratch, rules, weights, room, used, which_left, ends):  # type: ignore[no-untyped-def]
    """Which plays of a ``Kept`` another net keeps: fills ``used`` bool[m], and rows and ends.

    ``weights`` are those of ``CubeRows``; rows are those of ``kept``.
    """
    boards, first, which, offsets = kept
    keep, limits = rules.keep, rules.limits
    values, own, lowest, rows = room.values, room.ties, room.lowest, room.rows
    rolls = (len(offsets) - 1) // max(1, len(parents))
    entries = 0
    for i in range(len(parents)):
        begin, j = first[i], min(i, len(limits) - 1)
        plays = boards[begin : first[i + 1]]
        children_values(parents, i, plays, net, scratch, weights[j], values)
        if not stays_in_contact(parents, i):
            _mark_exact(plays, rules.sizes, rules.races, values)
        for r in range(i * rolls, (i + 1) * rolls):
            start, n = offsets[r], offsets[r + 1] - offsets[r]
            for entry in range(n):
                own[entry] = values[which[start + entry] - begin]
            left = _few_lowest(own, 0, n, keep, limits[j], lowest, rows)
            for entry in range(left):
                row = which[start + rows[entry]]
                which_left[entries] = row
                used[row] = True
                entries += 1
            ends[r + 1] = entries


@njit(cache=True, nogil=True)
def _keep(room, rolls, keep, learned_only, limit, n, offsets):  # type: ignore[no-untyped-def]
    """Add the plays of a board that are kept to the n in ``room.kept``; returns the new number.

    ``keep`` 0 keeps all plays. ``offsets`` int64[rolls + 1]: the first is set, the others are
    filled.
    """
    plays, ends, table, kept, which = room.plays, room.ends, room.table, room.kept, room.which
    values, lowest, rows = room.values, room.lowest, room.rows
    size = 16
    while size < 2 * ends[rolls]:
        size *= 2
    for slot in range(size):
        table[slot] = -1
    begin, entries = n, offsets[0]
    for r in range(rolls):
        start, end = ends[r], ends[r + 1]
        if keep == 0:
            left = _all_plays(start, end, rows)
        elif learned_only:
            left = _few_lowest(values, start, end, keep, limit, lowest, rows)
        else:
            left = _best_first(values, start, end, keep, limit, rows)
        for entry in range(left):
            k = rows[entry]
            slot = board_hash(plays, k) & (size - 1)
            while table[slot] >= 0 and differing_places(plays, k, kept, begin + table[slot]):
                slot = (slot + 1) & (size - 1)
            if table[slot] < 0:
                table[slot] = n - begin
                copy_board(plays, k, kept, n)
                n += 1
            which[entries] = begin + table[slot]
            entries += 1
        offsets[r + 1] = entries
    return n


@njit(cache=True, nogil=True)
def _all_learned(plays, n, sizes, races):  # type: ignore[no-untyped-def]
    """Whether the first n plays are all into positions that a net judges."""
    boards = plays.reshape((-1, 2, 25))
    k = 0
    while k < n and is_learned(boards, k, sizes, races):
        k += 1
    return k == n


@njit(cache=True, nogil=True)
def _all_plays(start, end, rows):  # type: ignore[no-untyped-def]
    """List the plays from ``start`` to ``end`` in ``rows``; returns how many."""
    for k in range(start, end):
        rows[k - start] = k
    return end - start


@njit(cache=True, nogil=True)
def _best_first(values, start, end, keep, limit, rows):  # type: ignore[no-untyped-def]
    """List in ``rows`` the few plays of a roll with the lowest values; returns how many."""
    n = 0
    for k in range(start, end):
        if n == keep:
            if values[k] >= values[rows[n - 1]]:
                continue
            n -= 1
        at = n
        while at > 0 and values[k] < values[rows[at - 1]]:
            rows[at] = rows[at - 1]
            at -= 1
        rows[at] = k
        n += 1
    while n > 1 and values[rows[n - 1]] > values[rows[0]] + limit * narrowing(n, keep):
        n -= 1
    return n


@njit(cache=True, nogil=True)
def _few_lowest(values, start, end, keep, limit, lowest, rows):  # type: ignore[no-untyped-def]
    """List in ``rows`` the few plays of a roll with the lowest values, and those exact.

    They are in the order of the plays. Returns how many.
    """
    for j in range(keep):
        lowest[j] = np.inf
    for k in range(start, end):
        value = np.inf if values[k] == _EXACT else values[k]
        for j in range(keep):  # without a branch: which way it goes cannot be foreseen
            other = lowest[j]
            lowest[j] = min(other, value)
            value = max(other, value)
    few = keep
    while few > 1 and lowest[few - 1] > lowest[0] + limit * narrowing(few, keep):
        few -= 1
    highest = lowest[few - 1]
    equals = few
    for j in range(few):
        equals -= lowest[j] < highest
    n = 0
    for k in range(start, end):
        value = values[k]
        # Of equal values the first stay.
        equal = value == highest
        rows[n] = k
        n += value < highest or (equal and equals > 0)
        equals -= equal
    return n


@njit(cache=True, nogil=True)
def _choose_best(i, begin, end, net, scratch, sizes, cubes, room, offsets, best):  # type: ignore[no-untyped-def]
    """Write the best play of each roll of board i, of those kept from ``begin`` to ``end``.

    ``best`` are as in ``fill_chosen``, ``offsets`` as in ``_keep_plays``. Returns False, and writes
    nothing, if some plays are not into contact or crashed positions.
    """
    if not _all_contact(room, begin, end, sizes):
        return False
    curves = cubes.curves
    best_boards, best_classes, best_five = best
    kept = room.kept.reshape((-1, 2, 25))
    five, values, ties, classes = room.five, room.values, room.ties, room.classes
    one_parents_five(room.parent, 0, kept[begin:end], net, scratch, five[begin:end])
    j = min(i, len(cubes.constants) - 1)
    for k in range(begin, end):
        ties[k] = cubeless_value(five, k, cubes.weights[j])
    if len(curves):
        cube, doubled_cube = cubes.constants[j], cubes.doubled[j]
        fill_node_values(
            five, begin, end, curves, NUMBERS_BY_CLASS, classes, cube, doubled_cube, values
        )
    by = values if len(curves) else ties
    rolls = len(offsets) - 1
    for r in range(rolls):
        play = room.which[offsets[r]]
        for entry in range(offsets[r] + 1, offsets[r + 1]):
            if is_lower(by, ties, room.which[entry], play):
                play = room.which[entry]
        row = i * rolls + r
        copy_board(kept, play, best_boards, row)
        best_classes[row] = classes[play]
        for k in range(5):
            best_five[row, k] = five[play, k]
    return True


@njit(cache=True, nogil=True)
def _all_contact(room, begin, end, sizes):  # type: ignore[no-untyped-def]
    """Whether kept plays are all into contact and crashed positions; writes their classes."""
    kept = room.kept.reshape((-1, 2, 25))
    for k in range(begin, end):
        room.classes[k] = class_of(kept, k, sizes)
        if room.classes[k] < _CRASHED:
            return False
    return True
