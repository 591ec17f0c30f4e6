"""``show`` for what is counted: race formulas, the bearoff, all rolls; and ``bearoff``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gnubg_py.bearoff import turns
from gnubg_py.board import BAR, HOME_POINTS, Board
from gnubg_py.commands.bearoff import advice_text, suggestion_text
from gnubg_py.dice import ROLL_WEIGHTS, ROLLS, parse_dice
from gnubg_py.game.race_counts import FORMULAS, Formula
from gnubg_py.match import NO_DICE
from gnubg_py.notation import play_text
from gnubg_py.search.context import make_search
from gnubg_py.search.ranking import rank
from gnubg_py.shell import engine, words
from gnubg_py.shell.session import Session
from gnubg_py.shell.show_commands import asked_position
from gnubg_py.shell.tree import Command

_POSITION = "[position]"


def _board(session: Session, given: list[str]) -> Board:
    return asked_position(session, given)[0]


def _formula_command(formula: Formula) -> Command:
    def show(session: Session, given: list[str]) -> None:
        session.say(formula.text(_board(session, given)))

    return Command(f"show {formula.word}", formula.help, show, _POSITION)


def show_bearoff(session: Session, given: list[str]) -> None:
    """``show bearoff [POSITION]``: turns left, from the exact one-sided database."""
    board = _board(session, given)
    for row, name in zip(np.asarray(board), ("Side on roll", "Other side"), strict=True):
        if row[HOME_POINTS:].any():
            session.say(f"{name}: not all its checkers are in its home board.")
            continue
        home = tuple(int(n) for n in row[:HOME_POINTS])
        session.say(f"{name}:")
        session.say(advice_text(turns.turns_left(home), turns.analyze(home)))


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
    session.say(advice_text(turns.turns_left(home), turns.analyze(home)))


def _home(session: Session) -> tuple[int, ...]:
    row = session.position().board[0]
    if row[HOME_POINTS:].any() or row[BAR]:
        raise ValueError("Not all checkers of the side on roll are in its home board.")
    return tuple(int(n) for n in row[:HOME_POINTS])


COMMANDS = (
    Command("bearoff analyze", "Turns left after each roll", bearoff_analyze, "[<home>]",
            ours=True),
    Command("bearoff suggest", "The best play of a roll", bearoff_suggest, "[<home> <dice>]",
            details="A home board is six digits, the ace point first: 002220.", ours=True),
    Command("show bearoff", "Turns left to bear off", show_bearoff, _POSITION),
    Command("show rolls", "Each roll's best play and its worth", show_rolls, "[plies]"),
    *(_formula_command(formula) for formula in FORMULAS),
)  # fmt: skip
