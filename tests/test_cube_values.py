"""Cubeful values: against a plain account of the formulas, and against what is known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.cube.constants import is_dead
from gnubg_py.cube.efficiency import flat_curves
from gnubg_py.cube.kernels import CURVE_POINTS, cubeful_value
from gnubg_py.cube.met import chance_of_equity, equity_of, kazaross_xg2
from gnubg_py.cube.state import CENTRED, OTHER, OWN, Cube, swap_cube
from gnubg_py.cube.values import cube_table, cubeful_values, gammon_prices, utility
from gnubg_py.probabilities import cubeless_equity
from tests.cube_twins import cubes, plain_match, plain_money, random_probabilities, values_with

MET = kazaross_xg2()


def money_cubes() -> list[Cube]:
    states = [(1, CENTRED), (2, OWN), (2, OTHER), (2, CENTRED)]
    return [Cube(v, o, jacoby=j) for (v, o), j in itertools.product(states, (False, True))]


def match_cubes() -> list[Cube]:
    answer = []
    points = [1, 2, 3, 4, 5, 7, 9, 25, 40]
    for away in [(a, b) for a in points for b in points]:
        answer += [Cube(away=away)]
        answer += [Cube(v, o, away) for v in (2, 4, 8) for o in (OWN, OTHER)]
        answer += [Cube(away=away, crawford=True)] if 1 in away else []
    return answer


def test_money_values_are_the_plain_formulas() -> None:
    probabilities = random_probabilities(300, 1)
    for x in (0.0, 0.68, 1.0):
        efficiency = np.full(300, x, np.float32)
        for cube in money_cubes():
            ours = values_with(probabilities, efficiency, [cube])[:, 0]
            plain = [plain_money(p, float(np.float32(x)), cube) for p in probabilities.tolist()]
            np.testing.assert_allclose(ours, plain, atol=2e-6)


@pytest.mark.parametrize("may_double", [False, True])
def test_cubes_together_have_the_values_of_each_alone(may_double: bool) -> None:
    probabilities = random_probabilities(300, 7)
    efficiency = np.linspace(0, 1, 300, dtype=np.float32)
    for everything in (money_cubes(), [*money_cubes(), Cube(4096, OWN)], match_cubes()[:40]):
        table = cube_table(everything)
        found = cubeful_values(probabilities, efficiency, table, may_double=may_double)
        for j in range(len(everything)):
            each = np.full((300, 1), j)
            alone = cubeful_values(probabilities, efficiency, table, each, may_double)
            assert np.array_equal(found[:, j], alone[:, 0])


def test_match_values_are_the_plain_formulas() -> None:
    probabilities = random_probabilities(12, 2)
    efficiency = np.linspace(0, 1, 12, dtype=np.float32)
    everything = match_cubes()
    ours = values_with(probabilities, efficiency, everything)
    for j, cube in enumerate(everything):
        plain = [
            plain_match(p, float(x), cube)
            for p, x in zip(probabilities.tolist(), efficiency, strict=True)
        ]
        np.testing.assert_allclose(ours[:, j], plain, atol=2e-6, err_msg=str(cube))


def test_the_efficiency_is_read_from_the_owners_curve() -> None:
    probabilities = random_probabilities(40, 4)
    curves = np.random.default_rng(4).uniform(0.1, 1, (3, CURVE_POINTS))
    for cube in money_cubes() + match_cubes():
        constants = cube_table([cube], MET).constants[0]
        ours = [cubeful_value(*p, curves[None], 0, constants) for p in probabilities.tolist()]
        plain_value = plain_money if cube.away is None else plain_match
        plain = [plain_value(p, curves.tolist(), cube) for p in probabilities.tolist()]
        np.testing.assert_allclose(ours, plain, atol=2e-6, err_msg=str(cube))


def test_efficiency_does_not_matter_for_a_dead_cube() -> None:
    dead = [cube for cube in match_cubes() if is_dead(cube)]
    assert {Cube(away=(1, 3), crawford=True), Cube(8, OWN, (7, 5)), Cube(away=(2, 2))} < set(dead)
    values = [values_with(random_probabilities(20, 6), np.full(20, x), dead) for x in (0.1, 0.9)]
    assert values[0].tolist() == values[1].tolist()


def test_every_position_with_its_own_cube_and_one_at_a_time() -> None:
    probabilities, states = random_probabilities(50, 3), tuple(money_cubes() + match_cubes()[:60])
    efficiency = np.full(50, 0.68, np.float32)
    which = np.random.default_rng(3).integers(0, len(states), 50)
    table = cube_table(states, MET)
    each = cubeful_values(probabilities, efficiency, table, which[:, None])[:, 0]
    everything = values_with(probabilities, efficiency, states)
    assert each.tolist() == everything[np.arange(50), which].tolist()
    p = probabilities[7]
    curves = flat_curves(efficiency[7:8])
    one = cubeful_value(*p, curves, 0, table.constants[which[7]])
    assert one == each[7]


@given(cubes(), st.floats(0, 1), st.integers(0, 10**6))
def test_what_one_side_wins_the_other_loses(cube: Cube, x: float, seed: int) -> None:
    w, wg, wbg, lg, lbg = random_probabilities(5, seed)[4].astype(float)
    here, there = np.array([[w, wg, wbg, lg, lbg]]), np.array([[1 - w, lg, lbg, wg, wbg]])
    efficiency, theirs = np.array([x]), swap_cube(cube)
    a = equity_of(values_with(here, efficiency, [cube])[0, 0], cube, MET)
    b = equity_of(values_with(there, efficiency, [theirs])[0, 0], theirs, MET)
    # Far ahead in a match the mwc are near 1 and an equity keeps few digits.
    assert a == pytest.approx(-b, abs=1e-6)


@given(st.floats(0.001, 0.999), st.floats(0, 1))
def test_owning_the_cube_is_worth_most_and_facing_it_least(w: float, x: float) -> None:
    p, efficiency = np.array([[w, w / 5, 0, (1 - w) / 5, 0]]), np.array([x])
    for away in (None, (7, 7), (5, 9)):
        own, other = (values_with(p, efficiency, [Cube(2, o, away)])[0, 0] for o in (OWN, OTHER))
        assert own >= other - 1e-12
    centred, own, other = (
        values_with(p, efficiency, [c])[0, 0] for c in (Cube(), Cube(2, OWN), Cube(2, OTHER))
    )
    assert own + 1e-12 >= centred >= other - 1e-12


def test_a_dead_cube_is_worth_the_cubeless_equity() -> None:
    probabilities, none = random_probabilities(50, 4), np.zeros(50)
    cubeless = cubeless_equity(probabilities)
    for owner in (OWN, OTHER):
        values = values_with(probabilities, none, [Cube(2, owner)])[:, 0]
        np.testing.assert_allclose(values, cubeless, atol=1e-6)
    live = np.full(50, 0.7)
    for cube in (
        Cube(away=(4, 1), crawford=True),
        Cube(away=(1, 1)),
        Cube(2, OWN, away=(2, 2)),
        Cube(8, OTHER, away=(5, 7)),
        Cube(away=(2, 2)),
    ):
        values = values_with(probabilities, live, [cube])[:, 0]
        prices = utility(probabilities, cube)
        np.testing.assert_allclose(
            values, chance_of_equity(prices.astype(np.float64), cube, MET), atol=1e-6
        )


def test_gammons_at_a_price() -> None:
    assert gammon_prices(Cube()).lose_backgammon == 1
    assert gammon_prices(Cube(jacoby=True)).win_gammon == 0
    assert gammon_prices(Cube(2, OWN, jacoby=True)).win_gammon == 1
    # The trailer after Crawford, 2-away: a gammon wins the match where a win makes it even.
    trailer = gammon_prices(Cube(away=(2, 1)))
    assert trailer.win_gammon == pytest.approx(2.0)
    assert trailer.lose_gammon == 0
    assert gammon_prices(Cube(away=(1, 2))).lose_gammon == pytest.approx(2.0)


def test_gammons_count_cubeless_whatever_the_jacoby_rule() -> None:
    five = np.array([0.5, 0.3, 0.1, 0.1, 0.0])
    for jacoby in (False, True):
        assert utility(five, Cube(jacoby=jacoby)) == pytest.approx(0.3)
        # gnubg 1.07 too: with the rule on, `eval` prints +0.076 for the start position.
        assert gammon_prices(Cube(jacoby=jacoby)).win_gammon == (0 if jacoby else 1)
