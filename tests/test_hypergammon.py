"""Hypergammon: legal plays, and values that the program's own plays lead to."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gnubg_py.bearoff import hypergammon as hyper
from gnubg_py.bearoff.hypergammon_plays import (
    LANDING_BITS,
    ROW_POINTS,
    Plays,
    SideTables,
    all_plays,
    all_sides,
    reordered,
)
from gnubg_py.bearoff.numbering import all_positions, row_numbers
from gnubg_py.board import Board, parse, start_position
from gnubg_py.dice import ROLL_WEIGHTS, ROLLS
from gnubg_py.plays import plays
from gnubg_py.threads import set_thread_count, thread_count

POINT = st.integers(0, 24)


def board_of(mine: list[int], theirs: list[int]) -> Board:
    """A board from the indices of checkers; -1 is off. Drawn again where both hold a point."""
    board = np.zeros((2, 25), dtype=np.int8)
    for side, held in enumerate((mine, theirs)):
        for point in held:
            if point >= 0:
                board[side, point] += 1
    assume(not (board[0, :24] * board[1, 23::-1]).any())
    assume(board[0].any() and board[1].any())
    return board


@cache
def three_checkers() -> tuple[Plays, SideTables]:
    rows = all_positions(ROW_POINTS, 3)
    some = np.array([(2, 1), (3, 3), (6, 5)], dtype=np.int8)
    return all_plays(rows, some), all_sides(rows, 3)


def packed_plays(board: Board, roll: int) -> set[tuple[int, int]]:
    """The numbers of both sides after each play of one of three rolls, by the kernels."""
    legal, sides = three_checkers()
    i, j = row_numbers(board).tolist()
    k = (i * 25 + int(sides.block[j])) * 3 + roll
    found = set()
    for play in legal.packed[legal.offsets[k] : legal.offsets[k + 1]].tolist():
        hits = sum(1 << q for q in range(3) if play & int(sides.blots[j, q]))
        found.add((play >> LANDING_BITS, int(sides.after_hits[j, hits])))
    return found


@settings(max_examples=300)
@given(
    st.lists(st.integers(-1, 24), min_size=3, max_size=3),
    st.lists(st.integers(-1, 24), min_size=3, max_size=3),
    st.integers(0, 2),
)
def test_the_plays_of_three_checkers_are_those_of_the_program(
    mine: list[int], theirs: list[int], roll: int
) -> None:
    board = board_of(mine, theirs)
    dice = ((2, 1), (3, 3), (6, 5))[roll]
    after = plays(board, dice)
    expected = {(int(b), int(a)) for a, b in (row_numbers(play).tolist() for play in after)}
    assert packed_plays(board, roll) == expected


def test_a_block_and_blots_are_seen_from_the_other_side() -> None:
    _, sides = three_checkers()
    i, j = row_numbers(parse("x 13:3 / o 24:2 1:1")).tolist()
    assert sides.block[j] == 1
    assert [b for b in sides.blots[j].tolist() if b] == [1 << 23]
    assert sides.after_hits[j, 1] == row_numbers(parse("x 13:3 / o 24:2 bar:1"))[1]
    assert sides.loss[[i, j]].tolist() == [2, 3]


def reply(board: Board, database: hyper.Hypergammon) -> tuple[list[float], list[float]]:
    """The five and the four equities of a board whose side on roll doubles when that is right."""
    if not board.any(axis=1).all():
        left = board.sum(axis=1)
        gammon = bool(left[0] == database.checkers)
        points = 1 + gammon + (gammon and bool(board[0, 18:].any()))
        return [0, 0, 0, points > 1, points > 2], [-points, -1, -points, -points]
    i, j = row_numbers(board).tolist()
    centred, jacoby, owned, other = database.equities[i, j].astype(float).tolist()
    double = min(2 * other, 1)
    values = [max(centred, double), max(jacoby, double), max(owned, double), other]
    return database.five[i, j].astype(float).tolist(), values


def cubeless(five: list[float]) -> float:
    win, gammon, backgammon, lose_gammon, lose_backgammon = five
    return 2 * win - 1 + gammon + backgammon - lose_gammon - lose_backgammon


@pytest.mark.parametrize("checkers", [1, 2])
@settings(max_examples=40)
@given(st.data())
def test_values_follow_from_those_after_the_programs_plays(
    checkers: int, data: st.DataObject
) -> None:
    database = hyper.hypergammon_database(checkers)
    side = st.lists(st.integers(-1, 24), min_size=checkers, max_size=checkers)
    board = board_of(data.draw(side), data.draw(side))
    chances, totals = np.zeros(5), np.zeros(4)
    for dice, weight in zip(ROLLS.tolist(), ROLL_WEIGHTS.tolist(), strict=True):
        replies = [reply(play, database) for play in plays(board, tuple(dice))]
        win, gammon, backgammon, lost, lost_backgammon = min(
            (five for five, _ in replies), key=cubeless
        )
        chances += weight * np.array([1 - win, lost, lost_backgammon, gammon, backgammon])
        for column, theirs in enumerate((0, 1, 3, 2)):
            totals[column] += weight * max(-values[theirs] for _, values in replies)
    five = hyper.hypergammon_five(board[None], database)[0]
    assert cubeless(five.tolist()) == pytest.approx(cubeless((chances / 36).tolist()), abs=1e-5)
    found = hyper.hypergammon_equities(board[None], database)[0]
    centred, jacoby, owned, other = (totals / 36).tolist()
    assert found[1:].tolist() == pytest.approx([centred, owned, other, jacoby], abs=5e-6)


def test_the_start_of_hypergammon_with_one_checker() -> None:
    # gnubg 1.07's makehyper has 0.60158, 0.60158, 0.07959, 0.39842, 0.03315.
    board = start_position("hypergammon1")[None]
    database = hyper.hypergammon_database(1)
    five = hyper.hypergammon_five(board, database)[0].tolist()
    assert five == pytest.approx([0.60158, 0.60158, 0.07959, 0.39842, 0.03315], abs=5e-6)
    equities = hyper.hypergammon_equities(board, database)[0].tolist()
    assert equities == pytest.approx([0.45277, 0.53932, 0.58828, 0.38636, 0.45568], abs=1e-5)


def test_one_checker_each_without_contact_is_a_race_for_a_gammon() -> None:
    database = hyper.hypergammon_database(1)
    five = hyper.hypergammon_five(parse("x 6:1 / o 1:1")[None], database)[0]
    assert five.tolist() == pytest.approx([0.75, 0.75, 0, 0.25, 0])


def test_the_database_is_the_same_on_any_number_of_threads() -> None:
    alone, threads = hyper.build_hypergammon(1), thread_count()
    try:
        set_thread_count(3)
        together = hyper.build_hypergammon(1)
    finally:
        set_thread_count(threads)
    assert all(np.array_equal(alone[name], together[name]) for name in ("five", "equities"))


def test_tables_in_another_order_lead_to_the_same_positions() -> None:
    rows, rolls = all_positions(ROW_POINTS, 2), ROLLS[[3, 14]]
    order = np.random.default_rng(1).permutation(len(rows))
    legal, sides = all_plays(rows, rolls), all_sides(rows, 2)
    moved, moved_sides = reordered(order, legal, sides)
    for k in range(0, len(rows), 7):
        for block in (0, 5, 20):
            for r in range(2):
                here, there = ((i * 25 + block) * 2 + r for i in (order[k], k))
                old = legal.packed[legal.offsets[here] : legal.offsets[here + 1]]
                new = moved.packed[moved.offsets[there] : moved.offsets[there + 1]]
                assert order[new >> LANDING_BITS].tolist() == (old >> LANDING_BITS).tolist()
        assert order[moved_sides.after_hits[k]].tolist() == sides.after_hits[order[k]].tolist()
        assert moved_sides.loss[k] == sides.loss[order[k]]


def test_chances_are_nested_and_equities_within_three_points() -> None:
    database = hyper.hypergammon_database(2)
    win, gammon, backgammon, lost, lost_backgammon = np.moveaxis(database.five, 2, 0)
    assert ((backgammon <= gammon) & (gammon <= win) & (win <= 1)).all()
    assert ((lost_backgammon <= lost) & (lost <= 1 - win)).all()
    assert np.abs(database.equities).max() <= 3


@pytest.mark.parametrize("text", ["x 1:3 / o 1:1", "x 1:1 / o 2:3", "x / o"])
def test_boards_of_other_games_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="board 0 is not one of hypergammon: each side has at"):
        hyper.hypergammon_five(parse(text)[None], hyper.hypergammon_database(2))


@pytest.mark.parametrize("checkers", [0, 4])
def test_numbers_of_checkers_that_are_not_offered_are_refused(checkers: int) -> None:
    with pytest.raises(ValueError, match="expected 1 to 3"):
        hyper.hypergammon_database(checkers)
