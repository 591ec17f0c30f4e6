"""``show breakdown``, and the weights of the two heuristics that score plays."""

from __future__ import annotations

from gnubg_py.groups import CHOOSERS
from gnubg_py.match import NO_DICE
from gnubg_py.shell import words
from gnubg_py.shell.session import NO_POSITION, Session
from gnubg_py.shell.settings import Reader, Setting, SettingPlace
from gnubg_py.shell.tree import Command

_NAMES = tuple(name for name in CHOOSERS if name != "random")


def with_weights(session: Session, text: str) -> str:
    """The heuristic as it is written with the session's weights, unless it has its own."""
    own = session.heuristic_weights.get(text, "")
    return f"{text}:{own}" if own else text


def show_breakdown(session: Session, given: list[str]) -> None:
    """``show breakdown [HEURISTIC] [N]``: the plays of the roll with the parts of their scores."""
    from gnubg_py.compare.heuristic_plays import heuristic_named, scored_plays

    if not session.has_game:
        raise ValueError(NO_POSITION)
    name = given[0] if given and not given[0].isdecimal() else _NAMES[0]
    rest = given[1:] if given and not given[0].isdecimal() else given
    most = words.whole(rest, 1, 10000, "how many plays") if rest else 10
    named, weights = heuristic_named(with_weights(session, name))
    position = session.position()
    if position.match.dice == NO_DICE:
        raise ValueError("The dice have not been rolled: there are no plays to score.")
    session.say(scored_plays(named, weights, position.board, position.match.dice).table(most))


def _weights_setting(name: str) -> Setting:
    def read(given: list[str], _: str) -> str:
        from gnubg_py.compare.heuristic_plays import heuristic_weights, weights_text

        return weights_text(heuristic_weights(name, ",".join(given))) if given else ""

    def put(session: Session, text: str) -> None:
        session.heuristic_weights[name] = text

    def sentence(_: Session, text: str) -> str:
        return f"Weights of {name}: {text or 'the defaults'}."

    return Setting(
        f"heuristic {name}", f"Weights of {name} (none: the defaults)",
        Reader("[<weight>=<value> ...]", read),
        SettingPlace(lambda session: session.heuristic_weights.get(name, ""), put), sentence,
        shows=f"The weights of {name}", ours=True,
    )  # fmt: skip


HEURISTIC = tuple(map(_weights_setting, _NAMES))
COMMANDS = (
    Command("show breakdown", "The parts of each play's score by a heuristic", show_breakdown,
            "[<heuristic>] [number]", values=_NAMES, ours=True),
)  # fmt: skip
