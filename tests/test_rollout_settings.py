"""The settings of rollouts, and the dice that follow from them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gnubg_py.rollouts.dice import trial_dice
from gnubg_py.rollouts.settings import RolloutSettings, StopRules, from_dict, same_plies, to_dict
from gnubg_py.search.settings import FILTERS, EvalSettings, FilterStep, MoveFilter, Strength


def test_dice_are_spread_evenly_and_differ_by_seed() -> None:
    trials = np.arange(1296)
    first, second, third = (trial_dice(trials, turn, 3).astype(int) for turn in range(3))
    for block in (slice(0, 36), slice(360, 396)):
        for dice in (first, second, third):
            counts = np.unique(dice[block], axis=0, return_counts=True)[1]
            assert sorted(counts) == [1] * 6 + [2] * 15
    for later in (second, third):
        pairs = np.unique(np.concatenate([first, later], axis=1), axis=0, return_counts=True)
        assert len(pairs[0]) == 21 * 21
        assert set(pairs[1]) == {1, 2, 4}
    assert not np.array_equal(first, trial_dice(trials, 0, 4))
    opening = trial_dice(np.arange(1080), 0, 3, no_double_first=True)
    assert set(np.unique(opening, axis=0, return_counts=True)[1]) == {72}
    assert (opening[:, 0] > opening[:, 1]).all()


@pytest.mark.parametrize("turn", [0, 5])
def test_random_dice_are_fair(turn: int) -> None:
    dice = trial_dice(np.arange(36_000), turn, 11, stratified=False)
    number, counts = np.unique(dice, axis=0, return_counts=True)
    expected = np.where(number[:, 0] == number[:, 1], 1000, 2000)
    assert len(number) == 21
    assert ((counts - expected) ** 2 / expected).sum() < 45  # 0.1 % beyond, 20 degrees
    again = trial_dice(np.arange(100, 200), turn, 11, stratified=False)
    assert np.array_equal(again, dice[100:200])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"trials": 0}, "trials 0: should be 1 to"),
        ({"truncate": -1}, "truncation -1: should be 1 to 1000"),
        ({"truncate": 0}, "truncation 0"),
        ({"seed": -1}, "seed -1"),
        ({"luck_plies": 3}, "luck_plies 3"),
        ({"later_from": 0}, "later_from 0"),
    ],
)
def test_impossible_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RolloutSettings(**settings)


def test_impossible_rules_and_filters() -> None:
    with pytest.raises(ValueError, match="stop at error 0"):
        StopRules(error=0)
    with pytest.raises(ValueError, match="ahead_minimum 1"):
        StopRules(ahead=1, ahead_minimum=1)
    damaged = to_dict(RolloutSettings())
    damaged["sides"][0]["filter"] = "wide"
    with pytest.raises(ValueError, match="move filter 'wide'"):
        from_dict(damaged)


def test_settings_survive_json() -> None:
    first, second = same_plies(1, 0)
    settings = RolloutSettings(
        later=(Strength(EvalSettings(2, noise=0.01), filters=FILTERS["tiny"]), second),
        sides=(first, second),
        stop=StopRules(error=0.01),
        at_truncation=first,
    )
    assert from_dict(json.loads(json.dumps(to_dict(settings)))) == settings


@pytest.mark.parametrize(
    "filters",
    [
        MoveFilter("own", {2: (FilterStep(0, 0, 4, 0.1),), 3: (FilterStep(0, 1, 4, 0.1),)}),
        MoveFilter("normal", {2: (FilterStep(0, 2, 0, 0.0), FilterStep(1, 1, 0, 0.0))}),
        MoveFilter("own", {}),
    ],
)
def test_an_own_move_filter_survives_json(filters: MoveFilter) -> None:
    own = Strength(EvalSettings(2), EvalSettings(2), filters)
    settings = RolloutSettings(sides=(own, Strength()), later=(own, own), at_truncation=own)
    assert from_dict(json.loads(json.dumps(to_dict(settings)))) == settings
