"""Small files of judged decisions, as the tests of scoring and comparison read them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from gnubg_py.board import parse
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.notation import position_id
from gnubg_py.plays import plays

OPENING = "x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5"
PRIMED = "x 24:2 21:2 13:5 6:6 / o 24:1 8:3 7:3 6:4 5:4"
POSITIONS = {
    "contact": [(OPENING, (3, 1)), (OPENING, (4, 2)), (OPENING, (6, 5)), (PRIMED, (6, 2))],
    "race": [("x 8:3 6:5 4:3 2:2 / o 9:3 6:6 5:3 1:2", (6, 3))],
    "bearoff": [("x 6:2 4:1 2:1 / o 5:2 3:2 1:1", (4, 2))],
}


def judged_lines() -> list[dict[str, Any]]:
    """Decisions whose judge is the pseudopip evaluator: it gives up nothing in them."""
    judge = evaluator_named("pseudopip")
    lines = []
    for name, decisions in POSITIONS.items():
        for text, dice in decisions:
            board = parse(text)
            after = plays(board, dice)
            five = judge(after).astype(float)
            equities = -(2 * five[:, 0] - 1 + five[:, 1] + five[:, 2] - five[:, 3] - five[:, 4])
            order = (-equities).argsort(kind="stable")
            known = [[position_id(after[i]), float(equities[i]), 0] for i in order]
            lines.append(
                {"id": position_id(board), "class": name, "dice": list(dice), "plays": known}
            )
    return lines


def write_lines(path: Path, lines: list[Any]) -> Path:
    """JSON lines, gzipped where the name says so; a line that is text goes in as it is."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path
