"""``gnubg-py duel A B``: cubeless money games between two players."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from gnubg_py.commands.clustering import add_cluster_option, chosen_workers
from gnubg_py.commands.comparing import PLAYER_HELP, named_players
from gnubg_py.commands.searching import add_search_settings
from gnubg_py.compare.duel import duel
from gnubg_py.exits import DONE, INTERRUPTED
from gnubg_py.files import without_nan
from gnubg_py.messages import print_answer, say


def configure_duel(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``duel``."""
    parser.set_defaults(run=_run)
    add = parser.add_argument
    add("first", metavar="A", help=PLAYER_HELP)
    add("second", metavar="B", help="the other player")
    add("--games", type=int, default=2000, help="an even number (default: 2000)")
    add("--seed", type=int, default=0, help="the dice (default: 0)")
    add_search_settings(parser, ply=0)
    add("--json", action="store_true", help="print one JSON value")
    add_cluster_option(parser)


def _run(args: argparse.Namespace) -> int:
    """Play and print the result."""
    if args.seed < 0:
        raise ValueError(f"seed {args.seed}: should be a whole number, 0 or above")
    first, second = (
        named_players([name], args, args.ply, (args.seed, seat))[0]
        for seat, name in enumerate((args.first, args.second))
    )
    with chosen_workers(args) as workers:
        result = duel(first, second, args.games, args.seed, workers)
    print_answer(json.dumps(without_nan(asdict(result))) if args.json else result)
    if result.stopped:
        say(f"stopped after {result.games} of {args.games} games")
    return INTERRUPTED if result.stopped else DONE
