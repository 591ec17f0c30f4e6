"""``save``, ``load``, ``import``, ``export``: matches, games, positions, commands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gnubg_py.drawing.png import write_board_png
from gnubg_py.drawing.svg import board_svg
from gnubg_py.drawing.text import draw
from gnubg_py.files import read_text
from gnubg_py.game.position import is_playing
from gnubg_py.game.record import MatchRecord, swapped
from gnubg_py.game.storage import load_match, save_match, write_text
from gnubg_py.matchfiles.mat import from_mat, to_mat
from gnubg_py.notation import parse_position, simple, xgid
from gnubg_py.shell import turns, words
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command

LARGEST_SCRIPT = 1 << 20
_DEEPEST = 8


def _may_write(session: Session, path: Path) -> bool:
    if not (session.confirms.save and path.exists()):
        return True
    return session.confirm(f"{path} exists. Write over it?")


def _write(session: Session, path: Path, text: str) -> None:
    if _may_write(session, path):
        write_text(path, text)
        session.say(f"Written to {path}.")


def save(session: Session, given: list[str]) -> None:
    """``save match FILE``: JSON, read back by ``load match``."""
    record = session.match()
    path = words.path_name(given)
    if _may_write(session, path):
        save_match(record, path)
        session.say(f"The match has been saved in {path}.")


def save_game(session: Session, given: list[str]) -> None:
    """``save game FILE``: the game shown alone, as JSON."""
    record = session.match()
    path = words.path_name(given)
    if _may_write(session, path):
        save_match(_game_only(record, session.game_index), path)
        session.say(f"The game has been saved in {path}.")


def _game_only(record: MatchRecord, index: int) -> MatchRecord:
    return MatchRecord(record.length, record.players, record.rules, (record.games[index],))


def load(session: Session, given: list[str]) -> None:
    """``load match FILE``, ``load game FILE``."""
    if not given:
        raise ValueError("You must specify a file to load from (see `help load match').")
    _open(session, load_match(words.path_name(given)))


def _open(session: Session, record: MatchRecord) -> None:
    if not record.games:
        raise ValueError("there is no game in this file")
    if turns.may_abandon(session, "discard"):
        session.set_record(record)
        session.show_board()
        if session.interactive:
            games = words.counted(len(record.games), "game")
            where = "at its beginning" if session.to_first_game else "at the end of the last one"
            session.say(f"The match has {games}; you are {where} (see `help first', `help next').")


def import_mat(session: Session, given: list[str]) -> None:
    """``import mat FILE``."""
    path = words.path_name(given)
    text = read_text(path, latin=True)
    try:
        contents = from_mat(text, replace(session.rules, variation="standard"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    for warning in contents.warnings:
        session.say(warning)
    record = contents.record
    aliases = [name.strip().lower() for name in session.known_as.aliases.split(";")]
    _open(session, swapped(record) if record.players[0].lower() in aliases else record)


def export_mat(session: Session, given: list[str]) -> None:
    """``export match mat FILE``."""
    text = to_mat(session.match())
    _write(session, words.path_name(given), text)


def export_game(session: Session, given: list[str]) -> None:
    """``export game gam FILE``: the game shown alone."""
    text = to_mat(_game_only(session.match(), session.game_index))
    _write(session, words.path_name(given), text)


def export_text(session: Session, given: list[str]) -> None:
    """``export position text FILE``: the drawing and the IDs."""
    position = session.shown()
    lines = [draw(position.board, position.match, session.names, clockwise=session.clockwise)]
    if is_playing(position) and not position.match.resigned:
        beavers = position.match.match_length == 0 and session.rules.beavers > 0
        lines += ["", xgid(position.board, replace(position.match, beavers=beavers))]
    lines += ["", f"simple {simple(position.board)}"]
    _write(session, words.path_name(given), "\n".join(lines) + "\n")


def export_svg(session: Session, given: list[str]) -> None:
    """``export position svg FILE``."""
    position = session.shown()
    _write(session, words.path_name(given), board_svg(position.board, position.match))


def export_png(session: Session, given: list[str]) -> None:
    """``export position png FILE``."""
    position = session.shown()
    path = words.path_name(given)
    if path.is_dir():
        raise ValueError(f"{path}: is a folder")
    if _may_write(session, path):
        write_board_png(position.board, position.match, path)
        session.say(f"Written to {path}.")


def load_position(session: Session, given: list[str]) -> None:
    """``load position FILE``: the first line of a text file that tells a position."""
    path = words.path_name(given)
    for line in read_text(path, LARGEST_SCRIPT).splitlines():
        try:
            board, match = parse_position(line.strip()[:300])
        except ValueError:
            continue
        session.set_position(board, match)
        session.show_board()
        return
    raise ValueError(f"{path}: no line of it is a Position ID, a GNUbg ID or an XGID")


def load_commands(session: Session, given: list[str]) -> None:
    """``load commands FILE``: run them one after another."""
    from gnubg_py.shell.loop import run_line

    path = words.path_name(given)
    lines = read_text(path, LARGEST_SCRIPT).splitlines()
    if session.script_depth >= _DEEPEST:
        raise ValueError(f"{path}: command files call one another more than {_DEEPEST} deep")
    session.script_depth += 1
    before, rest = session.reader, iter(lines)
    try:
        session.reader = lambda question: _next_line(rest)
        for line in rest:
            run_line(session, line)
            if session.leaving or session.stopped:
                break
    finally:
        session.reader = before
        session.script_depth -= 1


def _next_line(lines: Iterator[str]) -> str:
    line = next(lines, None)
    if line is None:
        raise EOFError
    return line


COMMANDS = (
    Command("export game gam", "As a Jellyfish match of one game", export_game, "<file>"),
    Command("export match mat", "As a Jellyfish match", export_mat, "<file>"),
    Command("export position svg", "As a picture to scale", export_svg, "<file>"),
    Command("export position png", "As a picture of dots", export_png, "<file>"),
    Command("export position text", "As a drawing with its IDs", export_text, "<file>"),
    Command("export session mat", "As a Jellyfish match", export_mat, "<file>"),
    Command("import mat", "A Jellyfish match", import_mat, "<file>"),
    Command("load commands", "Commands, one a line", load_commands, "<file>"),
    Command("load game", "A game that `save game' wrote", load, "<file>"),
    Command("load match", "A match that `save match' wrote", load, "<file>"),
    Command("load position", "The first position in a text file", load_position, "<file>"),
    Command("load session", "A session that `save session' wrote", load, "<file>", ours=True),
    Command("save game", "The game shown, as JSON", save_game, "<file>"),
    Command("save match", "The match, as JSON", save, "<file>"),
    Command("save session", "The session, as JSON", save, "<file>", ours=True),
)
