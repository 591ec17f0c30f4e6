"""The net of contact positions' own efficiency of the cube (``nets/cube.safetensors``).

``python -m gnubg_py.training.cube_net value FILE RUN ...`` draws contact positions from the buffers
of training runs, and values each 2-ply with a centred cube, with one's own and with the other
side's, without a double on the first turn. ``... fit FILE ... --out NET`` fits the net.

Janowski's value is ``(1 - x) * dead + x * live``. The net's x is the one that makes it, from the
evaluator's own probabilities, nearest to the 2-ply value (least squares): where the cube is worth
the same dead or alive, x counts nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.cube.efficiency import DEFAULT_EFFICIENCY
from gnubg_py.cube.efficiency_net import efficiency_net, facts_of, position_efficiency
from gnubg_py.engine import Engine, engine_of
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.exits import DONE, guarded
from gnubg_py.messages import print_answer, progress
from gnubg_py.network.encoding import encode
from gnubg_py.network.model import Net, weights_of
from gnubg_py.network.weights import Architecture, Weights, read_tensors, save_weights, write_net
from gnubg_py.search.context import make_search
from gnubg_py.search.settings import EvalSettings
from gnubg_py.search.values import values

from .bakeoff import read_buffers
from .cube_curves import CUBES, dead_and_live

_CHANCES = (0.02, 0.98)
"""Positions with other winning chances are left out: they say nothing about the cube."""
_AT_ONCE = 5000
_HELD_OUT = 0.05
_BATCH, _RATE, _LAST_RATE, _DECAY = 1024, 2e-3, 6e-6, 1e-2


@dataclass(frozen=True)
class Valued:
    """n positions, int8[n, 2, 25], with their 2-ply values float32[n, 3] with each of ``CUBES``."""

    boards: Boards
    values: NDArray[np.float32]


def drawn(runs: Sequence[Path], engine: Engine, count: int, seed: int) -> Boards:
    """``count`` contact positions of the runs' buffers, which the cube matters in."""
    buffer, _ = read_buffers(runs, 1000)
    order = np.random.default_rng(seed).permutation(buffer.filled)
    found: list[Boards] = []
    for start in range(0, len(order), _AT_ONCE):
        boards = buffer.boards[order[start : start + _AT_ONCE]]
        boards = boards[classify(boards) >= PositionClass.CRASHED]
        chance = engine.evaluator(boards)[:, 0]
        found.append(boards[(chance > _CHANCES[0]) & (chance < _CHANCES[1])])
        if sum(map(len, found)) >= count:
            return np.concatenate(found)[:count]
    raise ValueError(f"{sum(map(len, found)):,} such positions in these runs: not {count:,}")


def with_values(boards: Boards, engine: Engine) -> Valued:
    """Positions with their 2-ply values; plays are those of a centred cube."""
    search, found = make_search(engine, EvalSettings(2)), np.empty((len(boards), len(CUBES)))
    with progress(len(boards), "positions") as bar:
        for start in range(0, len(boards), _AT_ONCE):
            rows = slice(start, start + _AT_ONCE)
            found[rows] = values(search, boards[rows], CUBES)[1]
            bar.update(len(boards[rows]))
    return Valued(boards, found.astype(np.float32))


def read_valued(paths: Sequence[Path]) -> Valued:
    """The positions in files that ``value`` wrote."""
    parts = [read_tensors(path)[1] for path in paths]
    for path, part in zip(paths, parts, strict=True):
        kinds = {name: (array.dtype.name, array.shape[1:]) for name, array in part.items()}
        expected = {"boards": ("int8", (2, 25)), "values": ("float32", (len(CUBES),))}
        if kinds != expected or len(part["boards"]) != len(part["values"]):
            raise ValueError(
                f"{path}: expected boards and values, as `value` writes them:"
                " int8[n, 2, 25], float32[n, 3]"
            )
    return Valued(
        *(np.concatenate([part[name] for part in parts]) for name in ("boards", "values"))
    )


def fit_net(
    known: Valued, five: NDArray[np.float32], hidden: tuple[int, int], epochs: float, seed: int
) -> Weights:
    """Fit a net to positions with these probabilities."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    net = Net(Architecture(hidden, position_class="cube"))
    *_, last = net.linear()
    with torch.no_grad():
        last.weight.zero_()
        last.bias.fill_(DEFAULT_EFFICIENCY.contact)
    generator, facts = np.random.default_rng(seed), facts_of(five)
    dead, live = dead_and_live(five)
    pairs = known.values - dead, live - dead
    wanted, apart = (torch.from_numpy(pair.astype(np.float32)) for pair in pairs)
    optimiser = torch.optim.AdamW(net.parameters(), _RATE, weight_decay=_DECAY)
    steps = int(epochs * len(five) / _BATCH)
    with progress(steps, "steps") as bar:
        for step in range(steps):
            for group in optimiser.param_groups:
                group["lr"] = _RATE * (_LAST_RATE / _RATE) ** (step / steps)
            rows = generator.integers(len(five), size=_BATCH)
            inputs = np.concatenate([encode(known.boards[rows]), facts[rows]], axis=1)
            found = net(torch.from_numpy(inputs))
            loss = ((wanted[rows] - found * apart[rows]) ** 2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            bar.update(1)
    return weights_of(net, {"positions": str(len(five)), "epochs": str(epochs), "seed": str(seed)})


def value_errors(
    known: Valued, five: NDArray[np.float32], weights: Weights | None
) -> NDArray[np.float64]:
    """Values by a net's efficiencies, or by the constant, less the 2-ply ones: float64[n, 3]."""
    x = np.full((len(five), len(CUBES)), DEFAULT_EFFICIENCY.contact)
    if weights is not None:
        x = position_efficiency(known.boards, five, efficiency_net(weights))
    dead, live = dead_and_live(five)
    return np.asarray(dead + x * (live - dead) - known.values)


def table_of_errors(known: Valued, five: NDArray[np.float32], weights: Weights) -> str:
    """Root mean square errors of positions that were not fitted, in thousandths, as a table."""
    lines = ["| | centred | own | the other's |", "|---|---|---|---|"]
    for name, net in (("constant", None), ("net", weights)):
        errors = 1000 * np.sqrt((value_errors(known, five, net) ** 2).mean(axis=0))
        lines.append(f"| {name} | {' | '.join(f'{error:.1f}' for error in errors)} |")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m gnubg_py.training.cube_net")
    parser.description = __doc__
    parser.add_argument("--evaluator", default="net", help="whose values (default: net)")
    parser.add_argument("--seed", type=int, default=1)
    commands = parser.add_subparsers(dest="command", required=True)
    value = commands.add_parser("value", help="value positions of runs, 2-ply")
    value.add_argument("file", type=Path)
    value.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    value.add_argument("--positions", type=int, default=1_000_000)
    fit = commands.add_parser("fit", help="fit the net, and compare it with the constant")
    fit.add_argument("files", type=Path, nargs="+", metavar="FILE")
    fit.add_argument("--hidden", type=int, nargs=2, default=(256, 32))
    fit.add_argument("--epochs", type=float, default=10)
    fit.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)

    def work() -> int:
        if args.command == "value":
            _value(args)
        else:
            _fit(args)
        return DONE

    return guarded(work)


def _value(args: argparse.Namespace) -> None:
    if args.positions < 1:
        raise ValueError(f"--positions {args.positions}: should be at least 1")
    engine = engine_of(args.evaluator)
    boards = drawn(args.runs, engine, args.positions, args.seed)
    write_net(args.file, {}, vars(with_values(boards, engine)))


def _fit(args: argparse.Namespace) -> None:
    if min(args.hidden) < 1 or not 0 < args.epochs <= 1000:
        raise ValueError("--hidden should be at least 1, --epochs above 0 and at most 1,000")
    known = read_valued(args.files)
    five = engine_of(args.evaluator).evaluator(known.boards)
    held = int(_HELD_OUT * len(five))
    left = Valued(known.boards[held:], known.values[held:])
    weights = fit_net(left, five[held:], tuple(args.hidden), args.epochs, args.seed)
    save_weights(args.out, weights)
    held_out = Valued(known.boards[:held], known.values[:held])
    print_answer(table_of_errors(held_out, five[:held], weights))


if __name__ == "__main__":
    raise SystemExit(main())
