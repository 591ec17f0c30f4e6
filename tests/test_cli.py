"""The command line: finding commands, and one line for whatever goes wrong."""

from __future__ import annotations

import argparse
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import types
from pathlib import Path

import pytest

from gnubg_py import cli, messages
from tests.command_line import Main


def command(monkeypatch: pytest.MonkeyPatch, problem: BaseException) -> None:
    """Make ``gnubg-py broken`` a command that raises ``problem``."""
    module = types.ModuleType("gnubg_py.commands.broken")

    def run(args: argparse.Namespace) -> int:
        raise problem

    vars(module).update(configure_broken=lambda parser: parser.set_defaults(run=run))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(cli.SUBCOMMANDS, "broken", "fails")


def python(code: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``code`` in a fresh interpreter, which Ctrl-C interrupts whoever started the tests."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


@pytest.mark.parametrize("name", cli.SUBCOMMANDS)
def test_every_command_in_the_table_explains_itself(main: Main, name: str) -> None:
    status, out, err = main(name, "--help")
    assert (status, err) == (0, "")
    assert out.startswith(f"usage: gnubg-py {name}")


def test_help_lists_every_command_in_80_columns(main: Main) -> None:
    status, out, err = main("--help")
    assert (status, err) == (0, "")
    assert all(f"  {name} " in out for name in cli.SUBCOMMANDS)
    assert max(map(len, out.splitlines())) <= 80


def test_version_is_the_installed_one(main: Main) -> None:
    status, out, _ = main("--version")
    assert status == 0
    assert out.split()[0] == "gnubg_py"
    assert out.split()[1][0].isdigit()


def test_help_imports_no_engine() -> None:
    done = python(
        "import sys; from gnubg_py.cli import main; main(['--help'])\n"
        "print('imported:', *{'numpy', 'numba', 'torch'} & set(sys.modules))"
    )
    assert done.stdout.splitlines()[-1] == "imported:"


def test_hint_does_not_import_torch() -> None:
    done = python(
        "import sys; from gnubg_py.cli import main; main(['hint'])\n"
        "print('imported:', *{'torch'} & set(sys.modules))"
    )
    assert done.stdout.splitlines()[-1] == "imported:"


def test_without_torch_training_says_what_to_install() -> None:
    words = "['train', 'runs/none']"
    code = f"import sys; sys.modules['torch'] = None; import gnubg_py.cli as c; c.main({words})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == "gnubg-py: this needs torch: pip install 'gnubg-py[train]'\n"


def test_hint_answers_for_the_opening_31(main: Main) -> None:
    status, out, _ = main("hint", "--ply", "0")
    assert status == 0
    assert re.search(r"^    1\. Cubeful 0-ply    8/5 6/5  .* Eq\.: \+", out, re.MULTILINE)
    assert "   10. " in out
    assert "   11. " not in out


def test_hint_takes_a_position_and_a_roll(main: Main) -> None:
    _, out, _ = main("hint", "x 6:1 1:1 / o 1:2", "--dice", "61")
    plays = re.findall(r"^ +\d+\. Cubeful 0-ply +(\S+(?: \S+)?) +Eq", out, re.MULTILINE)
    assert plays == ["6/off 1/off", "6/off"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["hnit"], "gnubg-py: unknown command 'hnit': did you mean hint?\n"),
        (["xyzzy"], "gnubg-py: unknown command 'xyzzy': the commands are"),
        (["--nonsense"], "gnubg-py: shell: unrecognized arguments: --nonsense"),
        (["hint", "--nonsense"], "gnubg-py: hint: unrecognized arguments: --nonsense; see"),
        (["hint", "--dice"], "gnubg-py: hint: argument --dice: expected one argument; see"),
        (["hint", "--ply", "9"], "gnubg-py: 9 plies: should be a whole number from 0 to 4\n"),
        (["hint", "x / o 6:1"], "gnubg-py: the game is over: one side has borne off all"),
        (["hint", "--dice", "07"], "gnubg-py: dice 0 and 7: each die should be 1 to 6\n"),
    ],
)
def test_bad_words_get_one_line_and_status_2(main: Main, words: list[str], message: str) -> None:
    status, out, err = main(*words)
    assert (status, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("problem", "status", "message"),
    [
        (ValueError("the cube is 3:\n a power of 2"), 2, "the cube is 3: a power of 2"),
        (FileNotFoundError(2, "No such file or directory", "a.txt"), 2,
         "a.txt: No such file or directory"),
        (OSError("disk full"), 2, "disk full"),
        (RecursionError("maximum recursion depth exceeded"), 2, "this is nested too deep"),
        (MemoryError(), 2, "this takes more memory than there is"),
        (RuntimeError("[enforce fail at alloc_cpu.cpp:127] you tried to allocate 17 bytes"), 1,
         "this takes more memory than there is ([enforce fail at alloc_cpu.cpp:127] you tried to "
         "allocate 17 bytes)"),
        (KeyboardInterrupt(), 130, "stopped"),
    ],
)  # fmt: skip
def test_problems_of_a_command_get_one_line(
    main: Main,
    monkeypatch: pytest.MonkeyPatch,
    problem: BaseException,
    status: int,
    message: str,
) -> None:
    command(monkeypatch, problem)
    assert main("broken") == (status, "", f"gnubg-py: {message}\n")


def test_options_of_the_shell_need_no_command(tmp_path: Path) -> None:
    script = tmp_path / "commands"
    script.write_text("show version\n")
    for words in ([f"-c{script}"], [f"--commands={script}"], ["--seed=5", "-c", str(script)]):
        done = subprocess.run(
            [sys.executable, "-m", "gnubg_py", *words], capture_output=True, text=True, timeout=60
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("gnubg_py ")


def test_nowhere_to_print_is_no_fault() -> None:
    line = " ".join([shlex.quote(sys.executable), "-m gnubg_py --version", ">&-"])
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_fault_of_the_program_says_how_to_report_it(
    main: Main, monkeypatch: pytest.MonkeyPatch
) -> None:
    command(monkeypatch, TypeError("a\n bug"))
    status, out, err = main("broken")
    assert (status, out) == (1, "")
    assert err.startswith("gnubg-py: a fault of the program (TypeError: a bug at ")
    assert "test_cli.py, line " in err
    assert err.endswith("please report it with the command; GNUBG_PY_TRACEBACK=1 in front of it "
                        "tells more\n")  # fmt: skip
    monkeypatch.setenv("GNUBG_PY_TRACEBACK", "1")
    with pytest.raises(TypeError, match="bug"):
        main("broken")


def test_a_reader_that_goes_away_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "gnubg_py", "--help"],
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == 141


def test_ctrl_c_in_a_running_command() -> None:
    done = python(
        "import os, signal, sys\n"
        "from gnubg_py import cli\n"
        "cli._run_command = lambda *_: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.exit(cli.main(['hint']))"
    )
    assert (done.returncode, done.stderr) == (130, "gnubg-py: stopped\n")


def test_ctrl_c_in_a_librarys_callback_is_not_lost() -> None:
    done = python(
        "import ctypes, os, signal, sys, time\n"
        "from gnubg_py import cli\n"
        "def work(*_):\n"
        "    back = ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), signal.SIGINT))\n"
        "    back()\n"
        "    time.sleep(20)\n"
        "cli._run_command = work\n"
        "sys.exit(cli.main(['hint']))"
    )
    assert (done.returncode, done.stderr) == (130, "gnubg-py: stopped\n")


def test_compiling_is_announced_once_and_only_when_it_happens(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(
        "import numba\n"
        "@numba.njit(cache=True)\n"
        "def one(x): return x + 1\n"
        "@numba.njit(cache=True)\n"
        "def two(x): return one(x) + 1\n"
    )
    code = (
        "from gnubg_py.messages import announce_compiling; announce_compiling()\n"
        "import kernels; print(kernels.two(1), kernels.two(1.0))"
    )
    line = "gnubg-py: compiling kernels; later starts read them from a cache\n"
    cold, warm = (python(code, cwd=tmp_path) for _ in range(2))
    assert (cold.stdout, cold.stderr) == ("3 3.0\n", line)
    assert (warm.stdout, warm.stderr) == ("3 3.0\n", "")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "drawn"), [(io.StringIO(), False), (Terminal(), True)])
def test_progress_is_drawn_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, drawn: bool
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    with messages.progress(2, "games") as bar:
        bar.update(2)
    assert ("games" in stream.getvalue()) is drawn


def test_kernels_from_the_cache_do_not_make_numba_ready_to_compile() -> None:
    code = (
        "import sys; import gnubg_py.cli as c\n"
        "try: c.main(['hint', '--ply', '0'])\n"
        "except SystemExit: pass\n"
        "print('compiler:', 'numba.np.arraymath' in sys.modules)"
    )
    for _ in range(2):  # the first run may have to compile them
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=600
        )
    assert "8/5 6/5" in done.stdout
    assert done.stdout.splitlines()[-1] == "compiler: False"
