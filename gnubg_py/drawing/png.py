"""A board as a picture: a PNG file, where matplotlib is installed."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from gnubg_py.board import Board
from gnubg_py.drawing.shapes import HEIGHT, PAPER, WIDTH, Circle, Polygon, Shape, Text, board_shapes
from gnubg_py.files import write_aside
from gnubg_py.match import MatchState


def write_board_png(board: Board, state: MatchState, path: Path, width: int = 930) -> None:
    """Draw a board ``int8[2, 25]``, row 0 that of ``state.move``, ``width`` pixels wide.

    ``ValueError`` without matplotlib.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ValueError(
            f"{path}: PNG files need matplotlib: pip install 'gnubg-py[plots]', or write an .svg"
        ) from error
    scale = width / WIDTH
    figure = Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100 * scale, facecolor=PAPER)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(HEIGHT, 0)
    axes.axis("off")
    for shape in board_shapes(board, state):
        _draw(axes, shape)
    png = BytesIO()
    figure.savefig(png, format="png")
    write_aside(path, png.getvalue())


def _draw(axes: object, shape: Shape) -> None:
    from matplotlib import patches
    from matplotlib.axes import Axes

    assert isinstance(axes, Axes)
    if isinstance(shape, Text):
        alignment = {"start": "left", "middle": "center", "end": "right"}[shape.anchor]
        # Points of 1/72 inch, where the shapes' unit is 1/100 inch.
        size = shape.size * 0.72
        axes.text(
            shape.x, shape.y, shape.text, fontsize=size, color=shape.fill, ha=alignment,
            va="center_baseline",
        )  # fmt: skip
        return
    patch: patches.Patch
    if isinstance(shape, Polygon):
        patch = patches.Polygon(shape.points, facecolor=shape.fill)
    elif isinstance(shape, Circle):
        patch = patches.Circle(
            (shape.x, shape.y), shape.radius, facecolor=shape.fill, edgecolor=shape.edge
        )
    else:
        style = patches.BoxStyle.Round(pad=0, rounding_size=shape.round)
        patch = patches.FancyBboxPatch(
            (shape.x, shape.y), shape.width, shape.height, boxstyle=style,
            facecolor=shape.fill, edgecolor=shape.edge or "none",
        )  # fmt: skip
    patch.set_linewidth(0.72)
    axes.add_patch(patch)
