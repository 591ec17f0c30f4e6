"""Plays that nets disagree about, judged by a search: the surest order of nets that are near.

``python -m gnubg_py.training.disputes NET NET ... --judge large --ply 2``. Each net chooses a play,
without search, of many rolls of self-play. Where all choose the same they lose nothing to each
other; so only the other rolls are searched, and tens of thousands of rolls take a minute. The judge
is a net of ours too: the order tells which net plays more like that net's search.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.compare.decisions import score
from gnubg_py.compare.duel import rolls_in_contact, self_play
from gnubg_py.compare.strength import plus_minus
from gnubg_py.engine import engine_of
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.exits import DONE, guarded
from gnubg_py.groups import lowest
from gnubg_py.probabilities import cubeless_equity
from gnubg_py.search.context import make_search
from gnubg_py.search.settings import EvalSettings
from gnubg_py.search.values import cubeless_probabilities

_POSITIONS = 40_000


@dataclass(frozen=True)
class Disputes:
    """What nets lose, by the judge, to the best of the plays that any of them chose.

    ``losses`` float64[nets, rolls], in points; ``disputed`` of the rolls had different plays.
    """

    losses: NDArray[np.float64]
    disputed: int


def disputes(
    nets: Sequence[Evaluator],
    judge: Evaluator,
    plies: int,
    plays: Boards,
    offsets: NDArray[np.int64],
) -> Disputes:
    """Have every net choose a play of each roll, and the judge value those that differ.

    ``plays`` int8[m, 2, 25], the opponent on roll; those of roll i are
    ``offsets[i]:offsets[i + 1]``. The judge looks ``plies`` rolls ahead, without a cube.
    """
    chosen = np.stack(
        [lowest(cubeless_equity(net(plays)).astype(np.float64), offsets) for net in nets]
    )
    differ = (chosen != chosen[0]).any(axis=0)
    rows, inverse = np.unique(chosen[:, differ], return_inverse=True)
    losses = np.zeros(chosen.shape)
    if len(rows):
        search = make_search(engine_of(judge), EvalSettings(plies, cubeful=False))
        theirs = cubeless_equity(cubeless_probabilities(search, plays[rows])).astype(np.float64)
        found = theirs[inverse.reshape(len(nets), -1)]
        losses[:, differ] = found - found.min(axis=0)
    return Disputes(losses, int(differ.sum()))


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m gnubg_py.training.disputes")
    parser.description = __doc__
    parser.add_argument("nets", nargs="+", metavar="NET", help="weights files, or evaluators")
    parser.add_argument("--judge", default="large", metavar="NET", help="(default: large)")
    parser.add_argument("--ply", type=int, default=2, help="of the judge (default: 2)")
    parser.add_argument("--play", default="net", metavar="NET", help="plays the games (net)")
    parser.add_argument("--positions", type=int, default=_POSITIONS, help="(default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the games and dice (default: 0)")
    args = parser.parse_args(argv)

    def work() -> int:
        if args.positions < 1 or args.seed < 0 or len(args.nets) < 2:
            raise ValueError("two nets or more; positions at least 1, the seed at least 0")
        nets = [evaluator_named(name) for name in args.nets]
        boards = self_play(args.positions, args.seed, evaluator_named(args.play))
        plays, offsets = rolls_in_contact(boards, args.seed)
        found = disputes(nets, evaluator_named(args.judge), args.ply, plays, offsets)
        rolls = len(offsets) - 1
        print(f"{found.disputed:,} of {rolls:,} rolls disputed; thousandths given up a roll:")
        print("| net | | less the first |\n|---|---|---|")
        for name, losses in zip(args.nets, found.losses, strict=True):
            mine, less = score(losses), score(losses - found.losses[0])
            alone = plus_minus(mine.error, mine.standard_error, 3)
            apart = plus_minus(less.error, less.standard_error, 3, "+")
            print(f"| {Path(name).stem} | {alone} | {apart} |")
        return DONE

    return guarded(work)


if __name__ == "__main__":
    raise SystemExit(main())
