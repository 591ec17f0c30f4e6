"""What the functions of gnubg's Python module take and give.

The forms, and the values that follow from the rules, are those that gnubg 1.07 gave.
"""

from __future__ import annotations

from typing import Any

import pytest

from gnubg_py.inside.module import gnubg_module
from gnubg_py.shell.session import Session
from tests.inside_sessions import START, in_match, module_after

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
    lucks = (-0.07, -0.06, -0.03, 0.03, 0.06, 0.07)
    assert [gnubg.luckrating(x) for x in lucks] == [0, 1, 2, 2, 3, 4]
    errors = (0, 0.002, 0.005, 0.008, 0.012, 0.018, 0.026, 0.035)
    assert [gnubg.errorrating(x) for x in errors] == list(range(7, -1, -1))
    rolls = gnubg.dicerolls(5)
    assert (type(rolls), len(rolls), len(rolls[0])) == (tuple, 5, 2)
    with pytest.raises(ValueError, match="greater than 0"):
        gnubg.dicerolls(0)
