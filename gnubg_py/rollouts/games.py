"""The games of a rollout, played together, a turn at a time: cubes, dice, luck, plays, ends.

A game depends on its start, its trial's number and the settings alone: not on which games are
played beside it, nor on threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import OTHER, Board, Boards
from gnubg_py.cube.state import Cube
from gnubg_py.cube.tree import other_side
from gnubg_py.cube.values import Numbers, cubeful_values
from gnubg_py.dice import ROLL_INDEX, ROLL_PROBABILITIES, ROLLS
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.keys import KEY_BITS, board_keys, distinct
from gnubg_py.probabilities import inverted
from gnubg_py.rollouts.clear import cube_decisions, with_first_look
from gnubg_py.rollouts.counts import DROPPED, TAKEN, count_wins, no_counts
from gnubg_py.rollouts.dice import trial_dice
from gnubg_py.rollouts.settings import luck_plies, strength_at
from gnubg_py.rollouts.values import (
    QUANTITIES,
    ROLL_VALUES,
    Plan,
    best_values,
    choose_cube_actions,
    is_static,
    searched_values,
    static_values,
)
from gnubg_py.search.best import best_of_rolls, sieve_of
from gnubg_py.search.context import Search
from gnubg_py.search.ranking import rank
from gnubg_py.search.settings import EvalSettings, Strength
from gnubg_py.search.sieve import Sieve
from gnubg_py.threads import map_slices

MAX_TURNS = 2000
"""A longer game is valued where it stands: some positions could be played for ever."""


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
    """The results of games for side 0, and the luck in them, float64[n, QUANTITIES] each.

    ``counts`` say how each game went: see ``rollouts.counts``.
    """

    results: NDArray[np.float64]
    luck: NDArray[np.float64]
    counts: NDArray[np.uint8]


@dataclass(eq=False)
class _Live:
    """Games in play at one turn; row i is game ``number[i]`` of all."""

    boards: Boards
    cubes: Numbers  # its cube, as the side on roll sees it
    number: NDArray[np.int64]

    def keep(self, rows: NDArray[np.bool_]) -> None:
        self.boards, self.cubes = self.boards[rows], self.cubes[rows]
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
    nothing = np.zeros((len(live.number), QUANTITIES))
    games = Games(nothing, nothing.copy(), no_counts(len(live.number)))
    for turn in range(MAX_TURNS + 1):
        plan.stop.check()
        mover = (side + turn) % 2
        if turn > 0:
            _truncate(plan, games, live, turn, mover)
        _double(plan, games, live, turn, mover, may_double[live.number] if turn == 0 else None)
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
    ended, table = live.number[rows], plan.cubes.table
    stake = plan.cubes.stake[live.cubes[rows]]
    if mover == 0:
        games.results[ended, :5] = five
        games.results[ended, 5] = values * stake
    else:
        games.results[ended, :5] = inverted(five.astype(np.float64))
        games.results[ended, 5] = other_side(values, table.cubes) * stake
    live.keep(~rows)


def _truncate(plan: Plan, games: Games, live: _Live, turn: int, mover: int) -> None:
    """End the games that are not to be played on: at a turn, or within a database."""
    settings = plan.settings
    if turn == settings.truncate or turn == MAX_TURNS:
        strength = settings.at_truncation or strength_at(settings, mover, turn)
        how = (
            strength.cube if settings.cubeful or settings.at_truncation is None else strength.plays
        )
        five, values = searched_values(plan, live.boards, live.cubes, how)
        _finish(plan, games, live, np.ones(len(live.number), bool), five, values, mover)
        return
    classes = plan.engine.classes(live.boards)
    rows = np.zeros(len(classes), bool)
    if settings.truncate_two_sided and not (settings.cubeful and plan.cubes.table.is_match):
        rows |= np.isin(classes, list(plan.engine.exact))
    if settings.truncate_one_sided and not settings.cubeful:
        rows |= np.isin(classes, (PositionClass.BEAROFF1, PositionClass.BEAROFF_OS))
    if rows.any():
        boards, cubes = live.boards[rows], live.cubes[rows]
        five = plan.engine.evaluator(boards)
        values = np.zeros(len(boards))
        if settings.cubeful:
            values = static_values(plan, boards, classes[rows], five, cubes)
        _finish(plan, games, live, rows, five, values, mover)


def _double(
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
    can = plan.cubes.doubled[live.cubes] >= 0
    if may_double is not None:
        can &= may_double
    rows = np.flatnonzero(can)
    if not len(rows):
        return
    settings = strength_at(plan.settings, mover, turn).cube
    one, kind = alike(live.boards[rows], live.cubes[rows])
    cubes = live.cubes[rows][one]
    five, decided = cube_decisions(plan, live.boards[rows][one], cubes, settings)
    doubles, passes = choose_cube_actions(plan, five, decided, cubes)
    taken, passed = np.zeros(len(live.number), bool), np.zeros(len(live.number), bool)
    taken[rows] = (doubles & ~passes)[kind]
    passed[rows] = (doubles & passes)[kind]
    levels = plan.cubes.level[live.cubes]
    games.counts[live.number[taken], mover, TAKEN, levels[taken]] += 1
    games.counts[live.number[passed], mover, DROPPED, levels[passed]] += 1
    live.cubes[taken] = plan.cubes.doubled[live.cubes[taken]]
    if passed.any():
        ended = kind[passed[rows]]
        best = best_values(plan, decided, cubes)
        _finish(plan, games, live, passed, five[ended], best[ended], mover)


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
        lucky = luck(plan, live.boards, live.cubes, rolls, plies, turn, no_doubles=first)
        games.luck[live.number] += lucky if mover == 0 else _other_sides_luck(lucky)
    one, kind = alike(live.boards, live.cubes, rolls)
    strength = strength_at(settings, mover, turn)
    after = play_turn(plan, live.boards[one], dice[one], live.cubes[one], strength)
    live.boards = after[kind]
    live.cubes = plan.cubes.swapped[live.cubes]


def _other_sides_luck(lucky: NDArray[np.float64]) -> NDArray[np.float64]:
    """The luck of the other side, as side 0 has it; mwc and equity alike change sign."""
    out = lucky[:, [0, 3, 4, 1, 2, 5]]
    out[:, [0, 5]] *= -1
    return out


def _settle(plan: Plan, games: Games, live: _Live, mover: int) -> None:
    """End the games whose last checker has been borne off; ``mover`` would be on roll."""
    over = np.asarray(~live.boards[:, OTHER].any(axis=1))
    if over.any():
        five = plan.engine.evaluator(live.boards[over])
        level = plan.cubes.level[live.cubes[over]]
        count_wins(games.counts, live.number[over], five, mover, level)
        # With a dead cube (efficiency 0) a value is that of the outcome, by the rules of the game.
        dead = np.zeros(len(five), np.float32)
        values = cubeful_values(five, dead, plan.cubes.table, live.cubes[over][:, None])[:, 0]
        _finish(plan, games, live, over, five, values, mover)


def alike(
    boards: Boards, cubes: Numbers, rolls: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Group games with the same board, cube and roll: a row of each group, each row's group."""
    keys = board_keys(boards)
    keys[:, 0] |= cubes.astype(np.uint64) << np.uint64(KEY_BITS)
    if rolls is not None:
        keys[:, 1] |= rolls.astype(np.uint64) << np.uint64(KEY_BITS)
    return distinct(keys)


def play_turn(
    plan: Plan, boards: Boards, dice: NDArray[np.int8], cubes: Numbers, strength: Strength
) -> Boards:
    """The boards after the best plays, the other side on roll: ``int8[n, 2, 25]``."""
    search = plan.search_of_plays(strength.plays)
    if is_static(strength.plays):
        theirs, cubeful = plan.cubes.swapped[cubes], search.settings.cubeful
        return best_of_rolls(
            search, boards, dice, plan.cubes.table, theirs, sieve_of(search), cubeful
        ).boards
    out, filters = np.empty_like(boards), with_first_look(strength)
    kinds = plan.cubes.searched[cubes]
    for k in np.unique(kinds).tolist():
        rows = np.flatnonzero(kinds == k)
        cube = plan.cubes.table.cubes[k]
        out[rows] = rank(search, boards[rows], dice[rows], cube, filters).boards
    return out


_WITHIN = 0.1
"""Luck: plays worse than the best by more points, as the fast evaluator has it, are left out."""

# Boards valued at once. The kernel takes one after another: more of them save Python's time, which
# threads cannot share.
_BOARDS = 256

_EARLY_TURNS = 4
"""The turns on which games of a rollout come through the same positions often enough."""

_NO_DOUBLES = np.where(ROLLS[:, 0] == ROLLS[:, 1], 0.0, 1 / 15)


def luck(
    plan: Plan,
    boards: Boards,
    cubes: Numbers,
    rolls: NDArray[np.int64],
    plies: int,
    turn: int,
    no_doubles: bool = False,
) -> NDArray[np.float64]:
    """The luck of every game's roll for the side on roll, ``float64[n, QUANTITIES]``.

    ``rolls`` int64[n]: the row of ``ROLLS`` that came. ``no_doubles``: only 15 rolls can come.
    Luck is the value of the roll less the mean over the 21 rolls, of each quantity rolled out. The
    value of a roll may be any function of position and roll: luck is 0 on average whatever it is,
    so that taking it out leaves a result unbiased. How much smaller the error gets depends on how
    well the function follows the results of games. Here it is the value of the best play.
    """
    games, group = alike(boards, cubes)
    valued = early_roll_values if turn < _EARLY_TURNS else roll_values
    values = valued(plan, boards[games], cubes[games], plies)
    chances = _NO_DOUBLES if no_doubles else ROLL_PROBABILITIES
    means = np.einsum("nrq,r->nq", values, chances)
    lucky: NDArray[np.float64] = values[group, rolls] - means[group]
    return lucky


def early_roll_values(
    plan: Plan, boards: Boards, cubes: Numbers, plies: int
) -> NDArray[np.float64]:
    """``roll_values``; what other games of the rollout have found is not computed again."""
    keys = board_keys(boards)
    keys[:, 1] |= cubes.astype(np.uint64) << np.uint64(KEY_BITS)
    values, known = plan.early.look_up(keys, plies, ROLL_VALUES)
    rows = np.flatnonzero(~known)
    if len(rows):
        values[rows] = roll_values(plan, boards[rows], cubes[rows], plies).reshape(len(rows), -1)
        plan.early.insert(keys[rows], plies, values[rows])
    return np.asarray(values, np.float64).reshape(len(boards), len(ROLLS), QUANTITIES)


def roll_values(plan: Plan, boards: Boards, cubes: Numbers, plies: int) -> NDArray[np.float64]:
    """The values of all 21 rolls for the side on roll, ``float64[n, 21, QUANTITIES]``."""

    def work(rows: slice) -> NDArray[np.float64]:
        return _roll_values(plan, boards[rows], cubes[rows], plies)

    return np.concatenate(map_slices(work, len(boards), _BOARDS))


def _roll_values(plan: Plan, boards: Boards, cubes: Numbers, plies: int) -> NDArray[np.float64]:
    """The fast evaluator chooses a few plays of each roll, the main one the best of these.

    Plays are compared by cubeless values. Without ``luck_keep`` the fast evaluator chooses alone.
    """
    settings, engine, game_cubes = plan.settings, plan.engine, plan.cubes
    theirs, sieve = game_cubes.swapped[cubes], None
    if plan.fast is not engine.evaluator:
        if settings.luck_keep:
            sieve = Sieve(plan.fast, settings.luck_keep, _WITHIN, learned_only=False)
        else:
            engine = replace(engine, evaluator=plan.fast)
    search = Search(engine, EvalSettings(), plan.stop)
    after = best_of_rolls(search, boards, None, game_cubes.table, theirs, sieve, cubeful=False)
    theirs, five = np.repeat(theirs, len(ROLLS)), after.five
    if plies > 0:
        five, values = searched_values(plan, after.boards, theirs, EvalSettings(plies))
    else:
        values = static_values(plan, after.boards, after.classes, five, theirs)
    out = np.empty((len(five), QUANTITIES))
    out[:, :5] = inverted(five.astype(np.float64))
    out[:, 5] = other_side(values, game_cubes.table.cubes) * game_cubes.stake[theirs]
    return out.reshape(len(boards), len(ROLLS), QUANTITIES)
