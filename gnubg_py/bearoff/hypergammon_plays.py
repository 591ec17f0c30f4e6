"""Tables of all plays of one side in hypergammon, and of the hits that they make.

A side's position is a row of 25 counts (the 24 points and the bar) and has a number, as in the
bearoff databases. A play is packed into one integer: the number of the position that it leads to,
and 24 bits for the points, as the mover counts them, on which a checker landed on the way. A single
enemy checker on one of those points is hit. Legal plays depend only on the enemy's block: with
three checkers a side there is at most one point with two or more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff.numbering import row_number
from gnubg_py.board import BAR, HOME_POINTS, POINTS
from gnubg_py.kernel_cache import njit

ROW_POINTS = POINTS + 1
LANDING_BITS = POINTS
POSITION_BLOCKS = POINTS + 1
"""The number of blocks. A block is 0 if the enemy holds no point, else that point of the mover."""
_MOST_PLAYS = 4096
_USUAL_PLAYS = 8  # for each roll, at most, on average over all rolls


class Plays(NamedTuple):
    """All packed plays: those of roll r from position i against block b are
    ``packed[offsets[k]:offsets[k + 1]]`` with k = (i * 25 + b) * 21 + r."""

    offsets: NDArray[np.int64]
    packed: NDArray[np.int64]


class SideTables(NamedTuple):
    """The properties of a side's positions, by number, that matter to the other side."""

    block: NDArray[np.int64]
    """int64[n]: the point it holds with two checkers or more, as the other side counts; or 0."""
    occupied: NDArray[np.int64]
    """int64[n]: bits of the points it occupies, as it counts itself."""
    mirrored: NDArray[np.int64]
    """int64[n]: the same bits as the other side counts."""
    blots: NDArray[np.int64]
    """int64[n, 3]: the bit of each single checker, as the other side counts; else 0."""
    after_hits: NDArray[np.int64]
    """int64[n, 8]: the position after hits; the index is a bit set of the places in ``blots``."""
    rear: NDArray[np.int64]
    """int64[n]: the index of its rearmost checker."""
    loss: NDArray[np.int64]
    """int64[n]: points lost if the game ends here: 1, for a gammon 2, for a backgammon 3."""


@njit(cache=True, nogil=True)
def _fill_moves(state, rows, die, block, out):  # type: ignore[no-untyped-def]
    """Write the packed states that one die leads to from a packed state; return their number."""
    row = rows[state >> LANDING_BITS]
    highest = BAR
    while highest > 0 and row[highest] == 0:
        highest -= 1
    lowest = BAR if highest == BAR else 0
    count = 0
    for p in range(highest, lowest - 1, -1):
        target = p - die
        if row[p] == 0 or target + 1 == block > 0:
            continue
        if target < 0 and (highest >= HOME_POINTS or (target < -1 and p < highest)):
            continue
        row[p] -= 1
        landing = 0
        if target >= 0:
            row[target] += 1
            landing = 1 << target
        out[count] = row_number(row, ROW_POINTS) << LANDING_BITS
        out[count] |= (state & ((1 << LANDING_BITS) - 1)) | landing
        count += 1
        row[p] += 1
        if target >= 0:
            row[target] -= 1
    return count


@njit(cache=True, nogil=True)
def _fill_plays(number, rows, a, b, block, out):  # type: ignore[no-untyped-def]
    """Write the distinct legal plays of roll a-b, a >= b, into ``out``; return their number.

    As many dice as possible are played, and the larger one if only one can be; if no die can be
    played, the only play leads to ``number`` itself.
    """
    found = np.empty(4, dtype=np.int64)
    most = 0
    count = 0
    for order in range(1 if a == b else 2):
        layer = np.empty(1, dtype=np.int64)
        layer[0] = number << LANDING_BITS
        used = 0
        for step in range(4 if a == b else 2):
            die = a if (step + order) % 2 == 0 else b
            following = np.empty(4 * len(layer), dtype=np.int64)
            size = 0
            for state in layer:
                k = 1
                found[0] = state
                if state >> LANDING_BITS > 0:  # else all are off, and the game is over
                    k = _fill_moves(state, rows, die, block, found)
                following[size : size + k] = found[:k]
                size += k
            if size == 0:
                break
            layer = np.unique(following[:size])
            used += 1
        if used > most or order == 0:
            count = 0
        elif used < most or used < 2:
            continue
        most = max(most, used)
        out[count : count + len(layer)] = layer
        count += len(layer)
    distinct = np.unique(out[:count])
    out[: len(distinct)] = distinct
    return len(distinct)


@njit(cache=True, nogil=True)
def _fill_all(rows, rolls, offsets, packed):  # type: ignore[no-untyped-def]
    """Fill ``offsets`` and, as far as there is room, ``packed``; return the number of plays."""
    out = np.empty(_MOST_PLAYS, dtype=np.int64)
    end = 0
    k = 0
    for i in range(len(rows)):
        for block in range(POSITION_BLOCKS):
            for r in range(len(rolls)):
                offsets[k] = end
                k += 1
                if i == 0 or (block > 0 and rows[i, block - 1] > 0):
                    continue
                count = _fill_plays(i, rows, rolls[r, 0], rolls[r, 1], block, out)
                if end + count <= len(packed):
                    packed[end : end + count] = out[:count]
                end += count
    offsets[k] = end
    return end


def all_plays(rows: NDArray[np.int8], rolls: NDArray[np.int8]) -> Plays:
    """The plays of every roll from every position, against every block."""
    rows = rows.copy()
    offsets = np.zeros(len(rows) * POSITION_BLOCKS * len(rolls) + 1, dtype=np.int64)
    packed = np.empty(_USUAL_PLAYS * len(offsets), dtype=np.int64)
    count = _fill_all(rows, rolls, offsets, packed)
    if count > len(packed):
        packed = np.empty(count, dtype=np.int64)
        _fill_all(rows, rolls, offsets, packed)
    return Plays(offsets, packed[:count].copy())


@njit(cache=True, nogil=True)
def _fill_hits(row, blots, out):  # type: ignore[no-untyped-def]
    """Write ``out[s]``: the number of ``row`` after the hit of the blots at the set bits of s."""
    for s in range(len(out)):
        hit = row.copy()
        for q in range(len(blots)):
            if s >> q & 1 and blots[q] != 0:
                for p in range(POINTS):
                    if blots[q] == 1 << (POINTS - 1 - p):
                        hit[p] -= 1
                        hit[BAR] += 1
        out[s] = row_number(hit, ROW_POINTS)


@njit(cache=True, nogil=True)
def _fill_sides(rows, checkers, sides):  # type: ignore[no-untyped-def]
    for i in range(len(rows)):
        blot = 0
        total = 0
        for p in range(ROW_POINTS):
            total += rows[i, p]
            if rows[i, p] == 0:
                continue
            sides.rear[i] = p
            if p == BAR:
                continue
            mirrored = POINTS - 1 - p
            sides.occupied[i] |= 1 << p
            sides.mirrored[i] |= 1 << mirrored
            if rows[i, p] >= 2:
                sides.block[i] = mirrored + 1
            else:
                sides.blots[i, blot] = 1 << mirrored
                blot += 1
        gammon = total == checkers
        sides.loss[i] = 1 + gammon + (gammon and sides.rear[i] >= POINTS - HOME_POINTS)
        _fill_hits(rows[i], sides.blots[i], sides.after_hits[i])


def all_sides(rows: NDArray[np.int8], checkers: int) -> SideTables:
    """The ``SideTables`` of all positions of up to ``checkers`` checkers."""
    n = len(rows)
    shapes = [(n,), (n,), (n,), (n, 3), (n, 8), (n,), (n,)]
    sides = SideTables(*(np.zeros(shape, dtype=np.int64) for shape in shapes))
    _fill_sides(rows.copy(), checkers, sides)
    return sides


def reordered(
    order: NDArray[np.int64], plays: Plays, sides: SideTables
) -> tuple[Plays, SideTables]:
    """The same tables for positions in another order: position ``order[k]`` becomes position k.

    Of equal plays the first one may then be another.
    """
    place = np.argsort(order)
    sizes = np.diff(plays.offsets).reshape(len(order), -1)[order]
    starts = plays.offsets[:-1].reshape(sizes.shape)[order, 0]
    ends = starts + sizes.sum(axis=1)
    packed = np.concatenate([plays.packed[a:b] for a, b in zip(starts, ends, strict=True)])
    mine = place[packed >> LANDING_BITS] << LANDING_BITS
    packed = mine | (packed & ((1 << LANDING_BITS) - 1))
    sides = SideTables(*(np.ascontiguousarray(table[order]) for table in sides))
    sides = sides._replace(after_hits=place[sides.after_hits])
    return Plays(np.append(0, np.cumsum(sizes)), packed), sides
