"""What a setting of the shell is: one row from which set, show, help and completion come.

A row says the words of the setting, what it is for, how its value is read and written, where it is
kept, and the sentence that confirms it. `save settings` writes the rows back as commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from gnubg_py.shell import words
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command


@dataclass(frozen=True)
class SettingPlace:
    """Where a value is kept: how to get it from a session, and how to put another one there."""

    get: Callable[[Session], Any]
    put: Callable[[Session, Any], None]

    def field(self, name: str) -> SettingPlace:
        """The place of one field of the frozen value kept here."""

        def put(session: Session, value: Any) -> None:
            self.put(session, replace(self.get(session), **{name: value}))

        return SettingPlace(lambda session: getattr(self.get(session), name), put)


def kept_at(path: str) -> SettingPlace:
    """The place of an attribute of the session, or of a field of one: ``output.digits``."""
    first, *fields = path.split(".")
    place = SettingPlace(
        lambda session: getattr(session, first),
        lambda session, value: setattr(session, first, value),
    )
    for name in fields:
        place = place.field(name)
    return place


def rule(name: str) -> SettingPlace:
    """The place of a rule, which holds for the match in progress too."""
    return SettingPlace(
        lambda session: getattr(session.rules, name),
        lambda session, value: session.set_rules(**{name: value}),
    )


@dataclass(frozen=True)
class Reader:
    """How the words of a value are read, shown in help, completed, and written again.

    ``read`` gets the words and those of the setting; ``write`` returns the words of one command,
    or of several, that set a value again.
    """

    usage: str
    read: Callable[[list[str], str], Any]
    write: Callable[[Any], str | list[str]] = str
    values: tuple[str, ...] = ()


SWITCH = Reader("on|off", words.on_off, lambda value: "on" if value else "off", ("on", "off"))


NOTHING = Reader("[...]", lambda *_: None, lambda _: [])
"""Reads nothing: what is set stays as it is."""


def whole_reader(
    low: int, high: int, what: str, usage: str = "<number>", sentence: str = ""
) -> Reader:
    """Reads a whole number between two bounds; ``sentence``: gnubg's about any other word."""
    return Reader(usage, lambda given, _: words.whole(given, low, high, what, sentence))


def decimal_reader(
    low: float, high: float, what: str, usage: str = "<x>", sentence: str = ""
) -> Reader:
    """Reads a number between two bounds; ``sentence``: gnubg's about any other word."""
    return Reader(
        usage, lambda given, _: words.decimal(given, low, high, what, sentence), _number_words
    )


def _number_words(value: float | None) -> list[str]:
    return [] if value is None else [str(value)]


def choice(what: str, choices: Iterable[str]) -> Reader:
    """Reads one of several words, which may be abbreviated."""
    names = tuple(choices)

    def read(given: list[str], _: str) -> str:
        text = given[0].lower() if given else ""  # gnubg ignores what follows
        near = [name for name in names if text and name.startswith(text)]
        if not near:
            raise ValueError(f"You must specify {what}: {', '.join(names)}.")
        return near[0]

    return Reader("|".join(names), read, values=names)


def text(what: str, longest: int = 1000, usage: str = "<text>") -> Reader:
    """Reads any printable text, also none."""

    def read(given: list[str], _: str) -> str:
        value = " ".join(given)
        if len(value) > longest or not value.isprintable():
            raise ValueError(f"You must specify {what} of at most {longest} letters.")
        return value

    return Reader(usage, read)


Says = tuple[str, str] | str | Callable[..., str]
"""The sentence of a value: those for on and off, a format, or a function of session and value."""


def said(says: Says, session: Session, value: Any) -> str:
    """The sentence of a value."""
    if isinstance(says, tuple):
        return says[0 if value else 1]
    return says.format(value) if isinstance(says, str) else says(session, value)


@dataclass(frozen=True)
class Setting:
    """One setting. ``shows``: the help of its own `show` command, if it has one.

    Only where ``holds`` is there anything to save.
    """

    words: str
    help: str
    reader: Reader
    place: SettingPlace
    says: Says
    shows: str = ""
    ours: bool = False
    details: str = ""
    holds: Callable[[Session], bool] = lambda _: True

    def sentence(self, session: Session) -> str:
        """The sentence that says how it is set."""
        return self._sentence(session, self.place.get(session))

    def _sentence(self, session: Session, value: Any) -> str:
        """The sentence of a value; %0% and %1% in it stand for the players."""
        sentence = said(self.says, session, value)
        for number, name in enumerate(session.names):
            sentence = sentence.replace(f"%{number}%", name)
        return sentence

    def run(self, session: Session, given: list[str]) -> None:
        """``set WORDS VALUE``."""
        value = self.reader.read(given, self.words)
        if self.reader is not NOTHING:
            self.place.put(session, value)
        # Some things that are switched off are so only once another setting changes.
        if self.reader is not SWITCH:
            value = self.place.get(session)
        if sentence := self._sentence(session, value):
            session.say(sentence)

    def lines(self, session: Session) -> list[str]:
        """The commands that set what is set now."""
        if not self.holds(session):
            return []
        written = self.reader.write(self.place.get(session))
        values = [written] if isinstance(written, str) else written
        return [f"set {self.words} {value}" for value in values]

    def set_command(self) -> Command:
        """The command below `set`."""
        reader = self.reader
        return Command(
            f"set {self.words}", self.help, self.run, reader.usage, values=reader.values,
            details=self.details, ours=self.ours,
        )  # fmt: skip

    def show_command(self) -> Command:
        """The command below `show`."""
        return Command(
            f"show {self.words}", self.shows, lambda session: session.say(self.sentence(session)),
            ours=self.ours,
        )  # fmt: skip


def switch(
    words_: str, help_text: str, place: SettingPlace | str, on: str, off: str, shows: str = ""
) -> Setting:
    """A setting that is on or off: a row with its two sentences; ``place`` may be a path."""
    where = kept_at(place) if isinstance(place, str) else place
    return Setting(words_, help_text, SWITCH, where, (on, off), shows)
