"""The cube in a search: children's cubes, the choice at a node, the answer of a leaf."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.cube.met import after_game, kazaross_xg2
from gnubg_py.cube.state import CENTRED, OTHER, OWN, Cube, can_double, double_cube, swap_cube
from gnubg_py.cube.tree import child_cubes, combine, cube_decision_cubes, other_side
from tests.cube_twins import cubes, random_probabilities, values_with

MET = kazaross_xg2()


def test_money_never_needs_more_than_three_cubes() -> None:
    asked: tuple[Cube, ...] = cube_decision_cubes(Cube(jacoby=True))
    for ply in range(6):
        asked = child_cubes(asked, root=ply == 0).children
    assert {(c.value, c.owner) for c in asked} == {(1, CENTRED), (2, OWN), (2, OTHER)}
    assert all(c.jacoby for c in asked)


def test_a_match_needs_those_that_can_come_about() -> None:
    step = child_cubes([Cube(away=(4, 3))])
    assert step.children == (Cube(away=(3, 4)), Cube(2, OWN, away=(3, 4)))
    step = child_cubes(step.children)
    # 3-away may redouble to 4, which is dead: 4-away owns it and cannot use it.
    dead = Cube(4, OWN, away=(4, 3))
    assert set(step.children) == {
        Cube(away=(4, 3)),
        Cube(2, OWN, away=(4, 3)),
        Cube(2, OTHER, away=(4, 3)),
        dead,
    }
    assert step.children[step.no_double[1]] == Cube(2, OTHER, away=(4, 3))
    assert step.children[step.double[1]] == dead
    assert child_cubes([dead]).double.tolist() == [-1]


@given(st.lists(cubes(), min_size=1, max_size=4))
def test_every_cube_finds_its_children(asked: list[Cube]) -> None:
    step = child_cubes(asked)
    assert len(set(step.children)) == len(step.children)
    for cube, stay, turn in zip(asked, step.no_double, step.double, strict=True):
        assert (turn >= 0) == can_double(cube)
        parents = [(cube, stay)] + ([(double_cube(cube), turn)] if turn >= 0 else [])
        for parent, index in parents:
            child, expected = step.children[index], swap_cube(parent)
            assert (child.owner, child.away) == (expected.owner, expected.away)
            assert cube.away is None or child == expected
    assert (child_cubes(asked, root=True).double == -1).all()


def test_cubes_high_up_in_money_play_do_not_go_through_the_roof() -> None:
    assert child_cubes([Cube(4096, OWN)]).children == (Cube(2, OTHER),)
    assert child_cubes([Cube(2048, OWN)]).children == (Cube(2, OTHER), Cube(2, OWN))


@pytest.mark.parametrize(
    ("no_double", "take", "best"),
    [(0.5, 0.4, 0.8), (0.9, 0.4, 0.9), (0.5, 0.9, 1.0), (1.2, 0.9, 1.2)],
)
def test_the_node_takes_the_best_for_both_in_money_play(
    no_double: float, take: float, best: float
) -> None:
    asked = [Cube()]
    step = child_cubes(asked)
    assert combine(np.array([[no_double, take]]), step, asked).tolist() == [[best]]
    # At the root, no one doubles unless asked to.
    root = child_cubes(cube_decision_cubes(Cube()), root=True)
    answer = combine(np.array([[no_double, take]]), root, cube_decision_cubes(Cube()))
    assert answer.tolist() == [[no_double, take]]


def test_in_a_match_a_pass_is_worth_what_the_table_says() -> None:
    asked = [Cube(away=(5, 7)), Cube(4, OTHER, away=(5, 7))]
    step = child_cubes(asked)
    passed = after_game(asked[0], 1, MET)
    no_double, take, owned = [0.5, 0.5, 0.9], [0.9, 0.55, 0.95], [0.6] * 3
    values = np.empty((3, 3))
    values[:, step.no_double] = np.column_stack([no_double, owned])
    values[:, step.double[0]] = take
    assert combine(values, step, asked).tolist() == [[passed, 0.6], [0.55, 0.6], [0.9, 0.6]]


def test_values_turn_round() -> None:
    values = np.array([[0.25, -0.5]])
    assert other_side(values, [Cube()]).tolist() == [[-0.25, 0.5]]
    assert other_side(np.array([[0.25]]), [Cube(away=(3, 3))]).tolist() == [[0.75]]


@given(st.lists(cubes().filter(lambda c: c.away is not None), min_size=1, max_size=3))
def test_a_leaf_doubles_where_that_is_better(asked: list[Cube]) -> None:
    probabilities, efficiency = random_probabilities(30, 5), np.full(30, 0.68, np.float32)
    answer = values_with(probabilities, efficiency, asked, may_double=True)
    at_root = values_with(probabilities, efficiency, asked)
    assert at_root.tolist() == values_with(probabilities, efficiency, asked).tolist()
    for j, cube in enumerate(asked):
        expected = at_root[:, j]
        if can_double(cube):
            take = values_with(probabilities, efficiency, [double_cube(cube)])[:, 0]
            expected = np.maximum(expected, np.minimum(take, after_game(cube, cube.value, MET)))
        assert answer[:, j].tolist() == expected.tolist()


def test_a_leaf_in_money_play_counts_the_doubled_cube_twice() -> None:
    p, x = np.array([[0.7, 0, 0, 0, 0], [0.9, 0, 0, 0, 0]], np.float32), np.full(2, 0.68)
    take = 2 * values_with(p, x, [Cube(2, OTHER)])[:, 0]
    assert take[0] < 1 < take[1]
    assert values_with(p, x, [Cube(2, OWN)], may_double=True)[1, 0] == 1.0
    no_double = values_with(p, x, [Cube()])[:, 0]
    assert values_with(p, x, [Cube()], may_double=True)[0, 0] == max(no_double[0], take[0])
