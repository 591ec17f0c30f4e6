"""``gnubg-py duel A B``: cubeless money games between two players."""

from __future__ import annotations

import argparse
import json

from gnubg_py.commands.clustering import add_cluster_option, chosen_workers
from gnubg_py.commands.comparing import PLAYER_HELP, add_search_settings, named_players, without_nan
from gnubg_py.compare.duel import duel
from gnubg_py.exits import DONE, INTERRUPTED
from gnubg_py.messages import print_answer, say

HELP = "Play cubeless money games between two players, each set of dice twice."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add = parser.add_argument
    add("first", metavar="A", help=PLAYER_HELP)
    add("second", metavar="B", help="the other one")
    add("--games", type=int, default=2000, help="an even number (default: 2000)")
    add("--seed", type=int, default=0, help="the dice (default: 0)")
    add_search_settings(parser)
    add("--json", action="store_true", help="print one JSON value")
    add_cluster_option(parser)


def run(args: argparse.Namespace) -> int:
    """Play and print the result."""
    if args.seed < 0:
        raise ValueError(f"seed {args.seed}: should be a whole number, 0 or above")
    first, second = (
        named_players([name], args, args.ply, (args.seed, seat))[0]
        for seat, name in enumerate((args.first, args.second))
    )
    with chosen_workers(args) as workers:
        result = duel(first, second, args.games, args.seed, workers)
    print_answer(json.dumps(without_nan(result.to_dict())) if args.json else result)
    if result.stopped:
        say(f"stopped after {result.games} of {args.games} games")
    return INTERRUPTED if result.stopped else DONE
