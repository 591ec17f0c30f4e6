"""``gnubg-py hint`` and ``gnubg-py eval``: what is printed, as text and as JSON."""

from __future__ import annotations

import json
import re

import pytest

from tests.command_line import Main

OPENING = "4HPwATDgc/ABMA"


def test_hint_prints_as_many_plays_as_asked(main: Main) -> None:
    status, out, _ = main("hint", "--ply", "0", "--count", "3", "--evaluator", "pseudopip")
    assert status == 0
    assert re.findall(r"^ +(\d+)\. ", out, re.MULTILINE) == ["1", "2", "3"]


def test_hint_without_a_roll_is_about_the_cube(main: Main) -> None:
    status, out, _ = main("hint", OPENING, "--preset", "expert")
    assert status == 0
    assert "\nCube analysis\n0-ply cubeless equity " in out
    assert "\nProper cube action: No double, take (" in out


def test_hint_as_json(main: Main) -> None:
    data = json.loads(main("hint", "--ply", "0", "--json")[1])
    assert len(data["plays"]) == 16
    assert data["plays"][0]["play"] == "8/5 6/5"
    data = json.loads(main("hint", OPENING, "--ply", "0", "--json")[1])
    assert data["proper_action"] == "No double, take"


def test_eval_has_a_line_for_every_ply(main: Main) -> None:
    status, out, _ = main("eval", "--ply", "1", "--no-prune")
    assert status == 0
    assert re.findall(r"^(static| 1 ply): +[\d. +-]+$", out, re.MULTILINE) == ["static", " 1 ply"]
    data = json.loads(main("eval", "--ply", "1", "--cubeless", "--json")[1])
    assert [row["ply"] for row in data["plies"]] == [0, 1]
    assert data["plies"][1]["equity"] == pytest.approx(data["plies"][1]["cubeful"])


def test_plays_inside_a_search_can_be_chosen_by_a_search(main: Main) -> None:
    words = ("eval", "--ply", "2", "--inner-ply")
    plain, chosen = (json.loads(main(*words, n, "--json")[1])["plies"] for n in "01")
    assert plain[:2] == chosen[:2]
    assert plain[2] != chosen[2]
    shown = main("hint", "--dice", "62", *words[1:], "1")[1]
    assert " 2-ply cubeful prune inner 1-ply\n" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["hint", "--count", "0"], "--count 0: should be at least 1"),
        (["hint", "--preset", "champion"], "preset 'champion' is not one of beginner, casual"),
        (["hint", "--filter", "wide"], "move filter 'wide' is not one of tiny, narrow"),
        (["hint", "--inner-ply", "4"], "inner_plies 4: should be a whole number from 0 to 3"),
        (["hint", "--net", "no.safetensors"], "no.safetensors: no such file"),
        (["hint", "--net", "a", "--evaluator", "b"], "hint: argument --evaluator: not allowed"),
        (["eval", "--ply", "-1"], "-1 plies: should be a whole number from 0 to 4"),
        (["eval", "--evaluator", "oracle"], "evaluator 'oracle' is not one of net, large, fast"),
        (
            ["hint", "XGID=-b----E-C---eE---c-e----B-:1:-1:1:00:0:0:0:0:10"],
            "the cube is the other side's: the side on roll cannot double",
        ),
    ],
)
def test_bad_words_get_one_line_and_status_2(main: Main, words: list[str], message: str) -> None:
    status, out, err = main(*words)
    assert (status, out) == (2, "")
    assert err.startswith(f"gnubg-py: {message}")
    assert err.count("\n") == 1
