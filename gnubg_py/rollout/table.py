"""A rollout as gnubg prints it: a row of means, and a row of standard errors beneath."""

from __future__ import annotations

from gnubg_py.rollout.result import INTERRUPTED, STOPPED, RolloutResult, Row
from gnubg_py.rollout.starts import CUBE

_HEADS = ("Win", "W g", "W bg", "L g", "L bg", "Cubeless", "Cubeful")


def table(result: RolloutResult) -> str:
    """The whole table, best alternative first where there are plays."""
    rows = list(result.rows)
    if result.task.kind != CUBE:
        rows.sort(key=lambda row: -row.equity)
    width = max(len("Standard error"), *(len(row.name) for row in rows))
    is_match = rows[0].mwc is not None
    heads = (*_HEADS, "MWC") if is_match else _HEADS
    lines = [" " * width + "".join(f"{head:>10}" for head in heads)]
    for row in rows:
        lines += _lines(row, width, several=len(rows) > 1)
    lines += ["", _summary(result)]
    lines += _decision_lines(result)
    return "\n".join(lines)


def _lines(row: Row, width: int, several: bool) -> list[str]:
    numbers = [*row.probabilities, row.cubeless_equity]
    errors = [*row.probability_errors, row.cubeless_error]
    first = f"{row.name:<{width}}" + "".join(
        f"{x:>10.4f}" if k < 5 else f"{x:>+10.4f}" for k, x in enumerate(numbers)
    )
    second = f"{'Standard error':<{width}}" + "".join(f"{x:>10.4f}" for x in errors)
    if row.cubeful_equity is not None:
        first += f"{row.cubeful_equity:>+10.4f}"
        second += f"{row.cubeful_error:>10.4f}"
    if row.mwc is not None:
        first += f"{row.mwc:>9.2%} "[:10].rjust(10)
        second += f"{row.mwc_error:>10.2%}"
    if several and row.difference < 0:
        first += f"  ({row.difference:+.4f})"
        second += f"  ({row.difference_error:.4f})"
    return [first, second]


def _summary(result: RolloutResult) -> str:
    end = ""
    if result.ending == INTERRUPTED:
        end = f", interrupted before {result.settings.trials}"
    elif result.ending == STOPPED:
        end = f", stopped by its rule before {result.settings.trials}"
    each = " each" if len(result.rows) > 1 else ""
    factor = max(row.reduction for row in result.rows)
    reduced = ""
    if result.settings.variance_reduction:
        reduced = f"; standard error {factor:.1f} times smaller by variance reduction"
    return (
        f"{result.trials} trials{each}{end}, {result.seconds:.1f} s, "
        f"{result.games_per_second:.0f} games/s, seed {result.settings.seed}{reduced}"
    )


def _decision_lines(result: RolloutResult) -> list[str]:
    decision = result.decision
    if decision is None:
        return []
    values = (
        ("No double", decision.no_double),
        ("Double, take", decision.double_take),
        ("Double, pass", decision.double_pass),
    )
    lines = ["", "Cubeful equities:"]
    for number, (name, value) in enumerate(sorted(values, key=lambda v: -v[1]), start=1):
        lines.append(f"{number}. {name:<14}{value:>+10.4f}")
    return [*lines, f"Proper cube action: {decision.words}"]
