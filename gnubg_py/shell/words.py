"""Reading the words of a command: numbers, on and off, players, and lines cut into words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

from gnubg_py.shell.session import Session
from gnubg_py.threads import T

LONGEST_COMMAND = 10_000
_LONGEST_POSITION = 1000
_WORD = re.compile(r'"([^"]*)"|(#.*)|(\S+)')


def split(line: str) -> list[str]:
    """A line's words; one in double quotes may have spaces, and ``#`` begins a comment.

    >>> split('set player 0 name "Al Ice"  # a guest')
    ['set', 'player', '0', 'name', 'Al Ice']
    """
    if len(line) > LONGEST_COMMAND:
        raise ValueError(f"a line of more than {LONGEST_COMMAND:,} characters is not read")
    words = []
    for quoted, comment, word in _WORD.findall(line.replace("\0", " ")):
        if comment:
            break
        words.append(word or quoted)
    return words


def on_off(words: list[str], what: str) -> bool:
    """``on`` or ``off``, by gnubg's several names: `y', `yes', `t', `true' and so on."""
    word = words[0].lower() if words else ""  # gnubg ignores what follows
    for value, exact, others in ((True, "on", ("yes", "true")), (False, "off", ("no", "false"))):
        if word == exact or (word and any(other.startswith(word) for other in others)):
            return value
    if word:
        raise ValueError(f"Illegal keyword `{word[:40]}'. `{what}' is `on' or `off'.")
    raise ValueError(f"You must specify whether to set '{what}' on or off.")


def whole(words: list[str], low: int, high: int, what: str, sentence: str = "") -> int:
    """One whole number between two bounds; ``sentence``: what gnubg says of any other word."""
    text = words[0] if words else ""
    if re.fullmatch(r"[-+]?[0-9]{1,40}", text, re.ASCII) and low <= int(text) <= high:
        return int(text)
    raise ValueError(_range(low, high, what, sentence))


def decimal(words: list[str], low: float, high: float, what: str, sentence: str = "") -> float:
    """One number between two bounds; ``sentence``: what gnubg says of any other word."""
    try:
        value = float(words[0]) if words else math.nan
    except ValueError:
        value = math.nan
    if math.isfinite(value) and low <= value <= high:
        return value
    raise ValueError(_range(low, high, what, sentence))


def _range(low: float, high: float, what: str, sentence: str) -> str:
    """The message for a number that is missing or out of bounds."""
    start = sentence or f"You must specify {what}."
    known = f"{low}" in start and f"{high}" in start
    return start if known else f"{start} (From {_number(low)} to {_number(high)}.)"


def _number(x: float) -> str:
    return str(x) if isinstance(x, int) else f"{x:g}"


def position(text: str, read: Callable[[str], T]) -> T:
    """The position that ``read`` makes of a text; gnubg's words before what is wrong with it."""
    if len(text) > _LONGEST_POSITION:
        raise ValueError("Illegal position: it is too long.")
    try:
        return read(text)
    except ValueError as error:
        raise ValueError(f"Illegal position: {error}.") from None


def player(session: Session, words: list[str], command: str, sentence: str = "") -> int:
    """A player by number, or by the name or its beginning; what gnubg says of others."""
    text = " ".join(words)
    if text in ("0", "1"):
        return int(text)
    for number, name in enumerate(session.names):
        if text and text.lower() == name.lower():
            return number
    shown = text[:40]
    if sentence:
        raise ValueError(sentence)
    raise ValueError(f"Unknown player `{shown}' (see `help {command}').")


def path_name(words: list[str], sentence: str = "You must specify a file.") -> Path:
    """The file that some words name, whether or not it is there; ``sentence``: what if none."""
    text = " ".join(words)
    if not text:
        raise ValueError(sentence)
    if len(text) > 1000 or "\0" in text:
        raise ValueError("This is not the name of a file.")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise ValueError(f"{text[:40]}: whose home folder is meant is not known") from None
