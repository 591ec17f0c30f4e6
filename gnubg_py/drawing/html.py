"""HTML of a result for notebooks: a picture of the board, and the text of the result below it."""

from __future__ import annotations

from html import escape

from gnubg_py.board import Board
from gnubg_py.drawing.svg import board_svg
from gnubg_py.match import MatchState

_BOARD_WIDTH = 460


def result_html(board: Board, state: MatchState, text: str) -> str:
    """The board ``int8[2, 25]`` (row 0 is ``state.move``'s) and a result's text, as HTML.

    >>> from gnubg_py.board import START
    >>> result_html(START, MatchState(), "a < b")[-19:]
    '<pre>a &lt; b</pre>'
    """
    return (
        f'<div style="max-width:{_BOARD_WIDTH}px">{board_svg(board, state)}</div>'
        f"<pre>{escape(text)}</pre>"
    )
