"""Messages on stderr (problems, progress, compilation) and text that is safe to print."""

from __future__ import annotations

import os
import re
import sys
from typing import Any, TextIO

PROGRAM = "gnubg-py"
_ODD = re.compile(r"[^ -~]")


def printable(text: str) -> str:
    """Make untrusted text safe to print: one line, with control characters written as escapes.

    Names in matches, cards of nets and similar texts are printed through this function. It keeps
    escape sequences, and characters that reverse the direction of text, from the terminal.

    >>> print(printable("Al\\tIce\\x1b[31m"))
    Al Ice\\x1b[31m
    """
    return _ODD.sub(lambda found: _spelt(found[0]), text)


def printable_lines(text: str) -> str:
    """``printable`` for a text of several lines, with tabs."""
    return _ODD.sub(lambda found: found[0] if found[0] in "\n\t" else _spelt(found[0]), text)


def _spelt(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character.isspace() else character.encode("unicode_escape").decode("ascii")


def print_answer(answer: object = "", end: str = "\n") -> None:
    """Print an answer on stdout. Commands print all their text through this function."""
    print(printable_lines(str(answer)), end=end, flush=True)


def say(text: str) -> None:
    """Print one line on stderr, after the program's name; line breaks in ``text`` become spaces."""
    try:
        print(f"{PROGRAM}: {printable(' '.join(text.split()))}", file=sys.stderr, flush=True)
    except OSError:  # a full disk, for example: a message must not stop the answer
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def counted(n: int, name: str) -> str:
    """A number and a noun, in the plural where it needs one.

    >>> counted(1, "point"), counted(3, "point")
    ('1 point', '3 points')
    """
    return f"{n} {name}{'s' * (n != 1)}"


def problem_text(problem: BaseException) -> str:
    """What went wrong, after the name of the file if the problem has one."""
    if isinstance(problem, OSError) and problem.strerror:
        return f"{problem.filename}: {problem.strerror}" if problem.filename else problem.strerror
    if isinstance(problem, MemoryError):
        return "this takes more memory than there is"
    if isinstance(problem, RecursionError):
        return "this is nested too deep"
    return str(problem)


_progress_hidden = False


def hide_progress() -> None:
    """Draw no progress bars from now on, since another process shows the progress of this one."""
    global _progress_hidden
    _progress_hidden = True


def progress(total: int | None, label: str) -> Any:
    """A tqdm bar on stderr, drawn only on a terminal and removed at the end.

    Use it as ``with progress(1000, "games") as bar: ... bar.update(10)``.
    """
    if _progress_hidden or not _is_terminal(sys.stderr):
        return _HiddenBar()
    from tqdm import tqdm

    return tqdm(total=total, desc=label, leave=False, file=sys.stderr)


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False


class _HiddenBar:
    """What ``progress`` returns where no bar is drawn, without the time to import tqdm."""

    n = 0

    def __enter__(self) -> _HiddenBar:
        return self

    def __exit__(self, *problem: object) -> None:
        pass

    def update(self, n: int = 1) -> None:
        self.n += n

    def set_description(self, text: str, refresh: bool = True) -> None:
        pass

    def set_postfix_str(self, text: str) -> None:
        pass

    def refresh(self) -> None:
        pass


def announce_compiling() -> None:
    """Print one message before numba compiles the first kernel of this run.

    Kernels that are read from numba's cache are not compiled, so there is no message for them.
    numba's own events distinguish the two reliably and at no cost; cache files would not.
    """
    from numba.core import event

    class Announcer(event.Listener):
        said = False

        def on_start(self, event: Any) -> None:
            if not self.said:
                self.said = True
                say("compiling kernels; later starts read them from a cache")

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", Announcer())
