"""A short version of ``make attack``, with seeds that are always the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnubg_py.evaluators.classify import PositionClass, classify
from tests.attack import __main__ as attack
from tests.attack import kills, matches, protocol, rollouts, shell, streams
from tests.peers import contact_rollouts


def test_lines_on_a_terminal(tmp_path: Path) -> None:
    assert shell.attack_terminal(3, tmp_path, lines=10) == 10


def test_rollouts_with_a_poor_judge_of_luck(tmp_path: Path) -> None:
    for seed in (1, 2, 3):
        assert rollouts.attack(seed, tmp_path, trials=144) == 144


def test_the_external_protocol(tmp_path: Path) -> None:
    assert protocol.attack(1, tmp_path, lines=30) == 30


def test_match_files_with_small_damages(tmp_path: Path) -> None:
    assert matches.attack(1, tmp_path, rounds=10) == 10 * len(matches.MATCHES)


def test_streams(tmp_path: Path) -> None:
    assert streams.attack(1, tmp_path, commands=3) == 3


@pytest.mark.parametrize("writer", kills.WRITERS, ids=lambda writer: writer.name)
def test_killed_writers(tmp_path: Path, writer: kills.Writer) -> None:
    kills.kill_one(writer, tmp_path / writer.name, after=0.02)


def test_a_failure_is_told_with_its_seed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(seed: int, folder: Path) -> int:
        if seed == 8:
            raise AssertionError("found")
        return 2

    monkeypatch.setattr(attack, "_run_one", lambda name, seed: fails(seed, Path()))
    assert attack.run(["shell"], 7, 0, seeds=1) == 0
    assert "shell     2 lines\n0 failures; the last seed was 7\n" in capsys.readouterr().out
    assert attack.run(["shell"], 8, 0, seeds=1) == 1
    assert "FAILED: make attack ARGS='--once --only shell --seed 8'" in capsys.readouterr().out


def test_the_summary_of_contact_rollouts() -> None:
    line = {"gnubg": [0.0] * 7, "gnubg_errors": [0.003] * 7, "our_errors": [0.004] * 7}
    lines = [{**line, "ours": [gap] * 7} for gap in (0.005, -0.01)]
    assert contact_rollouts.standardised(lines, 6) == pytest.approx([1, -2], rel=0.01)
    assert "cubeful: chi-square 5.0 of 2, mean z -0.50" in contact_rollouts.summary(lines)


def test_contact_positions_are_the_same_for_a_seed() -> None:
    boards = contact_rollouts.contact_positions(5, 1)
    assert (classify(boards) == PositionClass.CONTACT).all()
    assert (boards == contact_rollouts.contact_positions(5, 1)).all()
