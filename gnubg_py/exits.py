"""How the program ends: its exit status, and one line on stderr where something went wrong."""

from __future__ import annotations

import _thread
import atexit
import io
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from gnubg_py.messages import problem_text, say

DONE, FAULT, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141
TRACEBACK = "GNUBG_PY_TRACEBACK"
"""The environment variable that makes a fault of the program print its traceback."""

_AGAIN_SECONDS = 0.05

EXTRAS = {
    "torch": "train",
    "matplotlib": "plots",
    "onnxruntime": "onnx",
    "cloudpickle": "cluster",
    "dask": "cluster",
    "distributed": "cluster",
}
"""The packages that a plain installation does not have, and the extra that installs each."""


def missing_extra(package: str) -> str:
    """What to install where an optional package is missing."""
    return f"this needs {package}: pip install 'gnubg-py[{EXTRAS[package]}]'"


def guarded(work: Callable[[], int]) -> int:
    """Do the work and return its exit status. An exception is printed as one line on stderr."""
    open_missing_streams()
    with interrupts_kept():
        status = _tried(work)
    try:
        sys.stdout.flush()
    except OSError as problem:
        # Python flushes stdout once more when it exits and would fail again: discard that output.
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if status == DONE:
            return _status_of(problem)
    return status


def end_process(status: int) -> NoReturn:
    """End the process once its exit handlers have run and its output is written.

    Python would first take every module apart, which costs programs that start this one for a
    single answer a tenth of a second.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


@contextmanager
def interrupts_kept() -> Iterator[None]:
    """Raise a Ctrl-C again that Python dropped because it came during a callback of a library.

    llvmlite calls back into Python while kernels are loaded. An exception cannot leave such a call,
    so Python prints it and continues.
    """
    before = sys.unraisablehook

    def hook(problem: sys.UnraisableHookArgs) -> None:
        if problem.exc_type is not KeyboardInterrupt:
            before(problem)
            return
        # Not at once: Python would raise it inside this hook.
        again = threading.Timer(_AGAIN_SECONDS, _thread.interrupt_main)
        again.daemon = True
        again.start()

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def _tried(work: Callable[[], int]) -> int:
    try:
        return work()
    except KeyboardInterrupt:
        say("stopped")
        return INTERRUPTED
    except Exception as problem:
        return _status_of(problem)


def _status_of(problem: Exception) -> int:
    """Print what went wrong and return the exit status. A fault may print its traceback instead."""
    if isinstance(problem, BrokenPipeError):  # a reader has gone, as in ``gnubg-py hint | head``
        return BROKEN_PIPE
    if isinstance(problem, OSError | ValueError | MemoryError | RecursionError):
        say(problem_text(problem))
        return BAD_INPUT
    if isinstance(problem, ModuleNotFoundError) and problem.name in EXTRAS:
        say(missing_extra(problem.name))
        return BAD_INPUT
    if os.environ.get(TRACEBACK):
        raise problem
    say(fault_text(problem))
    return FAULT


def fault_text(problem: Exception) -> str:
    """The message for a fault of the program itself, with how to report it."""
    if isinstance(problem, RuntimeError) and "alloc" in str(problem):  # torch's words
        return f"{problem_text(MemoryError())} ({_one_line(problem)})"
    place = traceback.extract_tb(problem.__traceback__)[-1:]
    where = "".join(f" at {frame.filename}, line {frame.lineno}" for frame in place)
    return (
        f"a fault of the program ({type(problem).__name__}: {_one_line(problem)}{where}): please "
        f"report it with the command; {TRACEBACK}=1 in front of it tells more"
    )


def _one_line(problem: BaseException) -> str:
    """The message of an exception on one line of limited length."""
    text = " ".join(str(problem).split())
    return text if len(text) <= 200 else text[:197] + "..."


def open_missing_streams() -> None:
    """Open ``/dev/null`` for each standard stream that the process was started without.

    Otherwise the next file that is opened would get the stream's number, and the output of some
    library would be written into that file. Characters that an open stream cannot show are
    replaced.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
        elif name == "stdout" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
