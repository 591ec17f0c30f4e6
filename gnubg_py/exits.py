"""How a program ends: its exit status, and one line on stderr where something went wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from gnubg_py.messages import problem_text, say

DONE, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 0, 2, 130, 141

EXTRAS = {"torch": "train", "matplotlib": "plots", "onnxruntime": "onnx"}
"""Packages that a plain installation leaves out, and the extra of ours that brings each."""


def missing_extra(package: str) -> str:
    """What to install where an optional package is missing."""
    return f"this needs {package}: pip install 'gnubg-py[{EXTRAS[package]}]'"


def guarded(work: Callable[[], int]) -> int:
    """The exit status of some work, or of what it failed by, which is said in one line."""
    try:
        status = work()
        if sys.stdout is not None:  # as it is where it was closed
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        say("stopped")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone (``gnubg-py hint | head``). Python would complain once
        # more when it flushes stdout on its way out, so stdout now leads nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (OSError, ValueError) as problem:
        say(problem_text(problem))
        return BAD_INPUT
    except ModuleNotFoundError as problem:
        if problem.name not in EXTRAS:
            raise
        say(missing_extra(problem.name))
        return BAD_INPUT
    except RuntimeError as problem:
        if "no locator available" not in str(problem):
            raise
        # numba's words for: neither the package's folder nor the user's cache can be written.
        say("nowhere to keep compiled kernels: set NUMBA_CACHE_DIR to a folder that can be written")
        return BAD_INPUT
