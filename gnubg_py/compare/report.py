"""A comparison as one HTML page that needs nothing else: no script, no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gnubg_py.compare.agreement import RANKED_PLAYS, Agreement, PlayerReport
from gnubg_py.compare.calibration import CALIBRATED, Calibration
from gnubg_py.compare.phases import PHASES
from gnubg_py.compare.plots import bars, calibration_plot, colour
from gnubg_py.compare.showcase import Showcase, ShownPlay
from gnubg_py.compare.strength import or_nothing, plus_minus
from gnubg_py.drawing.svg import board_svg
from gnubg_py.match import MatchState

_TELLING = 30  # the decisions that a group needs to be mentioned

Gallery = tuple[PlayerReport, PlayerReport, list[Showcase]]

STYLE = """
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
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f"<body><main>{''.join(body)}</main></body></html>\n"
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells with HTML text."""
    top = "".join(f"<th>{cell}</th>" for cell in head)
    lines = ("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{top}</tr>{"".join(lines)}</table></div>'


def _name(number: int, name: str) -> str:
    return f'<span class="dot" style="background:{colour(number)}"></span>{escape(name)}'


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
    return _table(head, rows)


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
        f"<div><h3>{title}</h3>{bars(groups, columns, title)}"
        "<details><summary>numbers: mean ± standard error · 95th percentile · plays as good as the "
        f"best</summary>{_table(head, rows)}</details></div>"
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
        f"{_table(['', *(escape(p.name) for p in agreement.players)], rows)}"
    )


def _calibration(calibrations: Sequence[Calibration], names: Sequence[str]) -> str:
    if not calibrations:
        return ""
    plots = []
    for outcome in CALIBRATED:
        columns = [(names.index(c.player), c.bins[outcome]) for c in calibrations]
        plots.append(
            f"<div><h3>{outcome}</h3>{calibration_plot(columns, f'calibration of {outcome}')}</div>"
        )
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
        f'<div class="row">{"".join(plots)}</div>{_table(head, rows)}'
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
        f"{escape(item.position_class)}</div>{_table(head, rows)}</div>"
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
