"""The analysis of the decision that is shown: that of the turn that follows, or the last hint."""

from __future__ import annotations

from dataclasses import replace

from gnubg_py import layout
from gnubg_py.drawing.text import draw
from gnubg_py.game.actions import Move, Roll, Setup
from gnubg_py.game.position import is_playing
from gnubg_py.matchfiles.contents import ROLLED_OUT
from gnubg_py.matchfiles.export_settings import ExportSettings, Wording
from gnubg_py.matchfiles.report import Turn, turns, what_is_asked
from gnubg_py.matchfiles.text_export import (
    DANCE,
    analysis_lines,
    information,
    pips_line,
    score_line,
)
from gnubg_py.notation import xgid
from gnubg_py.shell import engine
from gnubg_py.shell.session import Session

_MOST = 10


def turn_here(session: Session) -> Turn | None:
    """The turn of the record that begins at the position shown; None at the end of a game."""
    actions = session.game().actions
    place = session.cursor
    if place >= len(actions) or isinstance(actions[place], Setup):
        return None
    if isinstance(actions[place], Roll):
        place += 1
    found = turns(session.contents(), session.game_index)
    return next((turn for turn in found if turn.place == place), None)


def shown_turn(session: Session) -> Turn:
    """The turn at the position shown; at the end of a game one in which nothing is done yet."""
    position, actions = session.shown(), session.game().actions
    asked = what_is_asked(position, session.names)
    here = turn_here(session)
    if here is not None:
        return replace(here, position=position, question=asked)
    before = turns(session.contents(), session.game_index)
    number = 1 + sum(turn.place < session.cursor for turn in before)
    return Turn(number, position.match.turn, asked, position, "", (), "", len(actions))


def analysis_text(session: Session) -> str:
    """The analysis of that turn as `show board' prints it below the board; empty without one."""
    turn = turn_here(session) if session.printing.analysis else None
    if turn is None:
        return ""
    if turn.position.match.doubled:  # the turn before, of the double, has the same analysis
        return turn.comment
    if not turn.judgements:
        played = isinstance(session.game().actions[turn.place], Move)
        rolled = "Rolled {}{}:".format(*turn.position.match.dice) if played else ""
        return "\n\n".join(filter(None, (rolled, turn.comment)))
    settings = replace(export_settings(session), moves=_MOST, move_parameters=True)
    lines = [*analysis_lines(turn, settings, wording_of(session), alerting=False), turn.comment]
    return "\n".join(line for line in lines if line != DANCE).strip("\n")


def export_settings(session: Session) -> ExportSettings:
    """The settings of exports, with the session's limits of marks."""
    return replace(session.export, limits=session.analysis.limits)


def wording_of(session: Session) -> Wording:
    """How the session words what was analysed: settings as "0-ply cubeful prune [expert]"."""
    plays = session.analyst.plays

    def describe(ply: int) -> str:
        if ply >= ROLLED_OUT:
            return "rollout"
        return layout.settings_text(replace(plays, plies=ply))

    return Wording(describe, session.output, engine.met_of(session))


def hint_lines(session: Session) -> list[str]:
    """The last hint of the position shown, as texts of matches have it."""
    met = engine.met_of(session)
    if session.last_cube is not None:
        return layout.cube_text(session.last_cube, met, session.output).splitlines()
    if not session.last_plays:
        return []
    cube = engine.session_cube(session, session.position())
    rolled = "Rolled {}{}:".format(*session.shown().match.dice)
    lines = [rolled]
    for play in session.last_plays[: session.export.moves]:
        lines += layout.ranked_play_text(play, cube, met, session.output).splitlines()[:2]
    return lines


def decision_text(session: Session) -> str:
    """The position as a text, with the analysis of what is decided there, or the last hint."""
    contents, position, game = session.contents(), session.shown(), session.game_index
    turn = shown_turn(session)
    lines = [score_line(contents, game), ""]
    if session.export.matchinfo:
        lines += information(contents)[:-1]
    lines += [f"Move number {turn.number}:  {what_is_asked(position, session.names)}", ""]
    lines += [draw(position.board, position.match, session.names, clockwise=session.clockwise)]
    lines += [pips_line(position), ""]
    if turn.done:
        rolled = turn_here(session) or turn  # whose position has the dice
        lines += [
            f"* {turn.done}",
            *analysis_lines(rolled, export_settings(session), wording_of(session)),
        ]
    else:
        lines += hint_lines(session)
    if is_playing(position) and not position.match.resigned:
        lines += ["", xgid(position.board, position.match)]
    return "\n".join([*lines, "", "Output generated by gnubg_py (Text Export)"]) + "\n"
