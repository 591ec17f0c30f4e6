"""Noise: as strong as its setting, of the position and seed alone, and within what can be."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gnubg_py.analysis import hint
from gnubg_py.board import START, parse
from gnubg_py.cube.state import Cube
from gnubg_py.engine import engine_of
from gnubg_py.probabilities import nested
from gnubg_py.results import PlaysHint
from gnubg_py.rollouts.run import roll_out, rollout
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.rollouts.task import position_task
from gnubg_py.search import noise
from gnubg_py.search.cache import SearchCache
from gnubg_py.search.noise import NoisyEvaluator
from gnubg_py.search.settings import EvalSettings, Strength
from gnubg_py.threads import set_thread_count, thread_count
from tests.conftest import play_random_positions
from tests.search_twins import PIPS
from tests.searching import cubeful_values, evaluate_batch


def test_noise_has_its_standard_deviation() -> None:
    boards = play_random_positions(4000, 2)
    clean = PIPS(boards)
    middle = (clean[:, 0] > 0.3) & (clean[:, 0] < 0.7)
    differences = (NoisyEvaluator(PIPS, 0.03, 1)(boards) - clean)[middle, 0]
    assert abs(float(differences.mean())) < 0.003
    assert abs(float(differences.std()) - 0.03) < 0.003


def test_deterministic_noise_is_of_the_position_and_the_seed() -> None:
    boards = play_random_positions(50, 2)
    first = NoisyEvaluator(PIPS, 0.06, 1)(boards)
    assert (NoisyEvaluator(PIPS, 0.06, 1)(boards[::-1])[::-1] == first).all()
    assert (NoisyEvaluator(PIPS, 0.06, 2)(boards) != first).any(axis=1).mean() > 0.9


def test_other_noise_is_new_every_time_but_the_same_in_every_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = EvalSettings(0, noise=0.06, deterministic=False, seed=1)

    def session() -> list[float]:
        monkeypatch.setattr(noise, "_draws", itertools.count(1))
        hints = [hint("4HPwATDgc/ABMA", "31", settings=settings, evaluator=PIPS) for _ in range(3)]
        return [answer.best.equity for answer in hints if isinstance(answer, PlaysHint)]

    first = session()
    assert len(set(first)) == 3
    assert session() == first


def test_other_noise_is_the_same_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The noise belongs to the search, not to the slice of it that a thread evaluates."""
    boards = play_random_positions(40, 5)
    noisy = EvalSettings(1, noise=0.05, deterministic=False, seed=3)

    def found(threads: int) -> NDArray[np.float32]:
        monkeypatch.setattr(noise, "_draws", itertools.count(1))
        set_thread_count(threads)
        return evaluate_batch(boards, noisy, PIPS, cache=SearchCache(0))

    before = thread_count()
    try:
        alone = found(1)
        assert all((found(2) == alone).all() for _ in range(6))
    finally:
        set_thread_count(before)


def test_a_rollout_with_other_noise_is_the_same_in_batches_of_any_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noisy = EvalSettings(0, noise=0.06, deterministic=False, seed=1)
    settings = RolloutSettings(
        trials=72, truncate=3, sides=(Strength(noisy, noisy), Strength(noisy, noisy))
    )

    def equity(games_at_once: int) -> float:
        monkeypatch.setattr(noise, "_draws", itertools.count(1))
        engine = engine_of(PIPS)
        task = position_task(START, Cube())
        return roll_out(task, settings, engine=engine, games_at_once=games_at_once).best.equity

    assert equity(72) == equity(7)


def test_rollouts_with_other_noise_differ() -> None:
    noisy = EvalSettings(0, noise=0.06, deterministic=False, seed=1)
    sides = (Strength(noisy, noisy), Strength(noisy, noisy))
    settings = RolloutSettings(trials=36, truncate=2, sides=sides)
    results = [rollout("4HPwATDgc/ABMA", settings, evaluator=PIPS).best.equity for _ in range(2)]
    assert results[0] != results[1]


def test_a_finished_game_has_no_noise() -> None:
    over = parse("x 5:14 / o")[None]
    assert (NoisyEvaluator(PIPS, 0.5, 1)(over) == PIPS(over)).all()


@given(st.lists(st.floats(-1, 2, width=32), min_size=5, max_size=5))
def test_probabilities_stay_nested(five: list[float]) -> None:
    w, wg, wbg, lg, lbg = nested(np.array([five], np.float32))[0].tolist()
    assert 0 <= wbg <= wg <= w <= 1
    assert 0 <= lbg <= lg <= 1 - w + 1e-7


def test_a_noisy_search_does_not_spoil_the_cache() -> None:
    cache = SearchCache(1 << 12)
    clean = evaluate_batch(START[None], EvalSettings(1), PIPS, cache=cache)
    for deterministic in (True, False):
        noisy = EvalSettings(1, noise=0.05, deterministic=deterministic, seed=3)
        found = [evaluate_batch(START[None], noisy, PIPS, cache=cache) for _ in range(2)]
        assert (found[0] == found[1]).all() == deterministic
        assert (found[0] != clean).any()
    assert (evaluate_batch(START[None], EvalSettings(1), PIPS, cache=cache) == clean).all()


def test_noise_reaches_the_exact_databases_too() -> None:
    board = parse("x 6:2 5:2 / o 6:2 5:1 1:1")[None]
    _, exact = cubeful_values(board, (Cube(),), EvalSettings(0), PIPS)
    _, noisy = cubeful_values(board, (Cube(),), EvalSettings(0, noise=0.05), PIPS)
    assert exact[0, 0] != noisy[0, 0]
