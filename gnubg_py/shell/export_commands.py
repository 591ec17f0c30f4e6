"""``export`` and what ``set export`` and ``set matchinfo`` change."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

from gnubg_py.drawing.png import write_board_png
from gnubg_py.drawing.svg import board_svg
from gnubg_py.drawing.text import draw
from gnubg_py.files import write_aside
from gnubg_py.game.position import is_playing
from gnubg_py.game.record import MatchRecord
from gnubg_py.matchfiles.contents import clean_name, clean_text
from gnubg_py.matchfiles.gam import to_gam
from gnubg_py.matchfiles.html_export import page, position_html, to_html
from gnubg_py.matchfiles.mat import holds_edits, to_mat
from gnubg_py.matchfiles.pos import to_pos
from gnubg_py.matchfiles.printing import PRINTED
from gnubg_py.matchfiles.snowietxt import to_position_line
from gnubg_py.matchfiles.text_export import to_text
from gnubg_py.notation import simple, xgid
from gnubg_py.shell import words
from gnubg_py.shell.export_settings import show_export
from gnubg_py.shell.file_commands import THE_OUTPUT, game_only, may_write, write_or_print
from gnubg_py.shell.said import decision_text, export_settings, shown_turn, wording_of
from gnubg_py.shell.session import Session
from gnubg_py.shell.statistics_commands import text_of_statistics
from gnubg_py.shell.tree import Command, Run


def _target(session: Session, given: list[str]) -> Path:
    """The file to write, in the folder for exports if its name has none."""
    path = words.path_name(given, "You must specify a file to export to.")
    folder = session.export.folder
    here = not folder or path.parent != Path() or path == THE_OUTPUT
    return path if here else Path(folder) / path


def _write(session: Session, path: Path, text: str) -> None:
    write_or_print(session, path, text, f"Written to {path}.")


def export_mat(session: Session, given: list[str]) -> None:
    """``export match mat FILE``."""
    path = _target(session, given)
    _warn_of_edits(session, session.match())
    _write(session, path, to_mat(session.match(), session.info))


def _warn_of_edits(session: Session, record: MatchRecord) -> None:
    if holds_edits(record):
        session.say(
            "Warning: this game was edited during play and cannot be exported correctly in this "
            "format.\nUse Snowie text format instead."
        )


def export_snowie_match(session: Session, given: list[str]) -> None:
    """``export match snowietxt FILE``: as a .mat file, without where and when."""
    _write(session, _target(session, given), to_mat(session.match()))


def export_snowie_game(session: Session, given: list[str]) -> None:
    """``export game snowietxt FILE``: the game shown alone."""
    _write(session, _target(session, given), to_mat(game_only(session).record))


def _game_statistics(session: Session, number: int, *, last: bool) -> str:
    one = range(number, number + 1)
    parts = [f"Game statistics for game {number + 1}\n\n{text_of_statistics(session, one)}"]
    if last:
        kind = "Match" if session.match().length else "Session"
        whole = text_of_statistics(session, range(number + 1))
        parts.append(f"{kind} statistics\n\n{whole}")
    return "\n\n\n".join(parts)


def _page_names(path: Path, count: int) -> list[Path]:
    """A file for each game: the first has the name given, the others a number after it."""
    numbered = [path.with_name(f"{path.stem}_{i:03}{path.suffix}") for i in range(2, count + 1)]
    return [path, *numbered]


def export_gam(session: Session, given: list[str]) -> None:
    """``export game gam FILE``: the game shown, without its score."""
    path = _target(session, given)
    _warn_of_edits(session, game_only(session).record)
    _write(session, path, to_gam(game_only(session)))


def export_pages(kind: str, *, whole_match: bool) -> Run:
    """``export match|session|game text|html|latex|pdf|ps FILE``: as gnubg writes them.

    Text and HTML have one file a game; what is printed is one file.
    """

    def run(session: Session, given: list[str]) -> None:
        contents, path = session.contents(), _target(session, given)
        number, settings = session.game_index, export_settings(session)
        games = range(len(contents.record.games)) if whole_match else range(number, number + 1)
        paths = _page_names(path, len(games))
        texts = []
        for game in games:
            last = whole_match and game == games[-1]
            told = _game_statistics(session, game, last=last)
            if kind == "html":
                links = [page_path.name for page_path in paths]
                text = to_html(contents, game, settings, told, links, wording_of(session))
            else:
                text = to_text(contents, game, settings, told, wording_of(session))
            texts.append(text)
        if kind in PRINTED:
            paths, texts = [path], [PRINTED[kind]("\n".join(texts))]
        for name, text in zip(paths, texts, strict=True):
            _write(session, name, text)

    return run


def export_text(session: Session, given: list[str]) -> None:
    """``export position text FILE``: the drawing, the IDs, and what was said of the decision."""
    _write(session, _target(session, given), decision_text(session))


def export_printed(kind: str) -> Run:
    """``export position ps|pdf FILE``: the same for a printer."""

    def run(session: Session, given: list[str]) -> None:
        _write(session, _target(session, given), PRINTED[kind](_position_text(session)))

    return run


def _position_text(session: Session) -> str:
    position = session.shown()
    lines = [draw(position.board, position.match, session.names, clockwise=session.clockwise)]
    if is_playing(position) and not position.match.resigned:
        beavers = position.match.match_length == 0 and session.rules.beavers > 0
        lines += ["", xgid(position.board, replace(position.match, beavers=beavers))]
    return "\n".join([*lines, "", f"simple {simple(position.board)}"]) + "\n"


def export_html(session: Session, given: list[str]) -> None:
    """``export position html FILE``: the picture, the IDs, and the analysis of the decision."""
    turn = shown_turn(session)
    text = position_html(
        session.contents(),
        session.game_index,
        turn,
        export_settings(session),
        _xgid(session),
        wording_of(session),
    )
    _write(session, _target(session, given), text)


def export_bgonline(session: Session, given: list[str]) -> None:
    """``export position bgonline FILE``: the picture and the IDs."""
    position = session.shown()
    drawing = board_svg(position.board, position.match)
    names = f"{session.names[0]} (O) against {session.names[1]} (X)"
    width = session.export.picture_width
    body = [f'<div style="width: {width}px">{drawing}</div>', f"<p>{position.gnubg_id}</p>"]
    body += [f"<p>{text}</p>" for text in [_xgid(session)] if text]
    _write(session, _target(session, given), page(names, body))


def _xgid(session: Session) -> str:
    """The XGID of the position shown; empty where the game is over or a resignation is open."""
    position = session.shown()
    if not is_playing(position) or position.match.resigned:
        return ""
    return f"XGID={xgid(position.board, position.match).removeprefix('XGID=')}"


def export_snowie(session: Session, given: list[str]) -> None:
    """``export position snowietxt FILE``."""
    text = to_position_line(session.shown(), session.names, session.rules.beavers > 0)
    _write(session, _target(session, given), text)


def export_pos(session: Session, given: list[str]) -> None:
    """``export position pos FILE``."""
    path = _target(session, given)
    if may_write(session, path):
        position = session.shown()
        match = replace(position.match, jacoby=position.match.jacoby or session.rules.jacoby)
        write_aside(path, to_pos(replace(position, match=match), session.names))
        session.note(f"Written to {path}.")


def export_svg(session: Session, given: list[str]) -> None:
    """``export position svg FILE``."""
    position = session.shown()
    _write(session, _target(session, given), board_svg(position.board, position.match))


def copy(session: Session) -> None:
    """``copy``: the position's text to the clipboard, by the terminal's own command for it.

    The command is OSC 52 of xterm's control sequences; a terminal that lacks it ignores it.
    """
    if not session.interactive:
        return
    text = base64.b64encode(_position_text(session).encode()).decode()
    session.out.write(f"\x1b]52;c;{text}\x07")
    session.say("The position has been copied to the clipboard of the terminal.")


def set_css(session: Session) -> None:
    """``set export html css head``: where the style of pages stands, and has to stand."""
    session.say("The style of HTML pages is in their heads.")


def export_png(session: Session, given: list[str]) -> None:
    """``export position png FILE``."""
    position, path = session.shown(), _target(session, given)
    if path.is_dir():
        raise ValueError(f"{path}: is a folder")
    if may_write(session, path):
        write_board_png(position.board, position.match, path, session.export.png_width)
        session.note(f"Written to {path}.")


_FIELDS = ("annotator", "comment", "event", "place", "round")


def _set_info(name: str) -> Run:
    def run(session: Session, given: list[str]) -> None:
        clean = clean_text if name == "comment" else clean_name
        value = clean(" ".join(given))
        session.info = replace(session.info, **{name: value})  # type: ignore[arg-type]
        session.say(f"Match {name} set to: {value}" if value else f"Match {name} cleared.")

    return run


def set_date(session: Session, given: list[str]) -> None:
    """``set matchinfo date YYYY-MM-DD``."""
    value = " ".join(given)
    if value:
        try:
            date.fromisoformat(value if re.fullmatch(r"\d{4}-\d\d-\d\d", value) else "")
        except ValueError:
            raise ValueError(
                f"{value[:40]} is not a valid date (see `help set matchinfo date')."
            ) from None
    session.info = replace(session.info, date=value)
    session.say(f"Match date set to {value}." if value else "Match date cleared.")


def _player(session: Session, given: list[str]) -> int | None:
    """The player that a word names by number or name."""
    names = [name.lower() for name in session.names]
    word = given[0].lower() if given else ""
    if word in ("0", "1"):
        return int(word)
    return names.index(word) if word in names else None


def set_rating(session: Session, given: list[str]) -> None:
    """``set matchinfo rating PLAYER RATING``."""
    player = _player(session, given)
    if player is None:
        raise ValueError(
            "You must specify which player's rating to set (see `help set matchinfo rating')."
        )
    ratings, value = list(session.info.ratings), clean_name(" ".join(given[1:]))
    ratings[player] = value
    session.info = replace(session.info, ratings=(ratings[0], ratings[1]))
    name = session.names[player]
    session.say(f"Rating for {name} set to: {value}" if value else f"Rating for {name} cleared.")


def show_info(session: Session) -> None:
    """``show matchinfo``."""
    info, names = session.info, session.names
    rated = [
        f"{name} ({rating or 'unknown rating'})"
        for name, rating in zip(names, info.ratings, strict=True)
    ]
    day = info.date if session.has_game else date.today().isoformat()
    session.say(" vs. ".join(rated) + (f", {day}" if day else ""))
    told = {"Event": info.event, "Round": info.round, "Place": info.place}
    for title, value in (told | {"Annotator": info.annotator}).items():
        if value:
            session.say(f"{title}: {value}")
    if info.comment:
        session.say(f"\n{info.comment}")


Exporter = Callable[[Session, list[str]], None]
_PRINTED_TITLES = {
    "latex": "As text for LaTeX",
    "pdf": "As text in PDF",
    "ps": "As text in PostScript",
}


def _printed(*, whole_match: bool) -> dict[str, tuple[str, Exporter]]:
    """The exports of text for a printer."""
    return {
        kind: (title, export_pages(kind, whole_match=whole_match))
        for kind, title in _PRINTED_TITLES.items()
    }


_POSITION: dict[str, tuple[str, Exporter]] = {
    "bgonline": ("As a page of HTML", export_bgonline),
    "html": ("As a page of HTML", export_html),
    "pdf": ("As a page of text in PDF", export_printed("pdf")),
    "png": ("As a picture of dots", export_png),
    "pos": ("As a Jellyfish position", export_pos),
    "ps": ("As a page of text in PostScript", export_printed("ps")),
    "snowietxt": ("As Snowie's line", export_snowie),
    "svg": ("As a picture to scale", export_svg),
    "text": ("As a drawing with its IDs", export_text),
}
_GAME: dict[str, tuple[str, Exporter]] = {
    "gam": ("As a Jellyfish game", export_gam),
    "html": ("As a page of HTML", export_pages("html", whole_match=False)),
    "snowietxt": ("As a Snowie match of one game", export_snowie_game),
    "text": ("As text", export_pages("text", whole_match=False)),
    **_printed(whole_match=False),
}
_MATCH: dict[str, tuple[str, Exporter]] = {
    "mat": ("As a Jellyfish match", export_mat),
    "html": ("As pages of HTML, one a game", export_pages("html", whole_match=True)),
    "snowietxt": ("As a Snowie match", export_snowie_match),
    "text": ("As text, a file for each game", export_pages("text", whole_match=True)),
    **_printed(whole_match=True),
}
_KINDS = {"position": _POSITION, "game": _GAME, "match": _MATCH, "session": _MATCH}

COMMANDS = (
    *(Command(f"export {what} {name}", title, run, "<file>")
      for what, kinds in _KINDS.items() for name, (title, run) in kinds.items()),
    *(Command(f"set matchinfo {name}", f"The match's {name}", _set_info(name), "<text>")
      for name in _FIELDS),
    Command("set matchinfo date", "When the match was played", set_date, "<year-month-day>"),
    Command("set matchinfo rating", "A player's rating", set_rating, "<player> <rating>"),
    Command("show matchinfo", "Where and when the match was played", show_info),
    Command("set export html css head", "The style of pages is in their heads", set_css),
    Command("copy", "The position to the terminal's clipboard", copy),
    Command("show export", "The settings of exports", show_export),
)  # fmt: skip
