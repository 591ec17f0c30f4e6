"""Databases travel to the workers that lack them."""

from __future__ import annotations

import operator
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnubg_py.bearoff import store
from gnubg_py.bearoff.store import CACHE_VARIABLE
from gnubg_py.bearoff.two_sided import build_two_sided
from gnubg_py.board import parse, start_position
from gnubg_py.cluster import connect
from gnubg_py.cluster.connecting import Cluster
from gnubg_py.cluster.databases import DatabaseSender
from gnubg_py.cluster.deliveries import pack
from gnubg_py.engine import engine_of
from gnubg_py.evaluators.bearoff import OneSidedLeaf, TwoSidedLeaf
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.hypergammon import HypergammonLeaf, hypergammon_router
from gnubg_py.evaluators.router import Router
from tests.cluster.processes import scheduler_and_worker, started_worker

pytest.importorskip("distributed")


TINY = TwoSidedLeaf(3, 4)


TINY_NAME = "two-sided-3-points-4-checkers"


LAST = parse("x 3:2 / o 2:2 1:1")[None]


BUILT = 1201 / 1296  # x's chances by the database that is built


def values_there(workers: Cluster, leaf: Any) -> list[list[float]]:
    """What every worker says of the last position, each asked several times."""
    return [five[0].tolist() for _, five in workers.results(operator.call, leaf, [LAST] * 8)]


@pytest.fixture
def other_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a database that says something else than one that is built says."""
    folder = tmp_path / "here"
    monkeypatch.setenv(CACHE_VARIABLE, str(folder))
    built = build_two_sided(3, 4)["equities"]
    store.write(store.path_of(TINY_NAME), TINY_NAME, {"equities": np.full_like(built, 0.25)})
    return folder


def test_a_database_travels_once_to_a_machine_that_has_none_or_another(
    tmp_path: Path, other_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnubg_py.cluster.databases._PART", 1000)
    sent: list[str] = []
    real = DatabaseSender._send_file

    def send(sender: DatabaseSender, name: str, *words: Any) -> None:
        sent.append(name)
        real(sender, name, *words)

    monkeypatch.setattr(DatabaseSender, "_send_file", send)
    there, late = tmp_path / "there", tmp_path / "late"
    store.write(there / f"{TINY_NAME}.safetensors", TINY_NAME, {"equities": np.zeros(3)})
    own = store.path_of(TINY_NAME).read_bytes()
    with scheduler_and_worker(tmp_path, there) as (address, _), connect(address) as workers:
        assert values_there(workers, TINY) == [[0.625, 0, 0, 0, 0]] * 8
        assert values_there(workers, TwoSidedLeaf(3, 4)) == [[0.625, 0, 0, 0, 0]] * 8
        assert sent == [TINY_NAME]
        assert [path.name for path in there.glob("*")] == [f"{TINY_NAME}.safetensors"]
        assert (there / f"{TINY_NAME}.safetensors").read_bytes() == own
        # A machine that comes later asks for it; a command after this one sends it to neither.
        worker = started_worker(tmp_path / "scheduler.json", late)
        try:
            while workers.count_now() < 2:
                time.sleep(0.1)
            found: list[list[float]] = []
            while not (late / f"{TINY_NAME}.safetensors").exists():
                found += values_there(workers, TINY)
            assert found == [[0.625, 0, 0, 0, 0]] * len(found)
            assert sent == [TINY_NAME] * 2
            with connect(address) as again:
                assert values_there(again, TINY) == [[0.625, 0, 0, 0, 0]] * 8
            assert sent == [TINY_NAME] * 2
        finally:
            worker.kill()
            worker.wait()


def test_a_large_database_is_not_sent_and_a_line_says_so(
    tmp_path: Path,
    other_database: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("gnubg_py.cluster.databases.LARGEST_SENT", 1000)
    there = tmp_path / "there"
    with scheduler_and_worker(tmp_path, there) as (address, _), connect(address) as workers:
        assert values_there(workers, TINY)[0][0] == pytest.approx(BUILT)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"database {TINY_NAME} has " in said
    assert "bytes, and more than 1,000 are not sent: workers build it when they need it" in said


def test_a_worker_that_cannot_keep_a_database_builds_it(
    tmp_path: Path, other_database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "there"
    there.write_text("a file where the folder should be")
    with scheduler_and_worker(tmp_path, there) as (address, _), connect(address) as workers:
        assert values_there(workers, TINY)[0][0] == pytest.approx(BUILT)
    (said,) = capsys.readouterr().err.splitlines()
    assert f"cannot keep database {TINY_NAME} (" in said


def test_workers_of_this_machine_read_its_databases(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(DatabaseSender, "_send_file", lambda *words: asked.append(words[1]))
    start = start_position("hypergammon1")[None]
    ((_, five),) = cluster.results(operator.call, HypergammonLeaf(1), [start])
    assert five[0, 0] == pytest.approx(0.60158, abs=5e-6)
    assert asked == []


def test_the_databases_of_a_delivery_are_those_that_not_everyone_has() -> None:
    router = engine_of().evaluator
    assert isinstance(router, Router)
    assert pack(router).databases == ()
    larger = router.routed(PositionClass.BEAROFF_TS, TINY)
    larger = larger.routed(PositionClass.BEAROFF_OS, OneSidedLeaf(8))
    assert pack([larger]).databases == ("one-sided-8-points", TINY_NAME)
    assert pack(hypergammon_router("hypergammon2")).databases == ("hypergammon-2-checkers",)
