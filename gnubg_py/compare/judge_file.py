"""Files of the judge: rolls to judge, and the results so far.

A judged file is a file of judged decisions (``decisions.py``): a JSON line for each roll, with its
plays best first. A play that was rolled out is ``[Position ID, equity, "rollout", standard error of
the equity, standard error of its difference from the best play]``, one that was only estimated
``[Position ID, equity, plies]``. ``judge`` is the identity of the judge, ``blocks`` has the means
of every 36 trials of each play, and ``players`` the plays that players make, so that a later run
can add to them.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gnubg_py.compare.agreement import decisions_by
from gnubg_py.compare.decisions import Decisions, json_lines, read_decisions, read_positions
from gnubg_py.compare.judge import FIRST_BLOCKS, Blocks, PlayEquities
from gnubg_py.compare.players import Player
from gnubg_py.files import read_lines, write_aside
from gnubg_py.notation.position_id import position_ids
from gnubg_py.workers import HERE, Workers

Key = tuple[str, int, int]
"""A roll: the Position ID of the position, and the dice, the larger first."""
_LARGEST_EQUITY = 3.0


@dataclass(frozen=True)
class Judged:
    """A line of a judged file: its text, the judge, and the blocks of its plays by Position ID.

    ``players``: the Position IDs of the plays that players make, by the players' identities.
    """

    line: str
    judge: str
    blocks: Mapping[str, Blocks]
    players: Mapping[str, str]


def rolls_of_file(path: Path, estimator: Player, workers: Workers = HERE) -> tuple[Decisions, bool]:
    """The rolls of a file, and whether they were judged before.

    Rolls of a file of positions have the equities that the estimator gives all their plays.
    """
    first = next((line for line in read_lines(path) if line.strip()), "")
    if first.lstrip().startswith("{"):
        return read_decisions(path), True
    return decisions_by(estimator, *read_positions(path), workers), False


def roll_key(decisions: Decisions, number: int) -> Key:
    """The key of a roll of some decisions."""
    return _key(decisions.ids[number], decisions.dice[number].tolist())


def _key(name: str, dice: Iterable[int]) -> Key:
    low, high = sorted(int(die) for die in dice)
    return name, high, low


def read_judged(path: Path) -> dict[Key, Judged]:
    """The lines of a judged file, by roll; ``ValueError`` names the first malformed line."""
    return dict(json_lines(path, "a line of judge", _judged))


def _judged(item: Any, line: str) -> tuple[Key, Judged]:
    blocks = {str(k): _blocks(v) for k, v in item["blocks"].items()}
    players = {str(k): str(v) for k, v in item["players"].items()}
    judged = Judged(line, str(item["judge"]), blocks, players)
    return _key(item["id"], item["dice"]), judged


def _blocks(values: Any) -> Blocks:
    blocks = np.asarray(values, np.float64)
    if blocks.ndim != 1 or len(blocks) < FIRST_BLOCKS:
        raise ValueError(f"a play's blocks should be {FIRST_BLOCKS} numbers or more")
    if not (np.abs(blocks) <= _LARGEST_EQUITY + 1).all():
        raise ValueError("a block's mean is no equity")
    return blocks


def judged_line(
    roll: Decisions, verdict: PlayEquities, judge: str, plies: int, players: Mapping[str, str]
) -> Judged:
    """The line of one roll; ``plies`` are those of estimates of plays that were not rolled out."""
    names = position_ids(roll.candidates)
    plays: list[list[Any]] = []
    for row in np.argsort(-verdict.equities, kind="stable").tolist():
        play: list[Any] = [names[row], round(float(verdict.equities[row]), 5)]
        if row in verdict.blocks:
            errors = (verdict.errors[row], verdict.behind_errors[row])
            plays.append([*play, "rollout", *(round(float(error), 5) for error in errors)])
        else:
            plays.append([*play, plies])
    blocks = {names[row]: means for row, means in verdict.blocks.items()}
    item = {
        "id": roll.ids[0],
        "class": str(roll.classes[0]),
        "dice": roll.dice[0].tolist(),
        "plays": plays,
        "judge": judge,
        "players": dict(players),
        "blocks": {name: means.tolist() for name, means in blocks.items()},
    }
    return Judged(json.dumps(item), judge, blocks, players)


def write_judged(path: Path, lines: Iterable[Judged]) -> None:
    """Write a judged file, gzipped if its name ends in .gz."""
    data = "".join(one.line + "\n" for one in lines).encode()
    write_aside(path, gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
