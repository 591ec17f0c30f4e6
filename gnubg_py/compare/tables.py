"""A comparison as terminal text, as JSON values, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from gnubg_py.compare.agreement import Agreement
from gnubg_py.compare.calibration import CALIBRATED, Calibration
from gnubg_py.compare.decisions import MILLIPOINTS
from gnubg_py.compare.phases import PHASES, phases
from gnubg_py.compare.showcase import Showcase
from gnubg_py.compare.strength import or_nothing, plus_minus, table_in_parts
from gnubg_py.notation import play_text

KINDS = ("all", "class", "phase", "situation")


def agreement_text(agreement: Agreement) -> str:
    """The text for a terminal: a table of players, of losses by group, and of agreement."""
    n = len(agreement.decisions.ids)
    lines = [
        f"{n:,} decision{'s' * (n != 1)}; thousandths of a point given up, by "
        f"{agreement.reference}:",
        "",
        f"{'':<20}{'gives up':>15}{'95 %':>7}{'best':>8}{'rank':>8}{'decisions/s':>13}",
    ]
    for player in agreement.players:
        loss = player.by_group["all"]["all"]
        lines.append(
            f"{player.name:<20}{plus_minus(loss.mean, loss.standard_error, 2):>15}"
            f"{loss.percentile_95:>7.0f}{100 * loss.agreement:>6.1f} %"
            f"{or_nothing(player.rank_correlation, '.3f'):>8}{player.decisions_per_second:>13,.0f}"
        )
    lines += ["", "Mean, and 95th percentile, by kind of position:", "", _groups(agreement)]
    if len(agreement.players) > 1:
        lines += ["", "The same play, per cent:", "", _same(agreement)]
    return "\n".join(lines)


def _groups(agreement: Agreement) -> str:
    columns = []
    for player in agreement.players:
        cells = {
            name: f"{loss.mean:.1f} / {loss.percentile_95:.0f}"
            for kind in KINDS[1:]
            for name, loss in player.by_group[kind].items()
        }
        columns.append((player.name, cells))
    first = agreement.players[0].by_group
    counts = {name: loss.n for kind in KINDS[1:] for name, loss in first[kind].items()}
    return table_in_parts(counts, columns)


def _same(agreement: Agreement) -> str:
    wide = max(9, max(len(p.name) for p in agreement.players) + 2)
    lines = [f"{'':<20}" + "".join(f"{p.name:>{wide}}" for p in agreement.players)]
    for player, row in zip(agreement.players, agreement.same.tolist(), strict=True):
        lines.append(f"{player.name:<20}" + "".join(f"{100 * share:>{wide}.1f}" for share in row))
    return "\n".join(lines)


def calibration_text(calibrations: Sequence[Calibration]) -> str:
    """A table of mean distances of chances from observed shares, in percent, and Brier scores."""
    head = "".join(f"{outcome:>18}" for outcome in CALIBRATED)
    lines = [
        f"Chances against {calibrations[0].positions:,} games: mean error, per cent / Brier score",
        "",
        f"{'':<20}{head}",
    ]
    for c in calibrations:
        cells = [f"{100 * c.error[o]:.1f} / {c.brier[o]:.4f}" for o in CALIBRATED]
        lines.append(f"{c.player:<20}" + "".join(f"{cell:>18}" for cell in cells))
    return "\n".join(lines)


def showcase_text(item: Showcase) -> str:
    """One decision, with a line for each play."""
    lines = [f"{item.id}  {item.dice[0]}{item.dice[1]}  ({item.position_class})"]
    for play in item.plays:
        lines.append(f"  {play.text:<28}{play.cost:>8.1f}  {', '.join(play.played_by)}".rstrip())
        for v in play.views:
            lines.append(
                f"      {v.player:<20}{v.equity:+.3f}  {100 * v.win:.1f} % "
                f"(gammons {100 * v.win_gammon:.1f}, {100 * v.lose_gammon:.1f})"
            )
    return "\n".join(lines)


def agreement_dict(agreement: Agreement) -> dict[str, Any]:
    """The comparison as a dictionary for JSON."""
    return {
        "reference": agreement.reference,
        "decisions": len(agreement.decisions.ids),
        "players": [
            {
                "player": p.name,
                "losses": {
                    kind: {name: asdict(loss) for name, loss in p.by_group[kind].items()}
                    for kind in KINDS
                },
                "rank_correlation": p.rank_correlation,
                "decisions_per_second": p.decisions_per_second,
                "positions_per_second": p.positions_per_second,
            }
            for p in agreement.players
        ],
        "same_play": agreement.same.tolist(),
    }


CSV_COLUMNS = (
    *("id", "class", "phase", "dice", "best_play", "player", "play", "given_up"),
    "equity",
)


def csv_text(agreement: Agreement) -> str:
    """CSV text, a line for each decision and player. ``given_up`` is in thousandths of a point.

    ``equity`` is the player's own estimate of its play; it is empty if the player does not value
    positions, or did not value this one.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(CSV_COLUMNS)
    for number in range(len(agreement.decisions.ids)):
        writer.writerows(_csv_rows(agreement, number))
    return text.getvalue()


def _csv_rows(agreement: Agreement, number: int) -> list[list[str]]:
    d = agreement.decisions
    board, first, last = d.boards[number], d.offsets[number], d.offsets[number + 1]
    dice = (int(d.dice[number, 0]), int(d.dice[number, 1]))
    best = int(first + d.equities[first:last].argmax())
    phase = PHASES[int(phases(board[None])[0])]
    start = [d.ids[number], str(d.classes[number]), phase, f"{dice[0]}{dice[1]}"]
    texts: dict[int, str] = {}
    rows = []
    for player in agreement.players:
        chosen = int(player.chosen[number])
        for row in (best, chosen):
            texts.setdefault(row, play_text(board, dice, d.candidates[row]))
        equity = float("nan") if player.equities is None else float(player.equities[chosen])
        loss = f"{MILLIPOINTS * float(player.losses[number]):.3f}"
        shown = "" if equity != equity else f"{equity:.5f}"
        rows.append([*start, texts[best], player.name, texts[chosen], loss, shown])
    return rows
