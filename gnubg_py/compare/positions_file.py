"""A text file of positions with their rolls, one to a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Board, Boards
from gnubg_py.dice import parse_dice
from gnubg_py.files import read_lines
from gnubg_py.match import NO_DICE
from gnubg_py.notation import parse_position

_ROLL = re.compile(r"(.*\S)\s+([1-6]-?[1-6])")


def read_positions(path: Path) -> tuple[Boards, NDArray[np.int8]]:
    """Boards int8[n, 2, 25] and rolls int8[n, 2]; ``ValueError`` names the first bad line.

    A line is a position in any notation, then its roll unless the position tells of it. Empty
    lines and what follows a ``#`` do not count.
    """
    boards: list[Board] = []
    rolls: list[tuple[int, int]] = []
    for number, line in enumerate(read_lines(path), 1):
        text = line.partition("#")[0].strip()
        if text:
            try:
                board, roll = position_of_line(text)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from error
            boards.append(board)
            rolls.append(roll)
    if not boards:
        raise ValueError(f"{path}: no positions in it")
    return stacked(boards, rolls)


def stacked(
    boards: Sequence[Board], rolls: Sequence[tuple[int, int]]
) -> tuple[Boards, NDArray[np.int8]]:
    """Boards and rolls as arrays."""
    return np.stack(boards).astype(np.int8), np.array(rolls, np.int8)


def position_of_line(text: str, dice: str | None = None) -> tuple[Board, tuple[int, int]]:
    """A position and its roll: ``dice``, or what stands behind it, or what the position tells.

    >>> position_of_line("4HPwATDgc/ABMA 31")[1], position_of_line("4HPwATDgc/ABMA", "64")[1]
    ((3, 1), (6, 4))
    """
    with_roll = _ROLL.fullmatch(text)
    if with_roll and dice is None and not _is_position(text):
        text, dice = with_roll[1], with_roll[2]
    board, state = parse_position(text)
    if not board.any(axis=1).all():
        raise ValueError("the game is over: one side has borne off all its checkers")
    roll = parse_dice(dice) if dice else state.dice
    if roll == NO_DICE:
        raise ValueError(f"position {text!r}: no roll: write it behind, as in '{text} 31'")
    return board, roll


def _is_position(text: str) -> bool:
    try:
        parse_position(text)
    except ValueError:
        return False
    return True
