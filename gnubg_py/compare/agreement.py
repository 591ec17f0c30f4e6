"""Agreement: the plays of several players in the same decisions, and their losses by a reference.

The reference is the judge of a file of judged decisions, or one of the players, which then values
every legal play of the given positions.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.compare.decisions import CLASSES, MILLIPOINTS, Decisions, losses_of, mean_and_error
from gnubg_py.compare.phases import PHASES, SITUATIONS, phases, situations
from gnubg_py.compare.players import Player, choices
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.router import LEARNED
from gnubg_py.messages import progress
from gnubg_py.notation.position_id import position_ids
from gnubg_py.plays import plays_batch
from gnubg_py.probabilities import cubeless_equity
from gnubg_py.threads import slices
from gnubg_py.workers import HERE, Workers, in_order, share_size

RANKED_PLAYS = 10
"""The number of the reference's best plays that the rank correlation covers."""
_SLICE = 20_000
_SEARCHED_SLICE = 500


@dataclass(frozen=True)
class Loss:
    """The equity lost in a group of decisions, in thousandths of a point."""

    n: int
    mean: float
    standard_error: float
    percentile_95: float
    agreement: float
    """The share of decisions in which the play is as good as the reference's best."""


@dataclass(frozen=True)
class PlayerReport:
    """One player in all decisions.

    ``chosen`` int64[n], rows of the decisions' plays; ``losses`` float64[n], points;
    ``equities`` float64[m] of its RANKED_PLAYS of each decision, for the side that plays, nan
    elsewhere, or None where the player does not value positions.
    """

    name: str
    chosen: NDArray[np.int64]
    losses: NDArray[np.float64]
    equities: NDArray[np.float64] | None
    by_group: dict[str, dict[str, Loss]]
    """The losses by class, phase and situation, and under "all"."""
    rank_correlation: float | None
    decisions_per_second: float
    positions_per_second: float | None


@dataclass(frozen=True)
class Agreement:
    """Several players in the same decisions. ``same`` float64[k, k]: how often two plays agree."""

    decisions: Decisions
    reference: str
    players: tuple[PlayerReport, ...]
    same: NDArray[np.float64]


def compare_players(
    players: Sequence[Player],
    decisions: Decisions,
    reference: str = "the judge",
    workers: Workers = HERE,
) -> Agreement:
    """The plays, losses, rank correlation and speed of each player."""
    groups = decision_groups(decisions)
    ranked = ranked_rows(decisions)
    reports = [_report(player, decisions, groups, ranked, workers) for player in players]
    k = len(reports)
    same = np.array(
        [float((a.chosen == b.chosen).mean()) for a in reports for b in reports]
    ).reshape(k, k)
    return Agreement(decisions, reference, tuple(reports), same)


def _report(
    player: Player,
    decisions: Decisions,
    groups: dict[str, dict[str, NDArray[np.bool_]]],
    ranked: NDArray[np.int64],
    workers: Workers,
) -> PlayerReport:
    made = choices(player, decisions, workers)
    if len(made.chosen) < len(decisions.ids):
        raise KeyboardInterrupt
    losses = losses_of(decisions, made.chosen)
    by_group = {
        kind: {name: group_loss(losses[rows]) for name, rows in members.items() if rows.any()}
        for kind, members in groups.items()
    }
    equities = correlation = speed = None
    if player.evaluator is not None:
        equities = np.full(len(decisions.equities), np.nan)
        equities[ranked], speed = equities_of(player, decisions.candidates[ranked], workers)
        correlation = rank_correlation(decisions, equities)
    pace = len(losses) / max(made.seconds, 1e-9)
    return PlayerReport(
        player.name, made.chosen, losses, equities, by_group, correlation, pace, speed
    )


def decision_groups(decisions: Decisions) -> dict[str, dict[str, NDArray[np.bool_]]]:
    """The decisions of each class, phase and situation, and all of them: bool[n] each."""
    phase = phases(decisions.boards)
    in_situation = situations(decisions.boards)
    return {
        "all": {"all": np.ones(len(decisions.ids), bool)},
        "class": {name: decisions.classes == name for name in CLASSES},
        "phase": {name: phase == number for number, name in enumerate(PHASES)},
        "situation": {name: in_situation[name] for name in SITUATIONS},
    }


def group_loss(losses: NDArray[np.float64]) -> Loss:
    """The ``Loss`` of a group, from the losses of its decisions in points."""
    mean, error = mean_and_error(losses)
    return Loss(
        len(losses),
        MILLIPOINTS * mean,
        MILLIPOINTS * error,
        MILLIPOINTS * float(np.percentile(losses, 95)),
        float((losses <= 1e-9).mean()),
    )


def equities_of(
    player: Player, positions: Boards, workers: Workers = HERE
) -> tuple[NDArray[np.float64], float]:
    """Cubeless equities for the side that has just played, and the positions valued per second."""
    began = time.perf_counter()
    n, equities = len(positions), [np.empty(0)]
    size = share_size(n, workers, _SEARCHED_SLICE if player.settings.plies else _SLICE)
    boards = (positions[part] for part in slices(n, size))
    found = in_order(workers.results(_equities, player, boards))
    with progress(n, f"{player.name}: positions") as bar, closing(found):
        for part in found:
            equities.append(part)
            bar.update(len(part))
    seconds = max(time.perf_counter() - began, 1e-9)
    return np.concatenate(equities), n / seconds


def _equities(player: Player, positions: Boards) -> NDArray[np.float64]:
    five = player.probabilities(positions).astype(np.float64)
    return -cubeless_equity(five).astype(np.float64)


def ranked_rows(decisions: Decisions) -> NDArray[np.int64]:
    """The rows of the reference's best plays, at most RANKED_PLAYS of each decision."""
    group = np.repeat(np.arange(len(decisions.ids)), np.diff(decisions.offsets))
    order = np.lexsort((-decisions.equities, group))
    place = np.arange(len(order)) - decisions.offsets[group]
    return np.sort(order[place < RANKED_PLAYS])


def rank_correlation(decisions: Decisions, equities: NDArray[np.float64]) -> float:
    """The mean over decisions of Spearman's rank correlation with the reference's equities.

    ``equities`` float64[m]; plays with nan are left out. So are decisions with fewer than three
    plays left, and those in which all equities of the player or of the reference are equal.
    """
    found = []
    for first, last in zip(decisions.offsets[:-1], decisions.offsets[1:], strict=True):
        ours, theirs = equities[first:last], decisions.equities[first:last]
        known = ~np.isnan(ours)
        if known.sum() >= 3:
            a, b = ranks(ours[known]), ranks(theirs[known])
            if a.std() > 0 and b.std() > 0:
                found.append(float(np.corrcoef(a, b)[0, 1]))
    return float(np.mean(found)) if found else float("nan")


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rank of each value, lowest 0; equal values share the mean of their ranks.

    >>> ranks(np.array([3.0, 1.0, 3.0, 2.0])).tolist()
    [2.5, 0.0, 2.5, 1.0]
    """
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts + 1) / 2)[inverse])


def widest(worse: PlayerReport, better: PlayerReport, count: int) -> NDArray[np.int64]:
    """The decisions in which one player loses more than another, the largest difference first."""
    gap = worse.losses - better.losses
    order = np.argsort(-gap, kind="stable")[:count]
    return np.asarray(order[gap[order] > 0])


def decisions_by(
    reference: Player, boards: Boards, dice: NDArray[np.int8], workers: Workers = HERE
) -> Decisions:
    """Decisions with a player as the judge, which values every legal play. Classes are gnubg's."""
    candidates, offsets = plays_batch(boards, dice)
    equities, _ = equities_of(reference, candidates, workers)
    names = {c: c.name.lower() for c in LEARNED}
    classes = np.array([names.get(PositionClass(c), "bearoff") for c in classify(boards)])
    return Decisions(
        tuple(position_ids(boards)), classes, boards, dice, candidates, equities, offsets
    )
