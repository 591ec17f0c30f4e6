"""A rollout's means and standard errors, against values that are known exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.bearoff.two_sided import two_sided_without_double
from gnubg_py.board import START, Board, Boards, parse, pip_count
from gnubg_py.cube.state import Cube
from gnubg_py.dice import ROLL_PROBABILITIES
from gnubg_py.engine import engine_of
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.heuristics.pseudopip import PSEUDOPIP_LEAF
from gnubg_py.evaluators.protocol import FunctionEvaluator
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.evaluators.router import Router
from gnubg_py.match import MatchState
from gnubg_py.rollouts.games import roll_values
from gnubg_py.rollouts.result import RolloutResult
from gnubg_py.rollouts.run import roll_out, rollout
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.rollouts.statistics import Sums, add_trials, difference_errors, no_trials
from gnubg_py.rollouts.task import cube_task, position_task
from gnubg_py.rollouts.values import Plan, game_cubes
from gnubg_py.search.settings import EvalSettings, Strength

BEAROFFS = (
    "x 5:2 2:1 / o 4:2 1:1",
    "x 6:1 5:1 / o 3:2",
    "x 6:2 4:1 3:1 / o 6:1 5:2 1:1",
    "x 6:3 5:1 / o 5:3 2:1",
    "x 6:3 / o 5:3",
    "x 4:2 3:2 / o 6:1 2:3",
)
PLAYED_OUT = RolloutSettings(trials=324, truncate_two_sided=False, truncate_one_sided=False)


def heuristic() -> Router:
    """Pseudopips, and the exact endings: quick, and no net is needed."""
    router = evaluator_named("pseudopip")
    assert isinstance(router, Router)
    return router


def standardised(results: list[RolloutResult], exact: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = [result.rows[0] for result in results]
    found = [r.cubeless_equity if r.cubeful_equity is None else r.cubeful_equity for r in rows]
    return np.asarray((np.array(found) - exact) / np.array([r.error for r in rows]))


def assert_standard_normal(z: NDArray[np.float64]) -> None:
    """Chi-square within what one rollout in a thousand goes beyond, on either side."""
    n, chi_square = len(z), float((z**2).sum())
    # Wilson and Hilferty: the cube root of chi-square over n is nearly normal.
    u = ((chi_square / n) ** (1 / 3) - (1 - 2 / (9 * n))) / np.sqrt(2 / (9 * n))
    assert abs(u) < 3.3, f"chi-square {chi_square:.1f} of {n}: {np.round(z, 2)}"


@pytest.mark.parametrize("cubeful", [False, True])
def test_plain_rollouts_of_bearoffs_come_to_the_exact_equities(cubeful: bool) -> None:
    settings = replace(PLAYED_OUT, cubeful=cubeful, variance_reduction=False, trials=648)
    results, exact = [], []
    for k, text in enumerate(BEAROFFS):
        board = parse(text)
        task = position_task(board, Cube())
        results.append(roll_out(task, replace(settings, seed=k), engine=engine_of(heuristic())))
        exact.append(two_sided_without_double(board[None])[0, int(cubeful)])
    assert_standard_normal(standardised(results, np.array(exact, float)))


@pytest.mark.parametrize("cubeful", [False, True])
def test_luck_taken_out_by_a_poor_judge_leaves_the_mean(cubeful: bool) -> None:
    # Pseudopips alone misjudge bearoffs: the variance shrinks less, the mean is as right.
    settings = replace(PLAYED_OUT, cubeful=cubeful, luck_keep=0, stratified=False)
    poor = heuristic().routed(PositionClass.BEAROFF2, PSEUDOPIP_LEAF)
    results, exact = [], []
    for k, text in enumerate(BEAROFFS):
        board = parse(text)
        task = position_task(board, Cube())
        result = roll_out(task, replace(settings, seed=k), engine=engine_of(heuristic()), fast=poor)
        results.append(result)
        exact.append(two_sided_without_double(board[None])[0, int(cubeful)])
    assert_standard_normal(standardised(results, np.array(exact, float)))
    assert all(result.rows[0].error > 1e-4 for result in results)


def backwards(boards: Boards) -> NDArray[np.float32]:
    """A judge that finds good what is bad: the side ahead in the race loses."""
    pips = pip_count(boards).astype(np.float64)
    five = np.zeros((len(boards), 5), np.float32)
    five[:, 0] = 1 / (1 + np.exp((pips[:, 1] - pips[:, 0]) / 6))
    return five


def test_a_judge_of_luck_has_no_say_in_plays() -> None:
    # Contact, where plays are pruned; without variance reduction `fast` is not even called.
    settings = RolloutSettings(trials=36, truncate=3, variance_reduction=False)
    task = position_task(START, Cube())
    judge = FunctionEvaluator("backwards", backwards)
    results = [roll_out(task, settings, fast=fast).rows[0] for fast in (None, judge)]
    assert results[0].probabilities == results[1].probabilities
    task = position_task(parse(BEAROFFS[3]), Cube())
    exact = two_sided_without_double(parse(BEAROFFS[3])[None])[0, 0]
    played_out = replace(PLAYED_OUT, cubeful=False, trials=1296)
    row = roll_out(task, replace(played_out, stratified=False), fast=judge).rows[0]
    assert abs(row.cubeless_equity - exact) < 4 * row.cubeless_error


def test_a_static_rollout_honours_prune_keep() -> None:
    # A pruner that finds the worst play best: with keep 1 that one is made.
    engine = replace(engine_of(heuristic()), pruner=FunctionEvaluator("backwards", backwards))
    plain = RolloutSettings(trials=36, truncate=2, variance_reduction=False, cubeful=False)
    found = {}
    for keep in (1, 100):
        side = Strength(EvalSettings(prune_keep=keep, prune_within=0.0))
        settings = replace(plain, sides=(side, Strength(EvalSettings(prune=False))))
        result = roll_out(position_task(START, Cube()), settings, engine=engine)
        found[keep] = result.rows[0].cubeless_equity
    unpruned = Strength(EvalSettings(prune=False))
    settings = replace(plain, sides=(unpruned, unpruned))
    best = roll_out(position_task(START, Cube()), settings, engine=engine).rows[0].cubeless_equity
    assert found[1] < found[100] == best


def test_a_perfect_judge_takes_out_all_luck() -> None:
    settings = replace(PLAYED_OUT, trials=36)
    for text in BEAROFFS:
        board = parse(text)
        exact = two_sided_without_double(board[None])[0]
        task = position_task(board, Cube())
        row = roll_out(task, replace(settings, cubeful=False), engine=engine_of(heuristic())).rows[
            0
        ]
        assert row.cubeless_equity == pytest.approx(exact[0], abs=1e-5)
        assert row.cubeless_error < 1e-5
        # The play that luck is valued by is the best without a cube: not always with one.
        row = roll_out(task, settings, engine=engine_of(heuristic())).rows[0]
        assert row.cubeful_equity == pytest.approx(exact[1], abs=0.02)
        assert row.error < 0.01


@pytest.mark.parametrize("value", [1, 4])
def test_cube_decision_of_a_bearoff_is_exact(value: int) -> None:
    board = parse("x 6:2 4:1 3:1 / o 6:1 5:2 1:1")
    owner = -1 if value == 1 else 0
    exact = two_sided_without_double(board[None])[0]
    task = cube_task(board, Cube(value, owner))
    result = roll_out(task, replace(PLAYED_OUT, trials=36))
    decision = result.decision
    assert decision is not None
    assert decision.no_double == pytest.approx(exact[1 if value == 1 else 2], abs=2e-3)
    assert decision.double_take == pytest.approx(2 * exact[3], abs=2e-3)


def test_reduced_and_plain_agree_in_contact() -> None:
    router, settings = heuristic(), RolloutSettings(trials=144, truncate=6)
    boards = [START, parse("x 24:2 13:4 8:3 6:5 4:1 / o 24:2 13:5 8:3 6:5")]
    boards.append(parse("x 20:2 13:3 8:3 6:5 4:2 / o 24:1 13:5 9:2 8:2 6:5"))
    z = []
    for k, board in enumerate(boards):
        reduced = roll_out(
            position_task(board, Cube()), replace(settings, seed=k), engine=engine_of(router)
        )
        plain = replace(settings, seed=k + 100, variance_reduction=False)
        other = roll_out(position_task(board, Cube()), plain, engine=engine_of(router))
        a, b = reduced.rows[0], other.rows[0]
        z.append((a.equity - b.equity) / np.hypot(a.error, b.error))
        assert a.error < b.error
        # Both errors are estimates from few trials themselves.
        assert 0.5 < a.reduction / (b.error / a.error) < 2
    assert_standard_normal(np.array(z))


def test_luck_of_evenly_spread_first_rolls_adds_up_to_nothing() -> None:
    # 36 trials have each first roll once, so that after one turn their luck is nil in sum.
    settings = RolloutSettings(trials=36, truncate=1)
    result = roll_out(position_task(START, Cube()), settings, engine=engine_of(heuristic()))
    np.testing.assert_allclose(result.sums.total, result.sums.plain_total, atol=1e-9)
    opening = replace(settings, trials=30, initial_position=True)
    result = roll_out(position_task(START, Cube()), opening, engine=engine_of(heuristic()))
    np.testing.assert_allclose(result.sums.total, result.sums.plain_total, atol=1e-9)


def test_value_of_a_roll_is_that_of_its_best_play() -> None:
    router = heuristic()
    engine = engine_of(router)
    plan = Plan(RolloutSettings(), engine, router, game_cubes([Cube()], engine.met, True))
    board = parse("x 5:1 2:1 / o 1:1")
    values = roll_values(plan, board[None], np.array([0]), 0)[0]
    # Whoever plays best wins as often as the database says.
    wins = values[:, 0] @ ROLL_PROBABILITIES
    assert wins == pytest.approx((two_sided_without_double(board[None])[0, 0] + 1) / 2, abs=1e-6)


def ends(board: Board, state: MatchState) -> RolloutResult:
    return rollout((board, state), RolloutSettings(trials=36), evaluator=heuristic())


def test_games_end_at_what_they_are_worth() -> None:
    backgammon = parse("x 1:1 / o 22:1 13:14")
    row = ends(backgammon, MatchState()).rows[0]
    assert row.probabilities == pytest.approx((1, 1, 1, 0, 0))
    assert (row.cubeless_equity, row.cubeful_equity) == pytest.approx((3, 3))
    # Under Jacoby a centred cube wins one point, whatever the game.
    assert ends(backgammon, MatchState(jacoby=True)).rows[0].cubeful_equity == pytest.approx(1)
    # On a turned cube gammons count, Jacoby or not.
    owned = MatchState(cube_value=2, cube_owner=1, move=1, jacoby=True)
    assert ends(backgammon, owned).rows[0].cubeful_equity == pytest.approx(3)
    last = MatchState(match_length=5, score=(1, 2), move=1)
    row = ends(backgammon, last).rows[0]
    assert row.mwc == pytest.approx(1)
    assert row.probabilities[2] == pytest.approx(1)


def test_sums_do_not_depend_on_how_trials_are_split() -> None:
    generator = np.random.default_rng(3)
    results, plain = generator.normal(size=(2, 3, 50, 7))
    counts = generator.integers(0, 2, (3, 50, 2, 5, 13)).astype(np.uint8)
    whole = add_trials(no_trials(3), results, plain, counts)
    parts = no_trials(3)
    for begin, end in ((0, 1), (1, 20), (20, 50)):
        some = slice(begin, end)
        parts = add_trials(parts, results[:, some], plain[:, some], counts[:, some])
    for name in Sums.__dataclass_fields__:
        assert np.array_equal(getattr(whole, name), getattr(parts, name)), name
    # The errors are those of the trials themselves.
    expected = (results[0, :, 6] - results[2, :, 6]).std(ddof=1) / np.sqrt(50)
    assert difference_errors(whole, 6)[0, 2] == pytest.approx(expected)
