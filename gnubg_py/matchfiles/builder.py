"""Build a record from the events in a file, as leniently as gnubg does.

Files of other programs leave events out, continue after the end of a game, and sometimes have plays
that the rules forbid. Each event is carried out if that is possible. Otherwise the most similar
possible event is carried out and a warning is kept: one bad line never makes a file unreadable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gnubg_py.board import Board, start_position
from gnubg_py.game.actions import (
    Accept,
    Action,
    Double,
    Drop,
    Move,
    Redouble,
    Resign,
    Roll,
    Setup,
    Take,
)
from gnubg_py.game.position import Position, Rules, apply, is_playing, moved
from gnubg_py.game.record import GameRecord, MatchRecord, new_state
from gnubg_py.match import LONGEST_MATCH, NO_DICE, MatchState, Resignation
from gnubg_py.matchfiles.contents import MatchContents, clean_name
from gnubg_py.matchfiles.quick_plays import forced_through, legs_of, only_play, read_play
from gnubg_py.notation import gnubg_id

MOST_GAMES = 1000
MOST_WARNINGS = 200


class Builder:
    """The match as far as its file has been read.

    ``where`` is the place in the file that warnings name, such as "line 12".
    """

    def __init__(self, length: int, rules: Rules | None = None) -> None:
        if not 0 <= length <= LONGEST_MATCH:
            raise ValueError(f"a match to {length}: matches go to {LONGEST_MATCH}")
        self.length = length
        self.rules = rules or Rules()
        self.players = ("player 0", "player 1")
        self.where: Callable[[], str] = lambda: ""
        self.warnings: list[str] = []
        self._games: list[GameRecord] = []
        self._positions: list[Position] = []
        self._actions: list[Action] = []
        self._opening = False
        """Whether the next dice are the first ones of a game."""
        self.turns_are_set = False
        """Whether a play out of turn means that the turn was set before it, as in gnubg's SGF."""
        self._untold = False
        """Whether the file leaves out the play of the dice on the table."""

    def warn(self, text: str) -> None:
        """Keep a warning on one line, with its place in the file."""
        place = self.where()
        text = " ".join(text.split())
        self.warnings.append(f"{text} ({place})" if place else text)

    def name_players(self, first: str, second: str) -> None:
        """Set the players' names, with control characters replaced."""
        self.players = (clean_name(first, "player 0"), clean_name(second, "player 1"))

    @property
    def in_game(self) -> bool:
        """Whether a game has begun."""
        return bool(self._positions)

    @property
    def is_playing(self) -> bool:
        """Whether a game has begun and is not over."""
        return self.in_game and is_playing(self.end)

    @property
    def end(self) -> Position:
        """The newest position of the game."""
        return self._positions[-1]

    @property
    def record(self) -> MatchRecord:
        """Everything read so far."""
        games = tuple(self._games) + ((self._game(),) if self.in_game else ())
        return MatchRecord(self.length, self.players, self.rules, games)

    def contents(self, **said: Any) -> MatchContents:
        """The record, the first 200 warnings, and ``said``; ``ValueError`` if there is no game."""
        record = self.record
        if not record.games:
            raise ValueError("; ".join(["no game in this file", *self.warnings[:1]]))
        more = len(self.warnings) - MOST_WARNINGS
        last = (f"{more} more warnings like these.",) if more > 0 else ()
        return MatchContents(record, (*self.warnings[:MOST_WARNINGS], *last), **said)

    def _game(self) -> GameRecord:
        return GameRecord(self._positions[0], tuple(self._actions), tuple(self._positions))

    def close_game(self) -> None:
        """End the game that is being read, whether or not it is over."""
        if self.in_game:
            self._games.append(self._game())
        self._positions, self._actions, self._untold = [], [], False

    def new_game(self, score: tuple[int, int] | None = None, crawford: bool | None = None) -> bool:
        """Begin a game, at the file's score if it gives one; False where the match is over."""
        self.close_game()
        if len(self._games) >= MOST_GAMES:
            raise ValueError(f"more than {MOST_GAMES} games")
        if self.length and score is not None and max(score) >= self.length:
            self.warn("The match is already over.")
            return False
        last = self.record
        try:
            state = new_state(last)
        except ValueError as error:
            if score is None:
                self.warn(str(error))
                return False
            before = last.games[-1].start.match
            state = replace(before, score=score, dice=NO_DICE, cube_value=1, cube_owner=-1)
        if score is not None and score != state.score:
            one_away = self.length > 1 and max(score) == self.length - 1
            had = any(max(g.start.match.score) >= self.length - 1 for g in last.games)
            fits = self.rules.crawford and one_away and not had
            state = replace(state, score=score, crawford=fits)
        if crawford is not None and self.length > 1:
            one_away = max(state.score) >= self.length - 1
            state = replace(state, crawford=crawford and one_away)
        jacoby = self.rules.jacoby and self.length == 0
        match = replace(state, move=0, turn=0, jacoby=jacoby)
        # The player who moves first is not known before the first dice are read.
        self._positions = [Position(start_position(self.rules.variation), match)]
        self._opening = True
        return True

    def _do(self, action: Action) -> None:
        rules = replace(self.rules, beavers=12, cube=True)
        self._append(action, apply(self.end, action, rules))

    def _append(self, action: Action, after: Position) -> None:
        self._actions.append(action)
        self._positions.append(after)

    def turn_cube_automatically(self) -> None:
        """Turn the cube before the first roll, because both players rolled the same number."""
        match = self.end.match if self.in_game else None
        if match is None or self._actions or match.dice != NO_DICE or match.cube_value > 64:
            self.warn("An automatic double that is not at the beginning of a game")
            return
        turned = replace(match, cube_value=2 * match.cube_value)
        self._positions = [replace(self.end, match=turned)]

    def set_up(self, board: Board, player: int) -> None:
        """Set the board before the roll, with ``player`` on roll and in row 0."""
        match = replace(self.end.match, move=player, turn=player, dice=NO_DICE, doubled=False)
        self._setup(board, replace(match, resigned=Resignation.NONE))

    def put(self, position: Position) -> None:
        """Set the position; the game begins with it if it has no actions yet."""
        if self._actions and isinstance(self._actions[-1], Setup):
            self._actions.pop()
            self._positions.pop()
        if not self._actions:
            self._positions, self._opening = [position], False
            return
        self._setup(position.board, position.match)

    @property
    def next_place(self) -> tuple[int, int]:
        """The numbers of this game and of its next action, from 0."""
        return len(self._games), len(self._actions)

    def step(self, place: int) -> tuple[Position, Action, Position]:
        """An action of this game, with the positions before and after it."""
        return self._positions[place], self._actions[place], self._positions[place + 1]

    def _setup(self, board: Board, match: MatchState) -> None:
        self._do(Setup(self.end.match.turn, gnubg_id(board, match)))
        self._untold = False

    def _is_settled(self, player: int) -> bool:
        """Bring the game to ``player``'s turn before the roll; return whether it is possible."""
        if not self.is_playing:
            return False
        if self._untold:
            self._pass_turn()
        match = self.end.match
        if match.doubled:
            if not self.end.redoubles:  # gnubg writes no answer to a beaver
                self.warn("The double was not answered: the cube was taken")
            self._do(Take(match.turn))
            match = self.end.match
        if match.dice != NO_DICE and not (self.turns_are_set and match.move != player):
            self._pass_turn()
            match = self.end.match
        if match.move != player and self.turns_are_set and self._actions:
            self.set_up(self.end.board[::-1], player)
        elif match.move != player:
            if self._actions:
                self.warn(f"{self.players[player]} is not on roll: the other play is missing")
                self.set_up(self.end.board[::-1], player)
            else:
                self._positions = [
                    replace(self.end, match=replace(match, move=player, turn=player))
                ]
        return True

    def _pass_turn(self) -> None:
        match = self.end.match
        self.warn("A play is missing: the board stays as it was")
        self.set_up(self.end.board[::-1], 1 - match.move)

    def roll(self, player: int, dice: tuple[int, int]) -> bool:
        """Roll ``dice`` for ``player``; False if the game is over.

        If the same dice are on the table already, nothing changes.
        """
        if self.is_playing and not self._untold and not self.end.match.resigned:
            match = self.end.match
            if match.move == player and match.dice == (max(dice), min(dice)):
                return True
        if not self._is_settled(player):
            return False
        if self._opening and not self._actions:
            self._positions = [replace(self.end, match=replace(self.end.match, dice=dice))]
        else:
            self._do(Roll(player, dice))
        return True

    def play(self, player: int, dice: tuple[int, int], text: str, *, forced: bool = False) -> bool:
        """Roll and play; an empty text is a dance, ``????`` a play that the file leaves out.

        ``forced``: where the file has no play, the only one of the roll is made. Returns False, and
        does nothing, if the game is over.
        """
        # gnubg checks a play for the player on roll, and makes it for the player in the file.
        out_of_turn = self.is_playing and bool(self._actions) and self.end.match.move != player
        wrong_board = self.end.board if out_of_turn else None
        if not self.roll(player, dice):
            return False
        position = self.end
        board, dice = position.board, position.match.dice
        words = text.replace("?", "") or (only_play(board, dice) if forced else "")
        try:
            after, words = read_play(board, dice, words)
        except ValueError as error:
            self._odd_play(text, str(error), wrong_board)
            return True
        self._append(Move(player, words), moved(position, after, self.rules))
        return True

    def _odd_play(self, text: str, reason: str, wrong_board: Board | None) -> None:
        """Make an illegal play if the checkers can move so, else skip the play and its roll."""
        player = self.end.match.move
        legs = legs_of(text) or []
        fits_wrongly = wrong_board is not None and forced_through(wrong_board, legs) is not None
        after = forced_through(self.end.board, legs, through_points=fits_wrongly)
        if after is not None:
            self.warn(f"Illegal play kept as it is: {reason}")
            self.set_up(after, 1 - player)
        elif text.strip(" ?"):
            self.warn(f'WARNING: Invalid move: "{text.strip()[:60]}" encountered: {reason}')
            self._unroll()
        else:
            self._untold = True

    def _unroll(self) -> None:
        """Take the dice off the table again."""
        if self._actions and isinstance(self._actions[-1], Roll):
            self._actions.pop()
            self._positions.pop()
        elif not self._actions:
            self._positions = [replace(self.end, match=replace(self.end.match, dice=NO_DICE))]

    def double(self, player: int) -> None:
        """Offer the cube, or beaver a double that is on the table."""
        if not self.is_playing:
            self.warn("A double after the end of the game")
            return
        match = self.end.match
        if match.doubled and match.turn == player and self.length == 0:
            self._try(Redouble(player))
        elif match.doubled and match.turn != player:
            self.warn("The cube has already been offered.")
        elif self._is_settled(player):
            self._try(Double(player))

    def _try(self, action: Action) -> bool:
        try:
            self._do(action)
        except ValueError as error:
            self.warn(str(error))
            return False
        return True

    def take(self) -> None:
        """Accept the double on the table."""
        if self.is_playing and self.end.match.doubled:
            self._do(Take(self.end.match.turn))
        else:
            self.warn("Take record found but doesn't follow a double")

    def drop(self, player: int) -> None:
        """Refuse the double on the table: the game is over."""
        if self.is_playing and self.end.match.doubled:
            self._do(Drop(self.end.match.turn))
        elif self.is_playing:
            self.warn("Drop record found but doesn't follow a double")
            self._concede(1 - player, 1)

    def win(self, winner: int, points: int, resigned: bool = False) -> None:
        """End the game with a win of ``winner``. If it is not over yet, the loser resigned.

        The level is the lowest that gives the points; a site may count no points above the match
        length. If a double is on the table, the answer to it is what gives the points, unless the
        file says that the loser ``resigned``.
        """
        if not self.is_playing:
            return
        match = self.end.match
        if match.doubled and not resigned:
            if match.turn != winner and points <= match.cube_value:
                self._do(Drop(match.turn))
                return
            if match.turn == winner or points % (2 * match.cube_value) == 0:
                self._do(Take(match.turn))
                match = self.end.match
        self._concede(winner, -(-points // match.cube_value))

    def _concede(self, winner: int, level: int) -> None:
        if self.end.match.resigned:
            return
        self._do(Resign(1 - winner, Resignation(max(1, min(level, 3)))))
        self._do(Accept(winner))
