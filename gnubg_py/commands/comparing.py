"""The options that the commands which compare players have in common."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from gnubg_py.commands.searching import add_search_settings, net_file
from gnubg_py.compare.players import Player, player_named
from gnubg_py.evaluators.classify import HYPERGAMMON
from gnubg_py.evaluators.registry import DEFAULT, GNUBG, evaluator_names
from gnubg_py.groups import CHOOSERS
from gnubg_py.paths import checkout
from gnubg_py.search.settings import NORMAL, EvalSettings, filter_named

_PLAYERS = ", ".join([*evaluator_names(), GNUBG, *HYPERGAMMON, *CHOOSERS])
PLAYER_HELP = f"one or more of {_PLAYERS}, or a weights file; NAME@2 looks 2 plies ahead"


def add_player_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name players and set how they search."""
    add = parser.add_argument
    add("--evaluator", nargs="+", action="extend", default=[], metavar="NAME", help=PLAYER_HELP)
    add("--net", type=Path, metavar="FILE", help="a weights file, beside those named or alone")
    add_search_settings(parser, ply=0)


def players_of(args: argparse.Namespace, default: tuple[str, ...] = (DEFAULT,)) -> list[Player]:
    """The players that the options name, each once, or those of ``default`` if they name none."""
    names = list(args.evaluator)
    if args.net is not None:
        names.append(net_file(args.net))
    return named_players(names or list(default), args, args.ply)


def named_players(
    names: list[str], args: argparse.Namespace, plies: int, seed: Sequence[int] = (0,)
) -> list[Player]:
    """Players by name, each once, with the search settings of the options.

    ``seed`` is that of players that choose at random.
    """
    settings = EvalSettings(
        plies, cubeful=False, prune=not args.no_prune, inner_plies=args.inner_ply
    )
    filters = filter_named(args.filter) if args.filter else NORMAL
    players = [player_named(name, settings, filters, seed) for name in dict.fromkeys(names)]
    by_name = {player.name: player for player in players}
    if len(by_name) < len(players):
        twice = next(p.name for p in players if by_name[p.name] is not p)
        raise ValueError(f"two of the players are called {twice}: rename a file or leave one out")
    return players


def benchmark(name: str) -> Path | None:
    """A file of judged decisions beside a checkout, or None if there is none."""
    root = checkout()
    path = None if root is None else root.parent / "shared" / "benchmark" / name
    return path if path is not None and path.is_file() else None
