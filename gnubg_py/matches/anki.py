"""Mistakes as flashcards: a text file for Anki, with the position on the front of each card."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from html import escape

from gnubg_py.drawing.svg import board_svg
from gnubg_py.matches.decisions import ANSWER, DOUBLE, Decision
from gnubg_py.matches.match_analysis import MatchAnalysis

_HEAD = "#separator:Comma\n#html:true\n#columns:Front,Back,Tags\n#tags column:3\n"
_QUESTIONS = {DOUBLE: "Double?", ANSWER: "Take?"}


def flashcards(
    analyses: Sequence[MatchAnalysis], player: str | None = None, above: float = 0.05
) -> str:
    """The mistakes that lost at least ``above``, the largest first, as CSV text with Anki's header.

    With a ``player`` only the mistakes of that name are included, else those of both players.
    """
    decisions = [
        one
        for analysis in analyses
        if player is None or took_part(analysis, player)
        for one in analysis.mistakes(above, player)
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for one in sorted(decisions, key=lambda decision: -decision.loss):
        writer.writerow([_front(one), _back(one), f"gnubg_py {one.kind} {one.phase}"])
    return _HEAD + out.getvalue()


def took_part(analysis: MatchAnalysis, player: str) -> bool:
    """Whether a player of this name plays in the match."""
    return player.casefold() in (name.casefold() for name in analysis.players)


def _front(one: Decision) -> str:
    match = one.position.match
    match = match if one.kind == ANSWER else replace(match, doubled=False)
    question = _QUESTIONS.get(one.kind)
    if question is None:
        assert one.dice is not None
        question = f"{one.dice[0]}{one.dice[1]} to play"
    return f"{board_svg(one.position.board, match)}<p>{escape(question)}</p>"


def _back(one: Decision) -> str:
    rows = "".join(
        f"<tr><td>{escape(c.text)}</td><td>{c.equity:+.3f}</td><td>{c.loss:.3f}</td></tr>"
        for c in one.candidates()
    )
    return (
        f"<p><b>{escape(one.best)}</b></p><p>Played: {escape(one.played)}, which lost "
        f"{one.loss:.3f}.</p><table>{rows}</table><p><code>{escape(one.xgid)}</code></p>"
    )
