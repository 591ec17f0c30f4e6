"""``gnubg-py eval``: the value of a position before the roll."""

from __future__ import annotations

import argparse
import json

from gnubg_py.analysis import evaluate
from gnubg_py.board import START, describe
from gnubg_py.commands.searching import add_position, add_search_options, search_bar, search_options
from gnubg_py.drawing.text import draw
from gnubg_py.exits import DONE, INTERRUPTED
from gnubg_py.messages import print_answer


def configure_eval(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``eval``."""
    parser.set_defaults(run=_run)
    add_position(parser, describe(START), "the start")
    add_search_options(parser, of_plays=False)


def _run(args: argparse.Namespace) -> int:
    """Print the position and a line for every ply."""
    with search_bar() as bar:
        answer = evaluate(args.position, progress=bar, **search_options(args))
    if args.json:
        print_answer(json.dumps(answer.to_dict()))
    else:
        print_answer(draw(answer.board, answer.state), end="\n\n")
        print_answer(answer)
    return DONE if answer.complete else INTERRUPTED
