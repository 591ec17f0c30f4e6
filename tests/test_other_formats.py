"""Matches of other programs and sites: what is read of them, and what is warned of."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnubg_py.game.position import Rules
from gnubg_py.matchfiles.contents import MatchContents
from gnubg_py.matchfiles.gam import from_gam, to_gam
from gnubg_py.matchfiles.mat import to_mat
from gnubg_py.matchfiles.oldmoves import from_oldmoves
from gnubg_py.matchfiles.registry import TITLES, format_named, read_match
from gnubg_py.matchfiles.sgf_write import to_sgf
from gnubg_py.matchfiles.snowietxt import from_snowietxt
from gnubg_py.matchfiles.tmg import from_tmg
from tests.match_samples import WRITERS, played, read_data, to_xg
from tests.random_matches import random_match
from tests.test_position_files import JELLYFISH, POSITION

OLD_MOVES = """\
Score is 0-0 in a 3 point match.
Ann is X - Bob is O
X: (3 1) 8-5 6-5
O: (6 2) 24-18 13-11
X: (5 5) 8-3 8-3 6-1 6-1
O: (4 4) can't move
X: (3 1) 13-10 6-5
O: doubles
X: accepts
O: (6 4) bar-24 24-18
O: (2 1) bar-23 24-23
X: wins 2 points

Score is 2-0 in a 3 point match.
Ann is X - Bob is O
O: (4 2) 8-4 6-4
X: rejects
"""


def test_old_moves() -> None:
    contents = from_oldmoves(OLD_MOVES)
    record = contents.record
    assert (record.length, record.players) == (3, ("Ann", "Bob"))
    assert [game.end.match.score for game in record.games] == [(2, 0), (2, 1)]
    assert record.games[1].start.match.crawford
    assert "1) 31: 8/5 6/5                 62: 24/18 13/11" in to_mat(record)
    assert "(line 10)" in "\n".join(contents.warnings)


def test_old_moves_of_a_session() -> None:
    text = OLD_MOVES.replace("a 3 point match", "unlimited match", 1).replace(
        "in unlimited", "in an unlimited"
    )
    assert from_oldmoves(text).record.length == 0


TMG = """\
MatchID: 77
Player1: 10001 Ann 4.00
Player2: 10002 Bob B 4.00
Startdate: 2010-04-05 14:03:36
Jacoby: 1
Crawford: 1
Length: 5
Variant: 1
Game 1: 0-0
   0 19 4.00 0.0 4.00 0.0 Settlement
   1 1 31
   1 4 8/5 6/5
  -1 1 62
  -1 4 24/18 13/11
   2 1 66
   2 4 24/18 24/18 13/7 13/7
  -2 5 2
   2 7
  -3 1 11
  -3 4 25/24 24/23 6/5 6/5
   3 14 2 Ann wins 2 points
Game 2: 2-0
  -1 1 31
  -1 4 8/5 6/5
   1 5 2
  -2 10 1
"""
"""gnubg reads it so too: it was made by trying."""


def test_a_match_of_truemoneygames() -> None:
    contents = from_tmg(TMG)
    assert not contents.warnings
    record = contents.record
    assert (record.players, record.length) == (("Bob B", "Ann"), 5)
    assert [game.end.match.score for game in record.games] == [(0, 2), (0, 3)]
    assert "1)                             31: 8/5 6/5" in to_mat(record)
    assert contents.info.date == "2010-04-05"


SGG = """\
Tom vs. Jerry
GridGammon
Sunday October  2, 2004
ELO: 1500.5 100 1600.25 200
Jacoby: No
Crawford: Yes
Variant: Backgammon
Match Length: 5
Game 1. 0-0/5
11: Automatic double
have fun
1\t31:
1\t31: 8/5 6/5
1\t\t62:
good luck: you too
1\t\t62: 24/18 13/11
2\tdouble
2\t\taccept
3\t66:
3\t66: 24/18(2) 13/7(2)
3\t\t55: O-O
4\tresigns
4\t\taccept
Jerry wins 4 points

Game 2. 0-4/5
1\t\t31:
1\t\t31: 8/5 6/5
2\t61:
2\t61: 13/7 8/7
Tom wins 1 point
"""
"""gnubg finds the same plays, doubles and comments in it, but for the line of the server's name."""


def test_a_match_of_gamesgrid() -> None:
    contents = read_data("sgg", SGG.encode())
    assert not contents.warnings
    record, info = contents.record, contents.info
    assert (record.players, record.length) == (("Jerry", "Tom"), 5)
    assert [game.end.match.score for game in record.games] == [(4, 0), (4, 1)]
    assert (record.games[0].start.match.cube_value, record.rules.jacoby) == (2, False)
    assert record.games[1].start.match.crawford
    assert info.date == "2004-10-02"
    assert (info.place, info.ratings) == ("GridGammon", ("1600.25 (Exp 200)", "1500.5 (Exp 100)"))
    assert "3)  Takes                      66: 24/18 24/18 13/7* 13/7" in to_mat(record)
    sgf = to_sgf(contents)
    assert "C[have fun]" in sgf.partition("62x")[0]
    assert "C[good luck: you too]" in sgf.partition("62x")[2]


@pytest.mark.parametrize(
    ("answer", "score"),
    [("3\taccept\nTom wins 2 points", (0, 2)), ("Tom wins 3 points", (0, 3)), ("", (0, 1)),
     ("3\tpass\n3\t\t62:\n3\t\t62: 24/18 13/11", (0, 0))],
)  # fmt: skip
def test_a_resignation_on_gamesgrid(answer: str, score: tuple[int, int]) -> None:
    """Its level follows from the points that are told; a refused one changes nothing."""
    head = "Tom vs. Jerry\nGame 1. 0-0/5\n1\t31:\n1\t31: 8/5 6/5\n2\t\tresign\n"
    contents = read_data("sgg", (head + answer).encode())
    assert contents.record.games[0].end.match.score == score
    assert not contents.warnings


PARTY = """\
boardid=7
creator=Tom
MATCHLENGTH=5
GAME_1_PLAYER_1=Tom
GAME_1_PLAYER_2=Jerry
GAME_1_GAMEPLAY=1 1 x 31 8/5 6/5#2 2 x 62 24/18 13/11#1 double#2 take#1 3 x 66 24/18(2) 13/7(2)#
GAME_1_SCORE1=0
GAME_1_SCORE2=4
GAME_2_PLAYER_1=Tom
GAME_2_PLAYER_2=Jerry
GAME_2_GAMEPLAY=2 1 x 31 8/5 6/5#1 2 x 61 13/7 8/7#
GAME_2_SCORE1=1
GAME_2_SCORE2=4
"""


def test_a_match_of_partygammon() -> None:
    contents = read_data("party", PARTY.encode())
    assert not contents.warnings
    record = contents.record
    assert (record.players, record.length) == (("Tom", "Jerry"), 5)
    assert [game.end.match.score for game in record.games] == [(0, 4), (1, 4)]
    assert "3) 66: 24/18 24/18 13/7* 13/7" in to_mat(record)


BGROOM = """\
BGF version 1.2
Game 1 - Tom (X) vs. Jerry (0)
Single Game
1. X: (3 1) 8-5 6-5
2. 0: (6 2) 24-18 13-11
3. X: Double
4. X: (6 6) 24-18 24-18 13-7* 13-7
5. 0: (5 5) can't move

Game 2 - Tom (X) vs. Jerry (0)
Single Game
1. 0: (3 1) 8-5 6-5
2. X: Double

Tom Win the Match
"""


def test_a_session_of_bgrooms() -> None:
    """gnubg makes the same .mat file of it, whose first game the last player to act wins."""
    contents = read_data("bgroom", BGROOM.encode())
    assert not contents.warnings
    record = contents.record
    assert (record.players, record.length) == (("Tom", "Jerry"), 0)
    assert [game.end.match.score for game in record.games] == [(0, 2), (1, 2)]
    assert "Takes" in to_mat(record)


TEXTS = {"sgg": SGG, "party": PARTY, "bgroom": BGROOM}


@pytest.mark.parametrize(
    ("name", "old", "new", "warning"),
    [
        ("sgg", "1\t31: 8/5 6/5", "1\t31: 8/5 7/6", "Invalid move"),
        ("sgg", "1\t31: 8/5 6/5", "1\t31: 8#5", "Unparseable line: 1 31: 8#5 (line 13)"),
        ("sgg", "2\tdouble", "2\trouble", "Unparseable line: 2 rouble (line 17)"),
        ("sgg", "2\t\taccept", "2\t\t\taccept", "Unparseable line"),
        ("sgg", "2\tdouble\n", "", "Take record found but doesn't follow a double (line 17)"),
        ("sgg", "Variant: Backgammon", "Variant: Gammonian", "Unknown variant in SGG file"),
        ("sgg", "Match Length: 5", "12 34\t5", "Unparseable line: 12 34 5 (line 8)"),
        ("sgg", "Game 2. 0-4/5", "Game Z. 0-4/5", "Unparseable line: Game Z. 0-4/5"),
        ("sgg", "Jerry wins 4", "Eve wins 4", ""),
        ("sgg", "Tom wins 1", "Eve wins 1",
         "Nobody here is called 'Eve': the game is not over (line 31)"),
        ("sgg", "4\tresigns\n4\t\taccept\nJerry wins 4 points\n", "",
         "A game begins before the one above it is over (line 23)"),
        ("sgg", "11: Automatic", "1\t31:\n11: Automatic",
         "An automatic double that is not at the beginn"),
        ("party", "1 1 x 31 8/5 6/5", "1 1 x 31 8+5",
         'Unrecognised turn "1 1 x 31 8+5" of game 1 (line 6)'),
        ("party", "2 take", "2 tak", 'Unrecognised turn "2 tak" of game 1 (line 6)'),
        ("party", "2 2 x 62", "3 2 x 62", "Unrecognised turn"),
        ("party", "GAME_2_GAMEPLAY", "GAME_2_GAMEPLAx", "Game 2 has no turns: it is left out"),
        ("party", "GAME_2_GAMEPLAY", "GAME_1_GAMEPLAY",
         "GAMEPLAY of game 1 is told twice (line 11)"),
        ("party", "GAME_2_GAMEPLAY", "GAME-2_GAMEPLAY", 'Unrecognised line "GAME-2_GAMEPLAY'),
        ("party", "GAME_1_SCORE1=0", "GAME_1_SCORE1=a", "Game 1 tells no score (line 6)"),
        ("bgroom", "1. X: (3 1)", "1. Y: (3 1)",
         'Unrecognised line "1. Y: (3 1) 8-5 6-5" in BGRoom file'),
        ("bgroom", "3. X: Double", "3. X: Trouble",
         'Unrecognised move "3. X: Trouble" in BGRoom file (line'),
        ("bgroom", "2. 0: (6 2) 24-18 13-11\n", "", "Action 3 follows action 1 (line 5)"),
        ("bgroom", "Game 2 - Tom", "Game 3 - Tom", "Game 3 should be game 2 (line 10)"),
        ("bgroom", "can't move\n\n", "can't move\n",
         "A game begins before the one above it is over"),
    ],
)  # fmt: skip
def test_a_damaged_line_is_not_dropped_without_a_word(
    name: str, old: str, new: str, warning: str
) -> None:
    assert old in TEXTS[name]
    warnings = read_data(name, TEXTS[name].replace(old, new, 1).encode()).warnings
    assert warning in "\n".join(warnings).replace("\t", " ")
    assert bool(warnings) == bool(warning)


def test_a_session_survives_bgrooms_file() -> None:
    """The file does not tell how many points a resignation gave."""
    for seed in range(8):
        record = random_match(seed, 0, games=1)
        contents = read_data("bgroom", WRITERS["bgroom"](record))
        assert played(contents.record)[:2] == played(record)[:2]
        assert not contents.warnings


GAM = """\
 Tom                            Jerry
  1)                             56: 24/18 18/13
  2) 51: 24/23 23/18             16: 8/7* 13/7
  3)  Doubles => 2                Takes
  4) 43: 25/21 24/21             65: 24/18 18/13
      Wins 4 points
"""


def test_a_jellyfish_game() -> None:
    contents = from_gam(GAM)
    assert not contents.warnings
    assert contents.record.players == ("Tom", "Jerry")
    assert contents.record.games[0].end.match.score == (4, 0)
    assert not contents.record.games[0].start.match.jacoby
    assert from_gam(to_gam(contents)).record.games[0].end.match.score == (4, 0)


def test_a_game_without_a_move_has_its_roll() -> None:
    contents = from_snowietxt(POSITION)
    assert to_gam(contents).split() == ["gnubg", "root", "1)", "62:"]


CASES = [
    ("oldmoves", 0),
    ("oldmoves", 3),
    ("tmg", 0),
    ("tmg", 5),
    ("sgg", 0),
    ("sgg", 5),
    ("party", 0),
    ("party", 5),
    ("bgf", 0),
    ("bgf", 5),
    ("xg", 3),
    ("xg", 5),
]


@pytest.mark.parametrize(("name", "length"), CASES)
def test_a_match_survives_the_format_of_another_program(name: str, length: int) -> None:
    for seed in range(8):
        record = random_match(seed, length, games=3)
        contents = read_data(name, WRITERS[name](record))
        assert played(contents.record) == played(record)
        assert not contents.warnings


SAMPLES = {
    "oldmoves": OLD_MOVES.encode(),
    "pos": JELLYFISH,
    "snowietxt": POSITION.encode(),
    "tmg": TMG.encode(),
    "gam": GAM.encode(),
    "sgg": WRITERS["sgg"](random_match(1, 3, games=1)),
    "party": WRITERS["party"](random_match(1, 3, games=1)),
    "bgroom": WRITERS["bgroom"](random_match(1, 0, games=1)),
    "bgf": WRITERS["bgf"](random_match(1, 3, games=1)),
    "mat": to_mat(random_match(1, 3, games=1)).encode(),
    "xg": to_xg(random_match(1, 3, games=1)),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_is_known_by_its_contents(name: str, tmp_path: Path) -> None:
    path = tmp_path / "match"
    path.write_bytes(SAMPLES[name])
    data = path.read_bytes()
    likely = [other for other in TITLES if format_named(other).looks_like(data)]
    assert likely[0] == name
    assert read_match(path, Rules()).record.games


def test_a_file_of_no_format_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "match"
    path.write_text("hello\nworld\n")
    with pytest.raises(ValueError, match="a match file of no known format"):
        read_match(path)


def test_what_stands_outside_of_the_games_of_a_file_is_not_dropped_without_a_word() -> None:
    """Found by ``make attack``: seeds 1175 (TrueMoneyGames), 1242 and 5034 (SGF)."""
    record = random_match(0, length=3, games=2)
    told = WRITERS["tmg"](record).decode().replace("\nGame 2", "Game 2")
    assert "after the end of the game" in read_data("tmg", told.encode()).warnings[0]
    written = to_sgf(MatchContents(record))
    for start in ("", "\x92", "()", "(;)"):
        head, _, tail = written.rpartition("(;FF")
        text = f"{head}{start}{'' if ')' in start else ';'}FF{tail}"
        assert "outside of a game" in read_data("sgf", text.encode("latin-1")).warnings[0]


def test_a_row_above_the_first_one_is_not_dropped_without_a_word() -> None:
    """Found by ``make attack``: seed 20108."""
    rows = ["  1X) 31: 24/23 8/5                Doubles => 2", "u 2)  Takes       31: 24/23 24/21",
            "  3)  Doubles => 4                Drops"]  # fmt: skip
    contents = from_gam("\n".join([" Ann                            Bob", *rows]))
    assert contents.record.players == ("Ann", "Bob")
    assert 'Unrecognised move "1X) 31: 24/23' in contents.warnings[0]
