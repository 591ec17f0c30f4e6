"""The options and the progress bar that the commands which search have in common."""

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
    MoveFilter,
    filter_named,
    preset_named,
    strength_of,
)


def add_position(parser: argparse.ArgumentParser, default: str, name: str) -> None:
    """Add the position, which is ``default`` where none is given; ``name`` says what that is."""
    parser.add_argument(
        "position",
        nargs="?",
        default=default,
        help="an XGID, a GNUbg ID, a Position ID, or 'x 24:2 13:5 ... / o 24:2 ...', x on roll "
        f"(default: {name})",
    )


def add_search_options(parser: argparse.ArgumentParser, of_plays: bool = True) -> None:
    """Add all options of one search; with ``of_plays`` the move filter too."""
    add = parser.add_argument
    add_search_settings(parser, of_plays=of_plays)
    add("--preset", metavar="NAME", help=f"settings by gnubg's name: {', '.join(PRESETS)}")
    add("--cubeless", action="store_true", help="leave the cube out of account")
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--evaluator", metavar="NAME", help="who values positions (default: net)")
    who.add_argument("--net", type=Path, metavar="FILE", help="a weights file in place of ours")
    add("--json", action="store_true", help="print one JSON value")


def add_search_settings(
    parser: argparse.ArgumentParser, ply: int | None = None, of_plays: bool = True
) -> None:
    """Add the settings of a search; ``ply`` is the default depth, by default that of the preset."""
    add = parser.add_argument
    usual = 2 if ply is None else ply
    add("--ply", type=int, default=ply, help=f"rolls to look ahead, 0 to 4 (default: {usual})")
    if of_plays:
        add("--filter", metavar="NAME", help=f"move filter: {', '.join(FILTERS)} (default: normal)")
    add("--no-prune", action="store_true", help="evaluate plays that a small net would leave out")
    add(
        "--inner-ply",
        type=int,
        default=0,
        metavar="N",
        help="rolls to look ahead for the choice of plays inside a search, 0 to 3 (default: 0)",
    )


def search_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options as arguments of ``hint``, ``evaluate`` and ``cube_action``, without filters."""
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
    evaluator = args.evaluator if args.net is None else net_file(args.net)
    return {"settings": settings, "evaluator": evaluator}


def net_file(path: Path) -> str:
    """The name of a weights file; ``ValueError`` if there is no such file."""
    if not path.is_file():
        raise ValueError(f"{path}: no such file")
    return str(path)


def chosen_filter(args: argparse.Namespace) -> MoveFilter | None:
    """The move filter of ``--filter``, else that of ``--preset``, else None."""
    if args.filter:
        return filter_named(args.filter)
    return preset_named(args.preset).filters if args.preset else None


@contextmanager
def search_bar() -> Iterator[Progress]:
    """Draw a progress bar on a terminal; yield the function that moves it during a search."""
    with progress(100, "0-ply") as bar:

        def show(ply: int, share: float) -> None:
            bar.set_description(f"{ply}-ply", refresh=False)
            bar.n = round(100 * share)
            bar.refresh()

        yield show
