"""Jellyfish's ``.mat`` files: a match as numbered lines of text, player 0 on the left.

    1) 31: 8/5 6/5                 64: 24/14
    2)  Doubles => 2                Takes

Points are the mover's own, 25 the bar and 0 off. gnubg and most other programs write and read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise

from gnubg_py.board import VARIATIONS, start_position
from gnubg_py.game.actions import Accept, Action, Double, Drop, Move, Redouble, Resign, Roll, Take
from gnubg_py.game.position import NO_GAME, Position, Rules, move_of
from gnubg_py.game.record import GameRecord, MatchRecord, extended, new_state, result
from gnubg_py.match import MatchState, Resignation
from gnubg_py.notation import CANNOT_MOVE

_COLUMN = 27
_LONGEST_MATCH = 64
_NUMBER = re.compile(r"\s{0,3}(\d{1,4})\)\s?")
_HEAD = re.compile(r"\s*(\d{1,5})\s+points?\s+match\b", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+\d+\s*$", re.IGNORECASE)
_PLAYERS = re.compile(r"\s*(.{1,64}?)\s*:\s*(\d{1,5})\s+(.{1,64}?)\s*:\s*(\d{1,5})\s*$")
_ENTRY = re.compile(
    r"(?P<dice>[1-6][1-6]):(?P<play>[^:]*?)(?=\s{2,}|\s[1-6][1-6]:|$)"
    r"|(?P<cube>Doubles|Redoubles|Beavers|Raccoons)(?:\s*=>\s*\d{1,5})?"
    r"|(?P<take>Takes|Accepts)|(?P<drop>Drops|Passes|Rejects)"
    r"|(?P<wins>Wins\s+(?P<points>\d{1,6})\s+points?(?:\s+and\s+the\s+match)?)",
    re.IGNORECASE,
)


def to_mat(record: MatchRecord) -> str:
    """A record as the text of a ``.mat`` file; games set up by hand have no place in one."""
    if not record.games:
        raise ValueError(NO_GAME)
    for number, game in enumerate(record.games, start=1):
        if game.is_edited:
            raise ValueError(
                f"game {number} was edited during play: a .mat file holds whole games only; "
                "use `save match'"
            )
    lines = []
    if record.rules.variation != "standard":
        lines.append(f'; [Variation "{record.rules.variation}"]')
    lines += ["", f" {record.length} point match"]
    for number, game in enumerate(record.games, start=1):
        lines += ["", f" Game {number}", *_game_lines(record, game)]
    return "\n".join(lines) + "\n"


def _game_lines(record: MatchRecord, game: GameRecord) -> list[str]:
    score = game.start.match.score
    names = [f"{name} : {n}" for name, n in zip(record.players, score, strict=True)]
    lines = [f" {names[0]:<{_COLUMN + 3}} {names[1]}"]
    rows: list[list[str]] = []
    for player, text in entries(game, _numbers):
        if not rows or player == 0 or rows[-1][1]:
            rows.append(["", ""])
        rows[-1][player] = text
    ending = result(game)
    last = ""
    if ending is not None:
        winner, points, _ = ending
        over = record.length > 0 and game.end.match.score[winner] >= record.length
        text = f"Wins {points} point{'s' * (points != 1)}" + " and the match" * over
        if winner == 1 and rows and not rows[-1][1]:
            rows[-1][1] = f" {text}"
        else:
            last = " " * (6 if winner == 0 else _COLUMN + 7) + text
    for number, (left, right) in enumerate(rows, start=1):
        lines.append(f"{number:>3}) {left:<{_COLUMN}} {right}".rstrip())
    return [*lines, last] if last else lines


def entries(game: GameRecord, words: Callable[[str], str]) -> list[tuple[int, str]]:
    """What each player did, in order: dice and play, in the given words, are one entry."""
    entries: list[tuple[int, str]] = []
    for (before, after), action in zip(pairwise(game.positions), game.actions, strict=True):
        match action:
            case Move():
                a, b = before.match.dice
                entries.append((action.player, f"{a}{b}: {words(action.play)}".rstrip()))
            case Double():
                entries.append((action.player, f" Doubles => {2 * before.match.cube_value}"))
            case Redouble():
                word = "Beavers" if action.player != before.match.move else "Raccoons"
                entries.append((action.player, f" {word} => {2 * after.match.cube_value}"))
            case Take():
                entries.append((action.player, " Takes"))
            case Drop():
                entries.append((action.player, " Drops"))
    return entries


def _numbers(play: str) -> str:
    """A play with 25 for the bar and 0 for off, each leg written out."""
    if play == CANNOT_MOVE:
        return ""
    legs = []
    for word in play.replace("bar", "25").replace("off", "0").split():
        stops, _, count = word.partition("(")
        for copy in range(int(count[:-1]) if count else 1):
            points = (stops if copy == 0 else stops.replace("*", "")).split("/")
            legs += [f"{start.rstrip('*')}/{end}" for start, end in pairwise(points)]
    return " ".join(legs)


@dataclass
class _Reader:
    """How far a file has been read."""

    length: int | None = None
    players: tuple[str, str] = ("player 0", "player 1")
    rules: Rules = field(default_factory=lambda: Rules(jacoby=False))
    games: tuple[GameRecord, ...] = ()
    state: MatchState | None = None
    game: GameRecord | None = None
    first: bool = True

    @property
    def record(self) -> MatchRecord:
        return MatchRecord(self.length or 0, self.players, self.rules, self.games)


def from_mat(text: str) -> MatchRecord:
    """Read a ``.mat`` file; ``ValueError`` names the line at fault.

    A game that ends before its last checker is off, and with no cube dropped, was resigned.
    """
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            _read_line(reader, line.expandtabs().rstrip())
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    _close_game(reader)
    if reader.length is None:
        raise ValueError("no line like ' 7 point match': this is not a .mat file")
    if not reader.games:
        raise ValueError("no game in this .mat file")
    return reader.record


def _read_line(reader: _Reader, line: str) -> None:
    if not line.strip():
        return
    if line.lstrip().startswith(";"):
        _comment(reader, line)
    elif reader.length is None:
        head = _HEAD.match(line)
        if head is None:
            raise ValueError(f"{line.strip()[:40]!r}: should be a line like ' 7 point match'")
        reader.length = int(head[1])
        if reader.length > _LONGEST_MATCH:
            raise ValueError(f"a match to {reader.length}: matches go to {_LONGEST_MATCH}")
    elif _GAME.match(line):
        _close_game(reader)
        reader.state = new_state(reader.record)
    elif reader.state is not None and reader.game is None and (names := _PLAYERS.match(line)):
        _open_game(reader, names)
    elif reader.game is None:
        raise ValueError(f"{line.strip()[:40]!r}: should be ' Game 1' and the players' names first")
    else:
        _read_entries(reader, line)


def _comment(reader: _Reader, line: str) -> None:
    found = re.search(r'\[Variation "([^"]*)"\]', line)
    if found and found[1].lower() in VARIATIONS:
        reader.rules = replace(reader.rules, variation=found[1].lower())


def _open_game(reader: _Reader, names: re.Match[str]) -> None:
    assert reader.state is not None
    if not reader.games:
        reader.players = (names[1], names[3])
    score = (int(names[2]), int(names[4]))
    length = reader.length or 0
    state = reader.state
    if score != state.score:
        crawford = length > 1 and max(score) == length - 1 and not reader.games
        state = replace(state, score=score, crawford=crawford)
    reader.state = state
    # Who moves first is known once the first dice are read.
    reader.game = GameRecord(
        Position(start_position(reader.rules.variation), replace(state, move=0, turn=0))
    )
    reader.first = True


def _close_game(reader: _Reader) -> None:
    if reader.game is not None:
        reader.games = (*reader.games, reader.game)
    reader.game = reader.state = None


def _read_entries(reader: _Reader, line: str) -> None:
    number = _NUMBER.match(line)
    place = number.end() if number else 0
    found = list(_ENTRY.finditer(line, place))
    left_over = _ENTRY.sub("", line[place:]).strip()
    if left_over or not found:
        raise ValueError(f"{(left_over or line).strip()[:40]!r} is no play and no cube action")
    for entry in found:
        # The right half of a numbered line is player 1's, wherever it is the first entry.
        _read_entry(reader, entry, 1 if entry.start() >= _COLUMN - 3 else 0)


def _read_entry(reader: _Reader, entry: re.Match[str], column: int) -> None:
    game = reader.game
    assert game is not None
    if entry["wins"]:
        _end_game(reader, column, int(entry["points"]))
        return
    if entry["dice"]:
        _play(reader, entry, column)
        return
    doubled = game.end.match.doubled
    action: Action
    if entry["cube"]:
        action = Redouble(column) if doubled else Double(column)
    else:
        action = Take(column) if entry["take"] else Drop(column)
    reader.game = extended(game, action, reader.rules)


def _play(reader: _Reader, entry: re.Match[str], column: int) -> None:
    game = reader.game
    assert game is not None
    dice = (int(entry["dice"][0]), int(entry["dice"][1]))
    if not game.actions and reader.first:
        match = replace(game.start.match, move=column, turn=column, dice=dice)
        game = GameRecord(replace(game.start, match=match))
    else:
        game = extended(game, Roll(column, dice), reader.rules)
    reader.first = False
    move = move_of(game.end, _play_words(entry["play"]))
    reader.game = extended(game, replace(move, player=column), reader.rules)


def _play_words(text: str) -> str:
    words = text.replace("*", "").strip()  # what is hit follows from the board
    if not words or words.lower() in (CANNOT_MOVE, "cannot move", "????"):
        return CANNOT_MOVE
    return re.sub(r"\b25/", "bar/", re.sub(r"/0\b", "/off", words))


def _end_game(reader: _Reader, winner: int, points: int) -> None:
    """``Wins N points``: of a game not over yet, its loser resigned."""
    game = reader.game
    assert game is not None
    if game.is_over:
        return
    state = game.end.match
    level, rest = divmod(points, state.cube_value)
    if rest or not 1 <= level <= 3 or state.doubled:
        raise ValueError(f"{points} points for a resignation with the cube at {state.cube_value}")
    for action in (Resign(1 - winner, Resignation(level)), Accept(winner)):
        reader.game = extended(reader.game or game, action, reader.rules)
