"""Streams that are closed, full or cannot show every character; caches that cannot be kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HINT = "-m gnubg_py hint --ply 0 --count 1"


def sh(line: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell, in which ``PY`` is this interpreter."""
    return subprocess.run(
        ["bash", "-c", line.replace("PY", sys.executable)],
        capture_output=True, text=True, timeout=120, cwd=cwd, env={**os.environ, **environment},
    )  # fmt: skip


def test_without_stdin_the_shell_ends() -> None:
    done = sh("PY -m gnubg_py <&-")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["2>&-", "<&-", "<&- 2>&-"])
def test_an_answer_comes_without_stderr_or_stdin(closed: str) -> None:
    done = sh(f"PY {HINT} {closed}")
    assert done.returncode == 0
    assert "8/5 6/5" in done.stdout


def test_a_file_never_gets_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    code = (
        "import os, sys; from gnubg_py.exits import open_missing_streams; open_missing_streams()\n"
        "file = open('out', 'w'); os.write(2, b'noise'); assert file.fileno() > 2"
    )
    done = sh(f'PY -c "{code}" <&- >&- 2>&-', cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "out").read_text() == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_under_stderr_costs_no_answer() -> None:
    done = sh(
        'PY -c "from gnubg_py import exits, messages; import sys\n'
        "def work(): messages.say('hello'); print('answer'); messages.say('bye'); return 0\n"
        'sys.exit(exits.guarded(work))" 2>/dev/full'
    )
    assert (done.returncode, done.stdout) == (0, "answer\n")
    done = sh("PY -m gnubg_py hint --nonsense 2>/dev/full")
    assert done.returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_under_stdout_is_one_line() -> None:
    for command in (HINT, "-m gnubg_py --help"):
        done = sh(f"PY {command} > /dev/full")
        assert done.returncode == 2
        assert done.stderr.startswith("gnubg-py: ")
        assert "No space left on device" in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_terminal_that_knows_ascii_alone_gets_the_answer() -> None:
    rollout = (
        "-m gnubg_py rollout 4HPwATDgc/ABMA --trials 36 --truncate 1 --evaluator fast --cubeless"
    )
    done = sh(f"PY {rollout}", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert "36 trials" in done.stdout


KERNEL = """from gnubg_py.kernel_cache import njit
@njit(cache=True)
def one(x): return x + 1
"""
USE = (
    "import resource, gnubg_py.kernel_cache\n{limit}"
    "import kernels; print(kernels.one(1), kernels.one(1.0))"
)


@pytest.mark.parametrize(
    ("limit", "folder", "why"),
    [
        ("resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n", ".", "File too large"),
        ("", "kernels.py/no/folder", "no folder can be written"),
    ],
)
def test_an_answer_comes_without_the_cache_of_kernels(
    tmp_path: Path, limit: str, folder: str, why: str
) -> None:
    (tmp_path / "kernels.py").write_text(KERNEL)
    (tmp_path / "__pycache__").touch()  # so that numba finds no folder beside the module
    done = sh(
        f'PY -c "{USE.format(limit=limit)}"', cwd=tmp_path,
        NUMBA_CACHE_DIR=str(tmp_path / folder), PYTHONDONTWRITEBYTECODE="1",
        HOME="/dev/null", XDG_CACHE_HOME="/dev/null",
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "2 2.0\n")
    assert done.stderr.count("\n") == 1
    assert f"compiled kernels cannot be cached ({why}" in done.stderr


def test_a_damaged_cache_of_kernels_is_no_matter(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNEL)
    line = f'PY -c "{USE.format(limit="")}"'
    assert sh(line, cwd=tmp_path, NUMBA_CACHE_DIR=str(tmp_path)).stderr == ""
    for file in tmp_path.rglob("*.nb*"):
        file.write_bytes(b"damaged")
    done = sh(line, cwd=tmp_path, NUMBA_CACHE_DIR=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "2 2.0\n", "")
    assert all(file.read_bytes() != b"damaged" for file in tmp_path.rglob("*.nb*"))


def test_a_kernel_is_compiled_again_when_what_it_calls_has_changed(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(
        "from gnubg_py.kernel_cache import njit\nfrom callee import STEP, moved\n"
        "@njit(cache=True)\ndef twice(x): return moved(moved(x)) + 0 * STEP\n"
        "@njit(cache=True)\ndef by_constant(x): return x + STEP\n"
    )
    callee = (
        "from gnubg_py.kernel_cache import njit\nSTEP = {0}\n@njit\ndef moved(x): return x + {1}\n"
    )
    line = "PY -B -c 'import kernels; print(kernels.twice(1), kernels.by_constant(1))'"
    for step, move, answer in ((5, 1, "3 6\n"), (6, 1, "3 7\n"), (6, 10, "21 7\n")):
        (tmp_path / "callee.py").write_text(callee.format(step, move))
        for _ in range(2):
            assert sh(line, cwd=tmp_path, NUMBA_CACHE_DIR=str(tmp_path)).stdout == answer
