"""The contents of a match file: a record, with its analysis, comments and warnings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gnubg_py.game.record import MatchRecord

if TYPE_CHECKING:
    from gnubg_py.game.analysis import Judgement

SKILLS = ("doubtful", "bad", "very bad")
LUCKS = ("very unlucky", "unlucky", "lucky", "very lucky")
ROLLED_OUT = 100
"""The plies of what was rolled out: deeper than any search."""
LONGEST_NAME = 64
LONGEST_COMMENT = 10_000
# One class for each range: a class of several ranges beyond Latin-1 takes milliseconds to compile.
_BAD_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|[\u2028-\u202e]|[\u2066-\u2069]")
_BAD_NAME = re.compile(rf"[\t\n]|{_BAD_TEXT.pattern}")

Place = tuple[int, int]
"""The number of a game, and of an action in it, both from 0."""


@dataclass(frozen=True)
class MatchInfo:
    """Where and when a match was played, as far as its file has it; ratings are texts."""

    date: str = ""
    event: str = ""
    round: str = ""
    place: str = ""
    annotator: str = ""
    comment: str = ""
    ratings: tuple[str, str] = ("", "")


NO_INFO = MatchInfo()


@dataclass(frozen=True)
class MatchContents:
    """A match, its analysis and comments, and the warnings of reading it."""

    record: MatchRecord
    warnings: tuple[str, ...] = ()
    analysis: Mapping[Place, tuple[Judgement, ...]] = field(default_factory=dict)
    comments: Mapping[Place, str] = field(default_factory=dict)
    info: MatchInfo = NO_INFO
    skills: Mapping[Place, str] = field(default_factory=dict)
    lucks: Mapping[Place, str] = field(default_factory=dict)
    """Marks that a person gave: "doubtful" to "very bad", "very unlucky" to "very lucky"."""
    rollouts: Mapping[Place, Mapping[str, str]] = field(default_factory=dict)
    """gnubg's texts of the rollouts of actions: by the letters of the play, "" for the cube."""

    def __repr__(self) -> str:
        """The players, the length, and how many games: all actions would fill the screen."""
        record = self.record
        length = f"{record.length} points" if record.length else "money"
        games = "1 game" if len(record.games) == 1 else f"{len(record.games)} games"
        return f"<MatchContents {record.players[0]} - {record.players[1]}, {length}, {games}>"


def depth_words(ply: int) -> str:
    """How deep a decision was looked at: "2-ply", or "Rollout"."""
    return "Rollout" if ply >= ROLLED_OUT else f"{ply}-ply"


def clean_name(text: str, otherwise: str = "") -> str:
    """A player's name that is safe to print: at most 64 characters, none a control character.

    A terminal would obey control characters. Other characters, such as a no-break space, stay.

    >>> clean_name(" \\x1b[31mEve ")
    '?[31mEve'
    """
    text = unicodedata.normalize("NFC", text)
    return _BAD_NAME.sub("?", text.strip())[:LONGEST_NAME].strip() or otherwise


def clean_text(text: str) -> str:
    """A comment that is safe to print: line breaks and tabs stay, other control characters do not.

    >>> clean_text("good\\r\\nplay\\x07")
    'good\\nplay?'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")[:LONGEST_COMMENT]
    return _BAD_TEXT.sub("?", text)
