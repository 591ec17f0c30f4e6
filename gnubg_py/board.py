"""The board: an ``int8[2, 25]`` array, and the few functions that every other module needs.

Row 0 is the side on roll, row 1 the other. Each row counts from its own side: index 0 is its ace
point, 23 its 24-point, 24 its bar. What is missing to 15 checkers has been borne off. Batches are
``int8[n, 2, 25]``; every function here that takes boards takes one or many.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnubg_py.errors import NotationError, UnknownNameError

Board: TypeAlias = NDArray[np.int8]
Boards: TypeAlias = NDArray[np.int8]

POINTS = 24
BAR = 24
CHECKERS = 15
HOME_POINTS = 6
MOVER, OTHER = 0, 1
MAX_PLAYS = 3060
"""An upper bound of the number of plays of one roll, the same as gnubg's."""


def _start(**points: int) -> Board:
    """A start position, the same for both sides, from the checkers on each point."""
    board = np.zeros((2, 25), np.int8)
    for name, count in points.items():
        board[:, int(name[1:]) - 1] = count
    board.setflags(write=False)
    return board


START = _start(p24=2, p13=5, p8=3, p6=5)
_STARTS = {
    "standard": START,
    "nackgammon": _start(p24=2, p23=2, p13=4, p8=3, p6=4),
    "hypergammon1": _start(p24=1),
    "hypergammon2": _start(p24=1, p23=1),
    "hypergammon3": _start(p24=1, p23=1, p22=1),
}
VARIATIONS = tuple(_STARTS)

_PIPS = np.arange(1, 26, dtype=np.int64)


def start_position(variation: str = "standard") -> Board:
    """The start position of a variation of backgammon, as a fresh ``int8[2, 25]``.

    >>> int(pip_count(start_position())[0]), int(pip_count(start_position("nackgammon"))[0])
    (167, 194)
    """
    if variation not in _STARTS:
        raise UnknownNameError("variation", variation, VARIATIONS)
    return _STARTS[variation].copy()


def for_kernels(counts: NDArray[np.int8]) -> NDArray[np.int8]:
    """Boards or dice as kernels take them: int8, contiguous, writable; copied only if necessary.

    numba compiles a kernel again, which takes seconds, for every kind of array that it is called
    with. A view such as ``boards[:, ::-1]`` and the read-only ``START`` are different kinds.
    """
    return np.require(counts, np.int8, ["C", "W"])


def swap(boards: Boards) -> Boards:
    """The same position seen by the other side: the two rows change places. ``[..., 2, 25]``.

    >>> bool((swap(swap(START)) == START).all())
    True
    """
    return np.ascontiguousarray(boards[..., ::-1, :])


def pip_count(boards: Boards) -> NDArray[np.int64]:
    """Pips each side has left to bear off, ``[..., 2, 25] -> int64[..., 2]``.

    >>> pip_count(START).tolist()
    [167, 167]
    """
    return np.asarray(boards.astype(np.int64) @ _PIPS)


def possible(boards: Boards) -> NDArray[np.bool_]:
    """Whether each board passes ``check_board``, ``int8[n, 2, 25] -> bool[n]``."""
    checkers = boards.sum(axis=2, dtype=np.int64)
    shared = (boards[:, 0, :POINTS] > 0) & (boards[:, 1, POINTS - 1 :: -1] > 0)
    fits = (boards >= 0).all(axis=(1, 2)) & (checkers <= CHECKERS).all(axis=1)
    started = (checkers > 0).any(axis=1)
    return np.asarray(fits & ~shared.any(axis=1) & started & ~_nobody_moves(boards))


def _nobody_moves(boards: Boards) -> NDArray[np.bool_]:
    """Whether both sides are on the bar against a closed home board, ``[..., 2, 25] -> [...]``.

    Such a game would never end. No play leads there, and gnubg refuses the position too.
    """
    closed = (boards[..., :6] >= 2).all(axis=(-2, -1))
    return np.asarray(closed & (boards[..., BAR] > 0).all(axis=-1))


def check_board(board: Board) -> None:
    """Raise ``ValueError``, naming the fault, unless ``board`` is a possible position.

    >>> check_board(parse("x 5:2 / o 20:2"))
    Traceback (most recent call last):
    ValueError: both sides hold a point: x on its 5-point, o on its 20-point
    """
    board = np.asarray(board)
    if board.shape != (2, 25):
        raise ValueError(f"a board has shape (2, 25), not {board.shape}")
    for side, row in zip("xo", board.astype(np.int64), strict=True):
        if (row < 0).any():
            point = int(np.flatnonzero(row < 0)[0]) + 1
            raise ValueError(f"{side} has {row[point - 1]} checkers on point {point}: not below 0")
        if row.sum() > CHECKERS:
            raise ValueError(f"{side} has {row.sum()} checkers: at most {CHECKERS} a side")
    shared = np.flatnonzero((board[0, :24] > 0) & (board[1, 23::-1] > 0))
    if len(shared):
        p = int(shared[0])
        raise ValueError(
            f"both sides hold a point: x on its {p + 1}-point, o on its {24 - p}-point"
        )
    if not board.any():
        raise ValueError("both sides have borne off all their checkers: one at most can")
    if _nobody_moves(board):
        raise ValueError("both sides are on the bar against closed boards: nobody can ever move")


def parse(text: str) -> Board:
    """Read a position written as ``x POINT:COUNT ... / o POINT:COUNT ...``; x is on roll.

    Points are 1 to 24 from the side's own end, or ``bar``; checkers that are not named are borne
    off. The position may be impossible: ``check_board`` finds that out.

    >>> parse("x bar:1 6:2 / o 1:3")[0, [5, 24]].tolist()
    [2, 1]
    """
    sides = text.split("/")
    if len(sides) != 2:
        raise NotationError(
            f"position {text!r}: expected 'x 6:5 ... / o 6:5 ...', two sides and a '/'"
        )
    board = np.zeros((2, 25), dtype=np.int8)
    for row, name, side in zip(board, "xo", sides, strict=True):
        words = side.split()
        if not words or words[0] != name:
            raise NotationError(f"position {text!r}: the {name} side should begin with {name!r}")
        for word in words[1:]:
            point, _, count = word.partition(":")
            index = _point_index(point, word)
            if row[index]:
                raise NotationError(f"{word!r}: the {name} side names that point twice")
            row[index] = _count(count, word)
    return board


def _point_index(point: str, word: str) -> int:
    if point.lower() == "bar":
        return BAR
    if point.isascii() and point.isdigit() and len(point) < 4 and 1 <= int(point) <= POINTS:
        return int(point) - 1
    raise NotationError(f"{word!r}: the point should be 1 to 24 or bar, as in 13:5")


def _count(count: str, word: str) -> int:
    if count.isascii() and count.isdigit() and len(count) < 4 and 1 <= int(count) <= CHECKERS:
        return int(count)
    raise NotationError(f"{word!r}: the count should be 1 to 15, as in 13:5")


def describe(board: Board) -> str:
    """The text that ``parse`` reads back.

    >>> describe(START)
    'x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5'
    """
    sides = []
    for name, row in zip("xo", board, strict=True):
        held = [(p, int(row[p])) for p in range(24, -1, -1) if row[p]]
        words = [f"{'bar' if p == BAR else p + 1}:{count}" for p, count in held]
        sides.append(" ".join([name, *words]))
    return " / ".join(sides)
