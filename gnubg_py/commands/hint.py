"""``gnubg-py hint``: the best plays of a roll, or before it the cube action."""

from __future__ import annotations

import argparse
import json

from gnubg_py.analysis import hint
from gnubg_py.commands.searching import (
    add_position,
    add_search_options,
    chosen_filter,
    search_bar,
    search_options,
)
from gnubg_py.drawing.text import draw
from gnubg_py.exits import DONE, INTERRUPTED
from gnubg_py.groups import CHOOSERS
from gnubg_py.messages import print_answer
from gnubg_py.results import CubeHint

OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10"

_PLAYS = 10


def configure_hint(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``hint``."""
    parser.set_defaults(run=_run)
    add_position(parser, OPENING, "the opening 3-1")
    parser.add_argument("--dice", help="the roll, as 31; the cube action is printed without one")
    parser.add_argument(
        "--count", type=int, metavar="N", help="plays to print (default: 10; with --json all)"
    )
    add_search_options(parser)


def _run(args: argparse.Namespace) -> int:
    """Print the position and what to do in it."""
    if args.count is not None and args.count < 1:
        raise ValueError(f"--count {args.count}: should be at least 1")
    if args.evaluator is not None and args.evaluator.partition(":")[0] in CHOOSERS:
        return _scored_plays(args)
    with search_bar() as bar:
        answer = hint(
            args.position,
            args.dice,
            filters=chosen_filter(args),
            progress=bar,
            **search_options(args),
        )
    if args.json:
        value = answer.to_dict()
        if "plays" in value:
            value["plays"] = value["plays"][: args.count]
        print_answer(json.dumps(value))
    else:
        print_answer(draw(answer.board, answer.state), end="\n\n")
        print_answer(answer if isinstance(answer, CubeHint) else answer.table(args.count or _PLAYS))
    return DONE if answer.complete else INTERRUPTED


def _scored_plays(args: argparse.Namespace) -> int:
    """Print the plays with their scores by a heuristic, and the parts of each score."""
    from gnubg_py.compare.decisions import position_of_line
    from gnubg_py.compare.heuristic_plays import heuristic_named, scored_plays

    for option in ("ply", "preset", "filter", "cubeless", "no_prune", "inner_ply"):
        if getattr(args, option):
            name = option.replace("_", "-")
            raise ValueError(f"--{name}: {args.evaluator} scores plays without a search")
    name, weights = heuristic_named(args.evaluator)
    board, dice = position_of_line(args.position, args.dice)
    found = scored_plays(name, weights, board, dice)
    if args.json:
        print_answer(json.dumps(found.to_dict(args.count)))
    else:
        print_answer(found.table(args.count or _PLAYS))
    return DONE
