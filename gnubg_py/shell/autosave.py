"""``set autosave``: the match is written to a file beside the settings, as it goes on."""

from __future__ import annotations

import time
from pathlib import Path

from gnubg_py.matchfiles.registry import format_named
from gnubg_py.matchfiles.saved import write_text
from gnubg_py.shell.preferences import settings_file
from gnubg_py.shell.session import Session


def autosave_file(session: Session) -> Path:
    """Where the match is written to."""
    return settings_file(session).with_name("autosave.sgf")


def autosave(session: Session) -> None:
    """Write the match, unless that was done a moment ago."""
    now = time.monotonic()
    last = session.saved_at
    if last is not None and now - last < 60 * session.autosave.minutes:
        return
    form = format_named("sgf")
    assert form.write is not None
    path = autosave_file(session)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, form.write(session.contents()))
    session.saved_at = now


def remove_autosave(session: Session) -> None:
    """Remove the file of this session when it ends, as the user is asked."""
    path = autosave_file(session)
    if session.saved_at is None or not path.is_file():
        return
    if not session.autosave.confirm or session.confirm(f"Remove {path}?"):
        path.unlink(missing_ok=True)
