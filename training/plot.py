"""Plots: curves of one run, from its log; residuals of several runs; bars by group.

``python -m gnubg_py.training.plot OUT.png LOG ...`` draws the residuals of runs over the positions
that they have played.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from gnubg_py.exits import DONE, guarded
from gnubg_py.files import read_lines


def read_log(path: Path) -> list[dict[str, Any]]:
    """The lines of a run's log; ``ValueError`` names the first that is not JSON."""
    lines = []
    for number, text in enumerate(read_lines(path), 1):
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
    groups = list(next(iter(values.values())))
    figure = _figure(8, 1 + 0.35 * len(groups))
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


def _figure(width: float, height: float) -> Any:
    """An empty figure, in inches; ``ValueError`` where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ValueError("plots need matplotlib: pip install 'gnubg-py[plots]'") from error
    return Figure(figsize=(width, height), layout="constrained")


def draw_residuals(path: Path, logs: list[Path]) -> None:
    """Draw the residuals of self-play runs, in their logs' reports, over positions played."""
    figure = _figure(7, 4)
    axes = figure.subplots()
    for log in logs:
        lines = [line for line in read_log(log) if line.get("residual")]
        if not lines:
            raise ValueError(f"{log}: no residuals in it (a distilling run has none)")
        name = log.parent.name if log.stem == "log" else log.stem
        positions = [line["positions"] / 1e6 for line in lines]
        axes.plot(positions, [1e3 * line["residual"] for line in lines], label=name)
    axes.set_xlabel("million positions played")
    axes.set_ylabel("residual, thousandths of a point")
    axes.legend()
    figure.savefig(path, dpi=100)


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m gnubg_py.training.plot", description=__doc__)
    parser.add_argument("out", type=Path, help="the plot to write (.png, .svg)")
    parser.add_argument("logs", type=Path, nargs="+", metavar="LOG", help="logs of runs (.jsonl)")
    args = parser.parse_args(argv)

    def work() -> int:
        draw_residuals(args.out, args.logs)
        return DONE

    return guarded(work)


if __name__ == "__main__":
    raise SystemExit(main())
