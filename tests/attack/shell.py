"""Random lines for the shell: in process, with its state checked, and on a terminal."""

from __future__ import annotations

import contextlib
import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from gnubg_py.board import check_board
from gnubg_py.matchfiles.saved import as_json, from_json_value
from tests.shell_lines import PLAIN, Shell, random_line

LINES = 800
TERMINAL_LINES = 40
_CONTROL = ("\t\t", "\x15", "\x7f\x7f", "\x1b[A", "\x1b[D\x1b[C", "\x12x\n", "\x00", "\x17")


def attack(seed: int, folder: Path, lines: int = LINES) -> int:
    """Carry out random lines: no fault, no illegal position, and the record survives JSON."""
    generator = random.Random(seed)
    shell = Shell()
    shell.session.settings_folder = folder
    with contextlib.chdir(folder):
        for number in range(lines):
            if number % 100 == 0:
                shell(*PLAIN)
            shell(random_line(generator))
            shell.session.leaving = False
            _check(shell, replayed=generator.random() < 0.05)
    return lines


def _check(shell: Shell, replayed: bool) -> None:
    session = shell.session
    if session.record is None or not session.record.games:
        return
    check_board(session.shown().board)
    if replayed:
        value = json.loads(json.dumps(as_json(session.record)))
        assert as_json(from_json_value(value)) == value


def attack_terminal(seed: int, folder: Path, lines: int = TERMINAL_LINES) -> int:
    """The program on a terminal: random lines, control characters and Ctrl-C; it stays alive."""
    generator = random.Random(seed)
    screen, terminal = os.openpty()
    environment = {
        **os.environ,
        "TERM": generator.choice(("dumb", "xterm", "vt100")),
        "COLUMNS": generator.choice(("20", "80", "200")),
        "XDG_CONFIG_HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
    }
    program = subprocess.Popen(
        [sys.executable, "-m", "gnubg_py"],
        stdin=terminal, stdout=terminal, stderr=terminal,
        cwd=folder, env=environment, start_new_session=True,
    )  # fmt: skip
    os.close(terminal)
    try:
        seen = _read(screen, wait=30)
        for line in PLAIN:
            os.write(screen, f"{line}\n".encode())
            seen += _read(screen, wait=0.05)
        for _ in range(lines):
            line = random_line(generator).replace("\n", " ")
            control = generator.choice(_CONTROL) if generator.random() < 0.3 else ""
            os.write(screen, f"{control}{line[:900]}\n".encode())
            if generator.random() < 0.2:
                time.sleep(generator.random() * 0.1)
                program.send_signal(signal.SIGINT)
            seen += _read(screen, wait=0.05)
            assert program.poll() is None or program.returncode in (0, 130), program.returncode
            if program.poll() is not None:  # the line was `quit', or an end of input
                break
    finally:
        program.kill()
        program.wait()
        seen += _read(screen, wait=0)
        os.close(screen)
    for word in (b"Traceback", b"fault of the program"):
        assert word not in seen, seen[max(0, seen.index(word) - 500) :].decode("utf-8", "replace")
    return lines


def _read(screen: int, wait: float) -> bytes:
    """What is on the screen: all that comes until nothing more does for a moment."""
    seen = b""
    while select.select([screen], [], [], wait)[0]:
        try:
            data = os.read(screen, 65536)
        except OSError:  # the program has ended
            break
        if not data:
            break
        seen, wait = seen + data, 0.05
    return seen
