"""``show statistics`` in gnubg's layout."""

from __future__ import annotations

from dataclasses import dataclass

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
_NOTHING = 1e-9
"""What was won is less than this where as much was won as lost."""


@dataclass(frozen=True)
class Scale:
    """The units of values: the match length, gnubg's factor of error rates, and its rating."""

    length: int
    factor: float = 1000.0
    rating: float = 2050.0

    @property
    def unit(self) -> str:
        """Match winning chances or points."""
        return "MWC" if self.length else "Points"


@dataclass(frozen=True)
class Parts:
    """Which parts of the statistics are shown: those of what is analysed."""

    moves: bool = True
    luck: bool = True
    cube: bool = True


def statistics_text(
    both: Both,
    names: tuple[str, str],
    scale: Scale,
    result: float | None,
    parts: Parts | None = None,
) -> str:
    """Everything about both players, or some parts of it.

    ``result`` is what player 0 won, in points or in a match as winning chance less one half; None
    if nothing is decided yet. As in gnubg it is not shown where as much was won as lost.
    """
    parts = parts or Parts()
    lines = [row("Player", *(name[:22] for name in names))]
    if parts.moves:
        lines += ["", "Chequerplay statistics", "", *_plays(both, scale), ""]
    if parts.luck:
        lines += ["", "Luck statistics", "", *_luck(both, scale), ""]
    if parts.cube:
        lines += ["", "Cube statistics", "", *_cube(both, scale), ""]
    lines += ["", "Overall statistics", ""]
    if parts.moves or parts.cube:
        lines += _errors(both, scale)
    lines += _results(both, scale, result)
    if scale.length and (parts.moves or parts.cube):
        lines += _ratings(both, scale)
    return "\n".join(lines)


def row(title: str, left: object, right: object) -> str:
    """A line of gnubg's table: a title and a value of each player, filled up with blanks."""
    return f"{title:<41}{left!s:<24}{right!s:<23}"


def _counts(title: str, both: Both, name: str) -> str:
    return row(title, *(f"{getattr(one, name):3}" for one in both))


def _worth(value: float, scale: Scale) -> str:
    return f"{100 * value:+7.3f}%" if scale.length else f"{value:+7.3f}"


def _error(equity: float, worth: float, scale: Scale) -> str:
    return f"{-abs(equity) or -0.0:+11.3f} ({_worth(-abs(worth) or -0.0, scale)})"


def _rate(equity: float, worth: float, n: int, scale: Scale) -> str:
    n = max(n, 1)
    return f"{-scale.factor * equity / n or -0.0:+9.1f}   ({_worth(-worth / n or -0.0, scale)})"


def _snowie(equity: float, turns: int, scale: Scale) -> str:
    """Snowie's error rate: errors per turn of both players. As in gnubg, the share is 0."""
    if not turns:
        return "n/a"
    rate = -scale.factor * equity / turns or -0.0
    return f"{rate:+9.1f}   ({_worth(0.0, scale)})"


def _plays(both: Both, scale: Scale) -> list[str]:
    marks = [
        row(title, *(f"{one.marks[mark]:3}" for one in both))
        for title, mark in (
            ("Unmarked moves", "unmarked"),
            ("Moves marked doubtful", "doubtful"),
            ("Moves marked bad", "bad"),
            ("Moves marked very bad", "very bad"),
        )
    ]
    sums = [one.play_error for one in both]
    rates = [
        _rate(one.play_error.equity, one.play_error.worth, one.unforced, scale) for one in both
    ]
    return [
        _counts("Total moves", both, "moves"),
        _counts("Unforced moves", both, "unforced"),
        *marks,
        row(f"Error total EMG ({scale.unit})", *(_error(s.equity, s.worth, scale) for s in sums)),
        row(f"Error rate mEMG ({scale.unit})", *rates),
        row("Chequerplay rating", *(_rated(one.play_rate, one.unforced) for one in both)),
    ]


def _rated(rate: float, decisions: int) -> str:
    return rating(rate) if decisions else "n/a"


def _luck(both: Both, scale: Scale) -> list[str]:
    marks = [
        row(f"Rolls {'' if mark == 'unmarked' else 'marked '}{mark}",
             *(f"{one.luck_marks[mark]:3}" for one in both))
        for mark in ("very lucky", "lucky", "unmarked", "unlucky", "very unlucky")
    ]  # fmt: skip
    sums = [one.luck for one in both]
    rates = [(s.equity / max(s.count, 1), s.worth / max(s.count, 1)) for s in sums]
    totals = [f"{s.equity:+11.3f} ({_worth(s.worth, scale)})" for s in sums]
    each = [f"{scale.factor * a:+9.1f}   ({_worth(b, scale)})" for a, b in rates]
    words = [luck_rating(a) for a, _ in rates]
    each, words = ([v if one.moves else "n/a" for v, one in zip(texts, both, strict=True)]
                   for texts in (each, words))  # fmt: skip
    return [
        *marks,
        row(f"Luck total EMG ({scale.unit})", *totals),
        row(f"Luck rate mEMG ({scale.unit})", *each),
        row("Luck rating", *words),
    ]


def _cube(both: Both, scale: Scale) -> list[str]:
    errors = [
        row(f"{name} (EMG ({scale.unit}))", *(_times(one.cube_errors[name], scale) for one in both))
        for name in CUBE_ERRORS
    ]
    totals = [one.cube_error for one in both]
    rates = [
        _rate(total[0], total[1], one.close, scale) for one, total in zip(both, totals, strict=True)
    ]
    return [
        _counts("Total cube decisions", both, "cube_decisions"),
        _counts("Close or actual cube decisions", both, "close"),
        _counts("Doubles", both, "doubles"),
        _counts("Takes", both, "takes"),
        _counts("Passes", both, "passes"),
        *errors,
        row(f"Error total EMG ({scale.unit})", *(_error(*total, scale) for total in totals)),
        row(f"Error rate mEMG ({scale.unit})", *rates),
        row("Cube decision rating", *(_rated(one.cube_rate, one.close) for one in both)),
    ]


def _times(what: Sum, scale: Scale) -> str:
    if not what.count:
        return f"{0:3}"
    return f"{what.count:3} ({-what.equity:+6.3f} ({_worth(-what.worth, scale)}))"


def _errors(both: Both, scale: Scale) -> list[str]:
    """The errors of plays and cube decisions together."""
    totals = [one.total for one in both]
    decisions = [one.unforced + one.close for one in both]
    turns = sum(one.moves for one in both)
    rates = [
        _rate(total[0], total[1], n, scale) for total, n in zip(totals, decisions, strict=True)
    ]
    return [
        row(f"Error total EMG ({scale.unit})", *(_error(*total, scale) for total in totals)),
        row(f"Error rate mEMG ({scale.unit})", *rates),
        row("Snowie error rate", *(_snowie(t[0], turns, scale) for t in totals)),
        row("Overall rating", *(
            _rated(one.rate, n) for one, n in zip(both, decisions, strict=True))),
    ]  # fmt: skip


def _results(both: Both, scale: Scale, result: float | None) -> list[str]:
    """What was won, and the same without the luck."""
    if result is None or abs(result) < _NOTHING:
        return []
    lucky = both[0].luck.worth - both[1].luck.worth
    lines = [
        row("Actual result", *_opposite(result, scale)),
        row("Luck adjusted result", *_opposite(result - lucky, scale)),
    ]
    if scale.length:
        difference = rating_difference(0.5 + result - lucky, scale.length)
        shown = "n/a" if difference is None else f"{difference:+7.2f}"
        lines.append(row("Luck based FIBS rating diff.", shown, ""))
    return lines


def _ratings(both: Both, scale: Scale) -> list[str]:
    """What errors cost in FIBS's rating; "n/a" where there was no decision of a kind."""
    losses = [rating_losses(one, scale.length) for one in both]
    totals = [scale.rating - plays - cube for plays, cube in losses]
    plays, cubes = zip(*losses, strict=True)
    return [
        row(title, *(f"{x:6.1f}" if n else "n/a" for x, n in zip(values, counts, strict=True)))
        for title, values, counts in (
            ("Error based abs. FIBS rating", totals, [one.unforced + one.close for one in both]),
            ("Chequerplay errors rating loss", plays, [one.unforced for one in both]),
            ("Cube errors rating loss", cubes, [one.close for one in both]),
        )
    ]


def _opposite(value: float, scale: Scale) -> tuple[str, str]:
    if scale.length:
        return f"{100 * value:+7.2f}%", f"{-100 * value:+7.2f}%"
    return f"{value:+7.3f}", f"{-value:+7.3f}"
