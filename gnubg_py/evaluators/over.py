"""The leaf of finished games: who has won, and whether a single game, gammon or backgammon."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import BAR, CHECKERS, HOME_POINTS, POINTS, Boards
from gnubg_py.evaluators.protocol import FunctionEvaluator


def over(boards: Boards, checkers: int = CHECKERS) -> NDArray[np.float32]:
    """The outcome of finished games as five probabilities, ``int8[n, 2, 25] -> float32[n, 5]``.

    The loser loses a gammon if it has borne off none of its ``checkers``, and a backgammon if it
    also has a checker on the bar or in the winner's home. After a winning play the board is
    swapped, so that the side on roll has lost; boards where it has won are evaluated too.

    >>> from gnubg_py.board import parse
    >>> over(np.stack([parse("x 24:1 5:14 / o"), parse("x 5:14 / o")])).tolist()
    [[0.0, 0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0]]
    """
    left: NDArray[np.int64] = boards.sum(axis=2, dtype=np.int64)
    finished = (left == 0).any(axis=1) & (left > 0).any(axis=1)
    if not finished.all():
        bad = int(np.flatnonzero(~finished)[0])
        raise ValueError(f"board {bad} is not finished: one side should have borne off all")
    out = np.zeros((len(boards), 5), dtype=np.float32)
    gammon = left == checkers
    caught = np.count_nonzero(boards[:, :, POINTS - HOME_POINTS : BAR + 1], axis=2) > 0
    out[:, 0] = left[:, 0] == 0
    out[:, 1], out[:, 2] = gammon[:, 1], gammon[:, 1] & caught[:, 1]
    out[:, 3], out[:, 4] = gammon[:, 0], gammon[:, 0] & caught[:, 0]
    return out


@cache
def over_leaf(checkers: int = CHECKERS) -> FunctionEvaluator:
    """``over`` as an evaluator, for games of ``checkers`` a side."""
    return FunctionEvaluator("over", partial(over, checkers=checkers))
