"""The map from a heuristic's score to probabilities: nested, monotone, and fitted to games."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from gnubg_py.board import START, Boards, parse
from gnubg_py.compare.duel import play_duel, points_won
from gnubg_py.evaluators.heuristics.pseudopip import PSEUDOPIP_LEAF, pseudopip_one_step
from gnubg_py.evaluators.heuristics.score_map import (
    MAPS_FILE,
    SIGNS,
    ScoreMap,
    five_of_scores,
    map_from_json,
    past,
    phase_facts,
    shipped_map,
)
from gnubg_py.evaluators.heuristics.ten_factor import TEN_FACTOR_LEAF
from gnubg_py.training.fit_scores import Sample, design, fit_map

Positions = Callable[[int, int], Boards]
NAMES = ("pseudopip", "ten-factor")
CONTACT_PHASE = [0, 250, 0, 0]


def small_map() -> ScoreMap:
    """One bend, two lengths; win: logit 0.01 a point below 0, 0.02 above; no gammons."""
    coefficients = np.zeros((5, 2, 2, 3))
    coefficients[0, :, :, 1:] = [0.01, 0.02]
    coefficients[1:, :, :, 0] = -50.0
    return ScoreMap(np.array([[0.0, 100.0]] * 2), np.array([[0.0]] * 2), coefficients)


def test_a_logit_is_a_line_with_bends() -> None:
    scores = np.array([-100.0, 0.0, 100.0])
    found = five_of_scores(small_map(), scores, np.array([CONTACT_PHASE] * 3))
    logits = np.array([-1.0, 0.0, 2.0])
    assert found[:, 0] == pytest.approx(1 / (1 + np.exp(-logits)), abs=1e-6)


def test_between_two_lengths_the_logit_is_interpolated_and_beyond_them_it_stays() -> None:
    score_map = small_map()
    score_map.coefficients[0, 0, 1, 0] = 2.0
    lengths = [0, 25, 100, 300]
    found = five_of_scores(score_map, np.zeros(4), np.array([[0, n, 0, 0] for n in lengths]))
    assert found[:, 0] == pytest.approx(1 / (1 + np.exp(-np.array([0, 0.5, 2, 2]))), abs=1e-6)


def twin(score_map: ScoreMap, score: float, phase: list[int]) -> list[float]:
    """The map in plain numpy, one position."""
    kind, pips, mover_off, other_off = phase
    knots, lengths = score_map.knots[kind], score_map.lengths[kind]
    chances = []
    for rows in score_map.coefficients[:, kind]:
        logits = []
        for row in rows:
            ends = np.concatenate([[min(score, knots[0])], knots, [max(score, knots[-1])]])
            logit = row[0] - row[1] * (knots[0] - ends[0])
            for k in range(1, len(ends) - 1):
                covered = np.clip(score, ends[k], ends[k + 1]) - ends[k]
                logit += row[1 + k] * covered
            logits.append(logit)
        chances.append(1 / (1 + np.exp(-np.interp(pips, lengths, logits))))
    win, gammon, backgammon, lose_gammon, lose_backgammon = chances
    wg = 0.0 if other_off else win * gammon
    lg = 0.0 if mover_off else (1 - win) * lose_gammon
    return [win, wg, wg * backgammon, lg, lg * lose_backgammon]


@pytest.mark.parametrize("name", NAMES)
def test_the_kernel_equals_its_plain_twin(name: str) -> None:
    score_map, generator = shipped_map(name), np.random.default_rng(8)
    spread = score_map.knots[0, -1] * 4
    scores = generator.uniform(-spread, spread, 300)
    phase = generator.integers([0, 0, 0, 0], [2, 400, 2, 2], size=(300, 4))
    expected = [twin(score_map, s, p) for s, p in zip(scores, phase.tolist(), strict=True)]
    assert five_of_scores(score_map, scores, phase) == pytest.approx(np.array(expected), abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_maps_rise_with_the_score_in_every_phase(name: str) -> None:
    score_map = shipped_map(name)
    scores = np.linspace(3 * score_map.knots[0, 0], 3 * score_map.knots[0, -1], 400)
    for kind in (0, 1):
        for pips in (5, 40, 90, 160, 240, 330):
            phase = np.array([[kind, pips, 0, 0]] * len(scores))
            steps = np.diff(five_of_scores(score_map, scores, phase).astype(np.float64), axis=0)
            assert (steps[:, :3] >= 0).all()
            assert (steps[:, 3:] <= 0).all()
            assert steps[:, 0].sum() > 0.3


@pytest.mark.parametrize("leaf", [PSEUDOPIP_LEAF, TEN_FACTOR_LEAF], ids=NAMES)
def test_leaves_answer_with_nested_probabilities(
    leaf: Callable[[Boards], Boards], random_positions: Positions
) -> None:
    boards = random_positions(500, 21)
    win, wg, wbg, lg, lbg = leaf(boards).T
    assert leaf(boards).dtype == np.float32
    assert ((win >= wg) & (wg >= wbg) & (wbg >= 0)).all()
    assert ((1 - win >= lg - 1e-6) & (lg >= lbg) & (lbg >= 0)).all()
    off = boards.sum(axis=2) < 15
    assert (wg[off[:, 1]] == 0).all()
    assert (lg[off[:, 0]] == 0).all()
    assert (lg > 0).any()


def test_phases() -> None:
    boards = [START, parse("x 13:2 / o 13:15"), parse("x 12:2 / o 12:15"), parse("x 6:1 / o bar:1")]
    assert phase_facts(np.stack(boards)).tolist() == [
        [0, 334, 0, 0],
        [0, 221, 1, 0],
        [1, 204, 1, 0],
        [0, 31, 1, 1],
    ]
    assert past(np.stack(boards)).tolist() == [False, False, True, False]


def stored(name: str = "pseudopip") -> dict[str, object]:
    found: dict[str, object] = json.loads(MAPS_FILE.read_text("utf-8"))[name]
    return found


def test_a_map_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="'pubeval'"):
        map_from_json(MAPS_FILE.read_text("utf-8"), "pubeval")
    with pytest.raises(ValueError, match="can be read"):
        map_from_json("{", "pseudopip")


def test_a_map_that_falls_is_refused() -> None:
    entry = stored()
    entry["coefficients"] = (-np.array(entry["coefficients"])).tolist()
    with pytest.raises(ValueError, match="monotone"):
        map_from_json(json.dumps({"pseudopip": entry}), "pseudopip")


def test_a_map_of_the_wrong_shape_is_refused() -> None:
    entry = stored()
    entry["knots"] = [[0.0], [0.0]]
    with pytest.raises(ValueError, match="shape"):
        map_from_json(json.dumps({"pseudopip": entry}), "pseudopip")


def test_the_fit_finds_the_map_that_made_the_games() -> None:
    generator = np.random.default_rng(3)
    scores = generator.normal(0, 300, 20_000)
    phase = np.column_stack([generator.integers(0, 2, 20_000), generator.integers(10, 300, 20_000)])
    phase = np.column_stack([phase, np.zeros((20_000, 2), np.int64)])
    win = 1 / (1 + np.exp(-0.005 * scores))
    points = np.where(generator.random(20_000) < win, 1, -1)
    points *= 1 + (generator.random(20_000) < 0.25)
    sample = Sample(scores, phase, points, np.arange(20_000))
    found = five_of_scores(fit_map(sample), scores, phase)
    assert np.abs(found[:, 0] - win).mean() < 0.02
    assert found[:, 1].sum() / found[:, 0].sum() == pytest.approx(0.25, abs=0.02)
    # What the fit multiplies its coefficients with is what the kernel does.
    score_map = fit_map(sample)
    rows = phase[:, 0] == 1
    x = design(scores[rows], phase[rows, 1], score_map.lengths[1], score_map.knots[1])
    logits = x @ score_map.coefficients[0, 1].ravel()
    assert found[rows, 0] == pytest.approx(1 / (1 + np.exp(-logits)), abs=1e-5)


def test_slopes_have_one_sign_whatever_the_games_say() -> None:
    generator = np.random.default_rng(4)
    scores = generator.normal(0, 300, 4000)
    phase = np.tile([[0, 200, 0, 0], [1, 60, 0, 0]], (2000, 1))
    points = np.where(scores > 0, -2, 2)  # a score that tells the opposite of the truth
    sample = Sample(scores, phase, points, np.arange(4000))
    slopes = fit_map(sample).coefficients[..., 1:]
    assert (slopes * np.array(SIGNS)[:, None, None, None] >= 0).all()


def test_games_come_in_pairs_with_the_same_dice_and_repeat() -> None:
    sides = (pseudopip_one_step, pseudopip_one_step)
    record = play_duel(sides, 30, seed=5, keep=True)
    # The same player on both sides: what one game of a pair wins, the other loses.
    assert (record.points[::2] == -record.points[1::2]).all()
    assert (record.points != 0).all()
    assert np.array_equal(record.points, play_duel(sides, 30, seed=5).points)
    mine = record.boards[(record.game == 0) & (record.on_roll == 0)]
    assert np.array_equal(mine[0], START)
    assert record.points.sum() == 0


def test_points_won() -> None:
    finished = np.stack([parse(f"x {x} / o") for x in ("6:14", "6:15", "6:14 19:1", "6:14 18:1")])
    assert points_won(finished).tolist() == [1, 2, 3, 2]
