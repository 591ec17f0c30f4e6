"""``gnubg-py bearoff``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnubg_py import cli
from gnubg_py.bearoff import store


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = cli.main(["bearoff", *words])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_suggest(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "suggest", "002220", "61")
    assert status == 0
    assert out == (
        "Suggested move is 011210, with maximum turns left 6 and expected turns left 3.090\n"
    )


def test_suggest_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "suggest", "002220", "16", "--json")
    answer = json.loads(out)
    assert answer["expected"] == pytest.approx(3.0897, abs=5e-5)
    assert (answer["board"], answer["minimum"], answer["maximum"]) == ("011210", 2, 6)


def test_analyze_prints_the_21_rolls(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "analyze", "000222")
    assert status == 0
    lines = out.splitlines()
    assert len(lines) == 4 + 21
    assert lines[4].split() == ["1-1", "2", "9", "3.905", "000122"]
    assert lines[-1].split() == ["6-6", "1", "3", "1.710", "000200"]


def test_analyze_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(run(capsys, "analyze", "10,0,0,0,0,5", "--json")[1])
    assert answer["board"] == "10,0,0,0,0,5"
    assert [roll["dice"] for roll in answer["rolls"]][:3] == [[1, 1], [1, 2], [1, 3]]
    assert len(answer["rolls"]) == 21


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("suggest", "992220", "61"), "the numbers total 24, they must total 15 or less"),
        (("suggest", "002220", "17"), "each die should be 1 to 6"),
        (("suggest", "002220", "6"), "expected two numbers from 1 to 6"),
        (("analyze", "00222"), "expected six digits"),
        (("build", "three-sided"), "unknown database 'three-sided'"),
        (("build", "one-sided", "--points", "11"), "expected 6 to 10"),
        (("build", "two-sided", "--checkers", "15"), "at most 5005 positions a side"),
        (("build", "one-sided", "--checkers", "9"), "--checkers is of the two-sided database"),
    ],
)
def test_mistakes_are_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    status, out, err = run(capsys, *words)
    assert status == 2
    assert out == ""
    assert message in err
    assert err.startswith("gnubg-py: ")
    assert len(err.splitlines()) == 1


def test_build_builds_once_and_again_when_forced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(store.CACHE_VARIABLE, str(tmp_path))
    words = ("build", "two-sided", "--points", "4", "--checkers", "2")
    file = tmp_path / "two-sided-4-points-2-checkers.safetensors"
    _, out, _ = run(capsys, *words)
    assert out.startswith(f"{file}: ")
    assert "built in" in out
    first = file.read_bytes()
    assert "already there" in run(capsys, *words)[1]
    (answer,) = json.loads(run(capsys, *words, "--force", "--json")[1])
    assert answer["bytes"] == len(first)
    assert answer["seconds"] is not None
    assert file.read_bytes() == first
