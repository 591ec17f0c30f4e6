"""What pupils' choices give up by their teachers: how well a net was distilled.

``python -m gnubg_py.training.regret PUPIL ... --teacher NET ...``. Judged decisions tell two good
nets apart by chance alone; thousands of rolls of self-play, judged by the mean of the teachers'
own values, tell how near a pupil has come to them. Nobody searches.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.compare.decisions import Score, score
from gnubg_py.compare.duel import self_play
from gnubg_py.dice import roll_dice
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.registry import with_net_file
from gnubg_py.exits import DONE, guarded
from gnubg_py.groups import lowest
from gnubg_py.network.leaf import load_leaf
from gnubg_py.plays import plays_batch
from gnubg_py.probabilities import cubeless_equity

POSITIONS = 24_000


@dataclass(frozen=True)
class Choices:
    """Rolls to choose plays of: boards int8[m, 2, 25], those of roll i from offsets[i] on."""

    boards: Boards
    offsets: NDArray[np.int64]


def choices_of(player: Path, count: int, seed: int) -> Choices:
    """Rolls of ``count`` positions of a net's play with itself, all plays of which keep contact."""
    boards = self_play(count, seed, with_net_file(player))
    plays, offsets = plays_batch(boards, roll_dice(np.random.default_rng(seed), len(boards)))
    contact = classify(plays) >= PositionClass.CRASHED
    sizes = np.diff(offsets)
    wanted = (np.add.reduceat(contact, offsets[:-1]) == sizes) & (sizes > 1)
    rows = np.repeat(wanted, sizes)
    return Choices(plays[rows], np.concatenate([[0], np.cumsum(sizes[wanted])]).astype(np.int64))


def equities(net: Path, boards: Boards) -> NDArray[np.float64]:
    """Cubeless equities of the side on roll, by a net alone."""
    return cubeless_equity(load_leaf(net)(boards)).astype(np.float64)


def regret(pupil: Path, taught: NDArray[np.float64], choices: Choices) -> Score:
    """What the pupil's choices give up by ``taught`` equities, float64[m], of their boards."""
    chosen = lowest(equities(pupil, choices.boards), choices.offsets)
    return score(taught[chosen] - taught[lowest(taught, choices.offsets)])


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m gnubg_py.training.regret", description=__doc__)
    parser.add_argument("pupils", type=Path, nargs="+", help="weights files of contact nets")
    parser.add_argument("--teacher", type=Path, nargs="+", required=True, help="those they follow")
    parser.add_argument("--positions", type=int, default=POSITIONS, help="(default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the games and dice (default: 0)")
    args = parser.parse_args(argv)

    def work() -> int:
        if args.positions < 1 or args.seed < 0:
            raise ValueError("positions should be at least 1, the seed at least 0")
        choices = choices_of(args.teacher[0], args.positions, args.seed)
        taught = np.mean([equities(net, choices.boards) for net in args.teacher], axis=0)
        print(f"Thousandths of a point given up a roll, {len(choices.offsets) - 1:,} rolls:")
        for pupil in args.pupils:
            found = regret(pupil, taught, choices)
            print(f"{pupil}: {found.error:.3f} ± {found.standard_error:.3f}")
        return DONE

    return guarded(work)


if __name__ == "__main__":
    raise SystemExit(main())
