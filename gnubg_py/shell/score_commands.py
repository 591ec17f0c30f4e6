"""``set`` for the score and the cube of a game, and for its Crawford rule."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from gnubg_py.game.position import LARGEST_CUBE, Position, match_is_over
from gnubg_py.game.record import new_state, rescored
from gnubg_py.match import CENTRED, LONGEST_MATCH, MatchState
from gnubg_py.shell import turns, words
from gnubg_py.shell.position_commands import change_match, playing_position, withdrawn
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command


def set_score(session: Session, given: list[str]) -> None:
    """``set score A B [LENGTH]``: the points of player 0 and player 1, and the match length."""
    record = session.record
    between = record is not None and session.at_end() and session.has_game
    if session.is_playing or record is None or not between:
        match = playing_position(session, "the score").match
    elif match_is_over(record.games[-1].end.match) and record.following is None:
        match = MatchState(match_length=record.length)  # the next game goes on from this score
    else:
        match = new_state(record)
    length = match.match_length
    if session.is_playing and len(given) > 2 and given[2].isdecimal():
        length = words.whole(given[2:3], 0, LONGEST_MATCH, "the match length")
    score = tuple(_points(word, length) for word in given[:2])
    if len(score) != 2 or min(score) < 0:
        raise ValueError("You must specify two valid scores.")
    if length and max(score) >= length:
        raise ValueError("You cannot set a score where the match is already over.")
    # As in gnubg: with no point on the other side nobody can have been 1-away before; with some
    # it stays the Crawford game if it was that.
    one_away = length > 1 and max(score) == length - 1 > min(score)
    crawford = one_away and (min(score) == 0 or match.crawford)
    if session.is_playing:
        if crawford:
            change_match(session, session.position(), **_without_cube(match))
        game = rescored(session.game(), (score[0], score[1]), length, crawford=crawford)
        session.replace_game(game)
        session.record = replace(session.match(), length=length)
    else:
        following = replace(match, score=score, crawford=crawford)
        session.record = replace(session.match(), following=following)
    session.say(turns.score_sentence(session))


def _without_cube(match: MatchState) -> dict[str, Any]:
    """The changes of a match state that take the cube back to where it was at first."""
    turn = match.move if match.doubled else match.turn
    return {"cube_value": 1, "cube_owner": CENTRED, "doubled": False, "turn": turn}


def _points(word: str, length: int) -> int:
    """The points of one player; those below 0 are as many as are missing to the match length.

    As in gnubg, what follows the number is ignored.
    """
    number = re.match(r"[-+]?[0-9]{1,4}", word)
    if number is None:
        raise ValueError("You must specify two valid scores.")
    points = int(number[0])
    return length + points if points < 0 else points


def set_cube_value(session: Session, given: list[str]) -> None:
    """``set cube value N``."""
    position = playing_position(session, "the cube")
    allowed = [str(1 << k) for k in range(13)]
    if len(given) != 1 or given[0] not in allowed:
        raise ValueError(
            "You must specify a legal cube value (see `help set cube value')."
            f" (A power of two from 1 to {LARGEST_CUBE}.)"
        )
    position = _without_offer(position)
    value = int(given[0])
    change_match(session, position, cube_value=value)
    session.say(f"The cube has been set to {value}.")


def _without_offer(position: Position) -> Position:
    """The position without what is offered; ``ValueError`` where the cube cannot be set."""
    if position.match.crawford:
        raise ValueError("The cube is disabled during the Crawford game.")
    return replace(position, match=withdrawn(position.match))


def set_cube_owner(session: Session, given: list[str]) -> None:
    """``set cube owner PLAYER``; of both, it is in the middle."""
    position = playing_position(session, "the cube")
    if given and given[0].lower() == "both":
        set_cube_centre(session)
        return
    owner = words.player(
        session,
        given,
        "",
        "You must specify which player owns the cube (see `help set cube owner').",
    )
    position = _without_offer(position)
    change_match(session, position, cube_owner=owner)
    session.say(f"{session.names[owner]} now owns the cube.")


def set_cube_centre(session: Session) -> None:
    position = playing_position(session, "the cube")
    position = _without_offer(position)
    change_match(session, position, cube_owner=CENTRED)
    session.say("The cube has been centred.")


def set_cube_use(session: Session, given: list[str]) -> None:
    """``set cube use on|off``."""
    use = words.on_off(given, "cube use")
    if session.is_playing and session.shown().match.doubled:
        position = session.position()
        change_match(session, position, doubled=False, turn=position.match.move)
    session.set_rules(cube=use)
    session.say(f"Use of the doubling cube is {'permitted' if use else 'disabled'}.")
    if not use and session.rules.jacoby and not session.length:
        session.say(
            "Note that you'll have to disable the Jacoby rule if you want gammons and\n"
            "backgammons to be scored (see `help set jacoby')."
        )


def set_crawford(session: Session, given: list[str]) -> None:
    """``set crawford on|off``."""
    _crawford(session, words.on_off(given, "crawford"), "the Crawford game")


def set_postcrawford(session: Session, given: list[str]) -> None:
    """``set postcrawford on|off``."""
    _crawford(session, not words.on_off(given, "postcrawford"), "post-Crawford play")


def _crawford(session: Session, crawford: bool, kind: str) -> None:
    short = "Crawford play" if kind == "the Crawford game" else kind
    if not session.length:
        raise ValueError(f"Cannot set {short} for money sessions.")
    position = playing_position(session, short)
    match = position.match
    if max(match.score) != match.match_length - 1:
        session.say(f"Cannot set whether this is {kind}")
        raise ValueError("as none of the players are 1-away from winning.")
    if crawford:  # without a cube: one that was turned or offered before goes back
        change_match(session, position, **_without_cube(match), crawford=True)
    else:
        change_match(session, position, crawford=False)
    if kind == "the Crawford game":
        sentences = ("not the Crawford game.", "the Crawford game (no doubling allowed).")
        session.say(f"This game is {sentences[crawford]}")
    else:
        sentences = ("post-Crawford play (doubling allowed).", "not post-Crawford play.")
        session.say(f"This is {sentences[crawford]}")


_SWITCH = ("on", "off")
COMMANDS = (
    Command("set crawford", "Set whether this is the Crawford game", set_crawford, "on|off",
            values=_SWITCH),
    Command("set cube center", "The same as centre", set_cube_centre),
    Command("set cube centre", "Put it between the players", set_cube_centre),
    Command("set cube owner", "Who owns it", set_cube_owner, "<player>", values=("0", "1")),
    Command("set cube use", "Whether it is used at all", set_cube_use, "on|off", values=_SWITCH),
    Command("set cube value", "Its value", set_cube_value, "<power of two>"),
    Command("set postcrawford", "Set whether this is after the Crawford game", set_postcrawford,
            "on|off", values=_SWITCH),
    Command("set score", "Set the score", set_score, "<player 0's> <player 1's> [length]"),
)  # fmt: skip
