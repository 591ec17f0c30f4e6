"""Sessions for the tests of Python inside the shell, and gnubg's module in them."""

from __future__ import annotations

import io
from typing import Any

from gnubg_py.inside.module import gnubg_module
from gnubg_py.shell.loop import run_line
from gnubg_py.shell.session import Session

START_ROW = (0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)
START = (START_ROW, START_ROW)
QUIET = (
    "set player 0 human", "set player 1 human", "set automatic game off", "set automatic roll off",
    "set player 0 name X", "set player 1 name O", "set defaultnames X O",
    "set analysis chequerplay evaluation plies 0", "set analysis cubedecision evaluation plies 0",
    "set evaluation chequerplay evaluation plies 0",
    "set evaluation cubedecision evaluation plies 0", "set seed 1",
)  # fmt: skip


def session_after(*lines: str) -> Session:
    session = Session(out=io.StringIO())
    for line in (*QUIET, *lines):
        run_line(session, line)
    return session


def module_after(*lines: str) -> Any:
    return gnubg_module(session_after(*lines))


def in_match(*lines: str) -> Any:
    return module_after("new match 3", "set turn 1", *lines)
