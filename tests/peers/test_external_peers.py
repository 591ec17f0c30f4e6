"""Matches over a socket: our shell against gnubg, each of them at either end."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gnubg_py.bench.gnubg_program import find_gnubg

from . import peers

OURS = [sys.executable, "-m", "gnubg_py", "-t", "-q", "-r"]
PLIES = ("chequerplay evaluation plies 0", "cubedecision evaluation plies 0")
WHO = ("evaluation", "player 0", "player 1")
FAST = [*(f"set {who} {what}" for who in WHO for what in PLIES), "set display off", "set seed 7"]


def theirs() -> list[str]:
    """How gnubg is started."""
    program = find_gnubg()
    if program is None:
        pytest.skip(peers.GNUBG_HINT)
    return [program, "-t", "-q", "-r"]


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(program: list[str], folder: Path, lines: list[str]) -> subprocess.Popen[str]:
    """A program that has been sent lines and waits for more."""
    done = subprocess.Popen(
        program,
        stdin=subprocess.PIPE,
        stdout=(folder / "out").open("w"),
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
    )
    assert done.stdin is not None
    done.stdin.write("\n".join(lines) + "\n")
    done.stdin.flush()
    return done


def wait_for(port: int) -> None:
    """Wait until a program says that it listens, without connecting to it."""
    wanted = f"{port:04X}"
    for _ in range(200):
        rows = Path("/proc/net/tcp").read_text().splitlines()[1:]
        if any(row.split()[1].endswith(wanted) and row.split()[3] == "0A" for row in rows):
            return
        time.sleep(0.1)
    pytest.fail("the server did not start")


@pytest.mark.peers
@pytest.mark.parametrize("server", ["ours", "theirs"])
def test_a_match_over_a_socket_is_played_to_its_end(server: str, tmp_path: Path) -> None:
    programs = {"ours": OURS, "theirs": theirs()}
    client = "theirs" if server == "ours" else "ours"
    folders = {name: tmp_path / name for name in programs}
    for folder in folders.values():
        folder.mkdir()
    port = free_port()
    served = start(programs[server], folders[server], [*FAST, f"external localhost:{port}"])
    try:
        wait_for(port)
        lines = [*FAST, f"set player 0 external localhost:{port}", "set player 1 gnubg",
                 "set automatic game on", "new match 3", "show score",
                 "export match mat match.mat"]  # fmt: skip
        playing = start(programs[client], folders[client], lines)
        assert playing.stdin is not None
        playing.stdin.close()
        playing.wait(timeout=240)
    finally:
        served.kill()
        served.wait()
    said = (folders[client] / "out").read_text(errors="replace")
    score = re.findall(r"gnubg (\d), \S+ (\d) \(match to 3", said)
    assert max(map(int, score[-1])) >= 3, said[-2000:]
    assert "3 point match" in (folders[client] / "match.mat").read_text()
