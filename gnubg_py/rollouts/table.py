"""A rollout as a table, as gnubg has it: means, and their standard errors beneath."""

from __future__ import annotations

from math import isfinite

from gnubg_py.rollouts.result import INTERRUPTED, STOPPED, RolloutResult, Row
from gnubg_py.rollouts.task import CUBE

_HEADS = ("Win", "W g", "W bg", "L g", "L bg", "Cubeless", "Cubeful")


_LABEL = 7


def table(result: RolloutResult) -> str:
    """The whole table, best alternative first where there are plays; within 80 columns."""
    rows = list(result.rows)
    if result.task.kind != CUBE:
        rows.sort(key=lambda row: -row.equity)
    is_match = rows[0].mwc is not None
    heads = [f"{head:>8}" for head in _HEADS[:5]] + [f"{head:>10}" for head in _HEADS[5:]]
    lines = [" " * _LABEL + "".join([*heads, f"{'MWC':>9}"] if is_match else heads)]
    for row in rows:
        lines += _lines(row)
    lines += ["", *_summary(result)]
    lines += _decision_lines(result)
    return "\n".join(lines)


def _lines(row: Row) -> list[str]:
    """The alternative's name, if it has one, with how far it is behind; means; standard errors."""
    # Adding 0 makes -0 a plain 0.
    means = [f"{round(x, 4) + 0.0:>8.4f}" for x in row.probabilities]
    errors = [f"{x:>8.4f}" for x in row.probability_errors]
    means.append(f"{row.cubeless_equity:>+10.4f}")
    errors.append(f"{row.cubeless_error:>10.4f}")
    if row.cubeful_equity is not None:
        means.append(f"{row.cubeful_equity:>+10.4f}")
        errors.append(f"{row.cubeful_error:>10.4f}")
    if row.mwc is not None:
        means.append(f"{row.mwc:>9.2%}")
        errors.append(f"{row.mwc_error:>9.2%}")
    lines = []
    if row.name:
        behind = f"  ({row.difference:+.4f} ± {row.difference_error:.4f})"
        lines.append(row.name + (behind if row.difference < 0 else ""))
    label = f"{'mean':>6}", f"{'error':>6}"
    return [
        *lines,
        *(f"{name:<{_LABEL}}" + "".join(x) for name, x in zip(label, (means, errors), strict=True)),
    ]


def _summary(result: RolloutResult) -> list[str]:
    end = ""
    if result.ending == INTERRUPTED:
        end = f", interrupted before {result.settings.trials}"
    elif result.ending == STOPPED:
        end = f", stopped by its rule before {result.settings.trials}"
    each = " each" if len(result.rows) > 1 else ""
    lines = [
        f"{result.trials} trials{each}{end}, {result.seconds:.1f} s, "
        f"{result.games_per_second:.0f} games/s, seed {result.settings.seed}"
    ]
    if result.settings.variance_reduction:
        factor = max(row.reduction for row in result.rows)
        smaller = f"{factor:.1f} times smaller" if isfinite(factor) else "taken away altogether"
        lines.append(f"Standard error {smaller} by variance reduction.")
    return lines


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
