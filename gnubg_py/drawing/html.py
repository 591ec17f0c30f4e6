"""HTML: results for notebooks, and the parts that the pages of reports have in common."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from gnubg_py.board import Board
from gnubg_py.drawing.svg import board_svg
from gnubg_py.match import MatchState

_BOARD_WIDTH = 460


def html_page(title: str, style: str, body: str) -> str:
    """A page that needs nothing else; ``title`` is text, ``style`` CSS, and ``body`` HTML."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        f"<body>{body}</body></html>\n"
    )


def html_table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of cells that are HTML."""
    head = "".join(f"<th>{cell}</th>" for cell in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>'


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
