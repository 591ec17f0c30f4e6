"""What a match file holds: a record, and whatever was said about it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from gnubg_py.game.record import MatchRecord

LONGEST_NAME = 64
_BAD_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_BAD_NAME = re.compile(rf"{_BAD_TEXT.pattern[:-1]}\t\n]")


@dataclass(frozen=True)
class MatchContents:
    """A match that was read, and the warnings met on the way: one line each."""

    record: MatchRecord
    warnings: tuple[str, ...] = field(default=())


def clean_name(text: str, otherwise: str = "") -> str:
    """A player's name as it can be shown: without control characters, at most 64 characters.

    A terminal would obey control characters. Other odd characters, such as a no-break space, stay.

    >>> clean_name(" \\x1b[31mEve ")
    '?[31mEve'
    """
    text = unicodedata.normalize("NFC", text)
    return _BAD_NAME.sub("?", text.strip())[:LONGEST_NAME].strip() or otherwise


def clean_text(text: str) -> str:
    """A comment as it can be shown: line breaks and tabs stay, other control characters do not.

    >>> clean_text("good\\r\\nplay\\x07")
    'good\\nplay?'
    """
    return _BAD_TEXT.sub("?", text.replace("\r\n", "\n").replace("\r", "\n"))
