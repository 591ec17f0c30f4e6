"""Match files as other programs write them, made from records: to read, and to damage."""

from __future__ import annotations

import gzip
import json
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

import numpy as np

from gnubg_py.board import Board
from gnubg_py.game.actions import Accept, Double, Drop, Move, Redouble, Take
from gnubg_py.game.analysis import Analyst
from gnubg_py.game.position import Position, Rules
from gnubg_py.game.record import GameRecord, MatchRecord, result
from gnubg_py.matches.judge import judge_places
from gnubg_py.matchfiles.contents import MatchContents, MatchInfo
from gnubg_py.matchfiles.mat import to_mat
from gnubg_py.matchfiles.pos import to_pos
from gnubg_py.matchfiles.registry import format_named
from gnubg_py.matchfiles.snowietxt import to_position_line
from gnubg_py.notation.play_text import play_in_steps
from gnubg_py.search.settings import PRESETS


def to_oldmoves(record: MatchRecord) -> bytes:
    """What FIBS lists; player 0 plays X."""
    kind = f"a {record.length} point" if record.length else "an unlimited"
    lines = []
    for game in record.games:
        score = game.start.match.score
        lines += [f"Score is {score[0]}-{score[1]} in {kind} match."]
        lines += [f"{record.players[0]} is X - {record.players[1]} is O"]
        for player, words in _told(game, _oldmoves_play, ("doubles", "accepts", "rejects")):
            lines.append(f"{'XO'[player]}: {words}")
        if (won := result(game)) is not None:
            lines.append(f"{'XO'[won[0]]}: wins {won[1]} point{'s' * (won[1] != 1)}")
        lines.append("")
    return "\n".join(lines).encode()


def _oldmoves_play(before: Position, steps: str) -> str:
    words = steps.replace("/", "-").replace("25-", "bar-").replace("-0", "-off")
    return "({} {}) ".format(*before.match.dice) + (words.replace("*", "") or "can't move")


def to_tmg(record: MatchRecord) -> bytes:
    """What TrueMoneyGames saved; the file's first player is player 1."""
    lines = ["MatchID: 1", f"Player1: 1 {record.players[1]} 4.00"]
    lines += [f"Player2: 2 {record.players[0]} 4.00", "Jacoby: 1", "Crawford: 1"]
    lines += [f"Length: {record.length}", "Variant: 1"]
    for number, game in enumerate(record.games, start=1):
        score = game.start.match.score
        lines += [f"Game {number}: {score[1]}-{score[0]}"]
        for player, words in _told(game, _tmg_play, ("5 2", "7", "10")):
            sign = " " if player else "-"
            lines += [f"  {sign}1 {part}" for part in words.split("\n")]
        if (won := result(game)) is not None:
            lines.append(f"  {' ' if won[0] else '-'}1 14 {won[1]} somebody wins")
    return "\n".join(lines).encode()


def _tmg_play(before: Position, steps: str) -> str:
    return "1 {}{}\n4 ".format(*before.match.dice) + (steps.replace("*", "") or "0/0")


def to_sgg(record: MatchRecord) -> bytes:
    """What GamesGrid saved; the file's first player is player 1."""
    lines = [f"{record.players[1]} vs. {record.players[0]}", "GamesGrid", "Jacoby: Yes"]
    for number, game in enumerate(record.games, start=1):
        score = game.start.match.score
        length = f"/{record.length}" if record.length else ""
        lines += [f"Game {number}. {score[1]}-{score[0]}{length}"]
        tabs = ("\t\t", "\t")
        told = _told(game, _sgg_play, ("double", "accept", "pass"), beaver="beaver")
        for row, (player, words) in enumerate(told, start=1):
            lines += [f"{row}{tabs[player]}{part}" for part in words.split("\n")]
        if (won := result(game)) is not None:
            if isinstance(game.actions[-1], Accept):
                lines += [f"99{tabs[1 - won[0]]}resign", f"99{tabs[won[0]]}accept"]
            lines += [f"{record.players[won[0]]} wins {won[1]} point{'s' * (won[1] != 1)}", ""]
    return "\n".join(lines).encode()


def _sgg_play(before: Position, steps: str) -> str:
    roll = "{}{}:".format(*before.match.dice)
    return f"{roll}\n{roll} {steps}" if steps else f"{roll} O-O"


def to_party(record: MatchRecord) -> bytes:
    """What PartyGammon saved: a line for the turns of each game."""
    lines = ["boardid=7", "creator=1", f"MATCHLENGTH={record.length}"]
    for number, game in enumerate(record.games, start=1):
        turns = [
            f"{player + 1} {words}"
            for player, words in _told(game, _party_play, ("double", "take", "drop"))
        ]
        score = game.end.match.score
        told = {"PLAYER_1": record.players[0], "PLAYER_2": record.players[1]}
        told |= {"GAMEPLAY": "".join(f"{turn}#" for turn in turns)}
        told |= {"SCORE1": str(score[0]), "SCORE2": str(score[1])}
        lines += [f"GAME_{number}_{name}={text}" for name, text in told.items()]
    return "\n".join(lines).encode()


def _party_play(before: Position, steps: str) -> str:
    words = steps.replace("25/", "bar/").replace("/0", "/off").replace("*", "")
    return "1 1 {}{} ".format(*before.match.dice) + words


def to_bgroom(record: MatchRecord) -> bytes:
    """What BGRoom saved of a session; who has X is player 0."""
    lines = ["BGF version 1.2", ""]
    for number, game in enumerate(record.games, start=1):
        lines += [f"Game {number} - {record.players[1]} (0) vs. {record.players[0]} (X)"]
        lines += ["Single Game"]
        told = _told(game, _oldmoves_play, ("Double", "", ""), beaver="Beaver")
        actions = [(player, words) for player, words in told if words]
        for row, (player, words) in enumerate(actions, start=1):
            lines += [f"{row}. {'X0'[player]}: {words}"]
        lines += [""]
    return "\n".join([*lines, "Ann Win the Match"]).encode()


def _told(
    game: GameRecord,
    play: Callable[[Position, str], str],
    cube: tuple[str, str, str],
    beaver: str = "",
) -> Iterator[tuple[int, str]]:
    for (before, after), action in zip(pairwise(game.positions), game.actions, strict=True):
        match action:
            case Move():
                steps = play_in_steps(before.board, before.match.dice, after.board)
                yield action.player, play(before, steps)
            case Double():
                yield action.player, cube[0]
            case Redouble():
                yield action.player, beaver or cube[0]
            case Take() if not before.redoubles:
                yield action.player, cube[1]
            case Drop():
                yield action.player, cube[2]


def to_snowie_line(record: MatchRecord) -> bytes:
    """The first position of a match."""
    return to_position_line(record.games[0].start, record.players).encode()


def to_pos_file(record: MatchRecord) -> bytes:
    """The first position of a match, as Jellyfish keeps it."""
    return to_pos(record.games[0].start, record.players)


def to_bgf(record: MatchRecord, *, packed: bool = False) -> bytes:
    """A match as BGBlitz writes it: Green is player 0; as Smile."""
    games = []
    for game in record.games:
        score = game.start.match.score
        moves = [
            json.loads(words) | {"player": 2 * player - 1}
            for player, words in _told(game, _bgf_play, _BGF_CUBE)
        ]
        games.append({
            "scoreGreen": score[0], "scoreRed": score[1], "isCrawford": game.start.match.crawford,
            "wonPoints": (result(game) or (0, 0))[1], "moves": moves,
        })  # fmt: skip
    final = record.games[-1].end.match.score
    match = {
        "matchlen": record.length, "date": "Nov 2, 2025", "event": "Café",
        "nameGreen": record.players[0], "nameRed": record.players[1],
        "finalGreen": final[0], "finalRed": final[1],
        "useCrawford": True, "useJacoby": True, "useCube": True, "games": games,
    }  # fmt: skip
    head = {"format": "BGF", "version": "1.0", "compress": packed, "useSmile": True}
    body = gzip.compress(to_smile(match), mtime=0) if packed else to_smile(match)
    return json.dumps(head).encode() + b"\n" + body


_BGF_CUBE = ('{"type": "adouble"}', '{"type": "atake"}', '{"type": "apass"}')


def _bgf_play(before: Position, steps: str) -> str:
    legs = [leg.replace("*", "").split("/") for leg in steps.split()]
    legs += [["-1", "-1"]] * (4 - len(legs))
    dice, equity = before.match.dice, {"equity": 0.25, "matchEquity": -1e300, "cube": 1 << 20}
    points = [[int(leg[i]) for leg in legs] for i in (0, 1)]
    told = {"type": "amove", "green": dice[0], "red": dice[1], "from": points[0], "to": points[1]}
    return json.dumps(told | {"equity": equity, "state": "NO_DOUBLE", "luck": None})


def to_smile(value: object) -> bytes:
    """A value in Smile, with references to the names and texts that were written before."""
    names: list[str] = []
    texts: list[str] = []
    return b":)\n\x03" + b"".join(_smile(value, names, texts))


def _smile(value: object, names: list[str], texts: list[str]) -> Iterator[bytes]:
    literals = {None: b"\x21", False: b"\x22", True: b"\x23"}
    if value is None or value is False or value is True:
        yield literals[value]
    elif isinstance(value, dict):
        yield b"\xfa"
        for name, item in value.items():
            yield _smile_text(name, names, (0x40, 64, 0x30), (0x80, 0xC0))
            yield from _smile(item, names, texts)
        yield b"\xfb"
    elif isinstance(value, list):
        yield b"\xf8"
        for item in value:
            yield from _smile(item, names, texts)
        yield b"\xf9"
    elif isinstance(value, str):
        yield _smile_text(value, texts, (1, 31, 0xEC), (0x40, 0x80)) if value else b"\x20"
    elif isinstance(value, int):
        zigzag = 2 * value if value >= 0 else -2 * value - 1
        yield bytes([0xC0 | zigzag]) if zigzag < 32 else b"\x24" + _smile_number(zigzag)
    else:
        assert isinstance(value, float)
        bits = int.from_bytes(struct.pack(">d", value))
        yield b"\x29" + bytes(bits >> 7 * i & 0x7F for i in range(9, -1, -1))


def _smile_number(number: int) -> bytes:
    last, number = bytes([0x80 | number & 0x3F]), number >> 6
    out = b""
    while number:
        out, number = bytes([number & 0x7F]) + out, number >> 7
    return out + last


def _smile_text(
    text: str, known: list[str], reference: tuple[int, int, int], begins: tuple[int, int]
) -> bytes:
    if text in known:
        index = known.index(text)
        short, fits, long = reference
        return bytes([short + index]) if index < fits else bytes([long | index >> 8, index & 0xFF])
    data = text.encode()
    known.append(text)
    return (
        bytes([begins[0] + len(data) - 1 if text.isascii() else begins[1] + len(data) - 2]) + data
    )


_ENTRY = struct.Struct("<256s256slllLBBxx")


def to_xg(record: MatchRecord) -> bytes:
    """eXtreme Gammon's container, with the parts of its records that are read."""
    main = b"".join(_xg_records(record))
    packed = zlib.compress(main)
    name = b"\7temp.xg"
    registry = zlib.compress(
        _ENTRY.pack(name, b"", len(main), len(packed), 0, zlib.crc32(main), 0, 0)
    )
    end = struct.pack("<LllllL12x", 0, 1, 1, len(registry), len(packed), 1)
    return b"RGMH".ljust(8232, b"\0") + packed + registry + end


def _xg_records(record: MatchRecord) -> Iterator[bytes]:
    fields = {92: record.length or 99999, 552: 30}
    head = _xg_record(0, fields)
    head[100], head[101] = record.rules.crawford, record.rules.jacoby
    for place, name in zip((880, 1138), record.players, strict=True):
        text = name.encode("utf-16-le")
        head[place : place + len(text)] = text
    yield bytes(head)
    for game in record.games:
        score = game.start.match.score
        start = _xg_record(1, {12: score[0], 16: score[1]})
        start[20] = game.start.match.crawford
        yield bytes(start)
        yield from _xg_game(game)
        if (won := result(game)) is not None:
            yield bytes(_xg_record(4, {24: 1 - 2 * won[0], 28: won[1]}))


def _xg_game(game: GameRecord) -> Iterator[bytes]:
    places = list(zip(pairwise(game.positions), game.actions, strict=True))
    for i, ((before, after), action) in enumerate(places):
        if isinstance(action, Double):
            later = [type(other) for _, other in places[i + 1 : i + 3]]
            answer = 2 if Redouble in later[:1] else 1 if Take in later else 0
            cube = {12: 1 - 2 * action.player, 16: 1, 20: answer}
            yield bytes(_xg_record(2, cube, {36: before.board}))
        elif isinstance(action, Move):
            dice = before.match.dice
            fields = {64: 1 - 2 * action.player, 100: dice[0], 104: dice[1]}
            boards = {9: before.board, 35: after.board[::-1]}
            yield bytes(_xg_record(3, fields, boards))


def _xg_record(
    kind: int, fields: Mapping[int, int], boards: dict[int, Board] | None = None
) -> bytearray:
    record = bytearray(2560)
    record[8] = kind
    for place, value in fields.items():
        struct.pack_into("<l", record, place, value)
    for place, board in (boards or {}).items():
        mine, theirs = np.asarray(board).tolist()
        points = [mine[i] - theirs[23 - i] for i in range(24)]
        struct.pack_into("<26b", record, place, -theirs[24], *points, mine[24])
    return record


def analysed(record: MatchRecord) -> MatchContents:
    """A match with the judgements of its first game at 0 plies, with comments and marks."""
    analyst = Analyst(strength=PRESETS["expert"])
    places = [(0, i) for i in range(len(record.games[0].actions))]
    parts = judge_places(record.games, places, analyst)
    judged = {place: said for part in parts for place, said in part.items()}
    return MatchContents(
        record,
        analysis=judged,
        comments={(0, 1): "why?\nno idea \\ ]"},
        info=MatchInfo(date="2026-11-18", event="Club", round="1", comment="fine"),
        skills={(0, 0): "very bad"},
        lucks={(0, 1): "lucky"},
    )


def to_galaxy(record: MatchRecord) -> bytes:
    """A ``.mat`` of Backgammon Galaxy: tags, and "Losses" for a game that was resigned."""
    tags = '; [Site "BackgammonGalaxy"]\n; [EventDate "2026.11.18"]\n; [Variation "Backgammon"]\n'
    text = re.sub(r"^ {6}Wins (\d) points?", rf"{'':34}Losses \1 point", to_mat(record), flags=re.M)
    return (tags + text).encode()


def to_studio(record: MatchRecord) -> bytes:
    """A ``.mat`` of Backgammon Studio: "bar", "off", "Cannot Move", and an empty last row."""
    text = to_mat(record).replace("25/", "bar/").replace("/0", "/off")
    text = re.sub(r"(\d\d:)(?= {9}|$)", r"\1 Cannot Move", text, flags=re.M)
    return f"{text} 38)\n".encode()


def to_xg_mat(record: MatchRecord) -> bytes:
    """A ``.mat`` of eXtreme Gammon: a byte order mark, tags, and Windows line ends."""
    tags = '; [Site "XG"]\n; [Player 1 "Ann"]\n; [CubeLimit "1024"]\n'
    return ("\ufeff" + tags + to_mat(record)).replace("\n", "\r\n").encode()


MAT_STYLES = (lambda record: to_mat(record).encode(), to_galaxy, to_studio, to_xg_mat)
"""The ways of several programs to write a ``.mat`` file."""

WRITERS = {
    "bgf": to_bgf,
    "bgroom": to_bgroom,
    "oldmoves": to_oldmoves,
    "party": to_party,
    "pos": to_pos_file,
    "sgg": to_sgg,
    "snowietxt": to_snowie_line,
    "tmg": to_tmg,
    "xg": to_xg,
}
"""Those formats that the program itself does not write, or writes for positions only."""


def played(record: MatchRecord) -> list[object]:
    """What was played and doubled in each game, and the score after it."""
    kinds = (Move, Double, Redouble, Take, Drop)
    games = record.games
    actions = [[a for a in game.actions if isinstance(a, kinds)] for game in games]
    return [record.players, actions, [game.end.match.score for game in games]]


def read_data(name: str, data: bytes) -> MatchContents:
    """What a format's reader makes of the bytes of a file."""
    read = format_named(name).read
    assert read is not None
    return read(data, Rules())
