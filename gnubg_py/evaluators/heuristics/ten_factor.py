"""The ten-factor heuristic: the weighted sum of ten factors scores a play; the highest is the best.

Each player counts points from its own side. ``docs/heuristics.md`` lists where the document
contradicts itself and what was chosen. The leaf uses the factors that a position has without a
play; see ``position_factors``.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import MOVER, OTHER, Board, Boards
from gnubg_py.dice import check_dice
from gnubg_py.evaluators.heuristics.blot_risk import blot_risk
from gnubg_py.evaluators.heuristics.score_map import leaf_of_scores
from gnubg_py.groups import highest
from gnubg_py.kernel_cache import njit
from gnubg_py.plays import plays
from gnubg_py.threads import map_slices

(RISK, HITS, POINTS, PIPS, HOME, PRIME, BUILDERS, STACK, OPPONENT_BLOTS, HIGH_ROLL) = range(10)
FACTORS = (
    "blot risk",
    "hits",
    "points made",
    "pip gain",
    "home board",
    "prime length",
    "builder coverage",
    "stack penalty",
    "opponent blots",
    "high roll bonus",
)
"""The factors' names in the document's order, which is the order of columns everywhere."""

_SLICE = 4096


@dataclass(frozen=True)
class TenFactorWeights:
    """The weight of each factor, in the order of ``FACTORS``; the defaults are the document's."""

    blot_risk: float = -0.25
    hits: float = 0.3
    points_made: float = 0.3
    pip_gain: float = 0.2
    home_board: float = 0.1
    prime_length: float = 0.15
    builder_coverage: float = 0.35
    stack_penalty: float = -0.08
    opponent_blots: float = 0.08
    high_roll_bonus: float = 0.06

    def __post_init__(self) -> None:
        for field in fields(self):
            if not np.isfinite(getattr(self, field.name)):
                raise ValueError(f"ten-factor weight {field.name}: should be a finite number")

    def array(self) -> NDArray[np.float64]:
        """The weights as float64[10]."""
        return np.array(astuple(self), np.float64)


TEN_FACTOR_WEIGHTS = TenFactorWeights()


def _point_values() -> NDArray[np.float64]:
    """The value of making each point: 1, and a bonus that depends on the point."""
    values = np.full(24, 1.1)
    values[[3, 4]] = 2.0
    values[[2, 6]] = 1.25
    return values


POINT_VALUES = _point_values()
POINT_VALUES.setflags(write=False)
_STACK_STEP = 0.04
_PIP_BONUS, _RUN_BONUS = 0.02, 0.03


@njit(cache=True, nogil=True)
def _fill_shape(own, opp, out):  # type: ignore[no-untyped-def]
    """Write the factors that depend only on the position after the play."""
    out[RISK] = blot_risk(own, opp)
    home = 0
    for i in range(6):
        home += own[i]
    out[HOME] = home
    longest = run = tallest = 0
    for i in range(24):
        run = run + 1 if own[i] >= 2 else 0
        longest = max(longest, run)
        tallest = max(tallest, own[i])
    out[PRIME] = longest
    builders = 0.5 if own[7] == 1 else 0.0
    for i in range(8, 11):
        if own[i] > 0:
            builders += 1.0 if own[i] == 1 else 0.5
    out[BUILDERS] = builders
    out[STACK] = _STACK_STEP * max(0, tallest - 3)
    blots = 0
    for i in range(24):
        blots += opp[i] == 1
    out[OPPONENT_BLOTS] = blots


@njit(cache=True, nogil=True)
def _high_roll(before, after, gain):  # type: ignore[no-untyped-def]
    if gain < 6:
        return 0.0
    bonus = _PIP_BONUS * (gain - 5)
    # A deep run: of the checkers that left the 24-point (or came in from the bar) one did not
    # stop on the points 19 to 23.
    left = before[23] - after[23]
    arrived = 0
    for i in range(18, 23):
        arrived += max(0, after[i] - before[i])
    if gain >= 8 and left > 0 and left + before[24] - after[24] > arrived:
        bonus += _RUN_BONUS
    return bonus


@njit(cache=True, nogil=True)
def _fill_plays(boards, candidates, offsets, point_values, out):  # type: ignore[no-untyped-def]
    first = offsets[0]
    for n in range(len(boards)):
        before = boards[n, 0]
        for k in range(offsets[n], offsets[n + 1]):
            own = candidates[k, 1]
            opp = candidates[k, 0]
            row = out[k - first]
            _fill_shape(own, opp, row)
            row[HITS] = opp[24] - boards[n, 1, 24]
            points = 0.0
            gain = 0
            for i in range(24):
                gain += (i + 1) * (before[i] - own[i])
                if own[i] >= 2 and before[i] < 2:
                    points += point_values[i]
            gain += 25 * (before[24] - own[24])
            row[POINTS] = points
            row[PIPS] = gain
            row[HIGH_ROLL] = _high_roll(before, own, gain)


@njit(cache=True, nogil=True)
def _fill_positions(boards, side, point_values, out):  # type: ignore[no-untyped-def]
    for k in range(len(boards)):
        own = boards[k, side]
        _fill_shape(own, boards[k, 1 - side], out[k])
        points = 0.0
        pips = 25 * own[24]
        for i in range(24):
            pips += (i + 1) * own[i]
            if own[i] >= 2:
                points += point_values[i]
        out[k, HITS] = 0.0
        out[k, POINTS] = points
        out[k, PIPS] = -pips
        out[k, HIGH_ROLL] = 0.0


def ten_factors(
    boards: Boards, candidates: Boards, offsets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The ten factors of every candidate play before weighting, float64[m, 10].

    ``boards`` int8[n, 2, 25] before the play; ``candidates`` int8[m, 2, 25] after it, the
    opponent on roll; decision i has rows ``offsets[i]:offsets[i + 1]``.
    """

    def part(rows: slice) -> NDArray[np.float64]:
        ends = offsets[rows.start : rows.stop + 1]
        out = np.empty((ends[-1] - ends[0], len(FACTORS)))
        _fill_plays(boards[rows], candidates, ends, POINT_VALUES, out)
        return out

    return np.concatenate(map_slices(part, len(boards), _SLICE))


def ten_factor_scores(
    boards: Boards,
    candidates: Boards,
    offsets: NDArray[np.int64],
    weights: TenFactorWeights = TEN_FACTOR_WEIGHTS,
) -> NDArray[np.float64]:
    """The total score of every candidate play, float64[m]; see ``ten_factors``."""
    return np.asarray(ten_factors(boards, candidates, offsets) @ weights.array())


def position_factors(boards: Boards, side: int = MOVER) -> NDArray[np.float64]:
    """The factors that one side of a position has, before weighting. float64[n, 10].

    A play's score counts changes; a position's score counts the sum of all changes so far. So
    points made become the points held, and pip gain becomes the pips still to go, negative. Hits
    (which show in the other side's pips) and the bonus for high rolls stay 0.
    """

    def part(rows: slice) -> NDArray[np.float64]:
        out = np.empty((rows.stop - rows.start, len(FACTORS)))
        _fill_positions(boards[rows], side, POINT_VALUES, out)
        return out

    return np.concatenate(map_slices(part, len(boards), _SLICE))


def ten_factor_lead(
    boards: Boards, weights: TenFactorWeights = TEN_FACTOR_WEIGHTS
) -> NDArray[np.float64]:
    """The lead that the leaf maps: the score of the side on roll less the other's. float64[n]."""
    return np.asarray(
        (position_factors(boards, MOVER) - position_factors(boards, OTHER)) @ weights.array()
    )


def ten_factor_play(
    boards: Boards, dice: NDArray[np.int8], candidates: Boards, offsets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Chooser: the play with the highest ten-factor score."""
    return highest(ten_factor_scores(boards, candidates, offsets), offsets)


@dataclass(frozen=True)
class TenFactorRanking:
    """The plays of one roll, best (highest score) first; every array has one row per play."""

    boards: Boards  # int8[k, 2, 25], the opponent on roll
    factors: NDArray[np.float64]  # float64[k, 10], before weighting
    scores: NDArray[np.float64]  # float64[k, 10], weighted
    totals: NDArray[np.float64]  # float64[k]


def ten_factor_ranking(
    board: Board, dice: tuple[int, int], weights: TenFactorWeights = TEN_FACTOR_WEIGHTS
) -> TenFactorRanking:
    """All legal plays of one roll, scored and ranked.

    >>> from gnubg_py.board import START, describe
    >>> describe(ten_factor_ranking(START, (3, 1)).boards[0]).split(" / ")[1]
    'o 24:2 13:5 8:2 6:4 5:2'
    """
    candidates = plays(board, check_dice(dice))
    offsets = np.array([0, len(candidates)], np.int64)
    factors = ten_factors(board[None], candidates, offsets)
    scores = factors * weights.array()
    totals = scores.sum(axis=1)
    order = np.argsort(-totals, kind="stable")
    return TenFactorRanking(candidates[order], factors[order], scores[order], totals[order])


def breakdown(factors: NDArray[np.float64], weights: TenFactorWeights = TEN_FACTOR_WEIGHTS) -> str:
    """One play's ten factors as a table: value, weight, score, and their total.

    >>> print(breakdown(np.array([0, 1, 2.0, 7, 6, 2, 0, 0, 0, 0.04])))
    factor               value  weight   score
    blot risk           0.0000   -0.25  0.0000
    hits                1.0000    0.30  0.3000
    points made         2.0000    0.30  0.6000
    pip gain            7.0000    0.20  1.4000
    home board          6.0000    0.10  0.6000
    prime length        2.0000    0.15  0.3000
    builder coverage    0.0000    0.35  0.0000
    stack penalty       0.0000   -0.08  0.0000
    opponent blots      0.0000    0.08  0.0000
    high roll bonus     0.0400    0.06  0.0024
    total                               3.2024
    """
    scores = factors * weights.array() + 0.0  # adding 0.0 keeps "-0.0000" out of the table
    lines = [f"{'factor':<17}{'value':>9}{'weight':>8}{'score':>8}"]
    for name, value, weight, score in zip(FACTORS, factors, weights.array(), scores, strict=True):
        lines.append(f"{name:<17}{value:>9.4f}{weight:>8.2f}{score:>8.4f}")
    lines.append(f"{'total':<34}{scores.sum():>8.4f}")
    return "\n".join(lines)


TEN_FACTOR_LEAF = leaf_of_scores("ten-factor", ten_factor_lead)
