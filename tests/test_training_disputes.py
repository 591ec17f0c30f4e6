"""Plays that nets disagree about, judged by a search."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.board import Boards, parse
from gnubg_py.evaluators.protocol import FunctionEvaluator
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.plays import plays
from gnubg_py.training.disputes import disputes, main

OPENING = parse("x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5")


def plays_of(*rolls: tuple[int, int]) -> tuple[Boards, NDArray[np.int64]]:
    """The plays of opening rolls, and where those of each begin."""
    found = [plays(OPENING, roll) for roll in rolls]
    return np.concatenate(found), np.cumsum([0, *map(len, found)])


def likes_blots(boards: Boards) -> NDArray[np.float32]:
    """The side on roll is the better off the fewer blots the side that has played has."""
    blots = (boards[:, 1] == 1).sum(axis=1)
    return np.stack([0.9 - 0.1 * blots, *np.zeros((4, len(boards)))], axis=1).astype(np.float32)


def test_who_makes_the_five_point_loses_nothing_and_who_leaves_blots_does() -> None:
    net, wild = evaluator_named("net"), FunctionEvaluator("wild", likes_blots)
    found = disputes([net, wild], net, 1, *plays_of((3, 1), (6, 1), (4, 2)))
    assert found.disputed == 3
    assert found.losses[0].tolist() == [0, 0, 0]
    assert (found.losses[1] > 0.05).all()


def test_nets_that_agree_lose_nothing() -> None:
    net = evaluator_named("net")
    found = disputes([net, net], net, 2, *plays_of((3, 1), (6, 5)))
    assert (found.disputed, found.losses.tolist()) == (0, [[0, 0], [0, 0]])


def test_the_command_prints_a_row_for_each_net(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["net", "fast", "pseudopip", "--judge", "fast", "--ply", "1", "--positions", "300"]
    assert main(words) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert "rolls disputed; thousandths given up a roll:" in head
    assert [row.split(" | ")[0] for row in rows[2:]] == ["| net", "| fast", "| pseudopip"]
    losses = [float(row.split(" | ")[1].split(" ± ")[0]) for row in rows[2:]]
    assert losses[2] > 10 * max(losses[:2])


@pytest.mark.parametrize("words", [["net"], ["net", "fast", "--positions", "0"]])
def test_wrong_numbers_are_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "two nets or more" in capsys.readouterr().err
