"""All formats by name, and reading a file of any format.

A new format to read is a module with a ``FORMAT``, and a line here. The formats that ``export``
writes are in ``shell/export_commands.py``.
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
    "bgf": "A match of BGBlitz",
    "snowietxt": "A Snowie position or match",
    "pos": "A Jellyfish position",
    "oldmoves": "A list of FIBS's old moves",
    "tmg": "A match of TrueMoneyGames",
    "sgg": "A match of GamesGrid",
    "party": "A match of PartyGammon",
    "bgroom": "A session of BGRoom",
    "gam": "A Jellyfish game",
    "mat": "A Jellyfish match",
}
"""The formats, in the order in which a file is tried: the most lenient reader comes last."""


def format_named(name: str) -> Format:
    """The format with this name in ``TITLES``."""
    found = import_module(f"gnubg_py.matchfiles.{name}").FORMAT
    assert isinstance(found, Format)
    return found


def read_as(name: str, path: str | os.PathLike[str], rules: Rules | None = None) -> MatchContents:
    """The match in a file of the format ``name``; ``ValueError`` if there is none."""
    return _read(name, Path(path), read_bytes(Path(path), _LARGEST_FILE), rules)


def looks_like_a_match(path: Path) -> bool:
    """Whether a file looks like one of a known format; False if it cannot be read."""
    try:
        data = read_bytes(path, _LARGEST_FILE)
    except ValueError:
        return False
    forms = map(format_named, TITLES)
    return any(form.read is not None and form.looks_like(data) for form in forms)


def read_match(path: str | os.PathLike[str], rules: Rules | None = None) -> MatchContents:
    """The match in a file of any format, which is recognised by the contents.

    The result's ``warnings`` name what is wrong in the file. ``ValueError``, in one line, if there
    is no match in it. ``rules``, such as the Jacoby rule, apply where the file has none.
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
