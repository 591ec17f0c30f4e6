"""The bearoff databases that evaluators use: the usual two, and larger ones that the user chose.

The choice is one line of text in a file beside the databases, such as ``one-sided 10 two-sided
6x8``. ``GNUBG_PY_BEAROFF`` holds such a line for one run.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from gnubg_py.bearoff.one_sided import one_sided_name
from gnubg_py.bearoff.store import cache_directory
from gnubg_py.bearoff.two_sided import TWO_SIDED_CHECKERS, two_sided_name
from gnubg_py.board import HOME_POINTS
from gnubg_py.errors import FileError
from gnubg_py.files import read_text, write_aside
from gnubg_py.messages import problem_text, say

BEAROFF_VARIABLE = "GNUBG_PY_BEAROFF"
_LARGEST_FILE = 1000
_EXPECTED = "expected 'usual', or sizes such as 'one-sided 10 two-sided 6x8'"


class Sizes(NamedTuple):
    """The largest databases in use. Positions that the usual ones hold are read from those."""

    one_sided_points: int = HOME_POINTS
    two_sided_points: int = HOME_POINTS
    two_sided_checkers: int = TWO_SIDED_CHECKERS

    def __str__(self) -> str:
        """The text that ``parse_sizes`` reads back."""
        if self == USUAL:
            return "usual"
        two_sided = f"{self.two_sided_points}x{self.two_sided_checkers}"
        return f"one-sided {self.one_sided_points} two-sided {two_sided}"


USUAL = Sizes()
_chosen: Sizes | None = None


def parse_sizes(text: str, sizes: Sizes = USUAL) -> Sizes:
    """``sizes`` changed by a text: ``one-sided P``, ``two-sided PxC``, or ``usual``.

    >>> tuple(parse_sizes("one-sided 10")), str(parse_sizes("two-sided 6x8"))
    ((10, 6, 6), 'one-sided 6 two-sided 6x8')
    """
    words = text.lower().split()
    if words == ["usual"]:
        return USUAL
    for kind, size in zip(words[::2], words[1::2], strict=False):
        numbers = [int(n) if n.isascii() and n.isdigit() else -1 for n in size[:9].split("x")]
        if kind == "one-sided" and len(numbers) == 1:
            one_sided_name(numbers[0])  # checks the size
            sizes = sizes._replace(one_sided_points=numbers[0])
        elif kind == "two-sided" and len(numbers) == 2:
            two_sided_name(numbers[0], numbers[1])
            sizes = sizes._replace(two_sided_points=numbers[0], two_sided_checkers=numbers[1])
        else:
            raise ValueError(f"bearoff databases {text[:80]!r}: {_EXPECTED}")
    if not words or len(words) % 2:
        raise ValueError(f"bearoff databases {text[:80]!r}: {_EXPECTED}")
    return sizes


def _file() -> Path:
    return cache_directory() / "bearoff-in-use.txt"


def sizes_in_use() -> Sizes:
    """The sizes chosen in this run, or by ``GNUBG_PY_BEAROFF``, or in the file; else the usual.

    A file that cannot be read is named on stderr in one line.
    """
    if _chosen is not None:
        return _chosen
    if os.environ.get(BEAROFF_VARIABLE):
        return parse_sizes(os.environ[BEAROFF_VARIABLE])
    try:
        if _file().is_file():
            return parse_sizes(read_text(_file(), _LARGEST_FILE))
    except ValueError as error:
        say(f"{_file()}: {error}; the usual bearoff databases are used")
    return USUAL


def use_sizes(sizes: Sizes) -> None:
    """Use these sizes in this and later runs; print a message if they cannot be stored."""
    global _chosen
    _chosen = sizes
    try:
        cache_directory().mkdir(parents=True, exist_ok=True)
        write_aside(_file(), f"{sizes}\n".encode())
    except (OSError, FileError) as error:
        say(f"{problem_text(error)}: the choice of bearoff databases is for this run alone")
