"""Playing: new games, rolling, moving, the cube, resigning."""

from __future__ import annotations

from dataclasses import replace

from gnubg_py.board import Board
from gnubg_py.errors import IllegalActionError, Refusal
from gnubg_py.game.actions import Accept, Action, Double, Drop, Move, Redouble, Reject, Resign, Take
from gnubg_py.game.position import Position, is_playing, move_of
from gnubg_py.game.record import new_state, result
from gnubg_py.match import LONGEST_MATCH, NO_DICE, MatchState, Resignation
from gnubg_py.messages import counted
from gnubg_py.notation import CANNOT_MOVE, play_text
from gnubg_py.plays import plays
from gnubg_py.shell import computer, turns, tutor, words
from gnubg_py.shell.options import default_names
from gnubg_py.shell.said import analysis_text
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command, Run, UnknownWordError

_TOO_LONG = f"GNU Backgammon is compiled with support only for matches of length {LONGEST_MATCH}"
_RESIGNATIONS = {
    "normal": 1, "single": 1, "1": 1, "gammon": 2, "2": 2, "backgammon": 3, "3": 3,
}  # fmt: skip


def new_match(session: Session, given: list[str]) -> None:
    """``new match [N]``; a match to 0 points is a money session."""
    length = session.match_length
    if given:
        length = words.whole(given, 0, LONGEST_MATCH, "", f"{_TOO_LONG} and below (0: for money)")
    if length == 0:
        new_session(session)
        return
    if not turns.may_abandon(session, "start, and discard"):
        return
    names = session.known_as.default or default_names()
    for player, name in zip(session.players, names, strict=True):
        player.name = name
    session.start(length)
    session.say(f"A new {counted(length, 'point')} match has been started.")
    turns.open_game(session)
    turns.after_action(session)


def new_session(session: Session) -> None:
    if not turns.may_abandon(session, "start, and discard"):
        return
    session.start(0)
    session.say("A new session has been started.")
    turns.open_game(session)
    turns.after_action(session)


def new_game(session: Session) -> None:
    """``new game``: the next game of the match, or the present one again."""
    record = session.record
    if record is not None and record.games:
        shown = session.shown().match
        over = not is_playing(session.shown())
        if not (over and session.at_end()) and not turns.may_abandon(session, "start, and discard"):
            return
        # What was played of this game is dropped; it begins again with the score that it has now.
        record = replace(record, games=record.games[: session.game_index + over])
        if not over and new_state(record).score != shown.score:
            following = MatchState(match_length=record.length, score=shown.score)
            record = replace(record, following=following)
    turns.open_game(session, record)
    turns.after_action(session)


def _act(session: Session, action: Action, *, quiet: bool = False) -> None:
    if tutor.allows(session, action):
        turns.act(session, action, quiet=quiet)
        turns.after_action(session)


def roll(session: Session) -> None:
    position = session.position()
    if position.match.resigned:
        raise ValueError("Please resolve the resignation first.")
    if position.match.doubled:
        raise ValueError(_wait(session, "cube"))
    if position.match.dice != NO_DICE:
        raise ValueError("You have already rolled the dice.")
    _act(session, computer.roll_action(session))


def _wait(session: Session, what: str) -> str:
    name = session.names[session.position().match.turn]
    return f"Please wait for {name} to consider the {what} before moving."


def move(session: Session, given: list[str]) -> None:
    """``move 8/5 6/5``, ``move 8 5 6 5``, ``move =1`` for the first play of the last hint."""
    position = session.position()
    if position.match.resigned:
        raise ValueError(_wait(session, "resignation"))
    if position.match.dice == NO_DICE:
        raise ValueError("You must roll the dice before you can move.")
    text = " ".join(given) or _only_play(position)
    if len(text) > 200:
        raise UnknownWordError("Illegal or unparsable move. (It is too long.)")
    if text.startswith("="):
        board = hinted(session, text)
        text = play_text(position.board, position.match.dice, board)
    action = _move_of(position, text)
    if action.play == CANNOT_MOVE and not given and session.display:
        session.say(f"{session.names[action.player]} cannot move.")
    _act(session, action, quiet=True)


def _move_of(position: Position, text: str) -> Move:
    """The play that a text means; as in gnubg a mark of a hit that hits nothing is no fault."""
    try:
        return move_of(position, text)
    except ValueError as error:
        if "*" in text:
            return _move_of(position, text.replace("*", ""))
        raise UnknownWordError(f"Illegal or unparsable move. ({error})") from None


def _only_play(position: Position) -> str:
    """The play of a roll that leaves no choice, or "cannot move"."""
    found = plays(position.board, position.match.dice)
    if len(found) > 1:
        raise ValueError("You must specify a move (type `help move' for instructions).")
    return play_text(position.board, position.match.dice, found[0])


def hinted(session: Session, text: str) -> Board:
    """The position after the play that ``=2`` names in the last hint, the opponent on roll."""
    number = text[1:]
    plays = session.last_plays
    if not plays:
        raise ValueError("No hint has been given of this position: type `hint' first.")
    if not (number.isascii() and number.isdigit() and len(number) < 6):
        raise ValueError(f"`{text[:20]}': expected =1, =2 ... as `hint' numbers the plays.")
    if not 1 <= int(number) <= len(plays):
        raise ValueError(f"`{text[:20]}': the last hint has plays =1 to ={len(plays)}.")
    return plays[int(number) - 1].board


def play(session: Session) -> None:
    """``play``: the computer takes its turn."""
    position = session.position()
    if session.players[position.match.turn].human:
        raise ValueError("It's not the computer's turn to play.")
    turns.act(session, computer.computer_action(session, position))
    turns.after_action(session)


def end_game(session: Session) -> None:
    """``end game``: the computer plays both sides to the end of the game."""
    position = session.position()
    seats = [(player, player.human) for player in session.players]
    game = session.game_index
    try:
        for player, _ in seats:
            player.human = False
        while session.game_index == game and is_playing(session.shown()):
            position = session.position()
            session.do(computer.computer_action(session, position))
    finally:
        for player, human in seats:
            player.human = human
    ending = result(session.game())
    if ending is None:
        session.show_board()
        return
    winner, points, _ = ending
    session.say(f"\nGame complete.\n{session.names[winner]} wins {counted(points, 'point')}")
    if session.display:
        session.show_board()
    turns.say_result(session)


def double(session: Session) -> None:
    """``double``; of a cube just offered, it is a redouble."""
    match = session.position().match
    if match.doubled and not match.resigned:
        _act(session, Redouble(match.turn))
        return
    if match.resigned or match.turn != match.move:
        raise ValueError("You are only allowed to double if you are on roll.")
    _act(session, Double(match.turn))


def redouble(session: Session) -> None:
    """``redouble``, ``beaver``."""
    if not session.is_playing:
        raise ValueError("The cube must have been offered before you can redouble it.")
    match = session.position().match
    if match.match_length:
        raise ValueError("Beavers and Raccoons are not permitted during match play.")
    if session.match().rules.beavers == 0:
        raise IllegalActionError(Refusal.BEAVERS_DISABLED)
    _act(session, Redouble(match.turn))


def _answer_double(kind: type[Take | Drop]) -> Run:
    """``take``; ``drop``, ``pass``."""

    def run(session: Session) -> None:
        if not session.is_playing:
            raise ValueError(f"The cube must have been offered before you can {kind.word} it.")
        _act(session, kind(session.position().match.turn))

    return run


def resign(session: Session, given: list[str]) -> None:
    """``resign [normal | gammon | backgammon]``."""
    if not session.is_playing:
        raise ValueError("You must be playing a game if you want to resign it.")
    offer = 1
    if given:
        text = given[0].lower()
        near = {n for name, n in _RESIGNATIONS.items() if name.startswith(text)}
        if len(given) > 1 or len(near) != 1:
            raise ValueError(f"Unknown keyword `{given[-1][:40]}' (see `help resign').")
        offer = near.pop()
    match = session.position().match
    declined = _declined(session, match.turn)
    if offer <= declined:
        raise ValueError(
            f"{session.names[1 - match.turn]} has already declined your offer of a "
            f"{turns.RESULTS[declined]}."
        )
    _act(session, Resign(match.turn, Resignation(offer)))


def _declined(session: Session, player: int) -> int:
    """The resignation of this turn that the opponent of a player has declined; 0 for none."""
    done = session.game().actions[: session.cursor]
    match done[-2:]:
        case (Resign(player=by, offer=offer), Reject()) if by == player:
            return int(offer)
    return 0


def _answer_offer(to_double: type[Take | Drop], to_resignation: type[Accept | Reject]) -> Run:
    """``accept``, ``reject``: the answer to whatever is on the table."""

    def run(session: Session) -> None:
        match = session.shown().match if session.has_game else MatchState()
        if not (match.doubled or match.resigned):
            word = to_resignation.word
            raise ValueError(f"You can only {word} if the cube or a resignation has been offered.")
        turn = session.position().match.turn  # a resignation stays after the game
        _act(session, (to_resignation if match.resigned else to_double)(turn))

    return run


def _answer_resignation(kind: type[Accept | Reject]) -> Run:
    """``agree``, ``decline``."""

    def run(session: Session) -> None:
        match = session.position().match
        if not match.resigned:
            raise ValueError("No resignation was offered.")
        _act(session, kind(match.turn))

    return run


def swap_players(session: Session) -> None:
    """``swap players``: each takes the other's seat."""
    turns.swap_seats(session)
    turns.forget_turn(session)
    if session.has_game:
        session.show_board()
        if text := analysis_text(session):
            session.say(text)


COMMANDS = (
    Command("accept", "Accept a cube or a resignation", _answer_offer(Take, Accept)),
    Command("agree", "Agree to a resignation", _answer_resignation(Accept)),
    Command("beaver", "The same as redouble", redouble),
    Command("decline", "Decline a resignation", _answer_resignation(Reject)),
    Command("double", "Offer the cube at twice its value", double),
    Command("drop", "Refuse the cube and lose the game", _answer_double(Drop)),
    Command("end game", "Both sides, to the end of the game", end_game),
    Command("move", "Play the roll", move, "<from>/<to> ... | <from> <to> ... | =<n>",
            details="bar and off may be written 25 and 0; =2 is the second play of the last "
                    "hint. The word `move' may be left out."),
    Command("new game", "The next game, or the present one from its start", new_game),
    Command("new match", "A match to some number of points", new_match, "[points]"),
    Command("new session", "A session for money", new_session),
    Command("pass", "The same as drop", _answer_double(Drop)),
    Command("play", "Let the computer take its turn", play),
    Command("redouble", "Take the cube and turn it at once, in money play", redouble),
    Command("reject", "Reject a cube or a resignation", _answer_offer(Drop, Reject)),
    Command("resign", "Offer to give up the game", resign, "[normal | gammon | backgammon]",
            values=("normal", "gammon", "backgammon")),
    Command("roll", "Roll the dice", roll),
    Command("swap players", "The players change seats", swap_players),
    Command("take", "Take the cube", _answer_double(Take)),
)  # fmt: skip
