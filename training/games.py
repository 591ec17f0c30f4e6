"""Games in progress, the rounds that they give, and the boards that they begin from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import START, Boards, possible
from gnubg_py.compare.decisions import Decisions
from gnubg_py.compare.late_contact import deal_late_contact
from gnubg_py.network.weights import Weights

from .config import TrainConfig
from .fit import Fitter
from .hard import NO_HARD, Hard, draw_hard


@dataclass(frozen=True)
class SelfPlayGames:
    """Games in progress: boards int8[g, 2, 25], their net values float32[g, k], turns played."""

    boards: Boards
    values: NDArray[np.float32]
    played: NDArray[np.int64]
    hard: Hard = NO_HARD
    """Positions with a large residual, from which new games may begin."""


@dataclass(frozen=True)
class Round:
    """The result of a round of play: boards and targets float32[n, k] to fit, and races met.

    ``rolls`` int64[n]: neighbours with the same number are plays of one roll.
    """

    boards: Boards
    targets: NDArray[np.float32]
    rolls: NDArray[np.int64]
    races: Boards
    residual: float
    """Root mean square of (value one roll ahead - net's own value), in points or rolls."""


def joined_rolls(numbers: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The numbers of rolls of several rounds, one after the other, changed so that they differ.

    >>> joined_rolls([np.array([0, 0, 1]), np.array([0, 2])]).tolist()
    [0, 0, 1, 2, 4]
    """
    counts = [int(one.max(initial=-1)) + 1 for one in numbers]
    first = np.cumsum([0, *counts])
    return np.concatenate([one + least for one, least in zip(numbers, first, strict=False)])


def joined_rounds(rounds: Sequence[Round]) -> Round:
    """Rounds joined to one."""
    if len(rounds) == 1:
        return rounds[0]
    residual = float(np.sqrt(np.mean([one.residual**2 for one in rounds])))
    return Round(
        np.concatenate([one.boards for one in rounds]),
        np.concatenate([one.targets for one in rounds]),
        joined_rolls([one.rolls for one in rounds]),
        np.concatenate([one.races for one in rounds]),
        residual,
    )


class PlayRound(Protocol):
    """Play a round with a net, of at least ``wanted`` positions if the turns allow."""

    def __call__(
        self, weights: Weights, games: SelfPlayGames, generator: np.random.Generator, wanted: int, /
    ) -> tuple[SelfPlayGames, Round]: ...


@dataclass(frozen=True)
class TrainingTask:
    """The functions that differ between nets of outcomes and nets of rolls."""

    begin: Callable[[Fitter, np.random.Generator], SelfPlayGames]
    """Prepare a new net for play, and start games."""
    play: PlayRound
    score: Callable[[Weights, Decisions], dict[str, float]]
    """The mean loss of a decision in thousandths of a point, by class."""
    residual: Callable[[Weights, Boards], float]
    """Root mean square of (value one roll ahead - net's own value) of positions of the buffer."""


NO_BOARDS: Boards = np.zeros((0, 2, 25), np.int8)


class Starts(Protocol):
    """Draw ``count`` boards that games begin from, int8[count, 2, 25], a new array."""

    def __call__(
        self, count: int, generator: np.random.Generator, hard: Hard | None = None, /
    ) -> Boards: ...


def starts_of(config: TrainConfig) -> Starts:
    """The boards that a run's games begin from, in the shares of its settings."""
    boards = read_boards(config.boards) if config.boards else START[None]
    mixed = config.late_contact or config.hard_boards or config.boards_share < 1

    def draw(count: int, generator: np.random.Generator, hard: Hard | None = None) -> Boards:
        out = boards[generator.integers(len(boards), size=count)]
        if not mixed:
            return out
        out[generator.random(count) >= config.boards_share] = START
        kind = generator.random(count)
        late = kind < config.late_contact
        out[late] = deal_late_contact(int(late.sum()), generator)
        again = ~late & (kind < config.late_contact + config.hard_boards)
        if hard is not None and len(hard.boards):
            out[again] = draw_hard(hard, int(again.sum()), generator)
        return out

    return draw


def read_boards(path: str) -> Boards:
    """The boards of a .npy file; ``ValueError`` if it has no boards to play from."""
    try:
        with open(path, "rb") as file:
            boards = np.lib.format.read_array(file, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path}: not a .npy file of numbers ({error})") from error
    if boards.shape[1:] != (2, 25) or boards.dtype != np.int8 or not len(boards):
        raise ValueError(f"{path}: expected int8[n, 2, 25], found {boards.dtype}{boards.shape}")
    fit = possible(boards) & np.all(boards.any(axis=2), axis=1)
    if not fit.all():
        raise ValueError(f"{path}: board {int(np.argmin(fit))} is no position to play from")
    return np.ascontiguousarray(boards)
