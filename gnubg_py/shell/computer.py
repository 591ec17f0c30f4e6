"""What a computer at the board decides: this engine, or a program at the other end of a socket."""

from __future__ import annotations

from dataclasses import replace

from gnubg_py.cube.decision import Answer
from gnubg_py.errors import IllegalActionError
from gnubg_py.external.player import ExternalPlayer
from gnubg_py.game.actions import (
    Accept,
    Action,
    Double,
    Drop,
    Move,
    Redouble,
    Reject,
    Resign,
    Roll,
    Take,
)
from gnubg_py.game.position import LARGEST_CUBE, Position, Rules, apply, move_of
from gnubg_py.match import NO_DICE, Resignation
from gnubg_py.notation import CANNOT_MOVE, play_text
from gnubg_py.notation.fibs_board import fibs_board
from gnubg_py.search.settings import Strength
from gnubg_py.shell import engine, rolled
from gnubg_py.shell.dice_commands import working_dice
from gnubg_py.shell.session import Session

_REPLIES: dict[str, type[Action]] = {
    "double": Double, "take": Take, "accept": Accept, "drop": Drop, "pass": Drop,
    "reject": Reject, "beaver": Redouble, "redouble": Redouble,
}  # fmt: skip


def roll_action(session: Session) -> Roll:
    """A roll of the session's dice by whoever is on roll."""
    match = session.position().match
    a, b = working_dice(session).roll(session.ask)
    return Roll(match.turn, (max(a, b), min(a, b)))


def may_double(position: Position, rules: Rules) -> bool:
    """Whether the player on roll could double now."""
    if position.match.doubled or position.match.resigned:
        return False
    try:
        apply(position, Double(position.match.move), rules)
    except IllegalActionError:
        return False
    return True


def computer_action(session: Session, position: Position) -> Action:
    """What the player who must decide does, who is no person."""
    player = session.players[position.match.turn]
    rules = session.match().rules
    if player.external is not None and not position.match.resigned:
        action = _external_action(player.external, position, session.names, rules)
    else:
        action = _resignation(session, position) or engine_action(
            session, position, player.strength, rules, f"player {position.match.turn}"
        )
    return action or roll_action(session)


def _resignation(session: Session, position: Position) -> Resign | None:
    """The offer to resign a race in which all is lost, unless it has just been declined."""
    match = position.match
    if match.dice != NO_DICE or match.doubled or match.resigned:
        return None
    *_, offered, answered = (None, None, *session.game().actions)
    if isinstance(offered, Resign) and isinstance(answered, Reject):
        return None
    level = engine.certain_loss(session, position)
    return Resign(match.turn, Resignation(level)) if level else None


def _external_action(
    external: ExternalPlayer, position: Position, names: tuple[str, str], rules: Rules
) -> Action | None:
    """What a player at the other end of a socket decides; None is a roll.

    The board line is the one that gnubg sends: player 1's side of the board, and the doubler's name
    or player 0's first.
    """
    match = position.match
    first = match.move if match.doubled else 0
    reply = external.ask(fibs_board(position.board, match, (names[1 - first], names[first])))
    try:
        return action_of(position, reply, rules)
    except ValueError as error:
        raise ValueError(f"{external.address} answered {reply[:40]!r}: {error}") from error


def action_of(position: Position, reply: str, rules: Rules) -> Action | None:
    """The action that an external player's reply means; None is a roll.

    A double is a roll where the player may not double: gnubg 1.07 reads the owner of the cube from
    the wrong side when player 0 is on roll.
    """
    match = position.match
    word = reply.strip().lower().partition(" ")[0]
    if word == "roll" or (word == "double" and not may_double(position, rules)):
        return None
    if word == "resign":
        levels = {"n": 1, "g": 2, "b": 3}
        return Resign(match.turn, Resignation(levels.get(reply.strip().lower()[7:8], 1)))
    if word in _REPLIES:
        kind = _REPLIES[word]
        if match.resigned:
            kind = {Take: Accept, Drop: Reject}.get(kind, kind)
        elif kind in (Accept, Reject):
            kind = Take if kind is Accept else Drop
        return kind(match.turn)
    return move_of(position, reply.strip() or CANNOT_MOVE)  # gnubg says nothing where it dances


def engine_action(
    session: Session, position: Position, strength: Strength, rules: Rules, place: str
) -> Action | None:
    """What the engine does at some strength; None is a roll.

    ``place``: whose settings these are, as "player 0", if decisions may be rolled out.
    """
    match = position.match
    if match.resigned:
        on, accepted = engine.resignation_values(session, position, strength)
        return Accept(match.turn) if engine.is_accepted(on, accepted) else Reject(match.turn)
    if match.doubled:
        return _answer(session, position, strength, rules, place)
    if match.dice == NO_DICE:
        if may_double(position, rules):
            decided = rolled.decision_or_rolled(session, position, strength, place)
            if decided is not None and decided.doubles:
                return Double(match.turn)
        return None
    best = rolled.ranked_or_rolled(session, position, strength, place)[0]
    return Move(match.turn, play_text(position.board, match.dice, best.board))


def _answer(
    session: Session, position: Position, strength: Strength, rules: Rules, place: str
) -> Action:
    """Take, drop or beaver."""
    match = position.match
    if position.redoubles:
        # The cube was turned again at once: what is at stake is known, the answer is a take
        # unless giving it up costs less than playing on at the new stake.
        value = engine.equity(session, engine.taken(position), strength)
        mine = value if match.turn == match.move else -value
        return Take(match.turn) if 2 * mine >= -1 else Drop(match.turn)
    asked = replace(position, match=replace(match, doubled=False, turn=match.move))
    decided = rolled.decision_or_rolled(session, asked, strength, place)
    if decided is None or decided.answer == Answer.TAKE:
        return Take(match.turn)
    if decided.answer == Answer.PASS:
        return Drop(match.turn)
    allowed = match.match_length == 0 and rules.beavers > 0 and 4 * match.cube_value <= LARGEST_CUBE
    return Redouble(match.turn) if allowed else Take(match.turn)
