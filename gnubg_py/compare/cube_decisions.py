"""Judged cube decisions: read the file, and measure the losses of a player's cube actions.

One JSON line a decision: ``id`` (Position ID, the side that may double on roll), ``cube``,
``owner`` ("centred" or "own"), ``away`` (that side's points to go, then the other's; absent for
money), ``crawford``, and the judge's equities ``nd``, ``dt``, ``dp`` of no double, double/take and
double/pass, normalised to the cube before doubling. Money is without Jacoby rule and beavers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.compare.decisions import Score, json_lines, score
from gnubg_py.compare.players import Player
from gnubg_py.compare.strength import Difference, StrengthReport
from gnubg_py.cube.state import CENTRED, OWN, Cube, can_double
from gnubg_py.engine import engine_of
from gnubg_py.evaluators.classify import classify
from gnubg_py.evaluators.router import LEARNED
from gnubg_py.messages import progress
from gnubg_py.notation.position_id import from_position_ids
from gnubg_py.threads import slices
from gnubg_py.workers import HERE, Workers, share_size

OWNERS = {"centred": CENTRED, "own": OWN}
_EQUITIES = ("nd", "dt", "dp")
_SLICE = 2000
"""Decisions with the same cube that are valued at once."""


@dataclass(frozen=True)
class CubeDecisions:
    """n decisions: boards int8[n, 2, 25], a cube each, the judge's equities float64[n, 3]."""

    ids: tuple[str, ...]
    boards: Boards
    cubes: tuple[Cube, ...]
    equities: NDArray[np.float64]
    """Columns: no double, double/take, double/pass."""


def read_cube_decisions(path: Path) -> CubeDecisions:
    """Read a file of judged cube decisions; ``ValueError`` names the first malformed line."""
    rows = json_lines(path, "a cube decision", _decision)
    if not rows:
        raise ValueError(f"{path}: no cube decisions in it")
    ids, cubes, equities = zip(*rows, strict=True)
    return CubeDecisions(ids, from_position_ids(ids), cubes, np.array(equities))


def _decision(item: Any, _: str) -> tuple[str, Cube, list[float]]:
    from_position_ids([item["id"]])
    cube = _cube(item)
    equities = [float(item[name]) for name in _EQUITIES]
    if not all(map(math.isfinite, equities)):
        raise ValueError(f"equities {equities}: should be finite numbers")
    return item["id"], cube, equities


def _cube(item: dict[str, Any]) -> Cube:
    if item["owner"] not in OWNERS:
        raise ValueError(f"owner {item['owner']!r} is not one of {', '.join(OWNERS)}")
    away = item.get("away")
    return Cube(
        item["cube"],
        OWNERS[item["owner"]],
        None if away is None else tuple(away),
        bool(item.get("crawford", False)),
    )


def player_equities(
    player: Player, decisions: CubeDecisions, workers: Workers = HERE
) -> NDArray[np.float64]:
    """A player's no double and double/take, ``float64[n, 2]``; nan where the cube is dead."""
    if player.evaluator is None:
        raise ValueError(f"{player.name} chooses plays only: it has no cube action")
    out = np.full((len(decisions.ids), 2), np.nan)
    size = share_size(len(out), workers, _SLICE)
    parts = [
        (cube, rows[part])
        for cube, rows in _rows_of_cubes(decisions).items()
        for part in slices(len(rows), size)
    ]
    boards = ((cube, decisions.boards[rows]) for cube, rows in parts)
    with (
        progress(sum(len(rows) for _, rows in parts), f"{player.name}: cube decisions") as bar,
        closing(workers.results(_equities, player, boards)) as found,
    ):
        for number, equities in found:
            rows = parts[number][1]
            out[rows] = equities
            bar.update(len(rows))
    return out


def _rows_of_cubes(decisions: CubeDecisions) -> dict[Cube, list[int]]:
    """The rows of the decisions with each cube that can be doubled."""
    rows_of: dict[Cube, list[int]] = {}
    for row, cube in enumerate(decisions.cubes):
        if can_double(cube):
            rows_of.setdefault(cube, []).append(row)
    return rows_of


def _equities(player: Player, part: tuple[Cube, Boards]) -> NDArray[np.float64]:
    """No double and double/take of positions with one cube, ``float64[n, 2]``."""
    from gnubg_py.search.context import make_search
    from gnubg_py.search.values import cube_equities

    cube, boards = part
    search = make_search(engine_of(player.evaluator), player.settings)
    found = cube_equities(search, boards, cube)
    return np.stack([found.no_double, found.double_take], axis=1)


def cube_given_up(
    judged: NDArray[np.float64], found: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The losses of the doubling decision and of the answer to a double, float64[n], in points.

    ``judged`` float64[n, 3] are the judge's equities of no double, double/take and double/pass;
    ``found`` float64[n, 2] are the player's of no double and double/take, nan if it cannot double.
    The equity of a double is its equity after the right answer. Every decision counts an answer,
    whether or not the player would have doubled.

    >>> judged = np.array([[0.5, 0.7, 1.0], [0.5, 0.7, 1.0]])
    >>> doubling, answer = cube_given_up(judged, np.array([[0.6, 0.5], [0.6, 1.1]]))
    >>> doubling.round(3).tolist(), answer.round(3).tolist()
    ([0.2, 0.0], [0.0, 0.3])
    """
    no_double, take, passed = judged.T
    double = np.minimum(take, passed)
    live = ~np.isnan(found).any(axis=1)
    doubles = live & (np.minimum(found[:, 1], 1.0) >= found[:, 0])
    doubling = np.maximum(no_double, double) - np.where(doubles, double, no_double)
    answer = np.where(found[:, 1] < 1.0, take, passed) - double
    return np.asarray(doubling), np.where(live, answer, 0.0)


def cube_strength(
    player: Player, decisions: CubeDecisions, workers: Workers = HERE
) -> StrengthReport:
    """The scores of a player's cube actions, by class, kind of game and kind of decision."""
    began = time.perf_counter()
    found = player_equities(player, decisions, workers)
    seconds = time.perf_counter() - began
    doubling, answer = cube_given_up(decisions.equities, found)
    scores = cube_scores(decisions, doubling + answer)
    scores["doubling alone"], scores["answers alone"] = score(doubling), score(answer)
    return StrengthReport(player.name, doubling + answer, scores, seconds)


def cube_scores(decisions: CubeDecisions, losses: NDArray[np.float64]) -> dict[str, Score]:
    """The scores of all groups that have decisions."""
    classes = classify(decisions.boards)
    money = np.array([cube.away is None for cube in decisions.cubes])
    centred = np.array([cube.owner == CENTRED for cube in decisions.cubes])
    groups = {c.name.lower(): classes == c for c in reversed(LEARNED)}
    groups["bearoff"] = ~np.isin(classes, [int(c) for c in LEARNED])
    groups |= {"money": money, "match": ~money, "centred": centred, "owned": ~centred}
    groups["all"] = np.ones(len(losses), bool)
    return {name: score(losses[mine]) for name, mine in groups.items() if mine.any()}


def cube_differences(
    decisions: CubeDecisions, strengths: Sequence[StrengthReport]
) -> list[Difference]:
    """The paired differences of the first player and each of the others."""
    first = strengths[0]
    return [
        Difference(first.player, other.player, cube_scores(decisions, first.losses - other.losses))
        for other in strengths[1:]
    ]
