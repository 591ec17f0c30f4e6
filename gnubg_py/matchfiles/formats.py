"""``Format``: how files of one format are recognised, read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gnubg_py.game.position import Rules
from gnubg_py.matchfiles.contents import MatchContents


@dataclass(frozen=True)
class Format:
    """A format, as one module of this package defines it.

    ``looks_like`` takes the bytes of a file and returns whether it is probably of this format.
    ``read`` raises ``ValueError`` only if there is no match in the file; its ``rules`` apply where
    the file has none. ``write`` returns the text of a file.
    """

    looks_like: Callable[[bytes], bool]
    read: Callable[[bytes, Rules], MatchContents] | None = None
    write: Callable[[MatchContents], str] | None = None


def text_of(data: bytes) -> str:
    """The text of a file: UTF-16 with a byte order mark, UTF-8, or Latin-1 of older programs.

    >>> text_of("é".encode("latin-1")), text_of("é".encode("utf-16"))
    ('é', 'é')
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def lines_of(text: str, longest: int = 1000) -> list[str]:
    """The lines of a text with any line breaks, each cut after ``longest`` characters."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return [line[:longest].expandtabs() for line in text.split("\n")]
