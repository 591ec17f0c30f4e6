"""From a heuristic's score to the five probabilities: a small fitted map, monotone in the score.

The map has five logistic curves: win; gammon if won; backgammon if a gammon is won; gammon if lost;
backgammon if a gammon is lost. The logit of each is a piecewise linear function of the score, which
rises everywhere (the two of a loss fall). It depends on the phase of the game: contact or race, and
the pips that both sides have to go, between whose fitted values it is interpolated. Products of the
curves give gnubg's five. A side that has borne a checker off loses no gammon. ``python -m
gnubg_py.training.fit_scores`` fits the numbers, which are in ``score_maps.json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import CHECKERS, Boards
from gnubg_py.evaluators.protocol import FunctionEvaluator
from gnubg_py.kernel_cache import njit

CURVES = ("win", "gammon if won", "backgammon if gammon won", "gammon if lost", "b. if g. lost")
SIGNS = (1.0, 1.0, 1.0, -1.0, -1.0)
"""Whether each curve rises (1) or falls (-1) with the score of the side on roll."""

MAPS_FILE = Path(__file__).with_name("score_maps.json")
CONTACT, RACE = 0, 1


@dataclass(frozen=True)
class ScoreMap:
    """The fitted numbers of one heuristic.

    ``lengths`` float64[2, L]: pips of both sides at which curves were fitted, for contact, race.
    ``knots`` float64[2, K]: scores at which a curve may bend.
    ``coefficients`` float64[5, 2, L, K + 2]: for each curve, kind and length the logit at the
    first knot, then the slope below it, between knots, and above the last one.
    """

    lengths: NDArray[np.float64]
    knots: NDArray[np.float64]
    coefficients: NDArray[np.float64]

    def __post_init__(self) -> None:
        shape = (len(CURVES), 2, self.lengths.shape[-1], self.knots.shape[-1] + 2)
        if self.lengths.shape[0] != 2 or self.knots.shape[0] != 2:
            raise ValueError(
                "score map: lengths and knots should each have a contact and a race row"
            )
        if self.coefficients.shape != shape:
            raise ValueError(
                f"score map: coefficients have shape {self.coefficients.shape}, not {shape}"
            )
        if (np.diff(self.lengths) <= 0).any() or (np.diff(self.knots) <= 0).any():
            raise ValueError("score map: lengths and knots should rise")
        slopes = self.coefficients[..., 1:] * np.array(SIGNS)[:, None, None, None]
        if not np.isfinite(self.coefficients).all() or (slopes < 0).any():
            raise ValueError("score map: a slope has the wrong sign: the map would not be monotone")


def map_from_json(text: str, heuristic: str) -> ScoreMap:
    """The map of one heuristic out of a maps file's text; ``ValueError`` names what is wrong."""
    try:
        entry: dict[str, Any] = json.loads(text)[heuristic]
        lengths, knots, coefficients = (
            np.array(entry[key], np.float64) for key in ("lengths", "knots", "coefficients")
        )
    except (KeyError, TypeError, ValueError) as error:
        fault = f"{type(error).__name__}: {error}"
        raise ValueError(
            f"{MAPS_FILE.name}: no map of {heuristic!r} can be read ({fault}); "
            "python -m gnubg_py.training.fit_scores writes one"
        ) from None
    return ScoreMap(lengths, knots, coefficients)


@lru_cache
def shipped_map(heuristic: str) -> ScoreMap:
    """The map that comes with the package for ``pseudopip`` or ``ten-factor``."""
    return map_from_json(MAPS_FILE.read_text("utf-8"), heuristic)


@njit(cache=True, nogil=True)
def _fill_phases(boards, checkers, out):  # type: ignore[no-untyped-def]
    for k in range(len(boards)):
        pips = 0
        reach = 0
        for side in range(2):
            highest = -99
            men = 0
            for i in range(25):
                if boards[k, side, i] > 0:
                    highest = i
                    men += boards[k, side, i]
                    pips += (i + 1) * boards[k, side, i]
            reach += highest
            out[k, 2 + side] = men < checkers
        out[k, 0] = CONTACT if reach >= 24 else RACE
        out[k, 1] = pips


def phase_facts(boards: Boards) -> NDArray[np.int64]:
    """The phase of each position, which the map uses with its score. int8[n, 2, 25] -> int64[n, 4].

    Columns: 0 for contact or 1 for a race; the pips that both sides have to go; whether the side on
    roll has borne a checker off; whether the other side has.

    >>> from gnubg_py.board import START, parse
    >>> phase_facts(np.stack([START, parse("x 6:5 / o 18:5 1:10")])).tolist()
    [[0, 334, 0, 0], [1, 130, 1, 0]]
    """
    out = np.empty((len(boards), 4), np.int64)
    _fill_phases(boards, CHECKERS, out)
    return out


def past(boards: Boards) -> NDArray[np.bool_]:
    """Whether the sides have passed each other, so that no hit is possible. ``-> bool[n]``.

    >>> from gnubg_py.board import START, parse
    >>> past(np.stack([START, parse("x 6:5 / o 18:5"), parse("x 6:5 / o 20:4")])).tolist()
    [False, True, False]
    """
    return np.asarray(phase_facts(boards)[:, 0] == RACE)


@njit(cache=True, nogil=True)
def _chance(curve, knots, below, share, score):  # type: ignore[no-untyped-def]
    """The value of a curve float64[L, K + 2] at a score, between two lengths.

    ``share`` is the place between the lengths ``below`` (0) and ``below + 1`` (1).
    """
    logit = 0.0
    last = len(knots) - 1
    for side in range(2):
        row = curve[below + side]
        part = row[0] + row[1] * min(score - knots[0], 0.0)
        for k in range(last):
            part += row[2 + k] * min(max(score - knots[k], 0.0), knots[k + 1] - knots[k])
        part += row[2 + last] * max(score - knots[last], 0.0)
        logit += part * (share if side else 1.0 - share)
    return 1.0 / (1.0 + np.exp(-logit))


@njit(cache=True, nogil=True)
def _fill_probabilities(scores, phase, lengths, knots, coefficients, out):  # type: ignore[no-untyped-def]
    for k in range(len(scores)):
        kind = phase[k, 0]
        nodes = lengths[kind]
        below = 0
        while below < len(nodes) - 2 and phase[k, 1] >= nodes[below + 1]:
            below += 1
        share = (phase[k, 1] - nodes[below]) / (nodes[below + 1] - nodes[below])
        share = min(max(share, 0.0), 1.0)
        for c in range(5):
            out[k, c] = _chance(coefficients[c, kind], knots[kind], below, share, scores[k])
        win = out[k, 0]
        out[k, 1] = 0.0 if phase[k, 3] else win * out[k, 1]
        out[k, 2] *= out[k, 1]
        out[k, 3] = 0.0 if phase[k, 2] else (1.0 - win) * out[k, 3]
        out[k, 4] *= out[k, 3]


def five_of_scores(
    score_map: ScoreMap, scores: NDArray[np.float64], phase: NDArray[np.int64]
) -> NDArray[np.float32]:
    """gnubg's five for the side on roll: float64[n], ``phase_facts`` int64[n, 4] -> float32[n, 5].

    The score is the lead of the side on roll: a higher one is better for that side.
    """
    out = np.empty((len(scores), len(CURVES)))
    _fill_probabilities(
        scores, phase, score_map.lengths, score_map.knots, score_map.coefficients, out
    )
    return out.astype(np.float32)


def leaf_of_scores(name: str, lead: Callable[[Boards], NDArray[np.float64]]) -> FunctionEvaluator:
    """The evaluator of a heuristic by its shipped map.

    ``lead`` gives each position's score for the side on roll less that of the other, float64[n].
    """

    def five(boards: Boards) -> NDArray[np.float32]:
        return five_of_scores(shipped_map(name), lead(boards), phase_facts(boards))

    return FunctionEvaluator(name, five)
