"""``show marketwindow``: from where each player doubles, takes and passes."""

from __future__ import annotations

import numpy as np

from gnubg_py.analysis import evaluate
from gnubg_py.cube.met import MatchEquityTable
from gnubg_py.cube.points import MarketWindow, match_windows, money_points
from gnubg_py.cube.state import Cube, can_double, swap_cube
from gnubg_py.game.position import valued
from gnubg_py.probabilities import Five
from gnubg_py.shell import engine
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command

_POINTS = (
    ("Take Point (TP)", "take"),
    ("Beaver Point (BP)", "beaver"),
    ("Raccoon Point (RP)", "raccoon"),
    ("Initial Double Point (IDP)", "initial_double"),
    ("Redouble Point (RDP)", "redouble"),
    ("Cash Point (CP)", "cash"),
    ("Too good Point (TGP)", "too_good"),
)


def show_marketwindow(session: Session) -> None:
    """``show marketwindow``: by the gammons of an evaluation as `set evaluation' has it."""
    position = session.position()
    match = position.match
    found = evaluate(
        (position.board, valued(match)),
        settings=session.hint_strength.cube,
        engine=engine.session_engine(session),
    )
    mover = found.probabilities, engine.session_cube(session, position)
    other = mover[0].inverted, swap_cube(mover[1])
    sides = (mover, other) if match.move == 0 else (other, mover)
    for name, (five, _) in zip(session.names, sides, strict=True):
        gammons, backgammons = gammon_rates(five)
        session.say(f"Player {name:<25}: gammon rate {gammons:7.2%}, bg rate {backgammons:7.2%}")
    session.say("")
    for name, (five, cube) in zip(session.names, sides, strict=True):
        session.say("")
        if cube.away is None:
            session.say(f"Player {name} cube parameters:\n")
            session.say("\n".join(_money_lines(five, cube)))
        else:
            session.say(f"Player {name} market window:\n")
            session.say("\n".join(_match_lines(five, cube, engine.met_of(session))))


def gammon_rates(five: Five) -> tuple[float, float]:
    """Of a side's wins, the shares of gammons proper and of backgammons.

    >>> from gnubg_py.probabilities import Five
    >>> gammon_rates(Five(0.5, 0.125, 0.025, 0.2, 0.1))
    (0.2, 0.05)
    """
    win, gammon, backgammon = five[:3]
    return ((gammon - backgammon) / win, backgammon / win) if win > 0 else (0.0, 0.0)


def _average(five: Five) -> float:
    """What a side's wins are worth, 1 to 3."""
    gammons, backgammons = gammon_rates(five)
    return 1 + gammons + 2 * backgammons


def _money_lines(five: Five, cube: Cube) -> list[str]:
    win, loss = _average(five), _average(five.inverted)
    dead, live = (money_points(win, loss, x, cube.jacoby) for x in (0.0, 1.0))
    lines = [f"{'Cube parameter':<29}Dead Cube      Live Cube"]
    for title, name in _POINTS:
        lines.append(f"{title:<28} {getattr(dead, name):8.3%}     {getattr(live, name):8.3%}")
    return [*lines, ""]


def _match_lines(five: Five, cube: Cube, met: MatchEquityTable) -> list[str]:
    if not can_double(cube):
        return ["The cube cannot be turned, or makes no difference."]
    windows = match_windows(np.array(five), cube, met)
    dead = "Dead cube" if windows.redoubled is None else "Dead cube (opponent doesn't redouble)"
    named = {
        f"{dead}: ": windows.dead,
        "Dead cube (opponent redoubles):": windows.redoubled,
        "Live cube:": windows.live,
    }
    return [_line(title, window) for title, window in named.items() if window is not None]


def _line(title: str, window: MarketWindow) -> str:
    return f"{title}{window.double:7.2%} - {window.cash:7.2%}"


COMMANDS = (
    Command("show marketwindow", "From where doubles and passes are right", show_marketwindow),
)
