"""The heuristics to look at: the parts of each play's score, and weights by name."""

from __future__ import annotations

import json
from io import StringIO

import numpy as np
import pytest

from gnubg_py import cli
from gnubg_py.board import START, parse
from gnubg_py.compare.heuristic_plays import (
    HEURISTICS,
    heuristic_named,
    heuristic_weights,
    scored_plays,
    weights_text,
)
from gnubg_py.compare.players import player_named
from gnubg_py.notation import position_id
from gnubg_py.plays import plays_batch
from gnubg_py.shell.loop import run_line
from gnubg_py.shell.preferences import settings_lines
from gnubg_py.shell.session import Session

OPENING_31 = ("4HPwATDgc/ABMA", "--dice", "31")


def test_the_score_of_a_play_is_the_weighted_sum_of_its_parts() -> None:
    name, weights = heuristic_named("pseudopip-analysis:blot=2,hit=-1,opponent=-2")
    for play in scored_plays(
        name, weights, parse("x 24:2 13:5 8:3 6:5 / o 20:1 13:6 8:3 6:5"), (6, 2)
    ).plays:
        player = play["pips"] + 2 * play["blots"] - play["hits"]
        assert play["player_score"] == pytest.approx(player)
        assert play["score"] == pytest.approx(player - 2 * play["opponent_score"])


def test_ten_scores_add_up_to_the_total() -> None:
    name, weights = heuristic_named("ten-factor-play:pip-gain=1")
    found = scored_plays(name, weights, START, (3, 1))
    totals = [play["score"] for play in found.plays]
    assert totals == sorted(totals, reverse=True)
    for play in found.plays:
        assert sum(f["score"] for f in play["factors"].values()) == pytest.approx(play["score"])
        assert play["factors"]["pip gain"] == {"value": 4.0, "score": 4.0}


@pytest.mark.parametrize("name", HEURISTICS)
def test_weights_are_read_as_they_are_written(name: str) -> None:
    for given in ("", "hit=-7" if name.startswith("pseudo") else "hits=0.123456789"):
        weights = heuristic_weights(name, given)
        assert heuristic_weights(name, weights_text(weights)) == weights


def test_the_play_that_ends_the_game_has_no_score() -> None:
    found = scored_plays(*heuristic_named("pseudopip-analysis"), parse("x 1:2 / o 1:2"), (3, 1))
    assert [(p["play"], p["score"]) for p in found.plays] == [("1/off(2)", None)]
    assert "game over" in found.table()


@pytest.mark.parametrize("name", HEURISTICS)
def test_a_player_with_weights_makes_the_play_ranked_first(name: str) -> None:
    weighted = f"{name}:{'opponent=-0.5' if name.startswith('pseudo') else 'points_made=0'}"
    boards, dice = START[None], np.array([[3, 1]], np.int8)
    candidates, offsets = plays_batch(boards, dice)
    for player in (name, weighted):
        row = player_named(player).choose(boards, dice, candidates, offsets)[0]
        text = scored_plays(*heuristic_named(player), START, (3, 1)).to_dict(1)["plays"][0]
        assert text["position"] == position_id(candidates[row])


def test_hint_shows_the_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["hint", *OPENING_31, "--evaluator", "pseudopip-analysis", "--count", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == ["overall", "player", "opponent", "pips", "blots", "hits"]
    assert lines[3].split() == ["1.", "24/20", "-3071.44", "1171.72", "1414.39", "1147", "24", "0"]
    assert len(lines) == 5
    assert cli.main(["hint", *OPENING_31, "--evaluator", "ten-factor-play"]) == 0
    assert "points made         2.0000    0.30  0.6000" in capsys.readouterr().out


def test_compare_shows_the_parts(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", *OPENING_31, "--breakdown", "--json", "--reference", "pseudopip"]
    assert cli.main([*words, "--evaluator", "ten-factor-play", "pseudopip-analysis:blot=2"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [one["evaluator"] for one in answer["breakdown"]] == [*HEURISTICS][::-1]
    assert answer["breakdown"][1]["weights"]["blot"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["hint", "--evaluator", "random"], "heuristic 'random' is not one of pseudopip-analysis,"),
        (["hint", "--ply", "1", "--evaluator", "ten-factor-play"], "--ply: ten-factor-play scores"),
        (
            ["hint", "--evaluator", "pseudopip-analysis:blob=1"],
            "pseudopip-analysis weight 'blob' is",
        ),
        (["hint", "--evaluator", "pseudopip-analysis:hit=1"], "pseudopip weights pips 1.0, blot"),
        (
            ["hint", "--evaluator", "ten-factor-play:hits=nan"],
            "ten-factor-play weight hits 'nan': ",
        ),
        (["hint", "--evaluator", "ten-factor-play:hits=1,hits=2"], "ten-factor-play weight hits: "),
        (["hint", "--evaluator", "pseudopip-analysis:pool_replies=2"], "pseudopip-analysis weight"),
        (
            ["hint", OPENING_31[0], "--evaluator", "ten-factor-play"],
            "position '4HPwATDgc/ABMA': no",
        ),
        (["compare", *OPENING_31, "--breakdown", "--evaluator", "net"], "--breakdown: none of the"),
        (["compare", "--positions", "p.txt", "--breakdown"], "--breakdown is of one position"),
    ],
)
def test_bad_words_get_one_line(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert cli.main(words) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"gnubg-py: {message}")
    assert err.count("\n") == 1


def test_the_shell_shows_scores_by_its_weights() -> None:
    session = Session(out=StringIO())

    def said(line: str) -> str:
        session.out = StringIO()
        run_line(session, line)
        return session.out.getvalue()

    assert "No position" in said("show breakdown")
    said("set gnubgid 4HPwATDgc/ABMA:cAkAAAAAAAAA")
    assert "have not been rolled" in said("show breakdown")
    said("set dice 31")
    assert said("show breakdown 1").splitlines()[-1].split()[1:3] == ["24/20", "-3071.44"]
    assert "points made         2.0000" in said("show breakdown ten-factor-play 1")
    before = settings_lines(session)
    assert "blot=2,hit=-1" in said("set heuristic pseudopip-analysis blot=2 hit=-1")
    assert said("show breakdown 1").splitlines()[-1].split()[1:3] == ["24/20", "-3717.36"]
    assert "-3071.44" not in said("show breakdown")
    new = [line for line in settings_lines(session) if line not in before]
    assert new == [
        "set heuristic pseudopip-analysis pips=1,blot=2,hit=-1,opponent=-3,pool_replies=1"
        ",own_blots=0"
    ]
    assert "'blob' is not one of" in said("set heuristic pseudopip-analysis blob=2")
    assert "defaults" in said("set heuristic pseudopip-analysis")
    assert settings_lines(session) == before
    assert "pseudopip-analysis 24/20" in said("compare pseudopip-analysis ten-factor")
