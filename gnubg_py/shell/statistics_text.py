"""``show statistics`` in gnubg's layout."""

from __future__ import annotations

from gnubg_py.game.statistics import (
    CUBE_ERRORS,
    Statistics,
    Sum,
    luck_rating,
    rating,
    rating_difference,
    rating_losses,
)

Both = tuple[Statistics, Statistics]


def statistics_text(
    both: Both, names: tuple[str, str], length: int, result: float | None, factor: float = 1000
) -> str:
    """Everything about both players.

    ``result`` is what player 0 won, in points or, in a match to ``length``, as a chance of winning
    it above one half; None where nothing is decided yet.
    """
    unit = "MWC" if length else "Points"
    lines = [_row("Player", *(name[:22] for name in names)), "", "Chequerplay statistics", ""]
    lines += _plays(both, unit, length, factor)
    lines += ["", "Luck statistics", "", *_luck(both, unit, length, factor)]
    lines += ["", "Cube statistics", "", *_cube(both, unit, length, factor)]
    lines += ["", "Overall statistics", "", *_overall(both, unit, length, result, factor)]
    return "\n".join(line.rstrip() for line in lines)


def _row(title: str, left: object, right: object) -> str:
    return f"{title:<38} {left!s:<20} {right!s}"


def _counts(title: str, both: Both, name: str) -> str:
    return _row(title, getattr(both[0], name), getattr(both[1], name))


def _worth(value: float, length: int) -> str:
    return f"{100 * value:+.3f}%" if length else f"{value:+.3f}"


def _error(equity: float, worth: float, length: int) -> str:
    return f"{-abs(equity) or -0.0:+.3f} ({_worth(-abs(worth) or -0.0, length)})"


def _rate(equity: float, worth: float, n: int, length: int, factor: float) -> str:
    n = max(n, 1)
    return f"{-factor * equity / n or -0.0:+.1f} ({_worth(-worth / n or -0.0, length)})"


def _plays(both: Both, unit: str, length: int, factor: float) -> list[str]:
    marks = [
        _row(title, *(one.marks[mark] for one in both))
        for title, mark in (
            ("Unmarked moves", "unmarked"),
            ("Moves marked doubtful", "doubtful"),
            ("Moves marked bad", "bad"),
            ("Moves marked very bad", "very bad"),
        )
    ]
    sums = [one.play_error for one in both]
    rates = [
        _rate(one.play_error.equity, one.play_error.worth, one.unforced, length, factor)
        for one in both
    ]
    return [
        _counts("Total moves", both, "moves"),
        _counts("Unforced moves", both, "unforced"),
        *marks,
        _row(f"Error total EMG ({unit})", *(_error(s.equity, s.worth, length) for s in sums)),
        _row(f"Error rate mEMG ({unit})", *rates),
        _row("Chequerplay rating", *(_rated(one.play_rate, one.unforced) for one in both)),
    ]


def _rated(rate: float, decisions: int) -> str:
    return rating(rate) if decisions else "n/a"


def _luck(both: Both, unit: str, length: int, factor: float) -> list[str]:
    marks = [
        _row(f"Rolls {'' if mark == 'unmarked' else 'marked '}{mark}",
             *(one.luck_marks[mark] for one in both))
        for mark in ("very lucky", "lucky", "unmarked", "unlucky", "very unlucky")
    ]  # fmt: skip
    sums = [one.luck for one in both]
    rates = [(s.equity / max(s.count, 1), s.worth / max(s.count, 1)) for s in sums]
    totals = [f"{s.equity:+.3f} ({_worth(s.worth, length)})" for s in sums]
    each = [f"{factor * a:+.1f} ({_worth(b, length)})" for a, b in rates]
    return [
        *marks,
        _row(f"Luck total EMG ({unit})", *totals),
        _row(f"Luck rate mEMG ({unit})", *each),
        _row("Luck rating", *(luck_rating(a) for a, _ in rates)),
    ]


def _cube(both: Both, unit: str, length: int, factor: float) -> list[str]:
    errors = [
        _row(f"{name} (EMG ({unit}))", *(_times(one.cube_errors[name], length) for one in both))
        for name in CUBE_ERRORS
    ]
    totals = [one.cube_error for one in both]
    rates = [
        _rate(total[0], total[1], one.close, length, factor)
        for one, total in zip(both, totals, strict=True)
    ]
    return [
        _counts("Total cube decisions", both, "cube_decisions"),
        _counts("Close or actual cube decisions", both, "close"),
        _counts("Doubles", both, "doubles"),
        _counts("Takes", both, "takes"),
        _counts("Passes", both, "passes"),
        *errors,
        _row(f"Error total EMG ({unit})", *(_error(*total, length) for total in totals)),
        _row(f"Error rate mEMG ({unit})", *rates),
        _row("Cube decision rating", *(_rated(one.cube_rate, one.close) for one in both)),
    ]


def _times(what: Sum, length: int) -> str:
    if not what.count:
        return "0"
    return f"{what.count} ({-what.equity:+.3f} ({_worth(-what.worth, length)}))"


def _overall(both: Both, unit: str, length: int, result: float | None, factor: float) -> list[str]:
    totals = [one.total for one in both]
    decisions = [one.unforced + one.close for one in both]
    turns = sum(one.moves for one in both)
    rates = [
        _rate(total[0], total[1], n, length, factor)
        for total, n in zip(totals, decisions, strict=True)
    ]
    lines = [
        _row(f"Error total EMG ({unit})", *(_error(*total, length) for total in totals)),
        _row(f"Error rate mEMG ({unit})", *rates),
        _row("Snowie error rate", *(f"{-factor * t[0] / max(turns, 1) or -0.0:+.1f}"
                                    for t in totals)),
        _row("Overall rating", *(
            _rated(one.rate, n) for one, n in zip(both, decisions, strict=True))),
    ]  # fmt: skip
    if result is not None:
        lucky = both[0].luck.worth - both[1].luck.worth
        lines.append(_row("Actual result", *_opposite(result, length)))
        lines.append(_row("Luck adjusted result", *_opposite(result - lucky, length)))
        if length:
            difference = rating_difference(0.5 + result - lucky, length)
            shown = "n/a" if difference is None else f"{difference:+.2f}"
            lines.append(_row("Luck based FIBS rating diff.", shown, ""))
    if length:
        losses = [rating_losses(one, length) for one in both]
        lines.append(
            _row("Error based abs. FIBS rating", *(f"{2050 - a - b:.1f}" for a, b in losses))
        )
        lines.append(_row("Chequerplay errors rating loss", *(f"{a:.1f}" for a, _ in losses)))
        lines.append(_row("Cube errors rating loss", *(f"{b:.1f}" for _, b in losses)))
    return lines  # fmt: skip


def _opposite(value: float, length: int) -> tuple[str, str]:
    if length:
        return f"{100 * value:+.2f}%", f"{-100 * value:+.2f}%"
    return f"{value:+.3f}", f"{-value:+.3f}"
