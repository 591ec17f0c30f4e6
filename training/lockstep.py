"""Whole games between two choosers, all games a turn at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import CHECKERS, MOVER, OTHER, START, Boards
from gnubg_py.dice import opening_rolls, roll_dice
from gnubg_py.evaluate.choice import Chooser, lowest
from gnubg_py.messages import progress
from gnubg_py.plays import plays_batch

Evaluator = Callable[[Boards], NDArray[np.float32]]
HOME_OF_WINNER = 18  # a loser's checker from this index on makes the game a backgammon
MAX_TURNS = 2000

EQUITY = np.array([2.0, 1.0, 1.0, -1.0, -1.0])
"""Cubeless equity is these times gnubg's five, less 1."""


@dataclass(frozen=True)
class Record:
    """Games played: their results, and every position met if they were kept."""

    points: NDArray[np.int64]  # int64[games]: to the first chooser, -3 to 3; 0 if never finished
    boards: Boards  # int8[m, 2, 25], before the roll
    game: NDArray[np.int64]  # int64[m], the game of each position
    on_roll: NDArray[np.int64]  # int64[m], the chooser on roll: 0 or 1


def points_won(finished: Boards) -> NDArray[np.int64]:
    """1, 2 or 3 points that row 1, which has borne off its last checker, wins of row 0."""
    loser = finished[:, MOVER]
    gammon = loser.sum(axis=1, dtype=np.int64) == CHECKERS
    return np.asarray(1 + gammon + (gammon & loser[:, HOME_OF_WINNER:].any(axis=1)))


def play_games(
    choosers: tuple[Chooser, Chooser], pairs: int, seed: int, *, keep: bool = False
) -> Record:
    """Play ``2 * pairs`` games: the two of a pair have the same dice, with the sides changed.

    Games 2k and 2k + 1 are a pair; the first chooser begins the even games.
    """
    generator = np.random.default_rng(seed)
    games = 2 * pairs
    boards = np.repeat(START[None], games, axis=0)
    points = np.zeros(games, np.int64)
    live = np.arange(games)
    kept: list[tuple[Boards, NDArray[np.int64], NDArray[np.int64]]] = []
    with progress(games, "games") as bar:
        for turn in range(MAX_TURNS):
            rolls = (opening_rolls if turn == 0 else roll_dice)(generator, pairs)
            seats = (live + turn) % 2
            if keep:
                kept.append((boards[live], live, seats))
            boards[live] = _play_turn(choosers, seats, boards[live], rolls[live // 2])
            ended = ~boards[live, OTHER].any(axis=1)
            won = points_won(boards[live[ended]])
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
        candidates, offsets = plays_batch(boards[mine], dice[mine])
        after[mine] = candidates[chooser(boards[mine], dice[mine], candidates, offsets)]
    return after


def mean_and_error(record: Record) -> tuple[float, float]:
    """Points per game of the first chooser, and the standard error, from pairs of games."""
    by_pair = record.points.reshape(-1, 2).mean(axis=1)
    return float(by_pair.mean()), float(by_pair.std(ddof=1) / np.sqrt(len(by_pair)))


def random_chooser(seed: int) -> Chooser:
    """Any legal play, each as likely."""
    generator = np.random.default_rng(seed)

    def choose(
        boards: Boards, dice: NDArray[np.int8], candidates: Boards, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        return generator.integers(offsets[:-1], offsets[1:])

    return choose


def leaf_chooser(evaluator: Evaluator) -> Chooser:
    """The play after which the opponent's cubeless equity is lowest; a finished game is exact."""

    def choose(
        boards: Boards, dice: NDArray[np.int8], candidates: Boards, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        equity = evaluator(candidates) @ EQUITY - 1.0
        ended = ~candidates[:, OTHER].any(axis=1)
        equity[ended] = -points_won(candidates[ended])
        return lowest(equity, offsets)

    return choose
