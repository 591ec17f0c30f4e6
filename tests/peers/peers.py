"""Scripts run inside the programs we are compared with: gnubg and gnubg-nn.

A script finds what it is given as ``data`` and answers with ``emit(value)``; both travel as
JSON. It runs in an empty folder of its own, with the peer's default settings.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gnubg_py.bench.gnubg_program import find_gnubg

GNUBG_HINT = "gnubg is not installed: apt-get install gnubg gnubg-data"
GNUBG_NN_HINT = (
    "gnubg-nn is not installed: pip install --pre gnubg-nn, "
    "and set GNUBG_NN_PYTHON to the python that has it"
)

_PRELUDE = """\
import json
def emit(value):
    print("JSON " + json.dumps(value), flush=True)
with open({data!r}) as file:
    data = json.load(file)
"""
_END = "the script came to its end"


def gnubg_script(source: str, data: Any = None, timeout: float = 60) -> str:
    """What gnubg prints while it runs ``source``, Python text that may ``import gnubg``.

    Skips the test where gnubg is not installed; fails it when the script does.
    """
    program = find_gnubg()
    if program is None:
        pytest.skip(GNUBG_HINT)
    command = [program, "--tty", "--quiet", "--no-rc", "--prefsdir", "prefs", "--python"]
    return _run(command, source, data, timeout)


def gnubg_nn_script(source: str, data: Any = None, timeout: float = 60) -> str:
    """What a Python that has gnubg-nn prints while it runs ``source``, which imports it itself.

    Skips the test where gnubg-nn is not installed; fails it when the script does.
    """
    program = find_gnubg_nn()
    if program is None:
        pytest.skip(GNUBG_NN_HINT)
    return _run([program], source, data, timeout)


def emitted(output: str) -> list[Any]:
    """The values a script emitted, in order, out of all it printed."""
    return [json.loads(line[5:]) for line in output.splitlines() if line.startswith("JSON ")]


@cache
def find_gnubg_nn() -> str | None:
    """The Python that has gnubg-nn: GNUBG_NN_PYTHON, or else the one that runs the tests."""
    program = os.environ.get("GNUBG_NN_PYTHON", sys.executable)
    try:
        has_it = subprocess.run([program, "-c", "import gnubg_nn"], capture_output=True)
    except OSError:
        return None
    return program if has_it.returncode == 0 else None


def _run(command: list[str], source: str, data: Any, timeout: float) -> str:
    with tempfile.TemporaryDirectory() as folder:
        prefs, data_file, script = (Path(folder, n) for n in ("prefs", "data.json", "script.py"))
        prefs.mkdir()
        data_file.write_text(json.dumps(data))
        prelude = _PRELUDE.format(data=str(data_file))
        script.write_text(f"{prelude}\n{source}\nprint({_END!r}, flush=True)\n")
        try:
            done = subprocess.run(
                [*command, str(script)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=timeout,
                cwd=folder,
            )
        except subprocess.TimeoutExpired:
            pytest.fail(f"{command[0]} took longer than {timeout} seconds")
    if done.returncode != 0 or _END not in done.stdout:
        pytest.fail(f"{command[0]}: the script failed\n{done.stdout}\n{done.stderr}")
    return done.stdout.replace(_END + "\n", "")
