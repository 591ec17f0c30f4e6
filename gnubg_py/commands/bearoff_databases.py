"""``gnubg-py bearoff build`` and ``dump``: the databases built, and read position by position."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from gnubg_py.bearoff import hypergammon, one_sided, store, two_sided
from gnubg_py.bearoff.in_use import Sizes, parse_sizes, sizes_in_use, use_sizes
from gnubg_py.bearoff.numbering import all_positions, count_positions, number_within, row_numbers
from gnubg_py.board import CHECKERS, HOME_POINTS, POINTS, Board, describe
from gnubg_py.errors import UnknownNameError
from gnubg_py.notation.playable import read_position

DATABASES = ("one-sided", "two-sided", "hypergammon")
_USUAL = ("one-sided", "two-sided")


def configure_build(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``bearoff build``."""
    parser.set_defaults(answer=_build)
    parser.add_argument(
        "databases",
        nargs="*",
        metavar="DATABASE",
        help=f"{', '.join(DATABASES)} (default: {' and '.join(_USUAL)})",
    )
    _add_size(parser)
    parser.add_argument(
        "-o", "--one-sided", type=int, metavar="P", help="one-sided of P points, as makebearoff has"
    )
    parser.add_argument(
        "-t", "--two-sided", metavar="PxC", help="two-sided of P points and C checkers, likewise"
    )
    parser.add_argument("--force", action="store_true", help="build even what is there")


def configure_dump(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``bearoff dump``."""
    parser.set_defaults(answer=dump)
    parser.add_argument("database", metavar="DATABASE", help=", ".join(DATABASES))
    parser.add_argument(
        "position", nargs="?", help="a position in any notation; one-sided: or a home board"
    )
    parser.add_argument(
        "-n",
        "--index",
        type=int,
        nargs="+",
        metavar="I",
        help="the number of the position of the side on roll, and of the other, in its place",
    )
    _add_size(parser)


def _add_size(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--points", type=int, default=HOME_POINTS, help="points of the board (default: 6)"
    )
    parser.add_argument(
        "--checkers",
        type=int,
        help="checkers a side (default: two-sided 6, hypergammon 3; one-sided always 15)",
    )


def _checkers(database: str, args: argparse.Namespace) -> int:
    """The checkers a side of the database that the options name."""
    usual = {"one-sided": CHECKERS, "two-sided": two_sided.TWO_SIDED_CHECKERS, "hypergammon": 3}
    if database not in usual:
        raise UnknownNameError("database", database, DATABASES)
    if database == "one-sided" and args.checkers not in (None, CHECKERS):
        raise ValueError("--checkers is of two-sided and hypergammon: one-sided has always 15")
    if database == "hypergammon" and args.points != HOME_POINTS:
        raise ValueError("--points is of one-sided and two-sided: hypergammon has the whole board")
    checkers: int = args.checkers or usual[database]
    return checkers


def _build(args: argparse.Namespace) -> tuple[Any, str]:
    """Build the databases named, where they are not there; what was done, as data and as text."""
    wanted = _wanted(args)
    makers = [_maker(name, size) for name, size in wanted]
    answer = [_build_one(*maker, args.force) for maker in makers]
    before = sizes = sizes_in_use()
    for name, size in wanted:
        sizes = _larger(name, size, sizes)
    if sizes != before:
        use_sizes(sizes)
    lines = [
        f"{entry['file']}: {entry['bytes']:,} bytes, "
        + ("already there" if entry["seconds"] is None else f"built in {entry['seconds']:.1f} s")
        for entry in answer
    ]
    return answer, "\n".join(lines + [_in_use(sizes)] * (sizes != before))


def _wanted(args: argparse.Namespace) -> list[tuple[str, argparse.Namespace]]:
    """The databases to build, each with its size."""
    wanted = [(name, args) for name in args.databases]
    if args.one_sided is not None:
        size = argparse.Namespace(points=args.one_sided, checkers=None)
        wanted.append(("one-sided", size))
    if args.two_sided is not None:
        _, points, checkers = parse_sizes(f"two-sided {args.two_sided}")
        wanted.append(("two-sided", argparse.Namespace(points=points, checkers=checkers)))
    return wanted or [(name, args) for name in _USUAL]


def _maker(database: str, args: argparse.Namespace) -> tuple[str, Callable[[], store.Arrays]]:
    """The name under which a database is stored, and the function that builds it."""
    checkers, points = _checkers(database, args), args.points
    if database == "one-sided":
        return one_sided.one_sided_name(points), lambda: one_sided.build_one_sided(points)
    if database == "hypergammon":
        name = hypergammon.hypergammon_name(checkers)
        return name, lambda: hypergammon.build_hypergammon(checkers)
    name = two_sided.two_sided_name(points, checkers)
    return name, lambda: two_sided.build_two_sided(points, checkers)


def _build_one(name: str, _build: Callable[[], store.Arrays], force: bool) -> dict[str, Any]:
    seconds: float | None = None

    def timed() -> store.Arrays:
        nonlocal seconds
        start = time.perf_counter()
        arrays = _build()
        seconds = time.perf_counter() - start
        return arrays

    arrays = store.fetch(name, timed, rebuild=force)
    path = store.path_of(name)
    size = path.stat().st_size if path.exists() else sum(a.nbytes for a in arrays.values())
    return {"database": name, "file": str(path), "bytes": size, "seconds": seconds}


def _larger(database: str, args: argparse.Namespace, sizes: Sizes) -> Sizes:
    """The sizes in use, with the database that was built if it holds more than the usual one."""
    checkers = _checkers(database, args)
    if database == "one-sided" and args.points > HOME_POINTS:
        return sizes._replace(one_sided_points=args.points)
    larger = args.points > HOME_POINTS or checkers > two_sided.TWO_SIDED_CHECKERS
    if database == "two-sided" and larger:
        return sizes._replace(two_sided_points=args.points, two_sided_checkers=checkers)
    return sizes


def configure_use(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``bearoff use``."""
    parser.set_defaults(answer=use)
    parser.add_argument(
        "sizes", nargs="*", help="one-sided P, two-sided PxC, or usual; nothing prints what is used"
    )


def use(args: argparse.Namespace) -> tuple[Any, str]:
    """Choose which databases evaluators use; what is used, as data and as text."""
    sizes = sizes_in_use()
    if args.sizes:
        sizes = parse_sizes(" ".join(args.sizes), sizes)
        use_sizes(sizes)
    return sizes._asdict(), _in_use(sizes)


def _in_use(sizes: Sizes) -> str:
    return (
        f"In use: one-sided of {sizes.one_sided_points} points, two-sided of "
        f"{sizes.two_sided_points} points and {sizes.two_sided_checkers} checkers."
    )


def dump(args: argparse.Namespace) -> tuple[Any, str]:
    """What a database holds of a position, as data and as text."""
    checkers = _checkers(args.database, args)
    points = POINTS + 1 if args.database == "hypergammon" else args.points
    board = _board(args, points, checkers)
    if args.database == "one-sided":
        return _dump_one_sided(board, args.points)
    if args.database == "two-sided":
        database = two_sided.two_sided_database(points, checkers)
        found = two_sided.two_sided_without_double(board[None], database)[0]
        return _pair(board, points, dict(zip(_EQUITIES, found.tolist(), strict=True)))
    exact = hypergammon.hypergammon_database(checkers)
    five = hypergammon.hypergammon_five(board[None], exact)[0].tolist()
    money = hypergammon.hypergammon_equities(board[None], exact)[0].tolist()
    names = (*_CHANCES, *_EQUITIES, "cube centred, Jacoby rule")
    return _pair(board, points, dict(zip(names, five + money, strict=True)))


_CHANCES = ("win", "win gammon", "win backgammon", "lose gammon", "lose backgammon")
_EQUITIES = ("cubeless", "cube centred", "cube owned", "cube owned by the other")


def _board(args: argparse.Namespace, points: int, checkers: int) -> Board:
    """The position asked for, from its text or its numbers."""
    if (args.position is None) == (args.index is None):
        raise ValueError("dump: name a position, or its numbers with --index")
    if args.index is not None:
        return _numbered(args.index, args.database == "one-sided", points, checkers)
    if args.database == "one-sided" and re.fullmatch("[0-9]{5,11}|[0-9,]+", args.position):
        return _one_side(args.position, points)
    return read_position(args.position)[0]


def _one_side(text: str, points: int) -> Board:
    """The board of a side written as digits, or as numbers with commas; the ace point first."""
    counts = text.split(",") if "," in text else list(text)
    if len(counts) != points or not all(0 < len(n) < 3 for n in counts):
        raise ValueError(f"board {text!r}: expected {points} digits, or numbers with commas")
    row = np.array([list(map(int, counts))])
    row_numbers(row)
    board = np.zeros((2, 25), np.int8)
    board[0, :points] = row
    return board


def _numbered(index: list[int], one_side: bool, points: int, checkers: int) -> Board:
    if len(index) != (1 if one_side else 2):
        raise ValueError(f"dump: --index takes {'one number' if one_side else 'two numbers'} here")
    last = count_positions(points, checkers) - 1
    board = np.zeros((2, 25), np.int8)
    for side, number in enumerate(index):
        if not 0 <= number <= last:
            raise ValueError(f"dump: position {number}: expected 0 to {last}")
        board[side, :points] = all_positions(points, checkers)[number]
    return board


def _pair(board: Board, points: int, figures: dict[str, float]) -> tuple[Any, str]:
    numbers = row_numbers(board[:, :points]).tolist()
    text = describe(board)
    lines = [f"{text}: positions {numbers[0]} and {numbers[1]}", ""]
    lines += [f"{name:<26}{figure:>10.6f}" for name, figure in figures.items()]
    return {"position": text, "numbers": numbers, **figures}, "\n".join(lines)


def _dump_one_sided(board: Board, points: int) -> tuple[Any, str]:
    """The side on roll's distributions, and the other's where it has any checkers."""
    database = one_sided.one_sided_database(points)
    answers, lines = [], []
    for row in board[board.any(axis=1)]:
        number = number_within(row, points, CHECKERS)
        if number < 1:
            raise ValueError(f"not all checkers are on the first {points} points")
        all_on = count_positions(points, CHECKERS - 1)
        first = database.gammon[max(0, number - all_on + 1)]
        mean = float(database.mean[number])
        home = ",".join(map(str, row[:points].tolist()))
        lines += [
            f"Position {number}: {home}",
            f"Expected rolls {mean:.6f}, effective pips {mean * one_sided.MEAN_PIPS:.6f}",
            f"{'Rolls':>5}{'all off':>12}{'first off':>12}",
        ]
        table = np.zeros((2, database.bearoff.shape[1]))
        table[0], table[1, : len(first)] = database.bearoff[number], first
        used = np.flatnonzero(table.any(axis=0))
        lines += [f"{n:>5}{table[0, n]:>12.6f}{table[1, n]:>12.6f}" for n in used.tolist()]
        lines.append("")
        chances = table[:, : int(used[-1]) + 1].tolist()
        answers.append(
            {"number": number, "board": home, "expected": mean,
             "all_off": chances[0], "first_off": chances[1]}
        )  # fmt: skip
    return answers, "\n".join(lines[:-1])
