"""How far a net's values are from a judge's, not only which plays it chooses.

``python -m gnubg_py.training.level NET ... --decisions FILE``. Of each contact and crashed decision
the plays count that the judge looked at as deeply as at any. ``level`` is the rms, over the
decisions, of the mean error of a decision's plays; ``within`` the standard deviation of the errors
around that mean, between the plays of one decision. A search that looks further ahead chooses
between positions that differ more, and the cube acts on values: there the level counts, which no
loss of static plays shows.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.compare.decisions import json_lines
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.exits import DONE, guarded
from gnubg_py.notation.position_id import from_position_ids
from gnubg_py.probabilities import cubeless_equity

_CLASSES = ("contact", "crashed")


@dataclass(frozen=True)
class DeepPlays:
    """Plays that a judge looked at deeply, those of one decision side by side.

    ``boards`` int8[m, 2, 25], the opponent on roll; ``equities`` float64[m] for the side that
    played; the plays of decision i are ``first[i]:first[i + 1]``.
    """

    boards: Boards
    equities: NDArray[np.float64]
    first: NDArray[np.int64]


@dataclass(frozen=True)
class Level:
    """Errors in points, and how many decisions and plays they are of."""

    level: float
    within: float
    decisions: int
    plays: int


def read_deep_plays(path: Path) -> DeepPlays:
    """The deeply judged plays of the contact and crashed decisions of a file."""
    found = [one for one in json_lines(path, "a judged decision", _plays) if one[0]]
    if not found:
        raise ValueError(f"{path}: no contact or crashed decision whose plays name the look-ahead")
    sizes = [len(ids) for ids, _ in found]
    return DeepPlays(
        from_position_ids([one for ids, _ in found for one in ids]),
        np.array([equity for _, equities in found for equity in equities]),
        np.cumsum([0, *sizes]),
    )


def _plays(item: Any, _: str) -> tuple[list[str], list[float]]:
    """The Position IDs after a decision's deepest judged plays, and their equities."""
    plays = [play for play in item["plays"] if item["class"] in _CLASSES and len(play) > 2]
    deepest = max((int(play[2]) for play in plays), default=0)
    deep = [play for play in plays if play[2] == deepest > 0]
    return [play[0] for play in deep], [float(play[1]) for play in deep]


def level_of(evaluator: Evaluator, judged: DeepPlays) -> Level:
    """How far an evaluator's cubeless equities are from a judge's."""
    errors = -cubeless_equity(evaluator(judged.boards)) - judged.equities
    sizes = np.diff(judged.first)
    means = np.add.reduceat(errors, judged.first[:-1]) / sizes
    rest = errors - np.repeat(means, sizes)
    within = np.sqrt((rest**2).sum() / max(1, len(errors) - len(sizes)))
    return Level(float(np.sqrt(np.mean(means**2))), float(within), len(sizes), len(errors))


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m gnubg_py.training.level")
    parser.description = __doc__
    parser.add_argument("nets", nargs="+", metavar="NET", help="weights files, or evaluators")
    parser.add_argument("--decisions", type=Path, required=True, help="judged decisions")
    parser.add_argument("--json", action="store_true", help="print one JSON value")
    args = parser.parse_args(argv)

    def work() -> int:
        judged = read_deep_plays(args.decisions)
        found = {name: level_of(evaluator_named(name), judged) for name in args.nets}
        if args.json:
            print(json.dumps({name: vars(one) for name, one in found.items()}))
            return DONE
        print("| thousandths | level | within | decisions | plays |\n|---|---|---|---|---|")
        for name, one in found.items():
            figures = f"{1e3 * one.level:.1f} | {1e3 * one.within:.1f}"
            print(f"| {name} | {figures} | {one.decisions:,} | {one.plays:,} |")
        return DONE

    return guarded(work)


if __name__ == "__main__":
    raise SystemExit(main())
