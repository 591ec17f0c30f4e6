"""A board as a picture: SVG text."""

from __future__ import annotations

from html import escape

from gnubg_py.board import Board
from gnubg_py.drawing.shapes import HEIGHT, WIDTH, Circle, Polygon, Rect, Shape, board_shapes
from gnubg_py.match import MatchState
from gnubg_py.notation import gnubg_id

FONT = "system-ui, sans-serif"


def board_svg(board: Board, state: MatchState) -> str:
    """The board ``int8[2, 25]`` (row 0 is ``state.move``'s) as the text of a complete SVG picture.

    The picture is as wide as the element around it. X, player 1, sits at the bottom.

    >>> from gnubg_py.board import START
    >>> board_svg(START, MatchState(dice=(3, 1)))[:55]
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 62'
    """
    name = escape(gnubg_id(board, state))
    body = "".join(_svg(shape) for shape in board_shapes(board, state))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img" aria-label="{name}" font-family="{FONT}" stroke-width="1">'
        f"<title>{name}</title>{body}</svg>"
    )


def _svg(shape: Shape) -> str:
    if isinstance(shape, Rect):
        return (
            f'<rect x="{shape.x:g}" y="{shape.y:g}" width="{shape.width:g}" '
            f'height="{shape.height:g}" rx="{shape.round:g}" {_paint(shape.fill, shape.edge)}/>'
        )
    if isinstance(shape, Circle):
        place = f'cx="{shape.x:g}" cy="{shape.y:g}" r="{shape.radius:g}"'
        return f"<circle {place} {_paint(shape.fill, shape.edge)}/>"
    if isinstance(shape, Polygon):
        points = " ".join(f"{x:g},{y:g}" for x, y in shape.points)
        return f'<polygon points="{points}" fill="{shape.fill}"/>'
    return (
        f'<text x="{shape.x:g}" y="{shape.y + 0.35 * shape.size:g}" font-size="{shape.size:g}" '
        f'text-anchor="{shape.anchor}" fill="{shape.fill}" xml:space="preserve">'
        f"{escape(shape.text)}</text>"
    )


def _paint(fill: str, edge: str | None) -> str:
    return f'fill="{fill}"' + (f' stroke="{edge}"' if edge else "")
