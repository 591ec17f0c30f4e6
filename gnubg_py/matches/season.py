"""Many matches together: the players' ratings over time, by opponent and kind of decision."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from gnubg_py.drawing.html import html_page, html_table
from gnubg_py.files import write_aside
from gnubg_py.matches.anki import took_part
from gnubg_py.matches.decisions import Decision
from gnubg_py.matches.match_analysis import MatchAnalysis, performance_of
from gnubg_py.matches.report_html import entry_numbers, match_report, title_of


@dataclass(frozen=True, eq=False)
class Entry:
    """A match of a season, and the file that it was read from."""

    file: Path
    analysis: MatchAnalysis

    @property
    def date(self) -> str:
        """The date in the file, or an empty text."""
        return self.analysis.contents.info.date


_DEAREST = 20
"""The number of mistakes that the index of a season lists."""


def by_date(entries: Sequence[Entry]) -> list[Entry]:
    """The matches sorted by date and file name; those without a date come last."""
    return sorted(entries, key=lambda one: (not one.date, one.date, str(one.file)))


def season_player(entries: Sequence[Entry]) -> str:
    """The name of the player of most matches; the first one, if there are several."""
    names = Counter(name for one in entries for name in dict.fromkeys(one.analysis.players))
    return names.most_common(1)[0][0]


def decisions_of(entries: Sequence[Entry], player: str) -> list[Decision]:
    """All decisions of a player."""
    return [
        decision
        for one in entries
        if took_part(one.analysis, player)
        for decision in one.analysis
        if decision.player == one.analysis.seat(player)
    ]


def season_text(entries: Sequence[Entry]) -> str:
    """The text for a terminal: a line for each match, then a line for each player."""
    lines = [f"{'Match':<34}{'PR':>8}{'':<18}{'PR':>8}"]
    for one in by_date(entries):
        rates = [f"{stat.performance:.1f}" for stat in one.analysis.statistics()]
        names = [name[:16] for name in one.analysis.players]
        lines.append(
            f"{one.file.name[:20]:<22}{names[0]:<16}{rates[0]:>5}  {names[1]:<18}{rates[1]:>5}"
        )
    players = Counter(name for one in entries for name in dict.fromkeys(one.analysis.players))
    lines += ["", f"{'Player':<24}{'matches':>8}{'decisions':>11}{'PR':>8}"]
    for name, matches in players.most_common():
        decisions = decisions_of(entries, name)
        rating, error = performance_of(decisions)
        counted = sum(decision.counts for decision in decisions)
        lines.append(f"{name[:22]:<24}{matches:>8}{counted:>11}{rating:>8.1f} ± {error:.1f}")
    return "\n".join(lines)


def check_player(entries: Sequence[Entry], player: str) -> None:
    """``ValueError`` if nobody of that name plays in the matches."""
    if not any(took_part(one.analysis, player) for one in entries):
        raise ValueError(f"--player {player}: nobody of that name plays in these matches")


def write_season(folder: Path, entries: Sequence[Entry], player: str | None = None) -> None:
    """Write ``index.html`` about one player's matches, and a page for each match beside it.

    By default the player is the one of most matches.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder}: is a file; the reports of many matches need a folder")
    ordered = by_date(entries)
    player = player or season_player(ordered)
    check_player(ordered, player)
    folder.mkdir(parents=True, exist_ok=True)
    pages = [page_name(number, one) for number, one in enumerate(ordered, start=1)]
    for name, one in zip(pages, ordered, strict=True):
        write_aside(folder / name, match_report(one.analysis).encode())
    text = season_index(ordered, pages, player)
    write_aside(folder / "index.html", text.encode())


def page_name(number: int, entry: Entry) -> str:
    """A file name for a match's page that is valid in every file system and address."""
    stem = re.sub(r"[^a-z0-9]+", "-", entry.file.stem.lower()).strip("-")[:40]
    return f"{number:03d}-{stem or 'match'}.html"


_STYLE = """:root{color-scheme:light dark}body{font:16px/1.45 system-ui,sans-serif;max-width:1000px;
margin:0 auto;padding:12px 16px 40px;background:#fbfaf7;color:#26231f}
h1{font-size:1.3rem}h2{font-size:1.05rem;margin:1.4em 0 .4em}.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
td,th{padding:4px 8px;text-align:right;border-bottom:1px solid #cbc3b5;font-weight:400}
th{font-size:.85rem;opacity:.75}td:first-child,th:first-child{text-align:left;min-width:9em;overflow-wrap:anywhere}
td+td{white-space:nowrap}a{color:#1f6f8b}svg{width:100%;min-width:560px;height:auto;display:block}
@media(max-width:700px){td,th{padding:3px 5px;font-size:.88rem}}
@media(prefers-color-scheme:dark){body{background:#191817;color:#ece7df}a{color:#6bb8d6}
td,th{border-color:#3d3936}}@media print{body{background:#fff;color:#000}}"""


def season_index(entries: Sequence[Entry], pages: Sequence[str], player: str) -> str:
    """The index of a season as HTML text, about ``player``; ``pages`` are the matches' pages."""
    mine = [
        (one, page)
        for one, page in zip(entries, pages, strict=True)
        if took_part(one.analysis, player)
    ]
    own = decisions_of(entries, player)
    rating, error = performance_of(own)
    luck = sum(one.analysis.statistics()[one.analysis.seat(player)].luck.equity for one, _ in mine)
    head = (
        f"<p>{len(mine)} matches, {sum(d.counts for d in own)} decisions that count; "
        f"performance rating {rating:.1f} ± {error:.1f}; luck {luck:+.2f}.</p>"
    )
    parts = [
        head,
        "<h2>Performance rating, match by match</h2>",
        _chart([performance_of(decisions_of([one], player)) for one, _ in mine]),
        "<h2>Matches</h2>",
        _matches(mine, player),
        "<h2>By opponent</h2>",
        _by_opponent([one for one, _ in mine], player),
        "<h2>By kind of decision</h2>",
        _groups(own, "kind", lambda one: one.kind),
        "<h2>By phase</h2>",
        _groups(own, "phase", lambda one: one.phase),
        "<h2>The dearest mistakes</h2>",
        _dearest(mine, player),
    ]
    title = f"The matches of {player}"
    return html_page(title, _STYLE, "".join([f"<h1>{escape(title)}</h1>", *parts]))


def _rated(decisions: list[Decision]) -> tuple[str, str, str]:
    rating, error = performance_of(decisions)
    counted = sum(one.counts for one in decisions)
    lost = sum(one.loss for one in decisions)
    return str(counted), f"{lost:.3f}", f"{rating:.1f} ± {error:.1f}"


def _groups(decisions: list[Decision], head: str, key: Callable[[Decision], str]) -> str:
    names = sorted({key(one) for one in decisions if one.counts})
    rows = [(escape(name), *_rated([d for d in decisions if key(d) == name])) for name in names]
    return html_table((head, "decisions", "lost", "PR"), rows)


def _opponent(entry: Entry, player: str) -> str:
    return entry.analysis.players[1 - entry.analysis.seat(player)]


def _by_opponent(entries: list[Entry], player: str) -> str:
    rows = []
    for name in dict.fromkeys(_opponent(one, player) for one in entries):
        some = [one for one in entries if _opponent(one, player) == name]
        theirs = performance_of(decisions_of(some, name))[0]
        own = _rated(decisions_of(some, player))
        rows.append((escape(name), str(len(some)), *own, f"{theirs:.1f}"))
    return html_table(("opponent", "matches", "decisions", "lost", "PR", "their PR"), rows)


def _matches(mine: list[tuple[Entry, str]], player: str) -> str:
    rows = []
    for one, page in mine:
        seat, result = one.analysis.seat(player), one.analysis.result()
        luck = one.analysis.statistics()[seat].luck.equity
        own = decisions_of([one], player)
        link = f'<a href="{escape(page)}">{escape(title_of(one.analysis))}</a>'
        ending = "" if result is None else "won" if (result > 0) == (seat == 0) else "lost"
        rows.append((link, escape(one.date), ending, *_rated(own), f"{luck:+.2f}"))
    return html_table(("match", "date", "result", "decisions", "lost", "PR", "luck"), rows)


def _dearest(mine: list[tuple[Entry, str]], player: str) -> str:
    found = [
        (decision, one, page)
        for one, page in mine
        for decision in one.analysis.mistakes(0.02, player)[:_DEAREST]
    ]
    found.sort(key=lambda item: -item[0].loss)
    rows = []
    for decision, one, page in found[:_DEAREST]:
        number = entry_numbers(one.analysis).get(decision.place, 0)
        link = f'<a href="{escape(page)}#{number}">{escape(str(decision))}</a>'
        rows.append((link, f"{decision.loss:.3f}", escape(decision.phase)))
    return html_table(("decision", "lost", "phase"), rows)


def _chart(ratings: list[tuple[float, float]]) -> str:
    """The ratings with bars of one standard error, and their mean, as SVG."""
    width, height, left = 900, 220, 40
    top = max([rating + error for rating, error in ratings] + [1.0]) * 1.1
    step = (width - left - 20) / max(len(ratings), 1)

    def y(rating: float) -> float:
        return height - 20 - (height - 30) * max(rating, 0.0) / top

    marks = []
    for number in range(5):
        value = top * number / 4
        marks.append(
            f'<line x1="{left}" x2="{width}" y1="{y(value):.1f}" y2="{y(value):.1f}" '
            'stroke="currentColor" opacity=".15"/>'
            f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end" font-size="12" '
            f'fill="currentColor">{value:.1f}</text>'
        )
    for number, (rating, error) in enumerate(ratings):
        x = left + step * (number + 0.5)
        marks.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y(rating - error):.1f}" '
            f'y2="{y(rating + error):.1f}" stroke="#1f6f8b" stroke-width="2"/>'
            f'<circle cx="{x:.1f}" cy="{y(rating):.1f}" r="4" fill="#d97706"/>'
        )
    return (
        f'<div class="wide"><svg viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="Performance rating of every match">{"".join(marks)}</svg></div>'
    )
