"""A Jellyfish game, ``.gam``: the rows of a ``.mat`` file below a line with two names.

     Tom                            Jerry
      1)                             56: 24/18 18/13
      2) 51: 24/23 23/18             16: 8/7* 13/7

gnubg writes it, and so did GammonEmpire. It has no score: the game is for money, so gammons count.
"""

from __future__ import annotations

import re
from dataclasses import replace

from gnubg_py.game.position import Rules
from gnubg_py.matchfiles.builder import Builder
from gnubg_py.matchfiles.contents import MatchContents
from gnubg_py.matchfiles.formats import Format, lines_of, text_of
from gnubg_py.matchfiles.mat import from_mat, has_head, read_rows, to_mat

_ROW = re.compile(r"\s*\d{1,4}\)")
_ROLLED = re.compile(r"\b[1-6][1-6]\s?:")
_NAMES = re.compile(r"\s*(\S.{0,80}?)\s{2,}(\S.{0,80}?)\s*\Z|\s*(\S+)\s+(\S+)\s*\Z")


def to_gam(contents: MatchContents) -> str:
    """The first game of a match, without its score."""
    record = replace(contents.record, games=contents.record.games[:1])
    lines = to_mat(record).splitlines()
    rows = (i for i, line in enumerate(lines) if _ROW.match(line) or "Wins" in line)
    first = next(rows, len(lines))
    return "\n".join([f" {record.players[0]:<30} {record.players[1]}", *lines[first:]]) + "\n"


def from_gam(text: str, rules: Rules | None = None) -> MatchContents:
    """Read a .gam file, or a .mat file under that name; ``ValueError`` where there is no game."""
    if has_head(text):
        return from_mat(text, rules)
    lines = lines_of(text)
    first = next((i for i, line in enumerate(lines) if _ROW.match(line)), None)
    if first is None:
        raise ValueError("no row like ' 1) 31: 8/5 6/5': this is not a .gam file")
    builder = Builder(0, replace(rules or Rules(), jacoby=False))
    above = [line for line in lines[:first] if line.strip() and not line.lstrip().startswith(";")]
    damaged = [line for line in above if _ROLLED.search(line)]
    heading = [line for line in above if line not in damaged]
    if names := _NAMES.match(heading[-1]) if heading else None:
        builder.name_players(names[1] or names[3], names[2] or names[4])
    builder.new_game()
    for line in damaged:
        builder.warn(f'Unrecognised move "{line.strip()[:80]}" in .gam file')
    read_rows(builder, lines, first)
    return builder.contents()


FORMAT = Format(
    looks_like=lambda data: re.match(rb"\s*[^\s;(][^\n]*\n\s*1\)", data) is not None,
    read=lambda data, rules: from_gam(text_of(data), rules),
    write=to_gam,
)
