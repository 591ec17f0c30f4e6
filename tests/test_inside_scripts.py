"""Scripts and lines of Python inside the shell: their surroundings, their faults, their end."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import ModuleType

import pytest

from gnubg_py.inside.run import run_script
from gnubg_py.shell.loop import run_line
from gnubg_py.shell.session import Session
from tests.inside_sessions import session_after


def run(tmp_path: Path, text: str, session: Session | None = None) -> Session:
    path = tmp_path / "script.py"
    path.write_text(text, "utf-8")
    session = session or Session()
    run_script(session, path)
    return session


def test_a_script_is_the_main_module_and_finds_its_neighbours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "neighbour_of_script.py").write_text("import gnubg\nNAMES = dir(gnubg)\n")
    before = list(sys.path), list(sys.argv)
    run(
        tmp_path,
        "import sys, neighbour_of_script, gnubg\n"
        "print(__name__, sys.argv, 'command' in neighbour_of_script.NAMES)\n"
        "print(sys.modules['__main__'].gnubg is gnubg)\n",
    )
    assert capsys.readouterr().out == "__main__ [''] True\nTrue\n"
    assert (list(sys.path), list(sys.argv)) == before
    assert "gnubg" not in sys.modules


def test_a_package_of_that_name_is_not_shadowed_after_a_script(tmp_path: Path) -> None:
    real = ModuleType("gnubg")
    sys.modules["gnubg"] = real
    try:
        run(tmp_path, "import gnubg; gnubg.command\n")
        assert sys.modules["gnubg"] is real
    finally:
        del sys.modules["gnubg"]


def test_prints_and_commands_come_in_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, "print('a'); gnubg.command('set prompt x'); print('b')")
    lines = capsys.readouterr().out.splitlines()
    assert [lines[0], lines[-1], len(lines)] == ["a", "b", 3]


def test_an_exception_shows_the_frames_of_the_script_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = run(tmp_path, "def f():\n    gnubg.evaluate(5)\nf()\n")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert [line.split('"')[1].endswith("script.py") for line in lines if '"' in line] == [True] * 2
    assert "ArgumentError" in lines[-1]
    assert session.failed
    assert not session.leaving


def test_a_syntax_error_names_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "x = 1\ndef f(:\n")
    told = capsys.readouterr().err
    assert 'script.py", line 2' in told
    assert "SyntaxError" in told


@pytest.mark.parametrize(
    ("text", "status"),
    [("gnubg.command('quit')", 0), ("raise SystemExit(4)", 4), ("import sys; sys.exit('no')", 1)],
)
def test_quit_and_exit_end_the_shell(tmp_path: Path, text: str, status: int) -> None:
    session = run(tmp_path, f"{text}\nprint(1 / 0)\n")
    assert session.leaving
    assert session.exit_status == status
    assert not session.failed


def test_a_script_that_closes_the_output_or_loads_itself_does_no_harm(tmp_path: Path) -> None:
    out, sys.stdout = sys.stdout, io.StringIO()
    try:
        session = run(tmp_path, "import sys; sys.stdout.close()")
        run_line(session, "show score")
        assert not session.failed
    finally:
        sys.stdout = out
    session = session_after()
    run(tmp_path, f"gnubg.command('load python {tmp_path / 'script.py'}')", session)
    assert "more than 8 deep" in session.out.getvalue()  # type: ignore[attr-defined]


def test_lines_and_scripts_share_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = run(tmp_path, "x = 5")
    for line in ("> y = x + 1", ">print(y)", "> 1/0", "> print(pipcount(gnubg.positionfromid()))"):
        run_line(session, line)
    printed = capsys.readouterr()
    assert printed.out == "6\n[167, 167]\n"
    assert "ZeroDivisionError" in printed.err


def test_a_missing_script_is_one_line() -> None:
    session = Session(out=io.StringIO())
    run_line(session, "load python nosuch.py")
    assert session.out.getvalue() == "Python file (nosuch.py) not found\n"  # type: ignore[attr-defined]
    assert session.failed
