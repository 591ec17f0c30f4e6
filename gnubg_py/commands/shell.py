"""``gnubg-py shell``, and ``gnubg-py`` alone: the gnubg-like command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from gnubg_py.exits import DONE, INTERRUPTED
from gnubg_py.files import read_text
from gnubg_py.shell.dice_source import DiceSource
from gnubg_py.shell.loop import interact, run_lines
from gnubg_py.shell.preferences import read_settings
from gnubg_py.shell.session import Session

HELP = "Open the shell, or run the commands of a file or a pipe."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("-c", "--commands", metavar="FILE", help="run the commands of a file")
    parser.add_argument("--seed", type=int, help="the seed of the dice")


def run(args: argparse.Namespace) -> int:
    """Run commands until there are no more."""
    session = Session()
    if args.seed is not None:
        if args.seed < 0:
            raise ValueError(f"seed {args.seed}: should be 0 or above")
        session.dice = DiceSource(seed=args.seed)
    read_settings(session)
    if args.commands is not None:
        run_lines(session, read_text(Path(args.commands), pipes=True).splitlines())
    elif sys.stdin.isatty():
        interact(session)
    else:
        run_lines(session, _piped())
    return INTERRUPTED if session.stopped and not session.interactive else DONE


def _piped() -> Iterator[str]:
    """The lines of standard input; bytes that are no text become question marks."""
    for line in sys.stdin.buffer:
        yield line.decode("utf-8", "replace").rstrip("\r\n")
