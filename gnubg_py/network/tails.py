"""Tails: several sets of dense layers behind one first layer, each for its kind of positions.

A net of ``TAILS`` tails evaluates a position by the tail that belongs to the numbers of checkers
that both sides have back; one of ``MOST_TAILS`` tells apart, too, whether each side holds three
points of its home or more. It knows as much as a net of many times its size, and is as fast: a
position goes through one tail. (Nets of chess programs do so by the number of pieces; see "layer
stacks" in Stockfish's nnue-pytorch.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import HOME_POINTS, Boards, for_kernels
from gnubg_py.kernel_cache import njit
from gnubg_py.network.dot import BLOCK

MOST_BACK = 3
"""More checkers back than this are counted as this many."""
BACK = 18
"""The first point of the other side's home board, counted from 0; the bar lies behind it."""
TAILS = (MOST_BACK + 1) ** 2
STRONG_HOME = 3
"""So many points of its home that a side holds, or more, make its home strong."""
MOST_TAILS = 4 * TAILS
NUMBERS_OF_TAILS = (1, TAILS, MOST_TAILS)
"""How many tails a net can have."""


@njit(cache=True, nogil=True)
def tail_of(boards, i, tails):  # type: ignore[no-untyped-def]
    """The tail that evaluates boards[i] in a net of ``TAILS`` or ``MOST_TAILS``."""
    mine, theirs = 0, 0
    for p in range(BACK, 25):
        mine += boards[i, 0, p]
        theirs += boards[i, 1, p]
    tail = (MOST_BACK + 1) * min(mine, MOST_BACK) + min(theirs, MOST_BACK)
    if tails == TAILS:
        return tail
    held, theirs_held = 0, 0
    for p in range(HOME_POINTS):
        held += boards[i, 0, p] > 1
        theirs_held += boards[i, 1, p] > 1
    return tail + TAILS * ((held >= STRONG_HOME) + 2 * (theirs_held >= STRONG_HOME))


def new_places(tails: int) -> NDArray[np.int64]:
    """Room for what ``sort_by_tail`` fills, ``int64[BLOCK + tails + 1]``.

    The first BLOCK numbers say in which slot each position of a block is, so that those of one
    tail lie side by side. The slots of tail t end, and those of the next begin, at number
    ``BLOCK + t + 1``. (They are one array since every array costs time in every kernel's call.)
    With one tail, the positions stay in their order.
    """
    return np.append(np.arange(BLOCK), np.zeros(tails + 1, np.int64))


@njit(cache=True, nogil=True, forceinline=True)
def sort_by_tail(boards, start, n, places):  # type: ignore[no-untyped-def]
    """Fill ``places`` for the block of ``n`` boards from ``start`` on."""
    if len(places) == BLOCK + 2:
        places[BLOCK + 1] = n
    else:
        _sort(boards, start, n, places[:BLOCK], places[BLOCK:])


@njit(cache=True, nogil=True)
def _sort(boards, start, n, slots, ends):  # type: ignore[no-untyped-def]
    """The slot of each of ``n`` boards from ``start`` on, and where the slots of each tail end."""
    tails = len(ends) - 1
    for t in range(tails + 1):
        ends[t] = 0
    for i in range(n):
        slots[i] = tail_of(boards, start + i, tails)
        ends[slots[i] + 1] += 1
    for t in range(tails):
        ends[t + 1] += ends[t]
    # ``ends[t]`` is the next free slot of tail t, and so its end when all have theirs.
    for i in range(n):
        t = slots[i]
        slots[i] = ends[t]
        ends[t] += 1
    for t in range(tails, 0, -1):
        ends[t] = ends[t - 1]
    ends[0] = 0


@njit(cache=True, nogil=True)
def tail_order(boards, tails):  # type: ignore[no-untyped-def]
    """The rows of boards, those of one tail side by side and in their order, int64[n].

    Those of tail t are from number t to number t + 1 of the second array, int64[tails + 1].
    """
    n = len(boards)
    slots, order = np.empty(n, np.int64), np.empty(n, np.int64)
    ends = np.empty(tails + 1, np.int64)
    _sort(boards, 0, n, slots, ends)
    for i in range(n):
        order[slots[i]] = i
    return order, ends


@njit(cache=True, nogil=True)
def place_in_order(ends, start, n, places):  # type: ignore[no-untyped-def]
    """Fill ``places`` for ``n`` boards that are in ``tail_order``, from number ``start`` on.

    ``ends`` are those of all boards in that order. Each board has the slot of its number.
    """
    for i in range(n):
        places[i] = i
    for t in range(len(ends)):
        places[BLOCK + t] = min(max(ends[t] - start, 0), n)


def tails_of(boards: Boards, tails: int) -> NDArray[np.int64]:
    """The tail that evaluates each board in a net of so many, ``int8[n, 2, 25] -> int64[n]``.

    >>> from gnubg_py.board import START
    >>> tails_of(START[None], TAILS).tolist()  # both sides have two checkers back
    [10]
    """
    out = np.zeros(len(boards), np.int64)
    if tails > 1:
        _fill_tails(for_kernels(boards), tails, out)
    return out


@njit(cache=True, nogil=True)
def _fill_tails(boards, tails, out):  # type: ignore[no-untyped-def]
    for i in range(len(boards)):
        out[i] = tail_of(boards, i, tails)
