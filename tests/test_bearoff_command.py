"""``gnubg-py bearoff``."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from gnubg_py.bearoff import store
from tests.command_line import Main


def test_suggest(main: Main) -> None:
    status, out, _ = main("bearoff", "suggest", "002220", "61")
    assert status == 0
    assert out == (
        "Suggested move is 011210, with maximum turns left 6 and expected turns left 3.090\n"
    )


def test_suggest_as_json(main: Main) -> None:
    _, out, _ = main("bearoff", "suggest", "002220", "16", "--json")
    answer = json.loads(out)
    assert answer["expected"] == pytest.approx(3.0897, abs=5e-5)
    assert (answer["board"], answer["minimum"], answer["maximum"]) == ("011210", 2, 6)


def test_analyze_prints_the_21_rolls(main: Main) -> None:
    status, out, _ = main("bearoff", "analyze", "000222")
    assert status == 0
    lines = out.splitlines()
    assert len(lines) == 4 + 21
    assert lines[4].split() == ["1-1", "2", "9", "3.905", "000122"]
    assert lines[-1].split() == ["6-6", "1", "3", "1.710", "000200"]


def test_analyze_as_json(main: Main) -> None:
    answer = json.loads(main("bearoff", "analyze", "10,0,0,0,0,5", "--json")[1])
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
        (("suggest", "002222", "61", "--checkers", "6"), "they must total 6 or less"),
        (("suggest", "002220", "61", "--checkers", "16"), "expected 1 to 15"),
        (("--checkers", "0"), "expected 1 to 15"),
        (("boards", "002220", "07"), "each die should be 1 to 6"),
        (("dump", "one-sided"), "name a position, or its numbers"),
        (("dump", "one-sided", "002220", "-n", "1"), "name a position, or its numbers"),
        (("dump", "one-sided", "00222"), "expected 6 digits"),
        (("dump", "one-sided", "88,8,0,0,0,0"), "at most 15 in all"),
        (("dump", "one-sided", "x 7:1 / o 1:1"), "not all checkers are on the first 6 points"),
        (("dump", "one-sided", "-n", "54264"), "expected 0 to 54263"),
        (("dump", "two-sided", "-n", "1"), "--index takes two numbers"),
        (("dump", "two-sided", "x 1:7 / o 1:1"), "not within the two-sided bearoff database"),
        (("dump", "hypergammon", "--points", "7", "-n", "1", "1"), "has the whole board"),
        (("build", "hypergammon", "--checkers", "4"), "expected 1 to 3"),
        (("build", "three-sided"), "database 'three-sided' is not one of"),
        (("build", "one-sided", "--points", "11"), "expected 6 to 10"),
        (("build", "two-sided", "--checkers", "15"), "at most 5005 positions a side"),
        (("build", "one-sided", "--checkers", "9"), "--checkers is of two-sided and hypergammon"),
    ],
)
def test_mistakes_are_one_line_and_status_2(
    main: Main, words: tuple[str, ...], message: str
) -> None:
    status, out, err = main("bearoff", *words)
    assert status == 2
    assert out == ""
    assert message in err
    assert err.startswith("gnubg-py: ")
    assert len(err.splitlines()) == 1


def test_build_builds_once_and_again_when_forced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, main: Main
) -> None:
    monkeypatch.setenv(store.CACHE_VARIABLE, str(tmp_path))
    words = ("build", "two-sided", "--points", "4", "--checkers", "2")
    file = tmp_path / "two-sided-4-points-2-checkers.safetensors"
    _, out, _ = main("bearoff", *words)
    assert out.startswith(f"{file}: ")
    assert "built in" in out
    first = file.read_bytes()
    assert "already there" in main("bearoff", *words)[1]
    (answer,) = json.loads(main("bearoff", *words, "--force", "--json")[1])
    assert answer["bytes"] == len(first)
    assert answer["seconds"] is not None
    assert file.read_bytes() == first


def test_boards_that_follow_a_roll(main: Main) -> None:
    status, out, _ = main("bearoff", "boards", "101000", "42")
    assert status == 0
    assert out.splitlines()[0] == "2 boards follow 101000 after 4-2, the best first:"
    assert [line.split()[-1] for line in out.splitlines()[3:]] == ["000000", "100000"]
    _, out, _ = main("bearoff", "boards", "101000", "42", "--rule", "seed", "--json")
    assert [left["board"] for left in json.loads(out)] == ["100000"]


def test_boards_that_follow_a_single_die(main: Main) -> None:
    for board, die, after in (
        ("101000", "2", ["200000"]),
        ("101000", "4", ["100000"]),  # too many pips: the highest is borne off
        ("012000", "1", ["021000", "102000"]),
        ("000001", "6", ["000000"]),
    ):
        answer = json.loads(main("bearoff", "boards", board, die, "--json")[1])
        assert sorted(left["board"] for left in answer) == sorted(after), (board, die)
    status, _, err = main("bearoff", "boards", "101000", "7")
    assert status == 2
    assert "die 7: should be 1 to 6" in err


def test_boards_that_follow_any_roll(main: Main) -> None:
    answer = json.loads(main("bearoff", "boards", "000001", "--json")[1])
    # 3-2 and 4-1 leave it on the ace point, 1-1 and 3-1 on the 2-point, 2-1 on the 3-point.
    assert [left["board"] for left in answer] == [
        "000000", "100000", "010000", "001000",
    ]  # fmt: skip


def test_the_program_behind_it_is_the_rule_seed(main: Main) -> None:
    _, out, _ = main("bearoff", "suggest", "002220", "16", "--rule", "seed")
    assert out == (
        "Suggested move is 011210, with maximum turns left 6 and expected turns left 3.128\n"
    )


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))


def test_without_an_action_it_asks_until_the_answers_make_sense(
    main: Main, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, "5", "1", "002222", "002220", "17", "16", "maybe", "1", "2", "000222", "2")
    status, out, _ = main("bearoff", "--rule", "seed", "--checkers", "6")
    assert status == 0
    assert "1 Suggest Move\n2 Analyze Board\n" in out
    assert "Error: '5' is not 1 or 2. Try again." in out
    assert "the numbers total 8, they must total 6 or less. Try again." in out
    assert "Error: dice 1 and 7: each die should be 1 to 6. Try again." in out
    assert (
        "Suggested move is 011210 with max turns remaining of 6 "
        "and expected remaining turns of 3.128\n" in out
    )
    assert "Error: 'maybe' is not 1 or 2. Try again." in out
    rolls = [line.split() for line in out.splitlines() if re.match("[1-6]{2} ", line)]
    assert len(rolls) == 21
    assert rolls[4] == ["15", "2", "8", "3.71"]
    assert out.rstrip().endswith("Your choice:")


def test_the_dialogue_ends_with_its_input(main: Main, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "1", "002220")
    status, out, err = main("bearoff")
    assert (status, err) == (0, "")
    assert out.endswith("Please enter the die roll (two numbers, no spaces) : \n")


def test_dump_of_one_side(main: Main) -> None:
    _, out, _ = main("bearoff", "dump", "one-sided", "000001")
    assert out.splitlines() == [
        "Position 6: 0,0,0,0,0,1",
        "Expected rolls 1.250000, effective pips 10.208333",
        "Rolls     all off   first off",
        "    0    0.000000    1.000000",
        "    1    0.750000    0.000000",
        "    2    0.250000    0.000000",
    ]
    (answer,) = json.loads(main("bearoff", "dump", "one-sided", "-n", "6", "--json")[1])
    assert answer == {
        "number": 6, "board": "0,0,0,0,0,1", "expected": 1.25,
        "all_off": [0.0, 0.75, 0.25], "first_off": [1.0, 0.0, 0.0],
    }  # fmt: skip


def test_dump_of_two_sides_and_of_hypergammon(main: Main) -> None:
    answer = json.loads(main("bearoff", "dump", "two-sided", "x 6:1 / o 5:1", "--json")[1])
    assert answer["numbers"] == [6, 5]
    assert answer["cube owned by the other"] == pytest.approx(18 / 36)
    words = ("dump", "hypergammon", "--checkers", "1", "-n", "24", "24", "--json")
    answer = json.loads(main("bearoff", *words)[1])
    assert answer["position"] == "x 24:1 / o 24:1"
    assert answer["win"] == pytest.approx(0.601583, abs=1e-6)
