"""What the commands that compare players have in common."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gnubg_py.commands.searching import add_inner_ply
from gnubg_py.compare.players import Player, player_named
from gnubg_py.evaluators.classify import HYPERGAMMON
from gnubg_py.evaluators.registry import DEFAULT, GNUBG, evaluator_names
from gnubg_py.groups import CHOOSERS
from gnubg_py.paths import checkout
from gnubg_py.search.settings import FILTERS, NORMAL, EvalSettings, filter_named

_PLAYERS = ", ".join([*evaluator_names(), GNUBG, *HYPERGAMMON, *CHOOSERS])
PLAYER_HELP = f"one or more of {_PLAYERS}, or a weights file; NAME@2 looks 2 plies ahead"


def add_player_options(parser: argparse.ArgumentParser) -> None:
    """Who, and how deep."""
    add = parser.add_argument
    add("--evaluator", nargs="+", action="extend", default=[], metavar="NAME", help=PLAYER_HELP)
    add("--net", type=Path, metavar="FILE", help="a weights file, beside those named or alone")
    add_search_settings(parser)


def add_search_settings(parser: argparse.ArgumentParser) -> None:
    """How players search that do not say their plies themselves."""
    add = parser.add_argument
    add("--ply", type=int, default=0, help="rolls to look ahead, 0 to 4 (default: 0)")
    add("--filter", metavar="NAME", help=f"move filter: {', '.join(FILTERS)} (default: normal)")
    add("--no-prune", action="store_true", help="let no small net choose what is looked at")
    add_inner_ply(parser)


def players_of(args: argparse.Namespace, default: tuple[str, ...] = (DEFAULT,)) -> list[Player]:
    """The players that the options name, each once; ``default`` where they name none."""
    names = list(args.evaluator)
    if args.net is not None:
        names.append(net_file(args.net))
    return named_players(names or list(default), args, args.ply)


def named_players(
    names: list[str], args: argparse.Namespace, plies: int, seed: Sequence[int] = (0,)
) -> list[Player]:
    """Players by name, each once, with the options' filter and pruning; ``seed`` of random ones."""
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


def net_file(path: Path) -> str:
    """The name of a weights file; ``ValueError`` where there is none."""
    if not path.is_file():
        raise ValueError(f"{path}: no such file")
    return str(path)


def benchmark(name: str) -> Path | None:
    """A file of the judged decisions that lie beside a checkout, where it is there."""
    root = checkout()
    path = None if root is None else root.parent / "shared" / "benchmark" / name
    return path if path is not None and path.is_file() else None


def without_nan(value: Any) -> Any:
    """A JSON value with null where a number is not one, as the standard error of a single game.

    >>> without_nan({"error": 1.0, "rest": [float("nan")]})
    {'error': 1.0, 'rest': [None]}
    """
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value
