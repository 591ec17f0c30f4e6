"""How far nets' values are from rollouts, by the checkers that are off.

``python -m gnubg_py.training.rolled roll FILE`` rolls out positions of a net's games with itself,
as many of each group, and continues a file that it finds. ``... errors FILE NET ...`` prints the
rms error of each net's cubeless equities in each group. The part that the rollouts' own errors have
in it is taken out. The judge's level (``level.py``) needs another engine; this needs none.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Board, Boards
from gnubg_py.compare.decisions import MALFORMED, mean_and_error
from gnubg_py.compare.players import player_named
from gnubg_py.cube.state import Cube
from gnubg_py.engine import Engine, engine_of
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.exits import DONE, guarded
from gnubg_py.files import parse_json, read_lines, read_text, write_aside
from gnubg_py.messages import progress
from gnubg_py.notation.position_id import from_position_ids, position_id, position_ids
from gnubg_py.probabilities import cubeless_equity
from gnubg_py.rollouts.games import Start, play_games
from gnubg_py.rollouts.run import identity
from gnubg_py.rollouts.settings import RolloutSettings, same_plies
from gnubg_py.rollouts.values import Plan, make_plan
from gnubg_py.typed import shortened
from gnubg_py.workers import Threads, in_order

from .residual import OFF, groups, played_positions

_DRAWN = 40
"""Positions are played for each that is rolled out, since some groups are rare."""


@dataclass(frozen=True)
class RolledValues:
    """Positions ``int8[n, 2, 25]``, their cubeless equities and standard errors, float64[n]."""

    boards: Boards
    equities: NDArray[np.float64]
    errors: NDArray[np.float64]


def positions_by_off(player: Evaluator, each: int, seed: int) -> Boards:
    """Contact positions of a player's games: at most ``each`` of every group of ``OFF``."""
    boards = played_positions(player, _DRAWN * each, seed)
    where = groups(boards)
    rows = [np.flatnonzero(where[name])[:each] for name in OFF if name in where]
    return boards[np.concatenate(rows)]


def _roll_out(plan: Plan, board: Board) -> tuple[float, float]:
    """The mean cubeless equity of full games, the luck taken out, and its standard error."""
    games = play_games(plan, [Start(board, Cube(), 0)], np.arange(plan.settings.trials))
    equities = cubeless_equity((games.results - games.luck)[:, :5])
    return mean_and_error(equities.astype(np.float64))


def _known(file: Path, made_by: str) -> set[str]:
    """The positions that a file has; a last line that a stop cut off is dropped from it.

    ``ValueError`` if the lines were made by other nets or settings. Files of earlier versions do
    not say by which.
    """
    text = read_text(file) if file.is_file() else ""
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        write_aside(file, whole.encode())
    if not whole:
        return set()
    known = read_rolled_values(file)
    others = {parse_json(line).get("by", made_by) for line in read_lines(file)} - {made_by}
    if others:
        raise ValueError(f"{file}: made by {shortened(min(others))}, not by {made_by}")
    return set(position_ids(known.boards))


def roll_out_file(file: Path, boards: Boards, engine: Engine, settings: RolloutSettings) -> None:
    """Add to the file a line for each board that it does not have."""
    plies, trials, seed = settings.sides[0].plays.plies, settings.trials, settings.seed
    made_by = f"{plies} plies, {trials} trials, seed {seed}, {identity(engine.evaluator)}"
    known = _known(file, made_by)
    left = [board for board in boards if position_id(board) not in known]
    plan = make_plan(settings, engine, [Cube()])
    found = in_order(Threads(plan.stop.stop).results(_roll_out, plan, left))
    with file.open("a") as out, progress(len(left), "positions") as bar, closing(found):
        for board, (equity, error) in zip(left, found, strict=True):
            line = {"id": position_id(board), "equity": round(equity, 5), "error": round(error, 5)}
            out.write(json.dumps({**line, "by": made_by}) + "\n")
            out.flush()
            bar.update()


def read_rolled_values(file: Path) -> RolledValues:
    """The rollouts in a file; ``ValueError`` if a line is not a rollout."""
    try:
        items = [parse_json(line) for line in read_lines(file)]
        boards = from_position_ids([item["id"] for item in items])
        numbers = [np.array([item[key] for item in items], float) for key in ("equity", "error")]
    except MALFORMED as error:
        raise ValueError(f"{file}: not rollouts of positions ({error})") from error
    if not len(boards):
        raise ValueError(f"{file}: no rollouts")
    return RolledValues(boards, *numbers)


def errors_by_off(equities: NDArray[np.float64], rolled: RolledValues) -> dict[str, float]:
    """The rms of an evaluator's errors in all positions and in each group by checkers off."""
    squares = (equities - rolled.equities) ** 2 - rolled.errors**2
    where = groups(rolled.boards)
    names = [name for name in ("all", *OFF) if name in where]
    return {name: float(max(squares[where[name]].mean(), 0.0) ** 0.5) for name in names}


def errors_table(rolled: RolledValues, players: Sequence[str]) -> str:
    """A table of errors in thousandths of a point: a row for each group, a column for each net."""
    columns = []
    for name in players:
        equities = cubeless_equity(player_named(name).probabilities(rolled.boards))
        columns.append(errors_by_off(equities.astype(np.float64), rolled))
    where = groups(rolled.boards)
    lines = ["| thousandths, rms | positions | rollouts' own | " + " | ".join(players) + " |"]
    lines.append("|---|---|---|" + "---|" * len(players))
    for name in columns[0]:
        own = float(np.mean(rolled.errors[where[name]] ** 2) ** 0.5)
        cells = " | ".join(f"{1e3 * column[name]:.1f}" for column in columns)
        lines.append(f"| {name} | {where[name].sum()} | {1e3 * own:.1f} | {cells} |")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m gnubg_py.training.rolled", description=__doc__)
    commands = parser.add_subparsers(required=True)
    roll = commands.add_parser("roll", help="roll out positions; continues a file")
    roll.add_argument("file", type=Path, help="a line of JSON for each position")
    roll.add_argument("--net", default="net", help="plays the games and rollouts (default: net)")
    roll.add_argument("--ply", type=int, default=0, help="of the rollouts' plays (default: 0)")
    roll.add_argument("--each", type=int, default=250, help="positions of a group (default: 250)")
    roll.add_argument("--trials", type=int, default=180, help="of each position (default: 180)")
    roll.add_argument("--seed", type=int, default=0, help="of games and dice (default: 0)")
    roll.set_defaults(run=_roll)
    errors = commands.add_parser("errors", help="print the errors of nets")
    errors.add_argument("file", type=Path, help="what roll has written")
    errors.add_argument("nets", nargs="+", metavar="NET", help="like net, large@2 or a file")
    errors.set_defaults(run=_errors)
    args = parser.parse_args(argv)
    return guarded(lambda: int(args.run(args)))


def _roll(args: argparse.Namespace) -> int:
    if args.each < 1 or args.trials < 36 or args.seed < 0:
        raise ValueError("each should be at least 1, trials at least 36, the seed at least 0")
    engine = engine_of(evaluator_named(args.net))
    boards = positions_by_off(engine.evaluator, args.each, args.seed)
    settings = RolloutSettings(
        seed=args.seed, trials=args.trials, cubeful=False, sides=same_plies(args.ply)
    )
    roll_out_file(args.file, boards, engine, settings)
    return DONE


def _errors(args: argparse.Namespace) -> int:
    print(errors_table(read_rolled_values(args.file), args.nets))
    return DONE


if __name__ == "__main__":
    raise SystemExit(main())
