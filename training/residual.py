"""Residuals of nets: the value one roll ahead less the net's own, on fixed positions.

``python -m gnubg_py.training.residual NET ...``. It needs no judge: a net whose value of a position
equals the mean of its values after the best plays of the 21 rolls can learn nothing from itself.
Stronger nets have smaller residuals, and 5,000 positions show the difference in seconds.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import CHECKERS, Boards, swap
from gnubg_py.compare.duel import play_duel
from gnubg_py.compare.phases import PHASES, SITUATIONS, phases, situations
from gnubg_py.compare.players import leaf_chooser
from gnubg_py.dice import ROLL_PROBABILITIES
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.protocol import Evaluator, evaluate_children
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.exits import DONE, guarded
from gnubg_py.files import read_lines, write_aside
from gnubg_py.groups import lowest
from gnubg_py.messages import progress
from gnubg_py.notation.position_id import from_position_ids, position_ids
from gnubg_py.plays import all_rolls
from gnubg_py.probabilities import cubeless_equity

from .plot import draw_bars

_POSITIONS = Path(__file__).with_name("positions.txt")
"""Position IDs of 5,000 positions of the nets of November 2026: ``--play net --save`` made them."""
OFF = {"none off": 0, "1-5 off": 5, "6-10 off": 10, "11 and more off": 2 * CHECKERS}
"""Groups by checkers borne off, those of both sides together: the most in each."""
_AT_ONCE = 128


def usual_positions(path: Path = _POSITIONS) -> Boards:
    """The positions of a file of Position IDs, by default the 5,000 fixed ones."""
    return from_position_ids([line.strip() for line in read_lines(path)])


def residuals(evaluator: Evaluator, boards: Boards) -> NDArray[np.float64]:
    """Cubeless equity one roll ahead less the evaluator's own, float64[n]."""
    own = cubeless_equity(evaluator(boards)).astype(np.float64)
    ahead = np.empty(len(boards))
    with progress(len(boards), "positions") as bar:
        for start in range(0, len(boards), _AT_ONCE):
            part = boards[start : start + _AT_ONCE]
            children, offsets = all_rolls(part)
            first = np.ascontiguousarray(offsets[::21])
            theirs = cubeless_equity(evaluate_children(evaluator, swap(part), children, first))
            best = theirs[lowest(theirs, offsets)].reshape(-1, 21)
            ahead[start : start + len(part)] = -best @ ROLL_PROBABILITIES
            bar.update(len(part))
    return ahead - own


@dataclass(frozen=True)
class Residual:
    """Root mean square and median of absolute residuals, in points, and the number of positions."""

    rms: float
    median: float
    n: int


def residual_of(errors: NDArray[np.float64]) -> Residual:
    """The figures of residuals; 0 if there are none."""
    if not len(errors):
        return Residual(0.0, 0.0, 0)
    rms = float(np.sqrt(np.mean(errors**2)))
    return Residual(round(rms, 5), round(float(np.median(np.abs(errors))), 5), len(errors))


def groups(boards: Boards) -> dict[str, NDArray[np.bool_]]:
    """All positions, and those of each phase, situation and count of checkers off that occurs."""
    phase = phases(boards)
    found = {"all": np.ones(len(boards), bool)}
    found |= {name: phase == number for number, name in enumerate(PHASES)}
    off = 2 * CHECKERS - boards.sum(axis=(1, 2), dtype=np.int64)
    least = 0
    for name, most in OFF.items():
        found[name] = (off >= least) & (off <= most)
        least = most + 1
    there = situations(boards)
    found |= {name: there[name] for name in SITUATIONS}
    return {name: rows for name, rows in found.items() if rows.any()}


def played_positions(player: Evaluator, count: int, seed: int) -> Boards:
    """``count`` contact and crashed positions, every fourth one of a player's games with itself."""
    chooser = leaf_chooser(player)
    found: list[Boards] = []
    while sum(map(len, found)) < 4 * count:
        boards = play_duel(
            (chooser, chooser), count // 12 + 8, [seed, len(found)], keep=True
        ).boards
        found.append(boards[classify(boards) >= PositionClass.CRASHED])
    boards = np.concatenate(found)
    return boards[np.random.default_rng(seed).permutation(len(boards))[:count]]


def _table(found: dict[str, dict[str, Residual]]) -> str:
    """Residuals by net and group: rms, median and positions, in thousandths of a point."""
    names = list(found)
    lines = ["| thousandths: rms, median | positions | " + " | ".join(names) + " |"]
    lines.append("|---|---|" + "---|" * len(names))
    for group, one in found[names[0]].items():
        cells = [f"{1e3 * f[group].rms:.1f}, {1e3 * f[group].median:.1f}" for f in found.values()]
        lines.append(f"| {group} | {one.n} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    program = "python -m gnubg_py.training.residual"
    parser = argparse.ArgumentParser(prog=program, description=__doc__)
    add = parser.add_argument
    add("nets", nargs="+", metavar="NET", help="weights files, or names of evaluators")
    add("--positions-file", type=Path, default=_POSITIONS, help="Position IDs, one to a line")
    add("--play", metavar="NET", help="take positions of this net's games with itself instead")
    add("--positions", type=int, default=5_000, help="how many of those (default: %(default)s)")
    add("--seed", type=int, default=0, help="of their dice (default: %(default)s)")
    add("--save", type=Path, metavar="FILE", help="write the Position IDs")
    add("--plot", type=Path, metavar="FILE", help="draw the groups' residuals (.png, .svg)")
    add("--json", action="store_true", help="print one JSON value")
    args = parser.parse_args(argv)
    return guarded(lambda: _run(args))


def _run(args: argparse.Namespace) -> int:
    if args.positions < 1 or args.seed < 0:
        raise ValueError("positions should be at least 1, the seed at least 0")
    if args.play:
        boards = played_positions(evaluator_named(args.play), args.positions, args.seed)
    else:
        boards = usual_positions(args.positions_file)
    if args.save:
        write_aside(args.save, ("\n".join(position_ids(boards)) + "\n").encode())
    where = groups(boards)
    found: dict[str, dict[str, Residual]] = {}
    for name in args.nets:
        errors = residuals(evaluator_named(name), boards)
        found[name] = {group: residual_of(errors[rows]) for group, rows in where.items()}
    if args.plot:
        draw_bars(
            args.plot,
            {name: {g: 1e3 * r.rms for g, r in one.items()} for name, one in found.items()},
            "residual, thousandths of a point (rms)",
        )
    plain = {name: {g: vars(r) for g, r in one.items()} for name, one in found.items()}
    print(json.dumps(plain) if args.json else _table(found))
    return DONE


if __name__ == "__main__":
    raise SystemExit(main())
