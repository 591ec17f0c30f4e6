"""The commands as a tree of data: finding one by its abbreviated words, completion and help."""

from __future__ import annotations

import difflib
import glob
import os
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from gnubg_py.shell.session import Session


class UnknownWordError(ValueError):
    """A word that names no command, play or position: printed on the error output."""


Run = Callable[..., None]
_WIDTH = 79


@dataclass(frozen=True)
class Command:
    """A command by the words that name it, or, in the tree, one of those words.

    ``run`` gets the session and the words that follow; where there is no ``usage`` none may
    follow, and it gets the session alone. A command with ``subcommands`` and a ``run`` runs where
    none of them follows. ``values`` are words that Tab offers as arguments.
    ``short`` are abbreviations with a meaning of their own. ``ours``: gnubg has no such command.
    A ``hidden`` one is not listed.
    """

    name: str
    help: str
    run: Run | None = None
    usage: str = ""
    subcommands: tuple[Command, ...] = ()
    values: tuple[str, ...] = ()
    short: Mapping[str, str] = field(default_factory=dict)
    details: str = ""
    hidden: bool = False
    ours: bool = False
    names: Callable[[Session], Iterable[tuple[str, str]]] | None = None
    """Further names of subcommands, as (name, subcommand): the players'."""


@dataclass(frozen=True)
class Found:
    """A command, the full words that name it, and the words left over."""

    command: Command
    path: tuple[str, ...]
    rest: list[str]

    def run(self, session: Session) -> None:
        """Carry it out; ``ValueError`` where it lacks a subcommand.

        Words too many are an error at a terminal; from a program they are ignored, as in gnubg.
        """
        if self.command.run is None:
            raise ValueError(_incomplete(self))
        if self.command.usage:
            self.command.run(session, self.rest)
        elif self.rest and session.interactive:
            name = " ".join(self.path)
            raise ValueError(f"`{self.rest[0][:40]}' after `{name}', which takes nothing more.")
        else:
            self.command.run(session)


@dataclass(frozen=True)
class Layout:
    """What a tree has besides its commands, by the words before: help, order, further names."""

    titles: Mapping[str, str] = field(default_factory=dict)
    order: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, Callable[[Session], Iterable[tuple[str, str]]]] = field(
        default_factory=dict
    )


def build_tree(commands: Iterable[Command], layout: Layout, path: str = "") -> tuple[Command, ...]:
    """The tree of commands that are named by all their words.

    Its order, which decides what an abbreviation means, is gnubg's; our own commands come after.
    """
    groups: dict[str, list[Command]] = {}
    for command in commands:
        groups.setdefault(command.name.removeprefix(path).split()[0], []).append(command)
    children = [_node(f"{path}{name}", below, layout) for name, below in groups.items()]
    order = layout.order.get(path.strip(), "").split()
    place = {name: i for i, name in enumerate(order)}
    return tuple(
        sorted(children, key=lambda child: (child.ours, place.get(child.name, len(order))))
    )


def _node(words: str, commands: list[Command], layout: Layout) -> Command:
    own = [command for command in commands if command.name == words]
    node = own[0] if own else Command(words, _title(words, layout))
    return replace(
        node,
        name=words.split()[-1],
        subcommands=build_tree((c for c in commands if c.name != words), layout, f"{words} "),
        ours=all(command.ours for command in commands),
        hidden=all(command.hidden for command in commands),
        names=layout.names.get(words),
    )


def _title(words: str, layout: Layout) -> str:
    """The help of a group: of its words, or of the longest end of them that has one."""
    parts = words.split()
    ends = (" ".join(parts[i:]) for i in range(len(parts)))
    return next((layout.titles[end] for end in ends if end in layout.titles), "")


def find(root: Command, words: list[str], session: Session | None = None) -> Found:
    """The command that some words name; ``ValueError`` names similar words or what is missing."""
    command = root
    path: list[str] = []
    for place, word in enumerate(words):
        if not command.subcommands:
            return Found(command, tuple(path), words[place:])
        child = _child(command, word, session)
        if child is None:
            if command.run is not None:
                return Found(command, tuple(path), words[place:])
            if command.names is not None:
                words_ = " ".join(path)
                raise UnknownWordError(f"Unknown player `{word[:40]}' (see `help {words_}').")
            raise UnknownWordError(unknown_word(command, word))
        command = child
        path.append(child.name)
    return Found(command, tuple(path), [])


def _child(command: Command, word: str, session: Session | None) -> Command | None:
    """The subcommand that a word names: the first in order that begins with it; or None."""
    wanted = word.lower()
    if session is not None and command.names is not None:
        named = {name.lower(): target for name, target in command.names(session)}
        wanted = named.get(wanted, wanted)
    wanted = command.short.get(wanted, wanted)
    exact = [child for child in command.subcommands if child.name == wanted]
    near = [child for child in command.subcommands if child.name.startswith(wanted)]
    return next(iter(exact or near), None)


def unknown_word(command: Command, word: str) -> str:
    """The message for a word that names no subcommand."""
    names = [child.name for child in command.subcommands if not child.hidden]
    near = difflib.get_close_matches(word.lower(), names, n=3)
    shown = word if len(word) <= 40 else word[:37] + "..."
    if near:
        hint = f"Did you mean {_listed([f'`{n}' + chr(39) for n in near])}?"
    elif len(names) > 12 or not names:
        hint = "Type `help' for a list of commands."
    else:
        hint = f"Expected {_listed(names)}."
    return f"Unknown keyword `{shown}'. {hint}"


def _incomplete(found: Found) -> str:
    """The message for a command without its subcommand."""
    if found.command.names is not None:
        return f"You must specify a player (see `help {' '.join(found.path)}')."
    names = [child.name for child in found.command.subcommands if not child.hidden]
    where = " ".join(found.path)
    if len(names) > 12 or not names:
        return f"Incomplete command. `help {where}' lists what may follow."
    return f"Incomplete command. `{where}' needs {_listed(names)}."


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]


def completions(root: Command, words: list[str], session: Session | None = None) -> list[str]:
    """What the last of some words can be completed to, at whatever level it stands."""
    *before, last = words or [""]
    try:
        found = find(root, before, session) if before else Found(root, (), [])
    except ValueError:
        return []
    if found.rest and found.command.subcommands:
        return []
    offered = [c.name for c in found.command.subcommands if not c.hidden]
    if session is not None and found.command.names is not None:
        offered += [name for name, _ in found.command.names(session)]
    offered += found.command.values
    return sorted({name for name in offered if name.lower().startswith(last.lower())})


def file_completions(root: Command, words: list[str], session: Session | None = None) -> list[str]:
    """The files that the last word may become, where the command takes one; folders end in "/"."""
    *before, last = words
    try:
        found = find(root, before, session)
    except ValueError:
        return []
    if "file>" not in found.command.usage.lower():
        return []
    start = last.removeprefix('"')
    names = glob.glob(glob.escape(os.path.expanduser(start)) + "*")
    shown = [f"{start}{name[len(os.path.expanduser(start)) :]}" for name in sorted(names)]
    return [
        _file_word(text, os.path.isdir(name))
        for text, name in zip(shown, sorted(names), strict=True)
    ]


def _file_word(name: str, folder: bool) -> str:
    """A file's name as it is typed: in quotes where it has blanks."""
    text = f'"{name}' if " " in name else name
    if folder:
        return f"{text}/"
    return f'{text}" ' if " " in name else f"{text} "


def help_text(found: Found) -> str:
    """The help of a command: what it does, how it is used, and what may follow it."""
    command = found.command
    shown = [child for child in command.subcommands if not child.hidden]
    if not found.path:
        lines = ["Available commands:"]
    else:
        name = " ".join(found.path)
        needs = " <subcommand>" if shown and command.run is None else ""
        usage = f"Usage: {name}{needs}{f' {command.usage}' if command.usage else ''}"
        lines = [*_wrapped(f"{name} - {command.help}"), "", *_wrapped(usage)]
        if command.details:
            lines += ["", *_wrapped(command.details)]
        if shown:
            lines += ["", "Available subcommands:"]
    width = max((len(child.name) for child in shown), default=0) + 2
    lines += [f"  {child.name:<{width}}{child.help}" for child in shown]
    return "\n".join(lines)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def every(
    command: Command, path: tuple[str, ...] = ()
) -> Iterable[tuple[tuple[str, ...], Command]]:
    """Every command under one, with the words that name it, depth first."""
    for child in command.subcommands:
        yield (*path, child.name), child
        yield from every(child, (*path, child.name))
