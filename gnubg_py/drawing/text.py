"""A board drawn in text, as gnubg draws it on a terminal.

X is player 1 and sits at the bottom, O is player 0 at the top, whoever is on roll; the points
are numbered from the side on roll, and the arrow beside the bar shows which way it looks.
"""

from __future__ import annotations

import numpy as np

from gnubg_py.board import BAR, CHECKERS, Board, check_board
from gnubg_py.match import CENTRED, NO_DICE, GameState, MatchState, Resignation
from gnubg_py.messages import counted
from gnubg_py.notation import match_id, position_id

_ROWS = 5
_MARKS = "OX"
_RESIGNED = {
    Resignation.SINGLE: "single game",
    Resignation.GAMMON: "gammon",
    Resignation.BACKGAMMON: "backgammon",
}


def draw(
    board: Board,
    state: MatchState,
    names: tuple[str, str] = ("player 0", "player 1"),
    *,
    clockwise: bool = False,
) -> str:
    """The drawing of a board ``int8[2, 25]``, whose row 0 is ``state.move``'s, in a match state.

    ``names`` are those of player 0 and player 1. X bears off at the lower right, or with
    ``clockwise`` at the lower left. No line ends with a space, and the text does not end with a
    line break. After the game neither player is shown on roll.

    >>> from gnubg_py.board import START
    >>> print(draw(START, MatchState(match_length=7, dice=(3, 1))).splitlines()[3])
     | X           O    |   | O              X |     0 points
    """
    check_board(board)
    players = [np.asarray(board)[0 if state.move == player else 1].tolist() for player in (0, 1)]
    numbers = list(range(1, 13)) if clockwise else list(range(12, 0, -1))
    top = [25 - number for number in numbers]
    rows = [*_half(players, top, bar=0), None, *_half(players, numbers, bar=1)[::-1]]
    offs = [*_off(players[0], "O"), "", *_off(players[1], "X")[::-1]]
    arrow = "^v"[state.move]
    indent = "    " if clockwise else " "
    lines = [
        f"{indent}gnubg_py        Position ID: {position_id(board)}",
        f"{indent}                Match ID   : {match_id(state)}",
    ]
    infos = _infos(state, names)
    for row, off, info in zip(rows, offs, infos[1:-1], strict=True):
        middle = row is None
        cells = row or f"|{' ' * 18}|BAR|{' ' * 18}|"
        if clockwise:
            lines.append(f"{off:>3} {cells}{arrow if middle else ' '} {info}")
        else:
            lines.append(f"{arrow if middle else ' '}{cells} {off:<3} {info}")
    gap = "  " if clockwise else "     "
    lines.insert(2, f"{indent}{_border(top, state.move)}{gap}{infos[0]}")
    lines.append(f"{indent}{_border(numbers, state.move)}{gap}{infos[-1]}")
    return "\n".join(line.rstrip() for line in lines)


def _border(points: list[int], move: int) -> str:
    """A border with the numbers of ``points``, which X counts; O's number is 25 less X's."""
    labels = [f"{point if move == 1 else 25 - point:->2}" for point in points]
    return f"+{'-'.join(labels[:6])}------{'-'.join(labels[6:])}-+"


def _half(players: list[list[int]], points: list[int], bar: int) -> list[str | None]:
    """Five rows of half the board, from the edge to the middle, with the bar of player ``bar``."""
    stacks = [_point_stack(players, point) for point in points]
    bar_stack = _stack(players[bar][BAR], _MARKS[bar])
    rows: list[str | None] = []
    for i in range(_ROWS):
        cells = [f" {stack[i]} " for stack in stacks]
        rows.append(f"|{''.join(cells[:6])}| {bar_stack[i]} |{''.join(cells[6:])}|")
    return rows


def _point_stack(players: list[list[int]], point: int) -> str:
    """The stack on X's point ``point``, which is O's point ``25 - point``."""
    o, x = players[0][24 - point], players[1][point - 1]
    return _stack(x, "X") if x else _stack(o, "O")


def _stack(count: int, mark: str) -> str:
    """Five characters, from the edge. More than five checkers show their number; A is 10."""
    return (mark * 4 + f"{count:X}") if count > _ROWS else f"{mark * count:<5}"


def _off(row: list[int], mark: str) -> list[str]:
    """The checkers borne off, five to a column, from the edge."""
    off = CHECKERS - sum(row)
    return [mark * ((off - i + _ROWS - 1) // _ROWS) for i in range(_ROWS)]


def _infos(state: MatchState, names: tuple[str, str]) -> list[str]:
    """The 13 texts to the right of the board, from the top border to the bottom border."""
    owners = [f" (Cube: {state.cube_value})" * _shows_cube(state, player) for player in (0, 1)]
    title = [f"{_MARKS[player]}: {names[player]}{owners[player]}" for player in (0, 1)]
    points = [counted(n, "point") for n in state.score]
    action = [_action(state, player) for player in (0, 1)]
    return [
        *(title[0], points[0], action[0], "", "", ""),
        _rules(state),
        *("", "", "", action[1], points[1], title[1]),
    ]


def _shows_cube(state: MatchState, owner: int) -> bool:
    return state.cube_owner == owner and not state.doubled


def _rules(state: MatchState) -> str:
    """The match length and, where nobody owns it, the cube."""
    n = state.match_length
    words = [f"{counted(n, 'point')} match"] if n else []
    if state.crawford:
        words.append("(Crawford game)")
    elif n != 1 and _shows_cube(state, CENTRED):
        words.append(f"(Cube: {state.cube_value})")
    return " ".join(words)


def _action(state: MatchState, player: int) -> str:
    """What a player has rolled or offers, or is offered."""
    if state.game_state != GameState.PLAYING:
        return ""
    words = []
    if state.doubled:
        if player == state.turn:
            words.append(f"Cube offered at {2 * state.cube_value}")
    elif player == state.move:
        rolled = state.dice != NO_DICE
        words.append(f"Rolled {state.dice[0]}{state.dice[1]}" if rolled else "On roll")
    if state.resigned and player != state.turn:
        words.append(f"resigns {_RESIGNED[state.resigned]}")
    return ", ".join(words)
