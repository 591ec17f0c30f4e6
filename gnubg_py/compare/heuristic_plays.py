"""The plays of a roll as the two heuristics score them, with the parts of every score.

A heuristic is written ``NAME`` or ``NAME:WEIGHT=VALUE,...``: ``pseudopip-analysis:blot=2,hit=-1``.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Board, Boards
from gnubg_py.errors import UnknownNameError
from gnubg_py.evaluators.heuristics.pseudopip import (
    PSEUDOPIP_WEIGHTS,
    PseudopipWeights,
    pseudopip_analysis,
    three_step_scores,
)
from gnubg_py.evaluators.heuristics.ten_factor import (
    FACTORS,
    TEN_FACTOR_WEIGHTS,
    TenFactorWeights,
    breakdown,
    ten_factor_ranking,
    ten_factor_scores,
)
from gnubg_py.groups import Chooser, highest, lowest
from gnubg_py.notation import play_text, position_id

HeuristicWeights = PseudopipWeights | TenFactorWeights

PSEUDOPIP_ANALYSIS, TEN_FACTOR_PLAY = "pseudopip-analysis", "ten-factor-play"
HEURISTICS: dict[str, HeuristicWeights] = {
    PSEUDOPIP_ANALYSIS: PSEUDOPIP_WEIGHTS,
    TEN_FACTOR_PLAY: TEN_FACTOR_WEIGHTS,
}
"""The heuristics that score plays, and their default weights."""

_LARGEST_WEIGHT = 1e6
_COLUMNS = ("risk", "hits", "points", "pips", "home", "prime", "build", "stack", "blots", "high")


def is_heuristic(text: str | None) -> bool:
    """Whether a name, without its weights, is that of a heuristic that scores plays."""
    return text is not None and text.partition(":")[0] in HEURISTICS


def heuristic_named(text: str) -> tuple[str, HeuristicWeights]:
    """The name and the weights of a heuristic. ``ValueError`` says what is wrong.

    >>> heuristic_named("pseudopip-analysis:blot=2")[1].blot
    2.0
    >>> heuristic_named("ten-factor-play:hit=2")
    Traceback (most recent call last):
    ...
    gnubg_py.errors.UnknownNameError: ten-factor-play weight 'hit' is not one of blot_risk, hits, \
points_made, pip_gain, home_board, prime_length, builder_coverage, stack_penalty, \
opponent_blots, high_roll_bonus
    """
    name, _, given = text.partition(":")
    if name not in HEURISTICS:
        raise UnknownNameError("heuristic", name, list(HEURISTICS))
    return name, heuristic_weights(name, given)


def heuristic_weights(name: str, text: str) -> HeuristicWeights:
    """The weights of one heuristic: ``WEIGHT=VALUE,...``; those left out are the defaults."""
    weights = HEURISTICS[name]
    known = [field.name for field in fields(weights)]
    wanted: dict[str, float | bool] = {}
    for item in filter(None, text.split(",")):
        key, equals, number = item.partition("=")
        key = key.strip().replace("-", "_")
        if key not in known:
            raise UnknownNameError(f"{name} weight", key, known)
        if not equals or key in wanted:
            raise ValueError(f"{name} weight {key}: should be written once, as {key}=1.5")
        wanted[key] = _weight(f"{name} weight {key}", key, number.strip())
    return replace(weights, **wanted)  # type: ignore[arg-type]


def _weight(what: str, key: str, text: str) -> float | bool:
    if key in ("pool_replies", "own_blots"):
        if text not in ("0", "1"):
            raise ValueError(f"{what} {text!r}: should be 0 or 1")
        return text == "1"
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= _LARGEST_WEIGHT:
        raise ValueError(f"{what} {text!r}: should be a number of size 1,000,000 or less")
    return value


def heuristic_chooser(text: str) -> Chooser:
    """The chooser of the play that a heuristic with these weights ranks first."""
    weights = heuristic_named(text)[1]

    def choose(
        boards: Boards, dice: NDArray[np.int8], candidates: Boards, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        if isinstance(weights, PseudopipWeights):
            return lowest(three_step_scores(boards, candidates, offsets, weights)[0], offsets)
        return highest(ten_factor_scores(boards, candidates, offsets, weights), offsets)

    return choose


def weights_text(weights: HeuristicWeights) -> str:
    """The weights as ``heuristic_weights`` reads them.

    >>> weights_text(PSEUDOPIP_WEIGHTS)
    'pips=1,blot=1.03,hit=-0.5,opponent=-3,pool_replies=1,own_blots=0'
    """
    return ",".join(f"{key}={value + 0:.15g}" for key, value in asdict(weights).items())


@dataclass(frozen=True)
class ScoredPlays:
    """The plays of a roll, best first: ``plays`` as dicts for JSON, and ``lines`` of a table.

    ``details`` explains the best play's score if the table has no room for that.
    """

    board: Board
    dice: tuple[int, int]
    name: str
    weights: HeuristicWeights
    plays: tuple[dict[str, Any], ...]
    head: str
    lines: tuple[str, ...]
    details: str = ""

    def table(self, most: int = 10) -> str:
        """The best ``most`` plays as text, below the weights."""
        title = f"{self.name} ({weights_text(self.weights)})"
        text = "\n".join([title, "", self.head, *self.lines[:most]])
        return f"{text}\n\n{self.details}" if self.details else text

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """Everything as a dict for JSON."""
        return {
            "position": position_id(self.board),
            "dice": list(self.dice),
            "evaluator": self.name,
            "weights": asdict(self.weights),
            "plays": list(self.plays[:most]),
        }


def scored_plays(
    name: str, weights: HeuristicWeights, board: Board, dice: tuple[int, int]
) -> ScoredPlays:
    """All legal plays of the roll as one heuristic scores and ranks them."""
    if isinstance(weights, PseudopipWeights):
        return _pseudopip_plays(name, weights, board, dice)
    return _ten_factor_plays(name, weights, board, dice)


def _named_plays(board: Board, dice: tuple[int, int], after: Any) -> list[dict[str, Any]]:
    return [
        {"rank": rank, "play": play_text(board, dice, one), "position": position_id(one)}
        for rank, one in enumerate(after, 1)
    ]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _pseudopip_plays(
    name: str, weights: PseudopipWeights, board: Board, dice: tuple[int, int]
) -> ScoredPlays:
    found = pseudopip_analysis(board, dice, weights)
    plays, lines = _named_plays(board, dice, found.boards), []
    columns = (found.scores, found.player_scores, found.opponent_scores)
    for i, play in enumerate(plays):
        overall, player, opponent = (float(column[i]) for column in columns)
        pips, blots, hits = found.parts[i].tolist()
        play |= {
            "score": _finite(overall), "player_score": player,
            "opponent_score": _finite(opponent), "pips": pips, "blots": blots, "hits": hits,
        }  # fmt: skip
        theirs = f"{opponent:>10.2f}" if math.isfinite(opponent) else f"{'-':>10}"
        last = f"{overall:>10.2f}" if math.isfinite(overall) else f"{'game over':>10}"
        lines.append(
            f"{i + 1:>3}. {play['play']:<28}{last}{player:>10.2f}{theirs}"
            f"{pips:>7}{blots:>7}{hits:>6}"
        )
    head = (
        f"{'':<33}{'overall':>10}{'player':>10}{'opponent':>10}{'pips':>7}{'blots':>7}{'hits':>6}"
    )
    return ScoredPlays(board, dice, name, weights, tuple(plays), head, tuple(lines))


def _ten_factor_plays(
    name: str, weights: TenFactorWeights, board: Board, dice: tuple[int, int]
) -> ScoredPlays:
    found = ten_factor_ranking(board, dice, weights)
    plays, lines = _named_plays(board, dice, found.boards), []
    for i, play in enumerate(plays):
        values, scores = found.factors[i].tolist(), (found.scores[i] + 0.0).tolist()
        play |= {
            "score": float(found.totals[i]),
            "factors": {
                factor: {"value": value, "score": score}
                for factor, value, score in zip(FACTORS, values, scores, strict=True)
            },
        }
        parts = "".join(f"{score:>8.4f}" for score in scores)
        lines.append(f"{i + 1:>3}. {play['play']:<24}{found.totals[i]:>9.4f}{parts}")
    head = f"{'':<29}{'total':>9}" + "".join(f"{column:>8}" for column in _COLUMNS)
    best = f"1. {plays[0]['play']}\n{breakdown(found.factors[0], weights)}"
    return ScoredPlays(board, dice, name, weights, tuple(plays), head, tuple(lines), best)
