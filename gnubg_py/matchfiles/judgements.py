"""Make judgements from the analysis in files; values that a file leaves out are computed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gnubg_py.board import Board
from gnubg_py.cube.decision import cube_decision
from gnubg_py.cube.met import after_game, chance_of_equity, equity_of, kazaross_xg2
from gnubg_py.cube.state import Cube, can_double, cube_of
from gnubg_py.game.actions import Action
from gnubg_py.game.analysis import (
    CubeJudgement,
    Luck,
    PlayJudgement,
    before_double,
    cost_of,
    judged_cube,
)
from gnubg_py.game.position import Position, valued
from gnubg_py.search.ranking import RankedPlay

KeptPlay = tuple[Board, int, float, Sequence[float]]
"""A play in a file: the board after it, plies, equity, and gnubg's five."""


def play_judgement(
    position: Position, kept: Sequence[KeptPlay], made: Board
) -> PlayJudgement | None:
    """The judgement of the play that led to ``made``; ``None`` if it is not in ``kept``."""
    met, cube = kazaross_xg2(), cube_of(valued(position.match))
    plays = [
        RankedPlay(
            board,
            ply,
            equity,
            equity if cube.away is None else float(chance_of_equity(equity, cube, met)),
            np.array(five, np.float32),
        )
        for board, ply, equity, five in kept
    ]
    chosen = next((i for i, play in enumerate(plays) if np.array_equal(play.board, made)), None)
    if chosen is None:
        return None
    loss = max(0.0, plays[0].equity - plays[chosen].equity)
    player, dice = position.match.move, position.match.dice
    return PlayJudgement(player, dice, tuple(plays), chosen, loss, cost_of(loss, cube, met), cube)


def cube_judgement(
    position: Position,
    action: Action | None,
    values: tuple[float, float],
    five: Sequence[float],
    ply: int,
) -> CubeJudgement | None:
    """The judgement of a cube action, or of a roll without one where ``action`` is None.

    ``values`` are those of no double and of double and take: match winning chances in a match, in
    money play equities in units of the cube before the double. ``None`` if no double was possible.
    """
    if position.redoubles:
        return None
    cube = cube_of(valued(before_double(position).match))
    if not can_double(cube):
        return None
    met = kazaross_xg2()
    decision = cube_decision(values, cube, met, gammons=five[1] > 0)
    player = position.match.move if action is None else action.player
    return judged_cube(player, action, decision, tuple(five), ply, met)


def luck_judgement(position: Position, dice: tuple[int, int], luck: float) -> Luck:
    """The luck of a roll, from its equity less the average."""
    cube = cube_of(valued(position.match))
    return Luck(position.match.move, dice, luck, cost_of(luck, cube, kazaross_xg2()))


def cubeless_equity_at(cube: Cube, five: Sequence[float]) -> float:
    """The equity if the cube were not turned again, normalised to the cube.

    >>> round(cubeless_equity_at(Cube(), (0.6, 0.2, 0.01, 0.1, 0.0)), 3)
    0.31
    """
    win, gammon, backgammon, lost_gammon, lost_backgammon = five
    chances = {3: backgammon, 2: gammon - backgammon, 1: win - gammon}
    chances |= {-1: 1 - win - lost_gammon, -2: lost_gammon - lost_backgammon, -3: lost_backgammon}
    if cube.away is None:
        return float(sum(points * chance for points, chance in chances.items()))
    met = kazaross_xg2()
    mwc = sum(p * after_game(cube, points * cube.value, met) for points, p in chances.items())
    return float(equity_of(mwc, cube, met))
