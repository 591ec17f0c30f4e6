"""Jellyfish's ``.mat`` files: a match as numbered lines of text, player 0 on the left.

    1) 31: 8/5 6/5                 64: 24/18 18/14
    2)  Doubles => 2                Takes

Points are the mover's own; 25 is the bar and 0 is off. gnubg and most other programs write and read
this format, each a little differently. This reader is as lenient as gnubg's and has its warnings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise

from gnubg_py.board import VARIATIONS, start_position, swap
from gnubg_py.errors import IllegalActionError, Refusal
from gnubg_py.game.actions import Accept, Double, Drop, Move, Redouble, Setup, Take
from gnubg_py.game.position import Position, Rules
from gnubg_py.game.record import GameRecord, MatchRecord, result
from gnubg_py.match import NO_DICE
from gnubg_py.matchfiles.builder import Builder
from gnubg_py.matchfiles.contents import NO_INFO, MatchContents, MatchInfo, clean_name, clean_text
from gnubg_py.matchfiles.formats import Format, lines_of, text_of
from gnubg_py.matchfiles.quick_plays import is_dance, legs_of
from gnubg_py.messages import counted
from gnubg_py.notation.play_text import play_in_steps
from gnubg_py.notation.steps import BAR_POINT, sides

_COLUMN = 27
_RIGHT_HALF = 15
"""A single entry that begins in this column or to the right of it is player 1's."""

_NUMBER = re.compile(r"\s*\d{1,4}\)\s?")
_HEAD = re.compile(r"\s*(\d+)\s+points?\s+match", re.IGNORECASE)
_LENGTH_DIGITS = 9
_GAME = re.compile(r"\s*Game\s+\d+\s*$", re.IGNORECASE)
_PLAYERS = re.compile(r"(.{0,80}?)\s*:\s*(\d{1,5})\s+(.{0,80}?)\s*:\s*(\d{1,5})\s*$")
_TAG = re.compile(r'\s*;\s*\[\s*(\w[\w ]*?)\s+"(.*)"\s*\]')
_KNOWN_TAGS = {
    "site", "match id", "event", "round", "player 1", "player 2", "player 1 elo", "player 2 elo",
    "eventdate", "eventtime", "variation", "unrated", "crawford", "cubelimit", "transcriber",
    "jacoby", "beaver",
}  # fmt: skip
_ENTRY = re.compile(
    r"(?P<dice>\d\d)\s?:|(?P<cube>\b(?:Doubles|Redoubles|Beavers|Raccoons)\b)"
    r"|(?P<take>\b(?:Takes|Accepts)\b)|(?P<drop>\b(?:Drops|Passes|Rejects)\b)"
    r"|(?P<wins>\bWins?\b)|(?P<loses>\bLoss?es\b)",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\s*(\d{1,6})\s+points?", re.IGNORECASE)


def to_mat(record: MatchRecord, info: MatchInfo = NO_INFO) -> str:
    """A record as the text of a ``.mat`` file; positions set by hand have no place in it."""
    if not record.games:
        raise IllegalActionError(Refusal.NO_GAME)
    lines = _tag_lines(info)
    if record.rules.variation != "standard":
        lines.append(f'; [Variation "{record.rules.variation}"]')
    lines += ["", f" {record.length} point match"]
    for number, game in enumerate(record.games, start=1):
        lines += ["", f" Game {number}", *_game_lines(record, game)]
    return "\n".join(lines) + "\n"


def holds_edits(record: MatchRecord) -> bool:
    """Whether a position was set by hand that a ``.mat`` file cannot express."""
    usual = start_position(record.rules.variation)
    if any((game.start.board != usual).any() for game in record.games):
        return True
    return any(_is_edit(game, place) for game in record.games for place in range(len(game.actions)))


def _is_edit(game: GameRecord, place: int) -> bool:
    """Whether an action sets a position that no row of a .mat file can express.

    A row can express an illegal play of the dice on the table, and a turn that is left out.
    """
    if not isinstance(game.actions[place], Setup):
        return False
    before, after = game.positions[place], game.positions[place + 1]
    one, other = before.match, after.match
    if one.move != other.move and one.dice != NO_DICE and other.dice == NO_DICE:
        return False
    told = replace(one, move=other.move, turn=other.turn, dice=other.dice, resigned=other.resigned)
    return told != other or not _same_board(before, after)


def _same_board(before: Position, after: Position) -> bool:
    """Whether no checker was moved, whoever is on roll."""
    way = 1 if before.match.move == after.match.move else -1
    return bool((after.board == before.board[::way]).all())


def _game_lines(record: MatchRecord, game: GameRecord) -> list[str]:
    score = game.start.match.score
    names = [f"{name} : {n}" for name, n in zip(record.players, score, strict=True)]
    lines = [f" {names[0]:<{_COLUMN + 3}} {names[1]}"]
    rows: list[list[str]] = []
    for player, text in entries(game, _in_steps):
        if not rows or player == 0 or rows[-1][1]:
            rows.append(["", ""])
        rows[-1][player] = text
    ending = result(game)
    last = ""
    if ending is not None:
        winner, points, _ = ending
        text = f"Wins {counted(points, 'point')}"
        if winner == 1 and rows and not rows[-1][1]:
            rows[-1][1] = f" {text}"
        else:
            last = " " * (6 if winner == 0 else _COLUMN + 7) + text
    for number, (left, right) in enumerate(rows, start=1):
        lines.append(f"{number:>3}) {left:<{_COLUMN}} {right}".rstrip())
    return [*lines, last] if last else lines


PlayWords = Callable[[Position, Position, str], str]


def entries(game: GameRecord, words: PlayWords) -> list[tuple[int, str]]:
    """The entries of a game: the player and the text of each action, a roll with its play.

    ``words`` makes the text of a play from the positions before and after it, and the play in
    gnubg's notation.
    """
    entries: list[tuple[int, str]] = []
    for (before, after), action in zip(pairwise(game.positions), game.actions, strict=True):
        a, b = before.match.dice
        match action:
            case Move():
                entries.append((action.player, f"{a}{b}: {words(before, after, action.play)}"))
            case Setup() if (a, b) != NO_DICE and _is_play(game, before, after):
                entries.append((before.match.move, f"{a}{b}: {odd_play(before, after)}"))
            case Accept() if before.match.doubled:
                # The form has no resignation in answer to a double: what is worth the same.
                answers = {1: " Drops"} if before.redoubles else {1: " Drops", 2: " Takes"}
                if answer := answers.get(int(before.match.resigned)):
                    entries.append((1 - action.player, answer))
            case Accept() if (a, b) != NO_DICE:  # resigned after the roll, before the play
                # An empty entry would be a play for gnubg, which looks for one.
                entries.append((before.match.move, f"{a}{b}: ????"))
            case Double():
                entries.append((action.player, f" Doubles => {2 * before.match.cube_value}"))
            case Redouble():
                entries.append((action.player, f" Beavers => {2 * after.match.cube_value}"))
            case Take() if not before.redoubles:  # gnubg leaves the answer to a beaver out
                entries.append((action.player, " Takes"))
            case Drop():
                entries.append((action.player, " Drops"))
    last = game.end.match
    if not game.is_over and last.dice != NO_DICE:  # rolled, and not yet played
        entries.append((last.move, "{}{}:".format(*last.dice)))
    return [(player, text.rstrip()) for player, text in entries]


def _is_play(game: GameRecord, before: Position, after: Position) -> bool:
    """Whether a position that was set is the result of a play, not only of other dice or turns."""
    begins = before is game.start and _same_board(before, after)
    return after.match.dice == NO_DICE and after.match.move != before.match.move and not begins


def _in_steps(before: Position, after: Position, play: str) -> str:
    """A play as gnubg writes it to files."""
    return play_in_steps(before.board, before.match.dice, after.board)


def odd_play(before: Position, after: Position) -> str:
    """The text of an illegal play, from the checkers that moved between two boards."""
    position, target = sides(before.board), sides(swap(after.board))
    if after.match.move == before.match.move:
        return ""
    change = [now - then for then, now in zip(position.mine, target.mine, strict=True)]
    gone = [point for point in range(BAR_POINT, 0, -1) for _ in range(-change[point - 1])]
    come = [point for point in range(BAR_POINT, 0, -1) for _ in range(change[point - 1])]
    come += [0] * (len(gone) - len(come))
    if len(gone) > 4 or any(start <= end for start, end in zip(gone, come, strict=False)):
        return ""
    return " ".join(f"{start}/{end}" for start, end in zip(gone, come, strict=False))


@dataclass
class _Reader:
    """The state of reading a file."""

    rules: Rules
    line: int = 0
    builder: Builder | None = None
    awaits_names: bool = False
    loser: int | None = None
    tags: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    bad_head: str = ""


def from_mat(text: str, rules: Rules | None = None) -> MatchContents:
    """Read a ``.mat`` file; ``ValueError`` only where there is no match in it.

    A game that ends with checkers of both sides left, and without a dropped cube, was resigned.
    """
    reader = _Reader(rules or Rules())
    for reader.line, line in enumerate(lines_of(text), start=1):
        _read_line(reader, line.rstrip())
    if reader.builder is None:
        raise ValueError(
            reader.bad_head or "no line like ' 7 point match': this is not a .mat file"
        )
    _close_game(reader, reader.builder)
    info = replace(_information(reader.tags), comment=clean_text("\n".join(reader.remarks)))
    return reader.builder.contents(info=info)


def has_head(text: str) -> bool:
    """Whether a text has a line such as " 7 point match"."""
    return any(_HEAD.match(line) for line in lines_of(text))


def read_rows(builder: Builder, lines: list[str], first: int) -> None:
    """Read the rows of a game that has begun; ``first`` is the number of the first line, from 0."""
    reader = _Reader(builder.rules, builder=builder)
    builder.where = lambda: f"line {reader.line}"
    for reader.line, line in enumerate(lines[first:], start=first + 1):
        if line.strip():
            _read_row(reader, builder, line.rstrip())
    _close_game(reader, builder)


def _information(tags: dict[str, str]) -> MatchInfo:
    """Where and when the match was played, from the tags at the beginning of the file."""
    names = {"event": "event", "round": "round", "site": "place", "transcriber": "annotator"}
    told = {field: clean_name(tags.get(tag, "")) for tag, field in names.items()}
    date = clean_name(tags.get("eventdate", "")).replace(".", "-")
    ratings = (clean_name(tags.get("player 1 elo", "")), clean_name(tags.get("player 2 elo", "")))
    return MatchInfo(date=date, ratings=ratings, **told)


def _tag_lines(info: MatchInfo) -> list[str]:
    tags = {"Site": info.place, "Event": info.event, "Round": info.round}
    tags |= {"EventDate": info.date.replace("-", "."), "Transcriber": info.annotator}
    lines = [f'; [{tag} "{text}"]' for tag, text in tags.items() if text]
    return lines + ["", *(f"; {line}" for line in info.comment.splitlines())] * bool(info.comment)


def _read_line(reader: _Reader, line: str) -> None:
    builder = reader.builder
    if not line.strip():
        return
    tag = _TAG.match(line)
    if tag and tag[1].lower() in _KNOWN_TAGS:
        reader.tags.setdefault(tag[1].lower(), tag[2])
    elif line.lstrip().startswith(";"):
        if builder is None:  # before the first game it is about the match, as in gnubg
            reader.remarks.append(line.lstrip()[1:].strip())
    elif builder is None:
        _head(reader, line)
    elif _GAME.match(line):
        _close_game(reader, builder)
        reader.awaits_names = True
    elif reader.awaits_names:
        _names(reader, builder, line)
    elif builder.in_game:
        _read_row(reader, builder, line)


def _head(reader: _Reader, line: str) -> None:
    head = _HEAD.match(line)
    if head is None:
        return
    if len(head[1]) > _LENGTH_DIGITS:
        reader.bad_head = f"line {reader.line}: a match of that many points cannot be read"
        return
    variation = reader.tags.get("variation", "").lower()
    if variation in VARIATIONS:
        reader.rules = replace(reader.rules, variation=variation)
    try:
        reader.builder = Builder(int(head[1]), reader.rules)
    except ValueError as error:
        reader.bad_head = reader.bad_head or f"line {reader.line}: {error}"
        return
    reader.builder.where = lambda: f"line {reader.line}"


def _names(reader: _Reader, builder: Builder, line: str) -> None:
    reader.awaits_names = False
    names = _PLAYERS.match(re.sub(r"\s{40,}", " " * 40, line.strip()))
    if names is None:
        _unrecognised(builder, line)
        builder.new_game()
        return
    if not builder.record.games:
        builder.name_players(names[1], names[3])
    builder.new_game((int(names[2]), int(names[4])))


def _close_game(reader: _Reader, builder: Builder) -> None:
    if reader.loser is not None and builder.is_playing:
        builder.win(1 - reader.loser, 1)
    reader.loser = None
    builder.close_game()


def _unrecognised(builder: Builder, text: str) -> None:
    builder.warn(f'Unrecognised move "{text.strip()[:80]}" in .mat file.')


def _read_row(reader: _Reader, builder: Builder, line: str) -> None:
    number = _NUMBER.match(line)
    place = number.end() if number else 0
    found = list(_ENTRY.finditer(line, place))
    starts = [entry.start() for entry in found] + [len(line)]
    if line[place : starts[0]].strip():
        _unrecognised(builder, line[place : starts[0]])
    for i, entry in enumerate(found):
        # The right half of a line is player 1's, even if the left half is empty.
        column = 1 if i or entry.start() >= _RIGHT_HALF else 0
        _read_entry(reader, builder, entry, line[entry.end() : starts[i + 1]].strip(), column)


def _read_entry(
    reader: _Reader, builder: Builder, entry: re.Match[str], rest: str, column: int
) -> None:
    whole = f"{entry[0]} {rest}".rstrip()
    if entry["dice"]:
        _read_play(builder, entry["dice"], rest, column, whole)
    elif entry["wins"] or entry["loses"]:
        points = _POINTS.match(rest)
        if points is None or entry["loses"]:
            _unrecognised(builder, whole)
        if entry["loses"]:
            reader.loser = column
        elif points is not None:
            builder.win(column, int(points[1]))
    elif entry["cube"]:
        builder.double(column)
    elif entry["take"]:
        builder.take()
    else:
        builder.drop(column)


def _read_play(builder: Builder, dice: str, text: str, column: int, whole: str) -> None:
    a, b = int(dice[0]), int(dice[1])
    if not (1 <= a <= 6 and 1 <= b <= 6):
        _unrecognised(builder, whole)
        return
    dance = is_dance(text)
    if not dance and text.strip("?") and legs_of(text) is None:
        _unrecognised(builder, whole)
        text = "????"
    if not builder.play(column, (a, b), "" if dance else text, forced=True):
        builder.warn(f"A play after the end of the game: {whole[:40].strip()}")


FORMAT = Format(
    looks_like=lambda data: re.search(rb"\d\s+points?\s+match", data[:20_000], re.I) is not None,
    read=lambda data, rules: from_mat(text_of(data), rules),
    write=lambda contents: to_mat(contents.record, contents.info),
)
