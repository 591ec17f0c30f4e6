"""The games of a rollout, all a turn at a time.

A game depends on its start, its trial's number and the settings alone: not on which games are
played beside it, nor on threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import OTHER, Board, Boards
from gnubg_py.cube.cubeful import cubeful_values_each
from gnubg_py.cube.state import Cube
from gnubg_py.dice import ROLL_INDEX
from gnubg_py.evaluators.bearoff import two_sided_equities
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.rollouts.choice import play_turn
from gnubg_py.rollouts.dice import trial_dice
from gnubg_py.rollouts.kernels import PASSED, PLAY_ON, TAKEN
from gnubg_py.rollouts.luck import QUANTITIES, alike, luck
from gnubg_py.rollouts.settings import luck_plies, side_settings
from gnubg_py.rollouts.values import (
    Plan,
    cube_actions,
    decision_values,
    node_values,
    searched_values,
)
from gnubg_py.search.leaf import OWNER_COLUMN
from gnubg_py.search.ranking import inverted

MAX_TURNS = 2000
"""A game longer than this is valued where it stands: two sides could go on for ever."""


@dataclass(frozen=True, eq=False)
class Start:
    """Where the games of one alternative begin.

    ``side``: who is on roll, 0 the side whose results are wanted, 1 the other. ``may_double``:
    whether the cube can be turned before the first roll.
    """

    board: Board
    cube: Cube
    side: int = 0
    may_double: bool = True


@dataclass(frozen=True, eq=False)
class Games:
    """What came of games, for side 0: results, and the luck in them. float64[n, QUANTITIES]."""

    results: NDArray[np.float64]
    luck: NDArray[np.float64]


@dataclass(eq=False)
class _Live:
    """Games in play at one turn; row i is game ``number[i]`` of all."""

    boards: Boards
    which: NDArray[np.int64]  # its cube, as the side on roll sees it
    number: NDArray[np.int64]

    def keep(self, rows: NDArray[np.bool_]) -> None:
        self.boards, self.which = self.boards[rows], self.which[rows]
        self.number = self.number[rows]


def play_games(plan: Plan, starts: Sequence[Start], trials: NDArray[np.int64]) -> Games:
    """Play every trial from every start; game ``a * len(trials) + t`` is trial t of start a.

    Starts have the same side on roll. The alternatives of a trial share their dice.
    """
    n = len(trials)
    side = starts[0].side
    live = _Live(
        np.repeat(np.stack([s.board for s in starts]), n, axis=0),
        np.repeat([plan.cubes.index(s.cube) for s in starts], n).astype(np.int64),
        np.arange(len(starts) * n),
    )
    may_double = np.repeat([s.may_double for s in starts], n)
    trial_of = np.tile(trials, len(starts))
    games = Games(
        np.zeros((len(live.number), QUANTITIES)), np.zeros((len(live.number), QUANTITIES))
    )
    for turn in range(MAX_TURNS + 1):
        mover = (side + turn) % 2
        if turn > 0:
            _truncate(plan, games, live, turn, mover)
        _cube(plan, games, live, turn, mover, may_double[live.number] if turn == 0 else None)
        if not len(live.number):
            return games
        _roll_and_play(plan, games, live, trial_of[live.number], turn, mover)
        _settle(plan, games, live, 1 - mover)
    raise AssertionError("the last turn truncates every game")


def _finish(
    plan: Plan,
    games: Games,
    live: _Live,
    rows: NDArray[np.bool_],
    five: NDArray[np.float32],
    values: NDArray[np.float64],
    mover: int,
) -> None:
    """Games ``rows`` end with these probabilities and values of the side on roll, ``mover``."""
    if not rows.any():
        return
    ended, table = live.number[rows], plan.cubes
    stake = table.stake[live.which[rows]]
    if mover == 0:
        games.results[ended, :5] = five
        games.results[ended, 5] = values * stake
    else:
        games.results[ended, :5] = inverted(five.astype(np.float64))
        games.results[ended, 5] = table.other_side(values) * stake
    live.keep(~rows)


def _truncate(plan: Plan, games: Games, live: _Live, turn: int, mover: int) -> None:
    """End the games that are not to be played on: at a turn, or within a database."""
    settings = plan.settings
    how = side_settings(settings, mover, turn).cube
    if turn == settings.truncate or turn == MAX_TURNS:
        five, values = searched_values(plan, live.boards, live.which, how)
        _finish(plan, games, live, np.ones(len(live.number), bool), five, values, mover)
        return
    classes = classify(live.boards)
    rows = np.zeros(len(classes), bool)
    if settings.truncate_two_sided and not (settings.cubeful and plan.cubes.is_match):
        rows |= classes == PositionClass.BEAROFF2
    if settings.truncate_one_sided and not settings.cubeful:
        rows |= classes == PositionClass.BEAROFF1
    if rows.any():
        five, values = _database_values(plan, live.boards[rows], live.which[rows])
        _finish(plan, games, live, rows, five, values, mover)


def _database_values(
    plan: Plan, boards: Boards, which: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    five = plan.router(boards)
    if not plan.settings.cubeful:
        return five, np.zeros(len(boards))
    columns = np.array([OWNER_COLUMN[c.owner] for c in plan.cubes.cubes])[which]
    return five, two_sided_equities(boards)[np.arange(len(boards)), columns].astype(np.float64)


def _cube(
    plan: Plan,
    games: Games,
    live: _Live,
    turn: int,
    mover: int,
    may_double: NDArray[np.bool_] | None,
) -> None:
    """Turn the cubes of games whose side on roll doubles; end those where the other passes."""
    if not plan.settings.cubeful:
        return
    can = plan.cubes.doubled[live.which] >= 0
    if may_double is not None:
        can &= may_double
    rows = np.flatnonzero(can)
    if not len(rows):
        return
    how = side_settings(plan.settings, mover, turn).cube
    one, kind = alike(live.boards[rows], live.which[rows])
    which = live.which[rows][one]
    five, decisions = decision_values(plan, live.boards[rows][one], which, how)
    actions = cube_actions(plan, five, decisions, which)
    action = np.full(len(live.number), PLAY_ON, np.int8)
    action[rows] = actions[kind]
    passed = action == PASSED
    taken = action == TAKEN
    live.which[taken] = plan.cubes.doubled[live.which[taken]]
    if passed.any():
        best = node_values(plan, decisions, which)[kind][action[rows] == PASSED]
        _finish(plan, games, live, passed, five[kind][action[rows] == PASSED], best, mover)


def _roll_and_play(
    plan: Plan, games: Games, live: _Live, trials: NDArray[np.int64], turn: int, mover: int
) -> None:
    settings = plan.settings
    first = settings.initial_position and turn == 0
    dice = trial_dice(
        trials,
        turn,
        settings.seed,
        stratified=settings.stratified,
        no_double_first=settings.initial_position,
    )
    rolls = ROLL_INDEX[dice[:, 0], dice[:, 1]].astype(np.int64)
    if settings.variance_reduction:
        plies = luck_plies(settings, mover, turn)
        lucky = luck(plan, live.boards, live.which, rolls, plies, no_doubles=first)
        games.luck[live.number] += lucky if mover == 0 else _turned_luck(lucky)
    one, kind = alike(live.boards, live.which, rolls)
    side = side_settings(settings, mover, turn)
    after = play_turn(plan, live.boards[one], dice[one], live.which[one], side)
    live.boards = after[kind]
    live.which = plan.cubes.swapped[live.which]


def _turned_luck(lucky: NDArray[np.float64]) -> NDArray[np.float64]:
    """Luck of the other side as side 0 has it; mwc and equity alike change sign."""
    out = lucky[:, [0, 3, 4, 1, 2, 5]]
    out[:, [0, 5]] *= -1
    return out


def _settle(plan: Plan, games: Games, live: _Live, mover: int) -> None:
    """End the games whose last checker has been borne off; ``mover`` would be on roll."""
    over = np.asarray(~live.boards[:, OTHER].any(axis=1))
    if over.any():
        five = plan.router(live.boards[over])
        values = final_values(plan, five, live.which[over])
        _finish(plan, games, live, over, five, values, mover)


def final_values(
    plan: Plan, five: NDArray[np.float32], which: NDArray[np.int64]
) -> NDArray[np.float64]:
    """What finished games are worth at their cubes, gammons counted as the rules have it."""
    # A cube of efficiency 0 adds nothing to what the outcome is worth.
    return cubeful_values_each(five, np.zeros(len(five), np.float32), plan.cubes.constants, which)
