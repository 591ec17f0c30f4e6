"""The module ``gnubg`` that scripts import: every function bound to the shell's session."""

from __future__ import annotations

import functools
import io
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from gnubg_py.inside import contexts, evaluation, match, positions
from gnubg_py.shell import turns
from gnubg_py.shell.loop import run_line
from gnubg_py.shell.session import Session


def command(session: Session, text: str, /) -> None:
    """Carry out a command of the shell."""
    if not isinstance(text, str):
        raise TypeError(f"command() argument 1 must be str, not {type(text).__name__}")
    sys.stdout.flush()
    for line in text.splitlines():
        run_line(session, line)
        if session.leaving:
            raise SystemExit(session.exit_status)
        if session.stopped:
            raise KeyboardInterrupt


def show(session: Session, text: str, /) -> str:
    """What the command ``show`` prints, without the newline at its end."""
    out, session.out = session.out, io.StringIO()
    try:
        run_line(session, f"show {text}")
        return session.out.getvalue().rstrip("\n")
    finally:
        session.out = out


def nextturn(session: Session) -> None:
    """Let the computer play, where it is its turn."""
    if session.is_playing and not session.players[session.position().match.turn].human:
        turns.after_action(session)


def updateui(session: Session) -> None:
    """Nothing but to write out what has been printed: there are no windows."""
    session.out.flush()


_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    command, show, nextturn, updateui,
    match.match, match.navigate,
    contexts.calcgammonprice, contexts.cubeinfo, contexts.evalcontext,
    contexts.getevalhintfilter, contexts.posinfo, contexts.rolloutcontext,
    contexts.setevalhintfilter,
    evaluation.cfevaluate, evaluation.dicerolls, evaluation.eq2mwc, evaluation.eq2mwc_stderr,
    evaluation.errorrating, evaluation.evaluate, evaluation.findbestmove, evaluation.hint,
    evaluation.luckrating, evaluation.met, evaluation.mwc2eq, evaluation.mwc2eq_stderr,
    positions.board, positions.classifypos, positions.gnubgid, positions.matchchecksum,
    positions.matchid, positions.movetupletostring, positions.parsemove,
    positions.positionbearoff, positions.positionfrombearoff, positions.positionfromid,
    positions.positionfromkey, positions.positionid, positions.positionkey, positions.setgnubgid,
)  # fmt: skip


def gnubg_module(session: Session) -> ModuleType:
    """The module ``gnubg`` of a session."""
    module = ModuleType("gnubg", "The running session of gnubg_py, as gnubg's own module has it.")
    for function in _FUNCTIONS:
        setattr(module, function.__name__, _bound(function, session))
    return module


def _bound(function: Callable[..., Any], session: Session) -> Callable[..., Any]:
    @functools.wraps(function)
    def bound(*args: Any, **named: Any) -> Any:
        return function(session, *args, **named)

    del bound.__wrapped__  # help() would show the session
    return bound
