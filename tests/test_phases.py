"""Phases and situations of positions."""

from __future__ import annotations

import pytest

from gnubg_py.board import parse, swap
from gnubg_py.compare.phases import PHASES, phases, situations
from tests.judged import OPENING


@pytest.mark.parametrize(
    ("position", "phase"),
    [
        (OPENING, "opening"),
        ("x 13:3 8:4 6:5 5:3 / o 24:1 13:4 8:4 6:6", "middle game"),
        ("x 6:3 5:4 4:4 3:4 / o 24:1 6:4 5:5 4:5", "late contact"),
        ("x 8:1 6:14 / o 6:15", "race"),
        ("x 6:14 / o 6:15", "bearoff"),
    ],
)
def test_phases(position: str, phase: str) -> None:
    board = parse(position)
    assert PHASES[phases(board[None])[0]] == phase
    assert PHASES[phases(swap(board)[None])[0]] == phase


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        (OPENING, set()),
        ("x bar:1 24:1 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5", {"on the bar"}),
        ("x 24:2 13:5 8:3 6:5 / o bar:1 24:1 13:5 8:3 6:5", {"opponent on the bar"}),
        (
            "x 24:1 8:3 7:3 6:4 5:4 / o 24:2 21:2 13:5 6:6",
            {"own prime", "facing a back game", "ahead in pips"},
        ),
        (
            "x 24:2 21:2 13:5 6:6 / o 24:1 8:3 7:3 6:4 5:4",
            {"facing a prime", "back game", "behind in pips"},
        ),
        ("x 6:4 5:4 4:2 / o 24:1 6:10 5:4", {"bearing off in contact", "ahead in pips"}),
        ("x 6:5 5:5 4:5 / o 6:5", set()),  # no contact
    ],
)
def test_situations(position: str, expected: set[str]) -> None:
    found = situations(parse(position)[None])
    assert {name for name, rows in found.items() if rows[0]} == expected
