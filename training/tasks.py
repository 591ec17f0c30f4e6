"""The training task of a run: games of both sides, or one side's rolls in a race."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from gnubg_py.board import Boards
from gnubg_py.compare.rounding import rare_positions
from gnubg_py.evaluators.files import leaf_of_file
from gnubg_py.network.levels import integer_net
from gnubg_py.network.model import weights_of
from gnubg_py.network.quantise import quantise
from gnubg_py.network.weights import Weights

from .config import TrainConfig
from .fit import Fitter
from .games import NO_BOARDS, Round, SelfPlayGames, TrainingTask, starts_of
from .moves import Nets
from .net import helper_net, pruning_net, training_net
from .residual import residual_of, residuals, usual_positions
from .rolls import rolls_task
from .scores import score_net, training_router
from .selfplay import new_games, play_round, teacher_round
from .warmup import warm_up

_EVERY = 4
"""Every so many of the fixed positions measure the ranges of a net that plays rounded."""
_RARE = 1500
"""Rare positions measure them too, as many as suit this number of others."""


def task_of(config: TrainConfig) -> TrainingTask:
    """The training task of a run, after reading its helper nets and start boards."""
    return rolls_task(config) if config.position_class == "rolls" else self_play_task(config)


def self_play_task(config: TrainConfig) -> TrainingTask:
    """Games of both sides, played by the net in training unless it has teachers."""
    starts = starts_of(config)
    race = leaf_of_file(Path(config.race)) if config.race else None
    prune = tuple(pruning_net(Path(path)) for path in config.prune)
    teacher = tuple(helper_net(Path(path), config.precision) for path in config.teacher)
    measured = NO_BOARDS
    if config.play_rounded:
        rare = rare_positions(_RARE, config.seed)
        measured = np.concatenate([usual_positions()[::_EVERY], rare])

    def nets(weights: Weights) -> Nets:
        return Nets(teacher or (training_net(weights, config.precision),), race, prune)

    def player(weights: Weights, games: SelfPlayGames) -> Nets:
        if not config.play_rounded:
            return nets(weights)
        rounded = quantise(weights, np.concatenate([measured, games.boards]))
        return Nets((integer_net(rounded),), race, prune)

    def begin(fitter: Fitter, generator: np.random.Generator) -> SelfPlayGames:
        if not config.start and not config.teacher:
            warm_up(fitter, nets(weights_of(fitter.net)), config, generator, starts)
        boards = starts(min(config.games, config.positions), generator)
        return new_games(nets(weights_of(fitter.average)), boards)

    def play(
        weights: Weights, games: SelfPlayGames, generator: np.random.Generator, wanted: int
    ) -> tuple[SelfPlayGames, Round]:
        play_one = teacher_round if config.teaches_own_values else play_round
        return play_one(player(weights, games), games, generator, config, starts, wanted)

    def residual(weights: Weights, boards: Boards) -> float:
        return residual_of(residuals(training_router(weights, race), boards)).rms

    return TrainingTask(begin, play, partial(score_net, race=race), residual)
