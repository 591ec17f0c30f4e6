"""``show`` for what is counted: race formulas, the bearoff, all rolls; and ``bearoff``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gnubg_py.bearoff import turns
from gnubg_py.board import BAR, Board
from gnubg_py.commands.bearoff import analysis_text, suggestion_text
from gnubg_py.dice import ROLL_WEIGHTS, ROLLS, parse_dice
from gnubg_py.game import race_counts
from gnubg_py.match import NO_DICE
from gnubg_py.notation import play_text
from gnubg_py.search.context import make_search
from gnubg_py.search.ranking import rank
from gnubg_py.shell import engine, words
from gnubg_py.shell.session import Session
from gnubg_py.shell.show_commands import asked_position
from gnubg_py.shell.tree import Command

_HOME = 6


def _board(session: Session, given: list[str]) -> Board:
    return asked_position(session, given)[0]


def show_thorp(session: Session, given: list[str]) -> None:
    """``show thorp [POSITION]``."""
    count = race_counts.thorp(_board(session, given))
    session.say(f"Thorp Count Leader            : {count.leader}")
    session.say(f"Thorp Count Leader(+1/10)    L: {count.value:.1f}")
    session.say(f"Thorp Count Trailer          T: {count.trailer}\n\n{count.words}")


def show_keith(session: Session, given: list[str]) -> None:
    """``show keith [POSITION]``."""
    count = race_counts.keith(_board(session, given))
    session.say(f"Keith Count Leader            : {count.leader}")
    session.say(f"Keith Count Leader(+1/7)     L: {count.value:.1f}")
    session.say(f"Keith Count Trailer          T: {count.trailer}\n\n{count.words}")


def show_kleinman(session: Session, given: list[str]) -> None:
    """``show kleinman [POSITION]``."""
    count = race_counts.kleinman(_board(session, given))
    total, lead = count.leader + count.trailer, count.trailer - count.leader
    session.say(f"Leader Pip Count : {count.leader}\nTrailer Pip Count: {count.trailer}\n")
    session.say(f"sum              : {total}\ndiff             : {lead}\n")
    session.say(f"K = (diff+4)/(2 sqrt(sum-4)) = {count.value:8.4g}")
    session.say(f"Cubeless Winning Chance: {count.words}")


def show_isight(session: Session, given: list[str]) -> None:
    """``show isight [POSITION]``."""
    count = race_counts.isight(_board(session, given))
    session.say(f"Isight Count Leader          L: {count.leader}")
    session.say(f"Isight Count Trailer         T: {count.trailer}\n")
    session.say(f"Estimated GWC: {count.value:4.1f}% (80 - L/3 + 2*(T-L))\n\n{count.words}")


def show_8912(session: Session, given: list[str]) -> None:
    """``show 8912 [POSITION]``."""
    count = race_counts.eight_nine_twelve(_board(session, given))
    session.say(f"Leader Pip Count : {count.leader}\nTrailer Pip Count: {count.trailer}\n")
    session.say(f"Leader is {count.value:.1f} percent ahead\n{count.words}")


def show_bearoff(session: Session, given: list[str]) -> None:
    """``show bearoff [POSITION]``: turns left, from the exact one-sided database."""
    board = _board(session, given)
    for row, name in zip(np.asarray(board), ("Side on roll", "Other side"), strict=True):
        if row[_HOME:].any():
            session.say(f"{name}: not all its checkers are in its home board.")
            continue
        home = tuple(int(n) for n in row[:_HOME])
        session.say(f"{name}:")
        session.say(analysis_text(turns.turns_left(home), turns.analyze(home)))


def show_rolls(session: Session, given: list[str]) -> None:
    """``show rolls [PLIES]``: each roll's best play and what it is worth."""
    plies = words.whole(given, 0, 2, "how many plies to look ahead") if given else 0
    position = session.position()
    if position.match.doubled or position.match.resigned:
        raise ValueError("There are no rolls to show before the offer is answered.")
    bare = replace(position, match=replace(position.match, dice=NO_DICE))
    boards = np.repeat(bare.board[None], len(ROLLS), axis=0)
    settings = replace(session.hint_strength.plays, plies=plies)
    search = make_search(engine.session_engine(session), settings)
    cube = engine.session_cube(session, bare)
    ranking = rank(search, boards, ROLLS, cube, session.hint_strength.filters)
    chosen = ranking.chosen
    equities = ranking.equities[chosen]
    session.say(f"Roll  {'Best play':<34} Equity   ({plies}-ply)")
    for i in np.argsort(-equities, kind="stable").tolist():
        a, b = ROLLS[i].tolist()
        text = play_text(bare.board, (a, b), ranking.plays[chosen[i]])
        session.say(f"{a}{b}    {text:<34} {equities[i]:+.3f}")
    mean = float(equities @ ROLL_WEIGHTS) / 36
    session.say(f"{'':6}{'Average':<34} {mean:+.3f}")


def bearoff_suggest(session: Session, given: list[str]) -> None:
    """``bearoff suggest [HOME DICE]``: of the position shown, unless given one."""
    if given and len(given) != 2:
        raise ValueError("You must specify a home board and a roll, as in 002220 61.")
    home = turns.parse_home(given[0]) if given else _home(session)
    dice = parse_dice(given[1]) if given else session.position().match.dice
    if dice == (0, 0):
        raise ValueError("You must roll the dice first.")
    session.say(suggestion_text(turns.suggest(home, dice)))


def bearoff_analyze(session: Session, given: list[str]) -> None:
    """``bearoff analyze [HOME]``: turns left after each roll."""
    if len(given) > 1:
        raise ValueError("You must specify one home board, as 002220.")
    home = turns.parse_home(given[0]) if given else _home(session)
    session.say(analysis_text(turns.turns_left(home), turns.analyze(home)))


def _home(session: Session) -> tuple[int, ...]:
    row = session.position().board[0]
    if row[_HOME:].any() or row[BAR]:
        raise ValueError("Not all checkers of the side on roll are in its home board.")
    return tuple(int(n) for n in row[:_HOME])


_POSITION = "[position]"
COMMANDS = (
    Command("bearoff analyze", "Turns left after each roll", bearoff_analyze, "[<home>]",
            ours=True),
    Command("bearoff suggest", "The best play of a roll", bearoff_suggest, "[<home> <dice>]",
            details="A home board is six digits, the ace point first: 002220.", ours=True),
    Command("show 8912", "The 8-9-12 rule", show_8912, _POSITION),
    Command("show bearoff", "Turns left to bear off", show_bearoff, _POSITION),
    Command("show isight", "The Isight count", show_isight, _POSITION),
    Command("show keith", "Keith's count", show_keith, _POSITION),
    Command("show kleinman", "Kleinman's count", show_kleinman, _POSITION),
    Command("show rolls", "Each roll's best play and its worth", show_rolls, "[plies]"),
    Command("show thorp", "Thorp's count", show_thorp, _POSITION),
)  # fmt: skip
