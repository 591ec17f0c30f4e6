"""``gnubg-py hint``: the legal plays of a position and roll."""

from __future__ import annotations

import argparse
from dataclasses import replace

from gnubg_py.dice import parse_dice
from gnubg_py.drawing import draw
from gnubg_py.match import NO_DICE
from gnubg_py.notation import CANNOT_MOVE, parse_position, play_text
from gnubg_py.plays import plays, standing_still

HELP = "Print the legal plays of a roll; by default of the opening 3-1."

OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "position",
        nargs="?",
        default=OPENING,
        help="an XGID, a GNUbg ID, a Position ID, or 'x 24:2 13:5 ... / o 24:2 ...', x on roll",
    )
    parser.add_argument("--dice", help="the roll, as 31; needed where the position tells of none")


def run(args: argparse.Namespace) -> int:
    """Print the position and a line for each play."""
    board, state = parse_position(args.position)
    if not board.any(axis=1).all():
        raise ValueError("the game is over: one side has borne off all its checkers")
    dice = parse_dice(args.dice) if args.dice else state.dice
    if dice == NO_DICE:
        raise ValueError("no roll: give one with --dice, as in --dice 31")
    print(draw(board, replace(state, dice=dice)), end="\n\n")
    positions = plays(board, dice)
    if standing_still(board, positions):
        print(CANNOT_MOVE)
        return 0
    for number, position in enumerate(positions, start=1):
        print(f"{number:4}. {play_text(board, dice, position)}")
    return 0
