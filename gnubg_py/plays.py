"""Every legal play of a roll, as the distinct positions it can lead to.

The kernel fills an array of the caller for a whole batch of (board, roll) pairs. Positions have
the form that a leaf needs: already swapped, with the opponent on roll. Where no checker can move,
the one "play" is to stand still, so that every roll has at least one resulting position.

``bench/reference_plays.py`` does the same in plain Python, and tests compare the two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bits import copy_board, highest_bit
from gnubg_py.board import MAX_PLAYS, Board, Boards, for_kernels
from gnubg_py.dice import ROLLS, check_dice
from gnubg_py.kernel_cache import njit
from gnubg_py.threads import map_slices

_ROOM_PER_ROLL = 24
# A position's key is the sum of its checkers' random numbers: a move changes it by a difference.
KEYS = np.random.default_rng(20261118).integers(0, 2**63, size=(2, 27), dtype=np.uint64)

# Inside the kernels a position is a flat row of 50 counts, the opponent's 25 first, as in the
# result. Three bit sets over the mover's points belong to it: where the mover has checkers
# (`occupied`), and where the opponent has a point (`blocked`) or a blot (`blots`).
_OWN = 25


@njit(cache=True, nogil=True)
def _sources(occupied, blocked, d):  # type: ignore[no-untyped-def]
    """The points from which a checker may move ``d``, as a bit set."""
    if occupied >> 24:
        return occupied & (1 << 24) if not (blocked >> (24 - d)) & 1 else 0
    sources = ((occupied >> d) & ~blocked) << d
    if occupied >> 6 == 0:
        if occupied >> d:
            sources |= occupied & (1 << (d - 1))
        elif occupied:
            sources |= 1 << highest_bit(occupied)
    return sources


@njit(cache=True, nogil=True)
def _move(rows, k, p, d, blots):  # type: ignore[no-untyped-def]
    """Move a checker of rows[k] from p by d."""
    to = p - d
    rows[k, _OWN + p] -= 1
    if to >= 0:
        rows[k, _OWN + to] += 1
        if (blots >> to) & 1:
            rows[k, 23 - to] = 0
            rows[k, 24] += 1


@njit(cache=True, nogil=True)
def _occupied_after(rows, k, occupied, p, d):  # type: ignore[no-untyped-def]
    """``occupied`` after a checker has left point p of rows[k]; rows[k] is already changed."""
    if rows[k, _OWN + p] == 0:
        occupied &= ~(1 << p)
    if p >= d:
        occupied |= 1 << (p - d)
    return occupied


@njit(cache=True, nogil=True)
def _key_change(p, d, blots, z):  # type: ignore[no-untyped-def]
    to = p - d
    if to < 0:
        return z[0, 25] - z[0, p]
    if (blots >> to) & 1:
        return z[0, to] - z[0, p] + z[1, to]
    return z[0, to] - z[0, p]


@njit(cache=True, nogil=True)
def _is_new(out, keys, first, k):  # type: ignore[no-untyped-def]
    """Whether out[k] differs from all of out[first:k]. Keys are compared first, then all points."""
    for j in range(first, k):
        if keys[j - first] == keys[k - first]:
            same = True
            for i in range(50):
                if out[j, i] != out[k, i]:
                    same = False
            if same:
                return False
    return True


@njit(cache=True, nogil=True)
def _two_dice(stage, occupied, blocked, blots, a, b, out, first, keys, played, z):  # type: ignore[no-untyped-def]
    """Write the plays of a roll a > b from stage[0] into out[first:]; return their end.

    The plays use both dice in either order. Where that is impossible they use the larger die
    alone, else the smaller one, else the only play is to stand still.
    """
    k = first
    played[:] = 0
    for order in range(2):
        d1 = a if order == 0 else b
        d2 = b if order == 0 else a
        sources1 = _sources(occupied, blocked, d1)
        while sources1:
            p1 = highest_bit(sources1)
            sources1 ^= 1 << p1
            copy_board(stage, 0, stage, 1)
            _move(stage, 1, p1, d1, blots)
            key1 = _key_change(p1, d1, blots, z)
            blots1 = blots & ~(1 << (p1 - d1)) if p1 >= d1 else blots
            sources2 = _sources(_occupied_after(stage, 1, occupied, p1, d1), blocked, d2)
            if order == 0:
                played[p1] = sources2
            while sources2:
                p2 = highest_bit(sources2)
                sources2 ^= 1 << p2
                # The same two moves in the other order lead to the same position.
                if order == 1 and (played[p2] >> p1) & 1:
                    continue
                copy_board(stage, 1, out, k)
                _move(out, k, p2, d2, blots1)
                keys[k - first] = key1 + _key_change(p2, d2, blots1, z)
                # Other pairs of moves can do so only if a checker is borne off, one checker moves
                # twice, or the second checker lands where the first one stood.
                only_way = order == 0 and p2 >= d2 and p1 >= d1 and p2 - d2 != p1
                if only_way or _is_new(out, keys, first, k):
                    k += 1
    d = a
    while k == first and d > 0:
        sources = _sources(occupied, blocked, d)
        while sources:
            p = highest_bit(sources)
            sources ^= 1 << p
            copy_board(stage, 0, out, k)
            _move(out, k, p, d, blots)
            k += 1
        d = b if d == a else 0
    if k == first:
        copy_board(stage, 0, out, k)
        k += 1
    return k


@njit(cache=True, nogil=True)
def _doubles(stage, occupied, blocked, blots, d, out, first, todo, sets):  # type: ignore[no-untyped-def]
    """Write the plays of a double from stage[0] into out[first:]; return their end.

    Each play has as many moves as possible. Checkers move from high points to low ones: any set of
    moves of one length can be played in that order, and two different sequences in that order
    never lead to the same position. ``todo[depth]`` holds the sources still to try,
    ``sets[depth]`` the two bit sets that moves change.
    """
    k = first
    most = 0
    depth = 0
    sets[0, 0] = occupied
    sets[0, 1] = blots
    todo[0] = _sources(occupied, blocked, d)
    while depth >= 0:
        if todo[depth] == 0:
            depth -= 1
            continue
        p = highest_bit(todo[depth])
        todo[depth] ^= 1 << p
        copy_board(stage, depth, stage, depth + 1)
        _move(stage, depth + 1, p, d, sets[depth, 1])
        if depth + 1 > most:
            most = depth + 1
            k = first
        if depth + 1 == most:
            copy_board(stage, depth, out, k)
            _move(out, k, p, d, sets[depth, 1])
            k += 1
        if depth < 3:
            occupied = _occupied_after(stage, depth + 1, sets[depth, 0], p, d)
            depth += 1
            sets[depth, 0] = occupied
            sets[depth, 1] = sets[depth - 1, 1] & ~(1 << (p - d)) if p >= d else sets[depth - 1, 1]
            todo[depth] = _sources(occupied, blocked, d) & ((2 << p) - 1)
    if most == 0:
        copy_board(stage, 0, out, k)
        k += 1
    return k


@njit(cache=True, nogil=True)
def fill_plays(boards, dice, out, offsets, z):  # type: ignore[no-untyped-def]
    """Write the plays of every (board, roll) pair into ``out``, one pair after another.

    ``boards`` int8[n, 2, 25], ``dice`` int8[n * r, 2], r rolls of each board; fills ``out``
    int8[room, 50] (flat positions) and ``offsets`` int64[n * r + 1] (the plays of pair i are
    out[offsets[i]:offsets[i + 1]]). ``z`` is KEYS. Returns the number of pairs done, which is
    smaller than n * r if ``out`` is too small.
    """
    stage = np.empty((5, 50), np.int8)
    keys = np.empty(MAX_PLAYS, np.uint64)
    played = np.empty(25, np.int64)
    todo = np.empty(4, np.int64)
    sets = np.empty((4, 2), np.int64)
    rolls = dice.shape[0] // max(1, boards.shape[0])
    occupied, blocked, blots = 0, 0, 0
    k = 0
    offsets[0] = 0
    for i in range(dice.shape[0]):
        if k + MAX_PLAYS > out.shape[0]:
            return i
        if i % rolls == 0:
            occupied, blocked, blots = _stage_board(boards[i // rolls], stage)
        a = int(max(dice[i, 0], dice[i, 1]))
        b = int(min(dice[i, 0], dice[i, 1]))
        if a == b:
            k = _doubles(stage, occupied, blocked, blots, a, out, k, todo, sets)
        else:
            k = _two_dice(stage, occupied, blocked, blots, a, b, out, k, keys, played, z)
        offsets[i + 1] = k
    return dice.shape[0]


@njit(cache=True, nogil=True)
def _stage_board(board, stage):  # type: ignore[no-untyped-def]
    """Copy a board to stage[0]; return its bit sets (occupied, blocked, blots)."""
    occupied, blocked, blots = 0, 0, 0
    for j in range(25):
        stage[0, j] = board[1, j]
        stage[0, _OWN + j] = board[0, j]
        occupied |= int(board[0, j] > 0) << j
    for j in range(24):
        blocked |= int(board[1, 23 - j] > 1) << j
        blots |= int(board[1, 23 - j] == 1) << j
    return occupied, blocked, blots


def plays_slice(boards: Boards, dice: NDArray[np.int8]) -> tuple[Boards, NDArray[np.int64]]:
    """``plays_batch`` on the calling thread alone."""
    boards, dice = for_kernels(boards), for_kernels(dice)
    n = len(boards)
    parts: list[Boards] = []
    offsets = np.zeros(n + 1, np.int64)
    done = 0
    while done < n or not parts:
        rest = np.empty(n - done + 1, np.int64)
        out = np.empty(((n - done) * _ROOM_PER_ROLL + MAX_PLAYS, 50), np.int8)
        more = fill_plays(boards[done:], dice[done:], out, rest, KEYS)
        offsets[done + 1 : done + more + 1] = offsets[done] + rest[1 : more + 1]
        parts.append(out[: rest[more]].reshape(-1, 2, 25))
        done += more
    return (parts[0] if len(parts) == 1 else np.concatenate(parts)), offsets


def plays_batch(boards: Boards, dice: NDArray[np.int8]) -> tuple[Boards, NDArray[np.int64]]:
    """Every legal play of every (board, roll) pair, over all threads.

    ``boards`` int8[n, 2, 25], ``dice`` int8[n, 2] -> positions int8[m, 2, 25] with the opponent
    on roll, and ``offsets`` int64[n + 1]: pair i has positions[offsets[i]:offsets[i + 1]].

    >>> from gnubg_py.board import START
    >>> rolls = np.array([[3, 1], [6, 6]], np.int8)
    >>> plays_batch(np.stack([START, START]), rolls)[1].tolist()
    [0, 16, 27]
    """
    pieces = map_slices(lambda rows: plays_slice(boards[rows], dice[rows]), len(boards), 2048)
    if len(pieces) == 1:
        return pieces[0]
    ends = np.cumsum([0] + [p[1][-1] for p in pieces])
    offsets = [np.zeros(1, np.int64)] + [p[1][1:] + e for p, e in zip(pieces, ends, strict=False)]
    return np.concatenate([p[0] for p in pieces]), np.concatenate(offsets)


def plays(board: Board, dice: tuple[int, int]) -> Boards:
    """Every legal play of one roll: int8[k, 2, 25], the opponent on roll, k at least 1.

    >>> from gnubg_py.board import START
    >>> len(plays(START, (3, 1)))
    16
    """
    roll = np.array([check_dice(dice)], np.int8)
    return plays_slice(np.asarray(board)[None], roll)[0]


def all_rolls(boards: Boards) -> tuple[Boards, NDArray[np.int64]]:
    """Every legal play of each of the 21 rolls of each board.

    ``int8[n, 2, 25]`` -> positions as from ``plays_batch``, and offsets int64[21 * n + 1]: roll r
    of board i has positions[offsets[21 * i + r]:offsets[21 * i + r + 1]].
    """
    return plays_batch(np.repeat(boards, 21, axis=0), np.tile(ROLLS, (len(boards), 1)))
