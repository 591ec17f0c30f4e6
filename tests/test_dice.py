"""Dice: the 21 rolls, texts of a roll, seeded and stratified dice."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.dice import (
    ROLL_INDEX,
    ROLL_PROBABILITIES,
    ROLL_WEIGHTS,
    ROLLS,
    check_dice,
    opening_rolls,
    parse_dice,
    roll_dice,
)
from gnubg_py.rollouts.dice import trial_dice


def counts(dice: NDArray[np.int8]) -> NDArray[np.int64]:
    """How often each of the 21 rolls occurs, ``int8[n, 2] -> int64[21]``."""
    return np.bincount(ROLL_INDEX[dice[:, 0], dice[:, 1]], minlength=21)


def numbers(*dice: NDArray[np.int8]) -> NDArray[np.int64]:
    """One number for each trial's rolls of the first turns."""
    rolls = [ROLL_INDEX[d[:, 0], d[:, 1]].astype(np.int64) for d in dice]
    return np.asarray(sum(r * 21**i for i, r in enumerate(rolls)))


def test_the_21_rolls_stand_for_36() -> None:
    assert sorted(map(tuple, ROLLS.tolist())) == [
        (a, b) for a in range(1, 7) for b in range(1, a + 1)
    ]
    thrown = Counter((max(a, b), min(a, b)) for a in range(1, 7) for b in range(1, 7))
    assert [thrown[a, b] for a, b in ROLLS.tolist()] == ROLL_WEIGHTS.tolist()
    assert ROLL_PROBABILITIES.sum() == pytest.approx(1)
    assert (ROLL_PROBABILITIES * 36 == ROLL_WEIGHTS).all()


def test_roll_index_finds_a_roll_in_either_order() -> None:
    for i, (a, b) in enumerate(ROLLS.tolist()):
        assert ROLL_INDEX[a, b] == ROLL_INDEX[b, a] == i
    assert (ROLL_INDEX[0] == -1).all()
    assert (ROLL_INDEX[:, 0] == -1).all()


def test_the_tables_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        ROLLS[0, 0] = 6


@pytest.mark.parametrize(
    ("text", "dice"),
    [("31", (3, 1)), ("13", (3, 1)), ("3-1", (3, 1)), ("1 3", (3, 1)), ("6,6", (6, 6))],
)
def test_dice_are_read_in_any_order(text: str, dice: tuple[int, int]) -> None:
    assert parse_dice(text) == dice


@pytest.mark.parametrize("text", ["", "3", "311", "3x", "three one", "³1", "1.3", "-", "\n31\n"])
def test_texts_that_are_no_roll(text: str) -> None:
    with pytest.raises(ValueError, match="expected two numbers from 1 to 6, as in 31"):
        parse_dice(text)


@pytest.mark.parametrize(("a", "b"), [(0, 3), (3, 0), (7, 1), (1, 7), (-1, 1)])
def test_dice_that_no_die_shows(a: int, b: int) -> None:
    with pytest.raises(ValueError, match=f"^dice {a} and {b}: each die should be 1 to 6$"):
        check_dice((a, b))


def test_fair_dice_show_each_roll_by_its_weight() -> None:
    n = 36_000
    dice = roll_dice(np.random.default_rng(1), n)
    assert (dice[:, 0] >= dice[:, 1]).all()
    expected = ROLL_WEIGHTS * (n / 36)
    chi_squared = ((counts(dice) - expected) ** 2 / expected).sum()
    assert chi_squared < 45.3  # exceeded once in a thousand seeds with 20 degrees of freedom


def test_opening_rolls_are_no_doubles_and_equally_likely() -> None:
    n = 30_000
    dice = opening_rolls(np.random.default_rng(2), n)
    assert (dice[:, 0] > dice[:, 1]).all()
    shown = counts(dice)[ROLL_WEIGHTS == 2]
    assert ((shown - n / 15) ** 2 / (n / 15)).sum() < 36.1  # once in a thousand, 14 degrees


def test_one_seed_one_sequence() -> None:
    for rolled in (roll_dice, opening_rolls):
        same = [rolled(np.random.default_rng(3), 50) for _ in range(2)]
        assert (same[0] == same[1]).all()
        assert (same[0] != rolled(np.random.default_rng(4), 50)).any()


@pytest.mark.parametrize("seed", [0, 1, 2**63, 12345678901234567890])
def test_36_trials_have_each_first_roll(seed: int) -> None:
    trials = np.arange(36 * 5)
    first = trial_dice(trials, 0, seed).reshape(5, 36, 2)
    for block in first:
        assert (counts(block) == ROLL_WEIGHTS).all()


def test_1296_trials_have_each_pair_of_first_rolls() -> None:
    trials = np.arange(1296 * 2)
    pairs = numbers(*(trial_dice(trials, turn, 5) for turn in (0, 1)))
    expected = np.outer(ROLL_WEIGHTS, ROLL_WEIGHTS).ravel()
    for block in pairs.reshape(2, 1296):
        assert (np.bincount(block, minlength=441) == expected).all()


def test_46656_trials_have_each_triple_of_first_rolls() -> None:
    trials = np.arange(46_656)
    triples = numbers(*(trial_dice(trials, turn, 6) for turn in (0, 1, 2)))
    expected = np.einsum("i,j,k->ijk", *[ROLL_WEIGHTS] * 3).ravel()
    assert (np.bincount(triples, minlength=21**3) == expected).all()


def test_openings_are_stratified_without_doubles() -> None:
    trials = np.arange(30 * 36)
    first, second = (trial_dice(trials, turn, 7, no_double_first=True) for turn in (0, 1))
    opening = np.where(ROLL_WEIGHTS == 2, 2, 0)
    for block in first.reshape(36, 30, 2):
        assert (counts(block) == opening).all()
    pairs = np.bincount(numbers(first, second), minlength=441)
    assert (pairs == np.outer(ROLL_WEIGHTS, opening).ravel()).all()


def test_a_trials_dice_depend_on_seed_number_and_turn_alone() -> None:
    for turn in range(6):
        together = trial_dice(np.arange(100, 200), turn, 8)
        alone = [trial_dice(np.array([t]), turn, 8)[0] for t in range(100, 200)]
        assert (together == alone).all()
        assert (together != trial_dice(np.arange(100, 200), turn, 9)).any()


def test_later_turns_are_fair_and_differ_from_one_another() -> None:
    n = 36_000
    later = [trial_dice(np.arange(n), turn, 10) for turn in (3, 4, 40)]
    expected = ROLL_WEIGHTS * (n / 36)
    for dice in later:
        assert ((counts(dice) - expected) ** 2 / expected).sum() < 45.3
    for one, other in ((0, 1), (1, 2)):
        both = np.bincount(numbers(later[one], later[other]), minlength=441)
        pairs = np.outer(ROLL_WEIGHTS, ROLL_WEIGHTS).ravel() * (n / 1296)
        assert ((both - pairs) ** 2 / pairs).sum() < 540  # mean 440, once in a thousand 537
