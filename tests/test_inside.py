"""Scripts in Python inside the shell, and gnubg's forms of what their functions take and give.

The forms, and the values that follow from the rules, are those that gnubg 1.07 gave.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gnubg_py.inside.module import gnubg_module
from gnubg_py.inside.run import run_script
from gnubg_py.shell.loop import run_line
from gnubg_py.shell.session import Session

START_ROW = (0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)
START = (START_ROW, START_ROW)
QUIET = (
    "set player 0 human", "set player 1 human", "set automatic game off", "set automatic roll off",
    "set player 0 name X", "set player 1 name O", "set defaultnames X O",
    "set analysis chequerplay evaluation plies 0", "set analysis cubedecision evaluation plies 0",
    "set evaluation chequerplay evaluation plies 0",
    "set evaluation cubedecision evaluation plies 0", "set seed 1",
)  # fmt: skip


def session_after(*lines: str) -> Session:
    session = Session(out=io.StringIO())
    for line in (*QUIET, *lines):
        run_line(session, line)
    return session


def module_after(*lines: str) -> Any:
    return gnubg_module(session_after(*lines))


def in_match(*lines: str) -> Any:
    return module_after("new match 3", "set turn 1", *lines)


_NAMES = (
    "board calcgammonprice cfevaluate classifypos command cubeinfo dicerolls eq2mwc "
    "eq2mwc_stderr errorrating evalcontext evaluate findbestmove getevalhintfilter gnubgid "
    "hint luckrating match matchchecksum matchid met movetupletostring mwc2eq mwc2eq_stderr "
    "navigate nextturn parsemove posinfo positionbearoff positionfrombearoff positionfromid "
    "positionfromkey positionid positionkey rolloutcontext setevalhintfilter show updateui "
)


def test_every_function_of_gnubg_is_there_and_explained() -> None:
    module = gnubg_module(Session())
    assert [name for name in _NAMES.split() if not getattr(module, name).__doc__] == []


# Boards, IDs and plays.


def test_the_side_on_roll_is_the_second_row_of_a_board() -> None:
    gnubg = in_match("set turn 0", "set board 2G4OACDYZsMBAA")
    assert gnubg.board()[1][:11] == (1, 0, 0, 0, 0, 2, 2, 2, 0, 2, 2)
    assert gnubg.positionid() == gnubg.positionid(gnubg.board()) == "2G4OACDYZsMBAA"
    gnubg.command("set turn 1")
    assert gnubg.positionid() == "wTYbDgBsNwcAAA"


def test_ids_and_keys_of_a_board_lead_back_to_it() -> None:
    gnubg = in_match()
    assert gnubg.positionfromid() == gnubg.positionfromid("4HPwATDgc/ABMA") == START
    assert gnubg.positionkey(START) == (224, 115, 240, 1, 48, 224, 115, 240, 1, 48)
    assert gnubg.positionfromkey(list(gnubg.positionkey())) == START
    assert gnubg.positionbearoff() == 461
    assert gnubg.positionbearoff([1, 2, 3, 4, 5, 0] + [0] * 19) == 48873
    assert gnubg.positionfrombearoff(100)[:6] == (2, 0, 0, 1, 1, 0)
    assert gnubg.positionfrombearoff(461, 15, 6) == (0, 0, 0, 0, 0, 5) + (0,) * 19


def test_match_ids_of_dictionaries() -> None:
    gnubg = module_after("new match 7", "set turn 1")
    assert gnubg.matchid(gnubg.cubeinfo(), gnubg.posinfo()) == "cAngAAAAAAAE"
    made = gnubg.cubeinfo(8, 1, 0, 9, (3, 4), 0), gnubg.posinfo(0, 0, 0, 1, (6, 5))
    assert gnubg.matchid(*made) == "EwE3ATAAIAAE"
    assert gnubg.gnubgid(START, gnubg.cubeinfo(), gnubg.posinfo()) == "4HPwATDgc/ABMA:cAngAAAAAAAE"
    with pytest.raises(TypeError, match="requires a pos-info"):
        gnubg.matchid(gnubg.cubeinfo())
    with pytest.raises(TypeError, match="0 or exactly 3"):
        gnubg.gnubgid(START)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("8/5 6/5", ((8, 5), (6, 5))),
        ("6/5 8/5", ((8, 5), (6, 5))),
        ("24/18(2) 13/7(2)", ((24, 18), (24, 18), (13, 7), (13, 7))),
        ("bar/20* 8/5", ((25, 20), (8, 5))),
        ("6/off", ((6, 0),)),
        ("8/5*/3", ((8, 5), (5, 3))),
        ("8/5/3(2)", ((8, 5), (8, 5), (5, 3), (5, 3))),
        ("24/18/12*/6", ((24, 18), (18, 12), (12, 6))),
        ("8 5 6 5", ((8, 5), (6, 5))),
        ("8/5,6/5", ((8, 5), (6, 5))),
        ("25/0", ((25, 0),)),
        ("", ()),
    ],
)
def test_parsed_plays(text: str, steps: tuple[tuple[int, int], ...]) -> None:
    assert gnubg_module(Session()).parsemove(text) == steps


@pytest.mark.parametrize("text", ["xx", "m 8/5", "cannot move", "8/5 6/5 6/5 6/5 6/5", "99/1"])
def test_what_is_no_play_is_an_error_of_gnubgs_class(text: str) -> None:
    with pytest.raises(SystemError):
        gnubg_module(Session()).parsemove(text)


@pytest.mark.parametrize(
    ("play", "text"),
    [
        ((8, 5, 6, 5), "8/5 6/5"),
        ([6, 5, 8, 5], "8/5 6/5"),
        (((8, 5), (6, 5)), "8/5 6/5"),
        ((8, 5, 6, 5, 0, 0, 0, 0), "8/5 6/5"),
        ((8, 5, 6, 5, -1, -1, -1, -1), "8/5 6/5"),
        ((24, 18, 24, 18, 13, 7, 13, 7), "24/18(2) 13/7(2)"),
        ((6, 0, 5, 0), "6/off 5/off"),
        ((25, 20), "bar/20"),
        ((), ""),
    ],
)
def test_the_text_of_a_tuple(play: Any, text: str) -> None:
    assert gnubg_module(Session()).movetupletostring(play, START) == text


# What describes the cube, the turn and evaluations.


def test_cubeinfo_of_a_match_and_of_arguments() -> None:
    gnubg = in_match()
    assert gnubg.cubeinfo() == {
        "cube": 1, "cubeowner": -1, "move": 1, "matchto": 3, "score": (0, 0), "crawford": 0,
        "jacoby": 0, "beavers": 0, "bgv": 0,
        "gammonprice": (pytest.approx((1.520961, 2.505680), abs=1e-5),) * 2,
    }  # fmt: skip
    made = gnubg.cubeinfo(2, 0, 1, 7, (3, 4), 0)
    assert made["gammonprice"][0] == pytest.approx((1.935722, 0.0), abs=1e-5)
    assert made["gammonprice"][1] == pytest.approx((0.897180, 0.0), abs=1e-5)
    assert gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0)["gammonprice"] == ((1.0, 1.0), (1.0, 1.0))
    assert gnubg.calcgammonprice(made) == made
    for wrong in ((3, 7, 8), (1, -1, 1, 7, (9, 2), 0), (-1,)):
        with pytest.raises(Exception, match="error in SetCubeInfo"):
            gnubg.cubeinfo(*wrong)


def test_gammons_are_worth_nothing_under_the_jacoby_rule() -> None:
    gnubg = module_after("new session", "set turn 1")
    assert gnubg.cubeinfo()["jacoby"] == 1
    assert gnubg.cubeinfo()["gammonprice"] == ((0.0, 0.0), (0.0, 0.0))


def test_posinfo() -> None:
    gnubg = in_match("set dice 3 1")
    assert gnubg.posinfo() == {
        "dice": (3, 1), "turn": 1, "resigned": 0, "doubled": 0, "gamestate": 1,
    }  # fmt: skip
    assert list(gnubg.posinfo(0, 1, 1, 2, (6, 5)).values()) == [(6, 5), 0, 1, 1, 2]
    for wrong in ((5,), (0, 0, 0, 1, (9, 9)), (0, 9, 0, 1, (1, 1)), (0, 0, 0, 9, (1, 1))):
        with pytest.raises(Exception, match="error in SetPosInfo"):
            gnubg.posinfo(*wrong)


def test_without_a_game() -> None:
    gnubg = module_after()
    assert gnubg.board() is None
    assert gnubg.match() is None
    for function in (gnubg.posinfo, gnubg.cubeinfo, gnubg.hint):
        with pytest.raises(Exception, match=r"error in Set|set up a board"):
            function()


def test_contexts() -> None:
    gnubg = in_match()
    assert gnubg.evalcontext(1, 3, 0, 0, 0.5) == {
        "cubeful": 1, "plies": 3, "deterministic": 0, "prune": 0, "noise": 0.5,
    }  # fmt: skip
    numbers = (1, 0, 1, 0, 1, 1, 7, 0, 0, 1, 100, 42, 50, 1, 3, 60, 0.02, 1.5)
    assert tuple(gnubg.rolloutcontext(*numbers).values()) == numbers
    assert len(gnubg.rolloutcontext()) == 18


def test_move_filters_are_read_and_set() -> None:
    gnubg = in_match()
    rows = gnubg.getevalhintfilter()
    assert [(row["ply"], row["level"]) for row in rows] == [
        (ply, level) for ply in range(1, 5) for level in range(ply)
    ]
    assert rows[0] == {
        "ply": 1, "level": 0, "acceptmoves": 0, "extramoves": 8, "threshold": 0.16,
    }  # fmt: skip
    rows[0]["extramoves"] = 3
    gnubg.setevalhintfilter(rows)
    assert gnubg.getevalhintfilter() == rows
    with pytest.raises(SystemError):
        gnubg.setevalhintfilter([])


# Evaluations.


def test_evaluations_have_gnubgs_form() -> None:
    gnubg = in_match()
    static = gnubg.evalcontext(1, 0, 1, 0, 0.0)
    found = gnubg.evaluate(gnubg.board(), gnubg.cubeinfo(), static)
    assert len(found) == 6
    assert all(type(value) is float for value in found)
    assert found[0] == pytest.approx(0.5215, abs=0.02)
    best, no_double, take, drop, number, words = gnubg.cfevaluate(
        gnubg.board(), gnubg.cubeinfo(), static
    )
    assert (best, drop, number, words) == (no_double, 1.0, 2, "No double, take")
    assert take < no_double < 0.3


@pytest.mark.parametrize(
    ("cube", "number", "words"),
    [
        ((2, 0, 1, 7, (0, 0), 0), 15, "Unknown cube decision"),
        ((2, 1, 1, 7, (0, 0), 0), 9, "No redouble, take"),
        ((1, -1, 1, 7, (6, 0), 1), 13, "Never double, take (dead cube)"),
        ((2, 1, 1, 3, (0, 1), 0), 14, "Never redouble, take (dead cube)"),
    ],
)
def test_cube_decisions_have_gnubgs_numbers(cube: Any, number: int, words: str) -> None:
    gnubg = in_match()
    context = gnubg.evalcontext(1, 0, 1, 0, 0.0)
    assert gnubg.cfevaluate(START, gnubg.cubeinfo(*cube), context)[3:] == (1.0, number, words)


def test_the_best_play_begins_with_the_larger_die() -> None:
    gnubg = in_match("set dice 3 1")
    assert gnubg.findbestmove() == (8, 5, 6, 5)
    money, static = gnubg.cubeinfo(1, -1, 1, 0, (0, 0), 0), gnubg.evalcontext(1, 0, 1, 0, 0.0)
    assert gnubg.findbestmove(START, money, static, (6, 5)) == (24, 18, 18, 13)
    assert gnubg.findbestmove(START, money, static, (6, 6)) == (24, 18, 24, 18, 13, 7, 13, 7)
    with pytest.raises(Exception, match="What\\? No dice"):
        in_match().findbestmove()


def test_a_hint() -> None:
    gnubg = in_match("set dice 3 1")
    found = gnubg.hint(2)
    assert list(found) == ["hinttype", "gnubgid", "hint"]
    assert (found["hinttype"], found["gnubgid"]) == ("chequer", "4HPwATDgc/ABMA:cIllAAAAAAAE")
    first, second = found["hint"]
    assert list(first) == ["movenum", "type", "move", "equity", "eqdiff", "context", "details"]
    assert (first["movenum"], first["type"], first["move"]) == (1, "eval", "8/5 6/5")
    assert (first["eqdiff"], second["eqdiff"] < 0) == (0.0, True)
    assert list(first["context"]) == ["cubeful", "plies", "deterministic", "prune", "noise"]
    assert list(first["details"]) == ["probs", "score"]
    assert len(first["details"]["probs"]) == 5
    assert [len(gnubg.hint(n)["hint"]) for n in (-1, 0, 1)] == [16, 10, 1]


def test_a_roll_without_a_play_has_no_hints_and_needs_no_move() -> None:
    gnubg = module_after("new match 5", "set turn 0", "set gnubgid 7U8DACHeZUcAQA:AwGvAAAAAAAE")
    assert gnubg.hint()["hint"] == []
    assert gnubg.findbestmove() == ()
    gnubg.command("move")
    assert gnubg.positionid() == "3mVHAEDtTwMAIQ"
    assert gnubg.match()["games"][0]["game"][-1] == {
        "dice": (6, 3), "move": (), "board": "7U8DACHeZUcAQA", "action": "move", "player": "X",
    }  # fmt: skip


def test_hints_are_for_rolls_only() -> None:
    gnubg = in_match()
    for line, what in (("", "cube actions"), ("double", "take actions")):
        gnubg.command(line)
        with pytest.raises(Exception, match=f"Hints for {what} not yet implemented"):
            gnubg.hint()
    gnubg.command("take")
    gnubg.command("set dice 6 5")
    gnubg.command("resign normal")
    with pytest.raises(Exception, match="Hints for resignations"):
        gnubg.hint()


def test_equities_and_chances() -> None:
    gnubg = module_after("new match 7", "set turn 1")
    at = gnubg.cubeinfo(2, 0, 1, 7, (3, 4), 0)
    assert gnubg.eq2mwc(0.5, at) == pytest.approx(0.710903, abs=1e-6)
    assert gnubg.mwc2eq(0.5, at) == pytest.approx(-0.519271, abs=1e-6)
    assert gnubg.eq2mwc_stderr(0.5, at) == pytest.approx(0.103457, abs=1e-6)
    assert gnubg.mwc2eq_stderr(0.5, at) == pytest.approx(2.416451, abs=1e-5)
    assert gnubg.eq2mwc() == 0.5
    pre, post, same = gnubg.met(3)
    assert pre[0] == pytest.approx([0.5, 0.67736, 0.75076])
    assert post == same == pytest.approx([0.5, 0.48803, 0.32264])
    assert len(gnubg.met()[0]) == 7
    with pytest.raises(ValueError, match="invalid matchlength"):
        gnubg.met(65)


def test_ratings() -> None:
    gnubg = gnubg_module(Session())
    assert [gnubg.luckrating(x) for x in (-0.07, -0.06, -0.03, 0.03, 0.06, 0.07)] == [0, 1, 2, 2, 3, 4]  # fmt: skip # noqa: E501
    assert [gnubg.errorrating(x) for x in (0, 0.002, 0.005, 0.008, 0.012, 0.018, 0.026, 0.035)] == list(range(7, -1, -1))  # fmt: skip # noqa: E501
    rolls = gnubg.dicerolls(5)
    assert (type(rolls), len(rolls), len(rolls[0])) == (tuple, 5, 2)
    with pytest.raises(ValueError, match="greater than 0"):
        gnubg.dicerolls(0)


# The match.

PLAYED = (
    "new match 3", "set turn 1", "double", "take", "set dice 6 5", "24/13", "set dice 2 1",
    "13/11 6/5", "resign normal", "accept", "new game", "set turn 0", "set dice 4 2", "8/4 6/4",
)  # fmt: skip


def test_the_match_as_a_dictionary() -> None:
    gnubg = module_after(*PLAYED)
    found = gnubg.match()
    assert list(found) == ["match-info", "games"]
    info = found["match-info"]
    assert list(info) == ["X", "O", "match-length", "date", "result", "variation", "rules"]
    assert (info["X"], info["match-length"], info["result"]) == ({"name": "X"}, 3, 0)
    assert (info["variation"], info["rules"]) == ("Standard", ("Crawford",))
    first, second = found["games"]
    assert first["info"] == {
        "score-X": 0, "score-O": 0, "winner": "X", "points-won": 2, "resigned": True,
    }  # fmt: skip
    assert second["info"] == {"score-X": 2, "score-O": 0, "crawford": True, "winner": None}
    assert first["game"][0]["action"] == "set"
    assert first["game"][1:] == (
        {"board": "4HPwATDgc/ABMA", "action": "double", "player": "O"},
        {"action": "take", "player": "X"},
        {
            "dice": (6, 5), "move": ((24, 18), (18, 13)), "board": "4HPwATDgc/ABMA",
            "action": "move", "player": "O",
        },
        {
            "dice": (2, 1), "move": ((13, 11), (6, 5)), "board": "4HPwAyDgc/ABMA",
            "action": "move", "player": "X",
        },
        {"action": "resign", "player": "O", "points": 1},
    )  # fmt: skip


def test_what_is_set_by_hand_is_told_from_player_0s_side() -> None:
    gnubg = module_after(
        "new match 5", "set turn 1", "set board 2G4OACDYZsMBAA", "set cube value 2"
    )
    assert gnubg.match()["games"][0]["game"][-2:] == (
        {"board": "wTYbDgBsNwcAAA", "action": "set"},
        {"cube": 2, "action": "set"},
    )
    gnubg.command("set cube owner 0")
    assert gnubg.match()["games"][0]["game"][-1] == {"cube-owner": "X", "action": "set"}


def test_plays_of_an_imported_match_begin_with_the_highest_point(tmp_path: Path) -> None:
    path = tmp_path / "short.mat"
    path.write_text(" 3 point match\n\n Game 1\n a : 0      b : 0\n  1) 52: 13/8 24/22    \n")
    gnubg = module_after(f"import mat {path}")
    assert gnubg.match()["games"][0]["game"][0]["move"] == ((24, 22), (13, 8))
    assert module_after("new match 3", "set turn 1", "set dice 5 2", "24/22 13/8").match()["games"][
        0
    ]["game"][-1]["move"] == ((13, 8), (24, 22))


def test_the_analysis_in_the_match() -> None:
    gnubg = module_after(*PLAYED, "analyse match")
    found = gnubg.match(statistics=1, verbose=1)
    assert list(found) == ["match-info", "games", "stats"]
    assert list(found["games"][0]) == ["info", "stats", "game"]
    double, take, play = found["games"][0]["game"][1:4]
    assert list(double["analysis"]) == [
        "type", "probs", "nd-cubeful-eq", "dt-cubeful-eq", "nd-match-eq", "dt-match-eq", "skill",
    ]  # fmt: skip
    assert double["analysis"]["skill"] == "very bad"
    assert "analysis" not in take
    assert list(play["analysis"]) == ["moves", "imove", "luck-value"]
    assert list(play["analysis"]["moves"][0]) == ["type", "move", "probs", "score"]
    assert list(gnubg.match(0, 0)["games"][0]["game"][1]) == ["action", "player"]
    stats = found["stats"]["O"]
    assert list(stats) == ["moves", "cube", "dice", "error-based-fibs-rating"]
    assert stats["cube"]["wrong-double-below-dp"] == 1
    assert stats["moves"]["total-moves"] == 1


def test_dice_of_a_seed_named_with_their_generator() -> None:
    rolls = [module_after("set rng mersenne 5").dicerolls(20) for _ in range(2)]
    assert rolls[0] == rolls[1] != module_after("set rng mersenne 6").dicerolls(20)


def test_the_analysis_of_a_roll_without_a_play_and_of_another_depth() -> None:
    gnubg = module_after(
        "new match 5", "set turn 0", "set gnubgid 7U8DACHeZUcAQA:MAGvAAAAAAAE", "move",
        "set dice 6 5", "set analysis cubedecision evaluation plies 1",
    )  # fmt: skip
    gnubg.command(f"move {gnubg.hint(1)['hint'][0]['move']}")
    gnubg.command("analyse match")
    danced, played = gnubg.match()["games"][0]["game"][-2:]
    assert (danced["move"], "moves" in danced.get("analysis", {})) == ((), False)
    assert played["analysis"]["eval-context"] == {"plies": 1}


def test_navigation_by_gnubgs_records() -> None:
    gnubg = module_after(*PLAYED)
    assert gnubg.navigate() is None
    assert gnubg.board() == START
    assert gnubg.navigate(1) is None
    assert gnubg.navigate(next=2) is None
    assert gnubg.posinfo()["dice"] == (6, 5)
    assert gnubg.navigate(100) == (97, 0)
    assert gnubg.navigate(game=1) == (0, 1)
    assert gnubg.cubeinfo()["crawford"] == 1
    with pytest.raises(ValueError, match="negative next record"):
        gnubg.navigate(-1)


def test_show_gives_text_and_prints_nothing() -> None:
    session = session_after("new match 3")
    printed = len(session.out.getvalue())  # type: ignore[attr-defined]
    text = gnubg_module(session).show("score")
    assert text == "The score (after 0 games) is: X 0, O 0 (match to 3 points)"
    assert len(session.out.getvalue()) == printed  # type: ignore[attr-defined]


# Running scripts.


def run(tmp_path: Path, text: str, session: Session | None = None) -> Session:
    path = tmp_path / "script.py"
    path.write_text(text, "utf-8")
    session = session or Session()
    run_script(session, path)
    return session


def test_a_script_is_the_main_module_and_finds_its_neighbours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "neighbour_of_script.py").write_text("import gnubg\nNAMES = dir(gnubg)\n")
    before = list(sys.path), list(sys.argv)
    run(
        tmp_path,
        "import sys, neighbour_of_script, gnubg\n"
        "print(__name__, sys.argv, 'command' in neighbour_of_script.NAMES)\n"
        "print(sys.modules['__main__'].gnubg is gnubg)\n",
    )
    assert capsys.readouterr().out == "__main__ [''] True\nTrue\n"
    assert (list(sys.path), list(sys.argv)) == before
    assert "gnubg" not in sys.modules


def test_a_package_of_that_name_is_not_shadowed_after_a_script(tmp_path: Path) -> None:
    real = ModuleType("gnubg")
    sys.modules["gnubg"] = real
    try:
        run(tmp_path, "import gnubg; gnubg.command\n")
        assert sys.modules["gnubg"] is real
    finally:
        del sys.modules["gnubg"]


def test_prints_and_commands_come_in_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, "print('a'); gnubg.command('set prompt x'); print('b')")
    lines = capsys.readouterr().out.splitlines()
    assert [lines[0], lines[-1], len(lines)] == ["a", "b", 3]


def test_an_exception_shows_the_frames_of_the_script_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = run(tmp_path, "def f():\n    gnubg.evaluate(5)\nf()\n")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert [line.split('"')[1].endswith("script.py") for line in lines if '"' in line] == [True] * 2
    assert "ArgumentError" in lines[-1]
    assert session.failed
    assert not session.leaving


def test_a_syntax_error_names_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "x = 1\ndef f(:\n")
    told = capsys.readouterr().err
    assert 'script.py", line 2' in told
    assert "SyntaxError" in told


@pytest.mark.parametrize(
    ("text", "status"),
    [("gnubg.command('quit')", 0), ("raise SystemExit(4)", 4), ("import sys; sys.exit('no')", 1)],
)
def test_quit_and_exit_end_the_shell(tmp_path: Path, text: str, status: int) -> None:
    session = run(tmp_path, f"{text}\nprint(1 / 0)\n")
    assert session.leaving
    assert session.exit_status == status
    assert not session.failed


def test_a_script_that_closes_the_output_or_loads_itself_does_no_harm(tmp_path: Path) -> None:
    out, sys.stdout = sys.stdout, io.StringIO()
    try:
        session = run(tmp_path, "import sys; sys.stdout.close()")
        run_line(session, "show score")
        assert not session.failed
    finally:
        sys.stdout = out
    session = session_after()
    run(tmp_path, f"gnubg.command('load python {tmp_path / 'script.py'}')", session)
    assert "more than 8 deep" in session.out.getvalue()  # type: ignore[attr-defined]


def test_lines_and_scripts_share_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = run(tmp_path, "x = 5")
    for line in ("> y = x + 1", ">print(y)", "> 1/0", "> print(pipcount(gnubg.positionfromid()))"):
        run_line(session, line)
    printed = capsys.readouterr()
    assert printed.out == "6\n[167, 167]\n"
    assert "ZeroDivisionError" in printed.err


def test_a_missing_script_is_one_line() -> None:
    session = Session(out=io.StringIO())
    run_line(session, "load python nosuch.py")
    assert session.out.getvalue() == "Python file (nosuch.py) not found\n"  # type: ignore[attr-defined]
    assert session.failed
