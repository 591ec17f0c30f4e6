"""Going back and forth in a game and a match, and listing them."""

from __future__ import annotations

from collections.abc import Iterator

from gnubg_py.game.actions import Accept, Double, Drop, Move, Redouble, Resign, Roll, Take
from gnubg_py.game.position import match_is_over
from gnubg_py.game.record import GameRecord, played_at, result, takes_dice_back
from gnubg_py.match import NO_DICE
from gnubg_py.matchfiles.contents import Place
from gnubg_py.notation import CANNOT_MOVE
from gnubg_py.shell import words
from gnubg_py.shell.analyse_commands import is_marked, luck_at, skill_at
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command, Run


def _step(kind: str) -> Run:
    """``next`` or ``previous``: so many plays, rolls, or games."""
    ahead = kind == "next"

    def step(session: Session, given: list[str]) -> None:
        record = session.match()
        unit, count = "move", 1
        if given and not given[0].lstrip("+-").isdigit():
            units = [unit for unit in _UNITS if unit.startswith(given[0].lower())]
            if not units:
                raise ValueError(_not_a_count(kind))
            unit, given = units[0], given[1:]
        if given:
            count = words.whole(given, 1, 100_000, "", _not_a_count(kind))
        if unit == "game":
            game = session.game_index + (count if ahead else -count)
            game = max(0, min(game, len(record.games) - 1))
            if game == session.game_index:
                return  # gnubg stays where it is, too
            session.go_to(game, 0)
        elif unit in ("marked", "cmarked"):
            _to_marked(session, ahead, for_rollout=unit == "cmarked")
        else:
            step_over = _half_step if unit == "roll" else _one_step
            for _ in range(count):
                if not step_over(session, ahead):
                    break
            if unit == "rolled":
                _show_dice(session)
        _show(session)

    return step


def _show(session: Session) -> None:
    """Draw the position for a person; gnubg leaves that to `show board'."""
    if session.interactive:
        session.show_board()


def _not_a_count(kind: str) -> str:
    way = "ahead" if kind == "next" else "back"
    return (
        f"If you specify a parameter to the `{kind}' command, it must be a positive number "
        f"(the count of moves to step {way})."
    )


def _half_step(session: Session, ahead: bool) -> bool:
    """Go over a roll, a play or a cube action alone; False at the end of the game."""
    positions, place = session.game().positions, session.cursor
    while True:
        place += 1 if ahead else -1
        if not 0 <= place < len(positions):
            return False
        if not positions[place].match.resigned:  # a resignation is one step with its answer
            session.go_to(session.game_index, place)
            return True


def _show_dice(session: Session) -> None:
    """Show the dice of the play that follows, if one does."""
    actions, place = session.game().actions, session.cursor
    if place < len(actions) and isinstance(actions[place], Roll):
        session.go_to(session.game_index, place + 1)


def _one_step(session: Session, ahead: bool) -> bool:
    """Go over one action, or over a roll with its play; False at the end of the game."""
    game, place = session.game(), session.cursor
    positions = game.positions
    if not ahead and place and positions[place].match.dice != NO_DICE:
        place -= not _is_unplayed(game, place)  # as in gnubg, where a roll and its play are one
    while True:
        place += 1 if ahead else -1
        if not 0 <= place < len(positions):
            return False
        if place in (0, len(positions) - 1) or _stops_at(game, place):
            session.go_to(session.game_index, place)
            return True


def _stops_at(game: GameRecord, place: int) -> bool:
    """Whether a step ends there: before a roll.

    A roll without a play is a step of its own, and a resignation is one with its answer.
    """
    match = game.positions[place].match
    if match.resigned:
        return False
    return match.dice == NO_DICE or _is_unplayed(game, place)


def _is_unplayed(game: GameRecord, place: int) -> bool:
    """Whether no play follows there: a player resigned, or the record ends."""
    return place >= len(game.actions) or isinstance(game.actions[place], Resign)


def _to_marked(session: Session, ahead: bool, *, for_rollout: bool) -> None:
    actions = session.game().actions
    places = range(session.cursor + 1, len(actions)) if ahead else range(session.cursor - 1, -1, -1)
    for place in places:
        at = (session.game_index, place)
        if session.marked.get(at) if for_rollout else is_marked(session, at):
            session.go_to(session.game_index, place)
            return
    if session.interactive:  # gnubg says nothing, and programs do not expect a word
        session.say("No play of this game is marked further on: `analyse game' marks errors.")


def first_game(session: Session) -> None:
    session.match()
    session.go_to(0, 0)
    _show(session)


def first_move(session: Session) -> None:
    session.match()
    session.go_to(session.game_index, 0)
    _show(session)


def list_game(session: Session) -> None:
    """``list game``: the game's plays in gnubg's columns; a line ends behind player 1's."""
    text = ""
    for player, entry in _listed(session):
        alone = player == 1 and text.endswith("\n")
        text += " " * _COLUMN * alone + entry + "\n" * player
    session.say(text if text.endswith("\n") else f"{text}\n")


def _listed(session: Session) -> Iterator[tuple[int, str]]:
    """Who did what in a game, as wide as gnubg prints it, with the marks of errors and luck."""
    game, number = session.game(), session.game_index
    actions = game.actions
    rolled = (number, -1)
    for place, action in enumerate((None, *actions)):
        before, after = game.positions[max(0, place - 1)].match, game.positions[place].match
        at = (number, place - 1)
        rolled = at if isinstance(action, Roll) else rolled
        a, b = (before if isinstance(action, Move) else after).dice
        dice = f"{a}{b}{_LUCK_SIGNS[luck_at(session, rolled)]:<5}: "
        skill = _SKILL_SIGNS[skill_at(session, at)]
        match action:
            case Move(play=play):
                play = "" if play == CANNOT_MOVE else play
                yield action.player, f"{dice}{play:<19}{skill:<8}{_cube_sign(session, at):<8}"
            case Double() | Redouble():
                yield action.player, f"Doubles to {2 * after.cube_value:>4}".ljust(45)
            case Take():
                yield action.player, f"Takes {skill}".ljust(44)
            case Drop():
                yield action.player, f"Drops {skill}".rstrip()
            case Accept():
                yield 1 - action.player, "Resigns"
            case Roll() | None if _is_listed(game, place):
                yield after.move, f"{dice}{'Rolled':<33}"


def _is_listed(game: GameRecord, place: int) -> bool:
    """Whether the dice of a place are told by themselves: neither played nor taken back."""
    match = game.positions[place].match
    if match.dice == NO_DICE or place == len(game.actions):
        return match.dice != NO_DICE
    return not (isinstance(game.actions[place], Move) or takes_dice_back(game, place))


def _cube_sign(session: Session, at: Place) -> str:
    """The mark of the cube decision before a play: of not doubling before the roll."""
    game, place = at
    if place < 1 or not isinstance(session.game().actions[place - 1], Roll):
        return ""
    return _SKILL_SIGNS[skill_at(session, (game, place - 1))]


def list_match(session: Session) -> None:
    """``list match``: the games played and their results."""
    record = session.match()
    for number, game in enumerate(record.games, start=1):
        played = played_at(game)
        a, b = played.score
        ending = result(game)
        outcome = "in progress"
        if ending is not None:
            outcome = f"{session.names[ending[0]]} wins {ending[1]}"
        crawford = ", Crawford game" if played.crawford else ""
        here = "*" if number - 1 == session.game_index else " "
        session.say(f"{here}{number:>3}. {a}-{b}{crawford}: {outcome}")
    if match_is_over(record.games[-1].end.match):
        session.say("The match is over.")


_COLUMN = 42
_SKILL_SIGNS = {"": "", "doubtful": "?!", "bad": "?", "very bad": "??"}
_LUCK_SIGNS = {"": "", "very unlucky": "--", "unlucky": "-", "lucky": "+", "very lucky": "++"}
_UNITS = ("game", "roll", "rolled", "marked", "cmarked")
_STEPS = "[game | roll | marked | cmarked] [count]"
COMMANDS = (
    Command("first game", "The first game of the match", first_game),
    Command("first move", "The first move of the game", first_move),
    Command("list game", "The plays of the game", list_game),
    Command("list match", "The games of the match", list_match),
    Command("list session", "The games of the session", list_match),
    Command("next", "Step ahead in the game", _step("next"), _STEPS, values=_UNITS),
    Command("previous", "Step back in the game", _step("previous"), _STEPS, values=_UNITS),
)
