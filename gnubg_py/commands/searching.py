"""What the commands that search have in common: their options, and the bar they draw."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from gnubg_py.messages import progress
from gnubg_py.search.context import Progress
from gnubg_py.search.settings import (
    FILTERS,
    PRESETS,
    EvalSettings,
    filter_named,
    preset_named,
    strength_of,
)


def add_position(parser: argparse.ArgumentParser, default: str) -> None:
    """The position argument."""
    parser.add_argument(
        "position",
        nargs="?",
        default=default,
        help="an XGID, a GNUbg ID, a Position ID, or 'x 24:2 13:5 ... / o 24:2 ...', x on roll",
    )


def add_search_options(parser: argparse.ArgumentParser, of_plays: bool = True) -> None:
    """How deep to look, and with what; ``of_plays``: at which plays, too."""
    add = parser.add_argument
    add("--ply", type=int, help="rolls to look ahead, 0 to 4 (default: 2)")
    add("--preset", metavar="NAME", help=f"settings by gnubg's name: {', '.join(PRESETS)}")
    if of_plays:
        add("--filter", metavar="NAME", help=f"move filter: {', '.join(FILTERS)} (default: normal)")
    add("--cubeless", action="store_true", help="leave the cube out of account")
    add("--no-prune", action="store_true", help="let no small net choose what is looked at")
    add_inner_ply(parser)
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--evaluator", metavar="NAME", help="who values positions (default: net)")
    who.add_argument("--net", type=Path, metavar="FILE", help="a weights file in place of ours")
    add("--json", action="store_true", help="print one JSON value")


def add_inner_ply(parser: argparse.ArgumentParser) -> None:
    """How searches choose the plays inside."""
    parser.add_argument(
        "--inner-ply",
        type=int,
        default=0,
        metavar="N",
        help="rolls to look ahead for the choice of plays inside a search, 0 to 3 (default: 0)",
    )


def search_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options as ``hint``, ``evaluate`` and ``cube_action`` take them, filters apart."""
    preset = preset_named(args.preset) if args.preset else strength_of(EvalSettings(2))
    settings = preset.plays
    if args.ply is not None:
        settings = replace(settings, plies=args.ply)
    if args.cubeless:
        settings = replace(settings, cubeful=False)
    if args.no_prune:
        settings = replace(settings, prune=False)
    if args.inner_ply:
        settings = replace(settings, inner_plies=args.inner_ply)
    if args.net is not None and not args.net.is_file():
        raise ValueError(f"{args.net}: no such file")
    evaluator = str(args.net) if args.net is not None else args.evaluator
    return {"settings": settings, "evaluator": evaluator}


def chosen_filter(args: argparse.Namespace) -> Any:
    """The move filter the options name: its own option first, then the preset's."""
    if args.filter:
        return filter_named(args.filter)
    return preset_named(args.preset).filters if args.preset else None


@contextmanager
def search_bar() -> Iterator[Progress]:
    """A bar on stderr, on a terminal only, that a search moves."""
    with progress(100, "0-ply") as bar:

        def show(ply: int, share: float) -> None:
            bar.set_description(f"{ply}-ply", refresh=False)
            bar.n = round(100 * share)
            bar.refresh()

        yield show
