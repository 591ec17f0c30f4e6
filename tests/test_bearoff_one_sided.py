"""The one-sided database and the chances drawn from two of its rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gnubg_py.bearoff import one_sided
from gnubg_py.bearoff.numbering import all_positions, count_positions, row_numbers
from gnubg_py.bearoff.one_sided import one_sided_database
from gnubg_py.board import Board, parse
from tests import bearoff_twins as twins

ALL_ON = count_positions(6, 14)  # the first position with all 15 on the board


def number(*row: int) -> int:
    return int(row_numbers(np.array([row]))[0])


def one(board: Board) -> list[float]:
    values: list[float] = one_sided.one_sided_five(board[None])[0].tolist()
    return values


def as_chances(row: NDArray[np.float32]) -> list[float]:
    chances: list[float] = np.trim_zeros(row, "b").tolist()
    return chances


@pytest.mark.parametrize(
    ("point", "in_one_roll"), [(1, 36), (2, 36), (3, 36), (4, 34), (5, 31), (6, 27)]
)
def test_a_single_checker_is_off_in_one_roll_by_as_many_rolls(point: int, in_one_roll: int) -> None:
    row = [0] * 6
    row[point - 1] = 1
    chances = one_sided_database().bearoff[number(*row)]
    expected = [0.0, in_one_roll / 36, 1 - in_one_roll / 36]
    np.testing.assert_allclose(chances[:3], expected, atol=1e-7)
    assert not chances[3:].any()


def test_two_checkers_on_the_ace_point_always_take_one_roll() -> None:
    database = one_sided_database()
    assert database.mean[number(2, 0, 0, 0, 0, 0)] == 1
    assert as_chances(database.bearoff[number(2, 0, 0, 0, 0, 0)]) == [0, 1]


def test_four_checkers_on_the_ace_point_need_a_double_to_be_off_at_once() -> None:
    chances = one_sided_database().bearoff[number(4, 0, 0, 0, 0, 0)]
    np.testing.assert_allclose(chances[1:3], [6 / 36, 30 / 36], atol=1e-7)


def test_fifteen_on_the_ace_point_bear_one_off_at_once_and_take_at_most_eight_rolls() -> None:
    database = one_sided_database()
    row = number(15, 0, 0, 0, 0, 0)
    assert as_chances(database.gammon[row - ALL_ON + 1]) == [0, 1]
    assert len(as_chances(database.bearoff[row])) == 9


def test_chances_add_up_and_give_the_mean() -> None:
    database = one_sided_database()
    rolls = np.arange(database.bearoff.shape[1])
    for table in (database.bearoff, database.gammon, database.leaving):
        np.testing.assert_allclose(table.sum(axis=1, dtype=np.float64), 1, atol=1e-6)
    np.testing.assert_allclose(
        database.bearoff.astype(np.float64) @ rolls, database.mean, atol=1e-5
    )


@settings(max_examples=15)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=3))
def test_bearing_off_equals_plain_python_on_the_legal_plays(held: list[int]) -> None:
    row = tuple(np.bincount(held, minlength=7)[1:].tolist())
    mean, chances = twins.fewest_rolls(row, lambda r: not any(r))
    database = one_sided_database()
    assert database.mean[number(*row)] == pytest.approx(float(mean), abs=1e-12)
    for rolls, chance in chances.items():
        assert database.bearoff[number(*row), rolls] == pytest.approx(float(chance), abs=1e-6)


@settings(max_examples=10)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=3))
def test_leaving_equals_plain_python_where_any_die_moves_any_man(held: list[int]) -> None:
    row = tuple(np.bincount(held, minlength=7)[1:].tolist())
    mean, _ = twins.fewest_rolls(row, lambda r: not any(r), twins.after_leaving)
    chances = one_sided_database().leaving[number(*row)].astype(np.float64)
    assert chances @ np.arange(len(chances)) == pytest.approx(float(mean), abs=1e-6)


def test_rolls_to_the_first_checker_off_equal_plain_python() -> None:
    row = (0, 0, 0, 15, 0, 0)  # only 2-1, 3-2 and 3-3 bear none off at once
    mean, _ = twins.fewest_rolls(row, lambda r: sum(r) < 15)
    chances = one_sided_database().gammon[number(*row) - ALL_ON + 1].astype(np.float64)
    assert chances[1] == pytest.approx(31 / 36, abs=1e-7)
    assert chances @ np.arange(len(chances)) == pytest.approx(float(mean), abs=1e-6)


def test_positions_beyond_the_home_board_equal_plain_python() -> None:
    database = one_sided.OneSided(7, **one_sided.build_one_sided(7))
    for row in [(0, 0, 0, 0, 0, 0, 2), (1, 0, 0, 0, 1, 0, 1)]:
        mean, _ = twins.fewest_rolls(row, lambda r: not any(r))
        assert database.mean[number(*row)] == pytest.approx(float(mean), abs=1e-12)
    boards = parse("x 7:3 5:12 / o 7:1 2:9")[None]
    assert 0 < one_sided.one_sided_five(boards, database)[0, 3] < 1


def test_on_roll_with_one_checker_on_the_six_point_against_the_ace_point() -> None:
    assert one(parse("x 6:1 / o 1:1")) == pytest.approx([27 / 36, 0, 0, 0, 0])


def test_a_gammon_is_lost_when_the_other_side_is_off_before_my_first_checker() -> None:
    # o is off after x's one roll, which bears a checker off with a six, 5-1, 4-2, 3-3 or 2-2.
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = one(parse("x 6:15 / o 1:2"))
    assert (win, win_gammon, win_backgammon, lose_backgammon) == (0, 0, 0, 0)
    assert lose_gammon == pytest.approx(19 / 36)


def test_a_gammon_is_won_when_i_am_off_at_once_and_all_of_theirs_are_left() -> None:
    assert one(parse("x 1:2 / o 1:15")) == [1, 1, 0, 0, 0]


def test_no_gammon_against_a_side_that_has_one_off() -> None:
    assert one(parse("x 1:2 / o 1:14")) == [1, 0, 0, 0, 0]


@settings(max_examples=10)
@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=2),
    st.lists(st.integers(1, 6), min_size=1, max_size=2),
)
def test_winning_chances_equal_the_sum_over_both_counts(mine: list[int], theirs: list[int]) -> None:
    board = np.zeros((2, 25), dtype=np.int8)
    chances = []
    for side, held in enumerate((mine, theirs)):
        row = np.bincount(held, minlength=7)[1:]
        board[side, :6] = row
        chances.append(twins.fewest_rolls(tuple(row.tolist()), lambda r: not any(r))[1])
    win = twins.finishes_first(chances[0], chances[1], lead=1)
    assert one(board)[0] == pytest.approx(float(win), abs=1e-6)


@given(st.integers(0, 54263), st.integers(0, 54263))
def test_chances_are_nested(mine: int, theirs: int) -> None:
    rows = all_positions(6, 15)
    board = np.zeros((2, 25), dtype=np.int8)
    board[0, :6], board[1, :6] = rows[max(1, mine)], rows[max(1, theirs)]
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = one(board)
    assert 0 <= win_backgammon <= win_gammon <= win <= 1
    assert 0 <= lose_backgammon <= lose_gammon <= 1 - win + 1e-6


@pytest.mark.parametrize(
    "text", ["x 7:1 / o 1:1", "x 1:1 / o bar:1", "x 1:1 / o", "x / o 1:1", "x 1:15 2:1 / o 1:1"]
)
def test_boards_outside_the_database_are_refused(text: str) -> None:
    boards = np.stack([parse("x 1:1 / o 1:1"), parse(text)])
    with pytest.raises(ValueError, match="board 1 is not within the one-sided"):
        one_sided.one_sided_five(boards)


@pytest.mark.parametrize("points", [5, 11])
def test_sizes_that_are_not_offered_are_refused(points: int) -> None:
    with pytest.raises(ValueError, match="expected 6 to 10"):
        one_sided_database(points)


def backgammons(text: str) -> list[float]:
    values: list[float] = one_sided.backgammon_chances(parse(text)[None])[0].tolist()
    return values


def test_a_man_on_the_rim_of_the_home_board_leaves_with_its_first_roll() -> None:
    assert backgammons("x 1:3 / o 19:1 6:14") == pytest.approx([6 / 36, 0])


def test_the_side_on_roll_has_one_roll_to_get_its_man_out() -> None:
    # From the other's ace point it takes six pips: 27 of 36 rolls.
    assert backgammons("x 24:1 6:14 / o 1:2") == pytest.approx([0, 9 / 36])


def test_a_large_die_takes_a_man_out_from_behind_another() -> None:
    # x, with men on the 24- and 20-points, is out with a six and two pips or more, or any double
    # but 1-1.
    out_at_once = sum(
        weight
        for dice, weight in twins.ROLLS_OF_36
        if (0,) * 6 in twins.after_leaving((0, 1, 0, 0, 0, 1), dice)
    )
    assert out_at_once == 2 * 4 + 5
    assert backgammons("x 24:1 20:1 6:13 / o 1:1") == pytest.approx([0, 1 - out_at_once / 36])


def test_no_backgammon_without_men_in_the_home_board_or_after_one_is_off() -> None:
    assert backgammons("x 1:2 / o 18:1 6:14") == [0, 0]
    assert backgammons("x 1:2 / o 24:1 6:13") == [0, 0]


def test_backgammon_chances_are_unknown_where_the_winner_is_not_all_home() -> None:
    win, lose = backgammons("x 7:1 1:2 / o 17:1 19:1 6:13")
    assert np.isnan(win)
    assert lose == 0


def test_effective_pips_of_known_positions() -> None:
    boards = np.stack([parse("x 1:2 / o 6:1"), parse("x 1:15 / o 7:1")])
    pips = one_sided.effective_pips(boards)
    assert pips[0].tolist() == pytest.approx([49 / 6, 1.25 * 49 / 6])
    assert pips[1, 0] == pytest.approx(
        one_sided_database().mean[number(15, 0, 0, 0, 0, 0)] * 49 / 6
    )
    assert np.isnan(pips[1, 1])
