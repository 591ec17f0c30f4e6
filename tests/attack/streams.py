"""Commands with streams closed, full or going away: an exit status that is known, no traceback."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

_COMMANDS = (
    "hint --ply 0", "hint --ply 0 --json", "eval --ply 0", "--help", "--version", "hint --help",
    "hint nonsense", "rollout 4HPwATDgc/ABMA --trials 36 --truncate 1 --evaluator fast",
    "net info nowhere.safetensors", "-c /dev/null", "-c nowhere", "", "show board",
)  # fmt: skip
_STDIN = ("", "<&-", "</dev/null", "< <(echo show board; echo set board x)", "</dev/zero")
_STDOUT = ("", ">&-", ">/dev/full", ">/dev/null", "| head -c 10", "| true")
_STDERR = ("", "2>&-", "2>/dev/full", "2>/dev/null")
_ENVIRONMENT = ("", "PYTHONIOENCODING=ascii", "HOME=/dev/null XDG_CACHE_HOME=/dev/null", "LC_ALL=C",
                "TERM=")  # fmt: skip
_KNOWN = (0, 2, 130, 141)


COMMANDS = 5


def attack(seed: int, folder: Path, commands: int = COMMANDS) -> int:
    """Run commands with streams and environment drawn at random."""
    generator = random.Random(seed)
    for _ in range(commands):
        _attack_one(generator, folder)
    return commands


def _attack_one(generator: random.Random, folder: Path) -> None:
    command, stdin, out, err, environment = (
        generator.choice(options) for options in (_COMMANDS, _STDIN, _STDOUT, _STDERR, _ENVIRONMENT)
    )
    if stdin == "</dev/zero" and command in ("", "show board"):
        stdin = ""  # the shell reads on for ever, as it should
    line = f"{environment} {sys.executable} -m gnubg_py {command} {stdin} {err} {out}"
    line += "; exit ${PIPESTATUS[0]}"
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, timeout=120, cwd=folder,
        stdin=subprocess.DEVNULL, errors="replace",
    )  # fmt: skip
    said = done.stdout + done.stderr
    for word in ("Traceback", "fault of the program", "Exception ignored"):
        assert word not in said, f"{line}\n{said[-1000:]}"
    assert done.returncode in _KNOWN, f"{line}\nexit status {done.returncode}\n{said[-1000:]}"
