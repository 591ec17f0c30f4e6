"""What happens without the user: the computer's turns, automatic rolls and plays, new games."""

from __future__ import annotations

from gnubg_py.board import BAR, CHECKERS, HOME_POINTS
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
    Setup,
    Take,
)
from gnubg_py.game.position import Position, is_playing, match_is_over
from gnubg_py.game.record import (
    GameRecord,
    MatchRecord,
    first_actions,
    new_state,
    next_state,
    result,
    sets_turn,
    swapped,
)
from gnubg_py.match import CENTRED, NO_DICE, MatchState, is_post_crawford
from gnubg_py.messages import counted
from gnubg_py.notation import CANNOT_MOVE, play_text
from gnubg_py.plays import plays
from gnubg_py.shell.computer import computer_action, may_double, roll_action
from gnubg_py.shell.dice_commands import working_dice
from gnubg_py.shell.session import Session

RESULTS = {1: "single game", 2: "gammon", 3: "backgammon"}


def score_sentence(session: Session) -> str:
    """The score in gnubg's words."""
    record = session.record
    games = session.game_index + (session.has_game and not session.is_playing)
    match = session.shown().match if session.has_game else MatchState()
    if record is not None and record.following is not None and session.at_end():
        match = record.following
    if session.length:
        kind = f"match to {counted(session.length, 'point')}{_crawford(session)}"
    else:
        jacoby = match.jacoby if session.has_game else session.rules.jacoby
        kind = f"money session, {'with' if jacoby else 'without'} Jacoby rule"
    a, b = session.names
    return (
        f"The score (after {counted(games, 'game')}) is: "
        f"{a} {match.score[0]}, {b} {match.score[1]} ({kind})" + ("" if session.length else ".")
    )


def _crawford(session: Session) -> str:
    """Which kind of game is shown; where a game that was played here is over, the next one."""
    if not session.has_game:
        return ""
    match = session.shown().match
    if not session.is_playing and session.imported:  # gnubg's sentence is about the game as read
        match = session.game().start.match
    elif match_is_over(match) and session.match().following is None:
        match = session.game().start.match
        if match.crawford:
            return ""
    elif not session.is_playing:
        record = session.match()
        at_end = session.at_end()
        match = new_state(record) if at_end else next_state(session.game(), record.rules)
    if match.crawford:
        return ", Crawford game"
    post_crawford = is_post_crawford(match) or match.match_length == 1
    return ", post-Crawford play" if post_crawford else ""


def swap_seats(session: Session) -> None:
    """Each player takes the other's side; as in gnubg a seat stays the computer's or a person's."""
    one, two = session.players
    one.name, two.name = two.name, one.name
    session.analysed = {}
    if session.record is None:
        return
    session.record = swapped(session.record)


def forget_turn(session: Session) -> None:
    """Take back what `set turn' did last: gnubg goes back to its record after a swap."""
    if not session.is_playing:
        return
    game, place = session.game(), session.cursor
    while place and sets_turn(game, place - 1):
        place -= 1
    if place < session.cursor:
        session.replace_game(first_actions(game, place))
        session.go_to(session.game_index, place)


def may_abandon(session: Session, what: str) -> bool:
    """Ask a person before a game in play is dropped; ``what`` is the verb of the question."""
    if not (session.is_playing and session.confirms.new):
        return True
    return session.confirm(f"Are you sure you want to {what} the game in progress?")


def may_leave(session: Session) -> bool:
    """Whether a person wants to leave a game in progress."""
    if not (session.is_playing and session.confirms.new):
        return True
    try:
        return session.confirm("Are you sure you want to discard the current match?")
    except EOFError:
        return True


def open_game(
    session: Session,
    record: MatchRecord | None = None,
    opening: tuple[int, int] | None = None,
) -> None:
    """Roll for the first move, or take ``opening``, and begin a game, of ``record`` if given."""
    record = record if record is not None else session.record
    if record is not None:
        new_state(record)  # complains where the match is over
    doubles = 0
    limit = session.rules.automatic_doubles if record is None or record.length == 0 else 0
    while True:
        opening = opening or working_dice(session).roll(session.ask)
        if session.display:
            session.say(
                f"{session.names[0]} rolls {opening[0]}, {session.names[1]} rolls {opening[1]}."
            )
        if opening[0] != opening[1]:
            break
        opening = None
        if doubles < limit:
            doubles += 1
            session.say(f"The cube is now at {1 << doubles}.")
    session.record = record
    session.begin_game(opening, doubles)


def _unplayed_opening(game: GameRecord) -> tuple[int, int] | None:
    """The first roll of a game that was given up before its first play, player 0's die first.

    gnubg begins the next game with it, if that follows by itself.
    """
    match = game.start.match
    if match.dice == NO_DICE or any(isinstance(action, Move | Setup) for action in game.actions):
        return None
    return match.dice if match.move == 0 else match.dice[::-1]


def act(session: Session, action: Action, *, quiet: bool = False) -> None:
    """Carry out an action and say what it was; at the end of a game, what was won.

    As in gnubg, ``set display off`` leaves the result only.
    """
    before = session.position()
    after = session.do(action)
    said = _words(session, before, after, action, quiet)
    if said and session.display:
        session.say(said)
    if not is_playing(after):
        say_result(session)


def _words(
    session: Session, before: Position, after: Position, action: Action, quiet: bool
) -> str | None:
    name = session.names[action.player]
    offered = RESULTS.get(int(before.match.resigned), "")
    match action:
        case Move() if quiet:
            return None
        case Move(play=play):
            return f"{name} cannot move." if play == CANNOT_MOVE else f"{name} moves {play}."
        case Double():
            return f"{name} doubles."
        case Redouble():
            value = 2 * after.match.cube_value
            return f"{name} accepts and immediately redoubles to {value}."
        case Take():
            return f"{name} accepts the cube at {after.match.cube_value}."
        case Drop():
            value = before.match.cube_value
            return f"{name} refuses the cube and gives up {counted(value, 'point')}."
        case Resign(offer=offer):
            return f"{name} offers to resign a {RESULTS[int(offer)]}."
        case Accept():
            return f"{name} accepts and wins a {offered}."
        case Reject():
            return f"{name} declines the {offered}."
    return None


def say_result(session: Session) -> None:
    """Who won the game that has just ended, the score, and who won the match."""
    game = session.game()
    ending = result(game)
    if ending is None:
        return
    winner, points, level = ending
    name = session.names[winner]
    match = game.end.match
    if match.jacoby and not match.match_length and match.cube_owner == CENTRED:
        level = 1  # gnubg's word under the Jacoby rule, whatever was conceded
    session.say(f"{name} wins a {RESULTS[level]} and {counted(points, 'point')}.")
    session.say(score_sentence(session))
    if match_is_over(game.end.match):
        session.say(f"{name} has won the match.")


def after_action(session: Session) -> None:
    """All that follows from what the user did, until there is something for the user to decide.

    Between two computers a match goes on to its end, a money session to the end of the game.
    """
    if not session.at_end():
        session.show_board()
        return
    while True:
        if not is_playing(session.shown()):
            computers = not any(player.human for player in session.players)
            money = session.match().length == 0
            over = match_is_over(session.shown().match)
            if over:
                session.show_board()
            if over or not session.automatic.game or (computers and money):
                return
            open_game(session, opening=_unplayed_opening(session.game()))
        elif not _next_action(session):
            session.show_board()
            return


def _next_action(session: Session) -> bool:
    """Take one action for the computer or an automatic one; whether there was one."""
    position = session.position()
    player = session.players[position.match.turn]
    if not player.human:
        act(session, computer_action(session, position))
        if session.display and is_playing(session.shown()) and not _human_is_next(session):
            session.show_board()
        return True
    automatic = _automatic_action(session, position)
    if automatic is None:
        return False
    if isinstance(automatic, Roll) and session.display:
        session.show_board()
    act(session, automatic)
    return True


def _human_is_next(session: Session) -> bool:
    """Whether the next to act is a person, who will be shown the board in any case."""
    return session.players[session.position().match.turn].human


def _automatic_action(session: Session, position: Position) -> Action | None:
    match, wanted = position.match, session.automatic
    if match.doubled or match.resigned:
        return None
    if match.dice == NO_DICE:
        return (
            roll_action(session)
            if wanted.roll and not may_double(position, session.match().rules)
            else None
        )
    if not (wanted.move or wanted.bearoff):
        results = plays(position.board, match.dice)
        stuck = len(results) == 1 and play_text(position.board, match.dice, results[0])
        return Move(match.move, CANNOT_MOVE) if stuck == CANNOT_MOVE else None
    results = plays(position.board, match.dice)
    text = play_text(position.board, match.dice, results[0])
    if len(results) == 1 and (wanted.move or text == CANNOT_MOVE):
        return Move(match.move, text)
    if wanted.bearoff:
        return _bearoff_action(position)
    return None


def _bearoff_action(position: Position) -> Move | None:
    """The play that takes the most checkers off, where both sides have only that left to do."""
    board, match = position.board, position.match
    if board[:, HOME_POINTS:].any() or board[0, BAR]:
        return None
    results = plays(board, match.dice)
    off = CHECKERS - results[:, 1].sum(axis=1)
    left = int(board[0].sum())
    most_possible = min(left, 4 if match.dice[0] == match.dice[1] else 2)
    most = off.max()
    best = [i for i in range(len(results)) if off[i] == most]
    if most - (CHECKERS - left) < most_possible or len(best) != 1:
        return None
    return Move(match.move, play_text(board, match.dice, results[best[0]]))
