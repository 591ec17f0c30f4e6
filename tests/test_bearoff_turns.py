"""Turns to bear off: the figures of the document, and of play by the program's own legal plays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnubg_py.bearoff import turns
from tests import bearoff_twins as twins

# Minimum and maximum turns left after each roll from 000222, in the document's order.
DOCUMENT = {
    "11": (2, 9), "12": (2, 9), "13": (2, 9), "14": (2, 9), "15": (2, 8), "16": (2, 8),
    "22": (1, 8), "23": (2, 9), "24": (2, 8), "25": (2, 8), "26": (2, 8),
    "33": (1, 6), "34": (2, 8), "35": (2, 8), "36": (2, 7),
    "44": (1, 5), "45": (1, 7), "46": (1, 7), "55": (1, 4), "56": (1, 7), "66": (1, 3),
}  # fmt: skip
DOCUMENT_EXPECTED = {
    "11": 3.936, "12": 4.132, "13": 3.936, "14": 3.832, "15": 3.71, "16": 3.596,
    "22": 3.413, "23": 3.832, "24": 3.71, "25": 3.619, "26": 3.493,
    "33": 2.986, "34": 3.596, "35": 3.493, "36": 3.404,
    "44": 2.648, "45": 3.279, "46": 3.188, "55": 2.42, "56": 3.069, "66": 1.716,
}  # fmt: skip
EXACT = {"11": 3.905, "12": 4.098, "22": 3.385, "66": 1.710, "33": 2.957, "56": 3.036}


@pytest.fixture(scope="module")
def analysis() -> dict[str, turns.TurnsLeft]:
    return {f"{a}{b}": left for (a, b), left in turns.analyze((0, 0, 0, 2, 2, 2))}


def test_minimum_and_maximum_are_those_of_the_document(
    analysis: dict[str, turns.TurnsLeft],
) -> None:
    assert {dice: (left.fewest, left.most) for dice, left in analysis.items()} == DOCUMENT


def test_expected_turns_are_the_exact_optima(analysis: dict[str, turns.TurnsLeft]) -> None:
    assert {dice: round(analysis[dice].expected, 3) for dice in EXACT} == EXACT


def test_the_documents_expected_turns_are_up_to_four_hundredths_too_high(
    analysis: dict[str, turns.TurnsLeft],
) -> None:
    excess = [DOCUMENT_EXPECTED[dice] - left.expected for dice, left in analysis.items()]
    assert min(excess) > 0
    assert max(excess) < 0.04


def test_the_rule_seed_gives_20_of_the_documents_21_figures() -> None:
    left = {f"{a}{b}": left for (a, b), left in turns.analyze((0, 0, 0, 2, 2, 2), "seed")}
    assert {dice: (play.fewest, play.most) for dice, play in left.items()} == DOCUMENT
    differing = {
        dice: play.expected
        for dice, play in left.items()
        if play.expected != pytest.approx(DOCUMENT_EXPECTED[dice], abs=1e-9)
    }
    assert differing == {"66": pytest.approx(1.715)}


@settings(max_examples=20)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=4))
def test_the_rule_seed_equals_its_four_states_in_plain_python(held: list[int]) -> None:
    board = tuple(np.bincount(held, minlength=6).tolist())
    assert turns.turns_left(board, "seed").expected == pytest.approx(twins.seed_turns(board))
    for dice, _ in twins.ROLLS_OF_36:
        after = {left.board for left in turns.boards_after(board, dice, "seed")}
        assert after == twins.seed_boards(board, dice)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=15))
def test_the_boards_after_a_roll_are_those_of_the_legal_plays(held: list[int]) -> None:
    board = tuple(np.bincount(held, minlength=6).tolist())
    after_any = set()
    for dice in ((6, 5), (2, 1), (3, 3)):
        after = turns.boards_after(board, dice)
        assert {left.board for left in after} == set(twins.after(board, dice))
        assert after[0] == turns.suggest(board, dice)
        after_any |= {left.board for left in after}
    assert after_any <= {left.board for left in turns.boards_after(board)}


def test_an_unknown_rule_is_named() -> None:
    with pytest.raises(ValueError, match="rule 'best' is not one of exact, seed"):
        turns.suggest((0, 0, 2, 2, 2, 0), (6, 1), "best")


def test_the_documents_suggestion_for_6_1() -> None:
    left = turns.suggest(turns.parse_home("002220"), (1, 6))
    assert turns.format_home(left.board) == "011210"
    assert left.most == 6
    assert round(left.expected, 3) == 3.090


@pytest.mark.parametrize(
    ("point", "expected"), [(1, 36), (2, 36), (3, 36), (4, 38), (5, 41), (6, 45)]
)
def test_a_single_checker(point: int, expected: int) -> None:
    board = tuple(int(p == point) for p in range(1, 7))
    left = turns.turns_left(board)
    assert left.expected == pytest.approx(expected / 36)
    assert (left.fewest, left.most) == (1, 1 if point <= 3 else 2)


@settings(max_examples=10)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=3))
def test_turns_equal_plain_python_on_the_legal_plays(held: list[int]) -> None:
    row = tuple(np.bincount(held, minlength=7)[1:].tolist())
    mean, chances = twins.fewest_rolls(row, lambda r: not any(r))
    left = turns.turns_left(row)
    assert left.expected == pytest.approx(float(mean), abs=1e-12)
    assert left.fewest == min(chances)
    for dice, _ in twins.ROLLS_OF_36:
        best = min(
            twins.fewest_rolls(play, lambda r: not any(r))[0] for play in twins.after(row, dice)
        )
        assert turns.suggest(row, dice).board in twins.after(row, dice)
        assert turns.suggest(row, dice).expected == pytest.approx(float(best), abs=1e-12)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=15))
def test_fewest_and_most_turns_follow_from_the_best_plays(held: list[int]) -> None:
    board = tuple(np.bincount(held, minlength=6).tolist())
    left = turns.turns_left(board)
    after = [play for _, play in turns.analyze(board)]
    assert left.fewest == min(play.fewest for play in after) + 1
    assert left.most == max(play.most for play in after) + 1


@given(st.lists(st.integers(0, 5), min_size=1, max_size=15))
def test_boards_are_read_as_they_are_written(held: list[int]) -> None:
    board = tuple(np.bincount(held, minlength=6).tolist())
    assert turns.parse_home(turns.format_home(board)) == board


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("992222", "the numbers total 26, they must total 15 or less"),
        ("16,0,0,0,0,0", "the numbers total 16"),
        ("000000", "no checkers are left"),
        ("00222", "expected six digits"),
        ("0022201", "expected six digits"),
        ("00222x", "expected six digits"),
        ("1,2,3", "expected six digits"),
        ("", "expected six digits"),
    ],
)
def test_boards_that_cannot_be_are_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        turns.parse_home(text)
