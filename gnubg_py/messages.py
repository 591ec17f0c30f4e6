"""What the program says on the side, all of it on stderr: problems, progress, first-time work."""

from __future__ import annotations

import sys
from typing import Any

PROGRAM = "gnubg-py"


def say(text: str) -> None:
    """Print one line on stderr, after the program's name; line breaks in ``text`` become spaces."""
    print(f"{PROGRAM}: {' '.join(text.split())}", file=sys.stderr, flush=True)


def problem_text(problem: Exception) -> str:
    """What went wrong, a file's name first where there is one."""
    if isinstance(problem, OSError) and problem.filename:
        return f"{problem.filename}: {problem.strerror or problem}"
    return str(problem)


def progress(total: int | None, label: str) -> Any:
    """A tqdm bar on stderr, drawn only on a terminal and wiped when done.

    Use it as ``with progress(1000, "games") as bar: ... bar.update(10)``.
    """
    from tqdm import tqdm

    return tqdm(total=total, desc=label, disable=None, leave=False, file=sys.stderr)


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
