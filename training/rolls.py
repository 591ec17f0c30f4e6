"""Rolls nets: the number of rolls that one side needs in a race, learned from its own play.

A side plays alone, and each play leaves it the fewest expected rolls. Its chances of 0, 1, 2 ...
rolls are the mean over the 21 rolls of those of the best successor, one roll later. The one-sided
database knows sides with all checkers home. Every target is a mean over all rolls, so it contains
no luck. A side is stored as a board whose other side is empty.

``gnubg-py train FOLDER --position-class rolls --boards races.npy`` trains one. The boards are races
met in self-play; the run of a contact net writes them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import CHECKERS, HOME_POINTS, OTHER, Boards
from gnubg_py.dice import ROLL_INDEX, ROLL_PROBABILITIES, roll_dice
from gnubg_py.evaluators.race import roll_chances
from gnubg_py.groups import lowest
from gnubg_py.network.floats import fast_net
from gnubg_py.network.forward import AnyNet
from gnubg_py.network.weights import ROLLS_COUNTED, Weights, load_weights
from gnubg_py.plays import all_rolls

from .config import TrainConfig
from .fit import Fitter
from .games import (
    NO_BOARDS,
    Round,
    SelfPlayGames,
    TrainingTask,
    joined_rounds,
    read_boards,
)
from .scores import score_net

_COUNTS = np.arange(ROLLS_COUNTED, dtype=np.float32)


def rolls_task(config: TrainConfig) -> TrainingTask:
    """The training task of a rolls net: play of one side alone."""
    starts = starting_sides(config.boards)
    chooser = fast_net(load_weights(Path(config.prune[0]))) if config.prune else None

    def begin(fitter: Fitter, generator: np.random.Generator) -> SelfPlayGames:
        count = min(config.games, config.positions)
        return _games(draw_sides(starts, count, config.thinned, generator))

    def play(
        weights: Weights, games: SelfPlayGames, generator: np.random.Generator, wanted: int
    ) -> tuple[SelfPlayGames, Round]:
        net = fast_net(weights)
        turns = min(config.turns, -(-wanted // len(games.boards)))
        rounds: list[Round] = []
        sides = games.boards
        for _ in range(turns):
            sides, found = play_rolls(net, chooser or net, sides, generator)
            rounds.append(found)
            home = ~sides[:, 0, HOME_POINTS:].any(axis=1)
            sides[home] = draw_sides(starts, int(home.sum()), config.thinned, generator)
        return _games(sides), joined_rounds(rounds)

    def residual(weights: Weights, boards: Boards) -> float:
        net = fast_net(weights)
        return play_rolls(net, chooser or net, boards, np.random.default_rng(0))[1].residual

    return TrainingTask(begin, play, score_net, residual)


def _games(sides: Boards) -> SelfPlayGames:
    return SelfPlayGames(
        sides, np.zeros((len(sides), 0), np.float32), np.zeros(len(sides), np.int64)
    )


def starting_sides(path: str) -> Boards:
    """The single sides of races in a file that are not all home yet, ``int8[n, 2, 25]``."""
    rows = read_boards(path).reshape(-1, 25)
    away = rows[:, HOME_POINTS:].any(axis=1) & (rows[:, 24] == 0)
    if not away.any():
        raise ValueError(f"{path}: no race in it with a checker outside its home")
    return alone(rows[away])


def alone(rows: NDArray[np.int8]) -> Boards:
    """Boards with one side only, ``int8[n, 25] -> int8[n, 2, 25]``."""
    boards = np.zeros((len(rows), 2, 25), np.int8)
    boards[:, 0] = rows
    return boards


def draw_sides(
    starts: Boards, count: int, thinned: float, generator: np.random.Generator
) -> Boards:
    """``count`` random sides to begin from, int8[count, 2, 25].

    A share ``thinned`` of them has fewer checkers. At least one checker is outside the home.
    """
    sides = starts[generator.integers(len(starts), size=count)]
    stay = np.where(generator.random(count) < thinned, generator.random(count), 1.0)
    fewer = generator.binomial(sides, stay[:, None, None]).astype(np.int8)
    away = fewer[:, 0, HOME_POINTS:].max(axis=1) > 0
    return np.where(away[:, None, None], fewer, sides)


def _best(chances: NDArray[np.float32], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row with the fewest expected rolls in each group."""
    return lowest(chances @ _COUNTS, offsets)


def _backed_up(chances: NDArray[np.float32]) -> NDArray[np.float32]:
    """Chances of sides, float32[n, 48], from those of their 21 best successors each."""
    mean = np.einsum("srk,r->sk", chances.reshape(-1, 21, ROLLS_COUNTED), ROLL_PROBABILITIES)
    later = np.zeros_like(mean, np.float32)
    later[:, 1:] = mean[:, :-1]
    later[:, -1] += mean[:, -1]
    return later


def play_rolls(
    net: AnyNet, chooser: AnyNet, sides: Boards, generator: np.random.Generator
) -> tuple[Boards, Round]:
    """Play one roll for every side: the sides after it, int8[n, 2, 25], and their targets.

    ``chooser`` chooses the successors that ``net`` values. Targets float32[n, 96] are the chances
    of 0 to 47 rolls to bear off, then of as many to the first checker.
    """
    rows = np.ascontiguousarray(sides[:, 0])
    children, offsets = all_rolls(sides)
    after = np.ascontiguousarray(children[:, OTHER])
    judged = roll_chances(chooser, after)
    best, soonest = _best(judged.bearoff, offsets), _best(judged.first, offsets)
    bearoff = _backed_up(roll_chances(net, after[best]).bearoff)
    first = _backed_up(roll_chances(net, after[soonest]).first)
    started = rows.sum(axis=1, dtype=np.int64) < CHECKERS
    first[started] = 0
    first[started, 0] = 1
    misses = (bearoff - roll_chances(net, rows).bearoff) @ _COUNTS
    targets = np.concatenate([bearoff, first], axis=1)
    residual = float(np.sqrt(np.mean(misses.astype(np.float64) ** 2)))
    dice = roll_dice(generator, len(rows))
    rolled = np.arange(len(rows)) * 21 + ROLL_INDEX[dice[:, 0], dice[:, 1]]
    found = Round(sides, targets, np.arange(len(sides)), NO_BOARDS, residual)
    return alone(after[best[rolled]]), found
