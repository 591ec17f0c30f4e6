"""``gnubg-py eval``: what a position is worth before the roll."""

from __future__ import annotations

import argparse
import json

from gnubg_py.analysis import evaluate
from gnubg_py.board import START, describe
from gnubg_py.commands.searching import (
    add_position,
    add_search_options,
    search_bar,
    search_options,
)
from gnubg_py.drawing.text import draw
from gnubg_py.exits import DONE, INTERRUPTED
from gnubg_py.messages import print_answer

HELP = "Value a position before the roll, at each ply; by default the start."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_position(parser, describe(START))
    add_search_options(parser, of_plays=False)


def run(args: argparse.Namespace) -> int:
    """Print the position and a line for every ply."""
    with search_bar() as bar:
        answer = evaluate(args.position, progress=bar, **search_options(args))
    if args.json:
        print_answer(json.dumps(answer.to_dict()))
    else:
        print_answer(draw(answer.board, answer.state), end="\n\n")
        print_answer(answer)
    return DONE if answer.complete else INTERRUPTED
