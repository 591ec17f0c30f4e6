"""``show``: the position, the match and the settings."""

from __future__ import annotations

from gnubg_py.board import Board, pip_count
from gnubg_py.cube.met import MatchEquityTable
from gnubg_py.drawing.text import draw
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.match import CENTRED, LONGEST_MATCH, MONEY, NO_DICE, MatchState, is_post_crawford
from gnubg_py.messages import counted
from gnubg_py.notation.playable import read_position
from gnubg_py.search.cache import shared_cache
from gnubg_py.shell import turns, words
from gnubg_py.shell.engine import met_of, router_of
from gnubg_py.shell.said import analysis_text
from gnubg_py.shell.session import Session
from gnubg_py.shell.setting_values import VARIATION_TITLES
from gnubg_py.shell.tree import Command
from gnubg_py.threads import thread_count
from gnubg_py.version import VERSION


def asked_position(session: Session, given: list[str]) -> tuple[Board, MatchState | None]:
    """The position some words tell of, or the one shown; its match state where it is known."""
    if not given:
        position = session.shown()
        return position.board, position.match
    return words.position(" ".join(given), read_position)


def show_board(session: Session, given: list[str]) -> None:
    """``show board [POSITION]``."""
    if not given:
        session.show_board()
        if session.has_game and (text := analysis_text(session)):
            session.say(text)
        return
    board, match = asked_position(session, given)
    session.say(draw(board, match or MONEY, session.names, clockwise=session.clockwise) + "\n")


def show_pipcount(session: Session, given: list[str]) -> None:
    """``show pipcount [POSITION]``."""
    board, match = asked_position(session, given)
    mine, theirs = pip_count(board).tolist()
    move = 1 if match is None else match.move
    a, b = session.names[move], session.names[1 - move]
    session.say(f"The pip counts are: {a} {mine}, {b} {theirs}.")


def show_cube(session: Session) -> None:
    if not session.is_playing:
        raise ValueError("There is no game in progress.")
    match = session.shown().match
    if not session.rules.cube:
        session.say("The doubling cube is disabled.")
    elif match.crawford:
        session.say("The cube is disabled during the Crawford game.")
    elif match.cube_owner == CENTRED:
        session.say(f"The cube is at {match.cube_value}, and is centred.")
    else:
        owner = session.names[match.cube_owner]
        session.say(f"The cube is at {match.cube_value}, and is owned by {owner}.")


def show_score(session: Session) -> None:
    session.say(turns.score_sentence(session))


def show_dice(session: Session) -> None:
    if not session.is_playing:
        raise ValueError("The dice will not be rolled until a game is started.")
    match = session.shown().match
    name = session.names[match.move]
    if match.dice == NO_DICE:
        session.say(f"{name} has not yet rolled the dice.")
    else:
        session.say(f"{name} has rolled {match.dice[0]} and {match.dice[1]}.")


def show_turn(session: Session) -> None:
    if not session.is_playing:
        raise ValueError("No game is being played.")
    match = session.shown().match
    if match.resigned:
        kind = turns.RESULTS[int(match.resigned)]
        session.say(f"{session.names[match.move]} in on roll.")
        session.say(f"{session.names[1 - match.turn]} has offered to resign a {kind}.")
        return
    what = "on roll" if match.dice == NO_DICE else "on move"
    session.say(f"{session.names[match.move]} in {what}.")  # as gnubg spells it


def show_crawford(session: Session) -> None:
    if not session.length or not session.has_game:
        session.say("Crawford rule is not used in money sessions.")
    elif session.shown_match().crawford:
        session.say("This game is the Crawford game.")
    else:
        session.say("This game is not the Crawford game")


def show_postcrawford(session: Session) -> None:
    if not session.length or not session.has_game:
        session.say("Crawford rule is not used in money sessions.")
    elif session.length == 1 or is_post_crawford(session.shown_match()):
        session.say("This is post-Crawford play.")
    else:
        session.say("This is not post-Crawford play.")


def show_jacoby(session: Session) -> None:
    if not session.length:
        jacoby = session.shown().match.jacoby if session.is_playing else session.rules.jacoby
        how = "with" if jacoby else "without"
        session.say(f"This money session is played {how} the Jacoby rule.")
    how = "with" if session.rules.jacoby else "without"
    session.say(f"New money sessions are played {how} the Jacoby rule.")


def show_cache(session: Session) -> None:
    statistics = shared_cache().static.statistics()
    share = statistics.hits / statistics.lookups if statistics.lookups else 0.0
    session.say(
        f"{statistics.used:,} of {statistics.size:,} entries of the cache are in use; "
        f"{statistics.lookups:,} look-ups, {share:.1%} found."
    )


def show_variation(session: Session) -> None:
    if session.record is not None:
        session.say(f"You are playing: {VARIATION_TITLES[session.record.rules.variation]}")
    session.say(f"Default variation is: {VARIATION_TITLES[session.rules.variation]}")


def show_met(session: Session, given: list[str]) -> None:
    """``show met [N]``: the match equity table to N points, the match's length, or 64."""
    n = session.length or LONGEST_MATCH
    if given:
        n = words.whole(given, 2, LONGEST_MATCH, "how many points of the table to show")
    table = met_of(session)
    session.say(f"Match equity table: {_met_title(table)}\n")
    session.say("Pre-Crawford table:\n")
    _say_table(session, [[table.mwc(i, j) for j in range(1, n + 1)] for i in range(1, n + 1)])
    behind = [table.mwc(j, 1, post_crawford=True) for j in range(1, n + 1)]
    for player, name in enumerate(session.names):
        session.say(f"Post-Crawford table for player {player} ({name}):\n")
        _say_table(session, [behind])


def _met_title(table: MatchEquityTable) -> str:
    """A table's name; that of the shipped one is gnubg's."""
    name = "Kazaross XG2" if table.name == "Kazaross-XG2" else table.name
    return f"{name} {table.length} point MET"


def _say_table(session: Session, rows: list[list[float]]) -> None:
    """Print chances in percent, a line for each side so far away, in gnubg's columns."""
    session.say(" " * 9 + "".join(f"{j:>5}-away" for j in range(1, len(rows[0]) + 1)) + " ")
    for i, row in enumerate(rows, 1):
        session.say(f"{i:>4}-away" + "".join(f"{100 * chance:>10.4f}" for chance in row) + " ")
    session.say()


def show_history(session: Session, given: list[str]) -> None:
    """``show history [N]``: the last commands."""
    n = words.whole(given, 1, 10_000, "how many commands to show") if given else 30
    first = max(0, len(session.history) - n)
    for number, line in enumerate(session.history[first:], start=first + 1):
        session.say(f"{number:>5}  {line}")


def show_scoresheet(session: Session) -> None:
    """``show scoresheet``: the score after each game."""
    length = session.length
    kind = f"Match to {counted(length, 'point')}" if length else "Money Session"
    a, b = session.names
    session.say(f"Score Sheet - {kind}\n\n{a} | {b}\n{'-' * (len(a) + len(b) + 3)}")
    for game in session.record.games if session.record is not None else ():
        if game.is_over:
            score = game.end.match.score
            session.say(f"{score[0]:>{len(a)}} | {score[1]}")


def show_version(session: Session) -> None:
    session.say(banner())


def banner() -> str:
    """What the program is, in one line, for people and for the clients of gnubg."""
    return f"gnubg_py {VERSION}, compatible with GNU Backgammon 1.07, MIT licence."


def show_engine(session: Session) -> None:
    """``show engine``: which evaluator values which positions."""
    router = router_of(session)
    for position_class in PositionClass:
        evaluator = router.table.get(position_class)
        if evaluator is not None:
            identity = evaluator.identity
            extra = f" ({identity})" if isinstance(identity, str) else ""
            session.say(f" * {position_class.name.lower():<10} {evaluator.name}{extra}")
    session.say(f" * match equity table: {met_of(session).name}")


_POSITION = "[position]"
COMMANDS = (
    Command("history", "The last commands", show_history, "[number]"),
    Command("show board", "The board", show_board, _POSITION),
    Command("show cache", "How full the cache is", show_cache, ours=True),
    Command("show crawford", "Whether this is the Crawford game", show_crawford),
    Command("show cube", "The cube", show_cube),
    Command("show dice", "The roll", show_dice),
    Command("show engine", "What values which positions", show_engine),
    Command("show history", "The last commands", show_history, "[number]", ours=True),
    Command("show jacoby", "The Jacoby rule", show_jacoby),
    Command("show matchequitytable", "The match equity table", show_met, "[points]"),
    Command("show met", "The match equity table", show_met, "[points]"),
    Command("show pipcount", "The pip counts", show_pipcount, _POSITION),
    Command("show postcrawford", "Whether this is after the Crawford game", show_postcrawford),
    Command("show score", "The score", show_score),
    Command("show scoresheet", "The score after each game", show_scoresheet),
    Command("show threads", "How many threads calculate",
            lambda s: s.say(f"{counted(thread_count(), 'calculation thread')}.")),
    Command("show turn", "Who is on roll", show_turn),
    Command("show variation", "Which game is played", show_variation),
    Command("show version", "The version", show_version),
)  # fmt: skip
