"""The numbering of bearoff positions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.bearoff.numbering import all_positions, count_positions, row_numbers
from gnubg_py.bearoff.rules import single_moves


@pytest.mark.parametrize(("points", "checkers"), [(6, 15), (6, 6), (1, 15), (10, 3), (7, 15)])
def test_every_position_has_its_own_number_and_they_go_up_by_one(
    points: int, checkers: int
) -> None:
    rows = all_positions(points, checkers)
    assert len(rows) == count_positions(points, checkers)
    assert (row_numbers(rows) == np.arange(len(rows))).all()
    assert len(np.unique(rows, axis=0)) == len(rows)
    assert rows.sum(axis=1).max() == checkers


def test_positions_of_few_checkers_have_the_same_number_whatever_the_greatest_count() -> None:
    assert (all_positions(6, 15)[:924] == all_positions(6, 6)).all()


@given(
    st.lists(st.integers(0, 9), min_size=15, max_size=15),
    st.integers(1, 6),
    st.booleans(),
)
def test_every_move_leads_to_a_smaller_number(
    points_held: list[int], die: int, leaving: bool
) -> None:
    row = np.bincount(points_held, minlength=10).astype(np.int8)
    before = row.copy()
    found = np.empty(10, dtype=np.int64)
    count = single_moves(row, die, leaving, found)
    assert count > 0
    assert (found[:count] < row_numbers(row[None])[0]).all()
    assert (row == before).all()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0] * 26], "1 to 25 points"),
        ([[16, 0]], "at most 15 in all"),
        ([[-1, 0]], "0 or more"),
    ],
)
def test_rows_without_a_number_are_refused(rows: list[list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        row_numbers(np.array(rows))


@pytest.mark.parametrize(("points", "checkers"), [(0, 15), (26, 15), (6, 0), (6, 16)])
def test_sizes_without_positions_are_refused(points: int, checkers: int) -> None:
    with pytest.raises(ValueError, match="expected 1 to 25 points and 1 to 15 checkers"):
        all_positions(points, checkers)
