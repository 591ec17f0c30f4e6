"""Regret: the equity that a pupil's plays lose by its teachers, to measure distilling.

``python -m gnubg_py.training.regret PUPIL ... --teacher NET ...``. Scores on judged
decisions are too noisy to order two good nets. Thousands of rolls of self-play, judged by the mean
of the teachers' own values, show how close a pupil is to them. There is no search.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.compare.decisions import Score, score
from gnubg_py.compare.duel import rolls_in_contact, self_play
from gnubg_py.compare.strength import plus_minus
from gnubg_py.evaluators.registry import with_net_file
from gnubg_py.exits import DONE, guarded
from gnubg_py.groups import lowest
from gnubg_py.network.leaf import load_leaf
from gnubg_py.probabilities import cubeless_equity

_POSITIONS = 24_000


def _equities(net: Path, boards: Boards) -> NDArray[np.float64]:
    """Cubeless equities of the side on roll, by a net without search."""
    return cubeless_equity(load_leaf(net)(boards)).astype(np.float64)


def regret(
    pupil: Path, taught: NDArray[np.float64], plays: Boards, offsets: NDArray[np.int64]
) -> Score:
    """The losses of the pupil's plays by the teachers' equities of all plays, float64[m]."""
    chosen = lowest(_equities(pupil, plays), offsets)
    return score(taught[chosen] - taught[lowest(taught, offsets)])


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m gnubg_py.training.regret", description=__doc__)
    parser.add_argument("pupils", type=Path, nargs="+", help="weights files of contact nets")
    parser.add_argument("--teacher", type=Path, nargs="+", required=True, help="those they follow")
    parser.add_argument("--positions", type=int, default=_POSITIONS, help="(default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the games and dice (default: 0)")
    args = parser.parse_args(argv)

    def work() -> int:
        if args.positions < 1 or args.seed < 0:
            raise ValueError("positions should be at least 1, the seed at least 0")
        boards = self_play(args.positions, args.seed, with_net_file(args.teacher[0]))
        plays, offsets = rolls_in_contact(boards, args.seed)
        taught = np.mean([_equities(net, plays) for net in args.teacher], axis=0)
        print(f"Thousandths of a point given up a roll, {len(offsets) - 1:,} rolls:")
        for pupil in args.pupils:
            found = regret(pupil, taught, plays, offsets)
            print(f"{pupil}: {plus_minus(found.error, found.standard_error, 3)}")
        return DONE

    return guarded(work)


if __name__ == "__main__":
    raise SystemExit(main())
