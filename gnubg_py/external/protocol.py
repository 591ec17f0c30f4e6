"""The lines that a client sends to gnubg's ``external`` socket, and what each one asks for.

``board:...`` asks for the decision of the side that the line describes; ``evaluation fibsboard
board:... plies 1 cube on`` asks for probabilities and an equity; ``version``, ``help``,
``set debug on`` and ``exit`` do what they say. Words come in either case, and answers have the form
of gnubg 1.07's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from gnubg_py.board import Board
from gnubg_py.match import MatchState, Resignation
from gnubg_py.notation.fibs_board import from_fibs_board
from gnubg_py.search.settings import MAX_PLIES

_VERSION = "Interface: 2\nRFBF: 0\nEngine: 1.00\nSoftware: 1.07.001"
NO_HELP = "\tNo help information available"

_SWITCHES = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
_WHOLE = {"plies": MAX_PLIES, "resignation": 3}
_SWITCHED = ("cube", "prune", "deterministic", "jacobyrule", "crawfordrule", "beavers")


@dataclass(frozen=True)
class Options:
    """What may follow a board line; None leaves a setting as the session has it."""

    plies: int | None = None
    cube: bool | None = None
    prune: bool | None = None
    noise: float | None = None
    deterministic: bool | None = None
    jacobyrule: bool | None = None
    crawfordrule: bool | None = None
    beavers: bool | None = None
    resignation: int = 0


@dataclass(frozen=True)
class Request:
    """A line that asks about a position: ``board`` has row 0 on roll, and I am player 0."""

    board: Board
    match: MatchState
    options: Options = field(default_factory=Options)


class Answers(Protocol):
    """Who answers requests: an engine with its settings."""

    def decision(self, request: Request) -> str:
        """A play, or one of roll, double, take, drop, beaver, accept and reject."""

    def evaluation(self, request: Request) -> tuple[Sequence[float], float]:
        """The five probabilities of the side on roll, and its equity."""


def answer(line: str, answers: Answers) -> str | None:
    """The answer to a line, without its last line break; None ends the connection.

    A line that cannot be understood is answered with ``Error: ...``, as gnubg does.
    """
    words = line.split()
    first = words[0].lower() if words else ""
    try:
        if first == "exit":
            return None
        if first.startswith("board:"):
            return answers.decision(_request(words))
        if first == "evaluation":
            return _evaluation(words[1:], answers)
        return _other(words)
    except ValueError as error:
        return f"Error: {error}"


def _other(words: list[str]) -> str:
    """The answer to a line that is not about a position."""
    lower = [word.lower() for word in words]
    if not words:
        raise ValueError("no command given")
    if lower == ["version"]:
        return _VERSION
    if lower[0] == "help":
        return NO_HELP
    if len(lower) == 3 and lower[:2] == ["set", "debug"] and lower[2] in _SWITCHES:
        return f"Debug output {'ON' if _SWITCHES[lower[2]] else 'OFF'}"
    raise ValueError(f"unknown command {words[0]!r}: expected board:..., evaluation or version")


def _evaluation(words: list[str], answers: Answers) -> str:
    if not words or words[0].lower() != "fibsboard":
        raise ValueError("evaluation: expected fibsboard board:...")
    five, equity = answers.evaluation(_request(words[1:]))
    return " ".join(f"{number:.6f}" for number in (*five, equity))


def _request(words: list[str]) -> Request:
    """The position and options of a board line split at its blanks.

    Names in the line may hold blanks: the board ends where its last colon is.
    """
    end = max((i for i, word in enumerate(words) if ":" in word), default=-1) + 1
    board, match = from_fibs_board(" ".join(words[:end]))
    options = _options(words[end:])
    if options.jacobyrule is not None and not match.match_length:
        match = replace(match, jacoby=options.jacobyrule)
    if options.beavers is not None and not match.match_length:
        match = replace(match, beavers=options.beavers)
    if options.resignation:
        match = replace(match, resigned=Resignation(options.resignation), move=1, turn=0)
    return Request(board, match, options)


def _options(words: list[str]) -> Options:
    if len(words) % 2:
        raise ValueError(f"{words[-1]!r}: expected a value after it")
    found: dict[str, object] = {}
    for name, value in zip(words[::2], words[1::2], strict=True):
        found[_option_name(name)] = _value(name.lower(), value)
    return replace(Options(), **found)  # type: ignore[arg-type]


def _option_name(name: str) -> str:
    lower = name.lower()
    if lower not in Options.__dataclass_fields__:
        expected = ", ".join(Options.__dataclass_fields__)
        raise ValueError(f"unknown option {name!r}: expected one of {expected}")
    return lower


def _value(name: str, text: str) -> object:
    if name in _SWITCHED:
        if text.lower() not in _SWITCHES:
            raise ValueError(f"{name} {text!r}: expected on or off")
        return _SWITCHES[text.lower()]
    if name in _WHOLE:
        if not (text.isascii() and text.isdigit() and int(text) <= _WHOLE[name]):
            raise ValueError(f"{name} {text!r}: expected 0 to {_WHOLE[name]}")
        return int(text)
    try:
        noise = float(text)
    except ValueError:
        raise ValueError(f"{name} {text!r}: expected a number") from None
    if not 0 <= noise <= 1:
        raise ValueError(f"{name} {text!r}: expected 0 to 1")
    return noise
