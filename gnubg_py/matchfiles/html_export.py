"""Games as HTML pages that need no other file: boards are SVG, the style is in the head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from gnubg_py.drawing.svg import board_svg
from gnubg_py.game.analysis import CubeJudgement, Judgement, Luck, PlayJudgement
from gnubg_py.matchfiles.contents import MatchContents
from gnubg_py.matchfiles.export_settings import ExportSettings
from gnubg_py.matchfiles.report import (
    Turn,
    alerts,
    cube_alert,
    ending,
    play_rows,
    shown_judgements,
    turns,
)
from gnubg_py.matchfiles.text_export import information, score_line

_STYLE = """\
body { font-family: sans-serif; max-width: 50em; margin: 1em auto; }
table { border-collapse: collapse; margin: 0.5em 0; }
td, th { padding: 0.15em 0.7em; text-align: left; }
.made { background: #ffffcc; }
.alert { color: #b00000; }
.comment { background: #eef5e0; padding: 0.5em; white-space: pre-line; }
.result { font-weight: bold; }
"""


def to_html(
    contents: MatchContents,
    number: int,
    settings: ExportSettings,
    statistics: str = "",
    pages: Sequence[str] = (),
) -> str:
    """A game of a match as a page; ``pages`` are the file names of all games, for links."""
    title = escape(score_line(contents, number))
    body = [f"<h1>Game number {number + 1}</h1>", f"<h2>{title}</h2>", *_links(number, pages)]
    if settings.matchinfo and (told := information(contents)):
        body += ["<p>", "<br/>".join(escape(line) for line in told[1:-1]), "</p>"]
    for turn in turns(contents, number):
        body += _turn(turn, number, settings)
    body.append(f'<p class="result">{escape(ending(contents, number))}</p>')
    if statistics and settings.statistics:
        body.append(f"<pre>{escape(statistics)}</pre>")
    return _page(title, body)


def page(title: str, body: Sequence[str]) -> str:
    """A complete page around HTML text."""
    return _page(escape(title), list(body))


def _page(title: str, body: list[str]) -> str:
    head = f'<meta charset="utf-8"/><title>{title}</title><style>{_STYLE}</style>'
    lines = ["<!DOCTYPE html>", '<html lang="en">', f"<head>{head}</head>", "<body>", *body]
    return "\n".join([*lines, "</body>", "</html>"]) + "\n"


def _links(number: int, pages: Sequence[str]) -> list[str]:
    if len(pages) < 2:
        return []
    places = {"First": 0, "Previous": number - 1, "Next": number + 1, "Last": len(pages) - 1}
    links = [
        f'<a href="{escape(pages[place])}">[{name} game]</a>'
        for name, place in places.items()
        if 0 <= place < len(pages)
    ]
    return [f"<p>{' '.join(links)}</p>"]


def _turn(turn: Turn, game: int, settings: ExportSettings) -> Iterator[str]:
    anchor = f"game{game + 1}.move{turn.number}"
    yield f'<hr/><p id="{anchor}"><b>Move number {turn.number}:</b> {escape(turn.question)}</p>'
    if settings.board and (turn.number - 1) % settings.board == 0:
        drawing = board_svg(turn.position.board, turn.position.match)
        yield f'<div style="width: {settings.picture_width}px">{drawing}</div>'
        yield f"<p><small>{turn.position.gnubg_id}</small></p>"
    if turn.done:
        yield f"<p><b>{escape(turn.done)}</b></p>"
    shown = shown_judgements(turn, settings)
    if shown:
        cubes = [item for item in shown if isinstance(item, CubeJudgement)]
        said = [*(" ".join(cube_alert(item)) for item in cubes), *alerts(turn)]
        yield from (f'<p class="alert">{escape(line)}</p>' for line in said if line)
    for item in shown:
        yield from _judgement(turn, item, settings)
    if turn.comment and settings.annotations:
        yield f'<p class="comment">{escape(turn.comment)}</p>'


def _judgement(turn: Turn, item: Judgement, settings: ExportSettings) -> Iterator[str]:
    if isinstance(item, Luck):
        yield "<p>Rolled {}{} ({:+.3f})</p>".format(*item.dice, item.luck)
        return
    yield "<table>"
    if isinstance(item, CubeJudgement):
        rows = item.decision.alternatives(item.answer is not None)
        for rank, (name, equity, difference) in enumerate(rows, start=1):
            yield _row("", f"{rank}.", name, f"{equity:+.3f}", f"{difference:+.3f}" * (rank > 1))
        yield f'<tr><th colspan="4">Proper cube action: {escape(item.decision.words)}</th></tr>'
    elif isinstance(item, PlayJudgement):
        for row in play_rows(turn, item, settings.moves):
            behind = f"{-row.loss:+.3f}" * (row.rank > 1)
            chances = row.chances if settings.move_probabilities else ""
            cells = (f"{row.rank}.", row.depth, row.text, f"{row.equity:+.3f}", behind, chances)
            yield _row("made" if row.made else "", *cells)
    yield "</table>"


def _row(kind: str, *cells: str) -> str:
    inside = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<tr class="{kind}">{inside}</tr>' if kind else f"<tr>{inside}</tr>"
