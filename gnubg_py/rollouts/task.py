"""What is rolled out: a position, plays of a roll, or both sides of a cube decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gnubg_py.board import Board
from gnubg_py.cube.state import Cube, check_double, double_cube, swap_cube
from gnubg_py.engine import Engine
from gnubg_py.match import NO_DICE
from gnubg_py.notation import parse_play, play_text
from gnubg_py.plays import plays
from gnubg_py.rollouts.games import Start
from gnubg_py.search.context import make_search
from gnubg_py.search.ranking import rank
from gnubg_py.search.settings import EvalSettings

POSITION, PLAYS, CUBE = "position", "plays", "cube"
NO_DOUBLE, DOUBLE_TAKE = "No double", "Double, take"
DEFAULT_PLAYS = 5


@dataclass(frozen=True, eq=False)
class Task:
    """One rollout's work: alternatives with their names, all from one position.

    ``kind`` is POSITION, PLAYS or CUBE; ``dice`` are the roll of PLAYS, else (0, 0).
    """

    kind: str
    board: Board
    cube: Cube
    dice: tuple[int, int]
    names: tuple[str, ...]
    starts: tuple[Start, ...]


def position_task(board: Board, cube: Cube) -> Task:
    """Roll out one position before the roll, as gnubg does: without a double on its first turn."""
    start = Start(board, cube, may_double=False)
    return Task(POSITION, board, cube, NO_DICE, ("",), (start,))


def cube_task(board: Board, cube: Cube) -> Task:
    """Roll out no double and double/take at once; ``ValueError`` where there is no decision."""
    check_double(cube)
    starts = (Start(board, cube, may_double=False), Start(board, double_cube(cube)))
    return Task(CUBE, board, cube, NO_DICE, (NO_DOUBLE, DOUBLE_TAKE), starts)


def plays_task(
    board: Board, cube: Cube, dice: tuple[int, int], chosen: Sequence[Board | str]
) -> Task:
    """Roll out plays of a roll, as positions after the play or as ``8/5 6/5``."""
    legal = plays(board, dice)
    known = {after.tobytes(): after for after in legal}
    after = []
    for play in chosen:
        if isinstance(play, str):
            play = parse_play(board, dice, play)
        play = np.ascontiguousarray(play, np.int8)
        if play.tobytes() not in known:
            raise ValueError("a position given as a play is none of the roll's legal plays")
        after.append(known[play.tobytes()])
    names = tuple(play_text(board, dice, a) for a in after)
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ValueError(f"play {name} is given twice")
    if not names:
        raise ValueError("no plays to roll out: name one at least")
    over = [name for name, a in zip(names, after, strict=True) if not a[1].any()]
    if over:
        raise ValueError(f"{over[0]} ends the game: there is nothing to roll out")
    other = swap_cube(cube)
    starts = tuple(Start(a, other, side=1) for a in after)
    return Task(PLAYS, board, cube, dice, names, starts)


def few_best_plays(
    board: Board, cube: Cube, dice: tuple[int, int], count: int, engine: Engine
) -> list[Board]:
    """The ``count`` best plays of a roll by 0-ply cubeful equity, best first, or all there are."""
    if count < 1:
        raise ValueError(f"the best {count} plays of {dice[0]}-{dice[1]}: should be 1 or more")
    search = make_search(engine, EvalSettings())
    ranking = rank(search, board[None], np.array([dice], np.int8), cube)
    return [ranking.plays[row] for row in ranking.order()[:count].tolist()]
