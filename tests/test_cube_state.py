"""Cubes that can be, cubes that cannot, and cube efficiency by class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from gnubg_py.board import START, Boards, parse, pip_count
from gnubg_py.cube.efficiency import (
    CONSTANTS,
    CubeEfficiency,
    cube_efficiency,
    curve_numbers,
    efficiency_curves,
    read_curves,
)
from gnubg_py.cube.kernels import CURVE_POINTS
from gnubg_py.cube.state import OTHER, OWN, Cube, can_double, double_cube, swap_cube, why_no_double
from gnubg_py.evaluators.classify import PositionClass, classify
from tests.cube_twins import cubes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"value": 3, "owner": OWN}, "cube value 3: should be a power of two from 1 to 4096"),
        ({"value": 0}, "cube value 0"),
        ({"value": 8192, "owner": OWN}, "cube value 8192"),
        ({"value": 2, "owner": 2}, "cube owner 2: should be -1"),
        ({"value": 1, "owner": OWN}, "a cube at 1 is owned by one side"),
        ({"crawford": True}, "a Crawford game in money play"),
        ({"away": (5, 5), "crawford": True}, "a Crawford game at 5-away, 5-away"),
        ({"value": 2, "owner": OWN, "away": (1, 5), "crawford": True}, "in the Crawford game"),
        ({"away": (0, 5)}, "0-away, 5-away: should be 1 to 64"),
        ({"away": (65, 5)}, "65-away, 5-away: should be 1 to 64"),
        ({"away": (1, 2, 3)}, "should be two whole numbers"),
        ({"away": (3.0, 5)}, "should be two whole numbers"),
        ({"away": (3, 5), "jacoby": True}, "the Jacoby rule in match play"),
        ({"away": (3, 5), "beavers": True}, "beavers in match play"),
    ],
)
def test_an_impossible_cube_is_refused_in_one_line(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        Cube(**arguments)
    assert message in str(caught.value)


@given(cubes())
def test_seen_by_the_other_side_and_back_it_is_the_same_cube(cube: Cube) -> None:
    assert swap_cube(swap_cube(cube)) == cube
    assert swap_cube(cube).value == cube.value


@given(cubes())
def test_whoever_doubles_gives_the_cube_away(cube: Cube) -> None:
    if can_double(cube):
        doubled = double_cube(cube)
        assert (doubled.value, doubled.owner) == (2 * cube.value, OTHER)
        assert swap_cube(doubled).owner == OWN
        assert not can_double(doubled)


@pytest.mark.parametrize(
    ("cube", "reason"),
    [
        (Cube(), None),
        (Cube(2, OWN), None),
        (Cube(2, OTHER), "the cube is the other side's"),
        (Cube(4096, OWN), "as high as it goes"),
        (Cube(away=(1, 3), crawford=True), "Crawford"),
        (Cube(away=(3, 1), crawford=True), "Crawford"),
        (Cube(away=(3, 1)), None),
        (Cube(away=(1, 3)), "the cube is dead"),
        (Cube(2, OWN, away=(2, 9)), "the cube is dead"),
        (Cube(2, OWN, away=(9, 2)), None),
    ],
)
def test_why_the_side_on_roll_cannot_double(cube: Cube, reason: str | None) -> None:
    answer = why_no_double(cube)
    assert can_double(cube) is (reason is None)
    assert answer is None if reason is None else reason in str(answer)


def test_efficiency_by_class(random_positions: Callable[[int, int], Boards]) -> None:
    races = [parse(f"x {p}:15 / o {p}:15") for p in (3, 7, 9, 12)] + [parse("x 6:6 / o 12:1")]
    boards = np.concatenate([random_positions(500, 11), np.stack(races)])
    classes = classify(boards)
    efficiency = cube_efficiency(boards, classes)
    pips = pip_count(boards)[:, 0]
    for x, board_class, n in zip(efficiency, classes, pips, strict=True):
        if board_class in (PositionClass.CONTACT, PositionClass.CRASHED):
            assert x == np.float32(0.68)
        elif board_class == PositionClass.RACE:
            assert x == pytest.approx(min(0.7, max(0.6, 0.55 + n / 800)))
        else:
            assert x == np.float32(0.6)
    assert {int(c) for c in classes} >= {6, 8, 9, 10}
    assert efficiency[-3:].tolist() == pytest.approx([0.7, 0.7, 0.6])


def test_efficiency_is_a_setting() -> None:
    boards = np.stack([parse("x 10:15 / o 10:15"), parse("x / o 10:3")])
    settings = CubeEfficiency(race_base=0.1, race_per_pip=0.001, race_least=0.0)
    x = cube_efficiency(boards, np.array([8, 0], np.int8), settings)
    assert x.tolist() == pytest.approx([0.25, 0.0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"contact": 1.5}, "cube efficiency contact 1.5: should be 0 to 1"),
        ({"race_least": 0.9}, "race_least 0.9: should not be above race_most"),
        ({"crashed": float("nan")}, "cube efficiency crashed nan"),
    ],
)
def test_an_efficiency_out_of_range_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CubeEfficiency(**arguments)


def test_curves_hold_where_the_constants_are_gnubgs() -> None:
    texts = ["x 6:5 8:5 / o 6:5 7:1", "x 6:8 5:7 / o 6:8 4:7", "x 6:8 5:7 / o 6:7", "x 6:2 / o 5:2"]
    boards = np.stack([parse(text) for text in texts])
    classes = classify(boards)

    def curves(settings: CubeEfficiency) -> dict[str, list[list[float]]]:
        found = efficiency_curves(settings)[curve_numbers(boards, classes)].tolist()
        return dict(zip(("race", "one-sided", "short", "two-sided"), found, strict=True))

    learned = {name: curve.tolist() for name, curve in read_curves().items()}
    assert curves(CubeEfficiency()) == learned
    assert curves(CubeEfficiency(contact=0.5)) == learned
    flat = [[float(np.float32(0.5))] * CURVE_POINTS] * 3
    set_by_user = curves(CubeEfficiency(one_sided=0.5))
    assert set_by_user == learned | {"one-sided": flat, "short": flat}
    constants = [curve[0][0] for curve in curves(CONSTANTS).values()]
    assert constants == pytest.approx([0.6375, 0.6, 0.6, 0.6])


def test_contact_and_hypergammon_have_constants() -> None:
    everything = efficiency_curves(CubeEfficiency(contact=0.3, hypergammon=0.4))
    numbers = curve_numbers(np.stack([START, START]), np.array([10, 2], np.int8))
    assert everything[numbers, :, 4].tolist() == pytest.approx(np.array([[0.3] * 3, [0.4] * 3]))
