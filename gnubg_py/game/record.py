"""The record of a match or session: its games, each a first position and the actions after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from gnubg_py.board import swap
from gnubg_py.errors import IllegalActionError, Refusal
from gnubg_py.game.actions import Action, Setup
from gnubg_py.game.position import Position, Rules, apply, is_playing, next_game, start_game
from gnubg_py.match import CENTRED, NO_DICE, MatchState, Resignation
from gnubg_py.notation import from_gnubg_id, gnubg_id


@dataclass(frozen=True, eq=False)
class GameRecord:
    """One game. ``positions[i]`` is the position before ``actions[i]``; the last is the newest."""

    start: Position
    actions: tuple[Action, ...] = ()
    positions: tuple[Position, ...] = ()

    def __post_init__(self) -> None:
        if not self.positions:
            object.__setattr__(self, "positions", (self.start,))

    @property
    def end(self) -> Position:
        """The newest position."""
        return self.positions[-1]

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return not is_playing(self.end)


def extended(game: GameRecord, action: Action, rules: Rules) -> GameRecord:
    """The game with one more action; ``ValueError`` if the rules forbid it."""
    after = apply(game.end, action, rules)
    return replace(game, actions=(*game.actions, action), positions=(*game.positions, after))


def first_actions(game: GameRecord, actions: int) -> GameRecord:
    """The game as it was after its first ``actions`` actions."""
    return replace(game, actions=game.actions[:actions], positions=game.positions[: actions + 1])


def sets_turn(game: GameRecord, place: int) -> bool:
    """Whether an action set nothing but who is on roll."""
    before, after = game.positions[place], game.positions[place + 1]
    turned = before.match.move != after.match.move
    board = swap(before.board) if turned else before.board
    same = replace(
        before.match,
        move=after.match.move,
        turn=after.match.turn,
        dice=NO_DICE,
        doubled=False,
        resigned=Resignation.NONE,
    )
    is_setup = isinstance(game.actions[place], Setup)
    return is_setup and after.match == same and bool((board == after.board).all())


def takes_dice_back(game: GameRecord, place: int) -> bool:
    """Whether an action set the player on roll who had just rolled, and other dice follow."""
    if place + 2 >= len(game.positions):
        return False
    rolled, again = game.positions[place].match, game.positions[place + 2].match
    return sets_turn(game, place) and rolled.move == again.move and again.dice != NO_DICE


@dataclass(frozen=True, eq=False)
class MatchRecord:
    """A match to ``length`` points as far as it was played; length 0 is a money session.

    >>> from gnubg_py.game.actions import Move
    >>> record = with_new_game(MatchRecord(length=7), (1, 3))
    >>> record = with_action(record, Move(1, "8/5 6/5"))
    >>> record.games[-1].end.match.move
    0
    """

    length: int = 0
    players: tuple[str, str] = ("player 0", "player 1")
    rules: Rules = field(default_factory=Rules)
    games: tuple[GameRecord, ...] = ()
    following: MatchState | None = None
    """The state that the next game begins with, where a person set the score."""


def new_state(record: MatchRecord) -> MatchState:
    """The state that the next game begins with: length, score, whether it is the Crawford game."""
    if record.following is not None:
        return record.following
    if not record.games:
        # In a match to one point every game decides the match, and the cube is not used.
        return MatchState(match_length=record.length)
    return next_state(record.games[-1], record.rules)


def next_state(game: GameRecord, rules: Rules) -> MatchState:
    """The state that the next game begins with after a finished one."""
    return next_game(played_at(game), game.end.match, rules)


def played_at(game: GameRecord) -> MatchState:
    """The match state, with the score, at which a game was or is played."""
    before_the_end = game.is_over and len(game.positions) > 1
    return game.positions[-2 if before_the_end else -1].match


def with_new_game(
    record: MatchRecord, opening: tuple[int, int], automatic_doubles: int = 0
) -> MatchRecord:
    """The record with one more game, which begins with the dice of player 0 and player 1."""
    start = start_game(opening, new_state(record), record.rules, automatic_doubles)
    return replace(record, games=(*record.games, GameRecord(start)), following=None)


def with_action(record: MatchRecord, action: Action) -> MatchRecord:
    """The record with one more action in its last game."""
    if not record.games:
        raise IllegalActionError(Refusal.NO_GAME)
    game = extended(record.games[-1], action, record.rules)
    return replace(record, games=(*record.games[:-1], game))


def result(game: GameRecord) -> tuple[int, int, int] | None:
    """The winner of a finished game, the points won, and 1, 2 or 3 times the cube; else None."""
    if not game.is_over:
        return None
    before, after = played_at(game).score, game.end.match.score
    gained = [after[0] - before[0], after[1] - before[1]]
    winner = 0 if gained[0] > 0 else 1
    points = gained[winner]
    return winner, points, max(1, min(3, points // game.end.match.cube_value))


def rescored(
    game: GameRecord, score: tuple[int, int], length: int, *, crawford: bool
) -> GameRecord:
    """The game as if it had been played at another score, in a match to ``length`` points."""

    def state(match: MatchState) -> MatchState:
        jacoby, beavers = match.jacoby and not length, match.beavers and not length
        match = replace(match, jacoby=jacoby, beavers=beavers)
        return replace(match, score=score, crawford=crawford, match_length=length)

    return _restated(game, state, lambda action: action)


def _restated(
    game: GameRecord,
    state: Callable[[MatchState], MatchState],
    changed: Callable[[Action], Action],
) -> GameRecord:
    """The game with changed match states, also in positions that were set, and changed actions."""

    def position(one: Position) -> Position:
        return replace(one, match=state(one.match))

    def action(one: Action) -> Action:
        if isinstance(one, Setup):
            board, match = from_gnubg_id(one.gnubg_id)
            return Setup(changed(one).player, gnubg_id(board, state(match)))
        return changed(one)

    actions = tuple(map(action, game.actions))
    return GameRecord(position(game.start), actions, tuple(map(position, game.positions)))


def swapped(record: MatchRecord) -> MatchRecord:
    """The record with the players exchanged: player 0 becomes player 1."""
    games = tuple(_restated(game, swapped_state, _swapped_action) for game in record.games)
    return replace(record, players=(record.players[1], record.players[0]), games=games)


def swapped_state(match: MatchState) -> MatchState:
    """A match state in which each player has the other's number."""
    return replace(
        match,
        move=1 - match.move,
        turn=1 - match.turn,
        cube_owner=match.cube_owner if match.cube_owner == CENTRED else 1 - match.cube_owner,
        score=(match.score[1], match.score[0]),
    )


def _swapped_action(action: Action) -> Action:
    return replace(action, player=1 - action.player)
