"""The state of a match or money session: everything a gnubg Match ID carries, and no board.

Players are numbered as gnubg numbers them: 0 sits at the top and plays O, 1 sits at the bottom
and plays X. The board that goes with a state has ``state.move``'s checkers in row 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

CENTRED = -1
NO_DICE = (0, 0)
MAX_CUBE = 1 << 15
MAX_POINTS = (1 << 15) - 1
LONGEST_MATCH = 64
"""The points of the longest match that is played or read from a file; the same as in gnubg."""

_E = TypeVar("_E", bound=IntEnum)


class GameState(IntEnum):
    """Where the game stands, in gnubg's numbers."""

    NONE = 0
    PLAYING = 1
    OVER = 2
    RESIGNED = 3
    DROPPED = 4


class Resignation(IntEnum):
    """What a player who resigns offers to lose."""

    NONE = 0
    SINGLE = 1
    GAMMON = 2
    BACKGAMMON = 3


@dataclass(frozen=True)
class MatchState:
    """Score, cube, turn and dice; a match of length 0 is a money session.

    ``move`` is the player on roll (or who rolled, or who doubled); ``turn`` the player who must
    decide next: the other one when a double or a resignation is on the table. ``dice`` are kept
    larger first, ``(0, 0)`` before the roll.

    >>> MatchState(dice=(1, 3), match_length=7).dice
    (3, 1)
    """

    cube_value: int = 1
    cube_owner: int = CENTRED
    move: int = 1
    crawford: bool = False
    game_state: GameState = GameState.PLAYING
    turn: int = 1
    doubled: bool = False
    resigned: Resignation = Resignation.NONE
    dice: tuple[int, int] = NO_DICE
    match_length: int = 0
    score: tuple[int, int] = (0, 0)
    jacoby: bool = False
    beavers: bool = False
    """Whether a double may be beavered: an XGID of money play says so, a Match ID does not."""

    def __post_init__(self) -> None:
        _check_dice(self.dice)
        object.__setattr__(self, "dice", (max(self.dice), min(self.dice)))
        _check_cube(self.cube_value, self.cube_owner)
        for name, player in (("move", self.move), ("turn", self.turn)):
            if player not in (0, 1):
                raise ValueError(f"{name} is player {player}: the players are 0 and 1")
        object.__setattr__(self, "game_state", _member(GameState, self.game_state, "game state"))
        object.__setattr__(self, "resigned", _member(Resignation, self.resigned, "resignation"))
        _check_score(self)


def away(state: MatchState) -> tuple[int, int] | None:
    """The points that the side on roll and the other side need; ``None`` in a money session.

    >>> away(MatchState(match_length=7, score=(3, 2), move=1))
    (5, 4)
    """
    if state.match_length == 0:
        return None
    togo = tuple(state.match_length - points for points in state.score)
    return togo[state.move], togo[1 - state.move]


def is_post_crawford(state: MatchState) -> bool:
    """Whether someone is one point from winning and the Crawford game has been played."""
    togo = away(state)
    return togo is not None and state.match_length > 1 and min(togo) == 1 and not state.crawford


def is_beaver(state: MatchState) -> bool:
    """Whether the double on the table is a beaver, which the doubler must answer."""
    return state.doubled and state.turn == state.move


def is_raccoon(state: MatchState) -> bool:
    """Whether the double on the table is a raccoon; the side that answers already owns the cube."""
    return state.doubled and state.turn != state.move and state.cube_owner == state.turn


def _check_dice(dice: tuple[int, int]) -> None:
    if len(dice) != 2 or (tuple(dice) != NO_DICE and not all(1 <= die <= 6 for die in dice)):
        shown = " and ".join(str(die) for die in dice)
        raise ValueError(f"dice {shown}: two numbers from 1 to 6, or 0 and 0 before the roll")


def _check_cube(value: int, owner: int) -> None:
    if not (1 <= value <= MAX_CUBE and value & (value - 1) == 0):
        raise ValueError(f"cube value {value}: a power of two from 1 to {MAX_CUBE}")
    if owner not in (CENTRED, 0, 1):
        raise ValueError(f"cube owner {owner}: player 0, player 1, or -1 for a centred cube")


def _member(kind: type[_E], value: int, name: str) -> _E:
    try:
        return kind(value)
    except ValueError:
        raise ValueError(f"{name} {value}: 0 to {max(kind).value}") from None


def _check_score(state: MatchState) -> None:
    length = state.match_length
    if not 0 <= length <= MAX_POINTS:
        raise ValueError(f"match length {length}: 0 (money) to {MAX_POINTS}")
    if len(state.score) != 2 or not all(0 <= points <= MAX_POINTS for points in state.score):
        raise ValueError(f"score {state.score}: two numbers from 0 to {MAX_POINTS}")
    if length and state.game_state == GameState.PLAYING and max(state.score) >= length:
        raise ValueError(f"score {max(state.score)} in a match to {length}: the match is over")
    if state.beavers and length:
        raise ValueError("beavers in a match: for money only")
    if state.crawford and length == 0:
        raise ValueError("a money session has no Crawford game")
    if state.crawford and max(state.score) < length - 1:
        raise ValueError(
            f"Crawford game at {state.score[0]}-{state.score[1]} in a match to {length}: "
            "nobody is one point from winning"
        )


# The state of a position without a match. Sessions of gnubg and XG begin with the Jacoby rule.
MONEY = MatchState(jacoby=True)
