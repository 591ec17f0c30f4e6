"""Players to compare: an evaluator at a ply, or a heuristic's own way of choosing a play.

A player is written ``NAME`` or ``NAME@PLY``: ``net``, ``pseudopip``, ``net@2``, or the path of a
weights file. A heuristic may have weights: ``pseudopip-analysis:blot=2``. A ``.jsonl`` file is a
player whose plays are recorded in it (``recorded.py``). Everything here is cubeless money play.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards, start_position
from gnubg_py.compare.decisions import Decisions, some_decisions
from gnubg_py.compare.recorded import RECORD_SUFFIXES, recorded_chooser
from gnubg_py.cube.state import Cube
from gnubg_py.engine import engine_of
from gnubg_py.errors import UnknownNameError
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.evaluators.registry import NOR_A_FILE, evaluator_named, evaluator_names
from gnubg_py.evaluators.router import classifier_of
from gnubg_py.groups import CHOOSERS, Chooser, lowest
from gnubg_py.keys import board_keys
from gnubg_py.messages import progress
from gnubg_py.notation import position_id
from gnubg_py.probabilities import cubeless_equity
from gnubg_py.search.settings import NORMAL, EvalSettings, MoveFilter
from gnubg_py.threads import slices
from gnubg_py.workers import HERE, Workers, in_order, share_size

CUBELESS = EvalSettings(0, cubeful=False)

_SLICE = 250
"""The number of decisions between updates of the progress bar; Ctrl-C keeps finished ones."""


@dataclass(frozen=True)
class Player:
    """A name, a chooser of plays, and the evaluator with its settings if it values positions.

    ``in_sequence``: its plays depend on those that it chose before.
    """

    name: str
    choose: Chooser
    evaluator: Evaluator | None = None
    settings: EvalSettings = CUBELESS
    in_sequence: bool = False

    @property
    def variation(self) -> str | None:
        """The variation that its evaluator is for; None if it plays all of them."""
        return None if self.evaluator is None else classifier_of(self.evaluator).variation

    def probabilities(self, boards: Boards) -> NDArray[np.float32]:
        """gnubg's five for the side on roll, ``int8[n, 2, 25] -> float32[n, 5]``."""
        if self.evaluator is None:
            raise ValueError(f"{self.name} chooses plays only: it does not value positions")
        if self.settings.plies == 0:
            return self.evaluator(boards)
        from gnubg_py.search.context import make_search
        from gnubg_py.search.values import cubeless_probabilities

        search = make_search(engine_of(self.evaluator), self.settings)
        return cubeless_probabilities(search, boards)


def evaluator_player(
    evaluator: Evaluator, settings: EvalSettings = CUBELESS, filters: MoveFilter = NORMAL
) -> Player:
    """The player that makes the best plays by an evaluator with these settings."""
    settings = replace(settings, cubeful=False)
    if settings.plies == 0:
        return Player(evaluator.name, leaf_chooser(evaluator), evaluator, settings)
    name = f"{evaluator.name}@{settings.plies}"
    return Player(name, search_chooser(evaluator, settings, filters), evaluator, settings)


def player_named(
    text: str,
    settings: EvalSettings = CUBELESS,
    filters: MoveFilter = NORMAL,
    seed: int | Sequence[int] = 0,
) -> Player:
    """The player written ``NAME`` or ``NAME@PLY``; by default the plies are those of the settings.

    >>> player_named("pseudopip").name, player_named("ten-factor@1").name
    ('pseudopip', 'ten-factor@1')
    >>> player_named("net@9")
    Traceback (most recent call last):
    ValueError: player 'net@9': the plies after '@' should be 0 to 4
    """
    if text.endswith(RECORD_SUFFIXES):
        return Player(Path(text).name, recorded_chooser(Path(text)))
    name, at, depth = text.rpartition("@")
    if not at:
        name = text
    elif depth in ("0", "1", "2", "3", "4"):
        settings = replace(settings, plies=int(depth))
    else:
        raise ValueError(f"player {text!r}: the plies after '@' should be 0 to 4")
    if name.partition(":")[0] in CHOOSERS:
        if at and settings.plies:
            raise ValueError(f"player {text!r}: {name} does not look ahead by plies")
        return Player(name, chooser_named(name, seed), in_sequence=name == "random")
    try:
        evaluator = evaluator_named(name)
    except UnknownNameError as error:
        known = [*evaluator_names(), *CHOOSERS]
        raise UnknownNameError("player", name, known, NOR_A_FILE) from error
    return evaluator_player(evaluator, settings, filters)


def leaf_chooser(evaluator: Evaluator) -> Chooser:
    """Choose the play after which the opponent's cubeless equity is lowest, by 0-ply evaluation."""
    from gnubg_py.evaluators.over import over

    checkers = int(start_position(classifier_of(evaluator).variation)[0].sum())

    def choose(
        boards: Boards, dice: NDArray[np.int8], candidates: Boards, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        five = evaluator(candidates)
        ended = ~np.all(np.any(candidates, axis=2), axis=1)
        if ended.any():
            five = five.copy()
            five[ended] = over(candidates[ended], checkers)
        return lowest(cubeless_equity(five).astype(np.float64), offsets)

    return choose


def search_chooser(evaluator: Evaluator, settings: EvalSettings, filters: MoveFilter) -> Chooser:
    """Choose the play that a search in cubeless money play ranks first."""
    from gnubg_py.search.context import make_search
    from gnubg_py.search.ranking import rank

    search = make_search(engine_of(evaluator), settings)

    def choose(
        boards: Boards, dice: NDArray[np.int8], candidates: Boards, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        ranking = rank(search, boards, dice, Cube(), filters)
        return rows_of_plays(ranking.plays[ranking.chosen], candidates, offsets)

    return choose


def rows_of_plays(
    chosen: Boards, candidates: Boards, offsets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The row of each chosen position among the candidates of its decision, ``int64[n]``."""
    group = np.repeat(np.arange(len(chosen)), np.diff(offsets))
    same = (board_keys(candidates) == board_keys(chosen)[group]).all(axis=1)
    found, first = np.unique(group[same], return_index=True)
    if len(found) < len(chosen):
        missing = int(np.setdiff1d(np.arange(len(chosen)), found)[0])
        text = position_id(chosen[missing])
        raise ValueError(f"a legal play is missing from a decision: the one to {text}")
    return np.flatnonzero(same)[first]


def random_chooser(seed: int | Sequence[int]) -> Chooser:
    """Choose one of the legal plays at random, each with the same probability."""
    generator = np.random.default_rng(seed)

    def choose(
        boards: Boards, dice: NDArray[np.int8], candidates: Boards, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        return generator.integers(offsets[:-1], offsets[1:])

    return choose


def chooser_named(name: str, seed: int | Sequence[int] = 0) -> Chooser:
    """The chooser with a name of ``CHOOSERS``; ``seed`` is that of the random one."""
    if name == "random":
        return random_chooser(seed)
    from gnubg_py.compare.heuristic_plays import heuristic_chooser

    return heuristic_chooser(name)


@dataclass(frozen=True)
class ChosenPlays:
    """``chosen`` int64[k], rows of the candidates of the first k decisions, and the time taken.

    k is the number of all decisions, or after Ctrl-C of those that are finished.
    """

    chosen: NDArray[np.int64]
    seconds: float


def workers_for(workers: Workers, *players: Player) -> Workers:
    """The workers that some players can use: only this process if a player plays in sequence."""
    return HERE if any(player.in_sequence for player in players) else workers


def choices(player: Player, decisions: Decisions, workers: Workers = HERE) -> ChosenPlays:
    """The play that a player makes in each decision; after Ctrl-C only those that are finished."""
    workers = workers_for(workers, player)
    n, made = len(decisions.ids), [np.empty(0, np.int64)]
    parts = slices(n, share_size(n, workers, _SLICE))
    began = time.perf_counter()
    found = in_order(
        workers.results(
            _choose, player, (some_decisions(decisions, one.start, one.stop) for one in parts)
        )
    )
    with progress(n, f"{player.name}: decisions") as bar, closing(found):
        try:
            for part, chosen in zip(parts, found, strict=True):
                made.append(chosen + decisions.offsets[part.start])
                bar.update(len(chosen))
        except KeyboardInterrupt:
            if len(made) == 1:
                raise
    return ChosenPlays(np.concatenate(made), time.perf_counter() - began)


def _choose(player: Player, part: Decisions) -> NDArray[np.int64]:
    """The rows of the plays that a player chooses."""
    return np.asarray(player.choose(part.boards, part.dice, part.candidates, part.offsets))
