"""Reading gnubg's match equity table files (``met/*.xml``)."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from gnubg_py.cube.met import MatchEquityTable, make_table
from gnubg_py.cube.state import MAX_AWAY
from gnubg_py.files import read_bytes

_LARGEST_FILE = 1 << 20
_DEEPEST = 20


def read_met(path: str | os.PathLike[str]) -> MatchEquityTable:
    """The table in a gnubg MET file, checked; ``ValueError`` names what is wrong in one line.

    The tables should be explicit, and the same for both players.
    """
    path = Path(path)
    text = read_bytes(path, _LARGEST_FILE)
    try:
        _check_markup(text)
        root = ElementTree.fromstring(text)
    except (expat.ExpatError, ElementTree.ParseError, ValueError, LookupError) as error:
        raise ValueError(f"{path}: not XML: {error}") from None
    if root.tag != "met":
        raise ValueError(f"{path}: <{root.tag}>: a MET file begins with <met>")
    try:
        return _table(root)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _check_markup(text: bytes) -> None:
    """Refuse entities and deep nesting, which a MET file does not need and which can use up memory.

    expat reads the text as the real reader will, whatever its encoding: a search for the bytes of
    ``<!ENTITY`` would miss them in UTF-16.
    """
    depth = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise ValueError(f"elements are nested more than {_DEEPEST} deep")

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    def entity(*declared: object) -> None:
        raise ValueError("defines entities, which no MET file needs")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.EntityDeclHandler = entity
    parser.Parse(text, True)


def _table(root: ElementTree.Element) -> MatchEquityTable:
    name = " ".join((root.findtext("info/name") or "unnamed").split())
    pre_table = _explicit(root.findall("pre-crawford-table"), "pre-crawford-table")[0]
    posts = _explicit(root.findall("post-crawford-table"), "post-crawford-table")
    length = _length(root.findtext("info/length"))
    rows = pre_table.findall("row")
    if len(rows) < length:
        raise ValueError(f"pre-crawford-table has {len(rows)} rows: should have {length}")
    pre = np.array(
        [
            _row(row, length, f"pre-crawford-table row {i + 1}")
            for i, row in enumerate(rows[:length])
        ]
    )
    return make_table(name, pre, _post(posts, length))


def _explicit(tables: list[ElementTree.Element], tag: str) -> list[ElementTree.Element]:
    if not tables:
        raise ValueError(f"no <{tag}>")
    for table in tables:
        kind = table.get("type", "explicit")
        if kind != "explicit":
            raise ValueError(f"{tag} of type {kind!r}: only type 'explicit' can be read")
    return tables


def _length(text: str | None) -> int:
    text = (text or "").strip()
    if not (text.isascii() and text.isdigit() and 2 <= int(text[:9]) <= MAX_AWAY):
        raise ValueError(f"length {text!r}: should be a whole number from 2 to {MAX_AWAY}")
    return int(text)


def _post(tables: list[ElementTree.Element], length: int) -> NDArray[np.float64]:
    # A trailer has won at least the Crawford game: it is at most length - 1 away.
    answers = []
    for table in tables:
        row = table.find("row")
        if row is None:
            raise ValueError("post-crawford-table has no row")
        answers.append(_row(row, length - 1, "post-crawford-table"))
    if any(not np.array_equal(answers[0], other) for other in answers[1:]):
        raise ValueError("post-crawford-tables differ: a table with a favourite cannot be used")
    return answers[0]


def _row(row: ElementTree.Element, length: int, where: str) -> NDArray[np.float64]:
    entries = row.findall("me")
    if len(entries) < length:
        raise ValueError(f"{where} has {len(entries)} entries: should have {length}")
    values = np.empty(length)
    for i, entry in enumerate(entries[:length]):
        text = (entry.text or "").strip()
        try:
            values[i] = float(text)
        except ValueError:
            raise ValueError(f"{where}, entry {i + 1} is {text!r}: should be a number") from None
    return values
