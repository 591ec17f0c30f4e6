"""The best play of every roll: which plays are evaluated, and which of them is made.

Inner nodes of a search, turns of a rollout and the luck of its rolls all choose plays here. A
small net (the sieve) values every play of a roll, the evaluator the best of these, and the play
that leaves the other side the lowest value is made. Of equal values (after any play the other side
would cash its cube) the lowest cubeless value decides, as in gnubg.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards, for_kernels, swap
from gnubg_py.claims import new_claims
from gnubg_py.cube.efficiency import NUMBERS_BY_CLASS, efficiency_curves
from gnubg_py.cube.values import DEAD, CubeTable, Numbers, cubeless_values
from gnubg_py.dice import ROLLS
from gnubg_py.evaluators.router import contact_net
from gnubg_py.groups import lowest
from gnubg_py.network.tails import tail_order
from gnubg_py.search.context import Search
from gnubg_py.search.means import Means, averaged
from gnubg_py.search.sieve import (
    Contact,
    Kept,
    Positions,
    Sieve,
    empty_positions,
    fill_chosen_plays,
    kept_plays,
)
from gnubg_py.threads import T, map_slices, on_threads, slice_size

ONE_CUBE = np.zeros(1, np.int64)
"""Numbers of cubes where all positions have the table's first."""
_ROLLS_A_THREAD = 42
"""Rolls that are worth another thread: to wake it takes as long as some of them."""
_ENOUGH_TO_SORT = 8
"""Boards that are worth the time to put them into the order of their tails."""
_ROLLS_TOGETHER, _FEW_ROLLS = 4032, 168
"""The most rolls of a slice, and the fewest that are worth one."""


def sieve_of(search: Search) -> Sieve | None:
    """The sieve of a search: its pruner's, by its settings. None if it has no pruner."""
    engine, settings = search.engine, search.settings
    if engine.pruner is None:
        return None
    keep, within = settings.prune_keep, settings.prune_within
    return Sieve(engine.pruner, keep, within, classes=engine.classes)


def best_of_rolls(
    search: Search,
    boards: Boards,
    dice: NDArray[np.int8] | None,
    table: CubeTable,
    numbers: Numbers = ONE_CUBE,
    sieve: Sieve | None = None,
    cubeful: bool = True,
) -> Positions:
    """The positions after the best play of every roll, boards outermost.

    ``dice`` int8[n, 2] is a roll for each of the n boards, None all 21 rolls for each. The cube of
    the side that is then on roll and free to double is ``numbers`` int64[n] (or int64[1], the same
    for all) of ``table``. If not ``cubeful``, the cubeless value alone decides.
    """
    rolls = np.tile(ROLLS, (len(boards), 1)) if dice is None else dice
    best = empty_positions(len(rolls))

    def fill(rows: NDArray[np.int64], after: Positions) -> None:
        each = len(rolls) // len(boards)
        which = (each * rows[:, None] + np.arange(each)).reshape(-1)
        best.boards[which], best.classes[which], best.five[which] = vars(after).values()

    _choose(search, boards, rolls, table, numbers, sieve, cubeful, best, fill)
    return best


def means_of_best(
    search: Search, boards: Boards, table: CubeTable, sieve: Sieve | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The means over all rolls of the positions that ``best_of_rolls`` finds, as in ``Means``.

    The values are those with all cubes of the table, of which the first decides.
    """
    cubeful = search.settings.cubeful
    if search.by_position:
        after = best_of_rolls(search, boards, None, table, sieve=sieve, cubeful=cubeful)
        return averaged(after.five, search.values(after.boards, after.classes, after.five, table))
    rolls = np.tile(ROLLS, (len(boards), 1))
    means, best = _room_for_means(search, len(boards), table), empty_positions(len(rolls))

    def fill(rows: NDArray[np.int64], after: Positions) -> None:
        values = search.values(after.boards, after.classes, after.five, table)
        means.five[rows], means.values[rows] = averaged(after.five, values)

    _choose(search, boards, rolls, table, ONE_CUBE, sieve, cubeful, best, fill, means)
    return means.five, means.values


def _choose(
    search: Search,
    boards: Boards,
    dice: NDArray[np.int8],
    table: CubeTable,
    numbers: Numbers,
    sieve: Sieve | None,
    cubeful: bool,
    best: Positions,
    fill: Callable[[NDArray[np.int64], Positions], None],
    means: Means | None = None,
) -> None:
    """Choose the best plays on all threads: the kernel fills ``best`` and ``means``.

    ``fill`` gets the boards that the kernel leaves, as rows, with the best plays of their rolls.
    All have the efficiency of the cube that their class has.
    """
    search = replace(search, by_position=False)
    contact = _contact(search, cubeful)
    order = np.arange(len(boards))
    if contact is not None and contact.net.layers.tails > 1 and len(boards) >= _ENOUGH_TO_SORT:
        # Neighbours of one tail share its weights in the nearest cache.
        order, _ = tail_order(for_kernels(boards), contact.net.layers.tails)

    def work(claims: NDArray[np.int64]) -> None:
        search.check()
        for rows, kept in fill_chosen_plays(
            boards, dice, sieve, table, numbers, contact, best, claims, order, means
        ):
            cubes = numbers[rows] if len(numbers) > 1 else numbers
            fill(rows, _best_of_kept(search, swap(boards[rows]), kept, table, cubes, cubeful))
            search.check()

    if contact is None:
        # What another evaluator answers may depend on what it is asked together.
        _in_slices(lambda rows: work(new_claims(rows)), len(boards), len(dice))
    else:
        claims = new_claims(slice(0, len(boards)))
        on_threads(lambda: work(claims), len(dice) // _ROLLS_A_THREAD)


def _in_slices(work: Callable[[slice], T], count: int, rolls: int) -> list[T]:
    """``work`` on slices of ``count`` boards, which have so many rolls in all, on all threads."""
    each = max(1, rolls // max(1, count))
    return map_slices(work, count, slice_size(count, _ROLLS_TOGETHER // each, _FEW_ROLLS // each))


def _room_for_means(search: Search, n: int, table: CubeTable) -> Means:
    """Room for the means of n boards, whose positions have the cubes of a table."""
    cubeful = search.settings.cubeful
    return Means(
        np.empty((n, 5)),
        np.empty((n, len(table.cubes))),
        efficiency_curves(search.engine.efficiency) if cubeful else DEAD,
        NUMBERS_BY_CLASS if cubeful else np.zeros_like(NUMBERS_BY_CLASS),
        table.constants,
        table.doubled,
        cubeful,
    )


def _best_of_kept(
    search: Search,
    parents: Boards,
    kept: Kept,
    table: CubeTable,
    numbers: Numbers,
    cubeful: bool,
) -> Positions:
    """The best of the plays that are kept of every roll, valued by the evaluator."""
    cubes = np.repeat(numbers, np.diff(kept.first)) if len(numbers) > 1 else numbers
    classes = search.engine.classes(kept.boards)
    five = search.evaluate(kept.boards, parents, kept.first)
    cubeless = cubeless_values(five, table, cubes)
    values = cubeless
    if cubeful:
        values = search.values(kept.boards, classes, five, table, cubes[:, None])[:, 0]
    best = kept.which[lowest(values[kept.which], kept.offsets, cubeless[kept.which])]
    return Positions(kept.boards[best], classes[best], five[best])


def kept_of_rolls(search: Search, boards: Boards, table: CubeTable) -> list[Kept]:
    """The plays of all 21 rolls of each board that the search's sieve keeps.

    The cube of the side that is then on roll is the table's first. Boards with too many plays for
    one ``Kept`` are in several, in order.
    """

    def work(rows: slice) -> list[Kept]:
        search.check()
        some = boards[rows]
        rolls = np.tile(ROLLS, (len(some), 1))
        return list(kept_plays(some, rolls, sieve_of(search), table, ONE_CUBE))

    return [
        kept for part in _in_slices(work, len(boards), len(ROLLS) * len(boards)) for kept in part
    ]


def _contact(search: Search, cubeful: bool) -> Contact | None:
    """How a kernel evaluates contact positions; None if another evaluator than a net does."""
    net = contact_net(search.engine.evaluator)
    if net is None or search.engine.classes.variation != "standard":
        return None
    curves = efficiency_curves(search.engine.efficiency)
    return Contact(net, curves if cubeful else curves[:0], search.count)
