"""gnubg's `simple` form: 26 numbers, as `set board simple` reads them.

The bar of the side on roll, its points 1 to 24 (the other side's checkers below 0), and the other
side's bar. What is missing to 15 is off.
"""

from __future__ import annotations

import numpy as np

from gnubg_py.board import BAR, POINTS, Board, check_board
from gnubg_py.errors import NotationError

_NUMBERS = POINTS + 2


def simple(board: Board) -> str:
    """The 26 numbers of a board ``int8[2, 25]``, both bars as plain counts.

    >>> from gnubg_py.board import START
    >>> simple(START)
    '0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0'
    """
    check_board(board)
    mover, other = np.asarray(board).astype(int)
    points = mover[:POINTS] - other[POINTS - 1 :: -1]
    return " ".join(str(number) for number in (mover[BAR], *points, other[BAR]))


def from_simple(text: str) -> Board:
    """Read the 26 numbers, with or without the word ``simple`` before them.

    The other side's bar may be written below 0, as its points are.
    """
    words = text.split()
    if words and words[0].lower() == "simple":
        words = words[1:]
    if len(words) != _NUMBERS:
        raise NotationError(f"simple form: {len(words)} numbers, should be {_NUMBERS}")
    numbers = [_number(word, place) for place, word in enumerate(words)]
    if numbers[0] < 0:
        raise NotationError(f"simple form: number 1, the bar of the side on roll, is {numbers[0]}")
    board = np.zeros((2, 25), dtype=np.int8)
    for point, number in enumerate(numbers[1:-1]):
        if number > 0:
            board[0, point] = number
        elif number < 0:
            board[1, POINTS - 1 - point] = -number
    board[:, BAR] = numbers[0], abs(numbers[-1])
    try:
        check_board(board)
    except ValueError as error:
        raise NotationError(f"simple form: {error}") from None
    return board


def _number(word: str, place: int) -> int:
    digits = word.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and int(digits) <= 15):
        raise NotationError(f"simple form: number {place + 1} is {word!r}, should be -15 to 15")
    return int(word)
