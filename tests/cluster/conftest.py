"""Fixtures of the tests of clusters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gnubg_py.cluster import connect
from gnubg_py.cluster.connecting import Cluster
from gnubg_py.game.actions import Move, Roll
from gnubg_py.game.record import MatchRecord, with_action, with_new_game
from gnubg_py.matchfiles.mat import to_mat
from gnubg_py.notation import play_text
from gnubg_py.plays import plays


@pytest.fixture(scope="package")
def cluster() -> Iterator[Cluster]:
    """Two worker processes of one thread."""
    with connect(2) as workers:
        yield workers


@pytest.fixture
def season(tmp_path: Path) -> Path:
    """A folder of two short matches and a file that is none."""
    folder = tmp_path / "season"
    folder.mkdir()
    for name, seed in (("one", 1), ("two", 2)):
        record = random_match(seed)
        (folder / f"{name}.mat").write_text(to_mat(record))
    (folder / "broken.mat").write_bytes(b"\x00\xff nothing")
    return folder


def random_match(seed: int) -> MatchRecord:
    """A match to 3 of one game: ten turns of random plays, in which nobody doubles."""
    generator = np.random.default_rng(seed)
    record = with_new_game(MatchRecord(length=3), (1, 3))
    for turn in range(10):
        position = record.games[-1].end
        player = position.match.turn
        if turn:
            a, b = generator.integers(1, 7, size=2).tolist()
            record = with_action(record, Roll(player, (a, b)))
            position = record.games[-1].end
        legal = plays(position.board, position.match.dice)
        after = legal[generator.integers(len(legal))]
        text = play_text(position.board, position.match.dice, after)
        record = with_action(record, Move(player, text))
    return record
