"""Plots: a run's curves over positions played, drawn from its log; bars of groups of positions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_log(path: Path) -> list[dict[str, Any]]:
    """The lines of a run's log; ``ValueError`` names the first that is not JSON."""
    lines = []
    for number, text in enumerate(path.read_text().splitlines(), 1):
        try:
            lines.append(json.loads(text))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: not a line of a training log") from error
    return lines


def draw_curves(folder: Path) -> Path | None:
    """Draw ``curves.png`` beside the log; None where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    lines = read_log(folder / "log.jsonl")
    positions = [line["positions"] / 1e6 for line in lines]
    figure = Figure(figsize=(7, 6), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    names = [n for n in ("contact", "crashed", "race+bearoff") if n in lines[-1].get("scores", {})]
    for name in names:
        upper.plot(positions, [line["scores"][name] for line in lines], label=name)
    upper.set_ylabel("thousandths given up a decision")
    upper.set_yscale("log")
    if names:
        upper.legend()
    lower.plot(positions, [line["loss"] for line in lines], color="tab:gray", label="loss")
    lower.set_ylabel("loss")
    lower.set_xlabel("million positions played")
    right = lower.twinx()
    right.plot(positions, [line["residual"] for line in lines], color="tab:red")
    right.set_ylabel("residual, points", color="tab:red")
    path = folder / "curves.png"
    figure.savefig(path, dpi=100)
    return path


def draw_bars(path: Path, values: dict[str, dict[str, float]], label: str) -> None:
    """Draw a bar for every group (inner name) of every net (outer name)."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ValueError("plots need matplotlib: pip install 'gnubg-py[plots]'") from error
    groups = list(next(iter(values.values())))
    figure = Figure(figsize=(8, 1 + 0.35 * len(groups)), layout="constrained")
    axes = figure.subplots()
    thick = 0.8 / len(values)
    for number, (name, heights) in enumerate(values.items()):
        places = [place + number * thick for place in range(len(groups))]
        axes.barh(places, [heights[group] for group in groups], thick, label=name)
    axes.set_yticks([place + 0.4 - thick / 2 for place in range(len(groups))], groups)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.legend()
    figure.savefig(path, dpi=100)
