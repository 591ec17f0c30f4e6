"""Readers, setters and sentences of particular settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gnubg_py.messages import counted
from gnubg_py.shell.session import Session
from gnubg_py.shell.settings import SWITCH
from gnubg_py.threads import set_thread_count

VARIATION_NAMES = {
    "standard": "standard",
    "nackgammon": "nackgammon",
    "1-chequer-hypergammon": "hypergammon1",
    "2-chequer-hypergammon": "hypergammon2",
    "3-chequer-hypergammon": "hypergammon3",
}
VARIATION_TITLES = {
    "standard": "Standard backgammon",
    "nackgammon": "Nackgammon",
    "hypergammon1": "1-chequer hypergammon",
    "hypergammon2": "2-chequer hypergammon",
    "hypergammon3": "3-chequer hypergammon",
}
_LONGEST_NAME = 31


def put_jacoby(session: Session, wanted: bool) -> None:
    """Set the rule, also that of a money game in progress."""
    session.set_rules(jacoby=wanted)
    if session.is_playing:
        match = session.shown().match
        if match.match_length == 0 and match.jacoby != wanted:
            session.set_position(session.shown().board, replace(match, jacoby=wanted))


def beavers_sentence(_: Session, n: int) -> str:
    """How many beavers money sessions allow."""
    if n == 0:
        return "No beavers allowed in money sessions."
    if n == 1:
        return "1 beaver allowed in money sessions."
    return f"{n} beavers/raccoons allowed in money sessions."


def doubles_sentence(session: Session, limit: int) -> str:
    """How many automatic doubles a session allows."""
    if not limit:
        return "Automatic doubles will not be used."
    one, more = "A single automatic double will be permitted.", "Automatic doubles will be used"
    sentence = one if limit == 1 else f"{more} (up to a limit of {limit})."
    if not session.length:
        return sentence
    note = "Note that automatic doubles will have no effect until you start session play."
    return f"{sentence}\n({note})"


def length_sentence(_: Session, n: int) -> str:
    """How long new matches are."""
    return f"New matches default to {counted(n, 'point')}."


def put_threads(session: Session, n: int) -> None:
    """Set the number of threads, which `save settings` writes too."""
    set_thread_count(n)
    session.choices["threads"] = str(n)


def read_variation(given: list[str], _: str) -> str:
    """The name of a variation, from ours or gnubg's, which may be abbreviated."""
    text = " ".join(given).lower()
    near = [ours for name, ours in VARIATION_NAMES.items() if text and name.startswith(text)]
    near += [ours for ours in VARIATION_NAMES.values() if ours == text and ours not in near]
    if len(near) != 1:
        raise ValueError(f"You must specify a variation: {', '.join(VARIATION_NAMES)}.")
    return near[0]


def put_variation(session: Session, variation: str) -> None:
    """Set the variation of the next match or session."""
    session.rules = replace(session.rules, variation=variation)


def variation_sentence(session: Session, variation: str) -> str:
    """The variation of the next match or session, and that of the game there is."""
    title = VARIATION_TITLES[variation]
    lines = [f"Default variation is: {title}"]
    if session.has_game:
        now = VARIATION_TITLES[session.match().rules.variation]
        lines.insert(0, f"You are playing: {now}")
        lines.append(f"The current match or session is being played as `{now}'.")
    return "\n".join([*lines, f"Please start a new match or session to play `{title}'"])


def put_hints(session: Session, value: Any) -> None:
    """Set how `eval' and `hint' value positions, and drop the last hint."""
    session.hints = value
    session.forget_plays()


def read_prompt(given: list[str], _: str) -> str:
    """A prompt; without words, gnubg's own."""
    prompt = " ".join(given)
    if len(prompt) > 80:
        raise ValueError("You must specify a prompt of at most 80 letters.")
    return prompt or "(\\p) "


_LANGUAGES = ("c", "posix", "en", "system")


def read_language(given: list[str], _: str) -> str:
    """English, by any name; other languages are refused with gnubg's message."""
    language = " ".join(given)[:40]
    if language and not language.lower().startswith(_LANGUAGES):
        raise ValueError(f"Locale '{language}' not supported by C library.")
    return language or "C"


def read_names(given: list[str], _: str) -> tuple[str, str]:
    """Two different names."""
    if len(given) != 2:
        raise ValueError("You must specify two player names.")
    first, second = map(checked_name, given)
    if first.lower() == second.lower():
        raise ValueError("Player names identical")
    return first, second


def names_words(names: tuple[str, str] | None) -> list[str]:
    """The words of a command that sets two names."""
    return [] if names is None else [" ".join(f'"{name}"' for name in names)]


def checked_name(name: str) -> str:
    """A player's name, cut where gnubg cuts it; ``ValueError`` if it cannot be one."""
    if name.lower() == "both":
        raise ValueError(f"`{name}' is a reserved word; you can't call a player that.")
    if name.isdigit():
        raise ValueError(f"`{name[:40]}' is not a valid name.")
    if not (name and name.isprintable()):
        raise ValueError("You must specify a name of letters that can be printed.")
    if '"' in name:
        raise ValueError("A name cannot have a quotation mark in it.")
    return name[:_LONGEST_NAME]


def read_cheat(given: list[str], words_: str) -> bool:
    """Off; ``ValueError`` for on."""
    if SWITCH.read(given, words_):
        raise ValueError("Dice are not manipulated here: off is all there is.")
    return False
