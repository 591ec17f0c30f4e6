"""Rollouts on the processes of a cluster: the same numbers to the bit, whichever workers die."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gnubg_py import rollout
from gnubg_py.cli import main
from gnubg_py.cluster.connecting import ADDRESS_VARIABLE, Cluster
from gnubg_py.rollouts.result import RolloutResult
from gnubg_py.rollouts.settings import RolloutSettings, StopRules
from tests.cluster.processes import POSITION, kill_a_worker, scheduler_and_worker, with_workers

pytest.importorskip("distributed")


SETTINGS = RolloutSettings(trials=360, truncate=4)


def numbers(result: RolloutResult) -> dict[str, Any]:
    """All numbers of a rollout but how long it took."""
    return {k: v for k, v in result.to_dict().items() if k not in ("seconds", "games_per_second")}


def test_a_rollout_is_the_same_with_one_two_and_three_workers(cluster: Cluster) -> None:
    here = numbers(rollout(POSITION, SETTINGS, dice=(3, 1), best=2))
    for count in (3, 1, 2):
        workers = with_workers(cluster, count)
        there = rollout(POSITION, SETTINGS, dice=(3, 1), best=2, workers=workers, games_at_once=72)
        assert numbers(there) == here


def test_a_stop_rule_stops_at_the_same_trial(cluster: Cluster) -> None:
    settings = replace(SETTINGS, trials=3600, stop=StopRules(error=0.01, error_minimum=144))
    here = rollout(POSITION, settings)
    there = rollout(POSITION, settings, workers=cluster, games_at_once=72)
    assert here.trials < settings.trials
    assert numbers(there) == numbers(here)


def test_a_saved_rollout_is_extended_by_workers(cluster: Cluster, tmp_path: Path) -> None:
    first = rollout(POSITION, replace(SETTINGS, trials=100))
    longer = rollout(POSITION, SETTINGS, earlier=first, workers=cluster)
    assert numbers(longer) == numbers(rollout(POSITION, SETTINGS))


def test_a_worker_that_is_killed_costs_its_block_only(cluster: Cluster) -> None:
    settings = replace(SETTINGS, trials=720)
    killed: list[int] = []

    def kill_once(result: RolloutResult) -> None:
        if not killed:
            kill_a_worker(cluster)
            killed.append(result.trials)

    there = rollout(POSITION, settings, workers=cluster, games_at_once=36, report=kill_once)
    assert killed == [36]
    assert numbers(there) == numbers(rollout(POSITION, settings))


def test_ctrl_c_keeps_the_trials_that_are_finished(cluster: Cluster) -> None:
    def stop(result: RolloutResult) -> None:
        if result.trials >= 72:
            raise KeyboardInterrupt

    there = rollout(POSITION, SETTINGS, workers=cluster, games_at_once=36, report=stop)
    assert (there.ending, there.trials) == ("interrupted", 72)
    expected = numbers(rollout(POSITION, replace(SETTINGS, trials=72)))["sums"]
    assert numbers(there)["sums"] == expected


def test_a_scheduler_that_is_gone_is_one_line_and_the_trials_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "saved.json"

    def kill_scheduler() -> Any:
        def report(result: RolloutResult) -> None:
            if result.trials >= 72:
                scheduler.kill()

        return report

    monkeypatch.setattr("gnubg_py.commands.rollout.running_table", kill_scheduler)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("gnubg_py.rollouts.run._GAMES_AT_ONCE", ((36, 36),))
    words = ["rollout", POSITION, "--trials", "36000", "--truncate", "4", "--save", str(saved)]
    with scheduler_and_worker(tmp_path) as (address, scheduler):
        monkeypatch.setenv(ADDRESS_VARIABLE, address)
        assert main(words) == 2
        said = [line for line in capsys.readouterr().err.splitlines() if "gnubg-py:" in line]
    assert len(said) == 1
    assert f"cluster {address}: the scheduler does not answer any more" in said[0]
    kept = json.loads(saved.read_text())
    assert (kept["ending"], kept["trials"] >= 72) == ("interrupted", True)
