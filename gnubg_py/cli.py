"""The command line: ``gnubg-py COMMAND ...``.

This module finds the command, reads its arguments and runs it. Commands are in
``gnubg_py/commands``; only the one that runs is imported, so that ``--help`` answers at once.
"""

from __future__ import annotations

import argparse
import difflib
import gc
import importlib
import sys
from collections.abc import Sequence
from typing import NoReturn

from gnubg_py.exits import DONE, end_process, guarded
from gnubg_py.messages import PROGRAM, announce_compiling

SUBCOMMANDS = {
    "shell": "open the gnubg-like shell, as without a command",
    "hint": "rank the plays of a roll, or tell the cube action before it",
    "eval": "value a position before the roll, at each ply",
    "bearoff": "tell the turns left to bear off; build and read the databases",
    "analyse": "judge the decisions of matches: a report, flashcards, seasons",
    "rollout": "roll out a position, plays of a roll, or a cube decision",
    "strength": "score play and cube action on judged decisions",
    "judge": "roll out the plays that matter, to a wanted error",
    "duel": "play games between two evaluators, each set of dice twice",
    "bench": "measure the speed of plays, nets and databases, and gnubg's",
    "train": "train a net by self-play",
    "net": "show a net's card, import a torch state dict, or round a net",
    "compare": "compare what evaluators play, and its cost, by kind of position",
}
"""Every command and what it does, in the order ``--help`` lists them."""

DEFAULT_COMMAND = "shell"


class Parser(argparse.ArgumentParser):
    """An argument parser that raises a ``ValueError`` of one line where arguments are wrong."""

    def error(self, message: str) -> NoReturn:
        command = self.prog.removeprefix(PROGRAM).strip()
        raise ValueError(f"{command}: {message}; see {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, given its words; return the exit status.

    By default the words are ``sys.argv``, and the process ends with that status.
    """
    if argv is None:
        gc.disable()  # imports leave no garbage: looking for it is a tenth of the time to start
    status = guarded(lambda: _run(list(sys.argv[1:] if argv is None else argv)))
    if argv is None:
        end_process(status)
    return status


def _run(words: list[str]) -> int:
    if words and words[0] in ("-h", "--help", "help"):
        print(_help())
        return DONE
    if not words or _is_gnubgs(words[0]):
        words = [DEFAULT_COMMAND, *words]
    name, *rest = words
    if name not in SUBCOMMANDS:
        raise ValueError(_unknown(name))
    return _run_command(name, rest)


def _is_gnubgs(word: str) -> bool:
    """Whether the first word is an option of gnubg, or the name of a file."""
    return word.startswith("-") or (word not in SUBCOMMANDS and ("." in word or "/" in word))


def _run_command(name: str, words: list[str]) -> int:
    command = importlib.import_module(f"gnubg_py.commands.{name}")
    about = SUBCOMMANDS[name]
    parser = Parser(prog=f"{PROGRAM} {name}", description=f"{about[0].upper()}{about[1:]}.")
    getattr(command, f"configure_{name}")(parser)
    try:
        args = parser.parse_args(words)
    except SystemExit:  # --help has been printed
        return DONE
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
    announce_compiling()
    status: int = args.run(args)
    return status


def _help() -> str:
    lines = [f"usage: {PROGRAM} COMMAND ...", "", "A backgammon analysis engine.", ""]
    lines += [f"  {name:<10}{text}" for name, text in SUBCOMMANDS.items()]
    lines += [
        "",
        f"{PROGRAM} COMMAND --help tells more. Without a command gnubg's options are taken",
        f"({PROGRAM} -t -q -c FILE, {PROGRAM} match.sgf ...): see {PROGRAM} shell --help.",
    ]
    return "\n".join(lines)


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, SUBCOMMANDS, n=3)
    if near:
        return f"unknown command {name!r}: did you mean {' or '.join(near)}?"
    return f"unknown command {name!r}: the commands are {', '.join(SUBCOMMANDS)}"
