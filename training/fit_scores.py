"""Fit the maps from heuristic score to probabilities: ``python -m gnubg_py.training.fit_scores``.

Each heuristic plays games against itself. A logistic regression, with slopes of one sign, predicts
the results of the games from the lead in score and the phase of every position, and gives the
numbers of ``gnubg_py/evaluators/heuristics/score_maps.json``. The reliability table, printed at the
end, is measured on a fifth of the games, which are not fitted. The same command on the same machine
writes the same file.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.compare.duel import Record, play_duel
from gnubg_py.evaluators.heuristics.pseudopip import pseudopip_lead, pseudopip_three_steps
from gnubg_py.evaluators.heuristics.score_map import (
    CONTACT,
    CURVES,
    MAPS_FILE,
    RACE,
    SIGNS,
    ScoreMap,
    five_of_scores,
    phase_facts,
)
from gnubg_py.evaluators.heuristics.ten_factor import ten_factor_lead, ten_factor_play
from gnubg_py.exits import DONE, guarded
from gnubg_py.files import write_aside
from gnubg_py.groups import Chooser

from .config import check_at_least

_HEURISTICS: dict[str, tuple[Chooser, Callable[[Boards], NDArray[np.float64]]]] = {
    "pseudopip": (pseudopip_three_steps, pseudopip_lead),
    "ten-factor": (ten_factor_play, ten_factor_lead),
}
LENGTHS = np.array([[60.0, 150.0, 250.0, 340.0], [10.0, 30.0, 70.0, 140.0]])
KNOT_QUANTILES = (0.1, 0.35, 0.65, 0.9)
HELD_OUT = 5  # one pair of games in five
FITTED = 1 / 3  # the share of the other games' positions: neighbours in a game are similar
SMOOTHING = 1e-7
_COLUMNS = ("win", "win g", "win bg", "lose g", "lose bg")


@dataclass(frozen=True)
class Sample:
    """Positions as the map describes them, and the results of their games."""

    scores: NDArray[np.float64]  # float64[n]
    phase: NDArray[np.int64]  # int64[n, 4]
    points: NDArray[np.int64]  # int64[n], to the side on roll
    game: NDArray[np.int64]  # int64[n]

    def of(self, rows: NDArray[np.bool_]) -> Sample:
        return Sample(self.scores[rows], self.phase[rows], self.points[rows], self.game[rows])


def sample_of(record: Record, scores: NDArray[np.float64], seed: int) -> tuple[Sample, Sample]:
    """The positions of finished games: those to fit, and those held out."""
    points = record.points[record.game]
    points = np.where(record.on_roll == 0, points, -points)
    everything = Sample(scores, phase_facts(record.boards), points, record.game)
    held_out = (record.game // 2) % HELD_OUT == 0
    finished = points != 0
    drawn = np.random.default_rng(seed).random(len(points)) < FITTED
    return everything.of(finished & ~held_out & drawn), everything.of(finished & held_out)


def targets(sample: Sample, curve: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The positions that a curve is fitted to, and those of them with the outcome of the curve."""
    if curve == 0:
        return np.ones(len(sample.points), np.bool_), sample.points > 0
    won = sample.points if curve in (1, 2) else -sample.points
    loser_has_one_off = sample.phase[:, 3 if curve in (1, 2) else 2] > 0
    least = 1 if curve in (1, 3) else 2
    return (won >= least) & ~loser_has_one_off, won > least


def design(
    scores: NDArray[np.float64],
    pips: NDArray[np.int64],
    lengths: NDArray[np.float64],
    knots: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The factors of the coefficients of a curve, for one kind. float64[n, L * (K + 2)]."""
    x = scores[:, None]
    parts = [np.ones_like(x), np.minimum(x - knots[0], 0.0)]
    parts += [np.clip(x - a, 0.0, b - a) for a, b in pairwise(knots)]
    parts.append(np.maximum(x - knots[-1], 0.0))
    bends = np.concatenate(parts, axis=1)
    place = np.interp(pips, lengths, np.arange(len(lengths)))
    shares = np.maximum(0.0, 1.0 - np.abs(place[:, None] - np.arange(len(lengths))))
    return np.asarray((shares[:, :, None] * bends[:, None, :]).reshape(len(scores), -1))


def fit_curve(
    x: NDArray[np.float64], y: NDArray[np.bool_], lengths: int, sign: float, scale: float
) -> NDArray[np.float64]:
    """Logistic regression with every slope of one sign. -> float64[L, K + 2].

    A penalty makes neighbouring lengths, and neighbouring slopes, similar. It has an effect only
    where there are few games.
    """
    features = torch.from_numpy(x).reshape(len(x), lengths, -1)
    unit = torch.full((features.shape[2],), scale, dtype=torch.float64)
    unit[0] = 1.0
    features = (features / unit).reshape(len(x), -1)
    outcome = torch.from_numpy(y.astype(np.float64))
    free = torch.zeros((lengths, len(unit)), dtype=torch.float64, requires_grad=True)

    def curve() -> torch.Tensor:
        slopes = sign * torch.nn.functional.softplus(free[:, 1:])
        return torch.cat([free[:, :1], slopes], dim=1)

    optimizer = torch.optim.LBFGS([free], max_iter=1000, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        rows = curve()
        logits = features @ rows.flatten()
        value = torch.nn.functional.binary_cross_entropy_with_logits(logits, outcome)
        rough = rows.diff(dim=0).square().sum() + rows[:, 1:].diff(dim=1).square().sum()
        value = value + SMOOTHING * rough
        value.backward()
        return value

    optimizer.step(loss)
    return np.asarray((curve().detach() / unit).numpy())


def fit_map(sample: Sample) -> ScoreMap:
    """The map that best predicts the sample's results from its scores and phases."""
    kinds = [sample.phase[:, 0] == kind for kind in (CONTACT, RACE)]
    knots = np.stack([np.quantile(sample.scores[rows], KNOT_QUANTILES) for rows in kinds])
    count = LENGTHS.shape[1]
    fitted = np.empty((len(CURVES), 2, count, knots.shape[1] + 2))
    for curve, sign in enumerate(SIGNS):
        rows_of_curve, way = targets(sample, curve)
        for kind, rows in enumerate(kinds):
            use = rows_of_curve & rows
            x = design(sample.scores[use], sample.phase[use, 1], LENGTHS[kind], knots[kind])
            scale = float(sample.scores[rows].std())
            fitted[curve, kind] = fit_curve(x, way[use], count, sign, scale)
    return ScoreMap(LENGTHS, knots, fitted)


def as_stored(score_map: ScoreMap) -> dict[str, object]:
    """The map as JSON for the file, with six digits of each number."""

    def short(values: NDArray[np.float64]) -> object:
        return json.loads(
            json.dumps(values.tolist()), parse_float=lambda t: float(f"{float(t):.6g}")
        )

    return {
        "lengths": short(score_map.lengths),
        "knots": short(score_map.knots),
        "coefficients": short(score_map.coefficients),
    }


def reliability(score_map: ScoreMap, sample: Sample) -> str:
    """Two Markdown tables of predicted and observed chances, by the predicted chance of winning."""
    predicted = five_of_scores(score_map, sample.scores, sample.phase).astype(np.float64)
    p = sample.points
    observed = np.stack([p > 0, p > 1, p > 2, p < -1, p < -2], axis=1).astype(np.float64)
    tenth = np.minimum((predicted[:, 0] * 10).astype(np.int64), 9)
    lines = []
    for kind, name in ((CONTACT, "contact"), (RACE, "race")):
        lines.append(f"| {name} | positions | " + " | ".join(_COLUMNS) + " |")
        lines.append("|---|---|" + "---|" * len(_COLUMNS))
        rows = sample.phase[:, 0] == kind
        groups = [(f"{t / 10:.1f} to {(t + 1) / 10:.1f}", rows & (tenth == t)) for t in range(10)]
        for label, group in [*groups, ("all", rows)]:
            if group.any():
                cells = _cells(predicted[group], observed[group], sample.game[group])
                lines.append(f"| {label} | {group.sum()} | {cells} |")
        lines.append("")
    return "\n".join(lines)


def _cells(
    predicted: NDArray[np.float64], observed: NDArray[np.float64], game: NDArray[np.int64]
) -> str:
    """``predicted / observed`` of each column, the first one with its standard error."""
    means = zip(predicted.mean(axis=0), observed.mean(axis=0), strict=True)
    cells = [f"{a:.3f} / {b:.3f}" for a, b in means]
    # All positions of a game share its result: the error is that of a sum over games.
    by_game = np.bincount(game, weights=observed[:, 0] - predicted[:, 0])
    cells[0] += f" ± {np.sqrt((by_game**2).sum()) / len(game):.3f}"
    return " | ".join(cells)


def main() -> int:
    """Play, fit, print the reliability of each map and write them all."""
    parser = argparse.ArgumentParser(description="Fit the maps from score to probabilities.")
    parser.add_argument("--pairs", type=int, default=8000, help="pairs of games (default 8000)")
    parser.add_argument("--seed", type=int, default=20261118)
    parser.add_argument("--out", type=Path, default=MAPS_FILE)
    args = parser.parse_args()
    check_at_least(1, args, ("pairs",))
    stored: dict[str, object] = {}
    for name, (chooser, lead) in _HEURISTICS.items():
        record = play_duel((chooser, chooser), args.pairs, args.seed, keep=True)
        fitted, held_out = sample_of(record, lead(record.boards), args.seed)
        score_map = fit_map(fitted)
        source = {"games": 2 * args.pairs, "seed": args.seed, "positions": len(fitted.points)}
        stored[name] = {"fitted_on": source, **as_stored(score_map)}
        print(f"{name}: fitted to {len(fitted.points)} positions, held against others:\n")
        print(reliability(score_map, held_out), flush=True)
    write_aside(args.out, (json.dumps(stored) + "\n").encode())
    return DONE


if __name__ == "__main__":
    raise SystemExit(guarded(main))
