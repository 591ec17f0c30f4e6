"""Find the gnubg program, where it is installed, and run it for comparison."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path


def find_gnubg() -> str | None:
    """The gnubg program, or None; Debian keeps it in /usr/games, which need not be on PATH."""
    return shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")


def run_gnubg(program: str, text: str, option: str, timeout: float) -> str:
    """Run gnubg on a file with ``text``, given by ``--commands`` or ``--python``: its output.

    gnubg gets a temporary folder, so that no settings of the user are read or changed. The output
    is empty if gnubg cannot be run or takes longer than ``timeout`` seconds.
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
