"""A comparison as one HTML page with plots, which needs no script and no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gnubg_py.compare.agreement import RANKED_PLAYS, Agreement, Loss, PlayerReport
from gnubg_py.compare.calibration import CALIBRATED, Bin, Calibration
from gnubg_py.compare.phases import PHASES
from gnubg_py.compare.showcase import Showcase, ShownPlay
from gnubg_py.compare.strength import or_nothing, plus_minus
from gnubg_py.drawing.html import html_page, html_table
from gnubg_py.drawing.svg import board_svg
from gnubg_py.match import MatchState

_TELLING = 30  # the decisions that a group needs to be mentioned
_COLOURS = ("#c2571a", "#1f6f8b", "#5b8c2a", "#8a4f9e", "#b08900", "#6b7280")
"""The colours of the players in order; they differ in more than red and green."""
_ROW, _BAR = 18, 13
_LEAST = 20  # the positions that a bin needs to be plotted

Gallery = tuple[PlayerReport, PlayerReport, list[Showcase]]

_STYLE = """
:root{color-scheme:light dark;--line:#d8d2c6;--soft:#f6f3ec;--ink:#26221d;--paper:#fff;
--dim:#6b645a}
@media(prefers-color-scheme:dark){:root{--line:#47423a;--soft:#26231f;--ink:#ebe6dc;--paper:#1a1815;
--dim:#a8a094}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:70rem;margin:0 auto;padding:1.2rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.2;margin:.4rem 0}
h2{font-size:1.2rem;margin:2.4rem 0 .4rem;border-top:1px solid var(--line);padding-top:1rem}
h3{font-size:1rem;margin:1.2rem 0 .3rem}
p{max-width:46rem;margin:.4rem 0}.dim{color:var(--dim)}
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .7rem .25rem 0;text-align:right;border-bottom:1px solid var(--line);
white-space:nowrap}th:first-child,td:first-child{text-align:left}th{font-weight:600}
.dot{display:inline-block;width:.7em;height:.7em;border-radius:50%;margin-right:.35em}
.row>*{min-width:0}.row{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr))}
.plot{display:block;width:100%;height:auto}
.card{background:var(--soft);border:1px solid var(--line);border-radius:8px;padding:.7rem;
min-width:0;font-size:.9rem}.card svg{display:block;width:100%;height:auto;border-radius:4px}
.card table{width:100%;margin-top:.4rem}.card td,.card th{white-space:normal;vertical-align:top;
padding-right:.4rem}.card code{overflow-wrap:anywhere}code{font-size:.9em}
@media(max-width:40rem){table{font-size:.85rem}}
details{margin:.4rem 0}summary{cursor:pointer;color:var(--dim)}
"""


def html_report(
    agreement: Agreement,
    calibrations: Sequence[Calibration],
    galleries: Sequence[Gallery],
    source: str,
    command: str,
) -> str:
    """The page. ``source`` describes the decisions; ``command`` makes the page again."""
    names = [player.name for player in agreement.players]
    title = " against ".join(names)
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{len(agreement.decisions.ids):,} checker decisions of {escape(source)}. What a play "
        f"gives up is measured by {escape(agreement.reference)}, in thousandths of a point of "
        "cubeless money equity: 1000 is a single game.</p>",
        _summary(agreement),
        *_words(agreement),
        _groups(agreement),
        _same(agreement),
        _calibration(calibrations, names),
        *(_gallery(*gallery) for gallery in galleries if gallery[2]),
        _notes(command),
    ]
    return html_page(title, _STYLE, f"<main>{''.join(body)}</main>")


def _name(number: int, name: str) -> str:
    return f'<span class="dot" style="background:{_colour(number)}"></span>{escape(name)}'


def _summary(agreement: Agreement) -> str:
    head = (
        *("player", "gives up", "95th percentile", "best play", "rank correlation"),
        *("decisions/s", "positions/s"),
    )
    rows = []
    for number, player in enumerate(agreement.players):
        loss = player.by_group["all"]["all"]
        rows.append(
            [
                _name(number, player.name),
                plus_minus(loss.mean, loss.standard_error, 1),
                f"{loss.percentile_95:.0f}",
                f"{100 * loss.agreement:.1f} %",
                or_nothing(player.rank_correlation, ".3f"),
                f"{player.decisions_per_second:,.0f}",
                or_nothing(player.positions_per_second, ",.0f"),
            ]
        )
    return html_table(head, rows)


def _words(agreement: Agreement) -> list[str]:
    """A sentence for each player: the groups in which it loses most and least against the last."""
    last = agreement.players[-1]
    return [_sentence(player, last) for player in agreement.players[:-1]]


def _sentence(player: PlayerReport, last: PlayerReport) -> str:
    gaps = []
    for kind in ("phase", "situation"):
        for name, loss in player.by_group[kind].items():
            if loss.n >= _TELLING:
                gaps.append((loss.mean - last.by_group[kind][name].mean, name))
    if len(gaps) < 5:
        return ""
    gaps.sort(reverse=True)
    told = [f"{escape(name)} ({gap:+.0f})" for gap, name in (*gaps[:3], *gaps[-2:])]
    return (
        f"<p>{escape(player.name)} loses most against {escape(last.name)} in these positions: "
        f"{', '.join(told[:3])}; least in {' and '.join(told[3:])}.</p>"
    )


def _groups(agreement: Agreement) -> str:
    """Bars and numbers by class, phase and situation."""
    legend = " &nbsp; ".join(_name(i, p.name) for i, p in enumerate(agreement.players))
    titles = {"class": "By class", "phase": "By phase of the game", "situation": "By situation"}
    parts = "".join(_by_group(agreement, kind, title) for kind, title in titles.items())
    return f'<h2>What they give up, and where</h2><p>{legend}</p><div class="row">{parts}</div>'


def _by_group(agreement: Agreement, kind: str, title: str) -> str:
    columns = [player.by_group[kind] for player in agreement.players]
    groups = list(columns[0])
    if not groups:
        return ""
    head = ["", "decisions", *(f"{escape(p.name)}" for p in agreement.players)]
    rows = []
    for group in groups:
        cells = [
            f"{plus_minus(c[group].mean, c[group].standard_error, 1)} · "
            f"{c[group].percentile_95:.0f} · {100 * c[group].agreement:.0f} %"
            for c in columns
        ]
        rows.append([escape(group), f"{columns[0][group].n:,}", *cells])
    return (
        f"<div><h3>{title}</h3>{_bars(groups, columns, title)}"
        "<details><summary>numbers: mean ± standard error · 95th percentile · plays as good as the "
        f"best</summary>{html_table(head, rows)}</details></div>"
    )


def _same(agreement: Agreement) -> str:
    if len(agreement.players) < 2:
        return ""
    names = [_name(i, player.name) for i, player in enumerate(agreement.players)]
    rows = [
        [names[i], *(f"{100 * share:.1f} %" for share in row)]
        for i, row in enumerate(agreement.same.tolist())
    ]
    return (
        "<h2>How often they make the same play</h2>"
        f"{html_table(['', *(escape(p.name) for p in agreement.players)], rows)}"
    )


def _calibration(calibrations: Sequence[Calibration], names: Sequence[str]) -> str:
    if not calibrations:
        return ""
    plots = []
    for outcome in CALIBRATED:
        columns = [(names.index(c.player), c.bins[outcome]) for c in calibrations]
        plot = _calibration_plot(columns, f"calibration of {outcome}")
        plots.append(f"<div><h3>{outcome}</h3>{plot}</div>")
    head = ["", *(f"{o}: error" for o in CALIBRATED), *(f"{o}: Brier" for o in CALIBRATED)]
    rows = [
        [
            _name(names.index(c.player), c.player),
            *(f"{100 * c.error[o]:.1f} %" for o in CALIBRATED),
            *(f"{c.brier[o]:.4f}" for o in CALIBRATED),
        ]
        for c in calibrations
    ]
    return (
        "<h2>Are its chances true?</h2>"
        f"<p>One position from each of {calibrations[0].positions:,} games of "
        f"{escape(names[-1])} against itself: the chance given, and how often it came so. "
        "Points on the dashed line are right; lines through them are 95 % intervals. The error is "
        "the mean distance from it; a lower Brier score also rewards telling positions apart.</p>"
        f'<div class="row">{"".join(plots)}</div>{html_table(head, rows)}'
    )


def _gallery(worse: PlayerReport, better: PlayerReport, shown: list[Showcase]) -> str:
    cards = "".join(_card(item) for item in shown)
    return (
        f"<h2>Where {escape(worse.name)} gives up most more than {escape(better.name)}</h2>"
        f'<div class="row">{cards}</div>'
    )


def _card(item: Showcase) -> str:
    state = MatchState(dice=item.dice)
    names = [view.player for view in item.plays[0].views]
    head = ["play", "cost", *(escape(name) for name in names)]
    rows = [_play_cells(play) for play in item.plays]
    return (
        f'<div class="card">{board_svg(item.board, state)}'
        f"<div><code>{escape(item.id)}</code> · {item.dice[0]}{item.dice[1]} to play · "
        f"{escape(item.position_class)}</div>{html_table(head, rows)}</div>"
    )


def _play_cells(play: ShownPlay) -> list[str]:
    by = f'<br><span class="dim">{escape(", ".join(play.played_by))}</span>' * bool(play.played_by)
    views = [
        f'{v.equity:+.3f}<br><span class="dim">{100 * v.win:.0f} % '
        f"({100 * v.win_gammon:.0f}/{100 * v.lose_gammon:.0f})</span>"
        for v in play.views
    ]
    return [f"{escape(play.text)}{by}", f"{play.cost:.0f}", *views]


def _notes(command: str) -> str:
    return (
        "<h2>How this was made</h2>"
        f"<p><code>{escape(command)}</code></p>"
        f"<p class='dim'>Phases: while there is contact, {', '.join(PHASES[:3])} by the pips "
        f"both sides have to go; then {PHASES[3]} and {PHASES[4]}. Situations are of positions in "
        "contact, and may overlap. Rank correlation is Spearman's, over the "
        f"{RANKED_PLAYS} best plays of each decision. Under a board: the play and who makes it, "
        "its cost, and what each evaluator expects of it: equity, chance of winning, (chance of "
        "winning a gammon / of losing one).</p>"
    )


def _colour(number: int) -> str:
    """The colour of the player of that number."""
    return _COLOURS[number % len(_COLOURS)]


def _bars(groups: Sequence[str], columns: Sequence[dict[str, Loss]], title: str) -> str:
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
                parts.append(_bar(column[group], left, top + j * _ROW, scale, _colour(j)))
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


def _calibration_plot(columns: Sequence[tuple[int, Sequence[Bin]]], title: str) -> str:
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
        fill = _colour(number)
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
