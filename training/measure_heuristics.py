"""Measure how well the two heuristics play.

``python -m gnubg_py.training.measure_heuristics DECISIONS``.

Prints two Markdown tables: equity given up per decision of a judged decisions file, by class, and
points per game of pairings, two games to each set of dice. Nothing is fitted here.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from gnubg_py.cli import DONE, guarded
from gnubg_py.compare.decisions import (
    Decisions,
    Score,
    given_up,
    read_decisions,
    score,
    scores_by_class,
)
from gnubg_py.compare.duel import mean_and_error, play_games
from gnubg_py.compare.players import leaf_chooser, random_chooser
from gnubg_py.evaluators.heuristics.pseudopip import (
    PseudopipLeaf,
    PseudopipWeights,
    pseudopip_lead,
    pseudopip_one_step,
    pseudopip_three_steps,
    three_step_scores,
)
from gnubg_py.evaluators.heuristics.ten_factor import (
    TenFactorLeaf,
    ten_factor_lead,
    ten_factor_play,
)
from gnubg_py.groups import Chooser, lowest

SHOWN = ("contact", "crashed", "race", "bearoff", "all")


def choosers(seed: int) -> dict[str, Chooser]:
    """Everything measured, by the name it has in the tables."""
    by_roll = PseudopipWeights(pool_replies=False)
    return {
        "random play": random_chooser(seed),
        "pseudopip, one step": pseudopip_one_step,
        "pseudopip, three steps": pseudopip_three_steps,
        "pseudopip, three steps, replies averaged by roll": lambda boards, dice, plays, offsets: (
            lowest(three_step_scores(boards, plays, offsets, by_roll)[0], offsets)
        ),
        "pseudopip, lead after the play": lambda boards, dice, plays, offsets: lowest(
            pseudopip_lead(plays), offsets
        ),
        "pseudopip leaf": leaf_chooser(PseudopipLeaf()),
        "ten-factor play": ten_factor_play,
        "ten-factor, lead after the play": lambda boards, dice, plays, offsets: lowest(
            ten_factor_lead(plays), offsets
        ),
        "ten-factor leaf": leaf_chooser(TenFactorLeaf()),
    }


PAIRINGS = (
    ("pseudopip, one step", "random play"),
    ("pseudopip, three steps", "random play"),
    ("pseudopip leaf", "random play"),
    ("ten-factor play", "random play"),
    ("ten-factor leaf", "random play"),
    ("pseudopip, three steps", "pseudopip, one step"),
    ("pseudopip leaf", "pseudopip, one step"),
    ("pseudopip leaf", "pseudopip, three steps"),
    ("ten-factor leaf", "ten-factor play"),
    ("ten-factor play", "pseudopip, one step"),
    ("ten-factor leaf", "pseudopip leaf"),
)
PAIRED = (
    ("pseudopip, three steps", "pseudopip, one step"),
    ("pseudopip leaf", "pseudopip, lead after the play"),
    ("ten-factor leaf", "ten-factor, lead after the play"),
)


def _cell(value: Score) -> str:
    return f"{value.error:.1f} ± {value.standard_error:.1f}"


def decisions_table(decisions: Decisions, measured: dict[str, Chooser]) -> str:
    """Thousandths of a point given up per decision; then paired differences over all."""
    lost = {
        name: given_up(
            decisions,
            chooser(decisions.boards, decisions.dice, decisions.candidates, decisions.offsets),
        )
        for name, chooser in measured.items()
    }
    classes = [c for c in SHOWN if c == "all" or np.any(decisions.classes == c)]
    lines = ["| | " + " | ".join(classes) + " |", "|---|" + "---|" * len(classes)]
    for name in measured:
        scores = scores_by_class(decisions, lost[name])
        lines.append(f"| {name} | " + " | ".join(_cell(scores[c]) for c in classes) + " |")
    lines += ["", "| paired difference, all decisions | |", "|---|---|"]
    lines += [f"| {a} less {b} | {_cell(score(lost[a] - lost[b]))} |" for a, b in PAIRED]
    return "\n".join(lines)


def games_table(measured: dict[str, Chooser], pairs: int, seed: int) -> str:
    """Points per game of each pairing, for the first named."""
    lines = ["| | against | points per game |", "|---|---|---|"]
    for first, second in PAIRINGS:
        record = play_games((measured[first], measured[second]), pairs, seed)
        mean, error = mean_and_error(record.points)
        lines.append(f"| {first} | {second} | {mean:+.3f} ± {error:.3f} |")
    return "\n".join(lines)


def main() -> int:
    """Read the file, measure, print."""
    parser = argparse.ArgumentParser(description="Measure how well the two heuristics play.")
    parser.add_argument("decisions", type=Path, help="judged decisions, as decisions.jsonl.gz")
    parser.add_argument("--pairs", type=int, default=1000, help="pairs of games (default 1000)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    measured = choosers(args.seed)
    print(decisions_table(read_decisions(args.decisions), measured), flush=True)
    print("\n" + games_table(measured, args.pairs, args.seed))
    return DONE


if __name__ == "__main__":
    raise SystemExit(guarded(main))
