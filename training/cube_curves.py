"""Curves of cube efficiency (``gnubg_py/cube/efficiency.csv``), fitted to cubeful rollouts.

``python -m gnubg_py.training.cube_curves roll FILE`` rolls out positions of the net's games with
itself, without a double on the first turn, each with the cube centred, with one's own cube and with
the other side's. ``... fit FILE ... --out CSV`` fits the curves. ``... check FILE ...`` compares
curves and constants with rollouts that no curve was fitted to.

Janowski's value is ``(1 - x) * dead + x * live``: the efficiency x of a position is what makes it
equal to the rollout's value. It is fitted with the probabilities of the same rollout, so that the
net's own errors do not count as the cube's.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.compare.decisions import MALFORMED
from gnubg_py.compare.duel import play_duel
from gnubg_py.compare.players import leaf_chooser
from gnubg_py.cube.efficiency import (
    CONSTANTS,
    CURVE_OWNERS,
    CURVES_FILE,
    GROUPS,
    Curves,
    cube_efficiency,
    group_numbers,
    read_curves,
)
from gnubg_py.cube.kernels import (
    CURVE_FIRST,
    CURVE_PER_UNIT,
    CURVE_POINTS,
    money_place,
    wins_and_losses,
)
from gnubg_py.cube.state import CENTRED, OTHER, OWN, Cube
from gnubg_py.cube.values import cube_table, cubeful_values
from gnubg_py.engine import Engine, default_engine
from gnubg_py.evaluators.classify import classify
from gnubg_py.exits import DONE, guarded
from gnubg_py.files import parse_json, read_lines, write_aside
from gnubg_py.messages import print_answer, progress
from gnubg_py.notation.position_id import from_position_ids, position_ids
from gnubg_py.rollouts.games import Start, play_games
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.rollouts.values import make_plan

from .config import check_at_least

_KEYS = ("five", "values", "errors")
CUBES = (Cube(1, CENTRED), Cube(2, OWN), Cube(2, OTHER))
_AT_ONCE = 16
"""The number of positions that are rolled out with the same dice."""
_CHANCES = (0.08, 0.92)
"""Positions with other winning chances are left out: they say nothing about the cube."""
_SMOOTH, _PRIOR, _MODEL_ERROR = 3.0, 1.0, 0.02
"""Of the fit: how stiff a curve is, how much a constant or another class's curve counts, both in
positions of a live value 0.25 away from the dead one; the part of the error that is the model's."""


_NEAR = {"crashed": "contact", "short": "one-sided"}
"""Groups of few positions, and the group whose curve theirs should be near."""
_POINTS = np.arange(CURVE_POINTS)
_BEND = np.diff(np.eye(CURVE_POINTS), 2, axis=0)


@dataclass(frozen=True)
class Rolled:
    """n rollouts: boards int8[n, 2, 25], mean probabilities float64[n, 5], values with each cube.

    ``values`` and their standard ``errors`` are float64[n, 3], in units of the cube.
    """

    boards: Boards
    five: NDArray[np.float64]
    values: NDArray[np.float64]
    errors: NDArray[np.float64]


def positions_to_roll(engine: Engine, count: int, names: Sequence[str], seed: int) -> Boards:
    """``count`` positions of some groups, before the roll, of the engine's games with itself."""
    chooser = leaf_chooser(engine.evaluator)
    wanted = [GROUPS.index(name) for name in names]
    found: list[Boards] = []
    while sum(map(len, found)) < 4 * count:
        boards = play_duel((chooser, chooser), 200, [seed, len(found)], keep=True).boards
        boards = boards[np.isin(group_numbers(boards, engine.classes(boards)), wanted)]
        chance = engine.evaluator(boards)[:, 0]
        found.append(boards[(chance > _CHANCES[0]) & (chance < _CHANCES[1])])
    boards = np.concatenate(found)
    return boards[np.random.default_rng(seed).permutation(len(boards))[:count]]


def rolled_out_games(
    engine: Engine, boards: Boards, trials: int, turns: int | None, seed: int
) -> Rolled:
    """Roll out positions with each of ``CUBES``; games longer than ``turns`` are valued there."""
    settings = RolloutSettings(seed=seed, trials=trials, truncate=turns)
    plan = make_plan(settings, engine, CUBES)
    starts = [Start(board, cube, 0, may_double=False) for board in boards for cube in CUBES]
    games = play_games(plan, starts, np.arange(trials))
    results = (games.results - games.luck).reshape(len(boards), len(CUBES), trials, -1)
    values = results[..., 5] / np.array([cube.value for cube in CUBES])[:, None]
    five = results[..., :5].mean(axis=(1, 2))
    return Rolled(boards, five, values.mean(axis=2), values.std(axis=2, ddof=1) / trials**0.5)


def _lines(rolled: Rolled) -> Iterator[str]:
    names = position_ids(rolled.boards)
    for row in zip(names, rolled.five, rolled.values, rolled.errors, strict=True):
        numbers = zip(_KEYS, (numbers.round(5).tolist() for numbers in row[1:]), strict=True)
        yield json.dumps({"id": row[0], **dict(numbers)}) + "\n"


def read_rolled(paths: Sequence[Path]) -> Rolled:
    """The rollouts in files; ``ValueError`` if a line is not a rollout."""
    try:
        items = [parse_json(line) for path in paths for line in read_lines(path)]
        ids = [item["id"] for item in items]
        five, values, errors = (
            np.array([item[key] for item in items], float).reshape(len(items), width)
            for key, width in zip(_KEYS, (5, len(CUBES), len(CUBES)), strict=True)
        )
        if not (np.isfinite(five).all() and np.isfinite(values).all() and (errors >= 0).all()):
            raise ValueError("a number is not finite, or an error below 0")
    except MALFORMED as error:
        raise ValueError(f"{', '.join(map(str, paths))}: not rollouts of cubes") from error
    return Rolled(from_position_ids(ids), five, values, errors)


def dead_and_live(
    five: NDArray[np.floating],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The values of ``CUBES`` with a dead cube and with a fully live one, float64[n, 3] each."""
    table = cube_table(CUBES)
    dead = cubeful_values(five, np.zeros(len(five)), table)
    return dead, cubeful_values(five, np.ones(len(five)), table)


def bases(five: NDArray[np.floating]) -> tuple[NDArray[np.float64], ...]:
    """Dead values, live less dead ones, and the weights of a curve's points, in money play.

    float64[n, 3], float64[n, 3], float64[n, CURVE_POINTS].
    """
    dead, live = dead_and_live(five)
    rows = five.astype(np.float64).tolist()
    place = np.array([money_place(row[0], *wins_and_losses(*row)) for row in rows])
    at = ((place - CURVE_FIRST) * CURVE_PER_UNIT).clip(0, CURVE_POINTS - 1)
    return dead, live - dead, np.maximum(0, 1 - np.abs(at[:, None] - _POINTS))


def fit_curves(rolled: Rolled) -> dict[str, Curves]:
    """Curves by the groups that occur: smooth, and near a prior where data are few.

    The prior is the best constant, or the curve of the group that is ``_NEAR``.
    """
    dead, apart, weights = bases(rolled.five)
    wanted = rolled.values - dead
    trust = 1 / (rolled.errors**2 + _MODEL_ERROR**2)
    groups = group_numbers(rolled.boards, classify(rolled.boards))
    curves: dict[str, Curves] = {}
    for number, name in enumerate(GROUPS):
        rows = groups == number
        if rows.any():
            prior = curves.get(_NEAR.get(name, ""), [None] * len(CURVE_OWNERS))
            curves[name] = np.stack(
                [
                    _fit(
                        weights[rows] * apart[rows, k, None], wanted[rows, k], trust[rows, k], near
                    )
                    for k, near in enumerate(prior)
                ]
            )
    return curves


def _fit(
    terms: NDArray[np.float64],
    wanted: NDArray[np.float64],
    trust: NDArray[np.float64],
    prior: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """The curve that minimises weighted squares, its bends and its distance from the prior."""
    if prior is None:
        whole = terms.sum(axis=1)
        prior = np.full(CURVE_POINTS, (trust * whole * wanted).sum() / (trust * whole**2).sum())
    unit = 0.25**2 / _MODEL_ERROR**2
    matrix = (terms * trust[:, None]).T @ terms
    matrix += unit * (_SMOOTH * _BEND.T @ _BEND + _PRIOR * np.eye(CURVE_POINTS))
    right = (terms * trust[:, None]).T @ (wanted - terms @ prior)
    # The bends of the difference from the prior are penalised, not those of the prior.
    return np.clip(prior + np.linalg.solve(matrix, right), 0.05, 1.0)


def curves_text(curves: Mapping[str, Curves]) -> str:
    """The curves as CSV: class, owner, efficiencies."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    for name, found in curves.items():
        for owner, curve in zip(CURVE_OWNERS, found, strict=True):
            rows.writerow([name, owner, *(f"{x:.3f}" for x in curve)])
    return out.getvalue()


def errors_of(
    rolled: Rolled, five: NDArray[np.floating], curves: Mapping[str, Curves]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values by constants and by curves less the rollouts', float64[n, 3] each."""
    classes = classify(rolled.boards)
    dead, apart, weights = bases(five)
    groups = group_numbers(rolled.boards, classes)
    x = np.repeat(cube_efficiency(rolled.boards, classes)[:, None], len(CURVE_OWNERS), axis=1)
    constant = dead + x * apart - rolled.values
    for name, found in curves.items():
        rows = groups == GROUPS.index(name)
        x[rows] = weights[rows] @ found.T
    return constant, dead + x * apart - rolled.values


def table_of(rolled: Rolled, engine: Engine, curves: Mapping[str, Curves]) -> str:
    """Root mean square errors of constants and curves, by rolled probabilities and the net's.

    Then their mean errors, with those of the rollouts.
    """
    groups = group_numbers(rolled.boards, classify(rolled.boards))
    lines = [
        "| thousandths | positions | the rollouts' own error | constants | curves | by the net: "
        "constants | curves | mean of constants | of curves |",
        "|---" * 9 + "|",
    ]
    exact = errors_of(rolled, rolled.five, curves)
    net = errors_of(rolled, engine.evaluator(rolled.boards), curves)
    for number, name in enumerate(GROUPS):
        rows = groups == number
        for k, owner in enumerate(CURVE_OWNERS) if rows.any() else ():
            found = [1e3 * e[rows, k] for e in (rolled.errors, *exact, *net)]
            cells = [f"{np.sqrt((e**2).mean()):.1f}" for e in found]
            cells += [f"{e.mean():+.1f}" for e in found[1:3]]
            lines.append(f"| {name}, {owner} | {rows.sum()} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _roll(args: argparse.Namespace) -> int:
    check_at_least(1, args, ("positions",))
    check_at_least(2, args, ("trials",))
    check_at_least(0, args, ("turns", "seed"))
    engine = default_engine()
    if args.constants:
        engine = replace(engine, efficiency=CONSTANTS)
    boards = positions_to_roll(engine, args.positions, args.groups, args.seed)
    done = len(list(read_lines(args.file))) if args.file.exists() else 0
    turns = args.turns or None
    with progress(len(boards), "positions") as bar, args.file.open("a") as out:
        bar.update(done)
        for start in range(done, len(boards), _AT_ONCE):
            part = boards[start : start + _AT_ONCE]
            seed = args.seed * 1_000_000 + start
            out.writelines(_lines(rolled_out_games(engine, part, args.trials, turns, seed)))
            out.flush()
            bar.update(len(part))
    return DONE


def _fit_files(args: argparse.Namespace) -> int:
    curves = fit_curves(read_rolled(args.files))
    write_aside(args.out, curves_text(curves).encode())
    return DONE


def _check(args: argparse.Namespace) -> int:
    curves = read_curves(args.curves)
    print_answer(table_of(read_rolled(args.files), default_engine(), curves))
    return DONE


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    program = "python -m gnubg_py.training.cube_curves"
    parser = argparse.ArgumentParser(prog=program, description=__doc__)
    commands = parser.add_subparsers(required=True)
    roll = commands.add_parser("roll", help="roll out positions; continues a file")
    add = roll.add_argument
    add("file", type=Path, help="rollouts are added to this file")
    add("--positions", type=int, default=1600, help="how many (default: %(default)s)")
    add("--groups", nargs="+", choices=GROUPS, default=list(GROUPS),
        help="of which groups (default: all)")  # fmt: skip
    add("--trials", type=int, default=36, help="of each (default: %(default)s)")
    add("--turns", type=int, default=0, help="value games there (default: play to the end)")
    add("--seed", type=int, default=1, help="of positions and dice (default: %(default)s)")
    add("--constants", action="store_true", help="play by gnubg's constants, not the curves")
    roll.set_defaults(run=_roll)
    fit = commands.add_parser("fit", help="fit the curves")
    fit.add_argument("files", nargs="+", type=Path, help="rollouts")
    fit.add_argument("--out", type=Path, required=True, help="the curves' file")
    fit.set_defaults(run=_fit_files)
    check = commands.add_parser("check", help="compare constants and curves with rollouts")
    check.add_argument("files", nargs="+", type=Path, help="rollouts that nothing was fitted to")
    check.add_argument("--curves", type=Path, default=CURVES_FILE, help="default: the shipped ones")
    check.set_defaults(run=_check)
    args = parser.parse_args(argv)
    return guarded(lambda: int(args.run(args)))


if __name__ == "__main__":
    raise SystemExit(main())
