"""``save settings``, and reading what it wrote when a session begins."""

from __future__ import annotations

import io
from pathlib import Path

from platformdirs import user_config_path

from gnubg_py.files import LARGEST_LINES, read_bytes
from gnubg_py.matchfiles.formats import text_of
from gnubg_py.matchfiles.saved import write_text
from gnubg_py.messages import counted
from gnubg_py.shell.session import Session
from gnubg_py.shell.setting_rows import SETTINGS
from gnubg_py.shell.tree import Command

FILE = "gnubgautorc"
OWN_FILE = "gnubgrc"
"""Commands that a user wants in every session: the program reads it, and never writes it."""


def settings_file(session: Session) -> Path:
    """Where a session keeps its settings: in the folder it was given, or the user's own."""
    folder = session.settings_folder or user_config_path("gnubg_py", appauthor=False)
    return folder / FILE


def settings_lines(session: Session) -> list[str]:
    """The commands that set what differs from a new session."""
    new = Session()
    lines = [f"set {words} {value}" for words, value in session.choices.items()]
    for number, (player, other) in enumerate(zip(session.players, new.players, strict=True)):
        if player.name != other.name:
            lines.append(f'set player {number} name "{player.name}"')
        if player.kind != other.kind:
            lines.append(f"set player {number} {player.kind}")
    for setting in SETTINGS:
        wanted = setting.lines(session)
        if wanted != setting.lines(new):
            lines += wanted
    if session.rules.cube != new.rules.cube:
        lines.append("set cube use off")
    return lines


def save_settings(session: Session) -> None:
    """``save settings``: for the sessions to come."""
    path = settings_file(session)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, "\n".join(["# Written by `save settings'.", *settings_lines(session)]) + "\n")
    session.say(f"Settings saved to {path}.")


def read_settings(session: Session) -> None:
    """Set what `save settings' wrote, then what the user wrote beside it.

    They say nothing, unless some lines could not be carried out: gnubg's own file has many of
    windows and sound.
    """
    path = settings_file(session)
    for file in (path, path.with_name(OWN_FILE)):
        if file.is_file():
            _read_settings(session, file)
    session.history.clear()


def _read_settings(session: Session, path: Path) -> None:
    from gnubg_py.shell.loop import run_line  # which imports the commands, and they this module

    out, err, faults = session.out, session.err, []
    for line in text_of(read_bytes(path, LARGEST_LINES)).splitlines():
        session.out = session.err = io.StringIO()
        if not run_line(session, line):
            faults.append(f"`{line}': {session.out.getvalue().strip()}")
    session.out, session.err, session.failed = out, err, False
    if faults:
        others = f" (and {counted(len(faults) - 1, 'other')})" if len(faults) > 1 else ""
        session.complain(f"{path}: {faults[0]}{others}")


COMMANDS = (Command("save settings", "Keep the settings for the next sessions", save_settings),)
