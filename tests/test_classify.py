"""Classes of positions: gnubg's definitions, their order, and the vectorised kernel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

from gnubg_py.board import START, Board, Boards, parse, start_position, swap
from gnubg_py.evaluators.classify import PositionClass, classify
from tests.strategies import boards


def class_of(position: str, variation: str = "standard") -> str:
    return PositionClass(classify(parse(position)[None], variation)[0]).name.lower()


def plain_class(board: Board) -> PositionClass:
    """The definitions, word for word, of one board."""
    rear = [max((p for p in range(25) if row[p]), default=-1) for row in board]
    checkers = board.sum(axis=1).tolist()
    if 0 in checkers:
        return PositionClass.OVER
    if rear[0] > 23 - rear[1] - 1:  # x's last checker has one of o's at or before it
        crashed = any(_active(row.tolist()) < 7 for row in board)
        return PositionClass.CRASHED if crashed else PositionClass.CONTACT
    if rear[0] > 5 or rear[1] > 5:
        return PositionClass.RACE
    if checkers[0] <= 6 and checkers[1] <= 6:
        return PositionClass.BEAROFF2
    return PositionClass.BEAROFF1


def _active(row: list[int]) -> int:
    """Checkers that still can do something: what is not stacked on the two lowest points."""
    checkers, ace, deuce = sum(row), row[0], row[1]
    if checkers < 7:
        return checkers
    least = checkers
    if ace > 1:
        least = checkers - ace
        if deuce > 1:
            least = min(least, checkers - ace - (deuce - 1))
    elif deuce > 1:
        least = checkers - (deuce - 1)
    return least


@pytest.mark.parametrize(
    ("position", "name"),
    [
        ("x / o 6:2", "over"),
        ("x 24:1 / o", "over"),
        # Both sides home, up to six checkers each: the two-sided database.
        ("x 6:6 / o 6:6", "bearoff2"),
        ("x 1:1 / o 1:1", "bearoff2"),
        ("x 6:7 / o 6:6", "bearoff1"),
        ("x 6:1 / o 1:7", "bearoff1"),
        ("x 6:15 / o 1:15", "bearoff1"),
        # Past one another with one outside a home: a race.
        ("x 7:1 / o 6:1", "race"),
        ("x 6:1 / o 7:1", "race"),
        ("x 13:8 / o 11:7", "race"),
        ("x 18:1 / o 6:7", "race"),
        ("x 19:15 / o 1:15", "race"),
        # The last checkers just touch.
        ("x 13:8 / o 13:7", "contact"),
        ("x 20:7 / o 6:7", "contact"),
        ("x bar:1 6:6 / o 4:7", "contact"),
        # Fewer than seven checkers, or fewer than seven active: crashed.
        ("x 24:6 / o 6:7", "crashed"),
        ("x 24:7 / o 6:6", "crashed"),
        ("x 24:1 6:6 / o 13:15", "contact"),
        ("x 24:6 1:9 / o 13:15", "crashed"),
        ("x 24:7 1:8 / o 13:15", "contact"),
        ("x 24:7 1:1 / o 13:15", "contact"),
        ("x 24:6 1:1 / o 13:15", "contact"),  # a lone checker on the ace point is active
        ("x 24:6 2:9 / o 13:15", "contact"),  # and one of a stack on the deuce point
        ("x 24:5 2:10 / o 13:15", "crashed"),
        ("x 24:6 2:2 1:7 / o 13:15", "contact"),
        ("x 24:5 2:2 1:8 / o 13:15", "crashed"),
        ("x 24:5 2:1 1:9 / o 13:15", "crashed"),
        ("x 24:6 2:1 1:8 / o 13:15", "contact"),
    ],
)
def test_classes(position: str, name: str) -> None:
    assert class_of(position) == name
    assert plain_class(parse(position)).name.lower() == name


def test_numbers_are_gnubgs() -> None:
    names = "OVER HYPERGAMMON1 HYPERGAMMON2 HYPERGAMMON3 BEAROFF2 BEAROFF_TS BEAROFF1 BEAROFF_OS"
    names += " RACE CRASHED CONTACT"
    assert [c.name for c in PositionClass] == names.split()
    assert [int(c) for c in PositionClass] == list(range(11))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_hypergammon_has_one_class_until_the_game_is_over(k: int) -> None:
    variation = f"hypergammon{k}"
    assert classify(start_position(variation)[None], variation).tolist() == [k]
    assert class_of("x 1:1 / o 1:1", variation) == variation
    assert class_of("x / o 1:1", variation) == "over"
    assert classify(start_position(variation)[None]).tolist() == [PositionClass.CRASHED]


def test_nackgammon_is_classified_as_standard() -> None:
    many = np.stack([start_position("nackgammon"), START])
    assert classify(many, "nackgammon").tolist() == [PositionClass.CONTACT] * 2


@given(boards())
def test_kernel_and_definition_agree(board: Board) -> None:
    assert classify(board[None])[0] == plain_class(board)


@given(boards())
def test_both_sides_see_the_same_class(board: Board) -> None:
    assert classify(board[None])[0] == classify(swap(board)[None])[0]


def test_positions_of_random_play_are_classified_one_by_one_or_together(
    random_positions: Callable[[int, int], Boards],
) -> None:
    positions = random_positions(3000, 41)
    classes = classify(positions)
    assert classes.dtype == np.int8
    assert classes.tolist() == [plain_class(board) for board in positions]
    assert set(classes.tolist()) == {
        PositionClass.BEAROFF2,
        PositionClass.BEAROFF1,
        PositionClass.RACE,
        PositionClass.CRASHED,
        PositionClass.CONTACT,
    }
    assert (classify(positions[::3]) == classes[::3]).all()
    assert classify(positions[:0]).shape == (0,)
