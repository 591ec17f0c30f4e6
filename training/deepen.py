"""Positions of a run with the values of a search: targets without noise, where choices are close.

``python -m gnubg_py.training.deepen RUN OUT --evaluator large --ply 1``. Of every roll in the
buffer of the run the plays near the best are searched: the others matter little for a choice.
OUT is a folder with a checkpoint that ``bakeoff`` reads as it reads that of a run. It is written
every few minutes and after Ctrl-C, and the same command goes on from there.
"""

from __future__ import annotations

import argparse
import json
import time
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from gnubg_py.engine import engine_of
from gnubg_py.exits import DONE, guarded
from gnubg_py.files import write_aside
from gnubg_py.groups import few_lowest
from gnubg_py.messages import print_answer, progress
from gnubg_py.probabilities import OUTCOME_EQUITIES, six_of
from gnubg_py.rollouts.run import identity
from gnubg_py.search.context import Search, make_search
from gnubg_py.search.settings import EvalSettings
from gnubg_py.search.values import cubeless_probabilities

from .bakeoff import class_of_run, joined_buffers, read_buffer
from .checkpoint import CHECKPOINT, read_arrays
from .config import check_at_least
from .fit import Buffer
from .stop import stop_when_asked

_AT_ONCE = 1000
"""Rolls that are searched at once."""
_SECONDS = 180
"""Between two times that the result is written."""
_NAMES = ("boards", "targets", "rolls")


def near_best(
    buffer: Buffer, most: int, within: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of the best plays of every roll, by their targets, and the rolls' offsets in them.

    At most ``most`` plays of a roll, none worse than the best by more than ``within`` points. In
    the positions after them the opponent is on roll, so that the lowest equity is the best.
    """
    starts = np.flatnonzero(np.diff(buffer.rolls, prepend=buffer.rolls[:1] - 1))
    offsets = np.append(starts, len(buffer.rolls)).astype(np.int64)
    equities = (buffer.targets @ OUTCOME_EQUITIES).astype(np.float64)
    return few_lowest(equities, offsets, most, within)


def drawn_rows(
    rows: NDArray[np.int64], offsets: NDArray[np.int64], seed: int
) -> Iterator[NDArray[np.int64]]:
    """The rows of some rolls at a time, in an order of a seed: neighbours stay together."""
    starts = np.arange(0, len(offsets) - 1, _AT_ONCE)
    for start in np.random.default_rng(seed).permutation(starts):
        last = min(start + _AT_ONCE, len(offsets) - 1)
        yield rows[offsets[start] : offsets[last]]


def searched(buffer: Buffer, rows: NDArray[np.int64], search: Search) -> Buffer:
    """These positions of a buffer, with the chances of the outcomes by a search without a cube."""
    boards = buffer.boards[rows]
    targets = six_of(cubeless_probabilities(search, boards)).astype(np.float32)
    return Buffer(boards, targets, buffer.rolls[rows], len(rows))


def maker(args: argparse.Namespace, search: Search, buffer: Buffer) -> str:
    """What a result depends on, as a text: the positions, the nets and the options."""
    digest = 0
    for array in (buffer.boards, buffer.targets, buffer.rolls):
        digest = zlib.crc32(np.ascontiguousarray(array).data, digest)
    names = ("ply", "most", "within", "seed")
    options = " ".join(f"{name} {getattr(args, name)}" for name in names)
    return f"positions {digest:08x} {options} {identity(search.engine.evaluator)}"


def read_part(folder: Path, made_by: str) -> tuple[list[Buffer], int]:
    """What a folder has already, and how often ``drawn_rows`` gave some; ``ValueError`` if another
    command made it.
    """
    if not (folder / CHECKPOINT).exists():
        return [], 0
    arrays, texts = read_arrays(folder / CHECKPOINT)
    if texts.get("made_by") != made_by:
        raise ValueError(
            f"{folder}: it has the positions of another command, or a run; name another folder"
        )
    boards, targets, rolls = (arrays[f"buffer.{name}"] for name in _NAMES)
    return [Buffer(boards, targets, rolls, len(boards))], int(texts["drawn"])


def write_part(folder: Path, buffer: Buffer, texts: dict[str, str]) -> None:
    """Write positions as a checkpoint, with its texts."""
    arrays = {f"buffer.{name}": getattr(buffer, name) for name in _NAMES}
    write_aside(folder / CHECKPOINT, save(arrays, texts))


def deepen(args: argparse.Namespace, search: Search, buffer: Buffer) -> int:
    """Search rolls of a run until there are enough, or until the user stops; returns positions."""
    made_by = maker(args, search, buffer)
    parts, drawn = read_part(args.out, made_by)
    texts = {
        "made_by": made_by,
        "config": json.dumps({"position_class": class_of_run(args.run)}),
    }
    rows, offsets = near_best(buffer, args.most, args.within)
    most = -(-min(args.rolls, len(offsets) - 1) // _AT_ONCE)
    args.out.mkdir(parents=True, exist_ok=True)

    def write() -> None:
        parts[:] = [joined_buffers(parts)]
        write_part(args.out, parts[0], texts | {"drawn": str(drawn)})

    written = time.monotonic()
    with stop_when_asked() as stop, progress(most * _AT_ONCE, "rolls") as bar:
        bar.update(drawn * _AT_ONCE)
        for some in islice(drawn_rows(rows, offsets, args.seed), drawn, most):
            parts.append(searched(buffer, some, search))
            drawn += 1
            bar.update(_AT_ONCE)
            if stop.asked:
                break
            if time.monotonic() - written > _SECONDS:
                write()
                written = time.monotonic()
    write()
    return parts[0].filled


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m gnubg_py.training.deepen")
    parser.description = __doc__
    parser.add_argument("run", type=Path, help="the folder of a training run")
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder to write")
    parser.add_argument("--evaluator", default="large", help="that searches (default: large)")
    parser.add_argument("--ply", type=int, default=1, help="how deep (default: 1)")
    parser.add_argument(
        "--rolls",
        type=int,
        default=1_000_000,
        help="in thousands, rounded up (default: %(default)s)",
    )
    parser.add_argument("--most", type=int, default=4, help="plays of a roll (default: 4)")
    parser.add_argument(
        "--within", type=float, default=0.08, help="points below the best (default: 0.08)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draw (default: 0)")
    args = parser.parse_args(argv)

    def work() -> int:
        check_at_least(1, args, ("rolls", "most"))
        check_at_least(0, args, ("within", "seed"))
        search = make_search(engine_of(args.evaluator), EvalSettings(args.ply, cubeful=False))
        buffer = read_buffer(args.run)
        if not buffer.filled:
            raise ValueError(f"{args.run}: its buffer has no positions")
        found = deepen(args, search, buffer)
        print_answer(f"{args.out}: {found:,} positions")
        return DONE

    return guarded(work)


if __name__ == "__main__":
    raise SystemExit(main())
