"""``gnubg-py rollout``: a position, plays of a roll, or a cube decision, by playing it out."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import replace
from pathlib import Path

from gnubg_py.commands.clustering import add_cluster_option, chosen_workers
from gnubg_py.commands.searching import net_file
from gnubg_py.dice import parse_dice
from gnubg_py.evaluators.registry import default_router, evaluator_named
from gnubg_py.evaluators.router import Router, with_exact_endings
from gnubg_py.exits import DONE, INTERRUPTED
from gnubg_py.files import check_target
from gnubg_py.messages import print_answer
from gnubg_py.rollouts.result import INTERRUPTED as STOPPED_EARLY
from gnubg_py.rollouts.result import RolloutResult, load_result
from gnubg_py.rollouts.run import Report, rollout
from gnubg_py.rollouts.settings import RolloutSettings, StopRules
from gnubg_py.search.settings import EvalSettings, Strength, filter_named
from gnubg_py.workers import Workers, WorkersLostError


def configure_rollout(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``rollout``."""
    parser.set_defaults(run=_run)
    add = parser.add_argument
    add("position", help="an XGID, a GNUbg ID, a Position ID, or 'x 24:2 13:5 ... / o 24:2 ...'")
    what = parser.add_argument_group("what to roll out")
    what.add_argument("--dice", help="the roll, as 31: roll out its plays")
    what.add_argument("--plays", nargs="+", metavar="PLAY", help="plays, each as '8/5 6/5'")
    what.add_argument("--best", type=int, metavar="N", help="the N best plays by 0-ply (default 5)")
    what.add_argument("--cube", action="store_true", help="no double and double/take")
    how = parser.add_argument_group("how")
    how.add_argument("--trials", type=int, default=1296, help="games of each (default 1296)")
    add_side_options(how, "", "")
    how.add_argument("--later", type=int, metavar="N", help="other settings from turn N on")
    add_side_options(how, "later-", " from then on")
    how.add_argument("--truncate", type=int, metavar="N", help="value games after N turns")
    how.add_argument("--cubeless", action="store_true", help="play without a cube")
    how.add_argument("--plain", action="store_true", help="without variance reduction")
    how.add_argument("--random-dice", action="store_true", help="dice that are not stratified")
    how.add_argument("--initial", action="store_true", help="the first roll is not a double")
    how.add_argument("--no-databases", action="store_true", help="play bearoffs to the end")
    how.add_argument("--seed", type=int, default=0, help="of the dice (default 0)")
    who = how.add_mutually_exclusive_group()
    who.add_argument("--evaluator", default="net", help="who plays (default net)")
    who.add_argument("--net", type=Path, metavar="FILE", help="a weights file in place of ours")
    how.add_argument("--stop-error", type=float, metavar="E", help="stop at standard error E")
    how.add_argument("--stop-ahead", type=float, metavar="J", help="stop when best by J errors")
    add("--save", type=Path, metavar="FILE", help="keep the result, also of what is interrupted")
    add("--extend", type=Path, metavar="FILE", help="go on from a saved result to --trials in all")
    add("--statistics", action="store_true", help="count wins and doubles by cube value too")
    add("--json", action="store_true", help="print one JSON value")
    add_cluster_option(parser)


def add_side_options(group: argparse._ArgumentGroup, prefix: str, when: str) -> None:
    """How the sides play; each option is one value, or one for each side."""
    add, both = group.add_argument, "P[,P]"
    of_each = f"of both sides, or of the side on roll and the other{when}"
    add(f"--{prefix}ply", metavar=both, help=f"plies of plays (default 0), {of_each}")
    add(f"--{prefix}cube-ply", metavar=both, help="of cube decisions (default: as of plays)")
    add(f"--{prefix}filter", metavar="F[,F]", help="move filter (default normal)")


def _two(text: str) -> tuple[str, str]:
    """One value for both sides, or two with a comma.

    >>> _two("2"), _two("1,0")
    (('2', '2'), ('1', '0'))
    """
    parts = text.split(",")
    if len(parts) > 2:
        raise ValueError(f"{text}: should be one value, or one for each side as 1,0")
    return parts[0], parts[-1]


def _plies(text: str) -> tuple[int, int]:
    first, second = _two(text)
    if not (first.isdecimal() and second.isdecimal()):
        raise ValueError(f"plies {text}: should be 0 to 4, or one for each side as 1,0")
    return int(first), int(second)


def _run(args: argparse.Namespace) -> int:
    """Roll out and print what was found."""
    settings = _settings_of(args)
    if args.save:
        check_target(args.save)
    if args.cube and args.dice:
        raise ValueError("--dice with --cube: the cube is turned before the roll; leave one out")
    with chosen_workers(args) as workers:
        try:
            result = _rolled_out(args, settings, workers)
        except WorkersLostError as error:
            if error.partial is not None:
                _give(args, error.partial)
            raise
    _give(args, result)
    return INTERRUPTED if result.ending == STOPPED_EARLY else DONE


def _rolled_out(
    args: argparse.Namespace, settings: RolloutSettings, workers: Workers
) -> RolloutResult:
    return rollout(
        args.position,
        settings,
        dice=parse_dice(args.dice) if args.dice else None,
        plays=args.plays,
        best=args.best,
        cube=args.cube,
        evaluator=router_named(args.evaluator if args.net is None else net_file(args.net)),
        earlier=load_result(args.extend) if args.extend else None,
        report=running_table() if sys.stderr.isatty() else None,
        workers=workers,
    )


def _give(args: argparse.Namespace, result: RolloutResult) -> None:
    """Save and print a result, whole or not."""
    # Saved first: what cannot be printed, to a full disk or a reader that has gone, is not lost.
    if args.save:
        result.save(args.save)
    print_answer(json.dumps(result.to_dict()) if args.json else result)
    if args.statistics and not args.json:
        print_answer(f"\n{result.statistics}")


def _sides(
    cubeful: bool, plies: str | None, cube_plies: str | None, filters: str | None
) -> tuple[Strength, Strength]:
    """How the side on roll plays, and the other."""
    of_plays = _plies(plies or "0")
    of_cube = _plies(cube_plies) if cube_plies else of_plays
    kept = [filter_named(name) for name in _two(filters or "normal")]
    first, second = (
        Strength(EvalSettings(of_plays[i], cubeful), EvalSettings(of_cube[i], cubeful), kept[i])
        for i in range(2)
    )
    return first, second


def _settings_of(args: argparse.Namespace) -> RolloutSettings:
    """The settings that the arguments ask for."""
    cubeful = not args.cubeless
    sides = _sides(cubeful, args.ply, args.cube_ply, args.filter)
    settings = RolloutSettings(
        trials=args.trials,
        seed=args.seed,
        cubeful=cubeful,
        variance_reduction=not args.plain,
        stratified=not args.random_dice,
        initial_position=args.initial,
        truncate=args.truncate,
        sides=sides,
        stop=StopRules(error=args.stop_error, ahead=args.stop_ahead),
    )
    later = args.later_ply, args.later_cube_ply, args.later_filter
    if args.later is not None:
        settings = replace(settings, later=_sides(cubeful, *later), later_from=args.later)
    elif any(option is not None for option in later):
        raise ValueError("--later-ply, --later-cube-ply and --later-filter need --later N")
    if args.no_databases:
        settings = replace(settings, truncate_two_sided=False, truncate_one_sided=False)
    return settings


def router_named(name: str) -> Router:
    """The evaluator of that name as a router; one that is no router gets the exact endings."""
    evaluator = default_router() if name == "net" else evaluator_named(name)
    return evaluator if isinstance(evaluator, Router) else with_exact_endings(name, evaluator)


def running_table() -> Report:
    """Print the result so far above the bar, each over the one before, at most twice a second."""
    lines, printed = 0, -math.inf

    def report(result: RolloutResult) -> None:
        nonlocal lines, printed
        from tqdm import tqdm

        if time.monotonic() < printed + 0.5:
            return
        printed = time.monotonic()
        text = str(result)
        up = f"\x1b[{lines}A\x1b[J" if lines else ""
        tqdm.write(up + text, file=sys.stderr)
        lines = text.count("\n") + 1

    return report
