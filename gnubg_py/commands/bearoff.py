"""``gnubg-py bearoff``: turns left to bear off, and the building of the databases."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

from gnubg_py.bearoff import one_sided, store, turns, two_sided
from gnubg_py.board import HOME_POINTS
from gnubg_py.dice import parse_dice
from gnubg_py.messages import show

HELP = "Turns left to bear off a home board, its best plays, and the bearoff databases."

DATABASES = ("one-sided", "two-sided")

_BOARD_HELP = "six digits, the ace point first, as 002220 (or six numbers, as 10,0,0,0,0,5)"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    commands = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    suggest = commands.add_parser("suggest", help="the best play of a roll by expected turns")
    suggest.add_argument("board", help=_BOARD_HELP)
    suggest.add_argument("dice", help="the roll, as 61")

    analyze = commands.add_parser("analyze", help="turns left after each of the 21 rolls")
    analyze.add_argument("board", help=_BOARD_HELP)

    build = commands.add_parser("build", help="build databases that are not there yet")
    build.add_argument(
        "databases", nargs="*", metavar="DATABASE", help=f"{', '.join(DATABASES)} (default: all)"
    )
    build.add_argument(
        "--points", type=int, default=HOME_POINTS, help="points of the board (default: 6)"
    )
    build.add_argument(
        "--checkers",
        type=int,
        default=two_sided.TWO_SIDED_CHECKERS,
        help="checkers a side of the two-sided database (default: 6)",
    )
    build.add_argument("--force", action="store_true", help="build even what is there")

    for command in (suggest, analyze, build):
        command.add_argument("--json", action="store_true", help="print one JSON value")


def run(args: argparse.Namespace) -> int:
    """Do what is asked and print it."""
    answer, text = {"suggest": _suggest, "analyze": _analyze, "build": _build}[args.action](args)
    show(json.dumps(answer) if args.json else text)
    return 0


def _as_dict(left: turns.TurnsLeft) -> dict[str, object]:
    return {
        "board": turns.format_home(left.board),
        "minimum": left.fewest,
        "maximum": left.most,
        "expected": left.expected,
    }


def _suggest(args: argparse.Namespace) -> tuple[Any, str]:
    board, dice = turns.parse_home(args.board), parse_dice(args.dice)
    left = turns.suggest(board, dice)
    return _as_dict(left), suggestion_text(left)


def suggestion_text(left: turns.TurnsLeft) -> str:
    """What ``suggest`` found, as one line.

    >>> suggestion_text(turns.suggest((0, 0, 2, 2, 2, 0), (6, 1)))
    'Suggested move is 011210, with maximum turns left 6 and expected turns left 3.090'
    """
    return (
        f"Suggested move is {turns.format_home(left.board)}, with maximum turns left {left.most} "
        f"and expected turns left {left.expected:.3f}"
    )


def _analyze(args: argparse.Namespace) -> tuple[Any, str]:
    board = turns.parse_home(args.board)
    rolls = turns.analyze(board)
    now = turns.turns_left(board)
    answer = _as_dict(now)
    answer["rolls"] = [{"dice": list(dice), **_as_dict(left)} for dice, left in rolls]
    return answer, analysis_text(now, rolls)


def analysis_text(
    now: turns.TurnsLeft, rolls: list[tuple[tuple[int, int], turns.TurnsLeft]]
) -> str:
    """What ``turns_left`` and ``analyze`` found, as a table of 21 lines under its heading."""
    lines = [
        f"Board {turns.format_home(now.board)}: minimum turns left {now.fewest}, "
        f"maximum {now.most}, expected {now.expected:.3f}",
        "After this turn's roll and its best play:",
        "",
        f"{'Dice':<6}{'Minimum':>8}{'Maximum':>9}{'Expected':>10}   Best move",
    ]
    for (a, b), left in rolls:
        board = turns.format_home(left.board)
        lines.append(f"{a}-{b:<4}{left.fewest:>8}{left.most:>9}{left.expected:>10.3f}   {board}")
    return "\n".join(lines)


def _build(args: argparse.Namespace) -> tuple[Any, str]:
    names = args.databases or list(DATABASES)
    for name in names:
        if name not in DATABASES:
            raise ValueError(f"unknown database {name!r}: expected {', '.join(DATABASES)}")
    if args.checkers != two_sided.TWO_SIDED_CHECKERS and names != ["two-sided"]:
        raise ValueError("--checkers is of the two-sided database: name two-sided alone")
    answer = [_build_one(*_maker(name, args), args.force) for name in names]
    lines = [
        f"{entry['file']}: {entry['bytes']:,} bytes, "
        + ("already there" if entry["seconds"] is None else f"built in {entry['seconds']:.1f} s")
        for entry in answer
    ]
    return answer, "\n".join(lines)


def _maker(database: str, args: argparse.Namespace) -> tuple[str, Callable[[], store.Arrays]]:
    """The name under which a database is stored, and the function that builds it."""
    if database == "one-sided":
        name = one_sided.one_sided_name(args.points)
        return name, lambda: one_sided.build_one_sided(args.points)
    name = two_sided.two_sided_name(args.points, args.checkers)
    return name, lambda: two_sided.build_two_sided(args.points, args.checkers)


def _build_one(name: str, build: Callable[[], store.Arrays], force: bool) -> dict[str, Any]:
    seconds: float | None = None

    def timed() -> store.Arrays:
        nonlocal seconds
        start = time.perf_counter()
        arrays = build()
        seconds = time.perf_counter() - start
        return arrays

    arrays = store.fetch(name, timed, rebuild=force)
    path = store.path_of(name)
    size = path.stat().st_size if path.exists() else sum(a.nbytes for a in arrays.values())
    return {"database": name, "file": str(path), "bytes": size, "seconds": seconds}
