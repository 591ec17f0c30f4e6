"""Hypergammon: exact values of every position of up to 3 checkers a side, computed by iteration.

For each pair of positions, the side on roll and the other, the database holds before the dice

- gnubg's five probabilities, where both sides play for the greatest cubeless equity;
- four equities without a double this turn, where each side plays for the equity with its cube: the
  cube centred, centred under the Jacoby rule, owned by the side on roll, owned by the other.

They obey the recursion of ``two_sided``, with gammons. Checkers are hit and start again, so that
positions recur, and no order solves each one from those solved before. Sweeps over all pairs repeat
the recursion until no equity changes by more than ``PRECISION``, nor the probabilities on average
by a tenth of it. (Where two plays are equal, rounding may keep changing which of them gives the
probabilities; both are right.) Pairs are solved in order of the larger of their two numbers, and a
move leads to a smaller number, so a sweep reads values that it has just computed, except after hits
and after moves within a block of positions that are solved together. Positions without contact
depend only on positions without contact, and are solved first.

The probabilities converge more slowly than the equities. Their changes are therefore taken
``RELAXATION`` times (successive over-relaxation), which saves a third of the sweeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff import store
from gnubg_py.bearoff.hypergammon_plays import (
    LANDING_BITS,
    POSITION_BLOCKS,
    ROW_POINTS,
    SideTables,
    all_plays,
    all_sides,
)
from gnubg_py.bearoff.numbering import all_positions, number_within
from gnubg_py.bearoff.two_sided import CENTRED, CENTRED_JACOBY, CUBELESS, OTHER_OWNS, OWNED
from gnubg_py.board import POINTS, Boards
from gnubg_py.dice import ROLL_WEIGHTS, ROLLS
from gnubg_py.kernel_cache import njit
from gnubg_py.messages import progress
from gnubg_py.probabilities import cubeless_equity
from gnubg_py.threads import map_slices

MOST_CHECKERS = 3
PRECISION = 1e-6
RELAXATION = 1.1
MOST_SWEEPS = 100
_USUAL_SWEEPS = 38  # with three checkers, for the progress bar
_TIE = 1e-6
"""Plays whose cubeless equities differ by less are equal, and the first one is taken."""
_BLOCK = 8  # positions solved together: more would reuse memory better, but read older values

# Columns of a pair's values while they are computed: five equities and the five probabilities. The
# equities, which choose the plays, come first so that most reads are of one cache line.
_CUBELESS, _CENTRED, _JACOBY, _OWNED, _OTHER_OWNS, _FIVE, _COLUMNS = 0, 1, 2, 3, 4, 5, 10


@dataclass(frozen=True)
class Hypergammon:
    """The database; ``[i, j]`` has the side on roll at position i, the other at j.

    ``five`` float32[n, n, 5]; ``equities`` float32[n, n, 4] for a cube of 1 without a double this
    turn: centred, centred under the Jacoby rule, owned, owned by the other side.
    """

    checkers: int
    five: NDArray[np.float32]
    equities: NDArray[np.float32]


class _Game(NamedTuple):
    """The arrays that do not change during the iteration."""

    offsets: NDArray[np.int64]
    packed: NDArray[np.int64]
    sides: SideTables
    weights: NDArray[np.int64]


@njit(cache=True, nogil=True)
def _fill_pair(
    i: int, j: int, game: Any, values: Any, out: Any, no_double: Any
) -> None:  # pragma: no cover - compiled
    """One step of the recursion for the side on roll at i, the other at j.

    ``out`` float64[10]: the columns, with the right doubles; ``no_double`` float64[4]: the equities
    with a cube, without a double this turn.
    """
    out[:] = 0.0
    begin = (i * POSITION_BLOCKS + game.sides.block[j]) * len(game.weights)
    blots = game.sides.blots[j]
    any_blot = blots[0] | blots[1] | blots[2]
    for r in range(len(game.weights)):
        best = centred = jacoby = owned = other = -np.inf
        their_best, my_best = 0, 0
        for t in range(game.offsets[begin + r], game.offsets[begin + r + 1]):
            play = game.packed[t]
            mine = play >> LANDING_BITS
            theirs = j
            if play & any_blot:
                hits = 0
                for q in range(len(blots)):
                    if play & blots[q]:
                        hits |= 1 << q
                theirs = game.sides.after_hits[j, hits]
            reply = values[theirs, mine]
            if -reply[_CUBELESS] > best + _TIE:
                best, their_best, my_best = -reply[_CUBELESS], theirs, mine
            centred = max(centred, -reply[_CENTRED])
            jacoby = max(jacoby, -reply[_JACOBY])
            owned = max(owned, -reply[_OTHER_OWNS])
            other = max(other, -reply[_OWNED])
        weight = game.weights[r] / 36.0
        five = values[their_best, my_best, _FIVE:]
        out[_FIVE] += weight * (1.0 - five[0])
        out[_FIVE + 1] += weight * five[3]
        out[_FIVE + 2] += weight * five[4]
        out[_FIVE + 3] += weight * five[1]
        out[_FIVE + 4] += weight * five[2]
        out[_CUBELESS] += weight * best
        out[_CENTRED] += weight * centred
        out[_JACOBY] += weight * jacoby
        out[_OWNED] += weight * owned
        out[_OTHER_OWNS] += weight * other
    no_double[:] = out[_CENTRED:_FIVE]
    double = min(2.0 * out[_OTHER_OWNS], 1.0)
    for column in (_CENTRED, _JACOBY, _OWNED):
        out[column] = max(out[column], double)


@njit(cache=True, nogil=True)
def _wanted(i: int, j: int, sides: Any, contact: bool) -> bool:  # pragma: no cover - compiled
    """Whether the pair is possible (no point is held by both) and its contact is ``contact``."""
    if sides.occupied[i] & sides.mirrored[j]:
        return False
    has_contact: bool = sides.rear[i] + sides.rear[j] >= POINTS
    return contact == has_contact


@njit(cache=True, nogil=True)
def _solve(
    movers: Any, others: Any, game: Any, values: Any, contact: bool, solved: Any
) -> None:  # pragma: no cover - compiled
    """Write ``solved[m, o]`` float32[10] for all pairs of the movers with the others."""
    out = np.empty(_COLUMNS)
    no_double = np.empty(4)
    for o in range(len(others)):
        for m in range(len(movers)):
            if _wanted(movers[m], others[o], game.sides, contact):
                _fill_pair(movers[m], others[o], game, values, out, no_double)
                solved[m, o] = out


@njit(cache=True, nogil=True)
def _take_over(
    movers: Any, others: Any, sides: Any, contact: bool, solved: Any, values: Any, relaxation: float
) -> tuple[float, float]:  # pragma: no cover - compiled
    """Move ``values`` to the solved ones; return the changes, see ``_Change``."""
    equity = 0.0
    probabilities = 0.0
    for m in range(len(movers)):
        for o in range(len(others)):
            if not _wanted(movers[m], others[o], sides, contact):
                continue
            value = values[movers[m], others[o]]
            for c in range(_COLUMNS):
                change = solved[m, o, c] - value[c]
                if c < _FIVE:
                    equity = max(equity, abs(change))
                else:
                    probabilities += abs(change)
                value[c] += change * (1.0 if _CENTRED <= c < _FIVE else relaxation)
    return equity, probabilities


class _Change(NamedTuple):
    """The largest change of an equity, and the sum of the changes of all probabilities."""

    equity: float
    probabilities: float


def _solve_in_threads(
    movers: NDArray[np.int64], others: NDArray[np.int64], game: _Game,
    values: NDArray[np.float32], contact: bool, relaxation: float,
) -> _Change:  # fmt: skip
    """Solve all pairs of movers and others from the present values, then update the values."""
    solved = np.empty((len(movers), len(others), _COLUMNS), dtype=np.float32)

    def work(some: slice) -> None:
        _solve(movers, others[some], game, values, contact, solved[:, some])

    map_slices(work, len(others), max(1, min(len(others) // 4, 256)))
    return _Change(*_take_over(movers, others, game.sides, contact, solved, values, relaxation))


def _sweep(
    game: _Game, values: NDArray[np.float32], contact: bool, relaxation: float, bar: Any
) -> _Change:
    """Repeat the recursion for all pairs with contact, or without, in place."""
    n = len(values)
    changes = []
    for low in range(1, n, _BLOCK):
        some = np.arange(low, min(low + _BLOCK, n))
        before = np.arange(1, low)
        for movers, others in ((some, before), (some, some), (before, some)):
            if len(movers) and len(others):
                changes.append(_solve_in_threads(movers, others, game, values, contact, relaxation))
        bar.update(len(some) * (2 * low + len(some)))
    return _Change(max(c.equity for c in changes), sum(c.probabilities for c in changes))


def _first_values(sides: SideTables) -> NDArray[np.float32]:
    """The first values: exact for finished games, and those of an even game for all others."""
    n = len(sides.loss)
    values = np.zeros((n, n, _COLUMNS), dtype=np.float32)
    values[:, :, _FIVE] = 0.5
    values[0], values[:, 0] = 0.0, 0.0
    loss = sides.loss[1:]
    for row, sign, gammon in ((values[0, 1:], 1, _FIVE + 1), (values[1:, 0], -1, _FIVE + 3)):
        row[:, :_FIVE] = sign * loss[:, None]
        row[:, _JACOBY] = sign
        row[:, _FIVE] = sign > 0
        row[:, gammon], row[:, gammon + 1] = loss > 1, loss > 2
    return values


@njit(cache=True, nogil=True)
def _finish(
    others: Any, game: Any, values: Any, five: Any, equities: Any
) -> None:  # pragma: no cover - compiled
    """Compute the probabilities and the equities without a double of all pairs with the others."""
    out = np.empty(_COLUMNS)
    no_double = np.empty(4)
    for j in others:
        for i in range(1, len(values)):
            if game.sides.occupied[i] & game.sides.mirrored[j]:
                continue
            _fill_pair(i, j, game, values, out, no_double)
            limits = (1.0, out[_FIVE], out[_FIVE + 1], 1.0 - out[_FIVE], out[_FIVE + 3])
            for c in range(5):
                five[i, j, c] = min(max(out[_FIVE + c], 0.0), limits[c])
            equities[i, j] = no_double


def build_hypergammon(checkers: int) -> store.Arrays:
    """Compute the whole database, with a progress bar; the arrays of ``Hypergammon`` by name."""
    _check_checkers(checkers)
    rows = all_positions(ROW_POINTS, checkers)
    sides = all_sides(rows, checkers)
    game = _Game(*all_plays(rows, ROLLS), sides, ROLL_WEIGHTS)
    values = _first_values(sides)
    title = f"hypergammon, {checkers} checker{'s' if checkers > 1 else ''}"
    with progress(_USUAL_SWEEPS * (len(rows) - 1) ** 2, title) as bar:
        while _sweep(game, values, False, 1.0, bar) != (0.0, 0.0):
            pass
        for _ in range(MOST_SWEEPS):
            change = _sweep(game, values, True, RELAXATION, bar)
            bar.set_postfix_str(f"change {change.equity:.1e}")
            mean = change.probabilities / (5 * len(rows) ** 2)
            if change.equity < PRECISION and mean < PRECISION / 10:
                break
        five, equities = values[:, :, _FIVE:].copy(), values[:, :, _CENTRED:_FIVE].copy()
        others = np.arange(1, len(rows))
        map_slices(lambda s: _finish(others[s], game, values, five, equities), len(others), 64)
    return {"five": five, "equities": equities}


def _check_checkers(checkers: int) -> None:
    if not 1 <= checkers <= MOST_CHECKERS:
        raise ValueError(
            f"hypergammon database of {checkers} checkers: expected 1 to {MOST_CHECKERS}"
        )


def hypergammon_name(checkers: int) -> str:
    """The database's name in the store; ``ValueError`` unless there are 1 to 3 checkers."""
    _check_checkers(checkers)
    return f"hypergammon-{checkers}-checkers"


@cache
def hypergammon_database(checkers: int) -> Hypergammon:
    """The database for ``checkers`` a side, memory-mapped; it is built if there is none yet."""
    name = hypergammon_name(checkers)
    arrays = store.fetch(name, lambda: build_hypergammon(checkers))
    return Hypergammon(checkers, **arrays)


@njit(cache=True, nogil=True)
def _fill_pairs_of(boards: Any, checkers: int, out: Any) -> int:  # pragma: no cover - compiled
    for i in range(len(boards)):
        for side in range(2):
            out[i, side] = number_within(boards[i, side], ROW_POINTS, checkers)
        if out[i, 0] < 0 or out[i, 1] < 0 or out[i, 0] + out[i, 1] == 0:
            return i
    return -1


def _pairs_of(boards: Boards, checkers: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    pairs = np.empty((len(boards), 2), dtype=np.int64)
    bad = _fill_pairs_of(boards, checkers, pairs)
    if bad >= 0:
        raise ValueError(
            f"board {bad} is not one of hypergammon: each side has at most {checkers} "
            f"checker{'s' if checkers > 1 else ''}, and one side at least one"
        )
    return pairs[:, 0], pairs[:, 1]


def hypergammon_five(boards: Boards, database: Hypergammon) -> NDArray[np.float32]:
    """gnubg's five probabilities, ``int8[n, 2, 25] -> float32[n, 5]``."""
    return database.five[_pairs_of(boards, database.checkers)]


def hypergammon_equities(boards: Boards, database: Hypergammon) -> NDArray[np.float32]:
    """Equities without a double this turn, ``int8[n, 2, 25] -> float32[n, 5]``.

    The columns are those of ``two_sided``: cubeless, centred, owned, owned by the other, centred
    under the Jacoby rule.
    """
    pairs = _pairs_of(boards, database.checkers)
    five, equities = database.five[pairs], database.equities[pairs]
    out = np.empty((len(boards), 5), dtype=np.float32)
    out[:, CUBELESS] = cubeless_equity(five)
    out[:, [CENTRED, CENTRED_JACOBY, OWNED, OTHER_OWNS]] = equities
    return out
