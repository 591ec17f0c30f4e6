"""Self-play of many games in step, and the targets for fitting.

In a round every game plays ``turns`` turns. In each turn all plays (of all 21 rolls, or of the
actual roll only) are valued at once. The best play of each roll gives the position's value one roll
ahead. Then the dice decide how the game continues.

A position's target is its value one roll ahead, plus a correction from every later position of the
game: its value one roll ahead less the net's own value, multiplied by ``trace`` for each turn
between. Corrections contain no luck, since they are means over the rolls: this is TD(lambda)
(Sutton 1988) without the dice, similar to variance reduction in rollouts. With ``rolls="one"`` the
same sum is plain TD(lambda).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import START, Boards
from gnubg_py.dice import opening_rolls, roll_dice
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.router import EXACT
from gnubg_py.probabilities import INVERTED_OUTCOMES, OUTCOME_EQUITIES
from gnubg_py.search.sieve import Kept

from .config import TrainConfig
from .games import NO_BOARDS, Round, SelfPlayGames, Starts
from .hard import with_new
from .moves import (
    Look,
    Moves,
    Nets,
    Rolling,
    child_values,
    looked_at,
    make_moves,
    trained_class,
)


def new_games(nets: Nets, boards: Boards) -> SelfPlayGames:
    """Games that begin from boards."""
    singles = np.arange(len(boards) + 1, dtype=np.int64)
    values, _ = child_values(nets, boards, boards, singles)
    return SelfPlayGames(boards, values, np.zeros(len(boards), np.int64))


@dataclass(frozen=True)
class _Turn:
    """A turn of every game: positions, values, and whether the next turn continues the game."""

    boards: Boards
    own: NDArray[np.float32]  # float32[g, 6], the net's values
    ahead: NDArray[np.float32]  # float32[g, 6], the values one roll ahead
    linked: NDArray[np.bool_]  # whether the best play was made and the game did not end
    trained: NDArray[np.bool_]  # whether the net learns the positions
    races: Boards  # races met
    siblings: Boards  # plays of the roll before that were not made, int8[s, 2, 25]
    sibling_values: NDArray[np.float32]  # float32[s, 6], their values one roll ahead
    sibling_games: NDArray[np.int64]  # int64[s], the game of each


@dataclass(frozen=True)
class _Others:
    """Plays not made in the turn before, which are valued one roll ahead like those made."""

    boards: Boards
    games: NDArray[np.int64]


_NO_OTHERS = _Others(NO_BOARDS, np.zeros(0, np.int64))


def play_round(
    nets: Nets,
    games: SelfPlayGames,
    generator: np.random.Generator,
    config: TrainConfig,
    starts: Starts,
    wanted: int,
) -> tuple[SelfPlayGames, Round]:
    """Play up to ``config.turns`` turns of every game; return targets for the trained class.

    No turn begins after ``wanted`` positions have been met. When a game leaves the classes in
    training (it is over, in a database, or a race with its own net), a new one replaces it.
    """
    turns: list[_Turn] = []
    met = 0
    others = _NO_OTHERS
    while len(turns) < config.turns and met < wanted:
        games, turn, others = _play_turn(nets, games, others, generator, config, starts)
        turns.append(turn)
        met += int(turn.trained.sum()) + len(turn.siblings)
    boards, own, ahead, linked, trained = (
        np.stack([getattr(turn, name) for turn in turns])
        for name in ("boards", "own", "ahead", "linked", "trained")
    )
    targets = _targets(ahead, own, games.values, linked, config.trace)
    error = ((ahead - own)[trained] @ OUTCOME_EQUITIES).astype(np.float64)
    residual = float(np.sqrt(np.mean(error**2))) if len(error) else 0.0
    if config.hard_boards:
        games = replace(games, hard=with_new(games.hard, boards[trained], error, config.hard_kept))
    races = np.concatenate([turn.races for turn in turns])
    rolls = np.arange(boards.shape[0] * boards.shape[1]).reshape(trained.shape)[trained]
    found = Round(boards[trained], targets[trained], rolls, races, residual)
    if config.siblings:
        found = _with_siblings(found, turns, targets - ahead)
    return games, found


def _with_siblings(found: Round, turns: list[_Turn], corrections: NDArray[np.float32]) -> Round:
    """Add the plays that were not made to those that were made.

    What the game corrected in the value of the play that was made, ``corrections`` float32[turns,
    games, 6], corrects the other play too. So both have the same noise, and their difference is
    that of their values one roll ahead.
    """
    count = len(turns[0].boards)
    values = [
        turn.sibling_values + correction[turn.sibling_games]
        for turn, correction in zip(turns, corrections, strict=True)
    ]
    rolls = np.concatenate([t * count + turn.sibling_games for t, turn in enumerate(turns)])
    rolls = np.concatenate([found.rolls, rolls])
    boards = np.concatenate([found.boards, *(turn.siblings for turn in turns)])
    targets = np.concatenate([found.targets, *values])
    order = np.argsort(rolls, kind="stable")
    return replace(found, boards=boards[order], targets=targets[order], rolls=rolls[order])


def _dice_of(games: SelfPlayGames, generator: np.random.Generator) -> NDArray[np.int8]:
    """The roll of each game, int8[n, 2]; a game that begins at the start has no double first."""
    opening = (games.played == 0) & (games.boards == START).all(axis=(1, 2))
    openings = opening_rolls(generator, len(games.boards))
    return np.where(opening[:, None], openings, roll_dice(generator, len(games.boards)))


def _play_turn(
    nets: Nets,
    games: SelfPlayGames,
    others: _Others,
    generator: np.random.Generator,
    config: TrainConfig,
    starts: Starts,
) -> tuple[SelfPlayGames, _Turn, _Others]:
    count = len(games.boards)
    rolled = Rolling(games.boards, _dice_of(games, generator), generator.random(count))
    made, ahead = _looked_at(nets, config, rolled, others)
    played = games.played + 1
    ended = np.isin(made.classes, EXACT) | (played >= config.max_game_turns)
    if config.race and config.position_class != "race":
        ended |= made.classes == PositionClass.RACE
    races = made.boards[made.classes == PositionClass.RACE]
    trained = trained_class(classify(games.boards), config)
    turn = _Turn(
        games.boards,
        games.values,
        made.ahead,
        made.best & ~ended,
        trained,
        races,
        others.boards,
        ahead,
        others.games,
    )
    after = replace(games, boards=made.boards, values=made.values, played=played)
    left = np.flatnonzero(made.has_other & ~ended)
    if ended.any():
        fresh = new_games(nets, starts(int(ended.sum()), generator, games.hard))
        after.boards[ended], after.values[ended] = fresh.boards, fresh.values
        after.played[ended] = 0
    return after, turn, _Others(made.others[left], left)


def _looked_at(
    nets: Nets, config: TrainConfig, games: Rolling, others: _Others
) -> tuple[Moves, NDArray[np.float32]]:
    """The moves of the games, and float32[s, 6], the values of ``others`` one roll ahead."""
    count, extra = len(games.boards), len(others.boards)
    both = Rolling(
        np.concatenate([games.boards, others.boards]),
        np.concatenate([games.dice, np.ones((extra, 2), np.int8)]),
        np.concatenate([games.chance, np.ones(extra)]),
    )
    moves = make_moves(nets, config, both)
    rows = {field.name: getattr(moves, field.name)[:count] for field in fields(Moves)}
    return Moves(**rows), moves.ahead[count:]


def _targets(
    ahead: NDArray[np.float32],
    own: NDArray[np.float32],
    last: NDArray[np.float32],
    linked: NDArray[np.bool_],
    trace: float,
) -> NDArray[np.float32]:
    """Targets float32[turns, games, 6], computed from the last turn back."""
    targets = np.empty_like(ahead)
    correction = np.zeros_like(last)
    for t in range(len(ahead) - 1, -1, -1):
        targets[t] = ahead[t] + trace * linked[t][:, None] * correction[:, INVERTED_OUTCOMES]
        correction = targets[t] - own[t]
    return targets


def teacher_round(
    nets: Nets,
    games: SelfPlayGames,
    generator: np.random.Generator,
    config: TrainConfig,
    starts: Starts,
    wanted: int,
) -> tuple[SelfPlayGames, Round]:
    """Play as in ``play_round``; the targets are the nets' own values of all plays evaluated.

    This is for distilling: ``nets.main`` are the teachers, whose mean chooses the plays. Pruning
    nets drop the plays that need no learning.
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


@dataclass(frozen=True)
class _Taught:
    """A turn of games with teachers: the positions after it, and what is learned."""

    boards: Boards
    values: NDArray[np.float32]
    classes: NDArray[np.int8]
    learned: Boards
    targets: NDArray[np.float32]
    games: NDArray[np.int64]  # of those learned


def _teacher_turn(
    nets: Nets,
    games: SelfPlayGames,
    generator: np.random.Generator,
    config: TrainConfig,
    starts: Starts,
    turn: int,
) -> tuple[SelfPlayGames, Round]:
    count = len(games.boards)
    rolled = Rolling(games.boards, _dice_of(games, generator), generator.random(count))

    def work(seen: Look, rows: slice, kept: Kept) -> _Taught:
        plays, made = kept.which, seen.made
        played = np.repeat(np.arange(rows.start, rows.stop), np.diff(kept.offsets))
        learned = trained_class(seen.classes[plays], config)
        return _Taught(
            *(seen.boards[made], seen.values[made], seen.classes[made]),
            *(seen.boards[plays[learned]], seen.values[plays[learned]], played[learned]),
        )

    parts = looked_at(nets, config, rolled, 1, work)
    boards, values, classes, learned, targets, of_games = (
        np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(_Taught)
    )
    found = Round(learned, targets, turn * count + of_games, NO_BOARDS, 0.0)
    played = games.played + 1
    # A pruning net learns races too; for other nets the game ends there.
    first = PositionClass.RACE if config.position_class == "prune" else PositionClass.CRASHED
    ended = (classes < first) | (played >= config.max_game_turns)
    boards[ended] = starts(int(ended.sum()), generator)
    after = replace(games, boards=boards, values=values, played=np.where(ended, 0, played))
    return after, found
