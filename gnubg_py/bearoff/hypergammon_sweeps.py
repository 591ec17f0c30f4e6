"""Sweeps over all pairs of hypergammon positions, each of which repeats the recursion once.

Positions are ordered by pip count, so that a move leads to a smaller index, and pairs are solved in
blocks of positions with almost the same pip count, in order of the larger of their two blocks. A
sweep therefore reads values that it has just computed, except after hits and after rolls that
cannot be played. Positions without contact depend only on positions without contact.

Values are ``float32[n, n, 8]``: the side on roll at the first position, the other at the second.
Five columns are used: the probabilities, or equities with the right doubles, in the columns of
``two_sided``. Eight columns are one vector of 32 bytes, which the inner loop reads at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from gnubg_py.bearoff.hypergammon_plays import LANDING_BITS, POSITION_BLOCKS, Plays, SideTables
from gnubg_py.bearoff.two_sided import CENTRED, CENTRED_JACOBY, OTHER_OWNS, OWNED
from gnubg_py.board import POINTS
from gnubg_py.dice import ROLL_WEIGHTS
from gnubg_py.kernel_cache import njit
from gnubg_py.threads import map_slices
from gnubg_py.vectors import constant, counted_loop

VALUE_LANES = 8
VALUE_COLUMNS = 5
_STORED = (CENTRED, CENTRED_JACOBY, OWNED, OTHER_OWNS)
"""The database's columns of equities."""
_ROLLS = len(ROLL_WEIGHTS)
_WEIGHTS = ROLL_WEIGHTS / 36
_TIE = 1e-6
"""Plays whose cubeless equities differ by less are equal, and the first one is taken."""
_MINE_BITS = 12
"""A chosen play is stored as the mover's position and, above these bits, which blots it hits."""

PairValues: TypeAlias = NDArray[np.float32]
Choices: TypeAlias = NDArray[np.uint16]


class PlayTables(NamedTuple):
    """The arrays that do not change during the sweeps, positions in order of their pip count."""

    plays: Plays
    sides: SideTables


_REPLY = ir.VectorType(ir.FloatType(), VALUE_LANES)
_WIDE_REPLY = ir.VectorType(ir.DoubleType(), VALUE_LANES)


def _number_at(builder: Any, base: Any, index: Any) -> Any:
    """Number ``index`` of an array of int64, in LLVM."""
    word = ir.IntType(64)
    return builder.load(builder.gep(base, [index], source_etype=word), typ=word)


def _row_after(builder: Any, play: Any, blots: list[Any], rows: Any) -> Any:
    """The row of values that a play leads to, by the blots that it hits, in LLVM."""
    hits = constant(0)
    for place, blot in enumerate(blots):
        hit = builder.icmp_unsigned("!=", builder.and_(play, blot), constant(0))
        bit = builder.shl(builder.zext(hit, ir.IntType(64)), constant(place))
        hits = builder.or_(hits, bit)
    return _number_at(builder, rows, hits)


@intrinsic
def _add_lowest(
    typing_context: Any, sums: Any, weight: Any, values: Any,
    packed: Any, begin: Any, end: Any, blots: Any, rows: Any,
) -> Any:  # fmt: skip
    """Add ``weight`` times the lowest value of each column after plays begin to end to ``sums``.

    ``sums`` float64[8]; ``packed`` the plays; ``blots`` int64[3] the bits of the other side's
    blots; ``rows`` int64[8] the first index in ``values`` of the row after each set of hits.
    Return the lowest value of the first column, as float32.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def data(k: int) -> Any:
            return context.make_array(signature.args[k])(context, builder, args[k]).data

        bits = [_number_at(builder, data(6), constant(k)) for k in range(3)]

        def step(k: Any, lowest: list[Any]) -> list[Any]:
            play = _number_at(builder, data(3), builder.add(args[4], k))
            row = _row_after(builder, play, bits, data(7))
            mine = builder.lshr(play, constant(LANDING_BITS))
            place = builder.mul(builder.add(row, mine), constant(VALUE_LANES))
            place = builder.gep(data(2), [place], source_etype=ir.FloatType())
            reply = builder.load(builder.bitcast(place, _REPLY.as_pointer()), typ=_REPLY)
            reply.align = 4
            lower = builder.fcmp_ordered("<", reply, lowest[0])
            return [builder.select(lower, reply, lowest[0])]

        highest = ir.Constant(_REPLY, [float("inf")] * VALUE_LANES)
        (lowest,) = counted_loop(builder, builder.sub(args[5], args[4]), [highest], step)
        first = ir.Constant(ir.IntType(32), 0)
        weights = builder.insert_element(ir.Constant(_WIDE_REPLY, None), args[1], first)
        same = ir.Constant(ir.VectorType(ir.IntType(32), VALUE_LANES), None)
        weights = builder.shuffle_vector(weights, weights, same)
        added = builder.fmul(weights, builder.fpext(lowest, _WIDE_REPLY))
        place = builder.bitcast(data(0), _WIDE_REPLY.as_pointer())
        total = builder.load(place, typ=_WIDE_REPLY)
        total.align = 8
        builder.store(builder.fadd(total, added), place).align = 8
        return builder.extract_element(lowest, first)

    number = types.int64
    words = (sums, types.float64, values, packed, number, number, blots, rows)
    return types.float32(*words), generate


@njit(cache=True, nogil=True)
def fill_equities(i, j, game, values, rows, out):  # type: ignore[no-untyped-def]
    """Write ``out`` float64[8]: the equities of the side on roll at i, the other at j, no double.

    ``rows`` int64[8]: the rows of ``game.sides.after_hits[j]`` in ``values``.
    """
    out[:] = 0.0
    first = (i * POSITION_BLOCKS + game.sides.block[j]) * _ROLLS
    offsets, packed, blots = game.plays.offsets, game.plays.packed, game.sides.blots[j]
    for r in range(_ROLLS):
        begin, end = offsets[first + r], offsets[first + r + 1]
        _add_lowest(out, _WEIGHTS[r], values, packed, begin, end, blots, rows)
    for c in range(VALUE_COLUMNS):
        out[c] = -out[c]
    out[OWNED], out[OTHER_OWNS] = out[OTHER_OWNS], out[OWNED]


@njit(cache=True, nogil=True)
def apply_double(equities):  # type: ignore[no-untyped-def]
    """Change the equities of one pair without a double to those with the right action."""
    double = min(2.0 * equities[OTHER_OWNS], 1.0)
    for column in (CENTRED, CENTRED_JACOBY, OWNED):
        equities[column] = max(equities[column], double)


@njit(cache=True, nogil=True)
def rows_after(j, sides, n, rows):  # type: ignore[no-untyped-def]
    """Write ``rows`` int64[8]: the first pair of each position after hits of position j."""
    for s in range(len(rows)):
        rows[s] = sides.after_hits[j, s] * n


@njit(cache=True, nogil=True)
def _wanted(i, j, sides, contact):  # type: ignore[no-untyped-def]
    """Whether the pair is possible (no point is held by both) and its contact is ``contact``."""
    if sides.occupied[i] & sides.mirrored[j]:
        return False
    return contact == (sides.rear[i] + sides.rear[j] >= POINTS)


@njit(cache=True, nogil=True)
def _solve_equities(movers, others, contact, game, values, solved):  # type: ignore[no-untyped-def]
    """Write ``solved[m, o]``, the equities with the right doubles of all wanted pairs."""
    out, rows = np.empty(VALUE_LANES), np.empty(8, np.int64)
    for o in range(others[0], others[1]):
        rows_after(o, game.sides, len(values), rows)
        for m in range(movers[0], movers[1]):
            if _wanted(m, o, game.sides, contact):
                fill_equities(m, o, game, values, rows, out)
                apply_double(out)
                solved[m - movers[0], o - others[0]] = out


@njit(cache=True, nogil=True)
def _fill_five(j, sides, five, chosen, out):  # type: ignore[no-untyped-def]
    """Write gnubg's five probabilities of one pair, by the chosen plays."""
    win = lost = lost_backgammon = gammon = backgammon = 0.0
    for r in range(_ROLLS):
        mine = chosen[r] & ((1 << _MINE_BITS) - 1)
        reply = five[sides.after_hits[j, chosen[r] >> _MINE_BITS], mine]
        win += _WEIGHTS[r] * (1.0 - reply[0])
        lost += _WEIGHTS[r] * reply[1]
        lost_backgammon += _WEIGHTS[r] * reply[2]
        gammon += _WEIGHTS[r] * reply[3]
        backgammon += _WEIGHTS[r] * reply[4]
    out[0], out[1], out[2], out[3], out[4] = win, gammon, backgammon, lost, lost_backgammon


@njit(cache=True, nogil=True)
def _solve_five(movers, others, contact, sides, chosen, five, solved):  # type: ignore[no-untyped-def]
    """Write ``solved[m, o]``, the five probabilities of all wanted pairs."""
    for o in range(others[0], others[1]):
        for m in range(movers[0], movers[1]):
            if _wanted(m, o, sides, contact):
                out = solved[m - movers[0], o - others[0]]
                _fill_five(o, sides, five, chosen[o, m], out)


@njit(cache=True, nogil=True)
def _take_over(movers, others, sides, contact, solved, values, step):  # type: ignore[no-untyped-def]
    """Change ``values`` by ``step`` times their difference from the solved ones.

    Return the largest difference.
    """
    largest = np.float32(0)
    for m in range(movers[0], movers[1]):
        for o in range(others[0], others[1]):
            if _wanted(m, o, sides, contact):
                new, old = solved[m - movers[0], o - others[0]], values[m, o]
                for c in range(VALUE_COLUMNS):
                    change = new[c] - old[c]
                    largest = max(largest, abs(change))
                    old[c] += step * change
    return largest


Span: TypeAlias = tuple[int, int]
Solver: TypeAlias = Callable[[Span, Span, bool, PairValues, PairValues], None]
"""Called with movers, others, contact, the values and the array for the solved values."""


def sweep(
    solve: Solver,
    spans: list[Span],
    sides: SideTables,
    values: PairValues,
    contact: bool,
    step: float,
) -> Iterator[tuple[float, int]]:  # fmt: skip
    """Solve all pairs with contact, or all without, in place.

    ``spans`` are the blocks of positions. Values change by ``step`` times their difference from
    the solved ones. After each block, yield the largest difference within it and the number of
    pairs, so that the caller sees how far the sweep is.
    """
    move = np.float32(step)
    for low, high in spans:
        changes = []
        for movers, others in (
            ((low, high), (1, low)),
            ((low, high), (low, high)),
            ((1, low), (low, high)),
        ):
            if movers[0] < movers[1] and others[0] < others[1]:
                changes.append(_solve(solve, movers, others, sides, values, contact, move))
        yield max(changes), (high - low) * (low + high - 2)


def _solve(
    solve: Solver, movers: Span, others: Span, sides: SideTables, values: PairValues, contact: bool,
    step: np.float32,
) -> float:  # fmt: skip
    """Solve movers against others from the present values in threads, then update the values.

    A solved value may be read for another pair of the same call, after a hit. All values are
    therefore updated at the end: results do not depend on the threads.
    """
    shape = (movers[1] - movers[0], others[1] - others[0], VALUE_LANES)
    solved = np.empty(shape, dtype=np.float32)
    size = max(1, min(shape[1] // 4, 128))

    def work(some: slice) -> None:
        part = others[0] + some.start, others[0] + some.stop
        solve(movers, part, contact, values, solved[:, some])

    def update(some: slice) -> float:
        part = others[0] + some.start, others[0] + some.stop
        change: float = _take_over(movers, part, sides, contact, solved[:, some], values, step)
        return change

    map_slices(work, shape[1], size)
    return max(map_slices(update, shape[1], size))


def equity_solver(game: PlayTables) -> Solver:
    """The solver of one step of the recursion for all equities."""
    return lambda movers, others, contact, values, solved: _solve_equities(
        movers, others, contact, game, values, solved
    )


def five_solver(game: PlayTables, chosen: Choices) -> Solver:
    """The solver of one step of the recursion for the probabilities, by the chosen plays."""
    return lambda movers, others, contact, five, solved: _solve_five(
        movers, others, contact, game.sides, chosen, five, solved
    )


@njit(cache=True, nogil=True)
def _fill_chosen(i, j, game, cubeless, rows, chosen):  # type: ignore[no-untyped-def]
    """Write ``chosen`` uint16[21]: of every roll the play that leaves the other side the least.

    ``cubeless`` are all values as one row, of which every eighth is used.
    """
    first = (i * POSITION_BLOCKS + game.sides.block[j]) * _ROLLS
    offsets, packed = game.plays.offsets, game.plays.packed
    a, b, c = game.sides.blots[j]
    for r in range(_ROLLS):
        least = np.inf
        for t in range(offsets[first + r], offsets[first + r + 1]):
            play = packed[t]
            hits = int(play & a != 0) | int(play & b != 0) << 1 | int(play & c != 0) << 2
            mine = play >> LANDING_BITS
            reply = cubeless[(rows[hits] + mine) * VALUE_LANES]
            if reply < least - _TIE:
                least = reply
                chosen[r] = mine | hits << _MINE_BITS


@njit(cache=True, nogil=True)
def _choose(others, game, values, chosen, no_double):  # type: ignore[no-untyped-def]
    """Fill ``chosen`` and ``no_double`` of ``cubeless_choices`` for all pairs with the others."""
    out, rows = np.empty(VALUE_LANES), np.empty(8, np.int64)
    for j in others:
        rows_after(j, game.sides, len(values), rows)
        for i in range(1, len(values)):
            if not game.sides.occupied[i] & game.sides.mirrored[j]:
                _fill_chosen(i, j, game, values.ravel(), rows, chosen[j, i])
                fill_equities(i, j, game, values, rows, out)
                for column in range(len(_STORED)):
                    no_double[i, j, column] = out[_STORED[column]]


def cubeless_choices(game: PlayTables, values: PairValues) -> tuple[Choices, PairValues]:
    """The best cubeless plays of every pair and roll, and the equities without a double.

    ``chosen[j, i]`` uint16[21], as ``_MINE_BITS`` says, for the side on roll at i, the other at j;
    ``no_double[i, j]`` float32[4] in the database's order. Pairs that cannot be have zeros.
    """
    n = len(values)
    chosen = np.zeros((n, n, _ROLLS), dtype=np.uint16)
    no_double = values[:, :, _STORED]
    others = np.arange(1, n)
    map_slices(lambda s: _choose(others[s], game, values, chosen, no_double), n - 1, 64)
    return chosen, no_double
