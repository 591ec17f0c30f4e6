"""``Game``: play a match action by action from Python."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from gnubg_py.analysis import Dice, dice_of
from gnubg_py.board import Board
from gnubg_py.errors import IllegalActionError, Refusal
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
    Take,
)
from gnubg_py.game.position import Rules, match_is_over, move_of
from gnubg_py.game.record import (
    GameRecord,
    MatchRecord,
    first_actions,
    result,
    with_action,
    with_new_game,
)
from gnubg_py.match import NO_DICE, MatchState, Resignation
from gnubg_py.notation import play_text
from gnubg_py.plays import plays


class Game:
    """A match to ``length`` points between two players; with length 0 a money session.

    It begins with an opening roll. Every action is that of the player whose turn it is, and raises
    ``IllegalActionError`` if the rules forbid it. If no dice are given, a generator with a ``seed``
    rolls them. All functions of the library accept ``position``. ``match`` is the record so far,
    which can be analysed and saved.

    >>> game = Game(length=7, opening=(3, 1))
    >>> game.play("8/5 6/5").roll("62").play("24/18 13/11").turn
    0
    """

    def __init__(
        self,
        length: int = 0,
        players: tuple[str, str] = ("player 0", "player 1"),
        *,
        rules: Rules | None = None,
        opening: Dice | None = None,
        seed: int | None = None,
    ) -> None:
        """Begin the first game. ``opening`` is its roll, the die of player 0 first."""
        self._dice = np.random.default_rng(seed)
        self.match = MatchRecord(length, players, rules or Rules())
        self.new_game(opening)

    def new_game(self, opening: Dice | None = None) -> Game:
        """Begin the next game of the match; ``ValueError`` if a game is in progress."""
        if self.match.games and not self.is_over:
            raise ValueError("a game is in progress: it comes to its end first")
        if self.match.games and self.is_match_over:
            raise IllegalActionError(Refusal.MATCH_OVER)
        first, second = self._opening() if opening is None else _two(opening)
        self.match = with_new_game(self.match, (first, second))
        return self

    def _opening(self) -> tuple[int, int]:
        while True:
            first, second = self._dice.integers(1, 7, 2).tolist()
            if first != second:
                return first, second

    @property
    def record(self) -> GameRecord:
        """The record of the present or last game."""
        return self.match.games[-1]

    @property
    def state(self) -> MatchState:
        """Score, cube, turn and dice."""
        return self.record.end.match

    @property
    def board(self) -> Board:
        """The board ``int8[2, 25]``, row 0 the side on roll."""
        return self.record.end.board

    @property
    def position(self) -> tuple[Board, MatchState]:
        """The board with its match state: a position for ``hint``, ``rollout`` ..."""
        return self.board, self.state

    @property
    def turn(self) -> int:
        """The player who has to do something, 0 or 1."""
        return self.state.turn

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll that is to be played; None before the roll."""
        return None if self.state.dice == NO_DICE else self.state.dice

    @property
    def score(self) -> tuple[int, int]:
        """The points of player 0 and player 1."""
        return self.state.score

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.record.is_over

    @property
    def is_match_over(self) -> bool:
        """Whether someone has won the match; a money session never ends."""
        return match_is_over(self.state)

    @property
    def result(self) -> tuple[int, int] | None:
        """The winner of the finished game and the points won; None while it is in progress."""
        found = result(self.record)
        return None if found is None else (found[0], found[1])

    def legal_plays(self) -> list[str]:
        """Every play of the roll, as text; none before the roll."""
        if self.dice is None or self.is_over:
            return []
        after = plays(self.board, self.dice)
        return [play_text(self.board, self.dice, one) for one in after]

    def roll(self, dice: Dice | None = None) -> Game:
        """Roll the dice, or use those that are given."""
        if dice is None:
            first, second = self._dice.integers(1, 7, 2).tolist()
            return self._do(Roll(self.turn, (first, second)))
        return self._do(Roll(self.turn, dice_of(dice)))

    def play(self, play: str | Board) -> Game:
        """Make a play, given as text or as the board after it, the opponent on roll."""
        if isinstance(play, str):
            return self._do(move_of(self.record.end, play))
        if self.dice is None:
            raise IllegalActionError(Refusal.NOT_ROLLED)
        return self._do(Move(self.turn, play_text(self.board, self.dice, play)))

    def double(self) -> Game:
        """Offer the cube at twice its value."""
        return self._do(Double(self.turn))

    def take(self) -> Game:
        """Take the double."""
        return self._do(Take(self.turn))

    def drop(self) -> Game:
        """Pass the double: the game is over."""
        return self._do(Drop(self.turn))

    def beaver(self) -> Game:
        """Take the double and turn the cube once more at once."""
        return self._do(Redouble(self.turn))

    def resign(self, points: int = 1) -> Game:
        """Offer the game for 1, 2 or 3 times the cube."""
        return self._do(Resign(self.turn, Resignation(points)))

    def accept(self) -> Game:
        """Accept the resignation: the game is over."""
        return self._do(Accept(self.turn))

    def reject(self) -> Game:
        """Reject the resignation."""
        return self._do(Reject(self.turn))

    def undo(self) -> Game:
        """Take the last action of this game back; ``ValueError`` if there is none."""
        done = len(self.record.actions)
        if not done:
            raise ValueError("there is nothing to undo in this game")
        shorter = first_actions(self.record, done - 1)
        self.match = replace(self.match, games=(*self.match.games[:-1], shorter))
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the match as JSON; ``read_match`` reads it."""
        from gnubg_py.matchfiles.saved import save_match

        save_match(self.match, path)

    def _do(self, action: Action) -> Game:
        self.match = with_action(self.match, action)
        return self

    def __repr__(self) -> str:
        length = f"to {self.match.length}" if self.match.length else "for money"
        score = f"{self.score[0]}-{self.score[1]}"
        now = "over" if self.is_over else f"player {self.turn} to act"
        roll = "" if self.dice is None else f" with {self.dice[0]}{self.dice[1]}"
        return f"<Game {length}, {score}, {now}{roll}, {self.record.end.gnubg_id}>"


def _two(dice: Dice) -> tuple[int, int]:
    """Two dice in the order in which they are given."""
    numbers = list(map(int, str(dice))) if isinstance(dice, str | int) else dice
    first, second = (int(die) for die in numbers)
    return first, second
