"""The shell as a program: a pipe, a command file, a terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

SHELL = [sys.executable, "-m", "gnubg_py"]
LINES = "new session\nset player 0 human\nset turn 1\nshow pipcount\n"


def run(words: list[str], text: str = "") -> subprocess.CompletedProcess[str]:
    """Run ``gnubg-py`` with some words and some text piped in."""
    return subprocess.run([*SHELL, *words], input=text, capture_output=True, text=True, timeout=120)


def test_a_pipe_gets_answers_and_no_prompts() -> None:
    done = run([], "show version\nfoo\n# nothing\nshow thorp 4HPwATDgc/ABMA\n")
    assert done.returncode == 0
    assert done.stderr.startswith("Unknown keyword `foo'")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("gnubg_py ")
    assert lines[1] == "Thorp Count Leader            : 196"


def test_a_command_file_with_and_without_the_commands_name(tmp_path: Path) -> None:
    script = tmp_path / "commands"
    script.write_text("show kleinman 4HPwATDgc/ABMA\nquit\nshow version\n")
    for words in (["-c", str(script)], ["shell", "-c", str(script)]):
        done = run(words)
        assert done.stdout.splitlines()[-1] == "Cubeless Winning Chance: 0.5619"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-c", "/nonexistent"], "gnubg-py: /nonexistent: no such file\n"),
        (["-c", "/"], "gnubg-py: /: is a folder\n"),
        (["shell", "--seed", "-1"], "gnubg-py: seed -1: should be 0 or above\n"),
    ],
)
def test_bad_options(words: list[str], message: str) -> None:
    done = run(words)
    assert (done.returncode, done.stderr) == (2, message)


def test_bytes_that_are_no_text() -> None:
    done = subprocess.run(
        [*SHELL], input=b"\xff\xfe\x00roll\n\x80\n", capture_output=True, timeout=60
    )
    assert done.returncode == 0
    assert done.stderr.count(b"Unknown keyword") == 2
    assert b"Traceback" not in done.stderr


class Terminal:
    """A shell on a terminal of its own: ``send`` keys, ``until`` some text has come."""

    def __init__(self, home: Path) -> None:
        self.master, slave = pty.openpty()
        env = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "TERM": "dumb"}
        self.process = subprocess.Popen(
            SHELL, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True,
            preexec_fn=_own_terminal,
        )  # fmt: skip
        os.close(slave)
        self.seen = ""

    def send(self, keys: str) -> None:
        """Type some keys."""
        os.write(self.master, keys.encode())

    def until(self, text: str, timeout: float = 60) -> str:
        """Read on until ``text`` comes; what came before it and it."""
        end = time.monotonic() + timeout
        while text not in self.seen:
            assert time.monotonic() < end, f"{text!r} did not come: {self.seen!r}"
            if not select.select([self.master], [], [], 1)[0]:
                continue
            try:
                self.seen += os.read(self.master, 65536).decode("utf-8", "replace")
            except OSError:
                break
        before, found, self.seen = self.seen.partition(text)
        assert found, f"{text!r} did not come: {before!r}"
        return before + found

    def interrupt_until(self, text: str) -> None:
        """Ctrl-C until ``text`` comes.

        One that is typed just before Python waits for keys is not seen until the next key; when
        nothing has come for a while it is waiting, and sees it.
        """
        for _ in range(10):
            self.send("\x03")
            try:
                self.until(text, timeout=6)
            except AssertionError:
                continue
            return
        raise AssertionError(f"{text!r} did not come")


def _own_terminal() -> None:
    import fcntl
    import signal
    import termios

    signal.signal(signal.SIGINT, signal.default_int_handler)  # where the tests' parent ignores it

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_a_terminal_has_a_prompt_tab_history_and_ctrl_c(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    terminal.until("(No game) ")
    terminal.send("sh vers\t\n")
    terminal.until("gnubg_py ")
    # A prompt on a line of its own: not the one that is drawn again beside what is being typed.
    terminal.until("\n(No game) ")
    terminal.send("half a line")
    terminal.until("half a line")
    terminal.interrupt_until("\n(No game) ")
    terminal.send("quit\n")
    assert terminal.process.wait(60) == 0
    assert "version" in (tmp_path / "data" / "gnubg_py" / "history").read_text()
    again = Terminal(tmp_path)
    again.until("(No game) ")
    again.send("\x1b[A\x1b[A\n")
    again.until("gnubg_py ")
    again.until("\n(No game) ")
    again.send("\x04")
    assert again.process.wait(60) == 0
