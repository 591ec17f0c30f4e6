"""The actions of a game, each a small immutable value, and their JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from gnubg_py.dice import check_dice
from gnubg_py.match import Resignation
from gnubg_py.typed import is_whole, shortened


@dataclass(frozen=True)
class Action:
    """Something ``player`` (0 or 1) does."""

    word: ClassVar[str] = ""
    player: int


@dataclass(frozen=True)
class Roll(Action):
    """The dice are rolled; the play follows as a ``Move``."""

    word = "roll"
    dice: tuple[int, int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "dice", check_dice(self.dice))


@dataclass(frozen=True)
class Move(Action):
    """A play of the dice, in gnubg's notation: ``8/5 6/5``; "cannot move" where there is none."""

    word = "move"
    play: str


@dataclass(frozen=True)
class Double(Action):
    """The cube is offered at twice its value."""

    word = "double"


@dataclass(frozen=True)
class Redouble(Action):
    """A double on the table is taken and turned at once: a beaver, then a raccoon."""

    word = "redouble"


@dataclass(frozen=True)
class Take(Action):
    """The double on the table is taken."""

    word = "take"


@dataclass(frozen=True)
class Drop(Action):
    """The double on the table is refused: the game is over."""

    word = "drop"


@dataclass(frozen=True)
class Resign(Action):
    """The game is offered for a single game, a gammon or a backgammon."""

    word = "resign"
    offer: Resignation


@dataclass(frozen=True)
class Accept(Action):
    """A resignation on the table is accepted: the game is over."""

    word = "accept"


@dataclass(frozen=True)
class Reject(Action):
    """A resignation on the table is declined."""

    word = "reject"


@dataclass(frozen=True)
class Setup(Action):
    """The position is set by hand to that of a GNUbg ID."""

    word = "setup"
    gnubg_id: str


_KINDS: dict[str, type[Action]] = {
    kind.word: kind
    for kind in (Roll, Move, Double, Redouble, Take, Drop, Resign, Accept, Reject, Setup)
}


def to_json(action: Action) -> dict[str, Any]:
    """An action as a JSON object.

    >>> to_json(Roll(1, (3, 1)))
    {'action': 'roll', 'player': 1, 'dice': [3, 1]}
    """
    values = {"action": action.word} | asdict(action)
    if isinstance(action, Roll):
        values["dice"] = list(action.dice)
    if isinstance(action, Resign):
        values["offer"] = int(action.offer)
    return values


def from_json(value: object) -> Action:
    """Read an action back; ``ValueError`` says what is wrong.

    >>> from_json({"action": "double", "player": 0})
    Double(player=0)
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"an action is {shortened(value)}: should be an object")
    word = value.get("action")
    if not isinstance(word, str) or word not in _KINDS:
        raise ValueError(f"action {shortened(word)}: should be one of {', '.join(_KINDS)}")
    kind = _KINDS[word]
    names = [field.name for field in fields(kind)]
    if sorted(value) != sorted(["action", *names]):
        raise ValueError(f"action {word!r}: should have {', '.join(['action', *names])}")
    if not (is_whole(value["player"]) and value["player"] in (0, 1)):
        raise ValueError(f"action {word!r}: player {shortened(value['player'])}: should be 0 or 1")
    return kind(**{name: _field(word, name, value[name]) for name in names})


def _field(word: str, name: str, value: Any) -> Any:
    if name == "dice":
        if not (isinstance(value, list) and len(value) == 2 and all(map(is_whole, value))):
            raise ValueError(f"action {word!r}: dice {shortened(value)}: should be two numbers")
        return (value[0], value[1])
    if name == "offer":
        if not (is_whole(value) and 1 <= value <= 3):
            raise ValueError(f"action {word!r}: offer {shortened(value)}: should be 1, 2 or 3")
        return Resignation(value)
    if name in ("play", "gnubg_id") and not (isinstance(value, str) and len(value) <= 100):
        raise ValueError(f"action {word!r}: {name} {shortened(value)}: should be a short text")
    return value
