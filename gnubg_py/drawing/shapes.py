"""A board as a list of shapes, which SVG pictures, PNG pictures and reports draw.

X is player 1 and sits at the bottom, O is player 0 at the top, as in ``gnubg_py.drawing.text``; the
points are numbered from the side on roll, and the side on roll is marked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gnubg_py.board import BAR, CHECKERS, Board, check_board, pip_count
from gnubg_py.match import CENTRED, NO_DICE, MatchState

WIDTH, HEIGHT = 620, 496
_SPACE = 40  # the width of a point
_RADIUS = 18
_LEFT, _TOP, _BOTTOM = 50, 44, 452
_BAR_X = _LEFT + 6 * _SPACE
_RIGHT = _BAR_X + 7 * _SPACE
_MIDDLE = (_TOP + _BOTTOM) // 2
_STACK, _BAR_STACK = 5, 4

WOOD, FELT, LIGHT_POINT, DARK_POINT = "#6b4f3a", "#e9e2d3", "#cdbb9b", "#9a5a3c"
CHECKER = ("#fbf8f1", "#243b53")
ON_CHECKER = ("#243b53", "#fbf8f1")
EDGE, INK, PAPER, TRAY = "#2b211a", "#33302c", "#ffffff", "#4e392a"


@dataclass(frozen=True)
class Rect:
    x: float
    y: float
    width: float
    height: float
    fill: str
    edge: str | None = None
    round: float = 0


@dataclass(frozen=True)
class Polygon:
    points: tuple[tuple[float, float], ...]
    fill: str


@dataclass(frozen=True)
class Circle:
    x: float
    y: float
    radius: float
    fill: str
    edge: str | None = None


@dataclass(frozen=True)
class Text:
    """Words at (x, y): y is their middle, and x their ``anchor``: "start", "middle" or "end"."""

    x: float
    y: float
    text: str
    size: float
    fill: str = INK
    anchor: str = "middle"


Shape: TypeAlias = Rect | Polygon | Circle | Text


def board_shapes(board: Board, state: MatchState) -> list[Shape]:
    """The shapes of a board ``int8[2, 25]``, row 0 that of ``state.move``, from back to front."""
    check_board(board)
    players = [np.asarray(board)[0 if state.move == p else 1].tolist() for p in (0, 1)]
    pips = pip_count(board).tolist()
    shapes: list[Shape] = [
        Rect(0, 0, WIDTH, HEIGHT, PAPER),
        Rect(_LEFT - 6, _TOP - 6, _RIGHT - _LEFT + 54, _BOTTOM - _TOP + 12, WOOD, EDGE, 6),
        Rect(_LEFT, _TOP, 6 * _SPACE, _BOTTOM - _TOP, FELT),
        Rect(_BAR_X + _SPACE, _TOP, 6 * _SPACE, _BOTTOM - _TOP, FELT),
        Rect(_RIGHT + 6, _TOP, 36, _BOTTOM - _TOP, TRAY, EDGE, 3),
    ]
    for point in range(1, 25):
        shapes += _point(players, point, state.move)
    for player in (0, 1):
        shapes += _on_bar(players[player][BAR], player)
        shapes += _borne_off(CHECKERS - sum(players[player]), player)
        shapes += _legend(state, player, pips[0 if state.move == player else 1])
    return [*shapes, *_cube(state), *_dice(state)]


def _x_of(point: int) -> float:
    """The x of a point of X: 1 to 6 are at the lower right, 7 to 12 lower left, others above."""
    column = 12 - point if point <= 12 else point - 13
    return _LEFT + _SPACE * (column + (column >= 6)) + _SPACE / 2


def _point(players: list[list[int]], point: int, move: int) -> Iterator[Shape]:
    x, top = _x_of(point), point > 12
    base, tip = (_TOP, _MIDDLE - 34) if top else (_BOTTOM, _MIDDLE + 34)
    half = _SPACE / 2
    fill = LIGHT_POINT if point % 2 else DARK_POINT
    yield Polygon(((x - half, base), (x + half, base), (x, tip)), fill)
    number = point if move == 1 else 25 - point
    yield Text(x, _TOP - 15 if top else _BOTTOM + 16, str(number), 12)
    o, x_count = players[0][24 - point], players[1][point - 1]
    player = 1 if x_count else 0
    way = 1 if top else -1
    yield from _stack(x, base + way * (_RADIUS + 1), way, x_count or o, player, _STACK)


def _stack(x: float, first: float, way: int, count: int, player: int, most: int) -> Iterator[Shape]:
    """Checkers from ``first`` on; the last of ``most`` shows how many there are."""
    for i in range(min(count, most)):
        y = first + way * i * (2 * _RADIUS - 1)
        yield Circle(x, y, _RADIUS, CHECKER[player], EDGE)
        if count > most and i == most - 1:
            yield Text(x, y, str(count), 16, ON_CHECKER[player])


def _on_bar(count: int, player: int) -> Iterator[Shape]:
    """A player's checkers on the bar, in the half from which they enter."""
    way = -1 if player == 0 else 1
    return _stack(_BAR_X + _SPACE / 2, _MIDDLE + way * 40, way, count, player, _BAR_STACK)


def _borne_off(count: int, player: int) -> Iterator[Shape]:
    for i in range(count):
        y = _TOP + 4 + 11 * i if player == 0 else _BOTTOM - 13 - 11 * i
        yield Rect(_RIGHT + 9, y, 30, 9, CHECKER[player], EDGE, 2)


def _legend(state: MatchState, player: int, pips: int) -> Iterator[Shape]:
    """The text above or below the board: the player, pips and score, and whether it is on roll."""
    y = 14 if player == 0 else HEIGHT - 12
    yield Circle(_LEFT + 6, y, 7, CHECKER[player], EDGE)
    words = f"{'OX'[player]}   pips {pips}"
    if state.match_length:
        words += f"   score {state.score[player]} of {state.match_length}"
        words += "  (Crawford)" if state.crawford and player == 1 else ""
    if state.move == player:
        words += "   on roll"
    yield Text(_LEFT + 20, y, words, 14, anchor="start")


def _cube(state: MatchState) -> Iterator[Shape]:
    if state.crawford:
        return
    value = state.cube_value
    if state.doubled:
        y, value = _MIDDLE, 2 * value
    else:
        y = {CENTRED: _MIDDLE, 0: _TOP + 22, 1: _BOTTOM - 22}[state.cube_owner]
    shown = 64 if value == 1 else value
    yield Rect(4, y - 17, 34, 34, PAPER, EDGE, 5)
    yield Text(21, y, str(shown), 15 if shown < 100 else 11)


def _dice(state: MatchState) -> Iterator[Shape]:
    """The roll, on the right half for X and on the left for O."""
    if state.dice == NO_DICE:
        return
    half = _BAR_X + _SPACE if state.move == 1 else _LEFT
    for i, die in enumerate(state.dice):
        left = half + 3 * _SPACE - 38 + 42 * i
        yield Rect(left, _MIDDLE - 17, 34, 34, CHECKER[state.move], EDGE, 6)
        for column, row in _PIPS[die]:
            x, y = left + 17 + 9 * column, _MIDDLE + 9 * row
            yield Circle(x, y, 3.2, ON_CHECKER[state.move])


_CORNERS = ((-1, -1), (1, 1))
_OTHERS = ((-1, 1), (1, -1))
_SIDES = ((-1, 0), (1, 0))
_PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: _CORNERS,
    3: (*_CORNERS, (0, 0)),
    4: (*_CORNERS, *_OTHERS),
    5: (*_CORNERS, *_OTHERS, (0, 0)),
    6: (*_CORNERS, *_OTHERS, *_SIDES),
}
