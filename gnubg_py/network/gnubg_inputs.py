"""The inputs of gnubg's nets: 250 numbers for contact and crashed positions, 214 for races.

The first 200 (184 in races) count checkers. The others are *features*, in which gnubg's authors put
what a player looks at: shots, anchors, escapes, timing. Each side has 25 of them. Every function
below states the definition that it computes; the values are checked against gnubg's own
evaluations (tests/peers/test_gnubg_nets_peers.py).

A *row* is one side's checkers, int8[25], its ace point first and its bar last. Point p of a side is
point 23 - p of the other.

gnubg, as it is built, multiplies by a constant's reciprocal in float32 where its definitions
divide. So does this module (``* _PER_24`` for "of 24"), since a last bit of an input decides which
entry of ``gnubg_reciprocal`` a hidden unit uses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import CHECKERS, Boards, for_kernels
from gnubg_py.dice import ROLLS
from gnubg_py.kernel_cache import njit
from gnubg_py.network.gnubg_shots import BLOCKS, PER_36, fill_shots

CONTACT_INPUTS = 250
RACE_INPUTS = 214
PLACE_INPUTS = 100
"""Inputs of the 25 places of one side."""
FEATURES = 25
_BAR = 24
_NO_CHECKER = -1
NET_KINDS = ("contact", "race", "crashed")
"""gnubg's nets in the order of its weights file."""
_RACE, _CRASHED = 1, 2
_PER_6, _PER_10, _PER_11, _PER_24 = (np.float32(1) / np.float32(n) for n in (6, 10, 11, 24))
_PER_100, _PER_167, _PER_294, _PER_400, _PER_3600 = (
    np.float32(1) / np.float32(n) for n in (100, 167, 294, 400, 3600)
)


def _held_places() -> NDArray[np.bool_]:
    """Whether a place 1 to 12 pips ahead is held in each of 4,096 blocks, ``bool[4096, 13]``."""
    held = np.zeros((BLOCKS, 13), np.bool_)
    for pips in range(1, 13):
        held[:, pips] = np.arange(BLOCKS) >> (pips - 1) & 1
    return held


def _rolls_beyond(beyond: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many of the 36 rolls a checker can play whole, to more than ``beyond`` pips: int64[4096].

    Its place after both dice must be open, and one of the two places on the way.
    """
    held = _held_places()
    rolls = np.zeros(BLOCKS, np.int64)
    for a, b in ROLLS.tolist():
        way = (a + b > beyond) & ~held[:, a + b] & ~(held[:, a] & held[:, b])
        rolls += (1 if a == b else 2) * way
    return rolls


ESCAPES = _rolls_beyond(np.zeros(BLOCKS, np.int64))
"""Rolls that a checker can play whole, by the block of the 12 places ahead of it."""
_FIRST_HELD = np.append(0, np.argmax(_held_places()[1:], axis=1))
ESCAPES_PAST = np.where(np.arange(BLOCKS) > 0, _rolls_beyond(_FIRST_HELD), 0)
"""Those that move it past the nearest held place; 0 where none is held."""


@njit(cache=True, nogil=True)
def _block(row: Any, place: int) -> int:  # pragma: no cover - compiled
    """Which of the 12 places ahead of the other side's checker on ``place`` this side holds."""
    block = 0
    for ahead in range(min(12, place)):
        if row[24 + ahead - place] > 1:
            block |= 1 << ahead
    return block


@njit(cache=True, nogil=True)
def _rearmost(row: Any) -> int:  # pragma: no cover - compiled
    for p in range(24, -1, -1):
        if row[p] > 0:
            return p
    return _NO_CHECKER


@njit(cache=True, nogil=True)
def _checkers(row: Any) -> int:  # pragma: no cover - compiled
    count = 0
    for p in range(25):
        count += row[p]
    return count


@njit(cache=True, nogil=True)
def _fill_counts(row: Any, places: int, x: Any) -> None:  # pragma: no cover - compiled
    """Four inputs of each place: exactly 1, exactly 2, at least 3, half of those beyond 3.

    On the bar: at least 1, at least 2, at least 3, half of those beyond 3.
    """
    for p in range(places):
        n, k = row[p], 4 * p
        x[k] = n == 1 or (p == _BAR and n > 0)
        x[k + 1] = n == 2 or (p == _BAR and n > 1)
        x[k + 2] = n > 2
        x[k + 3] = (n - 3) / 2 if n > 3 else 0


@njit(cache=True, nogil=True)
def _fill_off(row: Any, gauge: int, x: Any) -> None:  # pragma: no cover - compiled
    """Checkers borne off as three gauges of ``gauge`` checkers, filled one after the other."""
    off = CHECKERS - _checkers(row)
    for k in range(3):
        x[k] = min(max(off - k * gauge, 0) / gauge, 1)


@njit(cache=True, nogil=True)
def _fill_distances(mine: Any, meeting: int, x: Any) -> None:  # pragma: no cover - compiled
    """Pips to break contact, of 167; and pips of the checkers already past it, of 100.

    ``meeting`` is the place of the other side's rearmost checker, as this side counts places.
    """
    contact = free = 0
    for p in range(25):
        if p > meeting:
            contact += (p + 1 - meeting) * mine[p]
        elif p < meeting:
            free += (p + 1) * mine[p]
    x[0], x[1] = contact * _PER_167, free * _PER_100


@njit(cache=True, nogil=True)
def _fill_anchors(mine: Any, x: Any) -> None:  # pragma: no cover - compiled
    """The rearmost checker and the rearmost point, of 24; the most advanced anchor, of 6.

    An anchor is a point in the other's home board or, where there is none, in its outer board; its
    distance from the other's ace point counts, and 2 stands for no anchor.
    """
    back = _rearmost(mine)
    point = min(back, 23)
    while point >= 0 and mine[point] < 2:
        point -= 1
    anchor = 0
    for p in range(18, point + 1):
        if mine[p] >= 2 and anchor == 0:
            anchor = 24 - p
    if anchor == 0:
        for p in range(17, 11, -1):
            if mine[p] >= 2 and anchor == 0:
                anchor = 24 - p
    x[0], x[1] = back * _PER_24, point * _PER_24
    x[2] = anchor * _PER_6 if anchor > 0 else 2


@njit(cache=True, nogil=True)
def _fill_containment(mine: Any, meeting: int, x: Any) -> None:  # pragma: no cover - compiled
    """How well this side contains the other: 36 less the fewest rolls that escape, of 36.

    First from the other's 16 point to its rearmost checker, then the square of that; then from its
    16 to its 24 point, and the square.
    """
    fewest = possible = 36
    last = 24 - meeting
    for place in range(15, 24):
        rolls = ESCAPES[_block(mine, place)]
        possible = min(possible, rolls)
        if place < last:
            fewest = min(fewest, rolls)
    if last > 24:
        fewest = min(fewest, ESCAPES[_block(mine, 24)])
    else:
        possible = min(possible, fewest)
    x[0], x[2] = (36 - fewest) * PER_36, (36 - possible) * PER_36
    x[1], x[3] = x[0] * x[0], x[2] * x[2]


@njit(cache=True, nogil=True)
def _mobility(mine: Any, theirs: Any) -> Any:  # pragma: no cover - compiled
    """Rolls of the checkers outside the home board, weighed by their pips to it, of 3,600."""
    total = 0
    for p in range(6, 25):
        if mine[p] > 0:
            total += (p - 5) * mine[p] * ESCAPES[_block(theirs, p)]
    return total * _PER_3600


@njit(cache=True, nogil=True)
def _moment(mine: Any) -> Any:  # pragma: no cover - compiled
    """Mean square of the distances behind the mean place; both means are rounded up."""
    count = places = 0
    for p in range(25):
        count += mine[p]
        places += p * mine[p]
    mean = (places + count - 1) // count if count > 0 else 0
    count = squares = 0
    for p in range(mean + 1, 25):
        count += mine[p]
        squares += mine[p] * (p - mean) ** 2
    if count > 0:
        squares = (squares + count - 1) // count
    return squares * _PER_400


@njit(cache=True, nogil=True)
def _fill_entering(mine: Any, theirs: Any, x: Any) -> None:  # pragma: no cover - compiled
    """Pips lost on the bar, of 36 average rolls' 294; and how closed the other's board is.

    A die that cannot enter loses its pips; with two or more on the bar one that enters a checker
    saves the other die only if that enters too; a double loses four times.
    """
    lost = held = 0
    for a in range(6):
        held += theirs[a] > 1
        for b in range(a, 6):
            first, second = theirs[a] > 1, theirs[b] > 1
            if a == b:
                lost += 4 * (a + 1) * first
            elif (first and second) or mine[_BAR] > 1:
                lost += 2 * ((a + 1) * first + (b + 1) * second)
    x[0] = lost * _PER_294 if mine[_BAR] > 0 else 0
    x[1] = (36 - (held - 6) * (held - 6)) * PER_36


@njit(cache=True, nogil=True)
def _timing(mine: Any, meeting: int) -> Any:  # pragma: no cover - compiled
    """Pips that can be played before the home board has to break, of 100.

    Spare checkers outside (any on the bar, those beyond 2 or single ones behind the 12 point while
    in contact, all from there to the 7 point) count their places, and those in the home board that
    are beyond 2. Spare ones first fill the home points that miss checkers.
    """
    pips = 24 * mine[_BAR]
    spare = int(mine[_BAR])
    p = 23
    while p >= 12 and p > meeting:
        n = mine[p]
        if n != 2:
            extra = n - 2 if n > 2 else n
            spare += extra
            pips += p * extra
        p -= 1
    while p >= 6:
        spare += mine[p]
        pips += p * mine[p]
        p -= 1
    for home in range(5, -1, -1):
        extra = mine[home] - 2
        if extra > 0 or spare >= -extra:
            spare += extra
            pips += home * extra
    return max(pips, 0) * _PER_100


@njit(cache=True, nogil=True)
def _backbone(mine: Any) -> Any:  # pragma: no cover - compiled
    """How broken the chain of points is from the rearmost one: 0 whole, 1 without links.

    A link of up to 6 pips is whole, one of 7 to 11 pips counts less, 6 to 2 elevenths.
    """
    rearmost = 0
    linked = weight = 0
    for p in range(23, 0, -1):
        if mine[p] < 2:
            continue
        if rearmost > 0:
            length = rearmost - p
            linked += mine[rearmost] * (
                11 if length < 7 else max(13 - length, 0) if length < 12 else 0
            )
            weight += mine[rearmost]
        else:
            rearmost = p
    if weight == 0:
        return np.float32(0)
    return np.float32(1) - np.float32(linked * _PER_11) / np.float32(weight)


@njit(cache=True, nogil=True)
def _fill_back_game(mine: Any, x: Any) -> None:  # pragma: no cover - compiled
    """Checkers in the other's home: (n - 3) / 4 with two anchors or more there, n / 8 with one."""
    anchors = checkers = 0
    for p in range(18, 25):
        anchors += p < 24 and mine[p] > 1
        checkers += mine[p]
    x[0] = (checkers - 3) / 4 if anchors > 1 else 0
    x[1] = checkers / 8 if anchors == 1 else 0


@njit(cache=True, nogil=True)
def _fill_features(mine: Any, theirs: Any, x: Any) -> None:  # pragma: no cover - compiled
    """The features of a side, after its gauges of checkers off."""
    meeting = 23 - _rearmost(theirs)
    distances = np.empty(2, np.float32)
    _fill_distances(mine, meeting, distances)
    x[3], x[23] = distances[0], distances[1]
    _fill_anchors(mine, x[4:])
    fill_shots(mine, theirs, x[7:])
    block = _block(mine, 23 - meeting)
    x[10], x[24] = ESCAPES[block] * PER_36, ESCAPES_PAST[block] * PER_36
    _fill_containment(mine, meeting, x[11:])
    x[15], x[16] = _mobility(mine, theirs), _moment(mine)
    _fill_entering(mine, theirs, x[17:])
    x[19], x[20] = _timing(mine, meeting), _backbone(mine)
    _fill_back_game(mine, x[21:])


@njit(cache=True, nogil=True)
def fill_contact_inputs(board: Any, crashed: bool, x: Any) -> None:  # pragma: no cover - compiled
    """x float32[250]: places of the other side, of the side on roll, its features, the other's.

    In contact positions each side's features begin with the gauges of the *other* side's checkers
    off, 3 to a gauge; in crashed ones with those of its own, 5 to a gauge.
    """
    mine, theirs = board[0], board[1]
    first, second = x[2 * PLACE_INPUTS :], x[2 * PLACE_INPUTS + FEATURES :]
    _fill_counts(theirs, 25, x)
    _fill_counts(mine, 25, x[PLACE_INPUTS:])
    gauge = 5 if crashed else 3
    _fill_off(mine if crashed else theirs, gauge, first)
    _fill_off(theirs if crashed else mine, gauge, second)
    _fill_features(mine, theirs, first)
    _fill_features(theirs, mine, second)


@njit(cache=True, nogil=True)
def fill_race_inputs(board: Any, x: Any) -> None:  # pragma: no cover - compiled
    """x float32[214]: of the other side, then of the side on roll: 23 places, off, crossovers.

    Of 14 inputs, that of the number of checkers borne off is 1. The last is the crossovers to
    bring all checkers home, divided by 10.
    """
    half = RACE_INPUTS // 2
    for side in range(2):
        row, part = board[1 - side], x[side * half : (side + 1) * half]
        part[:] = 0
        _fill_counts(row, 23, part)
        off = CHECKERS - _checkers(row)
        if 1 <= off <= 14:
            part[92 + off - 1] = 1
        crossovers = 0
        for p in range(6, 24):
            crossovers += (p // 6) * row[p]
        part[106] = crossovers * _PER_10


@njit(cache=True, nogil=True)
def fill_inputs(kind: int, board: Any, x: Any) -> None:  # pragma: no cover - compiled
    """The inputs of one of ``NET_KINDS`` of nets."""
    if kind == _RACE:
        fill_race_inputs(board, x)
    else:
        fill_contact_inputs(board, kind == _CRASHED, x)


@njit(cache=True, nogil=True)
def _fill_all(kind: int, boards: Any, out: Any) -> None:  # pragma: no cover - compiled
    for i in range(boards.shape[0]):
        fill_inputs(kind, boards[i], out[i])


def gnubg_inputs(kind: str, boards: Boards) -> NDArray[np.float32]:
    """The inputs of gnubg's net of a kind, ``int8[n, 2, 25] -> float32[n, 250 or 214]``.

    >>> from gnubg_py.board import START
    >>> gnubg_inputs("contact", START[None]).shape
    (1, 250)
    """
    out = np.empty((len(boards), RACE_INPUTS if kind == "race" else CONTACT_INPUTS), np.float32)
    _fill_all(NET_KINDS.index(kind), for_kernels(boards), out)
    return out
