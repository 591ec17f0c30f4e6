"""Tabula's pseudopips, their score, and the three-step analysis."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from gnubg_py.board import START, Board, Boards, describe, parse
from gnubg_py.dice import ROLL_WEIGHTS, ROLLS, roll_dice
from gnubg_py.evaluators.heuristics.pseudopip import (
    PSEUDOPIP_LEAF,
    PSEUDOPIPS,
    PseudopipWeights,
    play_parts,
    play_scores,
    pseudopip_analysis,
    pseudopip_lead,
    pseudopip_one_step,
    pseudopip_parts,
    pseudopip_score,
    pseudopip_three_steps,
    reply_scores,
    three_step_scores,
)
from gnubg_py.notation import play_text
from gnubg_py.plays import plays, plays_batch
from gnubg_py.threads import set_thread_count, thread_count

Positions = Callable[[int, int], Boards]

# The table of the document, spaces 1 to 25.
DOCUMENT = [
    9, 10, 11, 14, 15, 18, 57, 58, 63, 66, 71, 76, 81,
    88, 97, 106, 117, 132, 149, 170, 195, 226, 263, 308, 363,
]  # fmt: skip


def after(text: str) -> Board:
    """The position after x has played, o on roll, written from x's side first."""
    return np.ascontiguousarray(parse(text)[::-1])


def of_play(before: str, played: str) -> list[int]:
    """Pips, blots and hits of one play."""
    candidates, offsets = after(played)[None], np.array([0, 1], np.int64)
    return [int(v) for v in play_parts(parse(before)[None], candidates, offsets)[0]]


def twin_parts(before: Board, played: Board) -> list[int]:
    """The three parts of a play in plain Python, in spaces 1 to 25 and without kernels."""
    own = {i + 1: int(c) for i, c in enumerate(played[1]) if c}
    # The opponent's checkers by our numbering; its bar, behind our space 1, is 0.
    theirs = {24 - i: int(c) for i, c in enumerate(played[0]) if c}
    theirs_before = {24 - i: int(c) for i, c in enumerate(before[1]) if c}
    pips = sum(count * DOCUMENT[space - 1] for space, count in own.items())
    blots = sum(
        DOCUMENT[25 - space - 1]
        for space, count in own.items()
        if count == 1 and space < 25 and any(t < space for t in theirs)
    )
    hits = sum(
        DOCUMENT[space - 1]
        for space, count in theirs_before.items()
        if space > 0
        for _ in range(count - theirs.get(space, 0))
    )
    return [pips, blots, hits]


def test_all_25_pseudopips_are_the_documents() -> None:
    assert PSEUDOPIPS.tolist() == DOCUMENT


def test_pseudopips_follow_the_formula_with_the_power_cut_to_a_whole_number() -> None:
    for space in range(1, 26):
        base = 6 if space <= 6 else 42
        assert PSEUDOPIPS[space - 1] == base + space + 2 * int(math.exp(0.2 * space))


def test_the_start_position_has_no_blots_and_1285_pseudopips() -> None:
    assert pseudopip_parts(START[None]).tolist() == [[5 * 18 + 3 * 58 + 5 * 81 + 2 * 308, 0, 0]]


def test_a_blot_counts_its_space_as_the_opponent_sees_it() -> None:
    # Blots on 9 and 10; o's checkers on its 24-point, our ace point, are yet to pass both.
    pips, blots, hits = of_play(
        "x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5",
        "x 24:2 13:3 10:1 9:1 8:3 6:5 / o 24:2 13:5 8:3 6:5",
    )
    assert (blots, hits) == (DOCUMENT[25 - 10 - 1] + DOCUMENT[25 - 9 - 1], 0)
    assert pips == 2 * 308 + 3 * 81 + 66 + 63 + 3 * 58 + 5 * 18


def test_a_blot_that_every_opponent_has_passed_counts_nothing() -> None:
    # o's last checker is on its 18-point, our 7: the blot on 5 is out of reach, that on 9 is not.
    board = parse("x 13:2 9:1 5:1 / o 18:1 6:4")
    assert pseudopip_parts(board[None])[0, 1] == DOCUMENT[25 - 9 - 1]


def test_every_blot_can_be_hit_from_the_bar() -> None:
    board = parse("x 13:2 2:1 / o bar:1 6:4")
    assert pseudopip_parts(board[None])[0, 1] == DOCUMENT[25 - 2 - 1]


def test_a_hit_counts_its_space_as_the_hitter_sees_it() -> None:
    # 13/5* hits o's blot on its 20-point, our 5: it loses 5 pips, worth 15 pseudopips.
    parts = of_play("x 13:1 6:2 / o 20:1 6:2", "x 6:2 5:1 / o bar:1 6:2")
    assert parts == [2 * 18 + 15, DOCUMENT[20 - 1], 15]


def test_two_hits_count_both() -> None:
    parts = of_play("x 6:2 5:2 / o 22:1 23:1 6:2", "x 6:1 5:1 3:1 2:1 / o bar:2 6:2")
    assert parts[2] == DOCUMENT[3 - 1] + DOCUMENT[2 - 1]


def test_past_the_opponent_only_pips_count() -> None:
    board = parse("x 6:2 5:1 / o 6:5 1:1")
    assert pseudopip_score(board[None])[0] == 2 * 18 + 15
    assert pseudopip_score(board[None], side=1)[0] == 5 * 18 + 9


def test_score_weighs_the_parts() -> None:
    before, played = parse("x 13:1 6:2 / o 20:1 6:2"), after("x 6:2 5:1 / o bar:1 6:2")
    scores = play_scores(before[None], played[None], np.array([0, 1], np.int64))
    assert scores[0] == pytest.approx(51 + 1.03 * 170 - 0.5 * 15)
    weights = PseudopipWeights(pips=2.0, blot=0.5, hit=-3.0)
    scores = play_scores(before[None], played[None], np.array([0, 1], np.int64), weights)
    assert scores[0] == pytest.approx(2 * 51 + 0.5 * 170 - 3 * 15)


def test_a_blot_may_be_weighed_as_its_own_side_sees_it() -> None:
    before, played = parse("x 13:1 6:2 / o 20:1 6:2"), after("x 6:2 5:1 / o bar:1 6:2")
    own = PseudopipWeights(own_blots=True)
    scores = play_scores(before[None], played[None], np.array([0, 1], np.int64), own)
    assert scores[0] == pytest.approx(51 + 1.03 * 15 - 0.5 * 15)
    # As the document's words have it, 3-1 makes the 5 point.
    assert play_text(START, (3, 1), pseudopip_analysis(START, (3, 1), own).boards[0]) == "8/5 6/5"
    assert play_text(START, (3, 1), pseudopip_analysis(START, (3, 1)).boards[0]) == "24/20"


def test_whole_numbers_may_be_weights() -> None:
    whole = PseudopipWeights(pips=1, blot=1, hit=0, opponent=-3)
    decimal = PseudopipWeights(pips=1.0, blot=1.0, hit=0.0, opponent=-3.0)
    for position in ("x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5", "x 3:1 / o 2:1"):
        found = pseudopip_analysis(parse(position), (6, 5), whole)
        assert (
            found.scores.tolist()
            == pseudopip_analysis(parse(position), (6, 5), decimal).scores.tolist()
        )


def test_weights_of_the_wrong_sign_are_refused() -> None:
    with pytest.raises(ValueError, match="hit 1"):
        PseudopipWeights(hit=1.0)


def test_the_kernel_equals_its_plain_twin(random_positions: Positions) -> None:
    boards = random_positions(300, 5)
    candidates, offsets = plays_batch(boards, roll_dice(np.random.default_rng(5), len(boards)))
    of = np.repeat(np.arange(len(boards)), np.diff(offsets))
    twin = [twin_parts(boards[i], c) for i, c in zip(of, candidates, strict=True)]
    assert play_parts(boards, candidates, offsets).tolist() == twin


def plain_analysis(board: Board, dice: tuple[int, int], weights: PseudopipWeights) -> list[float]:
    """Overall scores of every play as the document tells it, one position at a time."""

    def weighed(before: Board, played: Board) -> float:
        pips, blots, hits = twin_parts(before, played)
        return pips * weights.pips + blots * weights.blot + hits * weights.hit

    overall = []
    for mine in plays(board, dice):
        score = weighed(board, mine)
        total = count = by_roll = 0.0
        for roll, chance in zip(ROLLS.tolist(), ROLL_WEIGHTS.tolist(), strict=True):
            scores = [weighed(mine, theirs) for theirs in plays(mine, tuple(roll))]
            total, count = total + chance * sum(scores), count + chance * len(scores)
            by_roll += chance / 36 * sum(scores) / len(scores)
        replies = total / count if weights.pool_replies else by_roll
        overall.append(score + weights.opponent * replies)
    return overall


@pytest.mark.parametrize(
    ("text", "dice"),
    [
        ("x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5", (4, 3)),
        ("x bar:1 13:4 8:4 6:4 5:2 / o 24:2 20:1 13:4 8:2 6:4 4:2", (6, 5)),
        ("x bar:2 6:5 4:8 / o 6:2 5:2 4:2 3:2 2:2 1:2 20:3", (6, 3)),  # dancing
    ],
)
@pytest.mark.parametrize("pool_replies", [True, False])
def test_three_steps_equal_the_document_step_by_step(
    text: str, dice: tuple[int, int], pool_replies: bool
) -> None:
    board, weights = parse(text), PseudopipWeights(pool_replies=pool_replies)
    ranking = pseudopip_analysis(board, dice, weights)
    assert ranking.scores.tolist() == pytest.approx(sorted(plain_analysis(board, dice, weights)))


def test_past_the_opponent_the_replies_are_left_out() -> None:
    ranking = pseudopip_analysis(parse("x 9:1 6:5 / o 9:1 6:5"), (6, 3))
    assert np.isnan(ranking.opponent_scores).all()
    assert (ranking.scores == ranking.player_scores).all()
    # 9/off leaves five checkers on the 6-point, 9/3 6/3 none off: bearing off is the lowest.
    assert describe(ranking.boards[0]).split(" / ")[1] == "o 6:5"


def test_a_play_that_breaks_contact_is_scored_like_the_others() -> None:
    # 13/2 leaves o behind: its score still has the opponent's in it, or it would rank last.
    ranking = pseudopip_analysis(parse("x 13:1 6:3 / o 18:1 6:5"), (6, 5))
    assert not np.isnan(ranking.opponent_scores).any()


def test_the_winning_play_is_first() -> None:
    # Bearing both off wins; the other play keeps a checker back while o is on the bar.
    ranking = pseudopip_analysis(parse("x 3:1 2:1 / o bar:1 6:5"), (3, 2))
    assert ranking.scores[0] == -np.inf
    assert not ranking.boards[0, 1].any()


def test_one_step_hits_rather_than_runs() -> None:
    # 13/5* leaves a blot that only the bar can hit, and sends o's last checker back.
    board = parse("x 13:1 6:2 / o 20:1 6:2")
    candidates = plays(board, (6, 2))
    dice, offsets = np.array([[6, 2]], np.int8), np.array([0, len(candidates)], np.int64)
    best = candidates[pseudopip_one_step(board[None], dice, candidates, offsets)[0]]
    assert describe(best) == "x bar:1 6:2 / o 6:2 5:1"


def test_choosers_take_the_lowest_of_every_decision(random_positions: Positions) -> None:
    boards = random_positions(40, 9)
    dice = roll_dice(np.random.default_rng(9), len(boards))
    candidates, offsets = plays_batch(boards, dice)
    for chooser, scores in (
        (pseudopip_one_step, play_scores(boards, candidates, offsets)),
        (pseudopip_three_steps, three_step_scores(boards, candidates, offsets)[0]),
    ):
        chosen = chooser(boards, dice, candidates, offsets)
        for i, row in enumerate(chosen):
            assert scores[row] == scores[offsets[i] : offsets[i + 1]].min()
            assert offsets[i] <= row < offsets[i + 1]


def test_answers_do_not_depend_on_the_number_of_threads(random_positions: Positions) -> None:
    boards, threads = random_positions(300, 2), thread_count()
    try:
        set_thread_count(1)
        alone = reply_scores(boards)
        set_thread_count(3)
        assert (reply_scores(boards) == alone).all()
    finally:
        set_thread_count(threads)


def test_no_positions_give_no_answers() -> None:
    none = np.zeros((0, 2, 25), np.int8)
    assert reply_scores(none).shape == (0,)
    assert PSEUDOPIP_LEAF(none).shape == (0, 5)


def test_the_leaf_sees_who_is_ahead() -> None:
    boards = np.stack(
        [
            parse("x 6:5 5:5 4:5 / o 24:2 13:5 8:3 6:5"),
            parse("x 24:2 13:5 8:3 6:5 / o 6:5 5:5 4:5"),
            START,
        ]
    )
    wins = PSEUDOPIP_LEAF(boards)[:, 0]
    assert wins[0] > 0.8
    assert wins[1] < 0.2
    assert 0.4 < wins[2] < 0.6
    assert pseudopip_lead(START[None])[0] == 0.0
