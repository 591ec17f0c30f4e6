"""Tabula's heuristic: pseudopips, blots and hits, and its three-step analysis of a roll.

A score counts what a side still has to do, so the lowest is the best. A checker counts the
pseudopips of the space it stands on: more than its pips, far more when it is far from home. A
blot counts, over and above, the pseudopips of its space as the opponent sees it, where a checker
of the opponent can still reach it. A hit counts, with a negative weight, the pseudopips of its
space as the hitter numbers it, since that number is the pips that the hit checker loses. Without
contact only pips count. ``docs/heuristics.md`` lists what tabula's document leaves open.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import MOVER, OTHER, Board, Boards
from gnubg_py.dice import ROLL_WEIGHTS, ROLLS, check_dice
from gnubg_py.evaluators.heuristics.score_map import leaf_of_scores, past
from gnubg_py.groups import lowest
from gnubg_py.kernel_cache import njit
from gnubg_py.plays import plays, plays_slice
from gnubg_py.threads import map_slices

_HOME_BASE, _OUTSIDE_BASE = 6, 42
_SPACES = np.arange(1, 26)

PSEUDOPIPS: NDArray[np.int64] = (
    np.where(_SPACES <= 6, _HOME_BASE, _OUTSIDE_BASE)
    + _SPACES
    + 2 * np.floor(np.exp(0.2 * _SPACES)).astype(np.int64)
)
"""Pseudopips of spaces 1 to 25 (25 is the bar) at indices 0 to 24.

The power is rounded down before it is doubled, as in the document's table.
"""
PSEUDOPIPS.setflags(write=False)

# Plays whose replies are made and scored at once: some 30,000 boards, which stay in the cache.
_SLICE = 64
# The plays of one roll are fewer: they are divided into this many parts, for all cores.
_PARTS = 8


@dataclass(frozen=True)
class PseudopipWeights:
    """The weights of the parts of a score. The document fixes their signs but not the numbers.

    With ``pool_replies`` (tabula's rule) the opponent's score is the mean over all plays of all
    rolls together, each play weighted by the frequency of its roll. Otherwise it is the mean over
    rolls of each roll's mean over plays. With ``own_blots`` (the document's words) a blot is
    weighted by its space as its own side sees it, otherwise (tabula's rule) as the opponent does.
    """

    pips: float = 1.0
    blot: float = 1.03
    hit: float = -0.5
    opponent: float = -3.0
    pool_replies: bool = True
    own_blots: bool = False

    def __post_init__(self) -> None:
        finite = all(map(math.isfinite, (self.pips, self.blot, self.hit, self.opponent)))
        signed = self.pips > 0 and self.blot >= 0 and self.hit <= 0 and self.opponent <= 0
        if not (finite and signed):
            raise ValueError(
                f"pseudopip weights pips {self.pips}, blot {self.blot}, hit {self.hit}, opponent "
                f"{self.opponent}: pips should be above 0, blot no less, hit and opponent no more"
            )


PSEUDOPIP_WEIGHTS = PseudopipWeights()


@njit(cache=True, nogil=True)
def _highest(row):  # type: ignore[no-untyped-def]
    for i in range(24, -1, -1):
        if row[i] > 0:
            return i
    return -1


@njit(cache=True, nogil=True)
def _pips_and_blots(own, opp, values, own_blots):  # type: ignore[no-untyped-def]
    """Pseudopips of ``own``, and of its blots that a checker of ``opp`` has not passed yet."""
    pips = 0
    blots = 0
    # An opponent's checker on its index j stands on our index 23 - j and moves up from there.
    first_exposed = 24 - _highest(opp)
    for i in range(25):
        if own[i] > 0:
            pips += own[i] * values[i]
            if own[i] == 1 and first_exposed <= i < 24:
                blots += values[i if own_blots else 23 - i]
    return pips, blots


@njit(cache=True, nogil=True)
def _score_sides(boards, side, values, own_blots, out):  # type: ignore[no-untyped-def]
    for k in range(len(boards)):
        own, opp = boards[k, side], boards[k, 1 - side]
        out[k, 0], out[k, 1] = _pips_and_blots(own, opp, values, own_blots)
        out[k, 2] = 0


@njit(cache=True, nogil=True)
def _score_plays(before, after, offsets, values, own_blots, out):  # type: ignore[no-untyped-def]
    """Write the parts of the side that has just played: row 0 of ``before``, row 1 of ``after``."""
    for i in range(len(before)):
        for k in range(offsets[i], offsets[i + 1]):
            own = after[k, 1]
            opp = after[k, 0]
            out[k, 0], out[k, 1] = _pips_and_blots(own, opp, values, own_blots)
            # A checker of the opponent changes its place in our play only if it is hit.
            hits = 0
            for j in range(24):
                if opp[j] < before[i, 1, j]:
                    hits += (before[i, 1, j] - opp[j]) * values[23 - j]
            out[k, 2] = hits


def pseudopip_parts(
    boards: Boards, side: int = MOVER, own_blots: bool = False
) -> NDArray[np.int64]:
    """Pseudopips, those of exposed blots, and 0 hits. int8[n, 2, 25] -> int64[n, 3].

    They are those of one side; without a play nothing is hit.

    >>> from gnubg_py.board import parse
    >>> pseudopip_parts(parse("x 6:2 5:1 / o bar:1")[None]).tolist()
    [[51, 170, 0]]
    """
    out = np.empty((len(boards), 3), np.int64)
    _score_sides(boards, side, PSEUDOPIPS, own_blots, out)
    return out


def play_parts(
    boards: Boards, candidates: Boards, offsets: NDArray[np.int64], own_blots: bool = False
) -> NDArray[np.int64]:
    """Pseudopips, exposed blots and hits of every candidate play, int64[m, 3].

    ``boards`` int8[n, 2, 25] before the play; ``candidates`` int8[m, 2, 25] after it, the
    opponent on roll; play of decision i are rows ``offsets[i]:offsets[i + 1]``.
    """
    out = np.empty((len(candidates), 3), np.int64)
    _score_plays(boards, candidates, offsets, PSEUDOPIPS, own_blots, out)
    return out


def _weighed(parts: NDArray[np.int64], weights: PseudopipWeights) -> NDArray[np.float64]:
    return np.asarray(parts @ np.array([weights.pips, weights.blot, weights.hit], np.float64))


def pseudopip_score(
    boards: Boards, weights: PseudopipWeights = PSEUDOPIP_WEIGHTS, side: int = MOVER
) -> NDArray[np.float64]:
    """The score of one side of each position, without hits. int8[n, 2, 25] -> float64[n].

    >>> from gnubg_py.board import START
    >>> pseudopip_score(START[None]).tolist()
    [1285.0]
    """
    return _weighed(pseudopip_parts(boards, side, weights.own_blots), weights)


def play_scores(
    boards: Boards,
    candidates: Boards,
    offsets: NDArray[np.int64],
    weights: PseudopipWeights = PSEUDOPIP_WEIGHTS,
) -> NDArray[np.float64]:
    """Step 1: the player's score of every candidate play, float64[m]; see play_parts."""
    return _weighed(play_parts(boards, candidates, offsets, weights.own_blots), weights)


def reply_scores(
    positions: Boards, weights: PseudopipWeights = PSEUDOPIP_WEIGHTS
) -> NDArray[np.float64]:
    """Step 2: the side on roll's score, averaged over all its rolls and plays. float64[n]."""
    size = max(1, min(_SLICE, len(positions) // _PARTS))
    pieces = map_slices(lambda s: _reply_slice(positions[s], weights), len(positions), size)
    return np.concatenate(pieces)


def _reply_slice(positions: Boards, weights: PseudopipWeights) -> NDArray[np.float64]:
    n = len(positions)
    if n == 0:
        return np.empty(0)
    before = np.repeat(positions, len(ROLLS), axis=0)
    after, offsets = plays_slice(before, np.tile(ROLLS, (n, 1)))
    scores = play_scores(before, after, offsets, weights)
    sums = np.add.reduceat(scores, offsets[:-1]).reshape(n, -1)
    counts = np.diff(offsets).reshape(n, -1)
    if weights.pool_replies:
        return np.asarray((sums @ ROLL_WEIGHTS) / (counts @ ROLL_WEIGHTS))
    return np.asarray((sums / counts) @ ROLL_WEIGHTS / ROLL_WEIGHTS.sum())


def three_step_scores(
    boards: Boards,
    candidates: Boards,
    offsets: NDArray[np.int64],
    weights: PseudopipWeights = PSEUDOPIP_WEIGHTS,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Step 3: overall score and the opponent's of every candidate, float64[m] each.

    If the position before the play has no contact, the overall score is the player's, and the
    opponent's is nan. A play that bears off the last checker is the best, with the score -inf.
    """
    overall = play_scores(boards, candidates, offsets, weights)
    replies = np.full(len(candidates), np.nan)
    ended = ~candidates[:, OTHER].any(axis=1)
    searched = np.repeat(~past(boards), np.diff(offsets)) & ~ended
    replies[searched] = reply_scores(candidates[searched], weights)
    overall[searched] += weights.opponent * replies[searched]
    overall[ended] = -np.inf
    return overall, replies


@dataclass(frozen=True)
class PseudopipRanking:
    """The plays of one roll, best (lowest score) first; every array has one row per play."""

    boards: Boards  # int8[k, 2, 25], the opponent on roll
    scores: NDArray[np.float64]  # overall
    player_scores: NDArray[np.float64]
    opponent_scores: NDArray[np.float64]  # nan where they were not computed
    parts: NDArray[np.int64]  # int64[k, 3]: pseudopips, exposed blots, hits


def pseudopip_analysis(
    board: Board, dice: tuple[int, int], weights: PseudopipWeights = PSEUDOPIP_WEIGHTS
) -> PseudopipRanking:
    """Tabula's three-step analysis of one roll: its legal plays, ranked.

    >>> from gnubg_py.board import START, describe
    >>> describe(pseudopip_analysis(START, (6, 5)).boards[0]).split(" / ")[1]
    'o 24:1 13:6 8:3 6:5'
    """
    candidates = plays(board, check_dice(dice))
    before, offsets = board[None], np.array([0, len(candidates)], np.int64)
    scores, replies = three_step_scores(before, candidates, offsets, weights)
    parts = play_parts(before, candidates, offsets, weights.own_blots)
    order = np.argsort(scores, kind="stable")
    return PseudopipRanking(
        candidates[order],
        scores[order],
        _weighed(parts, weights)[order],
        replies[order],
        parts[order],
    )


def pseudopip_one_step(
    boards: Boards, dice: NDArray[np.int8], candidates: Boards, offsets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Chooser: the play with the lowest player's score, whatever the opponent's score is."""
    return lowest(play_scores(boards, candidates, offsets), offsets)


def pseudopip_three_steps(
    boards: Boards, dice: NDArray[np.int8], candidates: Boards, offsets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Chooser: the play that tabula's three-step analysis ranks first."""
    return lowest(three_step_scores(boards, candidates, offsets)[0], offsets)


def pseudopip_lead(
    boards: Boards, weights: PseudopipWeights = PSEUDOPIP_WEIGHTS
) -> NDArray[np.float64]:
    """The lead that the leaf maps: the other side's score less that of the side on roll.

    ``int8[n, 2, 25] -> float64[n]``.
    """
    return pseudopip_score(boards, weights, OTHER) - pseudopip_score(boards, weights, MOVER)


PSEUDOPIP_LEAF = leaf_of_scores("pseudopip", pseudopip_lead)
