"""``set`` for the position itself: board, IDs, dice, turn, score, cube, Crawford."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from gnubg_py.board import Board, start_position, swap
from gnubg_py.dice import parse_dice
from gnubg_py.game.position import LARGEST_CUBE, Position
from gnubg_py.game.record import new_state, rescored
from gnubg_py.match import (
    CENTRED,
    LONGEST_MATCH,
    NO_DICE,
    MatchState,
    Resignation,
    is_beaver,
    is_raccoon,
)
from gnubg_py.notation import (
    from_gnubg_id,
    from_match_id,
    from_xgid,
    parse_position,
)
from gnubg_py.shell import turns, words
from gnubg_py.shell.play_commands import hinted
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command, UnknownWordError

_BEAVERS = 3
"""How many beavers an XGID that allows them allows, as in gnubg."""
_LONGEST_ID = 1000
_LABELS = ("gnubgid", "gnubg", "position", "match", "id")


def _playing(session: Session, what: str) -> Position:
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


def _change(session: Session, position: Position, **changes: Any) -> None:
    match = replace(position.match, **changes)
    session.set_position(position.board, match)


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
        board, told = _read(text)
        if match is None or (":" in text and " " not in text):
            match = told
    if match is None:
        raise ValueError("There must be a game in progress to set the board.")
    _put(session, board, match, said=":" in text and " " not in text)


def _read(text: str) -> tuple[Board, MatchState]:
    if len(text) > 1000:
        raise ValueError("Illegal position: it is too long.")
    try:
        return parse_position(text)
    except ValueError as error:
        raise ValueError(f"Illegal position: {error}.") from None


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
    position = _playing(session, "the dice")
    text = " ".join(given[:2] if len(given[0]) == 1 else given[:1]) if given else ""
    try:
        a, b = parse_dice(text)
    except ValueError:
        raise ValueError("You must specify two numbers from 1 to 6 for the dice.") from None
    if position.match.doubled or position.match.resigned:  # what is offered is taken back
        clear = {"turn": position.match.move, "doubled": False, "resigned": Resignation.NONE}
        _change(session, position, **clear)
        position = session.position()
    session.set_dice((a, b))
    first, second = (int(c) for c in text if c.isdigit())
    session.say(f"The dice have been set to {first} and {second}.")


def set_turn(session: Session, given: list[str]) -> None:
    """``set turn PLAYER``: before the roll, each player keeping the checkers."""
    position = _playing(session, "a player on roll")
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
    position = _playing(session, "a player on roll")
    move = position.match.move
    _change(session, position, turn=move, dice=NO_DICE, doubled=False, resigned=Resignation.NONE)


def set_score(session: Session, given: list[str]) -> None:
    """``set score A B [LENGTH]``: the points of player 0 and player 1, and the match length."""
    record = session.record
    between = record is not None and session.at_end() and session.has_game
    if session.is_playing or record is None or not between:
        match = _playing(session, "the score").match
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
            _change(session, session.position(), **_without_cube(match))
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
    position = _playing(session, "the cube")
    allowed = [str(1 << k) for k in range(13)]
    if len(given) != 1 or given[0] not in allowed:
        raise ValueError(
            "You must specify a legal cube value (see `help set cube value')."
            f" (A power of two from 1 to {LARGEST_CUBE}.)"
        )
    _no_offer(position)
    value = int(given[0])
    _change(session, position, cube_value=value)
    session.say(f"The cube has been set to {value}.")


def _no_offer(position: Position) -> None:
    if position.match.doubled:
        raise ValueError("The cube cannot be set while it is on offer.")
    if position.match.crawford:
        raise ValueError("The cube is disabled during the Crawford game.")


def set_cube_owner(session: Session, given: list[str]) -> None:
    """``set cube owner PLAYER``; of both, it is in the middle."""
    position = _playing(session, "the cube")
    if given and given[0].lower() == "both":
        set_cube_centre(session)
        return
    owner = words.player(
        session,
        given,
        "",
        "You must specify which player owns the cube (see `help set cube owner').",
    )
    _no_offer(position)
    _change(session, position, cube_owner=owner)
    session.say(f"{session.names[owner]} now owns the cube.")


def set_cube_centre(session: Session) -> None:
    """``set cube centre``."""
    position = _playing(session, "the cube")
    _no_offer(position)
    _change(session, position, cube_owner=CENTRED)
    session.say("The cube has been centred.")


def set_cube_use(session: Session, given: list[str]) -> None:
    """``set cube use on|off``."""
    use = words.on_off(given, "cube use")
    if session.is_playing and session.shown().match.doubled:
        position = session.position()
        _change(session, position, doubled=False, turn=position.match.move)
    session.set_rules(cube=use)
    session.say(f"Use of the doubling cube is {'permitted' if use else 'disabled'}.")
    in_match = session.record is not None and session.record.length > 0
    if not use and session.rules.jacoby and not in_match:
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
    if session.record is None or session.record.length == 0:
        raise ValueError(f"Cannot set {short} for money sessions.")
    position = _playing(session, short)
    match = position.match
    if max(match.score) != match.match_length - 1:
        raise ValueError(
            f"Cannot set whether this is {kind} as none of the players are 1-away from winning."
        )
    if crawford:  # without a cube: one that was turned or offered before goes back
        _change(session, position, **_without_cube(match), crawford=True)
    else:
        _change(session, position, crawford=False)
    if kind == "the Crawford game":
        sentences = ("not the Crawford game.", "the Crawford game (no doubling allowed).")
        session.say(f"This game is {sentences[crawford]}")
    else:
        sentences = ("post-Crawford play (doubling allowed).", "not post-Crawford play.")
        session.say(f"This is {sentences[crawford]}")


_SWITCH = ("on", "off")
COMMANDS = (
    Command("clear turn", "The dice and what is offered", clear_turn),
    Command("set board", "Set up a position", set_board,
            "<position ID> | <XGID> | simple <26 numbers> | =<n>",
            details="The simple form is the bar of the side on roll, its points 1 to 24 (the "
                    "other side's checkers below 0), and the other bar. =2 is the position "
                    "after the second play of the last hint."),
    Command("set crawford", "Set whether this is the Crawford game", set_crawford, "on|off",
            values=_SWITCH),
    Command("set cube center", "The same as centre", set_cube_centre),
    Command("set cube centre", "Put it between the players", set_cube_centre),
    Command("set cube owner", "Who owns it", set_cube_owner, "<player>", values=("0", "1")),
    Command("set cube use", "Whether it is used at all", set_cube_use, "on|off", values=_SWITCH),
    Command("set cube value", "Its value", set_cube_value, "<power of two>"),
    Command("set dice", "Set the roll", set_dice, "<die> <die>"),
    Command("set gnubgid", "Set up a position and match by GNUbg ID", set_gnubgid, "<ID>"),
    Command("set matchid", "Set score, cube, turn and dice by Match ID", set_matchid, "<ID>"),
    Command("set postcrawford", "Set whether this is after the Crawford game", set_postcrawford,
            "on|off", values=_SWITCH),
    Command("set score", "Set the score", set_score, "<player 0's> <player 1's> [length]"),
    Command("set turn", "Set who is on roll", set_turn, "<player>", values=("0", "1")),
    Command("set xgid", "Set up a position and match by XGID", set_xgid, "<XGID>"),
)  # fmt: skip
