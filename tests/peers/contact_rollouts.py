"""Rollouts of contact positions beside gnubg's: how far apart they are, in joint standard errors.

A command of its own, since it takes hours: ``python -m tests.peers.contact_rollouts OUT.jsonl``.
Every position is one line of the file once it is done, so that a run that was stopped goes on where
it was. The summary of all lines is printed at the end, and alone by ``--positions 0``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import START, Boards
from gnubg_py.dice import roll_dice
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.groups import lowest
from gnubg_py.match import MatchState
from gnubg_py.notation import gnubg_id
from gnubg_py.plays import plays_batch
from gnubg_py.probabilities import cubeless_equity
from gnubg_py.rollouts.run import rollout
from gnubg_py.rollouts.settings import RolloutSettings

from .test_rollout_peers import gnubg_rollouts, ours

STATE = MatchState(jacoby=True)
CUBELESS, CUBEFUL = 5, 6
COLUMNS = {CUBELESS: "cubeless", CUBEFUL: "cubeful"}
LATEST = 24
"""Positions come up at turn 2 to this of games that the fast net plays against itself."""


def contact_positions(n: int, seed: int) -> Boards:
    """Contact positions of as many games between good players, ``int8[n, 2, 25]``."""
    generator = np.random.default_rng(seed)
    games, fast = 3 * n, evaluator_named("fast")
    boards = np.repeat(START[None], games, axis=0)
    wanted = generator.integers(2, LATEST + 1, games)
    found: list[Boards] = []
    for turn in range(1, LATEST + 1):
        plays, offsets = plays_batch(boards, roll_dice(generator, len(boards)))
        boards = plays[lowest(cubeless_equity(fast(plays).astype(float)), offsets)]
        contact = classify(boards) == PositionClass.CONTACT
        found.append(boards[contact & (wanted == turn)])
        boards, wanted = boards[contact & (wanted > turn)], wanted[contact & (wanted > turn)]
        if not len(boards):
            break
    every = np.concatenate(found)
    return np.asarray(every[generator.permutation(len(every))[:n]])


def add_lines(path: Path, positions: int, trials: int, seed: int) -> None:
    """Roll out the positions that are not in the file yet, and add a line for each."""
    done = {line["id"] for line in read(path)}
    for number, board in enumerate(contact_positions(positions, seed) if positions else ()):
        name = gnubg_id(board, STATE)
        if name in done:
            continue
        with tempfile.TemporaryDirectory() as folder:
            (their,), took = gnubg_rollouts([name], [f"set rollout trials {trials}"], Path(folder))
        result = rollout((board, STATE), RolloutSettings(trials=trials, seed=seed + number))
        mine = ours(result)
        line = {
            "id": name, "trials": trials, "seconds": [took.wall, result.seconds],
            "gnubg": their.values.tolist(), "gnubg_errors": their.errors.tolist(),
            "ours": mine.values.tolist(), "our_errors": mine.errors.tolist(),
        }  # fmt: skip
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")
        z = standardised([line], CUBEFUL)[0]
        print(f"{number + 1}/{positions} {name} gnubg {their.values[CUBEFUL]:+.3f} "
              f"ours {mine.values[CUBEFUL]:+.3f} z {z:+.2f}", flush=True)  # fmt: skip


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a file, none where there is no such file; a half line of a kill is left out."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def standardised(lines: list[dict[str, Any]], column: int) -> NDArray[np.float64]:
    """Ours less gnubg's in joint standard errors. gnubg prints three decimals: half of the last."""
    gap = [line["ours"][column] - line["gnubg"][column] for line in lines]
    errors = [(line["our_errors"][column], line["gnubg_errors"][column]) for line in lines]
    rounding = 0.001 / np.sqrt(12)
    return np.asarray(np.array(gap) / np.hypot(np.hypot(*np.transpose(errors)), rounding))


def summary(lines: list[dict[str, Any]]) -> str:
    """Chi-square and mean of z, and the mean gap with its standard error, column by column."""
    out = [f"{len(lines)} positions"]
    for column, name in COLUMNS.items():
        z = standardised(lines, column)
        gaps = np.array([line["ours"][column] - line["gnubg"][column] for line in lines])
        error = gaps.std(ddof=1) / np.sqrt(len(gaps))
        out.append(
            f"{name}: chi-square {float((z**2).sum()):.1f} of {len(z)}, mean z {z.mean():+.2f} "
            f"± {1 / np.sqrt(len(z)):.2f}, worst {z[np.abs(z).argmax()]:+.2f}, ours lower in "
            f"{int((gaps < 0).sum())}, mean gap {gaps.mean():+.4f} ± {error:.4f}"
        )
    return "\n".join(out)


def main() -> None:
    """Read the options, roll out, print the summary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="the file of results, read and added to")
    parser.add_argument("--positions", type=int, default=50)
    parser.add_argument("--trials", type=int, default=1296)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    add_lines(args.out, args.positions, args.trials, args.seed)
    lines = read(args.out)
    print(summary(lines) if len(lines) > 1 else f"{len(lines)} positions: too few for a summary")


if __name__ == "__main__":
    main()
