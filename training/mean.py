"""The mean of the weights of nets that grew from one another.

``python -m gnubg_py.training.mean OUT.safetensors NET NET ...``. Runs that start from one another's
nets end with similar weights. The mean of these has less noise than each (Izmailov et al. 2018),
and is evaluated as fast as one net. With ``--half`` the file is half as large.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.compare.decisions import read_decisions
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.registry import default_router
from gnubg_py.exits import DONE, guarded
from gnubg_py.network.weights import Weights, load_weights, save_weights

from .scores import score_net


def mean_weights(nets: list[Weights]) -> Weights:
    """The mean of nets of one architecture; its card contains all their cards, numbered from 1."""
    first = nets[0]
    for net in nets[1:]:
        if net.architecture != first.architecture:
            raise ValueError(f"{net.architecture} is not {first.architecture}: nets must be alike")
    if len(nets) == 1:
        return first
    layers = tuple(
        (_mean([net.layers[i][0] for net in nets]), _mean([net.layers[i][1] for net in nets]))
        for i in range(len(first.layers))
    )
    card = {f"{k} {n}": v for n, net in enumerate(nets, 1) for k, v in net.card.items()}
    return replace(first, layers=layers, card=card)


def _mean(arrays: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    return np.asarray(np.mean(arrays, axis=0, dtype=np.float64), np.float32)


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m gnubg_py.training.mean", description=__doc__)
    parser.add_argument("out", type=Path, help="the weights file to write")
    parser.add_argument("nets", type=Path, nargs="+", help="weights files of nets alike")
    parser.add_argument(
        "--decisions", type=Path, help="judged decisions, to put a score on the card"
    )
    parser.add_argument("--half", action="store_true", help="store the weights in 16 bits")
    args = parser.parse_args(argv)

    def work() -> int:
        mean = mean_weights([load_weights(path) for path in args.nets])
        if args.decisions is not None:
            race = default_router().leaf(PositionClass.RACE)
            scores = score_net(mean, read_decisions(args.decisions), race)
            mean = replace(mean, card={**mean.card, "mean": json.dumps({"scores": scores})})
        save_weights(args.out, mean, args.half)
        return DONE

    return guarded(work)


if __name__ == "__main__":
    raise SystemExit(main())
