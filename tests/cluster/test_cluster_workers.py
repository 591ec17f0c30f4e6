"""The workers of a cluster: what they are sent, which are refused, what is said."""

from __future__ import annotations

import operator
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnubg_py.board import START
from gnubg_py.cli import main
from gnubg_py.cluster import connect
from gnubg_py.cluster.checks import difference, installation
from gnubg_py.cluster.connecting import ADDRESS_VARIABLE, Cluster
from gnubg_py.cluster.deliveries import pack, unpack
from gnubg_py.engine import engine_of
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.evaluators.router import Router
from gnubg_py.network.leaf import _sent_onnx_leaf
from gnubg_py.workers import in_order
from tests.cluster.processes import POSITION, with_workers
from tests.onnx_files import write_linear_onnx

pytest.importorskip("distributed")


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
