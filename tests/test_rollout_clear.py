"""Which decisions of a rollout are searched no deeper than 1 ply, and that the others are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from gnubg_py.board import START, Boards, parse
from gnubg_py.cube.met import chance_of_equity
from gnubg_py.cube.state import Cube
from gnubg_py.engine import default_engine
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.match import MatchState
from gnubg_py.rollouts import clear as clear_module
from gnubg_py.rollouts.clear import clear, cube_decisions, with_first_look
from gnubg_py.rollouts.games import play_turn
from gnubg_py.rollouts.run import rollout
from gnubg_py.rollouts.settings import RolloutSettings, same_plies
from gnubg_py.rollouts.values import Plan, choose_cube_actions, decision_values, game_cubes
from gnubg_py.search.context import make_search
from gnubg_py.search.ranking import rank
from gnubg_py.search.settings import FILTERS, EvalSettings, FilterStep, MoveFilter, Strength
from tests.conftest import play_random_positions

TWO, ONE = EvalSettings(2), EvalSettings(1)


def plan_of(cube: Cube) -> Plan:
    engine = default_engine()
    return Plan(RolloutSettings(), engine, engine.evaluator, game_cubes([cube], engine.met, True))


def contact_positions(n: int, seed: int) -> Boards:
    boards = play_random_positions(3 * n, seed)
    return boards[classify(boards) >= PositionClass.CRASHED][:n]


def test_players_look_one_roll_ahead_before_two() -> None:
    looks = with_first_look(Strength(TWO, filters=FILTERS["large"]))
    assert [step.ply for step in looks.of(2)] == [0, 1]
    assert looks.of(2)[0] == FILTERS["large"].of(2)[0]
    deep = with_first_look(Strength(EvalSettings(3)))
    assert [step.ply for step in deep.of(3)] == [0, 1, 2]
    assert with_first_look(Strength(ONE)).of(1) == FILTERS["normal"].of(1)


def test_filters_that_say_what_1_ply_keeps_are_left_as_they_are() -> None:
    own = MoveFilter("own", {2: (FilterStep(1, 2, 0, 0.0),)})
    assert with_first_look(Strength(TWO, filters=own)).of(2) == own.of(2)


def test_players_with_noise_look_as_deep_as_they_should() -> None:
    noisy = replace(TWO, noise=0.02)
    assert with_first_look(Strength(noisy)) == FILTERS["normal"]
    boards, numbers = contact_positions(20, 1), np.zeros(20, np.int64)
    plan = plan_of(Cube())
    five, decided = cube_decisions(plan, boards, numbers, noisy)
    whole_five, whole = decision_values(plan, boards, numbers, noisy)
    assert np.array_equal(five, whole_five)
    assert np.array_equal(decided, whole)


def test_plays_that_are_given_up_are_clearly_worse() -> None:
    engine = default_engine()
    boards = contact_positions(40, 2)
    dice = np.random.default_rng(2).integers(1, 7, (len(boards), 2)).astype(np.int8)
    search, cube = make_search(engine, TWO), Cube()
    whole = rank(search, boards, dice, cube)
    first = rank(search, boards, dice, cube, with_first_look(Strength(TWO)))
    one = rank(make_search(engine, ONE), boards, dice, cube, FILTERS["huge"])
    given_up = np.flatnonzero((whole.ply == 2) & (first.ply < 2))
    assert 10 < len(given_up) < (whole.ply == 2).sum()
    decision = np.searchsorted(whole.offsets, given_up, side="right") - 1
    behind = one.values[one.chosen][decision] - one.values[given_up]
    alone = np.add.reduceat(first.ply == 2, first.offsets[:-1])[decision] == 0
    assert ((behind > 0.05) | alone).all()
    assert first.ply[given_up].max() == 1


def test_clearly_worse_plays_are_not_played_in_matches_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan, boards = plan_of(Cube(away=(1, 1))), contact_positions(30, 3)
    dice = np.random.default_rng(3).integers(1, 7, (len(boards), 2)).astype(np.int8)
    numbers, strength = np.zeros(len(boards), np.int64), Strength(TWO)
    after = play_turn(plan, boards, dice, numbers, strength)
    monkeypatch.setattr(clear_module, "_PLAYS", FilterStep(1, 0, 9999, 9.0))
    whole = play_turn(plan, boards, dice, numbers, strength)
    assert (after == whole).all(axis=(1, 2)).mean() > 0.9
    monkeypatch.setattr(clear_module, "_PLAYS", FilterStep(1, 1, 0, 0.0))
    one = play_turn(plan, boards, dice, numbers, strength)
    assert (one != whole).any()


@pytest.mark.parametrize("cube", [Cube(), Cube(2, 0), Cube(jacoby=True), Cube(away=(5, 3))])
def test_the_cube_is_turned_as_after_a_whole_search(cube: Cube) -> None:
    plan, boards = plan_of(cube), contact_positions(200, 4)
    numbers = np.zeros(len(boards), np.int64)
    five, decided = cube_decisions(plan, boards, numbers, TWO)
    five_one, decided_one = decision_values(plan, boards, numbers, ONE)
    five_two, decided_two = decision_values(plan, boards, numbers, TWO)
    done = clear(plan, decided_one, numbers)
    assert 0.2 < done.mean() < 0.98
    assert np.array_equal(five, np.where(done[:, None], five_one, five_two))
    assert np.array_equal(decided, np.where(done[:, None], decided_one, decided_two))
    actions = choose_cube_actions(plan, five, decided, numbers)
    expected = choose_cube_actions(plan, five_two, decided_two, numbers)
    assert np.array_equal(actions, expected)
    assert not (done & expected[0] & expected[1]).any()  # doubles that are passed


def test_the_opening_is_clearly_no_double_and_a_close_race_is_not_clear() -> None:
    race = "x 8:3 6:4 5:3 4:3 3:2 / o 9:3 7:2 6:4 5:3 4:3"
    boards = np.stack([START, parse(race)])
    plan, numbers = plan_of(Cube()), np.zeros(2, np.int64)
    _, decided = decision_values(plan, boards, numbers, ONE)
    assert clear(plan, decided, numbers).tolist() == [True, False]


@pytest.mark.parametrize(
    ("no_double", "take", "is_clear"),
    [
        (0.10, -0.10, True),  # no double
        (0.10, 0.00, False),  # no double, by too little
        (0.30, 0.60, True),  # double and take
        (0.30, 0.40, False),
        (0.60, 0.95, False),  # nearly a pass
        (0.80, 1.40, False),  # double and pass
        (1.40, 1.90, True),  # too good to double
        (1.10, 1.90, False),
    ],
)
@pytest.mark.parametrize("cube", [Cube(), Cube(2, 0), Cube(away=(7, 7))])
def test_a_decision_is_clear_by_what_the_other_would_cost(
    no_double: float, take: float, is_clear: bool, cube: Cube
) -> None:
    plan, met = plan_of(cube), default_engine().met
    values = np.array([[no_double, take]])
    if cube.away is not None:
        values = np.asarray(chance_of_equity(values, cube, met))
    assert clear(plan, values, np.zeros(1, np.int64)).tolist() == [is_clear]


def test_a_rollout_searches_few_of_its_cubes(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: Counter[int] = Counter()
    decide = decision_values

    def counted(plan, boards, numbers, settings):  # type: ignore[no-untyped-def]
        looked[settings.plies] += len(boards)
        return decide(plan, boards, numbers, settings)

    monkeypatch.setattr(clear_module, "decision_values", counted)
    settings = RolloutSettings(trials=36, truncate=6, sides=same_plies(0, 2))
    rollout((START, MatchState()), settings)
    assert 0 < looked[2] < 0.5 * looked[1]
