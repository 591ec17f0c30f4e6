"""``gnubg-py shell``, and ``gnubg-py`` alone: the gnubg-like command line, with gnubg's options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gnubg_py.exits import DONE, INTERRUPTED
from gnubg_py.files import LARGEST_LINES, open_source
from gnubg_py.messages import print_answer
from gnubg_py.shell.autosave import remove_autosave
from gnubg_py.shell.dice_source import DiceSource
from gnubg_py.shell.loop import interact, run_line, run_lines
from gnubg_py.shell.preferences import read_settings
from gnubg_py.shell.session import Session
from gnubg_py.shell.show_commands import banner
from gnubg_py.shell.words import LONGEST_COMMAND

FAILED = 1
"""The exit status of `--strict` where a command could not be carried out."""
_WITHOUT_EFFECT = (
    (("-t", "--tty"), "the command line, which is all there is"),
    (("-q", "--quiet"), "no sounds: there are none"),
    (("-S", "--splash"), "no splash screen"),
    (("-w", "--window-system-only"), "no windows"),
    (("-d", "--debug"), "no debugging"),
    (("-b", "--no-bearoff"), "ignored: the bearoff databases are always used"),
)
_FOLDERS = ("-D", "--datadir"), ("-P", "--pkgdatadir"), ("-O", "--docdir"), ("--display",)


def configure_shell(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``shell``."""
    parser.set_defaults(run=_run)
    add = parser.add_argument
    add("file", nargs="?", help="a match to open first")
    add("-c", "--commands", metavar="FILE", help="run the commands of a file (- is the input)")
    add("-p", "--python", metavar="FILE", nargs="?", const="", help="run a script in Python")
    add("-r", "--no-rc", action="store_true", help="do not read the settings that were saved")
    add("-s", "--prefsdir", metavar="FOLDER", type=Path, help="where settings are kept")
    add("-l", "--lang", metavar="LANG", help="ignored: the program speaks English")
    add("-v", "--version", action="store_true", help="show the version and end")
    add("--seed", type=int, help="the seed of the dice")
    add("--strict", action="store_true", help="end with status 1 where a command failed")
    for flags, text in _WITHOUT_EFFECT:
        add(*flags, action="store_true", help=text)
    for names in _FOLDERS:
        add(*names, metavar="X", help="ignored: one of gnubg's folders, or its display")


def _run(args: argparse.Namespace) -> int:
    """Run commands until there are no more."""
    if args.version:
        print_answer(banner())
        return DONE
    session = Session(settings_folder=args.prefsdir)
    if args.seed is not None:
        if args.seed < 0:
            raise ValueError(f"seed {args.seed}: should be 0 or above")
        session.dice = DiceSource(seed=args.seed)
    if args.tty or sys.stdin.isatty():
        session.say(banner())
    if not args.no_rc:
        read_settings(session)
    if args.file is not None:
        run_line(session, f'load match "{args.file}"')
    try:
        _run_commands(session, args)
    finally:
        session.leave_cluster()
    remove_autosave(session)
    if session.stopped and not session.interactive:
        return INTERRUPTED
    return session.exit_status or (FAILED if args.strict and session.failed else DONE)


def _run_commands(session: Session, args: argparse.Namespace) -> None:
    if args.commands is not None:
        # As in gnubg, the answers to questions do not come from the file of commands.
        answers = None if args.commands in _STANDARD_INPUT else _lines(sys.stdin.buffer)
        run_lines(session, _lines_of(args.commands), answers)
    elif args.python is not None:
        _run_python(session, args.python)
    elif sys.stdin.isatty():
        interact(session)
    else:
        run_lines(session, _lines(sys.stdin.buffer))


def _run_python(session: Session, name: str) -> None:
    """Run a script; without a name, or of ``-``, open a Python prompt."""
    from gnubg_py.inside.run import run_python_line, run_script

    if name in ("", "-"):
        session.interactive = sys.stdin.isatty()
        run_python_line(session, "")
    else:
        run_script(session, Path(name))


_STANDARD_INPUT = ("-", "/dev/stdin")


def _lines_of(name: str) -> Iterator[str]:
    """The lines of a file, of a pipe that a shell has named, or of standard input."""
    if name in _STANDARD_INPUT:
        return _lines(sys.stdin.buffer)
    return _lines(open_source(Path(name), LARGEST_LINES, pipes=True))


_MOST_BYTES = 4 * LONGEST_COMMAND + 2
"""What is read of a line: more than a command may have, whatever its letters."""


def _lines(file: BinaryIO) -> Iterator[str]:
    """Lines as they come; bytes that are no text become question marks.

    Of a line that is longer than any command only the beginning comes.
    """
    with file:
        while line := file.readline(_MOST_BYTES):
            rest = line
            while len(rest) == _MOST_BYTES and not rest.endswith(b"\n"):
                rest = file.readline(_MOST_BYTES)
            yield line.decode("utf-8", "replace").rstrip("\r\n")
