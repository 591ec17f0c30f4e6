"""Lanes: groups of games that are played independently, each with dice of its own.

A round of one lane depends only on the net, the lane's games and its dice. So the workers of a
cluster may play lanes at the same time, and the results do not depend on the worker. A run without
a cluster plays them one after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
import torch

from gnubg_py.network.weights import Weights
from gnubg_py.workers import Workers, in_order

from .games import Round, SelfPlayGames, TrainingTask, joined_rounds


@dataclass(frozen=True, eq=False)
class Lane:
    """Games in progress, and the generator of their dice."""

    games: SelfPlayGames
    generator: np.random.Generator


def split_lanes(
    games: SelfPlayGames, generator: np.random.Generator, count: int, seed: int
) -> list[Lane]:
    """Divide games into lanes. The first lane keeps the generator; the others get their own."""
    generators = [generator, *(np.random.default_rng([seed, lane]) for lane in range(1, count))]
    return [Lane(_every(games, number, count), own) for number, own in enumerate(generators)]


def _every(games: SelfPlayGames, first: int, step: int) -> SelfPlayGames:
    """Every ``step``-th game, beginning with number ``first``."""
    return replace(
        games,
        boards=np.ascontiguousarray(games.boards[first::step]),
        values=np.ascontiguousarray(games.values[first::step]),
        played=np.ascontiguousarray(games.played[first::step]),
    )


def play_lane(task: TrainingTask, weights: Weights, lane: Lane, wanted: int) -> tuple[Lane, Round]:
    """Play a round of a lane, of at least ``wanted`` positions if the turns allow."""
    torch.set_num_threads(1)
    games, found = task.play(weights, lane.games, lane.generator, wanted)
    return Lane(games, lane.generator), found


def _play(shared: tuple[TrainingTask, Weights], item: tuple[Lane, int]) -> tuple[Lane, Round]:
    return play_lane(*shared, *item)


def play_lanes(
    task: TrainingTask, weights: Weights, lanes: Sequence[Lane], wanted: int, workers: Workers
) -> tuple[list[Lane], Round]:
    """Play a round of all lanes with one net; return the lanes after it, and the joined rounds."""
    share = -(-wanted // len(lanes))
    items = ((lane, share) for lane in lanes)
    with closing(in_order(workers.results(_play, (task, weights), items))) as played:
        results = list(played)
    return [lane for lane, _ in results], joined_rounds([found for _, found in results])
