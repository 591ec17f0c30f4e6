"""The errors that callers may want to distinguish. Each is a ``ValueError`` of one line."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class NotationError(ValueError):
    """A text is not a valid position, ID or match state of the notation that it seems to use."""


class IllegalPlayError(ValueError):
    """A text or a board is not a legal play of the roll."""


class FileError(ValueError):
    """A file cannot be read or written, or its contents are not what they should be."""


class WeightsError(FileError):
    """A file does not contain a net that can be used here."""


class UnknownNameError(ValueError):
    """A name is not one of the names that are known.

    >>> str(UnknownNameError("filter", "huge", ["tiny", "normal"]))
    "filter 'huge' is not one of tiny, normal"
    """

    def __init__(self, what: str, name: str, known: Iterable[str], extra: str = "") -> None:
        super().__init__(f"{what} {name!r} is not one of {', '.join(known)}{extra}")


class Refusal(Enum):
    """Why the rules forbid an action. The values are the messages, most of them gnubg's."""

    NO_GAME = "No game in progress."
    MATCH_OVER = "The match is already over."
    RESIGNATION_OFFERED = "Please resolve the resignation first."
    NOT_ON_TURN = "It is not player {player}'s turn."
    NOTHING_OFFERED = "You can only {word} if the cube or a resignation has been offered."
    NO_DOUBLE_OFFERED = "The cube must have been offered before you can {word} it."
    DOUBLE_BEFORE_ROLL = "Please wait until the cube has been considered before rolling."
    DOUBLE_BEFORE_MOVE = "Please wait until the cube has been considered before moving."
    ALREADY_ROLLED = "You have already rolled the dice."
    NOT_ROLLED = "You must roll the dice before you can move."
    CUBE_DISABLED = "The doubling cube has been disabled."
    ALREADY_DOUBLED = "The cube has already been offered."
    CRAWFORD = "Doubling is forbidden by the Crawford rule."
    DOUBLE_AFTER_ROLL = "You can't double after rolling the dice -- wait until your next turn."
    CUBE_NOT_OWNED = "You do not own the cube."
    CUBE_AT_LIMIT = "The cube is already at {value}; you can't double any more."
    CUBE_DEAD = "The cube is dead; you can't double any more."
    BEAVERS_IN_MATCH = "Beavers and Raccoons are not permitted during match play."
    BEAVERS_DISABLED = "Beavers are disabled."
    BEAVERS_USED_UP = "Only {count} beavers are allowed."
    REDOUBLE_AT_LIMIT = "The cube goes up to {value}."
    ALREADY_RESIGNED = "A resignation has been offered already: accept or reject it."


class IllegalActionError(ValueError):
    """The rules forbid an action; ``kind`` says why, and ``values`` fill in its message.

    >>> IllegalActionError(Refusal.BEAVERS_USED_UP, count=3)
    IllegalActionError('Only 3 beavers are allowed.')
    """

    def __init__(self, kind: Refusal, **values: object) -> None:
        super().__init__(kind.value.format(**values))
        self.kind = kind
        self.values = values
