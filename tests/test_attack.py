"""A short version of ``make attack``, with seeds that are always the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attack import __main__ as attack
from tests.attack import kills, rollouts, shell, streams


def test_lines_on_a_terminal(tmp_path: Path) -> None:
    assert shell.attack_terminal(3, tmp_path, lines=10) == 10


def test_rollouts_with_a_poor_judge_of_luck(tmp_path: Path) -> None:
    for seed in (1, 2, 3):
        assert rollouts.attack(seed, tmp_path, trials=144) == 144


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
    assert attack.run(["shell"], 7, 0) == 0
    assert "shell     2 lines\n0 failures; the last seed was 7\n" in capsys.readouterr().out
    assert attack.run(["shell"], 8, 0) == 1
    assert "FAILED: make attack ARGS='--once --only shell --seed 8'" in capsys.readouterr().out
