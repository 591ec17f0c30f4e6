"""What the shell says where the rules forbid an action: gnubg's sentences, with its commands."""

from __future__ import annotations

from gnubg_py.errors import IllegalActionError, Refusal

_SENTENCES = {
    Refusal.NO_GAME: "No game in progress (type `new game' to start one).",
    Refusal.CUBE_DISABLED: "The doubling cube has been disabled (see `help set cube use').",
    Refusal.CRAWFORD: "Doubling is forbidden by the Crawford rule (see `help set crawford').",
    Refusal.BEAVERS_DISABLED: "Beavers are disabled (see `help set beavers').",
    Refusal.BEAVERS_USED_UP: "Only {count} beavers are permitted (see `help set beavers').",
}
"""Where the message of the library is not what gnubg says."""
_OF_ONE = {Refusal.BEAVERS_USED_UP: "Only one beaver is permitted (see `help set beavers')."}
"""Where gnubg has another sentence for a ``count`` of 1."""


def refusal_text(problem: IllegalActionError) -> str:
    """gnubg's sentence for a refusal.

    >>> refusal_text(IllegalActionError(Refusal.BEAVERS_DISABLED))
    "Beavers are disabled (see `help set beavers')."
    """
    if problem.values.get("count") == 1 and problem.kind in _OF_ONE:
        return _OF_ONE[problem.kind]
    return _SENTENCES.get(problem.kind, problem.kind.value).format(**problem.values)
