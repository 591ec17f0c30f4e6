"""Matches are analysed on a cluster: the same judgements, whichever workers die."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gnubg_py
from gnubg_py.cli import main
from gnubg_py.cluster import connect
from gnubg_py.cluster.connecting import Cluster
from gnubg_py.workers import WorkersLostError
from tests.cluster.processes import kill_a_worker, scheduler_and_worker, several

pytest.importorskip("distributed")


def test_matches_are_analysed_the_same_on_a_cluster(
    cluster: Cluster, season: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for number, more in enumerate(([], ["--cluster", cluster.address])):
        kept = ["--analysis", str(tmp_path / f"kept{number}")]
        words = ["analyse", str(season), "--ply", "0", "--rollout-above", "0.4", "--trials", "36"]
        assert main([*words, "--json", *kept, *more]) == 0
        found.append(json.loads(capsys.readouterr().out))
    here, there = found
    assert len(here["matches"]) == 2
    assert any(one["rolled_out"] for match in here["matches"] for one in match["decisions"])
    assert there == here


def test_a_worker_killed_in_an_analysis_costs_its_part_only(
    cluster: Cluster, season: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = gnubg_py.analyse(season / "one.mat", ply=1)
    monkeypatch.setattr("gnubg_py.matches.judge._LEAST_PART", 1)
    killed: list[int] = []

    def kill_once(done: int, total: int) -> None:
        if not killed:
            kill_a_worker(cluster)
            killed.append(done)

    there = gnubg_py.analyse(season / "one.mat", ply=1, progress=kill_once, workers=cluster)
    assert 0 < killed[0] < len(here)
    assert there.to_dict() == here.to_dict()


def test_a_lost_scheduler_leaves_the_analysis_so_far(
    season: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnubg_py.matches.judge._LEAST_PART", 1)
    monkeypatch.setattr("gnubg_py.cluster.blocks._AHEAD", 1)
    with scheduler_and_worker(tmp_path) as (address, scheduler), connect(address) as workers:

        def kill(done: int, total: int) -> None:
            scheduler.kill()
            scheduler.wait()

        with pytest.raises(WorkersLostError, match="does not answer any more") as lost:
            gnubg_py.analyse(season / "one.mat", ply=0, progress=kill, workers=several(workers))
    assert 0 < len(lost.value.partial) < len(gnubg_py.analyse(season / "one.mat", ply=0))
