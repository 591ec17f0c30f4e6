"""The n-ply search against the same search told plainly, and against itself."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.bearoff.two_sided import two_sided_equities
from gnubg_py.board import START, Boards, parse
from gnubg_py.cube.state import CENTRED, OTHER, OWN, Cube
from gnubg_py.cube.tree import cube_decision_cubes
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.protocol import Evaluator, FunctionEvaluator
from gnubg_py.evaluators.registry import default_router
from gnubg_py.search import nply
from gnubg_py.search.cache import SearchCache
from gnubg_py.search.settings import EvalSettings
from gnubg_py.threads import set_thread_count, thread_count
from tests.search_twins import ONLY_PIPS, PIPS, pips, plain_search, positions_by_class, random_net
from tests.searching import cube_decision_batch, cubeful_values, evaluate_batch

MONEY = Cube()
CUBES = {
    "centred": cube_decision_cubes(MONEY),
    "Jacoby": (Cube(jacoby=True),),
    "owned": cube_decision_cubes(Cube(2, OWN)),
    "theirs": (Cube(2, OTHER),),
    "3-away 5-away": cube_decision_cubes(Cube(away=(3, 5))),
    "post-Crawford": cube_decision_cubes(Cube(away=(4, 1))),
    "at 4 for 7-away": cube_decision_cubes(Cube(4, OWN, away=(7, 6))),
}
Answers: TypeAlias = list[NDArray[Any]]
CLASSES = ("CONTACT", "CRASHED", "RACE", "BEAROFF1", "BEAROFF2")


def fresh() -> SearchCache:
    return SearchCache(1 << 12)


def plainly(plies: int, **more: bool) -> EvalSettings:
    return EvalSettings(plies, prune=False, **more)


def check(
    boards: Boards, cubes: tuple[Cube, ...], plies: int, evaluator: Evaluator, cubeful: bool = True
) -> None:
    settings = plainly(plies, cubeful=cubeful)
    five, values = cubeful_values(boards, cubes, settings, evaluator, cache=fresh())
    for i, board in enumerate(boards):
        p, v = plain_search(board, cubes, plies, evaluator, cubeful=cubeful)
        np.testing.assert_allclose(five[i], p, atol=1e-5)
        np.testing.assert_allclose(values[i], v, atol=1e-5)


@pytest.mark.parametrize("name", CLASSES)
def test_one_ply_equals_the_plain_search(name: str) -> None:
    boards = positions_by_class(20)[PositionClass[name]]
    for i, cubes in enumerate(CUBES.values()):
        check(boards[i::7], cubes, 1, default_router())


@pytest.mark.parametrize("name", CLASSES)
def test_one_ply_cubeless_equals_the_plain_search(name: str) -> None:
    boards = positions_by_class(20)[PositionClass[name]]
    check(boards[:10], (MONEY,), 1, PIPS, cubeful=False)
    check(boards[10:15], (Cube(away=(2, 4)),), 1, PIPS, cubeful=False)
    # The side on roll's probabilities are those of a cubeless money game.
    five = evaluate_batch(boards[15:], plainly(1), PIPS, cache=fresh())
    for i, board in enumerate(boards[15:]):
        p, _ = plain_search(board, (MONEY,), 1, PIPS, cubeful=False)
        np.testing.assert_allclose(five[i], p, atol=1e-5)


@pytest.mark.parametrize("name", CLASSES)
def test_two_ply_equals_the_plain_search(name: str) -> None:
    boards = positions_by_class(20)[PositionClass[name]]
    check(boards[:1], CUBES["centred"], 2, default_router())
    check(boards[1:2], CUBES["3-away 5-away"], 2, PIPS)


def test_deep_searches_to_the_end_of_the_game() -> None:
    boards = np.stack([parse("x 2:2 1:1 / o 3:1 1:2"), parse("x 6:1 3:2 / o 2:2")])
    check(boards[:1], CUBES["centred"], 4, ONLY_PIPS)
    check(boards[1:], CUBES["3-away 5-away"], 3, ONLY_PIPS)


@pytest.mark.parametrize(
    ("text", "plies", "inner"),
    [("x 18:1 6:1 / o 20:1 9:1", 2, 1), ("x 10:1 / o 20:1", 3, 1), ("x 3:2 1:1 / o 2:2", 3, 2)],
)
def test_plays_inside_can_be_chosen_by_a_search(text: str, plies: int, inner: int) -> None:
    board, differs = parse(text), []
    settings = EvalSettings(plies, prune=False, inner_plies=inner)
    for name in ("centred", "3-away 5-away")[: 2 if plies == 2 else 1]:  # 3-ply takes long here
        cubes = CUBES[name]
        five, values = cubeful_values(board[None], cubes, settings, ONLY_PIPS, cache=fresh())
        plain, _ = cubeful_values(board[None], cubes, plainly(plies), ONLY_PIPS, cache=fresh())
        differs.append(not np.array_equal(five, plain))
        p, v = plain_search(board, cubes, plies, ONLY_PIPS, inner=inner)
        np.testing.assert_allclose(five[0], p, atol=1e-5)
        np.testing.assert_allclose(values[0], v, atol=1e-5)
    assert any(differs)


def test_inner_plies_change_nothing_at_one_ply_and_are_kept_apart_in_the_cache() -> None:
    boards, cache = positions_by_class(20)[PositionClass.CONTACT][:4], fresh()
    for plies in (1, 2):
        plain = evaluate_batch(boards, EvalSettings(plies), cache=cache)
        chosen = evaluate_batch(boards, EvalSettings(plies, inner_plies=1), cache=cache)
        alone = evaluate_batch(boards, EvalSettings(plies, inner_plies=1), cache=fresh())
        assert np.array_equal(chosen, alone)
        assert np.array_equal(plain, chosen) == (plies == 1)


def test_answers_by_inner_plies_do_not_depend_on_threads_or_company() -> None:
    boards = positions_by_class(20)[PositionClass.CONTACT]
    settings, threads = EvalSettings(2, inner_plies=1), thread_count()
    together = evaluate_batch(boards, settings, cache=fresh())
    try:
        set_thread_count(3)
        assert np.array_equal(evaluate_batch(boards, settings, cache=fresh()), together)
    finally:
        set_thread_count(threads)
    assert np.array_equal(evaluate_batch(boards[4:5], settings, cache=fresh()), together[4:5])


def test_a_node_below_the_root_may_double() -> None:
    boards = positions_by_class(20)[PositionClass.CONTACT][:6]
    for cube in (MONEY, Cube(away=(3, 5))):
        settings = plainly(1)
        _, values = cubeful_values(boards, (cube,), settings, PIPS, root=False, cache=fresh())
        expected = [plain_search(b, (cube,), 1, PIPS, root=False)[1] for b in boards]
        np.testing.assert_allclose(values, expected, atol=1e-5)
        decision = cube_decision_batch(boards, cube, settings, PIPS, cache=fresh())
        best = np.maximum(decision.no_double, np.minimum(decision.double_take, 1.0))
        if cube.away is None:
            np.testing.assert_allclose(values[:, 0], best, atol=1e-12)


def test_what_is_certain_stays_certain() -> None:
    # The other side is off in three rolls: the mean over the rolls is not a hair below 0.
    lost = parse("x 11:1 4:3 3:4 1:7 / o 1:5")[None]
    five, _ = cubeful_values(lost, (Cube(),), EvalSettings(1), default_router())
    assert five[0, 0] == 0


def test_zero_ply_is_the_leaf() -> None:
    boards = positions_by_class(20)[PositionClass.CONTACT]
    assert (evaluate_batch(boards, plainly(0), PIPS, cache=fresh()) == PIPS(boards)).all()


def test_the_two_sided_database_is_a_fixed_point_of_the_search() -> None:
    """What is exact stays as it is, one ply up, even when the search does not know it is exact."""
    boards = positions_by_class(20)[PositionClass.BEAROFF2]
    unaware = FunctionEvaluator("unaware", PIPS)
    exact = PIPS(boards)
    searched = evaluate_batch(boards, plainly(1), unaware, cache=fresh())
    np.testing.assert_allclose(searched, exact, atol=2e-6)


@pytest.mark.parametrize("plies", [0, 1, 3])
def test_two_sided_bearoffs_have_exact_cubeful_equities(plies: int) -> None:
    boards = positions_by_class(20)[PositionClass.BEAROFF2]
    columns = {CENTRED: 1, OWN: 2, OTHER: 3}
    for owner, column in columns.items():
        cube = Cube(1 if owner == CENTRED else 2, owner)
        _, values = cubeful_values(boards, (cube,), plainly(plies), PIPS, root=False, cache=fresh())
        assert (values[:, 0] == two_sided_equities(boards)[:, column]).all()


def test_known_bearoff_cubes() -> None:
    """Two checkers on the 5 and 2 points: off in 19 of 36 rolls, and the other side is off next."""
    last = parse("x 5:1 2:1 / o 1:1")[None]
    decision = cube_decision_batch(last, MONEY, plainly(2), PIPS, cache=fresh())
    # 2/36 undoubled, 4/36 doubled: the double is right, if barely, and the take clear.
    assert 36 * decision.no_double[0] == pytest.approx(2.0, abs=1e-4)
    assert 36 * decision.double_take[0] == pytest.approx(4.0, abs=1e-4)
    # One roll decides, so the cube given is dead and the take point 25 %: 27 good rolls of 36.
    good_rolls = {"4:1 1:1": 29, "3:1 2:1": 25, "4:1 2:1": 23, "5:1 1:1": 23, "6:1 1:1": 15}
    for mine, good in good_rolls.items():
        board = parse(f"x {mine} / o 1:1")[None]
        answer = cube_decision_batch(board, MONEY, plainly(0), PIPS, cache=fresh())
        assert answer.double_take[0] == pytest.approx(2 * (2 * good - 36) / 36, abs=1e-5)
        assert (answer.double_take[0] > 1) == (good > 27)


def answers(cache: SearchCache, evaluator: Evaluator = PIPS) -> Answers:
    groups = positions_by_class(20)
    boards = np.concatenate([groups[PositionClass[name]][:8] for name in CLASSES])
    settings = EvalSettings(1)
    found: Answers = [evaluate_batch(boards, settings, evaluator, cache=cache)]
    for cubes in (CUBES["centred"], CUBES["3-away 5-away"]):
        found += cubeful_values(boards, cubes, settings, evaluator, cache=cache)
    return found


def same(one: Answers, two: Answers) -> bool:
    return all((a == b).all() for a, b in zip(one, two, strict=True))


def test_the_cache_changes_nothing() -> None:
    without = answers(SearchCache(0))
    for size in (4, 64, 1 << 14):
        cache = SearchCache(size)
        assert same(answers(cache), without)
        assert same(answers(cache), without)
    assert cache.deep.statistics().hits > 0


def test_one_cache_serves_all_evaluators_and_settings_and_mixes_none() -> None:
    cache = SearchCache(1 << 14)
    evaluators = (PIPS, random_net(), ONLY_PIPS)
    alone = [answers(SearchCache(0), e) for e in evaluators]
    for _ in range(2):
        assert all(same(answers(cache, e), a) for e, a in zip(evaluators, alone, strict=True))


def test_threads_and_chunks_change_nothing(
    one_thread: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = answers(SearchCache(0), random_net())
    set_thread_count(3)
    assert same(answers(SearchCache(0), random_net()), alone)
    monkeypatch.setattr(nply, "_CHUNK", 7)
    assert same(answers(SearchCache(0), random_net()), alone)


def test_a_board_is_worth_the_same_in_any_company() -> None:
    boards = positions_by_class(20)[PositionClass.CONTACT][:5]
    together = evaluate_batch(boards[[0, 1, 0, 2, 3, 4]], plainly(1), PIPS, cache=fresh())
    alone = [evaluate_batch(b[None], plainly(1), PIPS, cache=fresh())[0] for b in boards]
    assert (together == np.array(alone)[[0, 1, 0, 2, 3, 4]]).all()


def test_what_cannot_be_asked() -> None:
    with pytest.raises(ValueError, match="no cubes: at least one"):
        cubeful_values(START[None], (), plainly(0), PIPS)
    with pytest.raises(ValueError, match=r"boards of shape \[2, 25\]: should be \[n, 2, 25\]"):
        evaluate_batch(START, plainly(0), PIPS)
    with pytest.raises(ValueError, match="the cube is the other side's"):
        cube_decision_batch(START[None], Cube(2, OTHER), plainly(0), PIPS)
    with pytest.raises(ValueError, match="the cube is dead: at 2 it wins the match"):
        cube_decision_batch(START[None], Cube(2, OWN, away=(2, 4)), plainly(0), PIPS)
    with pytest.raises(ValueError, match="Crawford game: no one can double"):
        cube_decision_batch(START[None], Cube(away=(1, 4), crawford=True), plainly(0), PIPS)
    assert pips(START[None]).shape == (1, 5)
