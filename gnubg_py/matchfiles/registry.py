"""Every format by its name, and reading a file whatever its format is.

A new format to read is one module with a ``FORMAT``, and its line here. What ``export`` writes is
listed in ``shell/export_commands.py``.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

from gnubg_py.files import read_bytes
from gnubg_py.game.position import Rules
from gnubg_py.matchfiles.contents import MatchContents
from gnubg_py.matchfiles.formats import Format

_LARGEST_FILE = 20 << 20

TITLES = {
    "saved": "A match of this program, as JSON",
    "sgf": "A match of gnubg's, with its analysis",
    "xg": "A match or position of eXtreme Gammon",
    "snowietxt": "A Snowie position or match",
    "oldmoves": "A list of FIBS's old moves",
    "tmg": "A match of TrueMoneyGames",
    "gam": "A Jellyfish game",
    "mat": "A Jellyfish match",
}
"""The formats, in the order in which a file is tried: the most lenient reader comes last."""


def format_named(name: str) -> Format:
    """The format that is called ``name`` in ``TITLES``."""
    found = import_module(f"gnubg_py.matchfiles.{name}").FORMAT
    assert isinstance(found, Format)
    return found


def read_as(name: str, path: str | os.PathLike[str], rules: Rules | None = None) -> MatchContents:
    """The match in a file of the format called ``name``; ``ValueError`` where there is none."""
    return _read(name, Path(path), read_bytes(Path(path), _LARGEST_FILE), rules)


def looks_like_a_match(path: Path) -> bool:
    """Whether a file has the marks of a known format; one that cannot be read has none."""
    try:
        data = read_bytes(path, _LARGEST_FILE)
    except ValueError:
        return False
    forms = map(format_named, TITLES)
    return any(form.read is not None and form.looks_like(data) for form in forms)


def read_match(path: str | os.PathLike[str], rules: Rules | None = None) -> MatchContents:
    """The match in a file of any format, known by its contents.

    What is wrong with the file is in the result's ``warnings``. ``ValueError`` if there is no match
    in it, in one line. ``rules`` hold where the file tells none: the Jacoby rule, say.
    """
    data = read_bytes(Path(path), _LARGEST_FILE)
    for name in TITLES:
        form = format_named(name)
        if form.read is not None and form.looks_like(data):
            return _read(name, Path(path), data, rules)
    raise ValueError(f"{path}: a match file of no known format")


def _read(name: str, path: Path, data: bytes, rules: Rules | None) -> MatchContents:
    form = format_named(name)
    if form.read is None:
        raise ValueError(f"files of the format {name} are written only")
    try:
        return form.read(data, rules or Rules())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
