"""``save settings``, and reading what it wrote when a session begins."""

from __future__ import annotations

import io
from pathlib import Path

from platformdirs import user_config_path

from gnubg_py.files import read_text
from gnubg_py.matchfiles.saved import write_text
from gnubg_py.shell.session import Session
from gnubg_py.shell.setting_rows import SETTINGS
from gnubg_py.shell.tree import Command

FILE = "gnubgautorc"


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
    """Set what `save settings' wrote, without a word unless something is wrong with a line."""
    from gnubg_py.shell.loop import run_line  # which imports the commands, and they this module

    path = settings_file(session)
    if not path.is_file():
        return
    out, err, said = session.out, session.err, io.StringIO()
    for line in read_text(path).splitlines():
        session.out = session.err = io.StringIO()
        if not run_line(session, line):
            said.write(f"{path}: `{line}': {session.out.getvalue()}")
    session.out, session.err = out, err
    session.history.clear()
    if said.getvalue():
        session.say(said.getvalue().rstrip())


COMMANDS = (Command("save settings", "Keep the settings for the next sessions", save_settings),)
