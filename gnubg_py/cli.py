"""The command line: ``gnubg-py COMMAND ...``.

Finds the command, reads its arguments, runs it, and turns whatever goes wrong into one line on
stderr and an exit status: 0 done, 2 bad input, 130 interrupted. Commands live in
``gnubg_py/commands``; only the one asked for is imported, so that ``--help`` answers at once.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from gnubg_py.messages import PROGRAM, announce_compiling, problem_text, say

COMMANDS = {
    "shell": "the gnubg-like shell; what opens without a command",
    "hint": "the best plays of a roll, or the cube action",
    "eval": "what a position is worth",
    "bearoff": "build and read the bearoff databases",
    "rollout": "play a position out many times, the luck taken out",
    "strength": "score play and cube action on judged decisions",
    "duel": "games between two evaluators",
    "bench": "measure the speed of plays, nets and databases",
    "train": "train a net by self-play",
    "net": "show a net's card, or import a torch state dict",
    "compare": "what evaluators play, and what it costs, by kind of position",
}
"""Every command and what it does, in the order ``--help`` lists them."""

DEFAULT_COMMAND = "shell"
SHELL_OPTIONS = ("-c", "--commands", "--seed")
"""Options that may come without a command, which is then the shell."""

DONE, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 0, 2, 130, 141


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are a ``ValueError`` of one line."""

    def error(self, message: str) -> NoReturn:
        command = self.prog.removeprefix(PROGRAM).strip()
        raise ValueError(f"{command}: {message}; see {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, given its words (``sys.argv`` unless told); returns the exit status."""
    return guarded(lambda: _run(list(sys.argv[1:] if argv is None else argv)))


def guarded(work: Callable[[], int]) -> int:
    """The exit status of some work, or of what it failed by, which is said in one line."""
    try:
        status = work()
        if sys.stdout is not None:  # as it is where it was closed
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        say("stopped")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone (``gnubg-py hint | head``). Python would complain once
        # more when it flushes stdout on its way out, so stdout now leads nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (OSError, ValueError) as problem:
        say(problem_text(problem))
        return BAD_INPUT
    except RuntimeError as problem:
        if "no locator available" not in str(problem):
            raise
        # numba's words for: neither the package's folder nor the user's cache can be written.
        say("nowhere to keep compiled kernels: set NUMBA_CACHE_DIR to a folder that can be written")
        return BAD_INPUT


def _run(words: list[str]) -> int:
    if not words or words[0].partition("=")[0] in SHELL_OPTIONS or words[0].startswith("-c"):
        words = [DEFAULT_COMMAND, *words]
    name, *rest = words
    if name in ("-h", "--help", "help"):
        print(_help())
        return DONE
    if name == "--version":
        from importlib.metadata import version

        print(PROGRAM, version(PROGRAM))
        return DONE
    if name not in COMMANDS:
        raise ValueError(_unknown(name))
    return _run_command(name, rest)


def _run_command(name: str, words: list[str]) -> int:
    command = importlib.import_module(f"gnubg_py.commands.{name}")
    parser = Parser(prog=f"{PROGRAM} {name}", description=command.HELP)
    command.configure(parser)
    try:
        args = parser.parse_args(words)
    except SystemExit:  # --help has been printed
        return DONE
    announce_compiling()
    status: int = command.run(args)
    return status


def _help() -> str:
    lines = [f"usage: {PROGRAM} COMMAND ...", "", "A backgammon analysis engine.", ""]
    lines += [f"  {name:<10}{text}" for name, text in COMMANDS.items()]
    lines += ["", f"{PROGRAM} COMMAND --help tells more; {PROGRAM} --version names the version."]
    return "\n".join(lines)


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, COMMANDS, n=3)
    if near:
        return f"unknown command {name!r}: did you mean {' or '.join(near)}?"
    return f"unknown command {name!r}: the commands are {', '.join(COMMANDS)}"
