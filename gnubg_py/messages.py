"""What the program says on the side, all of it on stderr: problems, progress, first-time work."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

PROGRAM = "gnubg-py"
_ODD = re.compile(r"[^ -~]")


def printable(text: str) -> str:
    """A stranger's text as a terminal may show it: on one line, its control characters spelt out.

    Names in matches, cards of nets and the like are printed through this function, so that no
    escape sequence of theirs reaches a terminal, and no character that turns text around.

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
    """Print an answer on stdout; whatever text a command prints goes through this function."""
    print(printable_lines(str(answer)), end=end, flush=True)


def say(text: str) -> None:
    """Print one line on stderr, after the program's name; line breaks in ``text`` become spaces."""
    try:
        print(f"{PROGRAM}: {printable(' '.join(text.split()))}", file=sys.stderr, flush=True)
    except OSError:  # a full disk, say: what is said on the side is not worth an answer
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def problem_text(problem: BaseException) -> str:
    """What went wrong, a file's name first where there is one."""
    if isinstance(problem, OSError) and problem.strerror:
        return f"{problem.filename}: {problem.strerror}" if problem.filename else problem.strerror
    if isinstance(problem, MemoryError):
        return "this takes more memory than there is"
    if isinstance(problem, RecursionError):
        return "this is nested too deep"
    return str(problem)


_progress_hidden: bool | None = None  # tqdm's word for: hidden where stderr is no terminal


def hide_progress() -> None:
    """From now on, draw no bars: another process shows the progress of this one's work."""
    global _progress_hidden
    _progress_hidden = True


def progress(total: int | None, label: str) -> Any:
    """A tqdm bar on stderr, drawn only on a terminal and wiped when done.

    Use it as ``with progress(1000, "games") as bar: ... bar.update(10)``.
    """
    from tqdm import tqdm

    return tqdm(total=total, desc=label, disable=_progress_hidden, leave=False, file=sys.stderr)


def announce_compiling() -> None:
    """From now on, say so when numba compiles a kernel: once, before the first.

    Kernels read from numba's cache are not compiled, so a warm start says nothing. numba's own
    events tell the two apart for certain, at no cost; looking for cache files would be a guess.
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
