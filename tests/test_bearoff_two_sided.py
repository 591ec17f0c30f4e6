"""The two-sided database: exact equities and cube action."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnubg_py.bearoff import two_sided
from gnubg_py.bearoff.two_sided import two_sided_database
from gnubg_py.board import Board, parse
from tests import bearoff_twins as twins


def values(board: Board) -> list[float]:
    found: list[float] = two_sided.two_sided_equities(board[None])[0].tolist()
    return found


def test_five_two_against_the_ace_point_wins_19_of_36_and_doubles() -> None:
    # The last roll: 19/36 wins is an equity of 2/36, and 4/36 with the cube turned.
    assert values(parse("x 5:1 2:1 / o 1:1")) == pytest.approx([2 / 36, 4 / 36, 4 / 36, 2 / 36])


def test_the_six_point_against_the_ace_point_is_just_a_pass() -> None:
    # 27/36 wins: double and take is worth 1, as much as double and pass.
    assert values(parse("x 6:1 / o 1:1")) == pytest.approx([0.5, 1, 1, 0.5])


def test_the_owner_of_the_cube_may_redouble_on_the_next_turn() -> None:
    # x wins at once with 27/36. If not, o wins with 31/36 in its turn and x is off after that.
    cubeless, _, owned, other = values(parse("x 6:1 / o 5:1"))
    assert cubeless == pytest.approx((27 - 9 * (2 * 31 / 36 - 1)) / 36)
    # With the cube, o doubles x out.
    assert other == pytest.approx((27 - 9) / 36)
    assert owned == 1


def test_finished_games_are_won_and_lost() -> None:
    assert values(parse("x / o 1:1")) == [1, 1, 1, 1]
    assert values(parse("x 1:1 / o")) == [-1, -1, -1, -1]


@settings(max_examples=15)
@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=2),
    st.lists(st.integers(1, 6), min_size=1, max_size=2),
)
def test_equities_equal_plain_python_on_the_legal_plays(mine: list[int], theirs: list[int]) -> None:
    board = np.zeros((2, 25), dtype=np.int8)
    rows = []
    for side, held in enumerate((mine, theirs)):
        row = np.bincount(held, minlength=7)[1:]
        board[side, :6] = row
        rows.append(tuple(row.tolist()))
    kept = twins.equities(*rows)
    found = two_sided.two_sided_without_double(board[None])[0]
    assert found.tolist() == pytest.approx([float(v) for v in kept], abs=1e-6)
    doubled = [float(v) for v in twins.doubling(kept)]
    assert values(board) == pytest.approx(doubled, abs=1e-6)


def test_more_cube_is_never_worth_less() -> None:
    table = two_sided_database().equities
    double = np.minimum(2 * table[..., two_sided.OTHER_OWNS], 1)
    centred = np.maximum(table[..., two_sided.CENTRED], double)
    owned = np.maximum(table[..., two_sided.OWNED], double)
    assert (owned - centred).min() > -1e-6
    assert (centred - table[..., two_sided.OTHER_OWNS]).min() > -1e-6
    assert table.min() == -1
    assert table.max() == 1


def test_another_size_agrees_with_the_usual_one() -> None:
    small = two_sided.build_two_sided(5, 4)["equities"]
    boards = np.zeros((1, 2, 25), dtype=np.int8)
    boards[0, 0, :5], boards[0, 1, :5] = (0, 1, 0, 1, 2), (1, 1, 0, 0, 1)
    database = two_sided.TwoSided(5, 4, small)
    np.testing.assert_allclose(
        two_sided.two_sided_equities(boards, database),
        two_sided.two_sided_equities(boards),
        atol=1e-6,
    )


def test_checkers_beyond_the_home_board_equal_plain_python() -> None:
    database = two_sided.TwoSided(8, 2, two_sided.build_two_sided(8, 2)["equities"])
    kept = twins.equities((0, 0, 0, 0, 0, 0, 0, 2), (0, 0, 1, 0, 0, 0, 1, 0))
    found = two_sided.two_sided_without_double(parse("x 8:2 / o 7:1 3:1")[None], database)[0]
    assert found.tolist() == pytest.approx([float(v) for v in kept], abs=1e-6)


@pytest.mark.parametrize("text", ["x 1:7 / o 1:1", "x 1:1 / o 7:1", "x / o", "x 1:1 / o bar:1"])
def test_boards_outside_the_database_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="board 0 is not within the two-sided"):
        two_sided.two_sided_equities(parse(text)[None])


@pytest.mark.parametrize(("points", "checkers"), [(6, 10), (11, 1), (0, 6), (6, 0)])
def test_sizes_that_are_not_offered_are_refused(points: int, checkers: int) -> None:
    with pytest.raises(ValueError, match="at most 5005 positions a side"):
        two_sided_database(points, checkers)
