"""The plays of self-play: value them with the nets, prune them, and make one of each roll."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards, swap
from gnubg_py.cube.state import Cube
from gnubg_py.cube.values import cube_table
from gnubg_py.dice import ROLL_INDEX, ROLL_WEIGHTS, ROLLS
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.evaluators.router import ENDINGS, EXACT
from gnubg_py.groups import lowest
from gnubg_py.network.leaf import NetLeaf
from gnubg_py.plays import plays_slice
from gnubg_py.probabilities import INVERTED_OUTCOMES, OUTCOME_EQUITIES, six_of
from gnubg_py.search.sieve import Kept, Sieve, kept_plays, sieved_again
from gnubg_py.threads import map_slices

from .config import TrainConfig
from .net import PlayingNet, outcomes

T = TypeVar("T")

_PARENTS_PER_SLICE = 128
_FIRST = np.zeros(1, np.int64)
"""The number of the cube of all positions."""


@dataclass(frozen=True)
class Nets:
    """The nets that play: the net in training, or its teachers, of which the mean counts.

    If races have a net of their own, it plays them.
    """

    main: tuple[PlayingNet, ...]
    race: Evaluator | None = None
    prune: tuple[NetLeaf, ...] = ()


def exact_outcomes(boards: Boards, classes: NDArray[np.int8]) -> NDArray[np.float32]:
    """Six outcomes of boards that are over or in a bearoff database, ``float32[n, 6]``."""
    out = np.empty((len(boards), 6), np.float32)
    for code, leaf in ENDINGS.items():
        mine = np.flatnonzero(classes == code)
        if len(mine):
            out[mine] = six_of(leaf(boards[mine]))
    return out


def child_values(
    nets: Nets, parents: Boards, children: Boards, first: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Six outcomes and class of every child; ``parents`` as the children's side sees them."""
    classes = classify(children)
    exact = np.isin(classes, EXACT)
    values = outcomes(nets.main[0], parents, children, first)
    for net in nets.main[1:]:
        values += outcomes(net, parents, children, first)
    values /= len(nets.main)
    races = np.flatnonzero(classes == PositionClass.RACE)
    if nets.race is not None and len(races):
        values[races] = six_of(nets.race(children[races]))
    if exact.any():
        values[exact] = exact_outcomes(children[exact], classes[exact])
    return values, classes


def kept_parts(
    nets: Nets, config: TrainConfig, boards: Boards, dice: NDArray[np.int8], start: int = 0
) -> Iterator[tuple[slice, Kept]]:
    """The plays that the pruning nets keep, or all plays, of parts of the boards, in order.

    ``dice`` int8[n * r, 2] are r rolls of each board. Races and exact endings are always kept,
    since the pruning nets are not for them. The parts are slices from ``start`` on: all boards, if
    there is room for their plays.
    """
    sieves = [
        Sieve(leaf, keep, np.inf, races=False)
        for leaf, keep in zip(nets.prune, config.keep, strict=False)
    ]
    money = cube_table((Cube(),))
    done = 0
    for kept in kept_plays(boards, dice, sieves[0] if sieves else None, money, _FIRST):
        rows = slice(done, done + len(kept.first) - 1)
        for sieve in sieves[1:]:
            kept = sieved_again(kept, swap(boards[rows]), sieve, money)
        yield slice(start + rows.start, start + rows.stop), kept
        done = rows.stop


@dataclass(frozen=True)
class Rolling:
    """Games in which a roll is to be played: boards int8[g, 2, 25], dice int8[g, 2].

    ``chance`` float64[g] decides whether a play is random or near the best, and then which one.
    """

    boards: Boards
    dice: NDArray[np.int8]
    chance: NDArray[np.float64]

    def of(self, rows: slice) -> Rolling:
        """Some of the games."""
        return Rolling(self.boards[rows], self.dice[rows], self.chance[rows])


@dataclass(frozen=True)
class Look:
    """Valued plays of some games: those kept of every roll, then the random ones that are made.

    ``best`` are the best plays of all rolls, ``made`` and ``other`` those of the roll that came, as
    rows: the play that is made, and the best that is not (or the same, if there is no other, or
    it is not asked for).
    """

    boards: Boards
    values: NDArray[np.float32]  # float32[m, 6]
    classes: NDArray[np.int8]
    best: NDArray[np.int64]
    made: NDArray[np.int64]
    other: NDArray[np.int64]
    is_best: NDArray[np.bool_]  # whether the best play of the roll is made


def look(nets: Nets, config: TrainConfig, kept: Kept, games: Rolling) -> Look:
    """Value the plays ``kept`` of games, and make a play of the roll that came."""
    boards, dice, chance = games.boards, games.dice, games.chance
    rolls = (len(kept.offsets) - 1) // len(boards)
    rolled = np.arange(len(boards)) * rolls
    if rolls > 1:
        rolled += ROLL_INDEX[dice[:, 0], dice[:, 1]]
    random, drawn = _random_plays(games, config.random_plays)
    parents, first = swap(boards), kept.first
    plays = np.concatenate([kept.boards, drawn])
    values, classes = child_values(
        nets,
        np.concatenate([parents, parents[random]]),
        plays,
        np.concatenate([first, first[-1] + 1 + np.arange(len(random))]),
    )
    equities = values @ OUTCOME_EQUITIES
    best = kept.which[lowest(equities[kept.which], kept.offsets)]
    near = _drawn(kept.offsets, rolled, chance, config.random_plays, config.near_plays)
    made = np.where(near >= 0, kept.which[near], best[rolled])
    made[random] = first[-1] + np.arange(len(random))
    is_best = (plays[made] == plays[best[rolled]]).all(axis=(1, 2))
    made = np.where(is_best, best[rolled], made)
    other = _others(equities, kept, rolled, made) if config.siblings else made
    return Look(plays, values, classes, best, made, other, is_best)


def _others(
    equities: NDArray[np.float32],
    kept: Kept,
    rolled: NDArray[np.int64],
    made: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The best play kept of each roll in ``rolled`` that was not made, or the only play."""
    rest = equities.copy()
    rest[made] = np.inf
    return kept.which[lowest(rest[kept.which], kept.offsets)][rolled]


def _random_plays(games: Rolling, share: float) -> tuple[NDArray[np.int64], Boards]:
    """The games whose chance is less than ``share``, and a play of each, of all legal ones."""
    rows = np.flatnonzero(games.chance < share)
    plays, offsets = plays_slice(games.boards[rows], games.dice[rows])
    return rows, plays[_drawn(offsets, np.arange(len(rows)), games.chance[rows], 0.0, share)]


def _drawn(
    offsets: NDArray[np.int64],
    rolled: NDArray[np.int64],
    chance: NDArray[np.float64],
    least: float,
    share: float,
) -> NDArray[np.int64]:
    """A play of each roll in ``rolled`` if chance is from ``least`` to less than ``least + share``.

    All others have -1.
    """
    place = (chance - least) / max(share, 1e-9)
    plays = offsets[rolled + 1] - offsets[rolled]
    play = np.minimum((place * plays).astype(np.int64), plays - 1)
    return np.where((place >= 0) & (place < 1) & (share > 0), offsets[rolled] + play, -1)


@dataclass(frozen=True)
class Moves:
    """The plays that were made in the games."""

    ahead: NDArray[np.float32]  # float32[g, 6], the value of the position before, one roll ahead
    boards: Boards  # after the play
    values: NDArray[np.float32]  # float32[g, 6], the net's values after the play
    classes: NDArray[np.int8]
    best: NDArray[np.bool_]  # whether it was the best play
    others: Boards  # after the best play of the roll that was not made
    has_other: NDArray[np.bool_]


def _moves(seen: Look, config: TrainConfig) -> Moves:
    """The moves of the games that were looked at."""
    games = len(seen.made)
    weights = ROLL_WEIGHTS / 36.0 if len(seen.best) == 21 * games else np.ones(1)
    of_best = seen.values[seen.best][:, INVERTED_OUTCOMES].reshape(games, len(weights), 6)
    made, other = seen.made, seen.other
    return Moves(
        np.einsum("grk,r->gk", of_best, weights).astype(np.float32),
        seen.boards[made],
        seen.values[made],
        seen.classes[made],
        seen.is_best,
        seen.boards[other],
        (other != made) & trained_class(seen.classes[other], config),
    )


def make_moves(nets: Nets, config: TrainConfig, games: Rolling) -> Moves:
    """Value the plays of all rolls, or of the roll that came, and make one of the latter.

    Slices of the games are looked at on all threads; see ``look``.
    """

    def work(seen: Look, _: slice, __: Kept) -> Moves:
        return _moves(seen, config)

    rolls = 21 if config.rolls == "all" else 1
    slices = looked_at(nets, config, games, rolls, work)
    names = [field.name for field in fields(Moves)]
    return Moves(*(np.concatenate([getattr(one, name) for one in slices]) for name in names))


def looked_at(
    nets: Nets,
    config: TrainConfig,
    games: Rolling,
    rolls: int,
    work: Callable[[Look, slice, Kept], T],
) -> list[T]:
    """What ``work`` makes of looks at the games, slice by slice on all threads, in order.

    ``rolls`` are 21, all, or 1, the one that came. ``work`` gets the look, the games, their plays.
    """

    def work_on(rows: slice) -> list[T]:
        some = games.of(rows)
        dice = np.tile(ROLLS, (len(some.dice), 1)) if rolls > 1 else some.dice
        return [
            work(look(nets, config, kept, games.of(part)), part, kept)
            for part, kept in kept_parts(nets, config, some.boards, dice, rows.start)
        ]

    slices = map_slices(work_on, len(games.boards), 21 * _PARENTS_PER_SLICE // rolls)
    return [one for found in slices for one in found]


def trained_class(classes: NDArray[np.int8], config: TrainConfig) -> NDArray[np.bool_]:
    """Whether the net learns boards of these classes."""
    if config.position_class == "race":
        return np.asarray(classes == PositionClass.RACE)
    if config.position_class == "crashed":
        return np.asarray(classes == PositionClass.CRASHED)
    contact = (classes == PositionClass.CONTACT) | (classes == PositionClass.CRASHED)
    with_races = config.position_class == "prune" or not config.race
    return np.asarray(contact | (classes == PositionClass.RACE) if with_races else contact)
