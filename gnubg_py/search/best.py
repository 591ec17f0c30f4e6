"""The best play of every roll: which plays are evaluated, and which of them is made.

Inner nodes of a search, turns of a rollout and the luck of its rolls all choose plays here. A
small net (the sieve) values every play of a roll, the evaluator the best of these, and the play
that leaves the other side the lowest value is made. Of equal values (after any play the other side
would cash its cube) the lowest cubeless value decides, as in gnubg.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards, swap
from gnubg_py.cube.values import CubeTable, Numbers, cubeless_values
from gnubg_py.evaluators.classify import STANDARD, Classifier, PositionClass
from gnubg_py.evaluators.protocol import Evaluator, evaluate_children
from gnubg_py.evaluators.router import LEARNED
from gnubg_py.groups import few_lowest, lowest
from gnubg_py.keys import distinct_boards
from gnubg_py.search.context import Search

_LEARNED = np.isin(np.arange(len(PositionClass)), LEARNED)
ONE_CUBE = np.zeros(1, np.int64)
"""Numbers of cubes where all positions have the table's first."""


@dataclass(frozen=True)
class Sieve:
    """Which plays of a roll are evaluated: the ``keep`` best by a faster evaluator.

    Plays more than ``within`` points worse than the best are left out. With ``learned_only``, only
    plays into contact, crashed and race positions are judged: the others (into a bearoff, or the
    end of the game) are always evaluated, and so is every play of a roll with at most ``keep``.
    """

    evaluator: Evaluator
    keep: int
    within: float
    learned_only: bool = True
    classes: Classifier = STANDARD


def sieve_of(search: Search) -> Sieve | None:
    """The sieve of a search: its pruner's, by its settings. None if it has no pruner."""
    engine, settings = search.engine, search.settings
    if engine.pruner is None:
        return None
    keep, within = settings.prune_keep, settings.prune_within
    return Sieve(engine.pruner, keep, within, classes=engine.classes)


@dataclass(frozen=True)
class Positions:
    """Positions with what is known of them: ``classes`` int8[n], ``five`` float32[n, 5]."""

    boards: Boards
    classes: NDArray[np.int8]
    five: NDArray[np.float32]


def best_of_rolls(
    search: Search,
    boards: Boards,
    plays: Boards,
    offsets: NDArray[np.int64],
    table: CubeTable,
    numbers: Numbers = ONE_CUBE,
    sieve: Sieve | None = None,
    cubeful: bool = True,
) -> Positions:
    """The positions after the best play of every roll, ``n * rolls`` of them, boards outermost.

    ``plays`` are those of as many rolls for each of the n boards: roll i has
    ``plays[offsets[i]:offsets[i + 1]]``, the other side on roll. Its cube, ``numbers`` int64[n] (or
    int64[1], the same for all) of ``table``, is seen by that side, which is free to double. If not
    ``cubeful``, the cubeless value alone decides.
    """
    search.check()
    rolls = (len(offsets) - 1) // max(1, len(boards))
    parents, own_cubes = swap(boards), len(numbers) > 1
    # Different plays lead to the same position often enough for this to pay. That the cache knows
    # a position is too rare, at this depth, to pay for looking it up.
    unique, which, first = distinct_boards(plays, offsets[::rolls], across=not own_cubes)
    cubes = np.repeat(numbers, np.diff(first)) if own_cubes else numbers
    if sieve is not None:
        judged = evaluate_children(sieve.evaluator, parents, unique, first)
        stay, offsets = _sieved(sieve, unique, judged, table, cubes, which, offsets)
        rows, which = _used(which[stay], len(unique))
        first = np.searchsorted(rows, first)
        unique, cubes = unique[rows], cubes[rows] if own_cubes else cubes
    classes = search.engine.classes(unique)
    five = search.evaluate(unique, parents, first)
    cubeless = cubeless_values(five, table, cubes)
    values = cubeless
    if cubeful:
        values = search.values(unique, classes, five, table, cubes[:, None])[:, 0]
    best = which[lowest(values[which], offsets, cubeless[which])]
    return Positions(unique[best], classes[best], five[best])


def _used(which: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of n that occur in ``which``, ascending, and ``which`` as numbers of these."""
    used = np.zeros(n, np.bool_)
    used[which] = True
    return np.flatnonzero(used), (np.cumsum(used) - 1)[which]


def _sieved(
    sieve: Sieve,
    boards: Boards,
    five: NDArray[np.float32],
    table: CubeTable,
    cubes: Numbers,
    which: NDArray[np.int64],
    offsets: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The plays that stay, numbers of entries of ``which``, and each roll's offsets in them.

    Roll i has the plays ``which[offsets[i]:offsets[i + 1]]``, rows of ``boards`` and of ``five``,
    the sieve's probabilities. The cube is taken as if it were dead. A pruner keeps the order of
    plays, another sieve has the best first: of plays that are equal to the evaluator in everything,
    the first is made.
    """
    scores = cubeless_values(five, table, cubes)[which]
    always = ~_LEARNED[sieve.classes(boards)][which] if sieve.learned_only else None
    points = table.points[cubes]
    within = sieve.within * (points if len(cubes) == 1 else points[which[offsets[:-1]]])
    rows, ends = few_lowest(
        scores, offsets, sieve.keep, within, whole=sieve.learned_only, always=always
    )
    if sieve.learned_only:
        rows.sort()
    return rows, ends
