"""``save``, ``load``, ``import``: matches, games, positions, commands."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from gnubg_py.errors import IllegalActionError, Refusal
from gnubg_py.files import read_text
from gnubg_py.game.position import Rules, is_playing, position_of
from gnubg_py.game.record import GameRecord, MatchRecord, swapped
from gnubg_py.match import Resignation
from gnubg_py.matchfiles.contents import MatchContents, Place
from gnubg_py.matchfiles.registry import format_named, read_as, read_match
from gnubg_py.matchfiles.saved import write_text
from gnubg_py.messages import counted
from gnubg_py.notation import parse_position
from gnubg_py.shell import turns, words
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command, Run, UnknownWordError

_LARGEST_SCRIPT = 1 << 20
_DEEPEST = 8
THE_OUTPUT = Path("-")
_NO_FILE = "You must specify a file to load from"
_IMPORTED = {
    "auto": "a file", "bgroom": "a BGRoom file", "oldmoves": "an oldmoves file",
    "party": "a PartyGammon file", "pos": "a position file", "sgg": "an SGG file",
    "snowietxt": "a Snowie Text file", "tmg": "an TMG file",
}  # fmt: skip
"""What gnubg calls the files that it imports."""


def may_write(session: Session, path: Path) -> bool:
    """Whether a file may be written: if it is there already, a person is asked."""
    if path == THE_OUTPUT or not (session.confirms.save and path.exists()):
        return True
    return session.confirm(f"{path} exists. Write over it?")


def write_or_print(session: Session, path: Path, text: str, told: str) -> None:
    """Write a file and tell of it; as in gnubg ``-`` is the output of the program itself."""
    if path == THE_OUTPUT:
        session.write(text.removesuffix("\n"))
    elif may_write(session, path):
        write_text(path, text)
        session.note(told)


def _save(session: Session, given: list[str], contents: MatchContents, what: str) -> None:
    """Write a match as SGF, as gnubg does, or, if the file's name ends in .json, as our JSON."""
    path = words.path_name(given, f"You must specify a file to save to (see `help save {what}').")
    form = format_named("saved" if path.suffix.lower() == ".json" else "sgf")
    assert form.write is not None
    text = form.write(contents)
    write_or_print(session, path, text, f"The {what} has been saved in {path}.")


def save(session: Session, given: list[str]) -> None:
    """``save match FILE``: the match with its analysis and comments."""
    _save(session, given, session.contents(), "match")


def save_game(session: Session, given: list[str]) -> None:
    """``save game FILE``: the game shown alone."""
    _save(session, given, game_only(session), "game")


def save_position(session: Session, given: list[str]) -> None:
    """``save position FILE``: the position shown, as a game that begins from it."""
    record = session.match()
    position = session.shown()
    if not is_playing(position):
        raise IllegalActionError(Refusal.NO_GAME)
    start = position_of(
        position.board, replace(position.match, resigned=Resignation.NONE, doubled=False)
    )
    record = replace(record, games=(GameRecord(start),))
    _save(session, given, MatchContents(record, info=session.info), "position")


def game_only(session: Session) -> MatchContents:
    """The game shown, with what was said of it."""
    contents = session.contents()
    record = replace(contents.record, games=(session.game(),))
    return _only_game(contents, record, session.game_index)


def _only_game(contents: MatchContents, record: MatchRecord, index: int) -> MatchContents:
    """A record of one game of a match, with what was said of that game."""
    told = contents.analysis, contents.comments, contents.skills, contents.lucks, contents.rollouts
    analysis, comments, skills, lucks, rolled = (_of_game(said, index) for said in told)
    warnings, info = contents.warnings, contents.info
    return MatchContents(record, warnings, analysis, comments, info, skills, lucks, rolled)


def _of_game(said: Mapping[Place, Any], index: int) -> dict[Place, Any]:
    """What was said of the actions of a game, as of the first one."""
    return {(0, i): what for (game, i), what in said.items() if game == index}


def _load(session: Session, given: list[str]) -> None:
    """``load match FILE``: of any format."""
    _open(session, _read(session, given, "match"))


def _load_game(session: Session, given: list[str]) -> None:
    """``load game FILE``: the first game of a file of any format."""
    contents = _read(session, given, "game")
    first = replace(contents.record, games=contents.record.games[:1])
    _open(session, _only_game(contents, first, 0))


def _read(session: Session, given: list[str], what: str) -> MatchContents:
    if not given:
        raise ValueError(f"{_NO_FILE} (see `help load {what}').")
    path = _found(words.path_name(given), session.folders.sgf)
    return read_match(path, _rules(session))


def _found(path: Path, folder: str) -> Path:
    """A file to read: where its name says, or else in the folder that was set."""
    there = Path(folder).expanduser() / path
    return there if folder and not path.exists() and there.exists() else path


def _rules(session: Session) -> Rules:
    """What holds where a file tells no rules."""
    return replace(session.rules, variation="standard")


def _open(session: Session, contents: MatchContents) -> None:
    for warning in contents.warnings:
        session.say(warning)
    if not contents.record.games:
        raise ValueError("there is no game in this file")
    if turns.may_abandon(session, "discard"):
        session.set_contents(contents)
        session.show_board()
        if session.interactive:
            games = counted(len(contents.record.games), "game")
            where = "at its beginning" if session.to_first_game else "at the end of the last one"
            session.say(f"The match has {games}; you are {where} (see `help first', `help next').")


def _importer(name: str) -> Run:
    """``import NAME FILE``."""

    def run(session: Session, given: list[str]) -> None:
        sentence = f"You must specify {_IMPORTED.get(name, 'a match file')} to import"
        path = words.path_name(given, f"{sentence} (see `help import {name}').")
        path = _found(path, session.folders.match)
        if name == "auto" and not path.exists():
            raise UnknownWordError(f"The file `{path}' doesn't exist")
        rules = _rules(session)
        contents = read_match(path, rules) if name == "auto" else read_as(name, path, rules)
        aliases = [alias.strip().lower() for alias in session.known_as.aliases.split(";")]
        if contents.record.players[0].lower() in aliases and not contents.analysis:
            contents = replace(contents, record=swapped(contents.record))
        if not contents.info.date:  # as in gnubg
            info = replace(contents.info, date=date.today().isoformat())
            contents = replace(contents, info=info)
        before = session.record
        _open(session, contents)
        session.imported = session.imported or session.record is not before

    return run


def load_position(session: Session, given: list[str]) -> None:
    """``load position FILE``: an SGF file's, or the first line of a text that tells a position."""
    path = words.path_name(given, f"{_NO_FILE} (see `help load position').")
    text = read_text(path, _LARGEST_SCRIPT, latin=True)
    if text.lstrip("\ufeff \r\n\t").startswith("(;"):
        contents = read_as("sgf", path, _rules(session))
        first = replace(contents.record, games=contents.record.games[:1])
        _open(session, _only_game(contents, first, 0))
        return
    _put_position(session, path, text)


def _put_position(session: Session, path: Path, text: str) -> None:
    """Put up the position that a line of a text tells, or a drawing with its two IDs."""
    drawn = re.search(
        r"Position ID: *(\S{14})\s+Match ID *: *(\S{12})", text.replace("\r", ""), re.ASCII
    )
    for line in text.splitlines():
        try:
            board, match = parse_position(line.strip()[:300])
        except ValueError:
            continue
        session.set_position(board, match)
        session.show_board()
        return
    if drawn is not None:
        session.set_position(*parse_position(f"{drawn[1]}:{drawn[2]}"))
        session.show_board()
        return
    raise ValueError(f"{path}: no line of it is a Position ID, a GNUbg ID or an XGID")


def load_commands(session: Session, given: list[str]) -> None:
    """``load commands FILE``: run them one after another."""
    from gnubg_py.shell.loop import run_lines

    path = words.path_name(given, f"{_NO_FILE}.")
    lines = read_text(path, _LARGEST_SCRIPT).splitlines()
    before = session.reader
    try:
        with _one_deeper(session, path):
            run_lines(session, lines)
    finally:
        session.reader = before


def load_python(session: Session, given: list[str]) -> None:
    """``load python FILE``: run a script, for which there is a module ``gnubg``."""
    from gnubg_py.inside.run import run_script  # seldom needed: not at start-up

    if not given:
        raise ValueError(f"{_NO_FILE}.")
    path = words.path_name(given)
    with _one_deeper(session, path):
        run_script(session, path)


@contextlib.contextmanager
def _one_deeper(session: Session, path: Path) -> Iterator[None]:
    """While a file of commands or a script runs, which may load further ones."""
    if session.script_depth >= _DEEPEST:
        raise ValueError(f"{path}: files call one another more than {_DEEPEST} deep")
    session.script_depth += 1
    try:
        yield
    finally:
        session.script_depth -= 1


COMMANDS = (
    Command("import auto", "A match of any known format", _importer("auto"), "<file>"),
    Command("import bgf", "A match of BGBlitz", _importer("bgf"), "<file>", ours=True),
    Command("import bgroom", "A session of BGRoom", _importer("bgroom"), "<file>"),
    Command("import empire", "A GammonEmpire game", _importer("gam"), "<file>"),
    Command("import gam", "A Jellyfish game", _importer("gam"), "<file>"),
    Command("import mat", "A Jellyfish match", _importer("mat"), "<file>"),
    Command("import oldmoves", "Old moves of FIBS", _importer("oldmoves"), "<file>"),
    Command("import party", "A match of PartyGammon", _importer("party"), "<file>"),
    Command("import pos", "A Jellyfish position", _importer("pos"), "<file>"),
    Command("import sgg", "A match of GamesGrid", _importer("sgg"), "<file>"),
    Command("import snowietxt", "A Snowie position", _importer("snowietxt"), "<file>"),
    Command("import tmg", "A match of TrueMoneyGames", _importer("tmg"), "<file>"),
    Command("import xg", "An eXtreme Gammon match", _importer("xg"), "<file>", ours=True),
    Command("load commands", "Commands, one a line", load_commands, "<file>"),
    Command("load game", "The first game of a file of any known format", _load_game, "<file>"),
    Command("load match", "A match of any known format", _load, "<file>"),
    Command("load python", "A script in Python", load_python, "<file>"),
    Command("load position", "The position in an SGF or text file", load_position, "<file>"),
    Command("load session", "A session that `save session' wrote", _load, "<file>", ours=True),
    Command("save game", "The game shown", save_game, "<file>"),
    Command("save position", "The position shown, as SGF or JSON", save_position, "<file>"),
    Command("save match", "The match, as SGF or JSON", save, "<file>"),
    Command("save session", "The session, as SGF or JSON", save, "<file>", ours=True),
)
