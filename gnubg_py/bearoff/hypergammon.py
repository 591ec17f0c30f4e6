"""Hypergammon: exact values of every position of up to 3 checkers a side, computed by iteration.

For each pair of positions, the side on roll and the other, the database holds before the dice

- gnubg's five probabilities, where both sides play for the greatest cubeless equity;
- four equities without a double this turn, where each side plays for the equity with its cube: the
  cube centred, centred under the Jacoby rule, owned by the side on roll, owned by the other.

They obey the recursion of ``two_sided``, with gammons. Checkers are hit and start again, so that
positions recur, and no order solves each one from those solved before. Sweeps over all pairs
(``hypergammon_sweeps``) repeat the recursion until no equity changes by ``PRECISION`` or more. The
best cubeless play of every roll is then known, and is stored. Further sweeps compute the
probabilities from these plays alone, a few numbers for each pair, until they too stand still.

Without more, the largest change of a sweep is 0.66 times that of the one before, with both signs:
what is good for one side is bad for the other. Changes are therefore taken ``RELAXATION`` times
(successive over-relaxation), by Young's formula 2 / (1 + sqrt(1 - 0.66^2)); with three checkers
that makes 22 sweeps of 35.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff import store
from gnubg_py.bearoff.hypergammon_plays import (
    ROW_POINTS,
    SideTables,
    all_plays,
    all_sides,
    reordered,
)
from gnubg_py.bearoff.hypergammon_sweeps import (
    VALUE_COLUMNS,
    VALUE_LANES,
    PairValues,
    PlayTables,
    Solver,
    Span,
    cubeless_choices,
    equity_solver,
    five_solver,
    sweep,
)
from gnubg_py.bearoff.numbering import all_positions, number_within
from gnubg_py.bearoff.two_sided import CENTRED, CENTRED_JACOBY, CUBELESS, OTHER_OWNS, OWNED
from gnubg_py.board import Boards
from gnubg_py.dice import ROLLS
from gnubg_py.kernel_cache import njit
from gnubg_py.messages import progress, say
from gnubg_py.probabilities import cubeless_equity, nested

MOST_CHECKERS = 3
PRECISION = 1e-6
RELAXATION = 1.14
MOST_SWEEPS = 100
_USUAL_SWEEPS = 22  # with three checkers, for the progress bar
_FIVE_COST = 0.35  # of a sweep of the probabilities, as a part of one of the equities
_SPAN_PIPS = 2


@dataclass(frozen=True)
class Hypergammon:
    """The database; ``[i, j]`` has the side on roll at position i, the other at j.

    ``five`` float32[n, n, 5]; ``equities`` float32[n, n, 4] for a cube of 1 without a double this
    turn: centred, centred under the Jacoby rule, owned, owned by the other side.
    """

    checkers: int
    five: NDArray[np.float32]
    equities: NDArray[np.float32]


class _Tables(NamedTuple):
    """The game's tables, with positions in order of their pip count.

    ``place`` int64[n]: the index in that order of each position, by its number. ``spans`` are the
    blocks of positions, each of ``_SPAN_PIPS`` pip counts, that are solved together.
    """

    game: PlayTables
    place: NDArray[np.int64]
    spans: list[Span]


def _tables(checkers: int) -> _Tables:
    rows = all_positions(ROW_POINTS, checkers)
    pips = rows @ np.arange(1, ROW_POINTS + 1)
    order = np.argsort(pips, kind="stable")
    game = PlayTables(*reordered(order, all_plays(rows, ROLLS), all_sides(rows, checkers)))
    edges = np.searchsorted(pips[order], np.arange(1, pips.max() + 1 + _SPAN_PIPS, _SPAN_PIPS))
    spans = [(int(low), int(high)) for low, high in pairwise(edges)]
    return _Tables(game, np.argsort(order), spans)


def _first_values(sides: SideTables) -> tuple[PairValues, PairValues]:
    """The first equities and probabilities: exact for finished games, else those of an even game.

    float32[n, n, 8] each, as in ``hypergammon_sweeps``.
    """
    n = len(sides.loss)
    equities, five = np.zeros((2, n, n, VALUE_LANES), dtype=np.float32)
    five[1:, 1:, 0] = 0.5
    five[0, 1:, 0] = 1
    loss = sides.loss[1:]
    for pairs, sign, gammon in (((0, slice(1, n)), 1, 1), ((slice(1, n), 0), -1, 3)):
        equities[pairs][:, :VALUE_COLUMNS] = sign * loss[:, None]
        equities[pairs][:, CENTRED_JACOBY] = sign
        five[pairs][:, gammon], five[pairs][:, gammon + 1] = loss > 1, loss > 2
    return equities, five


def _iterate(solve: Solver, tables: _Tables, values: PairValues, bar: Any, cost: float) -> None:
    """Repeat sweeps until no value changes by ``PRECISION`` or more; without contact, at all.

    ``cost`` of a sweep is in units of the progress bar.
    """
    sides = tables.game.sides
    for contact, least, step in ((False, 0.0, 1.0), (True, PRECISION, RELAXATION)):
        for _ in range(MOST_SWEEPS):
            changes = []
            for change, pairs in sweep(solve, tables.spans, sides, values, contact, step):
                changes.append(change)
                bar.update(cost * pairs * contact)
            bar.set_postfix_str(f"change {max(changes):.1e}")
            if max(changes) <= least:
                break


def build_hypergammon(checkers: int) -> store.Arrays:
    """Compute the whole database, with a progress bar; the arrays of ``Hypergammon`` by name."""
    _check_checkers(checkers)
    tables = _tables(checkers)
    game, by_number = tables.game, np.ix_(tables.place, tables.place)
    values, five = _first_values(game.sides)
    title = f"hypergammon, {checkers} checker{'s' if checkers > 1 else ''}"
    sweeps = _USUAL_SWEEPS * (1 + _FIVE_COST)
    with progress(round(sweeps * (len(five) - 1) ** 2), title) as bar:
        _iterate(equity_solver(game), tables, values, bar, 1)
        chosen, equities = cubeless_choices(game, values)
        del values
        equities = equities[by_number]
        _iterate(five_solver(game, chosen), tables, five, bar, _FIVE_COST)
    found = five[:, :, :VALUE_COLUMNS][by_number]
    nested(found.reshape(-1, VALUE_COLUMNS))
    return {"five": found, "equities": equities}


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

    def build() -> store.Arrays:
        if checkers == MOST_CHECKERS:
            say(f"building the database {name}, a minute or two; later runs read it from a file")
        return build_hypergammon(checkers)

    arrays = store.fetch(name, build)
    return Hypergammon(checkers, **arrays)


@njit(cache=True, nogil=True)
def _fill_pairs_of(boards, checkers, out):  # type: ignore[no-untyped-def]
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
