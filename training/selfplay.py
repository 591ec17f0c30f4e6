"""Self-play in lockstep, and the targets it yields.

Every game plays ``turns`` turns. At each, all plays (of all 21 rolls, or of the one that came) are
valued at once; the best play of each roll gives the position's value one roll ahead. The dice
then decide where the game goes on.

A position's target is its value one roll ahead, corrected by what the game showed afterwards: at
every later position the value one roll ahead less the net's own value, fading by ``trace`` a
turn. Luck never enters, since each correction averages over the rolls: this is TD(lambda)
(Sutton 1988) with the dice taken out, as variance reduction does in rollouts. With ``rolls="one"``
the same sum is plain TD(lambda).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gnubg_py.board import START, Boards, possible, swap
from gnubg_py.dice import ROLL_INDEX, ROLL_WEIGHTS, opening_rolls, roll_dice
from gnubg_py.evaluators.bearoff import bearoff1, bearoff2
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.over import over
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.groups import lowest
from gnubg_py.plays import all_rolls, plays_slice
from gnubg_py.probabilities import INVERTED_OUTCOMES, OUTCOME_EQUITIES, six_of
from gnubg_py.threads import map_slices

from .config import TrainConfig
from .net import TrainingNet, outcomes

_PARENTS_PER_SLICE = 64
_EXACT = (PositionClass.OVER, PositionClass.BEAROFF1, PositionClass.BEAROFF2)


@dataclass(frozen=True)
class Nets:
    """Who plays: the net in training, or the mean of its teachers; where races have a net, it."""

    main: tuple[TrainingNet, ...]
    race: Evaluator | None = None
    prune: tuple[TrainingNet, ...] = ()


@dataclass(frozen=True)
class Games:
    """Games under way: boards int8[g, 2, 25], their net values float32[g, 6], turns played."""

    boards: Boards
    values: NDArray[np.float32]
    played: NDArray[np.int64]


@dataclass(frozen=True)
class Round:
    """What a round of play yields for fitting: boards, targets float32[n, 6]; races met.

    ``rolls`` int64[n]: neighbours with the same number are plays of one roll.
    """

    boards: Boards
    targets: NDArray[np.float32]
    rolls: NDArray[np.int64]
    races: Boards
    residual: float
    """Root mean square of (value one roll ahead - net's own value), in points."""


def exact_outcomes(boards: Boards, classes: NDArray[np.int8]) -> NDArray[np.float32]:
    """Six outcomes of boards that are over or in a bearoff database, ``float32[n, 6]``."""
    out = np.empty((len(boards), 6), np.float32)
    for code, leaf in zip(_EXACT, (over, bearoff1, bearoff2), strict=True):
        mine = np.flatnonzero(classes == code)
        if len(mine):
            out[mine] = six_of(leaf(boards[mine]))
    return out


def child_values(
    nets: Nets, parents: Boards, children: Boards, first: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Six outcomes and class of every child; ``parents`` as the children's side sees them."""
    classes = classify(children)
    exact = np.isin(classes, _EXACT)
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


@njit(cache=True, nogil=True)
def _mark_kept(equity, offsets, keep, kept):  # type: ignore[no-untyped-def]
    """Mark the ``keep`` lowest of every group."""
    for i in range(offsets.shape[0] - 1):
        for _ in range(min(keep, offsets[i + 1] - offsets[i])):
            lowest = -1
            for j in range(offsets[i], offsets[i + 1]):
                if not kept[j] and (lowest < 0 or equity[j] < equity[lowest]):
                    lowest = j
            kept[lowest] = True


def _pruned(
    net: TrainingNet,
    parents: Boards,
    children: Boards,
    offsets: NDArray[np.int64],
    drawn: NDArray[np.int64],
    keep: int,
) -> tuple[Boards, NDArray[np.int64], NDArray[np.int64]]:
    """The ``keep`` children of each roll worth a look, their offsets, where those drawn have gone.

    Exact endings and races stay, since the pruning net does not know them.
    """
    first = np.ascontiguousarray(offsets[:: (len(offsets) - 1) // len(parents)])
    kept = np.zeros(len(children), bool)
    _mark_kept(outcomes(net, parents, children, first) @ OUTCOME_EQUITIES, offsets, keep, kept)
    kept |= classify(children) < PositionClass.CRASHED
    kept[drawn[drawn >= 0]] = True
    before = np.concatenate([[0], np.cumsum(kept)])
    return children[kept], before[offsets], np.where(drawn >= 0, before[drawn], -1)


@dataclass(frozen=True)
class _Turn:
    """One turn of a slice of games."""

    ahead: NDArray[np.float32]  # float32[g, 6], the position's value one roll ahead
    boards: Boards  # where each game went
    values: NDArray[np.float32]  # the net's values there
    classes: NDArray[np.int8]
    best: NDArray[np.bool_]  # whether the best play was played


def _turn(
    nets: Nets,
    boards: Boards,
    dice: NDArray[np.int8],
    chance: NDArray[np.float64],
    config: TrainConfig,
) -> _Turn:
    games = len(boards)
    if config.rolls == "all":
        children, offsets = all_rolls(boards)
        per_game = 21
        rolled = np.arange(games) * 21 + ROLL_INDEX[dice[:, 0], dice[:, 1]]
    else:
        children, offsets = plays_slice(boards, dice)
        per_game = 1
        rolled = np.arange(games)
    # The first draw says whether a play is random, its remainder which.
    random = chance < config.random_plays
    choices = offsets[rolled + 1] - offsets[rolled]
    drawn = offsets[rolled] + (chance / max(config.random_plays, 1e-9) * choices).astype(np.int64)
    drawn = np.where(random, np.minimum(drawn, offsets[rolled + 1] - 1), -1)
    parents = swap(boards)
    for net, keep in zip(nets.prune, config.keep, strict=False):
        children, offsets, drawn = _pruned(net, parents, children, offsets, drawn, keep)
    first = np.ascontiguousarray(offsets[::per_game])
    values, classes = child_values(nets, parents, children, first)
    best = lowest(values @ OUTCOME_EQUITIES, offsets)
    weights = ROLL_WEIGHTS / 36.0 if per_game == 21 else np.ones(1)
    of_best = values[best][:, INVERTED_OUTCOMES].reshape(games, per_game, 6)
    ahead = np.einsum("grk,r->gk", of_best, weights).astype(np.float32)
    chosen = np.where(random, drawn, best[rolled])
    near = ~random & (chance < config.random_plays + config.near_plays)
    share = (chance - config.random_plays) / max(config.near_plays, 1e-9)
    kept = offsets[rolled + 1] - offsets[rolled]
    chosen[near] = (offsets[rolled] + (share * kept).astype(np.int64))[near]
    return _Turn(ahead, children[chosen], values[chosen], classes[chosen], chosen == best[rolled])


def _turn_of_slice(
    nets: Nets,
    boards: Boards,
    dice: NDArray[np.int8],
    chance: NDArray[np.float64],
    config: TrainConfig,
    rows: slice,
) -> _Turn:
    return _turn(nets, boards[rows], dice[rows], chance[rows], config)


def _trained_class(classes: NDArray[np.int8], config: TrainConfig) -> NDArray[np.bool_]:
    """Whether boards of these classes are what the net learns."""
    if config.position_class == "race":
        return np.asarray(classes == PositionClass.RACE)
    if config.position_class == "crashed":
        return np.asarray(classes == PositionClass.CRASHED)
    contact = (classes == PositionClass.CONTACT) | (classes == PositionClass.CRASHED)
    with_races = config.position_class == "prune" or not config.race
    return np.asarray(contact | (classes == PositionClass.RACE) if with_races else contact)


def new_games(nets: Nets, count: int, generator: np.random.Generator, starts: Boards) -> Games:
    """Games that begin from boards drawn from ``starts``."""
    boards = starts[generator.integers(len(starts), size=count)].copy()
    singles = np.arange(count + 1, dtype=np.int64)
    values, _ = child_values(nets, boards, boards, singles)
    return Games(boards, values, np.zeros(count, np.int64))


def play_round(
    nets: Nets, games: Games, generator: np.random.Generator, config: TrainConfig, starts: Boards
) -> tuple[Games, Round]:
    """Play ``config.turns`` turns of every game; targets of every position of the trained class.

    A game that leaves the classes in training (over, a database, a race with its own net) is
    followed by a new one in its place.
    """
    count, turns = len(games.boards), config.turns
    boards, values, played = games.boards, games.values, games.played
    record = np.empty((turns, count, 2, 25), np.int8)
    ahead = np.empty((turns, count, 6), np.float32)
    own = np.empty((turns, count, 6), np.float32)
    linked = np.empty((turns, count), bool)
    trained = np.empty((turns, count), bool)
    races: list[Boards] = []
    for t in range(turns):
        first_turn = (played == 0)[:, None] & (not config.boards)
        dice = np.where(first_turn, opening_rolls(generator, count), roll_dice(generator, count))
        chance = generator.random(count)
        record[t], own[t] = boards, values
        trained[t] = _trained_class(classify(boards), config)
        pieces = map_slices(
            partial(_turn_of_slice, nets, boards, dice, chance, config),
            count,
            _PARENTS_PER_SLICE if config.rolls == "all" else 21 * _PARENTS_PER_SLICE,
        )
        ahead[t] = np.concatenate([p.ahead for p in pieces])
        boards = np.concatenate([p.boards for p in pieces])
        values = np.concatenate([p.values for p in pieces])
        classes = np.concatenate([p.classes for p in pieces])
        best = np.concatenate([p.best for p in pieces])
        races.append(boards[classes == PositionClass.RACE])
        played = played + 1
        exact = np.isin(classes, _EXACT)
        if config.race and config.position_class != "race":
            exact |= classes == PositionClass.RACE
        ended = exact | (played >= config.max_game_turns)
        linked[t] = best & ~ended
        if ended.any():
            fresh = new_games(nets, int(ended.sum()), generator, starts)
            boards[ended], values[ended], played[ended] = fresh.boards, fresh.values, 0
    targets = _targets(ahead, own, values, linked, config.trace)
    error = ((ahead - own)[trained] @ OUTCOME_EQUITIES).astype(np.float64)
    residual = float(np.sqrt(np.mean(error**2))) if len(error) else 0.0
    found = record[trained]
    alone = np.arange(len(found))
    round_ = Round(found, targets[trained], alone, np.concatenate(races), residual)
    return Games(boards, values, played), round_


def _targets(
    ahead: NDArray[np.float32],
    own: NDArray[np.float32],
    last: NDArray[np.float32],
    linked: NDArray[np.bool_],
    trace: float,
) -> NDArray[np.float32]:
    """Targets float32[turns, games, 6], from the last turn back; ``last`` is of their shape."""
    targets = np.empty_like(ahead)
    correction = np.zeros_like(last)
    for t in range(len(ahead) - 1, -1, -1):
        targets[t] = ahead[t] + trace * linked[t][:, None] * correction[:, INVERTED_OUTCOMES]
        correction = targets[t] - own[t]
    return targets


def teacher_round(
    nets: Nets, games: Games, generator: np.random.Generator, config: TrainConfig, starts: Boards
) -> tuple[Games, Round]:
    """As ``play_round``, but the targets are the net's own values of every play that it saw.

    For distilling: ``nets.main`` are the teachers, whose mean plays; pruning nets drop the plays
    that are not worth learning.
    """
    seen: list[Boards] = []
    values: list[NDArray[np.float32]] = []
    rolls: list[NDArray[np.int64]] = []
    for turn in range(config.turns):
        count = len(games.boards)
        children, offsets = plays_slice(games.boards, roll_dice(generator, count))
        random = generator.random(count) < config.random_plays
        drawn = np.where(random, generator.integers(offsets[:-1], offsets[1:]), -1)
        parents = swap(games.boards)
        for net, keep in zip(nets.prune, config.keep, strict=False):
            children, offsets, drawn = _pruned(net, parents, children, offsets, drawn, keep)
        known, classes = child_values(nets, parents, children, offsets)
        best = lowest(known @ OUTCOME_EQUITIES, offsets)
        near = generator.random(count) < config.near_plays
        chosen = np.where(near, generator.integers(offsets[:-1], offsets[1:]), best)
        chosen = np.where(random, drawn, chosen)
        learned = _trained_class(classes, config)
        seen.append(children[learned])
        values.append(known[learned])
        rolls.append(np.repeat(turn * count + np.arange(count), np.diff(offsets))[learned])
        boards, played = children[chosen], games.played + 1
        # A pruning net learns races too; for all others the game ends there.
        first = PositionClass.RACE if config.position_class == "prune" else PositionClass.CRASHED
        ended = (classes[chosen] < first) | (played >= config.max_game_turns)
        boards[ended] = starts[generator.integers(len(starts), size=int(ended.sum()))]
        games = Games(boards, known[chosen], np.where(ended, 0, played))
    none = np.zeros((0, 2, 25), np.int8)
    found, targets = np.concatenate(seen), np.concatenate(values)
    return games, Round(found, targets, np.concatenate(rolls), none, 0.0)


def start_boards(path: str) -> Boards:
    """The boards that games begin from: a .npy file's, or the start position."""
    if not path:
        return START[None].copy()
    try:
        boards = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path}: not a .npy file of numbers ({error})") from error
    if not isinstance(boards, np.ndarray):
        raise ValueError(f"{path}: several arrays: expected one, int8[n, 2, 25]")
    boards = np.asarray(boards)
    if boards.shape[1:] != (2, 25) or boards.dtype != np.int8 or not len(boards):
        raise ValueError(f"{path}: expected int8[n, 2, 25], found {boards.dtype}{boards.shape}")
    fit = possible(boards) & np.all(boards.any(axis=2), axis=1)
    if not fit.all():
        raise ValueError(f"{path}: board {int(np.argmin(fit))} is no position to play from")
    return np.ascontiguousarray(boards)
