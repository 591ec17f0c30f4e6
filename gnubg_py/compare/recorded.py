"""A player whose plays are recorded in a file: another program, to be compared with ours.

One JSON line a play: ``id`` (Position ID, the side that plays on roll), ``dice``, and ``play``,
the Position ID after the play with the opponent on roll.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Board, Boards
from gnubg_py.compare.decisions import json_lines
from gnubg_py.dice import check_dice
from gnubg_py.groups import Chooser
from gnubg_py.keys import board_keys
from gnubg_py.notation import position_id
from gnubg_py.notation.position_id import from_position_ids

RECORD_SUFFIXES = (".jsonl", ".jsonl.gz")
_Roll = tuple[int, int, int, int]


def recorded_chooser(path: Path) -> Chooser:
    """Choose the plays that a file records; ``ValueError`` names the first malformed line.

    The chooser raises ``ValueError`` for a roll that the file does not have.
    """
    rolls = _read(path)

    def choose(
        boards: Boards, dice: NDArray[np.int8], candidates: Boards, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        keys = board_keys(candidates)
        chosen = np.empty(len(boards), np.int64)
        for i, roll in enumerate(_rolls(boards, dice)):
            first, last = offsets[i : i + 2]
            play = rolls.get(roll)
            if play is None:
                raise ValueError(f"{path}: it has no play of {_text(boards[i], roll)}")
            same = np.flatnonzero((keys[first:last] == play).all(axis=1))
            if not len(same):
                text = _text(boards[i], roll)
                raise ValueError(f"{path}: its play of {text} is none of the decision's plays")
            chosen[i] = first + same[0]
        return chosen

    return choose


def _text(board: Board, roll: _Roll) -> str:
    return f"{position_id(board)} with {roll[2]}-{roll[3]}"


def _rolls(boards: Boards, dice: NDArray[np.int8]) -> list[_Roll]:
    """Positions with their dice as keys of a dictionary, the larger number first."""
    pairs = zip(board_keys(boards).tolist(), np.sort(dice, axis=1).tolist(), strict=True)
    return [(mine, theirs, high, low) for (mine, theirs), (low, high) in pairs]


def _read(path: Path) -> dict[_Roll, NDArray[np.uint64]]:
    rows = json_lines(path, "a recorded play", _play)
    if not rows:
        raise ValueError(f"{path}: no plays in it")
    ids, dice, after = zip(*rows, strict=True)
    rolls = _rolls(from_position_ids(ids), np.array(dice, np.int8))
    return dict(zip(rolls, board_keys(from_position_ids(after)), strict=True))


def _play(item: Any, _: str) -> tuple[str, tuple[int, int], str]:
    from_position_ids([item["id"], item["play"]])
    return item["id"], check_dice(item["dice"]), item["play"]
