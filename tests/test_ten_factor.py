"""The ten factors, one by one, and the document's examples that agree with its rules."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gnubg_py.board import START, Board, Boards, describe, parse
from gnubg_py.dice import roll_dice
from gnubg_py.evaluators.heuristics import ten_factor as tf
from gnubg_py.evaluators.heuristics.blot_risk import IMPACTS, blot_risk, hitting_rolls
from gnubg_py.evaluators.heuristics.ten_factor import (
    FACTORS,
    TEN_FACTOR_LEAF,
    TEN_FACTOR_WEIGHTS,
    TenFactorWeights,
    breakdown,
    position_factors,
    ten_factor_lead,
    ten_factor_play,
    ten_factor_ranking,
    ten_factor_scores,
    ten_factors,
)
from gnubg_py.plays import plays_batch

Positions = Callable[[int, int], Boards]
BEHIND = " / o 6:5 5:5 4:5"  # an opponent that has gone home


def factors(before: str, played: str) -> dict[str, float]:
    """The ten factors of a play; both positions written from the mover's side first."""
    candidates = np.ascontiguousarray(parse(played)[::-1])[None]
    row = ten_factors(parse(before)[None], candidates, np.array([0, 1], np.int64))[0]
    return dict(zip(FACTORS, row.tolist(), strict=True))


def score(before: str, played: str, name: str) -> float:
    weight = TEN_FACTOR_WEIGHTS.array()[FACTORS.index(name)]
    return float(factors(before, played)[name] * weight)


def risk(text: str) -> float:
    board = parse(text)
    return float(blot_risk(board[0], board[1]))


def test_the_weights_are_the_documents_and_their_sizes_sum_to_1_87() -> None:
    expected = [-0.25, 0.3, 0.3, 0.2, 0.1, 0.15, 0.35, -0.08, 0.08, 0.06]
    assert TEN_FACTOR_WEIGHTS.array().tolist() == expected
    assert np.abs(TEN_FACTOR_WEIGHTS.array()).sum() == pytest.approx(1.87)


def test_weights_must_be_numbers() -> None:
    with pytest.raises(ValueError, match="home_board"):
        TenFactorWeights(home_board=float("nan"))


# What a shot counts, of 36 rolls: the numbers every player knows.
SHOTS = dict(
    zip(range(1, 25), [11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3, 0, 0, 1, 1] + [0] * 8, strict=True)
) | {18: 1, 20: 1, 24: 1}


@pytest.mark.parametrize(("distance", "rolls"), SHOTS.items())
def test_shots_with_nothing_in_the_way(distance: int, rolls: int) -> None:
    assert hitting_rolls(np.zeros(25, np.int8), -1, distance - 1) == rolls


def test_a_combined_shot_needs_one_open_landing_point() -> None:
    own = np.zeros(25, np.int8)
    own[[5, 0]] = 2  # 6 and 1 away from the bar
    # 7 away: 6-1 is stopped at both; 5-2 and 4-3 hit.
    assert hitting_rolls(own, -1, 6) == 4
    own[0] = 0
    assert hitting_rolls(own, -1, 6) == 6


def test_a_double_is_stopped_by_any_step() -> None:
    own = np.zeros(25, np.int8)
    assert hitting_rolls(own, -1, 11) == 3  # 12 away: 6-6, 4-4, 3-3
    own[7] = 2  # the second step of 4-4
    assert hitting_rolls(own, -1, 11) == 2
    own[5] = 2  # the first of 6-6, and the second of 3-3
    assert hitting_rolls(own, -1, 11) == 0


def test_impact_by_zone_from_the_blots_own_side() -> None:
    expected = {1: 1.0, 6: 0.85, 7: 0.8, 12: 0.55, 13: 0.5, 18: 0.25, 19: 0.2, 24: 0.1}
    assert {p: round(float(IMPACTS[p - 1]), 9) for p in expected} == expected


def test_a_blots_risk_is_its_shots_times_its_impact() -> None:
    # o on its 24-point is 6 away from the blot on 7: 17 shots, impact 0.8.
    assert risk("x 7:1 / o 24:1") == pytest.approx(17 / 36 * 0.8)


def test_shots_of_several_attackers_add_up_to_36_at_most() -> None:
    # On 5, 4 and 3, o is 5, 4 and 3 away from the blot on 8: 15 + 15 + 14 rolls, counted as 36.
    assert risk("x 8:1 / o 22:1 21:1 20:1") == pytest.approx(0.75)


def test_several_blots_combine() -> None:
    alone, other = 17 / 36 * 0.8, 6 / 36 * 0.75
    assert risk("x 7:1 8:3 / o 24:1") == pytest.approx(alone)
    together = risk("x 7:1 8:1 / o 24:1")
    assert together == pytest.approx(1 - (1 - alone) * (1 - other))


def test_a_blot_behind_every_attacker_is_safe() -> None:
    assert risk("x 5:1 / o 10:2 6:5") == 0.0


def test_hits_count_the_checkers_sent_to_the_bar() -> None:
    assert score("x 13:1 / o 20:1", "x 5:1 / o bar:1", "hits") == pytest.approx(0.3)
    before, played = "x 6:2 / o 23:1 22:1", "x 3:1 2:1 / o bar:2"
    assert score(before, played, "hits") == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("point", "expected"), [(5, 0.6), (4, 0.6), (7, 0.375), (3, 0.375), (12, 0.33), (20, 0.33)]
)
def test_points_made(point: int, expected: float) -> None:
    before, played = f"x 24:2 {point}:1" + BEHIND, f"x 24:1 {point}:2" + BEHIND
    assert score(before, played, "points made") == pytest.approx(expected)


def test_a_point_held_before_is_not_made_again() -> None:
    before, played = "x 13:1 5:2" + BEHIND, "x 5:3" + BEHIND
    assert factors(before, played)["points made"] == 0.0


def test_pip_gain_of_7_scores_1_4() -> None:
    assert score("x 13:2" + BEHIND, "x 13:1 6:1" + BEHIND, "pip gain") == pytest.approx(1.4)


def test_pip_gain_counts_entering_and_bearing_off() -> None:
    assert factors("x bar:1 2:1" + BEHIND, "x 20:1 2:1" + BEHIND)["pip gain"] == 5
    assert factors("x 6:1 2:1" + BEHIND, "x 6:1" + BEHIND)["pip gain"] == 2


def test_six_checkers_at_home_score_0_6() -> None:
    text = "x 13:1 7:1 6:3 1:3" + BEHIND
    assert score(text, text, "home board") == pytest.approx(0.6)


def test_a_prime_of_two_points_scores_0_3() -> None:
    text = "x 13:2 8:2 7:2 6:1 5:3" + BEHIND
    assert score(text, text, "prime length") == pytest.approx(0.3)


def test_builders_on_8_to_11_score_1_225() -> None:
    text = "x 11:1 10:1 9:1 8:1" + BEHIND
    assert score(text, text, "builder coverage") == pytest.approx(1.225)
    text = "x 11:2 10:3 9:2 8:2" + BEHIND
    assert factors(text, text)["builder coverage"] == 1.5


def test_a_stack_lowers_the_score() -> None:
    for height, expected in ((3, 0.0), (4, -0.0032), (5, -0.0064), (8, -0.016)):
        text = f"x 6:{height}" + BEHIND
        assert score(text, text, "stack penalty") == pytest.approx(expected)


def test_three_opponent_blots_score_0_24() -> None:
    text = "x 6:3 / o 24:1 20:1 13:1 6:3 bar:1"
    assert score(text, text, "opponent blots") == pytest.approx(0.24)


@pytest.mark.parametrize(
    ("before", "played", "expected"),
    [
        ("x 13:1", "x 8:1", 0.0),  # 5 pips
        ("x 13:1", "x 7:1", 0.0012),  # 6
        ("x 13:1", "x 5:1", 0.0036),  # 8
        ("x 24:1", "x 16:1", 0.0054),  # 8, from 24 to beyond 18
        ("x 24:2", "x 18:2", 0.0102),  # 12, two of them
        ("x 24:1 13:1", "x 20:1 9:1", 0.0036),  # 8, but no further than 20
        ("x 24:1 20:1", "x 23:1 10:1", 0.0072),  # 11, the runner is that from 20
        ("x bar:1 24:1", "x 21:1 19:1", 0.0048),  # 9, none past 18
        ("x bar:1 24:1", "x 21:1 18:1", 0.0078),  # 10, bar/21, 24/18
    ],
)
def test_high_roll_bonus(before: str, played: str, expected: float) -> None:
    assert score(before + BEHIND, played + BEHIND, "high roll bonus") == pytest.approx(expected)


def test_the_opening_4_3_down_scores_what_the_rules_say() -> None:
    found = factors(
        "x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5",
        "x 24:2 13:3 10:1 9:1 8:3 6:5 / o 24:2 13:5 8:3 6:5",
    )
    # From o's 24-point, our ace: 9 is hit by 6-2, 5-3, 4-4 and 2-2; 10 by 6-3, 5-4 and 3-3.
    # Our 6-point stops a 5, but 5-3 and 5-4 may begin with the other die.
    shots = {9: 6, 10: 5}
    safe = np.prod([1 - n / 36 * IMPACTS[p - 1] for p, n in shots.items()])
    assert found["blot risk"] == pytest.approx(1 - safe)
    del found["blot risk"]
    assert found == pytest.approx(
        {
            "hits": 0,
            "points made": 0,
            "pip gain": 7,
            "home board": 5,
            "prime length": 1,
            "builder coverage": 2.0,
            "stack penalty": 0.08,
            "opponent blots": 0,
            "high roll bonus": 0.04,
        }
    )


def twin(before: Board, played: Board) -> list[float]:
    """The ten factors in plain Python, by points 1 to 25 and without kernels."""
    own, mine = ({i + 1: int(c) for i, c in enumerate(r) if c} for r in (played[1], before[0]))
    theirs = {24 - i: int(c) for i, c in enumerate(played[0]) if c}
    safe = 1.0
    for blot in (p for p, c in own.items() if c == 1 and p < 25):
        hits = 0
        for start in (p for p in theirs if p < blot):
            for a in range(1, 7):
                for b in range(1, 7):
                    ways = [[a], [b], [a, b], [b, a]] if a != b else [[a] * n for n in (1, 2, 3, 4)]
                    stops = [np.cumsum(way) + start for way in ways]
                    hits += any(
                        s[-1] == blot and all(own.get(int(p), 0) < 2 for p in s[:-1]) for s in stops
                    )
        zone = [(1.0, 0.03), (0.8, 0.05), (0.5, 0.05), (0.2, 0.02)][(blot - 1) // 6]
        impact = min(1.0, max(0.1, zone[0] - zone[1] * ((blot - 1) % 6)))
        safe *= 1 - min(1.0, hits / 36) * impact
    made = [p for p, c in own.items() if c >= 2 and p < 25]
    bonus = {4: 1.0, 5: 1.0, 3: 0.25, 7: 0.25}
    gain = sum(p * c for p, c in mine.items()) - sum(p * c for p, c in own.items())
    left = mine.get(24, 0) - own.get(24, 0)
    stopped = sum(max(0, own.get(p, 0) - mine.get(p, 0)) for p in range(19, 24))
    run = gain >= 8 and left > 0 and left + mine.get(25, 0) - own.get(25, 0) > stopped
    primes = [n for p in made for n in range(1, 16) if all(p + k in made for k in range(n))]
    return [
        1 - safe,
        float(played[0, 24] - before[1, 24]),
        sum(1 + bonus.get(p, 0.1) for p in made if mine.get(p, 0) < 2),
        gain,
        sum(c for p, c in own.items() if p <= 6),
        max(primes, default=0),
        sum((1.0 if own[p] == 1 else 0.5) for p in (9, 10, 11) if p in own)
        + 0.5 * (own.get(8) == 1),
        0.04 * max(0, max((c for p, c in own.items() if p < 25), default=0) - 3),
        sum(c == 1 and p > 0 for p, c in theirs.items()),
        (0.02 * (gain - 5) if gain >= 6 else 0) + (0.03 if run else 0),
    ]


def test_the_kernel_equals_its_plain_twin(random_positions: Positions) -> None:
    boards = random_positions(60, 11)
    candidates, offsets = plays_batch(boards, roll_dice(np.random.default_rng(11), len(boards)))
    of = np.repeat(np.arange(len(boards)), np.diff(offsets))
    some = np.random.default_rng(1).choice(len(candidates), 250, replace=False)
    found = ten_factors(boards, candidates, offsets)
    for k in some:
        assert found[k].tolist() == pytest.approx(twin(boards[of[k]], candidates[k]))


def test_slices_of_a_batch_join_seamlessly(
    random_positions: Positions, monkeypatch: pytest.MonkeyPatch
) -> None:
    boards = random_positions(50, 3)
    candidates, offsets = plays_batch(boards, roll_dice(np.random.default_rng(3), len(boards)))
    whole = ten_factors(boards, candidates, offsets)
    monkeypatch.setattr(tf, "_SLICE", 7)
    assert (ten_factors(boards, candidates, offsets) == whole).all()


def test_rank_plays_makes_the_five_point_with_3_1() -> None:
    ranking = ten_factor_ranking(START, (3, 1))
    assert describe(ranking.boards[0]).split(" / ")[1] == "o 24:2 13:5 8:2 6:4 5:2"
    assert (np.diff(ranking.totals) <= 0).all()
    assert ranking.scores.sum(axis=1) == pytest.approx(ranking.totals)


def test_the_chooser_takes_the_highest(random_positions: Positions) -> None:
    boards = random_positions(50, 4)
    dice = roll_dice(np.random.default_rng(4), len(boards))
    candidates, offsets = plays_batch(boards, dice)
    scores = ten_factor_scores(boards, candidates, offsets)
    for i, row in enumerate(ten_factor_play(boards, dice, candidates, offsets)):
        assert scores[row] == scores[offsets[i] : offsets[i + 1]].max()


def test_the_breakdown_names_every_factor_and_the_total() -> None:
    ranking = ten_factor_ranking(START, (6, 5))
    lines = breakdown(ranking.factors[0]).splitlines()
    assert [line[:17].strip() for line in lines] == ["factor", *FACTORS, "total"]
    assert float(lines[-1].split()[-1]) == pytest.approx(ranking.totals[0], abs=5e-5)


def test_what_a_play_gains_the_position_keeps() -> None:
    # Points made and pip gain, summed over a play that breaks no point, are the position's.
    before, played = (
        parse("x 13:5 8:3 6:5 24:2" + BEHIND),
        parse("x 13:5 8:2 6:4 5:2 24:2" + BEHIND),
    )
    change = position_factors(played[None])[0] - position_factors(before[None])[0]
    assert change[FACTORS.index("points made")] == 2.0
    assert change[FACTORS.index("pip gain")] == 4


def test_the_lead_changes_sign_with_the_side(random_positions: Positions) -> None:
    boards = random_positions(100, 6)
    swapped = np.ascontiguousarray(boards[:, ::-1])
    assert ten_factor_lead(boards) == pytest.approx(-ten_factor_lead(swapped))


def test_the_leaf_sees_who_is_ahead() -> None:
    ahead, behind = "6:5 5:5 4:5", "24:2 13:5 8:3 6:5"
    boards = [parse(f"x {ahead} / o {behind}"), parse(f"x {behind} / o {ahead}"), START]
    wins = TEN_FACTOR_LEAF(np.stack(boards))[:, 0]
    assert wins[0] > 0.8
    assert wins[1] < 0.2
    assert 0.4 < wins[2] < 0.6
