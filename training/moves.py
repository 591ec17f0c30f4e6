"""The plays of self-play: value them with the nets, prune them, and make one of each roll."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards, swap
from gnubg_py.dice import ROLL_INDEX, ROLL_WEIGHTS
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.evaluators.router import ENDINGS, EXACT
from gnubg_py.groups import few_lowest, lowest
from gnubg_py.plays import all_rolls, plays_slice
from gnubg_py.probabilities import INVERTED_OUTCOMES, OUTCOME_EQUITIES, six_of
from gnubg_py.threads import map_slices

from .config import TrainConfig
from .net import PlayingNet, outcomes

_PARENTS_PER_SLICE = 64


@dataclass(frozen=True)
class Nets:
    """The nets that play: the net in training, or its teachers, of which the mean counts.

    If races have a net of their own, it plays them.
    """

    main: tuple[PlayingNet, ...]
    race: Evaluator | None = None
    prune: tuple[PlayingNet, ...] = ()


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


def pruned(
    net: PlayingNet,
    parents: Boards,
    children: Boards,
    offsets: NDArray[np.int64],
    drawn: NDArray[np.int64],
    keep: int,
) -> tuple[Boards, NDArray[np.int64], NDArray[np.int64]]:
    """The ``keep`` best children of each roll by a net; their offsets; the new rows of drawn ones.

    Exact endings and races stay, since the pruning net is not for them, and so do drawn children.
    """
    first = np.ascontiguousarray(offsets[:: (len(offsets) - 1) // len(parents)])
    equities = (outcomes(net, parents, children, first) @ OUTCOME_EQUITIES).astype(np.float64)
    stay = classify(children) < PositionClass.CRASHED
    stay[drawn[drawn >= 0]] = True
    rows, kept = few_lowest(equities, offsets, keep, np.inf, always=stay)
    row_of = np.full(len(children), -1)
    row_of[rows] = np.arange(len(rows))
    return children[rows], kept, np.where(drawn >= 0, row_of[drawn], -1)


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


def _move(
    nets: Nets,
    config: TrainConfig,
    boards: Boards,
    dice: NDArray[np.int8],
    chance: NDArray[np.float64],
) -> Moves:
    """Value all plays of all rolls, or of the actual roll only, and make a play of the actual roll.

    ``chance`` float64[g] decides whether a play is random or near the best, and then which one.
    """
    games = len(boards)
    if config.rolls == "all":
        children, offsets = all_rolls(boards)
        rolled = np.arange(games) * 21 + ROLL_INDEX[dice[:, 0], dice[:, 1]]
    else:
        children, offsets = plays_slice(boards, dice)
        rolled = np.arange(games)
    rolls_per_game = (len(offsets) - 1) // games
    drawn = _drawn(offsets, rolled, chance, 0.0, config.random_plays)
    parents = swap(boards)
    for net, keep in zip(nets.prune, config.keep, strict=False):
        children, offsets, drawn = pruned(net, parents, children, offsets, drawn, keep)
    first = np.ascontiguousarray(offsets[::rolls_per_game])
    values, classes = child_values(nets, parents, children, first)
    equities = values @ OUTCOME_EQUITIES
    best = lowest(equities, offsets)
    weights = ROLL_WEIGHTS / 36.0 if rolls_per_game == 21 else np.ones(1)
    of_best = values[best][:, INVERTED_OUTCOMES].reshape(games, rolls_per_game, 6)
    ahead = np.einsum("grk,r->gk", of_best, weights).astype(np.float32)
    near = _drawn(offsets, rolled, chance, config.random_plays, config.near_plays)
    chosen = np.where(drawn >= 0, drawn, np.where(near >= 0, near, best[rolled]))
    other = _other(equities, offsets, rolled, chosen) if config.siblings else chosen
    return Moves(
        ahead,
        children[chosen],
        values[chosen],
        classes[chosen],
        chosen == best[rolled],
        children[other],
        (other != chosen) & trained_class(classes[other], config),
    )


def _other(
    equities: NDArray[np.float32],
    offsets: NDArray[np.int64],
    rolled: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The best play of each roll in ``rolled`` that was not made, or the only play."""
    rest = equities.copy()
    rest[chosen] = np.inf
    return lowest(rest, offsets)[rolled]


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


def make_moves(
    nets: Nets,
    config: TrainConfig,
    boards: Boards,
    dice: NDArray[np.int8],
    chance: NDArray[np.float64],
) -> Moves:
    """Call ``_move`` in slices on all threads."""

    def work(rows: slice) -> Moves:
        return _move(nets, config, boards[rows], dice[rows], chance[rows])

    size = _PARENTS_PER_SLICE if config.rolls == "all" else 21 * _PARENTS_PER_SLICE
    slices = map_slices(work, len(boards), size)
    names = [field.name for field in fields(Moves)]
    return Moves(*(np.concatenate([getattr(one, name) for one in slices]) for name in names))


def trained_class(classes: NDArray[np.int8], config: TrainConfig) -> NDArray[np.bool_]:
    """Whether the net learns boards of these classes."""
    if config.position_class == "race":
        return np.asarray(classes == PositionClass.RACE)
    if config.position_class == "crashed":
        return np.asarray(classes == PositionClass.CRASHED)
    contact = (classes == PositionClass.CONTACT) | (classes == PositionClass.CRASHED)
    with_races = config.position_class == "prune" or not config.race
    return np.asarray(contact | (classes == PositionClass.RACE) if with_races else contact)
