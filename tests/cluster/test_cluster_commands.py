"""Commands print the same on a cluster as without one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gnubg_py.cli import main
from gnubg_py.cluster.connecting import Cluster
from tests.cluster.processes import POSITION
from tests.judged import judged_lines, write_lines
from tests.shell_lines import Shell

pytest.importorskip("distributed")


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
