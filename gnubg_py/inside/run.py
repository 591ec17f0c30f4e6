"""Running scripts, lines and prompts of Python inside the shell."""

from __future__ import annotations

import code
import contextlib
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import gnubg_py
from gnubg_py.board import pip_count, swap
from gnubg_py.files import LARGEST_LINES, open_source
from gnubg_py.inside.arguments import GnubgBoard, any_board, gnubg_board
from gnubg_py.inside.module import gnubg_module
from gnubg_py.shell.session import Session

_LARGEST_SCRIPT = 1 << 22
_OURS = str(Path(gnubg_py.__file__).parent)
_FAILED = 1


def run_script(session: Session, path: Path) -> None:
    """Run a script; ``ValueError`` where it cannot be read. Its own exceptions are printed."""
    source = _source(path)
    with _inside(session, path.resolve().parent) as main:
        _guarded(session, source, str(path), main)


def run_python_line(session: Session, line: str) -> None:
    """Run one line of Python, or without one open a prompt that reads on in the input."""
    with _inside(session, Path.cwd()) as main:
        if line:
            _guarded(session, line.encode(), "<string>", main)
        else:
            _prompt(session, main)


def _source(path: Path) -> bytes:
    if not path.exists():
        raise ValueError(f"Python file ({path}) not found")
    with open_source(path, LARGEST_LINES, pipes=True) as file:
        source = file.read(_LARGEST_SCRIPT + 1)
    if len(source) > _LARGEST_SCRIPT:
        raise ValueError(f"{path}: larger than {_LARGEST_SCRIPT >> 20} MB, which is no script")
    return source


@contextlib.contextmanager
def _inside(session: Session, folder: Path) -> Iterator[ModuleType]:
    """The script's surroundings: ``gnubg`` can be imported, and so can what is in its folder.

    One namespace serves all scripts and lines of a session, as in gnubg.
    """
    if session.python is None:
        session.python = _main_module(session)
    main = session.python
    changed = {"gnubg": main.__dict__["gnubg"], "__main__": main}
    before = {name: sys.modules.get(name) for name in changed}
    argv, path = sys.argv, list(sys.path)
    try:
        sys.modules.update(changed)
        sys.argv = [""]
        sys.path.insert(0, str(folder))
        yield main
    finally:
        sys.argv, sys.path[:] = argv, path
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


def _main_module(session: Session) -> ModuleType:
    """The namespace of scripts, with what gnubg's own start-up defines in it."""
    main = ModuleType("__main__")
    main.__dict__.update(gnubg=gnubg_module(session), swapboard=swapboard, pipcount=pipcount)
    return main


def swapboard(board: GnubgBoard) -> list[tuple[int, ...]]:
    """A board seen by the other side."""
    return list(gnubg_board(swap(any_board(board))))


def pipcount(board: GnubgBoard) -> list[int]:
    """The pips of both rows of a board."""
    mine, theirs = pip_count(any_board(board)).tolist()
    return [theirs, mine]


def _guarded(session: Session, source: bytes, name: str, main: ModuleType) -> None:
    """Run source text; its exceptions end it, and ``SystemExit`` the shell as well."""
    try:
        exec(compile(source, name, "exec"), main.__dict__)
    except SystemExit as leaving:
        _leave(session, leaving)
    except Exception as problem:
        _print_problem(session, problem)
    finally:
        _keep_output(session)


def _keep_output(session: Session) -> None:
    """Write out what the script printed; where it closed the output, go on without one."""
    if sys.stdout.closed:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if session.out.closed:
        session.out = sys.stdout
    sys.stdout.flush()


def _leave(session: Session, leaving: SystemExit) -> None:
    session.leaving = True
    if leaving.code is None or isinstance(leaving.code, int):
        session.exit_status = leaving.code or 0
    else:
        print(leaving.code, file=sys.stderr)
        session.exit_status = _FAILED


def _print_problem(session: Session, problem: Exception) -> None:
    """Print the traceback of a script, without the frames of this program."""
    session.failed = True
    session.out.flush()
    told = traceback.TracebackException.from_exception(problem)
    _keep_scripts_frames(told)
    print("".join(told.format()), end="", file=sys.stderr, flush=True)


def _keep_scripts_frames(told: traceback.TracebackException) -> None:
    kept = [frame for frame in told.stack if not frame.filename.startswith(_OURS)]
    told.stack = traceback.StackSummary.from_list(kept)
    for other in (told.__cause__, told.__context__):
        if other is not None:
            _keep_scripts_frames(other)


class _Console(code.InteractiveConsole):
    """A Python prompt that reads as the shell does."""

    def __init__(self, session: Session, main: ModuleType) -> None:
        super().__init__(main.__dict__, "<console>")
        self.session = session

    def raw_input(self, prompt: str = "") -> str:
        """The next line of the shell's input; ``EOFError`` at its end."""
        if self.session.reader is None:
            return input(prompt)
        self.session.out.flush()
        if self.session.interactive:
            return self.session.reader(prompt)
        print(prompt, end="", file=self.session.out, flush=True)
        return self.session.reader(prompt)


def _prompt(session: Session, main: ModuleType) -> None:
    try:
        _Console(session, main).interact(f"Python {sys.version}", "")
    except SystemExit as leaving:
        _leave(session, leaving)
