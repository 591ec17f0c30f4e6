"""Positions of a game, and pure functions that apply an action to one.

An action that the rules forbid is an ``IllegalActionError``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from gnubg_py.board import VARIATIONS, Board, check_board, start_position
from gnubg_py.dice import check_dice
from gnubg_py.errors import IllegalActionError, Refusal, UnknownNameError
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
from gnubg_py.match import (
    CENTRED,
    MAX_POINTS,
    NO_DICE,
    GameState,
    MatchState,
    Resignation,
    is_beaver,
    is_raccoon,
)
from gnubg_py.notation import from_gnubg_id, gnubg_id, parse_play, play_text

LARGEST_CUBE = 4096


@dataclass(frozen=True)
class Rules:
    """The rules of a match or session; Jacoby and beavers matter for money only.

    ``beavers`` is the most beavers and raccoons in a row; ``automatic_doubles`` the most times that
    opening rolls of equal dice turn the cube. Without ``cube`` doubles are not allowed.
    """

    crawford: bool = True
    jacoby: bool = True
    beavers: int = 3
    automatic_doubles: int = 0
    cube: bool = True
    variation: str = "standard"

    def __post_init__(self) -> None:
        if self.variation not in VARIATIONS:
            raise UnknownNameError("variation", self.variation, VARIATIONS)
        for name in ("beavers", "automatic_doubles"):
            if not 0 <= getattr(self, name) <= 12:
                raise ValueError(f"{name} {getattr(self, name)}: should be 0 to 12")


@dataclass(frozen=True, eq=False)
class Position:
    """A board ``int8[2, 25]``, whose row 0 is ``match.move``'s, and the state of the match.

    ``redoubles`` counts the beavers and raccoons of the double on the table.
    """

    board: Board
    match: MatchState
    redoubles: int = field(default=0)

    @property
    def gnubg_id(self) -> str:
        """Position ID and Match ID, joined by a colon."""
        return gnubg_id(self.board, self.match)


def position_of(board: Board, match: MatchState) -> Position:
    """Check a position; ``ValueError`` if it is not a position of a game in play."""
    check_board(board)
    playing = match.game_state in (GameState.PLAYING, GameState.NONE)
    if not playing:
        raise ValueError("the game is over in this position")
    if not np.asarray(board).any(axis=1).all():
        raise ValueError("the game is over in this position: a side has no checkers left")
    if match.cube_value > LARGEST_CUBE:
        raise ValueError(f"the cube is at {match.cube_value}: it goes up to {LARGEST_CUBE}")
    if match.doubled and match.dice != NO_DICE:
        raise ValueError("a double is on the table after the roll")
    if not match.doubled and not match.resigned and match.turn != match.move:
        raise ValueError("the player to decide is not the one on roll, and nothing is offered")
    if max(match.score) > MAX_POINTS - 3 * LARGEST_CUBE:
        raise ValueError(
            f"score {max(match.score)}: should be at most {MAX_POINTS - 3 * LARGEST_CUBE}"
        )
    redoubles = 1 if is_beaver(match) else 2 if is_raccoon(match) else 0
    # Whether beavers are allowed belongs to the rules of a match or session, not to a position.
    state = replace(match, game_state=GameState.PLAYING, beavers=False)
    return Position(np.array(board, np.int8), state, redoubles)


def start_game(
    opening: tuple[int, int], before: MatchState, rules: Rules, doubles: int = 0
) -> Position:
    """The first position of a game: the opening roll is on the table, before the first play.

    ``opening`` are the dice that player 0 and player 1 rolled; ``before`` gives match length, score
    and whether this is the Crawford game; ``doubles`` is the number of automatic doubles before.

    >>> start_game((3, 1), MatchState(match_length=7), Rules()).match.move
    0
    """
    if opening[0] == opening[1]:
        raise ValueError("both players rolled the same: they roll again")
    starter = 0 if opening[0] > opening[1] else 1
    match = MatchState(
        cube_value=1 << doubles,
        move=starter,
        turn=starter,
        crawford=before.crawford,
        dice=check_dice(opening),
        match_length=before.match_length,
        score=before.score,
        jacoby=rules.jacoby and before.match_length == 0,
    )
    return Position(start_position(rules.variation), match)


def next_game(before: MatchState, after: MatchState, rules: Rules) -> MatchState:
    """The match state at the beginning of the next game, from those before and after the last end.

    The Crawford game is the first in which someone is one point from winning.

    >>> last = MatchState(match_length=3, score=(0, 1))
    >>> next_game(last, replace(last, score=(2, 1)), Rules()).crawford
    True
    """
    length = after.match_length
    was_reached = before.crawford or max(before.score) >= length - 1
    reached = length > 1 and not was_reached and max(after.score) >= length - 1
    if match_is_over(after):
        raise IllegalActionError(Refusal.MATCH_OVER)
    return MatchState(crawford=rules.crawford and reached, match_length=length, score=after.score)


def move_of(position: Position, text: str) -> Move:
    """Read a play of the dice on the table; return it in gnubg's notation.

    >>> opening = start_game((1, 3), MatchState(), Rules())
    >>> move_of(opening, "6 5 8 5").play
    '8/5 6/5'
    """
    match = position.match
    if match.dice == NO_DICE:
        raise IllegalActionError(Refusal.NOT_ROLLED)
    after = parse_play(position.board, match.dice, text)
    return Move(match.move, play_text(position.board, match.dice, after))


def match_is_over(match: MatchState) -> bool:
    """Whether someone has all the points of the match."""
    return match.match_length > 0 and max(match.score) >= match.match_length


def valued(match: MatchState) -> MatchState:
    """The state for evaluation: in money play an owned cube at 1 counts as a cube at 2."""
    if match.match_length == 0 and match.cube_owner != CENTRED and match.cube_value == 1:
        return replace(match, cube_value=2)
    return match


def is_playing(position: Position) -> bool:
    """Whether the game is in progress."""
    return position.match.game_state == GameState.PLAYING


def apply(position: Position, action: Action, rules: Rules) -> Position:
    """The position after an action; ``IllegalActionError`` where the rules forbid it.

    >>> opening = start_game((1, 3), MatchState(match_length=7), Rules())
    >>> apply(opening, Move(1, "8/5 6/5"), Rules()).match.move
    0
    """
    if not is_playing(position):
        raise IllegalActionError(Refusal.NO_GAME)
    if isinstance(action, Setup):
        return _setup(position, action)
    if isinstance(action, Resign):
        return _resign(position, action)
    match action:
        case Accept() | Reject() if not position.match.resigned:
            word = "accept" if isinstance(action, Accept) else "reject"
            raise IllegalActionError(Refusal.NOTHING_OFFERED, word=word)
        case Redouble() if position.match.match_length:
            raise IllegalActionError(Refusal.BEAVERS_IN_MATCH)
        case Take() | Drop() | Redouble() if not position.match.doubled:
            word = {Take: "take", Drop: "drop", Redouble: "redouble"}[type(action)]
            raise IllegalActionError(Refusal.NO_DOUBLE_OFFERED, word=word)
    if position.match.resigned and not isinstance(action, Accept | Reject):
        raise IllegalActionError(Refusal.RESIGNATION_OFFERED)
    if action.player != position.match.turn:
        raise IllegalActionError(Refusal.NOT_ON_TURN, player=action.player)
    match action:
        case Roll():
            return _roll(position, action)
        case Move():
            return _move(position, action, rules)
        case Double():
            return _double(position, rules)
        case Redouble():
            return _redouble(position, rules)
        case Take():
            return _take(position)
        case Drop():
            return _finished(position, 1 - action.player, 1, GameState.DROPPED)
        case Accept():
            level = int(position.match.resigned)
            return _finished(position, action.player, level, GameState.RESIGNED, conceded=True)
        case Reject():
            match_state = replace(position.match, resigned=Resignation.NONE)
            decides = 1 - action.player if match_state.doubled else match_state.move
            return replace(position, match=replace(match_state, turn=decides))
    raise ValueError(f"{action!r} is no action of a game")


def _setup(position: Position, action: Setup) -> Position:
    after = position_of(*from_gnubg_id(action.gnubg_id))
    length = position.match.match_length
    if after.match.match_length != length:
        raise ValueError(f"a position of a match to {after.match.match_length}, not to {length}")
    return after


def _roll(position: Position, action: Roll) -> Position:
    match = position.match
    if match.doubled:
        raise IllegalActionError(Refusal.DOUBLE_BEFORE_ROLL)
    if match.dice != NO_DICE:
        raise IllegalActionError(Refusal.ALREADY_ROLLED)
    return replace(position, match=replace(match, dice=check_dice(action.dice)))


def _move(position: Position, action: Move, rules: Rules) -> Position:
    match = position.match
    if match.doubled:
        raise IllegalActionError(Refusal.DOUBLE_BEFORE_MOVE)
    if match.dice == NO_DICE:
        raise IllegalActionError(Refusal.NOT_ROLLED)
    return moved(position, parse_play(position.board, match.dice, action.play), rules)


def moved(position: Position, board: Board, rules: Rules) -> Position:
    """The position after a legal play that led to ``board``, the opponent's row first."""
    match = position.match
    other = 1 - match.move
    after = Position(board, replace(match, dice=NO_DICE, move=other, turn=other))
    if board[1].any():
        return after
    return _finished(after, match.move, _level(board[0], rules), GameState.OVER)


def _level(loser: Board, rules: Rules) -> int:
    """The level of a win against the row ``loser``: 1, 2 for a gammon, 3 for a backgammon."""
    checkers = int(start_position(rules.variation)[0].sum())
    if loser.sum() < checkers:
        return 1
    return 3 if loser[18:].any() else 2


def _double(position: Position, rules: Rules) -> Position:
    match = position.match
    if not rules.cube:
        raise IllegalActionError(Refusal.CUBE_DISABLED)
    if match.doubled:
        raise IllegalActionError(Refusal.ALREADY_DOUBLED)
    if match.crawford:
        raise IllegalActionError(Refusal.CRAWFORD)
    if match.dice != NO_DICE:
        raise IllegalActionError(Refusal.DOUBLE_AFTER_ROLL)
    if match.cube_owner not in (CENTRED, match.move):
        raise IllegalActionError(Refusal.CUBE_NOT_OWNED)
    if match.cube_value >= LARGEST_CUBE:
        raise IllegalActionError(Refusal.CUBE_AT_LIMIT, value=LARGEST_CUBE)
    if match.match_length and match.score[match.move] + match.cube_value >= match.match_length:
        raise IllegalActionError(Refusal.CUBE_DEAD)
    return replace(position, match=replace(match, doubled=True, turn=1 - match.move), redoubles=0)


def _redouble(position: Position, rules: Rules) -> Position:
    match = position.match
    if rules.beavers == 0:
        raise IllegalActionError(Refusal.BEAVERS_DISABLED)
    if position.redoubles >= rules.beavers:
        raise IllegalActionError(Refusal.BEAVERS_USED_UP, count=rules.beavers)
    if match.cube_value * 4 > LARGEST_CUBE:
        raise IllegalActionError(Refusal.REDOUBLE_AT_LIMIT, value=LARGEST_CUBE)
    # The player who beavers takes the cube at its new value and offers it at twice that value.
    owner = 1 - match.move
    doubled = replace(match, cube_value=2 * match.cube_value, cube_owner=owner, turn=1 - match.turn)
    return replace(position, match=doubled, redoubles=position.redoubles + 1)


def _take(position: Position) -> Position:
    match = position.match
    taken = replace(
        match,
        cube_value=2 * match.cube_value,
        cube_owner=1 - match.move,  # also after a beaver: the player who beavers keeps the cube
        doubled=False,
        turn=match.move,
    )
    return replace(position, match=taken, redoubles=0)


def _resign(position: Position, action: Resign) -> Position:
    match = position.match
    if match.resigned:
        raise IllegalActionError(Refusal.ALREADY_RESIGNED)
    # Either player may give up at any time, also in place of an answer to a double.
    offered = replace(match, resigned=Resignation(action.offer), turn=1 - action.player)
    return replace(position, match=offered)


def _finished(
    position: Position, winner: int, level: int, state: GameState, *, conceded: bool = False
) -> Position:
    """The end of the game: ``winner`` gets ``level`` times the cube."""
    match = position.match
    jacoby = match.jacoby and match.match_length == 0 and match.cube_owner == CENTRED
    points = match.cube_value * (1 if jacoby and not conceded else level)
    score = list(match.score)
    score[winner] = min(score[winner] + points, MAX_POINTS)
    over = replace(
        match,
        game_state=state,
        score=(score[0], score[1]),
        doubled=False,
        resigned=match.resigned if conceded else Resignation.NONE,
        turn=match.move if conceded else match.turn,  # as in the matches that gnubg reads
    )
    return replace(position, match=over, redoubles=0)
