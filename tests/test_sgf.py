"""SGF as gnubg writes it: matches, positions, analysis and comments, both ways."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.game.actions import Double, Move, Setup, Take
from gnubg_py.game.analysis import Analyst, CubeJudgement, Luck, PlayJudgement
from gnubg_py.matches.judge import judge_places
from gnubg_py.matchfiles.contents import MatchContents, MatchInfo
from gnubg_py.matchfiles.mat import to_mat
from gnubg_py.matchfiles.saved import as_json, from_saved, to_saved
from gnubg_py.matchfiles.sgf import from_sgf
from gnubg_py.matchfiles.sgf_properties import letter, point
from gnubg_py.matchfiles.sgf_tree import read_trees, write_tree
from gnubg_py.matchfiles.sgf_write import to_sgf
from gnubg_py.search.settings import PRESETS
from tests.random_matches import FEW, random_match
from tests.shell_lines import Shell

GNUBG = r"""(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]MI[length:3][game:0][ws:0][bs:1]
PW[white]PB[black]WR[1800]DT[2020-02-03]EV[Open]RO[1]PC[Here]AN[Me]GC[a \] bracket]
RU[Crawford]RE[W+2R]GS[M:18]
;W[21mkxw]A[0]
[mkxw E ver 3 0.498605 0.137005 .0 .1 .0 -0.009084 0C 0 1 0.0 1]
[xvvu E ver 3 0.495860 0.124797 .0 .1 .0 -0.024934 0C 0 1 0.0 1]
MR[]LU[-0.00908]
;B[41swwx]DA[E ver 3 0C 1 0.0 1 0.501395 .1 .0 .1 .0 0.006874 0.500904
 0.501395 .1 .0 .1 .0 0.006874 0.460654]
LU[-0.16027]GB[1]BM[1]C[nice: \\ here\]]
;W[32]
;B[double]
;W[take]
;B[65sxag])
"""


def test_a_match_of_gnubgs_with_its_analysis() -> None:
    contents = from_sgf(GNUBG)
    record, game = contents.record, contents.record.games[0]
    assert (record.length, record.players) == (3, ("white", "black"))
    assert game.start.match.score == (0, 1)
    plays = [a.play for a in game.actions if isinstance(a, Move)]
    assert plays == ["24/23 13/11", "6/2*/1*", "24/18 6/1"]
    assert {type(a) for a in game.actions} >= {Double, Take}
    assert game.end.match.score == (2, 1)
    assert contents.info == MatchInfo(
        "2020-02-03", "Open", "1", "Here", "Me", "a ] bracket", ("1800", "")
    )
    assert contents.comments == {(0, 2): "nice: \\ here]"}
    luck, play = contents.analysis[0, 0]
    assert isinstance(luck, Luck)
    assert luck.luck == -0.00908
    assert isinstance(play, PlayJudgement)
    assert (play.chosen, len(play.plays)) == (0, 2)
    cube = contents.analysis[0, 1][0]
    assert isinstance(cube, CubeJudgement)
    assert cube.decision.mwc is not None
    assert cube.decision.mwc[:2] == (0.500904, 0.460654)
    # 32 is a dance only on a closed board: the play is not told.
    assert "not told" in contents.warnings[0] or "missing" in contents.warnings[0]


@FEW
@given(st.integers(0, 10**6), st.sampled_from([0, 3, 5]))
def test_a_record_survives_sgf(seed: int, length: int) -> None:
    record = random_match(seed, length, games=3)
    again = from_sgf(to_sgf(MatchContents(record)))
    assert not again.warnings
    assert to_mat(again.record) == to_mat(record)
    ends = [game.end.match.score for game in record.games]
    assert [game.end.match.score for game in again.record.games] == ends
    assert to_sgf(again) == to_sgf(MatchContents(record))


@pytest.fixture(scope="module")
def analysed() -> MatchContents:
    """A match of two random players, judged at 0 plies, with a comment."""
    record = random_match(5, 3, games=1)
    analyst = Analyst(strength=PRESETS["expert"])
    places = [(0, i) for i in range(len(record.games[0].actions))]
    said = {
        place: said
        for part in judge_places(record.games, places, analyst)
        for place, said in part.items()
    }
    return MatchContents(record, (), said, {(0, 3): "why?\nno idea \\ ]"}, MatchInfo(event="Club"))


def test_analysis_survives_sgf(analysed: MatchContents) -> None:
    again = from_sgf(to_sgf(analysed))
    assert (again.comments, again.info.event) == (analysed.comments, "Club")
    for place, said in analysed.analysis.items():
        for one, other in zip(said, again.analysis.get(place, ()), strict=True):
            assert type(one) is type(other)
            if isinstance(one, PlayJudgement) and isinstance(other, PlayJudgement):
                assert (one.chosen, one.plays[0].ply) == (other.chosen, other.plays[0].ply)
            if not isinstance(one, Luck) and not isinstance(other, Luck):
                assert one.loss == pytest.approx(other.loss, abs=2e-5)
                assert one.cost == pytest.approx(other.cost, abs=2e-5)
            if isinstance(one, CubeJudgement) and isinstance(other, CubeJudgement):
                assert one.decision.words == other.decision.words


def test_analysis_survives_json(analysed: MatchContents) -> None:
    again = from_saved(to_saved(analysed))
    assert as_json(again) == as_json(analysed)
    assert again.analysis.keys() == analysed.analysis.keys()


def test_a_match_length_that_is_none_is_warned_of() -> None:
    contents = from_sgf(GNUBG.replace("[length:3]", "[length:99999999999999999999]"))
    assert contents.record.length == 0
    assert (
        "match length '99999999999999999999' is none: read as a money session" in contents.warnings
    )


POSITION = """(;FF[4]GM[6]MI[length:0][game:0][ws:0][bs:0]PW[white]PB[black];AE[a:y]
AW[x][x][m][m][m][m][h][h][h][f][f][f][f][f][f]
AB[a][a][l][l][l][l][l][q][q][q][s][s][s][s][s];PL[B];DI[62])"""


def test_a_position_put_up_and_nothing_else() -> None:
    contents = from_sgf(POSITION)
    start = contents.record.games[0].end
    assert start.gnubg_id.startswith("4OfgATDgc/ABMA:")
    assert (start.match.move, start.match.dice) == (1, (6, 2))
    assert from_sgf(to_sgf(contents)).record.games[0].end.gnubg_id == start.gnubg_id


def test_a_position_set_by_hand_in_the_middle_of_a_game() -> None:
    text = GNUBG.replace(
        ";W[32]\n", ";PL[W]AE[a:y]AW[f][y]AB[s][x]\n;CV[2]\n;CP[w]\n;PL[W]DI[32]\n"
    )
    game = from_sgf(text).record.games[0]
    setup = next(i for i, action in enumerate(game.actions) if isinstance(action, Setup))
    after = game.positions[setup + 1]
    assert (after.match.cube_value, after.match.cube_owner, int(after.board.sum())) == (2, 0, 4)
    assert game.positions[setup + 2].match.dice == (3, 2)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (";B[double]", ";B[dubble]", r"expected dice and a play.*\(line 12\)"),
        ("21mkxw", "21mkx", r"four pairs of letters \(line 4\)"),
        ("21mkxw", "21m1xw", r"'1' is no point.*\(line 4\)"),
        ("21mkxw", "21mzxw", r"Illegal play|Invalid move"),
        ("))\n", ")", ""),
        ("65sxag])", "65sxag]", "ends in the middle"),
        ("65sxag])", "65sxag", "without its closing bracket"),
        (";W[take]", ";[take]", "a property without"),
        (";W[take]", ";W[take]AB[s][9]", "'9' is no point"),
        ("E ver 3", "R ver 3", ""),
        ("0.498605", "nan", ""),
    ],
)
def test_what_is_wrong_is_a_warning(old: str, new: str, words: str) -> None:
    contents = from_sgf(GNUBG.replace(old, new))
    assert re.search(words, "\n".join(contents.warnings))
    assert contents.record.games


@pytest.mark.parametrize("text", ["", "(;GM[1]SZ[19];B[aa])", "no SGF", "(((((", ")", "(;)"])
def test_what_is_no_sgf_of_backgammon_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not an SGF file|no game"):
        from_sgf(text if text != "(;)" else "")


@given(st.text(alphabet="();[]\\WBADAECVPL 0123456789abcxyz:\n", max_size=200))
def test_any_text_is_a_tree_or_a_warning(text: str) -> None:
    read_trees(text)
    assert from_sgf("(;GM[6]MI[length:3];W[31hefe]" + text).record.games


@given(st.lists(st.text(max_size=20), min_size=1, max_size=3))
def test_values_survive_writing(values: list[str]) -> None:
    trees, warnings = read_trees(write_tree([[("C", values)]]))
    assert not warnings
    assert trees[0][0].values == {"C": values}


@pytest.mark.parametrize("player", [0, 1])
def test_every_point_has_its_letter(player: int) -> None:
    for number in range(26):
        assert point(player, letter(player, number)) == number


def test_a_resignation_that_was_declined_is_left_out() -> None:
    record = random_match(7, 3, games=2)
    said = MatchContents(replace(record, players=("Zoë ]", "B\\b")))
    assert from_sgf(to_sgf(said)).record.players == ("Zoë ]", "B\\b")


_CONTEXT = (
    ' SK 0 RC 1 1 0 1 0 1 3 1 1 5 "Mersenne Twister" 24957587  cube0 ver 3 0C 1 '
    "0.000000 1  cheq0 ver 3 0C 1 0.000000 1 cube1 ver 3 0C 1 0.000000 1  cheq1 ver 3 "
    "0C 1 0.000000 1 latecube0 ver 3 2C 1 0.000000 1  latecheq0 ver 3 0C 1 0.000000 1 "
    "latecube1 ver 3 2C 1 0.000000 1  latecheq1 ver 3 0C 1 0.000000 1 cubetrunc ver 3 "
    "0C 1 0.000000 1 cheqtrunc ver 3 0C 1 0.000000 1"
)
ROLLED_PLAYS = (
    "[xrrm X ver 3 Score -0.2204760611 -0.1803540289 Trials 36 Output 0.4608817697 "
    "0.095964849 0.003418301931 0.1643140614 0.004695687443 -0.1803540289 "
    "0.4780692458 StdDev 0.0008865455166 0.001194062526 0.0001169532625 "
    "0.001268691965 0.0002518900146 0.005231368821 0.0005405873526%][xrmh X ver 3 "
    "Score -0.3405041695 -0.2508162558 Trials 36 Output 0.4355648458 0.1037330404 "
    "0.00458650291 0.1892746687 0.007518480066 -0.2508162558 0.466130048 StdDev "
    "0.001309370855 0.0009050762746 0.0001648844482 0.001351922634 0.0001806357614 "
    "0.006452683825 0.0007689816994%]"
).replace("%", _CONTEXT)
ROLLED_CUBE = (
    "X ver 3 Eq Trials 36 NoDouble Output 0.5644352436 0.1892746687 0.007518480066 "
    "0.1037330404 0.00458650291 0.2508162558 0.5338699222 StdDev 0.001309365733 "
    "0.001351922634 0.0001806357614 0.0009050762746 0.0001648844482 0.006452683825 "
    "0.0007689410704 DoubleTake Output 0.5648869872 0.190048039 0.007651934866 "
    "0.1044668928 0.004672867246 0.214836657 0.5145636797 StdDev 0.001201019506 "
    "0.001353895874 0.0001743883622 0.000840936962 0.0001815674914 0.003250895068 "
    "0.0009013678646%"
).replace("%", _CONTEXT)


def test_rollouts_are_read_shown_and_written_back(tmp_path: Path) -> None:
    """The numbers are those of a file of gnubg 1.07, and of what it shows of it."""
    text = (
        "(;FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0]PW[gnubg]PB[root]RU[Crawford]RE[B+1]"
        f";B[31qtst];W[65xrmh]A[1]{ROLLED_PLAYS};B[double]DA[{ROLLED_CUBE}];W[drop])"
    )
    contents = from_sgf(text)
    assert not contents.warnings
    plays = next(item for item in contents.analysis[0, 2] if isinstance(item, PlayJudgement))
    assert [play.equity for play in plays.plays] == [-0.2204760611, -0.3405041695]
    assert plays.loss == pytest.approx(0.120028, abs=1e-6)
    cube = next(item for item in contents.analysis[0, 3] if isinstance(item, CubeJudgement))
    assert cube.decision.no_double == pytest.approx(0.341, abs=5e-4)
    assert cube.decision.double_take == pytest.approx(0.146, abs=5e-4)
    again = to_sgf(contents)
    assert ROLLED_PLAYS in again
    assert f"DA[{ROLLED_CUBE}]" in again
    assert to_sgf(from_saved(to_saved(contents))) == again
    (tmp_path / "m.sgf").write_text(text)
    shell = Shell()
    shell(f"load match {tmp_path / 'm.sgf'}", "first game", "next")
    board = shell("show board")
    assert "     1. Rollout          24/13                        Eq.: -0.220" in board
    shell("analyse match", f"save match {tmp_path / 'again.sgf'}")
    assert ROLLED_PLAYS in (tmp_path / "again.sgf").read_text()


@pytest.mark.parametrize("damage", ["Trials x", "Score 1e99", "Output nan", "X verb"])
def test_damaged_rollouts_are_left_out(damage: str) -> None:
    word = damage.split()[0]
    plays = re.sub(rf"{word} \S+", damage, ROLLED_PLAYS)
    contents = from_sgf(f"(;FF[4]GM[6]MI[length:3];B[31qtst];W[65xrmh]A[1]{plays};B[22])")
    assert not contents.rollouts


def test_a_game_of_another_kind_is_left_out_with_a_word() -> None:
    game = "(;FF[4]GM[6]MI[length:3]PW[A]PB[B]RE[W+1];W[31hefe];B[double];W[drop])"
    contents = from_sgf(f"{game}\n{game.replace('GM[6]', 'GM[6}]')}")
    assert len(contents.record.games) == 1
    assert contents.warnings == ("A game that is not backgammon, GM[6], is left out (line 2)",)


def test_a_warning_is_one_line() -> None:
    text = "(;FF[4]GM[6]MI[length:3]PW[A]PB[B];W[31hefe];B[doub\nle];W[drop])"
    assert all("\n" not in warning for warning in from_sgf(text).warnings)
    assert "doub le" in from_sgf(text).warnings[0]
