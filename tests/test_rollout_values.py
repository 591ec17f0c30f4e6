"""The values that rollouts go by: cube decisions, and positions with the cube in play."""

from __future__ import annotations

import numpy as np

from gnubg_py.board import START, parse
from gnubg_py.cube.state import Cube
from gnubg_py.engine import default_engine
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.rollouts.values import Plan, best_values, decision_values, game_cubes, searched_values
from gnubg_py.search.context import make_search
from gnubg_py.search.settings import EvalSettings
from gnubg_py.search.values import cubeless_probabilities
from tests.conftest import play_random_positions


def test_values_with_the_cube_in_play_are_those_of_the_cube_decision() -> None:
    engine, boards = default_engine(), np.stack([START, parse("x 6:3 5:2 / o 6:2 4:2")])
    for first in (Cube(), Cube(jacoby=True), Cube(2, 0), Cube(4096, 0), Cube(away=(2, 4))):
        plan = Plan(
            RolloutSettings(), engine, engine.evaluator, game_cubes([first], engine.met, True)
        )
        how, numbers = EvalSettings(1), np.zeros(2, np.int64)
        five, decided = decision_values(plan, boards, numbers, how)
        searched, values = searched_values(plan, boards, numbers, how)
        assert np.array_equal(searched, five)
        assert np.array_equal(values, best_values(plan, decided, numbers))


def test_cube_decisions_are_cubeful_with_and_without_a_search() -> None:
    engine, boards = (
        default_engine(),
        np.stack([START, parse("x 24:1 8:5 6:5 5:4 / o 24:2 13:5 8:3 6:5")]),
    )
    plan = Plan(RolloutSettings(), engine, engine.evaluator, game_cubes([Cube()], engine.met, True))
    numbers = np.zeros(2, np.int64)
    for find in (decision_values, searched_values):
        _, expected = find(plan, boards, numbers, EvalSettings(0))
        # So little noise changes nothing but that the positions are searched.
        for noise, cubeful in ((0.0, False), (1e-12, True), (1e-12, False)):
            _, found = find(plan, boards, numbers, EvalSettings(0, cubeful, noise=noise))
            assert np.allclose(found, expected, atol=1e-6)
        _, expected = find(plan, boards, numbers, EvalSettings(1))
        _, found = find(plan, boards, numbers, EvalSettings(1, cubeful=False))
        assert np.array_equal(found, expected)


def test_searches_of_money_cubes_go_by_their_owner() -> None:
    cubes = game_cubes([Cube()], default_engine().met, True)
    alike = [cubes.table.cubes[k] for k in cubes.searched]
    for cube, like in zip(cubes.table.cubes, alike, strict=True):
        assert like.owner == cube.owner
        assert (like.value == 4096) == (cube.value == 4096)
    assert len(set(alike)) == 5  # centred; of each owner, at 4096 and below
    match = game_cubes([Cube(away=(5, 7))], default_engine().met, True)
    assert match.searched.tolist() == list(range(len(match.table.cubes)))


def test_a_cubeless_rollout_searches_without_the_cube() -> None:
    engine, boards = default_engine(), play_random_positions(40, 8)
    owned = []
    for cube in (Cube(), Cube(2, 0), Cube(2, 1)):
        cubes = game_cubes([cube], engine.met, False)
        plan = Plan(RolloutSettings(cubeful=False), engine, engine.evaluator, cubes)
        five, _ = searched_values(plan, boards, np.zeros(40, np.int64), EvalSettings(1))
        owned.append(five)
    search = make_search(engine, EvalSettings(1, cubeful=False))
    assert np.array_equal(owned[0], cubeless_probabilities(search, boards))
    assert np.array_equal(owned[0], owned[1])
    assert np.array_equal(owned[0], owned[2])
