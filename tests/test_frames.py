"""Results as pandas DataFrames, where pandas is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gnubg_py as bg
from gnubg_py.board import START
from gnubg_py.game.record import MatchRecord
from gnubg_py.rollouts.settings import RolloutSettings

MATCH = Path(__file__).parent.parent / "docs" / "reports" / "match.mat"
FIVE = ["win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon"]


@pytest.fixture(autouse=True)
def pandas() -> Any:
    return pytest.importorskip("pandas")


def numbers(frame: Any) -> list[str]:
    """The columns of a frame that have numbers."""
    return list(frame.select_dtypes("number").columns)


def test_the_plays_of_a_roll() -> None:
    plays = bg.best_plays(START, "31", ply=0)
    frame = plays.to_frame()
    assert frame.play.tolist() == [one.play for one in plays]
    assert frame.loss.is_monotonic_increasing
    assert numbers(frame) == ["rank", "ply", "equity", "loss", "mwc", *FIVE]
    assert frame.mwc.isna().all()


def test_match_winning_chances_are_those_of_a_match() -> None:
    frame = bg.best_plays(START, "31", ply=0, score=(2, 4), length=7).to_frame()
    assert frame.mwc.between(0, 1).all()


def test_a_cube_action_and_an_evaluation() -> None:
    cube = bg.cube_action(START, ply=0).to_frame()
    assert cube[["action", "double_pass"]].to_numpy().tolist() == [["No double, take", 1.0]]
    assert numbers(cube) == ["ply", "no_double", "double_take", "double_pass", *FIVE]
    evaluation = bg.evaluate(START, ply=1).to_frame()
    assert evaluation.ply.tolist() == [0, 1]
    assert numbers(evaluation) == list(evaluation.columns)


def test_many_positions() -> None:
    hints = bg.hints([START] * 3, ["31", "61", "65"], ply=0)
    frame = hints.to_frame()
    assert frame[["position", "dice", "play"]].to_numpy().tolist() == [
        [0, "31", "8/5 6/5"], [1, "61", "13/7 8/7"], [2, "65", "24/13"],
    ]  # fmt: skip
    assert frame.equity.tolist() == pytest.approx(hints.equities.tolist())
    actions = bg.cube_actions([START] * 2, ply=0).to_frame()
    assert actions.action.tolist() == ["No double, take"] * 2


def test_a_rollout() -> None:
    result = bg.rollout(START, RolloutSettings(trials=36), dice=(3, 1), best=2)
    frame = result.to_frame()
    assert frame.name.tolist() == [row.name for row in result.rows]
    assert frame.equity.max() == result.best.equity
    assert {"error", "difference_error", *FIVE} <= set(numbers(frame))


def test_an_analysed_match() -> None:
    analysis = bg.analyse(MATCH, ply=0)
    frame = analysis.to_frame()
    assert len(frame) == len(analysis)
    assert frame.loss.sum() == pytest.approx(sum(one.loss for one in analysis))
    bob = frame[frame.counts & (frame.player == "Bob")]
    assert 500 * bob.loss.mean() == pytest.approx(analysis.performance("Bob")[0])


def test_a_match_without_decisions_keeps_its_columns() -> None:
    frame = bg.analyse(MatchRecord(length=5), ply=0).to_frame()
    assert len(frame) == 0
    assert "loss" in frame.columns
