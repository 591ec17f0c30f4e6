"""A player whose plays are recorded in a file: another program, to be compared with ours.

One JSON line a play: ``id`` (Position ID, the side that plays on roll), ``dice``, and ``play``,
the Position ID after the play with the opponent on roll.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.compare.decisions import MALFORMED
from gnubg_py.dice import check_dice
from gnubg_py.files import parse_json, read_lines
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
                text = f"{position_id(boards[i])} with {roll[2]}-{roll[3]}"
                raise ValueError(f"{path}: it has no play of {text}")
            same = np.flatnonzero((keys[first:last] == play).all(axis=1))
            if not len(same):
                text = f"{position_id(boards[i])} with {roll[2]}-{roll[3]}"
                raise ValueError(f"{path}: its play of {text} is none of the decision's plays")
            chosen[i] = first + same[0]
        return chosen

    return choose


def _rolls(boards: Boards, dice: NDArray[np.int8]) -> list[_Roll]:
    """Positions with their dice as keys of a dictionary, the larger number first."""
    pairs = zip(board_keys(boards).tolist(), np.sort(dice, axis=1).tolist(), strict=True)
    return [(mine, theirs, high, low) for (mine, theirs), (low, high) in pairs]


def _read(path: Path) -> dict[_Roll, NDArray[np.uint64]]:
    ids: list[str] = []
    after: list[str] = []
    dice: list[tuple[int, int]] = []
    for number, line in enumerate(read_lines(path), 1):
        try:
            item = parse_json(line)
            from_position_ids([item["id"], item["play"]])
            dice.append(check_dice(item["dice"]))
            ids.append(item["id"])
            after.append(item["play"])
        except MALFORMED as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ValueError(f"{path}, line {number}: not a recorded play ({reason})") from error
    if not ids:
        raise ValueError(f"{path}: no plays in it")
    rolls = _rolls(from_position_ids(ids), np.array(dice, np.int8))
    return dict(zip(rolls, board_keys(from_position_ids(after)), strict=True))
