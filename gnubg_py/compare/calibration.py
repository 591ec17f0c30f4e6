"""Calibration: compare an evaluator's chances of wins and gammons with the results of games.

A player plays games against itself. One random position of each game is evaluated and compared with
the result of the game; all positions of a game share one result, so more of them would add little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.compare.duel import play_duel
from gnubg_py.compare.players import Player

BINS = 10
_MOST_GAMES = 100_000
"""All positions of the games are kept in memory: some 3 KB a game."""
CALIBRATED = ("win", "win gammon", "lose gammon")
_COLUMNS = (0, 1, 3)  # of gnubg's five


@dataclass(frozen=True)
class Bin:
    """Positions with similar chances: their number, the mean estimate, the share observed."""

    n: int
    predicted: float
    observed: float
    standard_error: float


@dataclass(frozen=True)
class Calibration:
    """One player's calibration. ``bins`` of each outcome have positions, and rising chances.

    ``error``: for each outcome the mean over positions of the distance between the mean estimate
    of a bin and the share observed. ``brier``: the mean squared error of each chance; lower is
    better, and estimates that distinguish positions are rewarded.
    """

    player: str
    positions: int
    bins: dict[str, list[Bin]]
    error: dict[str, float]
    brier: dict[str, float]


@dataclass(frozen=True)
class SelfPlay:
    """Positions int8[n, 2, 25], and points int64[n] that the side on roll won, -3 to 3."""

    boards: Boards
    points: NDArray[np.int64]


def sample_games(player: Player, games: int, seed: int) -> SelfPlay:
    """Play ``games`` games of a player against itself, and choose a random position of each."""
    if not 2 <= games <= _MOST_GAMES or games % 2:
        raise ValueError(f"games {games}: should be an even number, 2 to {_MOST_GAMES:,}")
    record = play_duel((player.choose, player.choose), games // 2, seed, keep=True)
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(record.game))
    _, first = np.unique(record.game[order], return_index=True)
    rows = order[first]
    points = record.points[record.game[rows]]
    points = np.where(record.on_roll[rows] == 0, points, -points)
    return SelfPlay(record.boards[rows[points != 0]], points[points != 0])


def calibrations(players: Sequence[Player], sample: SelfPlay) -> list[Calibration]:
    """The calibration of every player that values positions."""
    able = [player for player in players if player.evaluator is not None]
    return [calibration_of(p.name, p.probabilities(sample.boards), sample.points) for p in able]


def calibration_of(name: str, five: NDArray[np.float32], points: NDArray[np.int64]) -> Calibration:
    """Compare estimated chances ``[n, 5]`` with points won ``int64[n]``."""
    came = {"win": points > 0, "win gammon": points > 1, "lose gammon": points < -1}
    bins: dict[str, list[Bin]] = {}
    error: dict[str, float] = {}
    brier: dict[str, float] = {}
    for outcome, column in zip(CALIBRATED, _COLUMNS, strict=True):
        chance = five[:, column].astype(np.float64)
        bins[outcome] = _bins(chance, came[outcome])
        gaps = [b.n * abs(b.predicted - b.observed) for b in bins[outcome]]
        error[outcome] = sum(gaps) / max(len(points), 1)
        brier[outcome] = float(np.mean((chance - came[outcome]) ** 2))
    return Calibration(name, len(points), bins, error, brier)


def _bins(chance: NDArray[np.float64], came: NDArray[np.bool_]) -> list[Bin]:
    place = np.minimum((chance * BINS).astype(np.int64), BINS - 1)
    found = []
    for number in range(BINS):
        rows = place == number
        n = int(rows.sum())
        if n:
            observed = float(came[rows].mean())
            error = float(np.sqrt(max(observed * (1 - observed), 0.25 / n) / n))
            found.append(Bin(n, float(chance[rows].mean()), observed, error))
    return found
