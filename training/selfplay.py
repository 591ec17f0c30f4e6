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
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gnubg_py.board import START, Boards, swap
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
from .games import NO_BOARDS, Games, Round, Starts
from .net import TrainingNet, outcomes

_PARENTS_PER_SLICE = 64
_EXACT = (PositionClass.OVER, PositionClass.BEAROFF1, PositionClass.BEAROFF2)


@dataclass(frozen=True)
class Nets:
    """Who plays: the net in training, or the mean of its teachers; where races have a net, it."""

    main: tuple[TrainingNet, ...]
    race: Evaluator | None = None
    prune: tuple[TrainingNet, ...] = ()


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
class _Moves:
    """The plays that games made."""

    ahead: NDArray[np.float32]  # float32[g, 6], the value of the position before, one roll ahead
    boards: Boards  # after the play
    values: NDArray[np.float32]  # float32[g, 6], the net's values after the play
    classes: NDArray[np.int8]
    best: NDArray[np.bool_]  # whether it was the best play


def _move(
    nets: Nets,
    config: TrainConfig,
    boards: Boards,
    dice: NDArray[np.int8],
    chance: NDArray[np.float64],
) -> _Moves:
    """Look at all plays of all rolls, or of the roll that came, and make a play of that.

    ``chance`` float64[g] says whether a play is random or near, and its remainder which.
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
        children, offsets, drawn = _pruned(net, parents, children, offsets, drawn, keep)
    first = np.ascontiguousarray(offsets[::rolls_per_game])
    values, classes = child_values(nets, parents, children, first)
    best = lowest(values @ OUTCOME_EQUITIES, offsets)
    weights = ROLL_WEIGHTS / 36.0 if rolls_per_game == 21 else np.ones(1)
    of_best = values[best][:, INVERTED_OUTCOMES].reshape(games, rolls_per_game, 6)
    ahead = np.einsum("grk,r->gk", of_best, weights).astype(np.float32)
    near = _drawn(offsets, rolled, chance, config.random_plays, config.near_plays)
    chosen = np.where(drawn >= 0, drawn, np.where(near >= 0, near, best[rolled]))
    return _Moves(ahead, children[chosen], values[chosen], classes[chosen], chosen == best[rolled])


def _drawn(
    offsets: NDArray[np.int64],
    rolled: NDArray[np.int64],
    chance: NDArray[np.float64],
    least: float,
    share: float,
) -> NDArray[np.int64]:
    """A play of each roll in ``rolled`` where chance is in ``share`` from ``least``, else -1."""
    place = (chance - least) / max(share, 1e-9)
    plays = offsets[rolled + 1] - offsets[rolled]
    play = np.minimum((place * plays).astype(np.int64), plays - 1)
    return np.where((place >= 0) & (place < 1) & (share > 0), offsets[rolled] + play, -1)


def _moves(
    nets: Nets,
    config: TrainConfig,
    boards: Boards,
    dice: NDArray[np.int8],
    chance: NDArray[np.float64],
) -> _Moves:
    """As ``_move``, in slices on all threads."""

    def work(rows: slice) -> _Moves:
        return _move(nets, config, boards[rows], dice[rows], chance[rows])

    size = _PARENTS_PER_SLICE if config.rolls == "all" else 21 * _PARENTS_PER_SLICE
    slices = map_slices(work, len(boards), size)
    return _Moves(*(np.concatenate(parts) for parts in zip(*map(_columns, slices), strict=True)))


def _columns(moves: _Moves) -> tuple[NDArray[Any], ...]:
    return moves.ahead, moves.boards, moves.values, moves.classes, moves.best


def _trained_class(classes: NDArray[np.int8], config: TrainConfig) -> NDArray[np.bool_]:
    """Whether boards of these classes are what the net learns."""
    if config.position_class == "race":
        return np.asarray(classes == PositionClass.RACE)
    if config.position_class == "crashed":
        return np.asarray(classes == PositionClass.CRASHED)
    contact = (classes == PositionClass.CONTACT) | (classes == PositionClass.CRASHED)
    with_races = config.position_class == "prune" or not config.race
    return np.asarray(contact | (classes == PositionClass.RACE) if with_races else contact)


def new_games(nets: Nets, boards: Boards) -> Games:
    """Games that begin from boards."""
    singles = np.arange(len(boards) + 1, dtype=np.int64)
    values, _ = child_values(nets, boards, boards, singles)
    return Games(boards, values, np.zeros(len(boards), np.int64))


@dataclass(frozen=True)
class _Turn:
    """A turn of every game: positions, their values, and whether the next turn goes on from it."""

    boards: Boards
    own: NDArray[np.float32]  # float32[g, 6], the net's values
    ahead: NDArray[np.float32]  # float32[g, 6], the values one roll ahead
    linked: NDArray[np.bool_]  # whether the best play was made and the game did not end
    trained: NDArray[np.bool_]  # whether the net learns the positions
    races: Boards  # races met


def play_round(
    nets: Nets,
    games: Games,
    generator: np.random.Generator,
    config: TrainConfig,
    starts: Starts,
    wanted: int,
) -> tuple[Games, Round]:
    """Play up to ``config.turns`` turns of every game; targets of positions of the trained class.

    No turn is begun once ``wanted`` positions have been met. A game that leaves the classes in
    training (over, a database, a race with its own net) is followed by a new one in its place.
    """
    turns: list[_Turn] = []
    met = 0
    while len(turns) < config.turns and met < wanted:
        games, turn = _play_turn(nets, games, generator, config, starts)
        turns.append(turn)
        met += int(turn.trained.sum())
    boards, own, ahead, linked, trained = (
        np.stack([getattr(turn, name) for turn in turns])
        for name in ("boards", "own", "ahead", "linked", "trained")
    )
    targets = _targets(ahead, own, games.values, linked, config.trace)
    error = ((ahead - own)[trained] @ OUTCOME_EQUITIES).astype(np.float64)
    residual = float(np.sqrt(np.mean(error**2))) if len(error) else 0.0
    races = np.concatenate([turn.races for turn in turns])
    found = Round(boards[trained], targets[trained], np.arange(trained.sum()), races, residual)
    return games, found


def _play_turn(
    nets: Nets, games: Games, generator: np.random.Generator, config: TrainConfig, starts: Starts
) -> tuple[Games, _Turn]:
    boards = games.boards
    count = len(boards)
    opening = (games.played == 0) & (boards == START).all(axis=(1, 2))
    openings = opening_rolls(generator, count)
    dice = np.where(opening[:, None], openings, roll_dice(generator, count))
    made = _moves(nets, config, boards, dice, generator.random(count))
    played = games.played + 1
    ended = np.isin(made.classes, _EXACT) | (played >= config.max_game_turns)
    if config.race and config.position_class != "race":
        ended |= made.classes == PositionClass.RACE
    races = made.boards[made.classes == PositionClass.RACE]
    trained = _trained_class(classify(boards), config)
    turn = _Turn(boards, games.values, made.ahead, made.best & ~ended, trained, races)
    after = Games(made.boards, made.values, played)
    if ended.any():
        fresh = new_games(nets, starts(int(ended.sum()), generator))
        after.boards[ended], after.values[ended], after.played[ended] = (
            fresh.boards,
            fresh.values,
            0,
        )
    return after, turn


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
    nets: Nets,
    games: Games,
    generator: np.random.Generator,
    config: TrainConfig,
    starts: Starts,
    wanted: int,
) -> tuple[Games, Round]:
    """As ``play_round``, but the targets are the nets' own values of every play that they saw.

    For distilling: ``nets.main`` are the teachers, whose mean plays; pruning nets drop the plays
    that are not worth learning.
    """
    turns: list[Round] = []
    met = 0
    while len(turns) < config.turns and met < wanted:
        games, turn = _teacher_turn(nets, games, generator, config, starts, len(turns))
        turns.append(turn)
        met += len(turn.boards)
    boards, targets, rolls = (
        np.concatenate([getattr(turn, name) for turn in turns])
        for name in ("boards", "targets", "rolls")
    )
    return games, Round(boards, targets, rolls, NO_BOARDS, 0.0)


def _teacher_turn(
    nets: Nets,
    games: Games,
    generator: np.random.Generator,
    config: TrainConfig,
    starts: Starts,
    turn: int,
) -> tuple[Games, Round]:
    count = len(games.boards)
    children, offsets = plays_slice(games.boards, roll_dice(generator, count))
    random = generator.random(count) < config.random_plays
    drawn = np.where(random, generator.integers(offsets[:-1], offsets[1:]), -1)
    parents = swap(games.boards)
    for net, keep in zip(nets.prune, config.keep, strict=False):
        children, offsets, drawn = _pruned(net, parents, children, offsets, drawn, keep)
    values, classes = child_values(nets, parents, children, offsets)
    best = lowest(values @ OUTCOME_EQUITIES, offsets)
    near = generator.random(count) < config.near_plays
    chosen = np.where(near, generator.integers(offsets[:-1], offsets[1:]), best)
    chosen = np.where(random, drawn, chosen)
    learned = _trained_class(classes, config)
    rolls = np.repeat(turn * count + np.arange(count), np.diff(offsets))
    found = Round(children[learned], values[learned], rolls[learned], NO_BOARDS, 0.0)
    boards, played = children[chosen], games.played + 1
    # A pruning net learns races too; for all others the game ends there.
    first = PositionClass.RACE if config.position_class == "prune" else PositionClass.CRASHED
    ended = (classes[chosen] < first) | (played >= config.max_game_turns)
    boards[ended] = starts(int(ended.sum()), generator)
    return Games(boards, values[chosen], np.where(ended, 0, played)), found
