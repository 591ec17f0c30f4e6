"""The report's plots, as SVG text: bars of losses, and calibration."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gnubg_py.compare.agreement import Loss
from gnubg_py.compare.calibration import Bin

COLOURS = ("#c2571a", "#1f6f8b", "#5b8c2a", "#8a4f9e", "#b08900", "#6b7280")
"""The colours of the players in order; they differ in more than red and green."""
_ROW, _BAR = 18, 13
_LEAST = 20  # the positions that a bin needs to be plotted


def colour(number: int) -> str:
    """The colour of the player of that number."""
    return COLOURS[number % len(COLOURS)]


def bars(groups: Sequence[str], columns: Sequence[dict[str, Loss]], title: str) -> str:
    """Mean losses by group, with a bar and its 95 % interval for each player."""
    left, width = 150, 416
    most = max((_high(c[g]) for c in columns for g in groups if g in c), default=0.0) or 1.0
    step = len(columns) * _ROW + 12
    scale = (width - left - 36) / most
    parts = []
    for i, group in enumerate(groups):
        top = 6 + i * step
        middle = top + (step - 12) / 2
        parts.append(_text(left - 10, middle, group, "end"))
        for j, column in enumerate(columns):
            if group in column:
                parts.append(_bar(column[group], left, top + j * _ROW, scale, colour(j)))
    height = 6 + len(groups) * step
    return _svg(width, height, title, "".join(parts))


def _high(loss: Loss) -> float:
    """The upper end of the mean's 95 % interval."""
    return loss.mean + (1.96 * loss.standard_error if loss.n > 1 else 0.0)


def _bar(loss: Loss, left: float, top: float, scale: float, fill: str) -> str:
    length = max(loss.mean * scale, 0.5)
    middle = top + _BAR / 2
    high = max(left + _high(loss) * scale, left + length)
    low = max(left, left + 2 * length - (high - left))
    return (
        f'<rect x="{left}" y="{top:g}" width="{length:.1f}" height="{_BAR}" fill="{fill}" rx="2"/>'
        f'<path d="M{low:.1f} {middle:g}H{high:.1f}" stroke="currentColor" opacity="0.55"/>'
        + _text(high + 5, middle, f"{loss.mean:.1f}", "start", 11)
    )


def calibration_plot(columns: Sequence[tuple[int, Sequence[Bin]]], title: str) -> str:
    """Plot observed shares against estimated chances, from (player number, bins) pairs."""
    left, top, side = 38, 8, 240

    def x(value: float) -> float:
        return left + side * value

    def y(value: float) -> float:
        return top + side * (1 - value)

    parts = [
        f'<rect x="{left}" y="{top}" width="{side}" height="{side}" fill="none" '
        'stroke="currentColor" opacity="0.35"/>',
        f'<path d="M{x(0)} {y(0)}L{x(1)} {y(1)}" stroke="currentColor" opacity="0.5" '
        'stroke-dasharray="4 4"/>',
    ]
    for mark in (0.0, 0.5, 1.0):
        parts.append(_text(x(mark), y(0) + 14, f"{100 * mark:.0f} %", "middle", 11))
        parts.append(_text(left - 5, y(mark), f"{100 * mark:.0f}", "end", 11))
    parts.append(_text(x(0.5), y(0) + 30, "chance given", "middle", 11))
    for number, everything in columns:
        fill = colour(number)
        bins = [b for b in everything if b.n >= _LEAST]
        line = " ".join(f"{x(b.predicted):.1f},{y(b.observed):.1f}" for b in bins)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{fill}" stroke-width="1.5"/>')
        for b in bins:
            low, high = (min(max(b.observed + k * b.standard_error, 0), 1) for k in (-1.96, 1.96))
            parts.append(
                f'<path d="M{x(b.predicted):.1f} {y(low):.1f}V{y(high):.1f}" stroke="{fill}" '
                f'opacity="0.6"/><circle cx="{x(b.predicted):.1f}" cy="{y(b.observed):.1f}" '
                f'r="3" fill="{fill}"/>'
            )
    return _svg(left + side + 22, top + side + 44, title, "".join(parts))


def _text(x: float, y: float, text: str, anchor: str, size: float = 12.5) -> str:
    return (
        f'<text x="{x:.1f}" y="{y + 0.35 * size:.1f}" text-anchor="{anchor}" font-size="{size:g}" '
        f'fill="currentColor">{escape(text)}</text>'
    )


def _svg(width: float, height: float, title: str, body: str) -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {width:g} {height:g}" style="max-width:{1.2 * width:g}px" '
        f'role="img" aria-label="{escape(title)}"><title>{escape(title)}</title>{body}</svg>'
    )
