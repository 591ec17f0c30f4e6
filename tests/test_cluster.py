"""Work on the processes of a cluster: the same numbers to the bit, whichever workers die."""

from __future__ import annotations

import json
import operator
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gnubg_py
from gnubg_py import rollout
from gnubg_py.bearoff import store
from gnubg_py.bearoff.store import CACHE_VARIABLE
from gnubg_py.bearoff.two_sided import build_two_sided
from gnubg_py.board import START, parse, start_position
from gnubg_py.cli import main
from gnubg_py.cluster import connect
from gnubg_py.cluster.checks import difference, installation
from gnubg_py.cluster.connecting import ADDRESS_VARIABLE, Cluster
from gnubg_py.cluster.databases import DatabaseSender
from gnubg_py.cluster.deliveries import pack, unpack
from gnubg_py.engine import engine_of
from gnubg_py.evaluators.bearoff import OneSidedLeaf, TwoSidedLeaf
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.hypergammon import HypergammonLeaf, hypergammon_router
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.evaluators.router import Router
from gnubg_py.game.actions import Move, Roll
from gnubg_py.game.record import MatchRecord, with_action, with_new_game
from gnubg_py.matchfiles.mat import to_mat
from gnubg_py.network.leaf import _sent_onnx_leaf
from gnubg_py.notation import play_text
from gnubg_py.plays import plays
from gnubg_py.rollouts.result import RolloutResult
from gnubg_py.rollouts.settings import RolloutSettings, StopRules
from gnubg_py.workers import Workers, WorkersLostError, in_order
from tests.judged import judged_lines, write_lines
from tests.onnx_files import write_linear_onnx
from tests.shell_lines import Shell

pytest.importorskip("distributed")

POSITION = "4HPwATDgc/ABMA"
SETTINGS = RolloutSettings(trials=360, truncate=4)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Two worker processes of one thread."""
    with connect(2) as workers:
        yield workers


def with_workers(cluster: Cluster, count: int) -> Cluster:
    """The same cluster with another number of workers."""
    assert cluster._local is not None
    cluster._local.scale(count)
    deadline = time.monotonic() + 60
    while cluster.count_now() != count:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return cluster


def kill_a_worker(cluster: Cluster) -> None:
    """Kill one of the worker processes with SIGKILL."""
    os.kill(next(iter(cluster.client.run(os.getpid).values())), signal.SIGKILL)


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


def test_results_come_with_the_numbers_of_their_items(cluster: Cluster) -> None:
    assert list(in_order(cluster.results(operator.add, 5, range(20)))) == list(range(5, 25))
    assert sorted(cluster.results(operator.add, "a", ["b", "c"])) == [(0, "ab"), (1, "ac")]


def test_what_fails_in_a_block_fails_in_the_command(cluster: Cluster) -> None:
    with pytest.raises(ZeroDivisionError):
        list(cluster.results(operator.floordiv, 1, [1, 0]))


def test_nets_are_sent_once(cluster: Cluster) -> None:
    engine = engine_of()
    list(cluster.results(_evaluate, engine, [0]))
    stock = dict(cluster._stock)
    assert cluster.stocked_bytes > 1_000_000
    ((_, there),) = cluster.results(_evaluate, [engine, 1], [0])
    assert cluster._stock == stock
    assert np.array_equal(there, engine.evaluator(START[None]))


def _evaluate(shared: Any, _: int) -> Any:
    engine = shared[0] if isinstance(shared, list) else shared
    return engine.evaluator(START[None])


def test_large_arrays_are_packed_apart() -> None:
    large, small = np.arange(100_000.0), np.arange(3)
    packed = pack([large, small, large])
    assert len(packed.data) < 1000
    assert len(packed.arrays) == 1
    again = unpack(packed.data, packed.arrays)
    assert again[0] is again[2]
    assert np.array_equal(again[1], small)
    assert pack([large.copy(), small, large]).arrays.keys() == packed.arrays.keys()


def test_another_program_or_net_is_refused_by_name(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = installation()
    other = replace(own, nets=own.nets | {"contact.safetensors": "0"})
    assert difference(own, other) == "its net contact.safetensors is not the one here"
    monkeypatch.setattr("gnubg_py.cluster.connecting.installation", lambda: other)
    with pytest.raises(ValueError, match=r"tcp://127\.0\.0\.1:\d+ is refused, .*contact"):
        connect(cluster.address)
    said = capsys.readouterr().err.splitlines()
    assert len(said) in (1, 2)  # one of the workers may be starting again
    assert all("refused: its net contact.safetensors is not the one here" in line for line in said)


def test_a_worker_that_is_refused_gets_no_blocks(
    cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    with connect(with_workers(cluster, 2).address) as again:
        first, second = again.client.nthreads()
        again.refuse(first, "for the test")
        found = {where for _, where in again.results(_where, None, range(6))}
        assert found == {second}
        again.refuse(second, "for the test too")
        with pytest.raises(ValueError, match="there is no other"):
            list(again.results(_where, None, range(1)))
    assert "is refused: for the test" in capsys.readouterr().err


def _where(_: None, item: int) -> Any:
    from distributed import get_worker

    return get_worker().address


@pytest.mark.parametrize(
    ("where", "complaint"),
    [
        ("0", "cluster 0: should be 1 to 256 worker processes"),
        ("-2", "cluster -2: should be 1 to 256"),
        ("tcp://127.0.0.1:1", "no scheduler answers there; start one with: dask scheduler"),
        ("nonsense://x:1", "should be like tcp://host:8786"),
    ],
)
def test_addresses_that_cannot_be_used(
    where: str, complaint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gnubg_py.cluster.connecting._CONNECT_SECONDS", 0.5)
    assert main(["rollout", POSITION, "--trials", "36", "--cluster", where]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1


def test_without_a_cluster_dask_is_not_imported() -> None:
    code = (
        "import sys; from gnubg_py.cli import main; main(sys.argv[1:]); import gnubg_py.cluster;"
        "assert not {'dask', 'distributed', 'cloudpickle'} & set(sys.modules)"
    )
    words = ["rollout", POSITION, "--trials", "36", "--truncate", "1"]
    environment = {k: v for k, v in os.environ.items() if k != ADDRESS_VARIABLE}
    subprocess.run([sys.executable, "-c", code, *words], check=True, env=environment)


def started(file: Path, *words: str, cache: Path | None = None) -> subprocess.Popen[bytes]:
    """A process of dask's; ``cache`` is its folder of databases, as if on another machine."""
    where = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
    command = [sys.executable, "-m", "dask", *words, *where]
    environment = os.environ | ({} if cache is None else {CACHE_VARIABLE: str(cache)})
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdout=quiet, stderr=quiet, env=environment)


def started_worker(file: Path, cache: Path | None) -> subprocess.Popen[bytes]:
    """A worker of one thread."""
    return started(file, "worker", "--no-nanny", "--nthreads", "1", cache=cache)


@contextmanager
def scheduler_and_worker(
    tmp_path: Path, cache: Path | None = None
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A scheduler of its own process with one worker: its address, and the process."""
    file = tmp_path / "scheduler.json"

    scheduler = started(file, "scheduler", "--port", "0")
    worker = started_worker(file, cache)
    try:
        deadline = time.monotonic() + 60
        while not (file.exists() and file.read_text().endswith("}")):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield json.loads(file.read_text())["address"], scheduler
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()


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


def test_an_onnx_net_is_sent_as_its_bytes(cluster: Cluster, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    generator = np.random.default_rng(1)
    matrix = generator.normal(0, 0.1, (196, 6)).astype(np.float32)
    write_linear_onnx(tmp_path / "theirs.onnx", matrix, np.zeros(6, np.float32))
    engine = engine_of(evaluator_named(f"{tmp_path / 'theirs.onnx'}:encoding=tesauro196"))
    (tmp_path / "theirs.onnx").unlink()
    ((_, there),) = cluster.results(_evaluate, engine, [0])
    assert np.array_equal(there, engine.evaluator(START[None]))
    assert isinstance(engine.evaluator, Router)
    leaf: Any = engine.evaluator.leaf(PositionClass.CONTACT)
    complaint = r"theirs: a worker has onnxruntime .*, the command 0\.1: install"
    with pytest.raises(ValueError, match=complaint):
        _sent_onnx_leaf("theirs", leaf.model, leaf.encoding, leaf.output, "0.1")


OPENINGS = "4HPwATDgc/ABMA 31\n4HPwATDgc/ABMA 42\n4HPwATDgc/ABMA 64\n4HPwATDgc/ABMA 65\n"


@pytest.fixture
def openings(tmp_path: Path) -> Path:
    """Four openings as a file of positions with rolls."""
    file = tmp_path / "openings.txt"
    file.write_text(OPENINGS)
    return file


ENDINGS = """\
x 6:2 4:1 2:1 / o 5:2 3:2 1:1 42
x 6:3 3:2 / o 6:4 31
x 7:1 5:2 2:1 / o 6:2 2:2 61
x 5:3 4:3 / o 6:3 21
"""


def test_judging_is_the_same_on_a_cluster_whatever_the_order(
    cluster: Cluster, tmp_path: Path
) -> None:
    endings = tmp_path / "endings.txt"
    endings.write_text(ENDINGS)
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    how = ["--error", "0.05", "--trials", "324", "--most", "2", "--estimate-ply", "0"]
    words = [*how, "--evaluator", "fast", "--player", "pseudopip", "ten-factor-play"]
    assert main(["judge", str(endings), str(here), *words]) == 0
    assert main(["judge", str(endings), str(there), *words, "--cluster", cluster.address]) == 0
    assert there.read_text() == here.read_text()
    assert len(here.read_text().splitlines()) == 4
    # What is judged is not judged again.
    assert main(["judge", str(endings), str(there), *words, "--cluster", cluster.address]) == 0
    assert there.read_text() == here.read_text()


def test_strength_is_the_same_on_a_cluster(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decisions = write_lines(tmp_path / "decisions.jsonl", judged_lines())
    cube = {"id": POSITION, "cube": 1, "owner": "centred", "nd": 0.1, "dt": -0.2, "dp": 1.0}
    cubes = write_lines(tmp_path / "cubes.jsonl", [cube, cube | {"cube": 2, "owner": "own"}])
    words = ["strength", "--decisions", str(decisions), "--cube", str(cubes), "--json"]
    words += ["--evaluator", "fast", "fast@1"]
    here, there = both(words, cluster, capsys)
    assert there == here


def test_a_duel_is_the_same_on_a_cluster(
    cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = both(["duel", "fast", "pseudopip", "--games", "24", "--json"], cluster, capsys)
    assert there == here
    # Random plays depend on those before: they are made in this process, in their order.
    here, there = both(["duel", "fast", "random", "--games", "8", "--json"], cluster, capsys)
    assert there == here


def test_a_comparison_is_the_same_on_a_cluster(
    cluster: Cluster, openings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", "--positions", str(openings), "--evaluator", "pseudopip", "fast@1"]
    here, there = both([*words, "--json"], cluster, capsys)
    assert there == here


def both(words: list[str], cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> list[Any]:
    """What a command prints as JSON, without a cluster and with one, times left out."""
    found = []
    for more in ([], ["--cluster", cluster.address]):
        assert main([*words, *more]) == 0
        found.append(without_times(json.loads(capsys.readouterr().out)))
    return found


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            k: without_times(v) for k, v in value.items() if not k.endswith(("seconds", "_second"))
        }
    return [without_times(item) for item in value] if isinstance(value, list) else value


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


def test_matches_are_analysed_the_same_on_a_cluster(
    cluster: Cluster, season: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for number, more in enumerate(([], ["--cluster", cluster.address])):
        kept = ["--analysis", str(tmp_path / f"kept{number}")]
        words = ["analyse", str(season), "--ply", "0", "--rollout-above", "0.7", "--trials", "36"]
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


def several(workers: Cluster) -> Workers:
    """The same workers, which say that they are more than one, so that work is cut small."""
    workers._count, workers._counted = 2, float("inf")
    return workers


def tiny(start: Path) -> Any:
    """The settings of a short training run of four lanes."""
    from gnubg_py.training.config import TrainConfig

    return TrainConfig(
        hidden=(16, 8),
        games=24,
        lanes=4,
        turns=6,
        positions=720,
        batch=128,
        buffer=5_000,
        average=0.9,
        report_positions=400,
        checkpoint_minutes=0.0,
        max_game_turns=60,
        start=str(start),
    )


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small net to start from, which saves the first guess."""
    from gnubg_py.network.model import Net, weights_of
    from gnubg_py.network.weights import Architecture, save_weights

    file = tmp_path_factory.mktemp("start") / "start.safetensors"
    save_weights(file, weights_of(Net(Architecture((16, 8)))))
    return file


def weights_in(folder: Path) -> dict[str, Any]:
    from safetensors.numpy import load_file

    return load_file(folder / "net.safetensors")


def same_weights(one: Path, other: Path) -> bool:
    first, second = weights_in(one), weights_in(other)
    return all(np.array_equal(first[name], second[name]) for name in first)


def test_a_synchronous_run_is_the_same_though_a_worker_is_killed(
    cluster: Cluster, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gnubg_py.training import lanes
    from gnubg_py.training import run as run_module

    run_module.train(tiny(start), tmp_path / "here")
    rounds: list[int] = []
    real = lanes.play_lanes

    def killing(*words: Any) -> Any:
        rounds.append(1)
        if len(rounds) == 3:
            kill_a_worker(cluster)
        return real(*words)

    monkeypatch.setattr(run_module, "play_lanes", killing)
    run_module.train(tiny(start), tmp_path / "there", workers=cluster)
    assert len(rounds) > 3
    assert same_weights(tmp_path / "there", tmp_path / "here")


def test_a_run_of_lanes_resumes_to_the_same_weights(
    start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gnubg_py.training import lanes
    from gnubg_py.training import run as run_module

    run_module.train(tiny(start), tmp_path / "whole")
    rounds: list[int] = []
    real = lanes.play_lanes

    def failing(*words: Any) -> Any:
        rounds.append(1)
        if len(rounds) == 4:
            raise WorkersLostError("cluster: lost")
        return real(*words)

    monkeypatch.setattr(run_module, "play_lanes", failing)
    with pytest.raises(WorkersLostError):
        run_module.train(tiny(start), tmp_path / "parts")
    run_module.train(tiny(start), tmp_path / "parts", resume=True)
    assert same_weights(tmp_path / "parts", tmp_path / "whole")


def test_workers_play_with_the_newest_net_and_lose_nothing(
    cluster: Cluster, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gnubg_py.training import run as run_module

    taken: list[int] = []
    real = run_module._take

    def killing(state: Any, config: Any, found: Any) -> None:
        taken.append(len(found.boards))
        if len(taken) == 3:
            kill_a_worker(cluster)
        real(state, config, found)

    monkeypatch.setattr(run_module, "_take", killing)
    state = run_module.train(tiny(start), tmp_path, newest=cluster)
    assert state.progress.positions == state.buffer.filled == 720
    assert sum(taken) >= 720
    assert len(cluster._deliveries) == 0


def test_training_by_the_command(cluster: Cluster, start: Path, tmp_path: Path) -> None:
    words = [
        "--start",
        str(start),
        "--hidden",
        "16",
        "8",
        "--games",
        "32",
        "--lanes",
        "2",
        "--turns",
        "4",
    ]
    words += ["--positions", "300", "--batch", "64", "--cluster", cluster.address]
    assert main(["train", str(tmp_path / "exact"), *words, "--synchronous"]) == 0
    assert main(["train", str(tmp_path / "newest"), *words]) == 0
    for name in ("exact", "newest"):
        assert weights_in(tmp_path / name)


def test_the_shell_rolls_out_and_analyses_on_a_cluster(cluster: Cluster, season: Path) -> None:
    here, there = Shell(), Shell()
    assert "by this process" in there("show cluster")
    assert f"by the workers of {cluster.address}" in there(f"set cluster {cluster.address}")
    said = []
    for shell in (here, there):
        shell("set rollout trials 72", "set rollout truncation enable", "set rollout truncation 3")
        shell("set analysis chequerplay evaluation plies 0")
        shell(f'import mat "{season / "one.mat"}"')
        shell("analyse match")
        rolled = shell("first move", "rollout").partition("trials")[0]
        said.append(shell("show statistics match") + rolled)
    assert said[0] == said[1]
    assert "by this process" in there("set cluster off")
    assert "You must specify a scheduler's address" in there("set cluster")
    assert "should be 1 to 256 worker processes" in there("set cluster 1000")
