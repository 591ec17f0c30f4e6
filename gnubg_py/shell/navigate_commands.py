"""Going back and forth in a game and a match, and listing them."""

from __future__ import annotations

from gnubg_py.game.position import match_is_over
from gnubg_py.game.record import played_at, result
from gnubg_py.match import NO_DICE
from gnubg_py.matchfiles.mat import entries
from gnubg_py.shell import turns, words
from gnubg_py.shell.analyse_commands import is_marked
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command, Run


def _step(kind: str) -> Run:
    """``next`` or ``previous``: so many plays, rolls, or games."""
    ahead = kind == "next"

    def step(session: Session, given: list[str]) -> None:
        record = session.match()
        unit, count = "move", 1
        if given and not given[0].lstrip("+-").isdigit():
            units = [
                u for u in ("game", "roll", "rolled", "marked") if u.startswith(given[0].lower())
            ]
            if not units:
                raise ValueError(
                    f"Unknown keyword `{given[0][:40]}': expected game, roll or a count."
                )
            unit, given = units[0], given[1:]
        if given:
            count = words.whole(given, 1, 100_000, f"a count for `{kind}'")
        if unit == "game":
            game = session.game_index + (count if ahead else -count)
            session.go_to(max(0, min(game, len(record.games) - 1)), 0)
        elif unit == "marked":
            _to_marked(session, ahead)
        else:
            for _ in range(count):
                if not _one_step(session, ahead, rolls=unit != "move"):
                    break
        session.show_board()

    return step


def _one_step(session: Session, ahead: bool, *, rolls: bool) -> bool:
    """Go over one action, or over a roll with its play; False at the end of the game."""
    positions = session.game().positions
    place = session.cursor
    while True:
        place += 1 if ahead else -1
        if not 0 <= place < len(positions):
            return False
        match = positions[place].match
        rolled = match.dice != NO_DICE and not match.resigned
        if rolled == rolls or place in (0, len(positions) - 1):
            session.go_to(session.game_index, place)
            return True


def _to_marked(session: Session, ahead: bool) -> None:
    actions = session.game().actions
    places = range(session.cursor + 1, len(actions)) if ahead else range(session.cursor - 1, -1, -1)
    for place in places:
        if is_marked(session, (session.game_index, place)):
            session.go_to(session.game_index, place)
            return
    raise ValueError("No play of this game is marked further on: `analyse game' marks errors.")


def first_game(session: Session) -> None:
    """``first game``."""
    session.match()
    session.go_to(0, 0)
    session.show_board()


def first_move(session: Session) -> None:
    """``first move``."""
    session.match()
    session.go_to(session.game_index, 0)
    session.show_board()


def list_game(session: Session) -> None:
    """``list game``: the game's plays, player 0's on the left."""
    game = session.game()
    rows: list[list[str]] = []
    for player, text in entries(game, lambda before, after, play: play):
        if not rows or player == 0 or rows[-1][1]:
            rows.append(["", ""])
        rows[-1][player] = text.strip()
    session.say(f"{'':5}{session.names[0][:30]:<36} {session.names[1][:30]}")
    for number, (left, right) in enumerate(rows, start=1):
        session.say(f"{number:>3}) {left:<36} {right}".rstrip())
    ending = result(game)
    if ending is not None:
        winner, points, level = ending
        plural = "s" * (points != 1)
        session.say(
            f"{session.names[winner]} wins a {turns.RESULTS[level]} and {points} point{plural}."
        )


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


_STEPS = "[game | roll | marked] [count]"
_UNITS = ("game", "roll", "marked")
COMMANDS = (
    Command("first game", "The first game of the match", first_game),
    Command("first move", "The first move of the game", first_move),
    Command("list game", "The plays of the game", list_game),
    Command("list match", "The games of the match", list_match),
    Command("list session", "The games of the session", list_match),
    Command("next", "Step ahead in the game", _step("next"), _STEPS, values=_UNITS),
    Command("previous", "Step back in the game", _step("previous"), _STEPS, values=_UNITS),
)
