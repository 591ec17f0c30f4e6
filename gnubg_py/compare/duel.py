"""Duels: cubeless money games between two players, with one turn of all games at a time.

Each set of dice is played twice with the sides exchanged, so that luck cancels in part: points per
game and their standard error come from pairs of games.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import CHECKERS, OTHER, Boards, start_position
from gnubg_py.compare.decisions import mean_and_error
from gnubg_py.compare.players import Player, leaf_chooser, random_chooser, workers_for
from gnubg_py.compare.strength import plus_minus
from gnubg_py.dice import opening_rolls, roll_dice
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.over import over
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.groups import Chooser
from gnubg_py.messages import progress
from gnubg_py.plays import plays_batch
from gnubg_py.threads import slices
from gnubg_py.workers import HERE, Workers, in_order, share_size

_MAX_TURNS = 2000
PAIRS_AT_ONCE = 1000
"""Pairs of games played side by side in a duel."""
_ALL = slice(None)


@dataclass(frozen=True)
class Record:
    """Games played: their results, and every position met if they were kept."""

    points: NDArray[np.int64]  # int64[games]: of the first chooser, -3 to 3; 0 if unfinished
    boards: Boards  # int8[m, 2, 25], before the roll
    game: NDArray[np.int64]  # int64[m], the game of each position
    on_roll: NDArray[np.int64]  # int64[m], the chooser on roll: 0 or 1


def points_won(finished: Boards, checkers: int = CHECKERS) -> NDArray[np.int64]:
    """The points, 1 to 3, that row 1 wins, having borne off its last checker."""
    return np.asarray(1 + over(finished, checkers)[:, 3:].sum(axis=1), np.int64)


def play_duel(
    choosers: tuple[Chooser, Chooser],
    pairs: int,
    seed: int | Sequence[int],
    *,
    keep: bool = False,
    variation: str = "standard",
    part: slice = _ALL,
) -> Record:
    """Play ``2 * pairs`` games; the two games of a pair have the same dice, with sides exchanged.

    Games 2k and 2k + 1 are a pair; the first chooser begins the even games. With ``part`` only
    those pairs are played, with the same dice as when all are played.
    """
    generator = np.random.default_rng(seed)
    games = 2 * len(range(pairs)[part])
    start = start_position(variation)
    checkers = int(start[0].sum())
    boards = np.repeat(start[None], games, axis=0)
    points = np.zeros(games, np.int64)
    live = np.arange(games)
    kept: list[tuple[Boards, NDArray[np.int64], NDArray[np.int64]]] = []
    with progress(games, "games") as bar:
        for turn in range(_MAX_TURNS):
            rolls = (opening_rolls if turn == 0 else roll_dice)(generator, pairs)[part]
            seats = (live + turn) % 2
            if keep:
                kept.append((boards[live], live, seats))
            boards[live] = _play_turn(choosers, seats, boards[live], rolls[live // 2])
            ended = ~boards[live, OTHER].any(axis=1)
            won = points_won(boards[live[ended]], checkers)
            points[live[ended]] = np.where(seats[ended] == 0, won, -won)
            bar.update(int(ended.sum()))
            live = live[~ended]
            if not len(live):
                break
    if not kept:
        return Record(points, boards[:0], np.empty(0, np.int64), np.empty(0, np.int64))
    return Record(points, *(np.concatenate(column) for column in zip(*kept, strict=True)))


def _play_turn(
    choosers: tuple[Chooser, Chooser],
    seats: NDArray[np.int64],
    boards: Boards,
    dice: NDArray[np.int8],
) -> Boards:
    after = np.empty_like(boards)
    for seat, chooser in enumerate(choosers):
        mine = np.flatnonzero(seats == seat)
        if len(mine):
            candidates, offsets = plays_batch(boards[mine], dice[mine])
            after[mine] = candidates[chooser(boards[mine], dice[mine], candidates, offsets)]
    return after


@dataclass(frozen=True)
class DuelResult:
    """The result of a duel; points are the first player's. Wins are single, gammon, backgammon.

    ``stopped``: whether Ctrl-C ended the duel before all games were played.
    """

    first: str
    second: str
    games: int
    seed: int
    points_per_game: float
    standard_error: float
    first_wins: tuple[int, ...]
    second_wins: tuple[int, ...]
    stopped: bool

    def __str__(self) -> str:
        lines = [
            f"{self.first} against {self.second}: {self.games:,} games, seed {self.seed}",
            f"{plus_minus(self.points_per_game, self.standard_error, 4, '+')} points per game "
            f"to {self.first}",
            f"{'won':<24}{'games':>8}{'single':>10}{'gammon':>10}{'backgammon':>12}",
        ]
        for name, wins in ((self.first, self.first_wins), (self.second, self.second_wins)):
            single, gammon, backgammon = wins
            lines.append(f"{name:<24}{sum(wins):>8}{single:>10}{gammon:>10}{backgammon:>12}")
        return "\n".join(lines)


def duel(
    first: Player, second: Player, games: int, seed: int = 0, workers: Workers = HERE
) -> DuelResult:
    """Play an even number of games; after Ctrl-C the result covers the finished blocks of games."""
    if games < 2 or games % 2:
        raise ValueError(
            f"games {games}: should be an even number, 2 or more: each set of dice is played twice"
        )
    if seed < 0:
        raise ValueError(f"seed {seed}: should be a whole number, 0 or above")
    workers = workers_for(workers, first, second)
    shared = _Duel(first, second, seed, _variation(first, second))
    played = in_order(workers.results(_play_part, shared, _parts(games // 2, workers)))
    points, stopped = [np.empty(0, np.int64)], False
    with progress(games, f"{first.name} against {second.name}") as bar, closing(played):
        try:
            for some in played:
                points.append(some)
                bar.update(len(some))
        except KeyboardInterrupt:
            stopped = True
            if len(points) == 1:
                raise
    return _result(first.name, second.name, seed, np.concatenate(points), stopped)


@dataclass(frozen=True)
class _Duel:
    """The data that all parts of a duel share."""

    first: Player
    second: Player
    seed: int
    variation: str


@dataclass(frozen=True)
class _Part:
    """Some pairs of a block of pairs."""

    block: int
    pairs: int
    part: slice


def _parts(pairs: int, workers: Workers) -> list[_Part]:
    """The parts of a duel, in order; each block of pairs has a seed of its own."""
    size = share_size(pairs, workers, PAIRS_AT_ONCE)
    return [
        _Part(number, block.stop - block.start, part)
        for number, block in enumerate(slices(pairs, PAIRS_AT_ONCE))
        for part in slices(block.stop - block.start, size)
    ]


def _play_part(shared: _Duel, one: _Part) -> NDArray[np.int64]:
    """The points of the games of a part."""
    choosers, seed = (shared.first.choose, shared.second.choose), (shared.seed, one.block)
    variation = shared.variation
    return play_duel(choosers, one.pairs, seed, variation=variation, part=one.part).points


def _variation(first: Player, second: Player) -> str:
    """The variation that both players can play."""
    named = {player.variation for player in (first, second) if player.variation is not None}
    if len(named) == 2:
        raise ValueError(
            f"{first.name} plays {first.variation}, {second.name} plays {second.variation}: "
            "a duel needs one variation"
        )
    return named.pop() if named else "standard"


def _result(
    first: str, second: str, seed: int, points: NDArray[np.int64], stopped: bool
) -> DuelResult:
    mean, error = mean_and_error(points.reshape(-1, 2).mean(axis=1))  # of pairs of games
    first_wins, second_wins = (
        tuple(int((sign * points == n).sum()) for n in (1, 2, 3)) for sign in (1, -1)
    )
    return DuelResult(
        first, second, len(points), seed, mean, error, first_wins, second_wins, stopped
    )


def random_play(n: int, seed: int) -> Boards:
    """At least ``n`` positions before the roll, from games between random players."""
    chooser = random_chooser(seed)
    return play_duel((chooser, chooser), n // 100 + 2, seed, keep=True).boards


def self_play(n: int, seed: int, evaluator: Evaluator) -> Boards:
    """``n`` contact positions before the roll, from games of an evaluator against itself."""
    chooser = leaf_chooser(evaluator)
    found: list[Boards] = []
    while sum(map(len, found)) < n:
        record = play_duel((chooser, chooser), n // 60 + 8, [seed, len(found)], keep=True)
        found.append(record.boards[classify(record.boards) == PositionClass.CONTACT])
    return np.concatenate(found)[:n]


def rolls_in_contact(boards: Boards, seed: int) -> tuple[Boards, NDArray[np.int64]]:
    """The plays of a random roll of each position, if there are several and all keep contact.

    Returns the plays int8[m, 2, 25], the opponent on roll, and offsets int64[rolls + 1].
    """
    plays, offsets = plays_batch(boards, roll_dice(np.random.default_rng(seed), len(boards)))
    contact = classify(plays) >= PositionClass.CRASHED
    sizes = np.diff(offsets)
    wanted = (np.add.reduceat(contact, offsets[:-1]) == sizes) & (sizes > 1)
    kept = np.concatenate([[0], np.cumsum(sizes[wanted])]).astype(np.int64)
    return plays[np.repeat(wanted, sizes)], kept
