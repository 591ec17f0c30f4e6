"""gnubg itself, where it is installed: found, and run to measure beside."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path


def find_gnubg() -> str | None:
    """The gnubg program, or None; Debian keeps it in /usr/games, which need not be on PATH."""
    return shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")


def run_gnubg(program: str, text: str, option: str, timeout: float) -> str:
    """What gnubg prints, told ``text`` in a file by ``--commands`` or ``--python``.

    It has a folder of its own: neither its settings nor the user's are touched. Empty where it
    cannot be run, or takes longer than ``timeout`` seconds.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "told"
        file.write_text(text)
        words = [program, "--tty", "--quiet", "--no-rc", "--prefsdir", folder, option, str(file)]
        try:
            done = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=timeout,
                cwd=folder,
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
    return done.stdout
