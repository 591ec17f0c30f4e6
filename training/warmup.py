"""Warm-up of random weights: fit the rule that the leader in the race wins.

Nets with random weights play games of thousands of turns and learn little from them. A net that was
fitted to the pip count for some seconds brings its checkers home, hits to delay the opponent, and
finishes games; self-play corrects the rest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards, pip_count

from .config import TrainConfig
from .fit import Fitter, add, fit, new_buffer
from .games import Starts
from .moves import Nets
from .selfplay import new_games, play_round

_ROUNDS, _TURNS, _BATCHES = 2, 60, 600
_SPREAD = 30.0
_GAMMONS = 0.25


def pip_outcomes(boards: Boards) -> NDArray[np.float32]:
    """Six outcomes guessed from the pip counts alone, ``int8[n, 2, 25] -> float32[n, 6]``."""
    pips = pip_count(boards)
    win = 1 / (1 + np.exp((pips[:, 0] - pips[:, 1] - 4) / _SPREAD))
    shares = np.array([1 - _GAMMONS, _GAMMONS, 0])
    return np.concatenate(
        [win[:, None] * shares, (1 - win)[:, None] * shares], axis=1, dtype=np.float32
    )


def warm_up(
    fitter: Fitter, nets: Nets, config: TrainConfig, generator: np.random.Generator, starts: Starts
) -> None:
    """Fit the guess on positions of random play."""
    random = replace(config, rolls="one", random_plays=1.0, turns=_TURNS, max_game_turns=_TURNS)
    games = new_games(nets, starts(config.games, generator))
    most = _ROUNDS * _TURNS * config.games
    buffer = new_buffer(most)
    for _ in range(_ROUNDS):
        games, found = play_round(nets, games, generator, random, starts, most)
        add(buffer, found.boards, pip_outcomes(found.boards), found.rolls)
    if buffer.filled:
        fit(fitter, buffer, _BATCHES, config, 0)
