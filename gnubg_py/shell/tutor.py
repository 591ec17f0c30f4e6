"""The tutor: a person is warned before a play or cube decision that is bad (`set tutor`)."""

from __future__ import annotations

from dataclasses import replace

from gnubg_py.game.actions import Accept, Action, Move, Reject, Resign, Setup
from gnubg_py.game.analysis import Luck
from gnubg_py.game.record import extended, first_actions
from gnubg_py.game.statistics import MOVE_MARKS, play_mark
from gnubg_py.matches.judge import judge_places
from gnubg_py.shell.analyse_commands import analyst_of
from gnubg_py.shell.session import Session


def allows(session: Session, action: Action) -> bool:
    """Whether a person may do something, after a warning where it is bad; as he is asked."""
    tutor = session.tutor
    wanted = tutor.chequer if isinstance(action, Move) else tutor.cube
    if not (tutor.mode and wanted) or isinstance(action, Resign | Accept | Reject | Setup):
        return True
    loss = _loss(session, action)
    mark = play_mark(loss, session.analysis.limits)
    if MOVE_MARKS.index(mark) < MOVE_MARKS.index(tutor.skill.replace("very", "very ")):
        return True
    if session.interactive:
        session.say(f"You may be about to make a {mark} play: it costs {loss:.3f}.")
        return session.confirm("Are you sure you want to do this?")
    question = f"You may be about to make a {mark} play. Are you sure?"
    return session.agreed(question, "Please answer `y' or `n'.")  # as in gnubg, of a program too


def _loss(session: Session, action: Action) -> float:
    """What an action at the position shown costs, by the settings of `hint'."""
    game = extended(first_actions(session.game(), session.cursor), action, session.match().rules)
    analyst = replace(
        analyst_of(session), strength=session.hint_strength, moves=True, cubes=True, dice=False
    )
    place = (0, session.cursor)
    (judged,) = judge_places([game], [place], analyst)
    return max((item.loss for item in judged[place] if not isinstance(item, Luck)), default=0.0)
