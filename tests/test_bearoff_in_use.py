"""Larger bearoff databases: chosen, and used by the classes and the router."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gnubg_py.bearoff import in_use, one_sided, store, two_sided
from gnubg_py.bearoff.one_sided import one_sided_database
from gnubg_py.bearoff.two_sided import two_sided_database
from gnubg_py.board import parse
from gnubg_py.cube.state import Cube
from gnubg_py.engine import engine_of
from gnubg_py.evaluators.classify import Classifier, PositionClass
from gnubg_py.evaluators.registry import default_router
from gnubg_py.search.context import make_search
from gnubg_py.search.settings import EvalSettings
from gnubg_py.search.values import values
from tests.command_line import Main
from tests.shell_lines import Shell

TWO_SIDED = parse("x 7:1 2:1 / o 7:2")[None]
ONE_SIDED = parse("x 7:3 6:5 / o 7:2 6:7")[None]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache folder, and nothing chosen."""
    monkeypatch.setenv(store.CACHE_VARIABLE, str(tmp_path))
    monkeypatch.delenv(in_use.BEAROFF_VARIABLE)
    monkeypatch.setattr(in_use, "_chosen", None)
    one_sided_database.cache_clear()
    two_sided_database.cache_clear()
    yield tmp_path
    one_sided_database.cache_clear()
    two_sided_database.cache_clear()


def name(classes: Classifier, text: str) -> str:
    return PositionClass(int(classes(parse(text)[None])[0])).name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x 6:6 / o 6:6", "BEAROFF2"),
        ("x 6:8 / o 6:6", "BEAROFF_TS"),
        ("x 6:9 / o 6:6", "BEAROFF1"),
        ("x 7:1 / o 6:8", "BEAROFF_OS"),
        ("x 8:1 / o 1:15", "BEAROFF_OS"),
        ("x 9:1 / o 1:1", "RACE"),
        ("x bar:1 / o 1:1", "CRASHED"),
        ("x 1:1 / o", "OVER"),
    ],
)
def test_classes_follow_the_databases_in_use(text: str, expected: str) -> None:
    assert name(Classifier("standard", 8, 6, 8), text) == expected


def test_without_larger_databases_the_classes_are_the_usual_ones() -> None:
    assert name(default_router().classes, "x 6:8 / o 6:6") == "BEAROFF1"
    assert name(default_router().classes, "x 7:1 / o 6:8") == "RACE"


def test_the_router_takes_the_larger_databases(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(in_use.BEAROFF_VARIABLE, "one-sided 7 two-sided 7x2")
    engine = engine_of()
    exact = two_sided.two_sided_without_double(TWO_SIDED, two_sided_database(7, 2))[0]
    for plies in (0, 2):
        search = make_search(engine, EvalSettings(plies))
        five, found = values(search, TWO_SIDED, (Cube(),))
        assert found[0, 0] == exact[two_sided.CENTRED]
        assert five[0, 0] == pytest.approx((exact[two_sided.CUBELESS] + 1) / 2)
    expected = one_sided.one_sided_five(ONE_SIDED, one_sided_database(7))
    assert (engine.evaluator(ONE_SIDED) == expected).all()
    assert {p.name for p in cache.glob("*.safetensors")} == {
        "one-sided-7-points.safetensors",
        "two-sided-7-points-2-checkers.safetensors",
    }
    monkeypatch.setenv(in_use.BEAROFF_VARIABLE, "usual")
    assert default_router().identity != engine.evaluator.identity


def test_a_larger_database_is_used_once_it_is_built(
    cache: Path, main: Main, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert in_use.sizes_in_use() == in_use.USUAL
    _, out, _ = main("bearoff", "build", "-t", "7x2")
    assert "In use: one-sided of 6 points, two-sided of 7 points and 2 checkers." in out
    monkeypatch.setattr(in_use, "_chosen", None)  # the next run
    assert in_use.sizes_in_use() == (6, 7, 2)
    assert default_router().table[PositionClass.BEAROFF_TS].name == "bearoff_ts 7x2"
    assert main("bearoff", "use")[1].startswith("In use: one-sided of 6 points, two-sided of 7")
    answer = json.loads(main("bearoff", "use", "usual", "--json")[1])
    assert answer == {"one_sided_points": 6, "two_sided_points": 6, "two_sided_checkers": 6}
    assert in_use.sizes_in_use() == in_use.USUAL


def test_a_smaller_database_is_not_used(cache: Path, main: Main) -> None:
    _, out, _ = main("bearoff", "build", "two-sided", "--points", "4", "--checkers", "2")
    assert "In use" not in out
    assert in_use.sizes_in_use() == in_use.USUAL


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("one-sided 11", "expected 6 to 10"),
        ("two-sided 6x10", "at most 5005 positions a side"),
        ("two-sided 6", "expected 'usual', or sizes such as"),
        ("three-sided 6", "expected 'usual', or sizes such as"),
        ("one-sided", "expected 'usual', or sizes such as"),
        ("", "expected 'usual', or sizes such as"),
        ("one-sided ten", "expected 6 to 10"),
    ],
)
def test_sizes_that_cannot_be_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        in_use.parse_sizes(text)


def test_what_is_printed_is_read_back() -> None:
    for sizes in (in_use.USUAL, in_use.Sizes(10, 6, 8)):
        assert in_use.parse_sizes(str(sizes)) == sizes


def test_a_file_that_cannot_be_read_is_named_and_the_usual_databases_are_used(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (cache / "bearoff-in-use.txt").write_text("one-sided 99\n")
    assert in_use.sizes_in_use() == in_use.USUAL
    said = capsys.readouterr().err
    assert "bearoff-in-use.txt" in said
    assert "the usual bearoff databases are used" in said


def test_a_choice_that_cannot_be_kept_is_for_this_run(
    cache: Path, monkeypatch: pytest.MonkeyPatch, main: Main, capsys: pytest.CaptureFixture[str]
) -> None:
    (cache / "file").write_text("")
    monkeypatch.setenv(store.CACHE_VARIABLE, str(cache / "file"))
    in_use.use_sizes(in_use.Sizes(8))
    assert in_use.sizes_in_use().one_sided_points == 8
    said = capsys.readouterr().err
    assert said.endswith("the choice of bearoff databases is for this run alone\n")
    assert len(said.splitlines()) == 1


def test_the_shell_chooses_databases(cache: Path, money: Shell) -> None:
    assert "one-sided 6 two-sided 7x2" in money("set bearoff two-sided 7x2")
    assert "bearoff_ts 7x2" in money("show engine")
    assert "expected 6 to 10" in money("set bearoff one-sided 12")
    assert "bearoff_ts" not in money("set bearoff usual", "show engine")


def test_positions_of_the_larger_databases_are_valued_alike_in_a_batch(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(in_use.BEAROFF_VARIABLE, "one-sided 7 two-sided 7x2")
    router = default_router()
    boards = np.concatenate([ONE_SIDED, TWO_SIDED, parse("x 6:8 / o 6:6")[None]])
    assert (router(boards) == np.concatenate([router(b[None]) for b in boards])).all()
