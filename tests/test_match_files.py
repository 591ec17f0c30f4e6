"""Matches as ``.mat`` files: written, and read with what other programs do differently."""

from __future__ import annotations

import json
import re
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.files import read_text
from gnubg_py.game.actions import Accept, Move, Resign, Roll, Setup
from gnubg_py.game.position import Rules
from gnubg_py.game.record import GameRecord, MatchRecord, result, with_action, with_new_game
from gnubg_py.match import Resignation
from gnubg_py.matchfiles.builder import Builder
from gnubg_py.matchfiles.mat import from_mat, holds_edits, to_mat
from gnubg_py.matchfiles.registry import read_match
from gnubg_py.matchfiles.saved import as_json, from_json_value
from gnubg_py.notation import parse_position
from tests.random_matches import FEW, random_match
from tests.shell_lines import Shell


@FEW
@given(st.integers(0, 10**6), st.sampled_from([0, 3, 5]))
def test_a_record_survives_mat(seed: int, length: int) -> None:
    record = random_match(seed, length, games=3)
    told = to_mat(record)
    again = from_mat(told).record
    assert [result(game) for game in again.games] == [result(game) for game in record.games]
    if "????" in told:  # resigned after the roll: its only play may have been filled in
        told, record = to_mat(again), again
        again = from_mat(told).record
    assert to_mat(again) == told
    assert [ending(game) for game in again.games] == [ending(game) for game in record.games]


def ending(game: GameRecord) -> tuple[tuple[int, int], bytes]:
    """The score and the board, player 0's row first, whoever was on roll at the end."""
    match, board = game.end.match, game.end.board
    return match.score, (board if match.move == 0 else board[::-1]).tobytes()


def test_older_programs_wrote_latin_letters(tmp_path: Path) -> None:
    path = tmp_path / "rené.mat"
    path.write_bytes(JELLYFISH.replace("Ann", "René").encode("latin-1"))
    with pytest.raises(ValueError, match="is not UTF-8"):
        read_text(path)
    assert from_mat(read_text(path, latin=True)).record.players[0] == "René"


JELLYFISH = """\
; [Site "anywhere"]

 5 point match

 Game 1
 Ann : 0                        Bob : 0
  1)                             53: 8/3 6/3
  2) 62: 24/18 18/16             55: 13/8 13/8 6/1* 6/1
  3) 44: 25/21 13/9 13/9 13/9    31: 13/10 10/9*
  4) 11:                          Doubles => 2
  5)  Drops                       Wins 1 point

 Game 2
 Ann : 0                        Bob : 1
  1) 31: 8/5 6/5                 64: 24/14
  2)  Doubles => 2                Takes
  3) 65: 24/13                   11: 8/7(2) 6/5(2)
      Wins 4 points
"""


def test_reading_a_match_of_gnubgs() -> None:
    record = from_mat(JELLYFISH).record
    assert (record.length, record.players) == (5, ("Ann", "Bob"))
    first, second = record.games
    assert first.start.match.move == 1
    assert [a.play for a in first.actions if isinstance(a, Move)] == [
        "8/3 6/3", "24/16", "13/8(2) 6/1*(2)", "bar/21 13/9(3)", "13/9*", "cannot move",
    ]  # fmt: skip
    assert result(first) == (1, 1, 1)
    assert result(second) == (0, 4, 2)
    assert second.actions[-2:] == (Resign(1, Resignation.GAMMON), Accept(0))
    assert record.games[-1].end.match.score == (4, 1)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("5 point match", "no match", "no line like ' 7 point match'"),
        ("5 point match", "99999999999 point match", "line 3: a match of that many points"),
        ("5 point", "500 point", "line 3: a match to 500: matches go to 64"),
    ],
)
def test_what_is_no_mat_file_is_refused(old: str, new: str, words: str) -> None:
    assert old in JELLYFISH
    with pytest.raises(ValueError, match=words):
        from_mat(JELLYFISH.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "words", "score"),
    [
        ("24/18 18/16", "24/18 18/15", "Illegal play kept as it is: .* \\(line 8\\)", (4, 1)),
        ("24/18 18/16", "24/18 18/1", 'Invalid move: "24/18 18/1" .* \\(line 8\\)', (4, 1)),
        ("65: 24/13", "65: 24/13 what", 'move "65: 24/13 what" in .mat file. \\(line 17', (4, 1)),
        (
            "65: 24/13",
            "75: 24/13",
            'Unrecognised move "75: 24/13" in .mat file.',
            (4, 1),
        ),
        (" Ann : 0                        Bob : 1", " what", 'Unrecognised move "what"', (4, 1)),
        ("  4) 11:  ", "  4) 11: 9/8", "kept as it is: .* on the bar", (4, 1)),
        ("      Wins 4 points", "      Losses 4 point", 'move "Losses 4 point" in', (0, 3)),
        ("  5)  Drops                       Wins 1 point", "", "", (4, 1)),
        ("Takes", "     ", "The double was not answered", (4, 1)),
        ("64: 24/14", "", "Bob is not on roll|Ann is not on roll", (4, 1)),
        ("Wins 1 point", "Wins 1 point\n 6) 31: 8/5 6/5", "after the end of the game", (4, 1)),
        ("Bob : 1", "Bob : 7", "The match is already over. \\(line 14\\)", (0, 1)),
        ("Game 2", "Gme 2", 'Unrecognised move "Gme 2" in .mat file. \\(line 13\\)', (0, 1)),
    ],
)
def test_a_bad_line_of_a_mat_file_is_a_warning(
    old: str, new: str, words: str, score: tuple[int, int]
) -> None:
    assert old in JELLYFISH
    contents = from_mat(JELLYFISH.replace(old, new))
    assert re.search(words, "\n".join(contents.warnings))
    assert bool(words) or not contents.warnings
    assert contents.record.games[-1].end.match.score == score
    from_json_value(json.loads(json.dumps(as_json(contents.record))))
    assert from_mat(to_mat(contents.record)).record.games[-1].end.match.score == score


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("; [Site", "\ufeff; [Site"),
        ("\n", "\r\n"),
        ("  5)  Drops                       Wins 1 point", " 5) Drops  Wins 1 point\n 6)"),
        ("  4) 11:                 ", "  4) 11: Cannot Move     "),
        ("  4) 11:                 ", "  4) 11:\t"),
        ("bar/21", "25/21"),
        ("*", ""),
        (" Game 1", "\n\n  game 1  \n"),
        ("31: 8/5 6/5                 64", "31: 8/5 6/5 64"),
        ("13/9 13/9 13/9", "13/9(3)"),
    ],
)
def test_other_programs_write_mat_files_a_little_differently(old: str, new: str) -> None:
    contents = from_mat(JELLYFISH.replace(old, new))
    assert not contents.warnings
    assert to_mat(contents.record) == to_mat(from_mat(JELLYFISH).record)


@pytest.mark.parametrize(("points", "score"), [(1, 2), (3, 4), (4, 4), (5, 6), (99, 6)])
def test_points_fewer_than_the_cube_gives_are_a_resignation_too(points: int, score: int) -> None:
    """Backgammon Galaxy stops counting at the match's length; gnubg takes the same level."""
    contents = from_mat(JELLYFISH.replace("Wins 4 points", f"Wins {points} points"))
    assert not contents.warnings
    assert contents.record.games[-1].end.match.score == (score, 1)


def test_a_roll_whose_play_is_not_told_before_a_resignation() -> None:
    contents = from_mat(JELLYFISH.replace("11: 8/7(2) 6/5(2)", "11: ????"))
    assert not contents.warnings
    assert contents.record.games[-1].end.match.score == (4, 1)
    assert "3) 65: 24/18 18/13             11: ????\n" in to_mat(contents.record)


@FEW
@given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20))
def test_what_one_reader_accepts_as_a_name_every_writer_and_reader_accepts(
    first: str, second: str
) -> None:
    text = JELLYFISH.replace("Ann", first).replace("Bob", second)
    record = from_mat(text).record
    assert all(name and not re.search("[\x00-\x1f\x7f-\x9f]", name) for name in record.players)
    assert from_json_value(json.loads(json.dumps(as_json(record)))).record.players == record.players
    if not re.search(r"[:;]|^\d", first + second):
        assert from_mat(to_mat(record)).record.players == record.players


@pytest.mark.parametrize("line", [" " * 450 + ":" + " " * 450 + "x", "a : 1 " * 160, ":" * 990])
def test_a_heading_made_to_be_slow_is_read_quickly(line: str) -> None:
    text = " 5 point match\n" + f" Game 1\n{line}\n" * 200
    start = process_time()
    from_mat(text)
    assert process_time() - start < 5


@pytest.mark.parametrize("text", ["", "\n\n", " 5 point match\n", "; comment"])
def test_a_mat_file_without_games(text: str) -> None:
    with pytest.raises(ValueError, match=r"no line like|no game"):
        from_mat(text)


@given(st.text(alphabet=" 0123456789:/()*=>\nDoublesTakesWinsGamepointmatch", max_size=400))
def test_any_text_is_a_mat_file_or_a_value_error(text: str) -> None:
    try:
        record = from_mat(" 5 point match\n\n Game 1\n A : 0   B : 0\n" + text)
    except ValueError:
        return
    assert record.record.games


def test_a_game_set_up_by_hand_is_known_by_its_record() -> None:
    record = with_new_game(MatchRecord(length=3), (3, 1))
    other = record.games[0].start.gnubg_id.replace("4HPwATDgc/ABMA", "sGfwATDgc/ABMA")
    assert not holds_edits(record)
    assert holds_edits(with_action(record, Setup(0, other)))


def test_remarks_before_the_first_game_are_kept() -> None:
    text = (
        '; [Event "Open"]\n; [Comment "Well played"]\n; a free line\n\n 3 point match\n\n Game 1\n'
        " A : 0  B : 0\n; not kept, as in gnubg\n  1) 31: 8/5 6/5   42: 8/4 6/4\n"
    )
    contents = from_mat(text)
    assert contents.info.event == "Open"
    assert contents.info.comment == '[Comment "Well played"]\na free line'
    again = to_mat(contents.record, contents.info)
    assert again.startswith(
        '; [Event "Open"]\n\n; [Comment "Well played"]\n; a free line\n\n 3 point'
    )
    assert from_mat(again).info == contents.info


@pytest.mark.parametrize(
    ("rows", "ids"),
    [
        ("  2) 31: 24/23 13/10             55: ????\n      Wins 2 points",
         ["cMu2ACAAAAAE", "cIm2AAAAAAAE", "cAmgAAAAAAAE"]),
        ("  2) 61: ????\n                                  Wins 2 points",
         ["MEOnAAAAEAAE", "MAGnAAAAAAAE", "MAGgAAAAAAAE"]),
        ("                                  Wins 2 points",
         ["MEOgAAAAEAAE", "MAGgAAAAAAAE", "cAmgAAAAAAAE"]),
    ],
)  # fmt: skip
def test_steps_over_a_resignation(shell: Shell, tmp_path: Path, rows: str, ids: list[str]) -> None:
    """The Match IDs are gnubg's: after the file, and one and two steps back."""
    path = tmp_path / "resigned.mat"
    head = " 5 point match\n\n Game 1\n A : 0                          B : 0\n"
    path.write_text(head + "  1) 31: 8/5 6/5                 42: 8/4 6/4\n" + rows + "\n")
    shell(f"import mat {path}")
    found = [shell.ids, *(shell("previous") or shell.ids for _ in range(2))]
    assert [text.split(":")[1] for text in found] == ids
    shell("next 2")
    assert shell.ids.endswith(ids[0])


def test_the_score_of_a_match_that_was_read_is_about_its_last_game(
    shell: Shell, tmp_path: Path
) -> None:
    path = tmp_path / "short.mat"
    head = " 3 point match\n\n Game 1\n A : 0                          B : 0\n"
    path.write_text(head + "  1) 31: 8/5 6/5                 42: 8/4 6/4\n      Wins 2 points\n")
    assert shell(f"import mat {path}", "show score").endswith("A 2, B 0 (match to 3 points)")


@pytest.mark.parametrize("play", ["", "????", "2/off 1/off"])
def test_the_only_play_of_a_roll_need_not_be_told(play: str) -> None:
    """gnubg reads the three alike."""
    builder = Builder(0, Rules())
    builder.new_game()
    board = parse_position("x 2:1 1:1 / o 6:2")[0]
    builder.set_up(board, 0)
    builder.play(0, (4, 2), play, forced=True)
    builder.new_game()
    builder.set_up(parse_position("x 6:3 / o 6:2")[0], 0)
    builder.play(0, (4, 2), play.strip("12/of "), forced=True)
    actions = [game.actions[-1] for game in builder.contents().record.games]
    assert isinstance(actions[0], Move)
    assert actions[0].play == "2/off 1/off"
    assert isinstance(actions[1], Roll)


def test_a_match_that_was_read_is_shown_in_one_line() -> None:
    reports = Path(__file__).parent.parent / "docs" / "reports"
    shown = [repr(read_match(reports / f"{n}.mat")) for n in ("gnubg-asks-us", "we-ask-gnubg")]
    assert shown == [
        "<MatchContents gnubg - root, 5 points, 3 games>",
        "<MatchContents gnubg - root, 5 points, 1 game>",
    ]
