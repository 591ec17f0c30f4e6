"""``show`` for tables: gammon values, one-sided races, maps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gnubg_py.bearoff.one_sided import MEAN_PIPS
from gnubg_py.board import pip_count
from gnubg_py.cube.decision import CubeDecision
from gnubg_py.cube.state import can_double
from gnubg_py.cube.values import gammon_prices
from gnubg_py.dice import ROLLS
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.race import RaceLeaf, roll_chances
from gnubg_py.game.position import Position
from gnubg_py.match import CENTRED, NO_DICE, MatchState
from gnubg_py.notation import play_text
from gnubg_py.shell import engine, words
from gnubg_py.shell.session import Session
from gnubg_py.shell.show_commands import asked_position
from gnubg_py.shell.tree import Command

_LONGEST = 15
_RACES = (PositionClass.RACE, PositionClass.BEAROFF1, PositionClass.BEAROFF2)


def show_gammonvalues(session: Session) -> None:
    """``show gammonvalues``: what a gammon and a backgammon add to a win, of what it is worth."""
    position = session.position()
    price = gammon_prices(engine.session_cube(session, position), engine.met_of(session))
    values = [
        (price.win_gammon / 2, (price.win_gammon + price.win_backgammon) / 2),
        (price.lose_gammon / 2, (price.lose_gammon + price.lose_backgammon) / 2),
    ]
    if position.match.move == 1:
        values.reverse()
    session.say("Player           Gammon value    Backgammon value")
    for name, (gammon, backgammon) in zip(session.names, values, strict=True):
        session.say(f"{name[:16]:<16} {gammon:.5f}         {backgammon:.5f}")


def show_onesidedrollout(session: Session, given: list[str]) -> None:
    """``show onesidedrollout [POSITION]``: each side's rolls to bear off, and who needs fewer."""
    board, match = asked_position(session, given)
    if classify(board[None])[0] not in _RACES:
        raise ValueError("There is contact: rolls are counted where each side bears off alone.")
    leaf = engine.router_of(session).table.get(PositionClass.RACE)
    if not isinstance(leaf, RaceLeaf):
        raise ValueError("The evaluator of races counts no rolls: `set evaluator race default'.")
    chances = roll_chances(leaf.net, np.ascontiguousarray(board)).bearoff.astype(float)
    rolls = chances @ np.arange(chances.shape[1])
    mine, theirs = chances
    first = float(mine @ np.concatenate([theirs[::-1].cumsum()[::-1], [0.0]])[: len(mine)])
    move = 1 if match is None else match.move
    names = session.names[move], session.names[1 - move]
    # gnubg plays these trials; here the chances of every number of rolls are known.
    session.say(f"One sided rollout with 0 trials ({names[0]} on roll):")
    session.say(f"{first:.3f} 0.000 0.000 - {1 - first:.3f} 0.000 0.000\n")
    session.say("Effective pip count:\n                           EPC  Wastage")
    rows = list(zip(names, rolls, pip_count(board), strict=True))
    for name, count, pips in rows if move == 0 else rows[::-1]:
        effective = count * MEAN_PIPS
        session.say(f"{name[:22]:<22}{effective:8.3f} {effective - pips:8.3f}")
    session.say("\nEPC = Avg. rolls * 8.167\nWastage = EPC - Pips")


def show_temperaturemap(session: Session) -> None:
    """``show temperaturemap``: the equity after the best play of each roll, die by die."""
    bare = _before_roll(session.position())
    equities = {}
    for a, b in ROLLS.tolist():
        rolled = replace(bare, match=replace(bare.match, dice=(a, b)))
        best = engine.ranked(session, rolled, session.hint_strength)[0]
        equities[a, b] = equities[b, a] = best.equity
    session.say("      " + "".join(f"{b:>8}" for b in range(1, 7)))
    for a in range(1, 7):
        session.say(f"{a:>6}" + "".join(f"{equities[a, b]:+8.3f}" for b in range(1, 7)))
    mean = sum(equities.values()) / 36
    session.say(f"\nAverage {mean:+.3f}")


def _before_roll(position: Position) -> Position:
    if position.match.doubled or position.match.resigned:
        raise ValueError("Answer the offer first.")
    return replace(position, match=replace(position.match, dice=NO_DICE))


def show_scoremap(session: Session, given: list[str]) -> None:
    """``show scoremap [N]``: the cube action, or the best play, at every score up to N away."""
    most = words.whole(given, 2, _LONGEST, "how many points to show") if given else 7
    position = session.position()
    rows = {mine: [_at(session, position, mine, theirs) for theirs in range(1, most + 1)]
            for mine in range(1, most + 1)}  # fmt: skip
    plays = position.match.dice != NO_DICE
    texts = list(dict.fromkeys(cell for row in rows.values() for cell in row))
    letters = {text: chr(65 + i) if plays else text for i, text in enumerate(texts)}
    session.say("Away of the side on roll (down) and of the other (across):\n")
    session.say("     " + "".join(f"{theirs:>4}" for theirs in range(1, most + 1)))
    for mine, row in rows.items():
        session.say(f"{mine:>5}" + "".join(f"{letters[cell]:>4}" for cell in row))
    session.say("")
    for text, letter in letters.items() if plays else _ACTIONS.items():
        session.say(f"{letter}: {text}" if plays else f"{text}: {letter}")


_ACTIONS = {
    "ND": "no double", "DT": "double, take", "DP": "double, pass", "TG": "too good to double",
    "--": "no double is possible",
}  # fmt: skip


def _at(session: Session, position: Position, mine: int, theirs: int) -> str:
    """What to do in a match in which the sides need so many points; the cube is as it is."""
    match, length = position.match, max(mine, theirs)
    score = (length - mine, length - theirs)
    state = MatchState(
        cube_value=match.cube_value, cube_owner=match.cube_owner, move=match.move,
        turn=match.turn, dice=match.dice, match_length=length,
        score=score if match.move == 0 else (score[1], score[0]),
        crawford=length > 1 and min(mine, theirs) == 1 and match.cube_owner == CENTRED,
    )  # fmt: skip
    there = Position(position.board, state)
    if match.dice != NO_DICE:
        best = engine.ranked(session, there, session.hint_strength)[0]
        return play_text(position.board, match.dice, best.board)
    if not can_double(engine.session_cube(session, there)):
        return "--"
    decided = engine.position_decision(session, there, session.hint_strength)
    return "--" if decided is None else _action(decided)


def _action(decided: CubeDecision) -> str:
    if decided.doubles:
        return "DT" if decided.double_take < decided.double_pass else "DP"
    return "TG" if decided.no_double > decided.double_pass else "ND"


COMMANDS = (
    Command("show gammonvalues", "What gammons add to wins", show_gammonvalues),
    Command("show onesidedrollout", "Effective pips of a race", show_onesidedrollout,
            "[position]"),
    Command("show scoremap", "What to do at each score", show_scoremap, "[points]"),
    Command("show temperaturemap", "The equity after each roll", show_temperaturemap),
)  # fmt: skip
