"""``set`` for the position itself: board, IDs, dice, turn."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from gnubg_py.board import Board, start_position, swap
from gnubg_py.dice import parse_dice
from gnubg_py.errors import IllegalActionError, Refusal
from gnubg_py.game.position import Position
from gnubg_py.match import CENTRED, NO_DICE, MatchState, Resignation, is_beaver, is_raccoon
from gnubg_py.notation import from_gnubg_id, from_match_id, from_xgid, parse_position
from gnubg_py.shell import turns, words
from gnubg_py.shell.play_commands import hinted
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command, UnknownWordError

_BEAVERS = 3
"""How many beavers an XGID that allows them allows, as in gnubg."""
_LONGEST_ID = 1000
_LABELS = ("gnubgid", "gnubg", "position", "match", "id")


def playing_position(session: Session, what: str) -> Position:
    """The position of the game in play; ``ValueError`` that ``what`` cannot be set without one."""
    if not session.is_playing:
        raise ValueError(f"There must be a game in progress to set {what}.")
    return session.position()


def _put(
    session: Session, board: Board, match: MatchState, *, below: bool = False, said: bool = True
) -> None:
    """Put up a position as gnubg does: a double on the table is one that is yet to be offered.

    ``below``: the player on roll takes the seat of player 1, who sits at the bottom. ``said``:
    what the match state sets is said.
    """
    told = False
    if match.doubled and not is_beaver(match) and not is_raccoon(match):
        session.say("SetMatchID cannot handle positions where a double has been offered.")
        cube = f" The cube has been set to {match.cube_value}." if match.cube_value > 1 else ""
        session.say(f"Stepping back to the offering of the cube.{cube}")
        match, told = replace(match, doubled=False, turn=match.move), bool(cube)
    if match.match_length == 1:  # no cube, so that no game is without it
        match = replace(match, crawford=False)
    if match.crawford and match.cube_value > 1:
        session.say("The cube is disabled during the Crawford game.")
        match = replace(match, cube_value=1, cube_owner=CENTRED)
    session.set_position(board, match)
    if below and match.move == 0:
        turns.swap_seats(session)
    if said and match.dice != NO_DICE:
        session.say(f"The dice have been set to {match.dice[0]} and {match.dice[1]}.")
    if said and match.cube_value > 1 and not told:
        session.say(f"The cube has been set to {match.cube_value}.")
    session.show_board()


def change_match(session: Session, position: Position, **changes: Any) -> None:
    """Set a position with some fields of its match state changed."""
    match = replace(position.match, **changes)
    session.set_position(position.board, match)


def withdrawn(match: MatchState) -> MatchState:
    """The match state without the double or the resignation that was offered."""
    return replace(match, doubled=False, resigned=Resignation.NONE, turn=match.move)


def set_board(session: Session, given: list[str]) -> None:
    """``set board (ID | simple ... | =n)``: the side on roll comes first; the score stays.

    An ID of the match too, as an XGID, sets everything.
    """
    text = " ".join(given)
    if not text:
        raise ValueError("You must specify a position (see `help set board').")
    if given[0].lower() == "simple" and len(given) < 27:
        raise ValueError(f"`simple' must be followed by 26 integers; found only {len(given) - 1}")
    match = session.shown().match if session.is_playing else None
    if text.startswith("="):
        board = swap(hinted(session, text))
        if match is not None:
            match = replace(match, dice=NO_DICE)
    else:
        if match is None and ":" not in text:
            raise ValueError("There must be a game in progress to set the board.")
        board, told = words.position(text, parse_position)
        if match is None or (":" in text and " " not in text):
            match = told
    if match is None:
        raise ValueError("There must be a game in progress to set the board.")
    told_all = ":" in text and " " not in text
    if match.doubled and not told_all:  # it stays on offer, so that answers can be studied
        session.set_position(board, match)
        session.show_board()
        return
    _put(session, board, match if told_all else withdrawn(match), said=told_all)


def _one_id(given: list[str], what: str) -> str:
    """The one word of an ID, without the label that programs write before it when they show it."""
    words_ = [word for word in given if word.lower().rstrip("=:") not in _LABELS]
    text = _one(words_, what)
    label, equals, rest = text.partition("=")
    return rest if equals and label.lower() in _LABELS else text


def set_gnubgid(session: Session, given: list[str]) -> None:
    """``set gnubgid POSITIONID:MATCHID``; either half alone will do, and so will a line with them.

    An XGID does too.
    """
    text = " ".join(given)[:_LONGEST_ID]
    if "xgid=" in text.lower():
        set_xgid(session, [word for word in given if "xgid=" in word.lower()])
        return
    position, match_text = _ids_in(text)
    if match_text and position:
        board, match = from_gnubg_id(f"{position}:{match_text}")
        _put(session, board, match)
    elif match_text:
        set_matchid(session, [match_text])
    else:
        set_board(session, [position])
    session.say(f"Setting GNUbg ID {position}:{match_text}")


def _ids_in(text: str) -> tuple[str, str]:
    """The Position ID and the Match ID in a line, each empty if it is not there."""
    found = re.findall(r"(?<![\w+/])(?:[\w+/]{14}|[\w+/]{12})(?![\w+/])", text, re.ASCII)
    ids = {len(word): word for word in reversed(found)}
    if not ids:
        word = text.split()[-1] if text else ""
        raise UnknownWordError(
            "No valid IDs found"
            + (f" (`{word[:40]}': a Position ID has 14 letters, a Match ID 12)" if word else "")
        )
    return ids.get(14, ""), ids.get(12, "")


def set_matchid(session: Session, given: list[str]) -> None:
    """``set matchid ID``: score, cube, turn and dice; the Position ID stays."""
    text = _one_id(given, "a Match ID")
    try:
        match = from_match_id(text)
    except ValueError as error:
        raise ValueError(f"Illegal match ID '{text[:40]}' ({error})") from None
    if session.is_playing:
        board = session.position().board
    else:
        board = start_position(session.rules.variation)
    _put(session, board, match)


def set_xgid(session: Session, given: list[str]) -> None:
    """``set xgid XGID``."""
    text = _one(given, "an XGID")
    try:
        board, match = from_xgid(_without_crawford(text))
    except ValueError as error:
        raise UnknownWordError(f"Not a valid XGID '{text[:60]}': {error}.") from None
    _put(session, board, match, below=True)
    if match.match_length == 0:
        session.set_rules(beavers=_BEAVERS if match.beavers else 0)


def _without_crawford(text: str) -> str:
    """An XGID; the Crawford flag goes where nobody is a point from winning, as in gnubg."""
    fields = text.split(":")
    if len(fields) == 10 and fields[7] == "1" and all(f.isdecimal() for f in fields[5:9]):
        a, b, length = (int(fields[i]) for i in (5, 6, 8))
        if length and max(a, b) != length - 1:
            fields[7] = "0"
    return ":".join(fields)


def _one(given: list[str], what: str) -> str:
    if not given or len(given[0]) > 200:
        raise ValueError(f"You must specify {what}.")
    return given[0]


def set_dice(session: Session, given: list[str]) -> None:
    """``set dice 31``, ``set dice 3 1``."""
    position = playing_position(session, "the dice")
    text = " ".join(given[:2] if len(given[0]) == 1 else given[:1]) if given else ""
    try:
        a, b = parse_dice(text)
    except ValueError:
        raise ValueError("You must specify two numbers from 1 to 6 for the dice.") from None
    if position.match.doubled or position.match.resigned:  # what is offered is taken back
        clear = {"turn": position.match.move, "doubled": False, "resigned": Resignation.NONE}
        change_match(session, position, **clear)
        position = session.position()
    session.set_dice((a, b))
    first, second = (int(c) for c in text if c.isdigit())
    session.say(f"The dice have been set to {first} and {second}.")


def _without_resignation(session: Session) -> Position:
    position = playing_position(session, "a player on roll")
    if position.match.resigned:
        raise IllegalActionError(Refusal.RESIGNATION_OFFERED)
    return position


def set_turn(session: Session, given: list[str]) -> None:
    """``set turn PLAYER``: before the roll, each player keeping the checkers."""
    position = _without_resignation(session)
    if not given:
        raise ValueError("Which player do you want to set on roll?")
    player = words.player(session, given, "set turn")
    board = position.board if position.match.move == player else swap(position.board)
    match = replace(
        position.match,
        move=player,
        turn=player,
        dice=NO_DICE,
        doubled=False,
        resigned=Resignation.NONE,
    )
    if match != position.match:
        session.set_position(board, match)
    session.say(f"`{session.names[player]}' is now on roll.")


def clear_turn(session: Session) -> None:
    """``clear turn``: before the roll, with nothing offered."""
    position = _without_resignation(session)
    move = position.match.move
    change_match(
        session, position, turn=move, dice=NO_DICE, doubled=False, resigned=Resignation.NONE
    )


COMMANDS = (
    Command("clear turn", "The dice and what is offered", clear_turn),
    Command("set board", "Set up a position", set_board,
            "<position ID> | <XGID> | simple <26 numbers> | =<n>",
            details="The simple form is the bar of the side on roll, its points 1 to 24 (the "
                    "other side's checkers below 0), and the other bar. =2 is the position "
                    "after the second play of the last hint."),
    Command("set dice", "Set the roll", set_dice, "<die> <die>"),
    Command("set gnubgid", "Set up a position and match by GNUbg ID", set_gnubgid, "<ID>"),
    Command("set matchid", "Set score, cube, turn and dice by Match ID", set_matchid, "<ID>"),
    Command("set turn", "Set who is on roll", set_turn, "<player>", values=("0", "1")),
    Command("set xgid", "Set up a position and match by XGID", set_xgid, "<XGID>"),
)  # fmt: skip
