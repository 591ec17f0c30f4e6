"""The front door: hint, evaluate, cube_action; what they print, and how they stop."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.analysis import cube_action, evaluate, hint
from gnubg_py.board import START, Boards, parse
from gnubg_py.cube.state import CENTRED, OTHER, OWN, Cube, cube_of
from gnubg_py.engine import engine_of
from gnubg_py.evaluators.protocol import Evaluator, FunctionEvaluator
from gnubg_py.match import NO_DICE, GameState, MatchState, Resignation
from gnubg_py.notation.playable import read_position
from gnubg_py.probabilities import cubeless_equity
from gnubg_py.results import CubeHint, PlaysHint
from gnubg_py.search.cache import SearchCache
from gnubg_py.search.context import StopToken
from gnubg_py.search.settings import EvalSettings
from tests.search_twins import PIPS

OPENING = "4HPwATDgc/ABMA"
STRONG = "x 6:4 5:4 4:4 3:2 20:1 / o 12:4 13:4 8:2 6:5"
FAR_AHEAD = "x 6:5 5:5 4:5 / o 13:5 8:5 24:5"


def plays_of(answer: PlaysHint | CubeHint) -> PlaysHint:
    assert isinstance(answer, PlaysHint)
    return answer


def test_hint_ranks_the_plays_of_a_roll() -> None:
    answer = plays_of(hint(OPENING, (1, 3), ply=0, evaluator=PIPS))
    assert len(answer) == 16
    assert answer.best is answer[0]
    assert [play.rank for play in answer] == list(range(1, 17))
    assert [play.equity for play in answer] == sorted((p.equity for p in answer), reverse=True)
    assert answer[0].loss == 0
    assert answer[3].loss == pytest.approx(answer[0].equity - answer[3].equity)
    assert answer.dice == (3, 1)
    assert answer.complete
    assert len(answer[:3]) == 3
    with pytest.raises(FrozenInstanceError):
        answer.complete = False  # type: ignore[misc]


def test_plays_print_as_gnubg_prints_them() -> None:
    answer = plays_of(hint(OPENING, "62", ply=1, evaluator=PIPS))
    lines = str(answer).split("\n")
    assert len(lines) == 30
    number = r"[+-]\d\.\d{3}"
    assert re.fullmatch(rf"    1\. Cubeful 1-ply    .{{28}} Eq\.: {number}", lines[0])
    five = r"0\.\d{3} 0\.\d{3} 0\.\d{3} - 0\.\d{3} 0\.\d{3} 0\.\d{3}"
    assert re.fullmatch(rf"       {five}", lines[1])
    assert lines[2] == "        1-ply cubeful"
    assert re.fullmatch(
        rf"    2\. Cubeful 1-ply    .{{28}} Eq\.: {number} \(-\d\.\d{{3}}\)", lines[3]
    )
    assert re.match(r"   10\. Cubeful 0-ply    ", lines[27])
    assert lines[29] == "        0-ply cubeful [expert]"
    assert len(answer.table(None).split("\n")) == 3 * len(answer)


def test_presets_and_settings_by_name() -> None:
    answer = plays_of(hint(OPENING, "31", settings="casual play", evaluator=PIPS))
    assert str(answer).split("\n")[2] == "        0-ply cubeful noise 0.05 (d) [casual play]"
    cubeless = EvalSettings(0, cubeful=False)
    answer = plays_of(hint(OPENING, "31", settings=cubeless, evaluator=PIPS))
    assert str(answer).startswith("    1. Cubeless 0-ply   ")
    large = plays_of(hint(OPENING, "62", settings="world class", filters="large", evaluator="fast"))
    assert "2-ply cubeful prune [world class]" in str(large)  # gnubg names it by its plies


def test_a_position_brings_its_dice_cube_and_score() -> None:
    answer = plays_of(hint("XGID=-b----E-C---eE---c-e----B-:1:1:1:62:2:3:0:7:10", ply=0))
    assert answer.dice == (6, 2)
    assert answer[0].mwc is not None
    assert 0 < answer[0].mwc < 1
    money = plays_of(hint((START, MatchState()), "62", ply=0))
    assert money[0].mwc is None


def test_dicts_are_json() -> None:
    for answer in (
        hint(OPENING, "31", ply=0, evaluator=PIPS),
        cube_action(STRONG, ply=0, evaluator=PIPS),
        evaluate(OPENING, ply=1, evaluator=PIPS),
    ):
        data = json.loads(json.dumps(answer.to_dict()))
        assert data["complete"] is True
        assert data["gnubg_id"].startswith(data["position"])
    plays = hint(OPENING, "31", ply=0, evaluator=PIPS).to_dict()
    assert plays["dice"] == [3, 1]
    assert set(plays["plays"][0]) >= {"rank", "play", "ply", "equity", "loss", "probabilities"}


def test_plays_tell_what_moved() -> None:
    bar = "x bar:1 24:1 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5"
    for position, dice, moves, pips in (
        (OPENING, "31", ((8, 5), (6, 5)), 4),
        (bar, "66", (), 0),
        ("x 2:1 1:1 / o 1:2", "65", ((2, 0), (1, 0)), 11),
    ):
        found = hint(position, dice, ply=0)
        assert isinstance(found, PlaysHint)
        best = found.plays[0]
        assert (tuple(sorted(best.moves, reverse=True)), best.pips) == (moves, pips)
        data = best.to_dict()
        assert data["checkers_moved"] == len(data["moves"]) == len(moves)


def test_plays_have_the_seven_outputs() -> None:
    money = (hint(OPENING, "31", ply=0), (0, 0), 0)
    match = (hint(OPENING, "31", ply=0, score=(1, 3), length=5), (3, 1), 5)
    for found, score, length in (money, match):
        assert isinstance(found, PlaysHint)
        for play in found.plays[:3]:
            after = evaluate(play.board, ply=0, score=score, length=length)
            assert play.outputs[:5] == pytest.approx(after.probabilities.inverted, abs=1e-6)
            assert play.outputs[5] == play.cubeless == pytest.approx(-after.equity, abs=1e-5)
            assert play.outputs[6] == play.equity


def test_before_the_roll_the_hint_is_about_the_cube() -> None:
    answer = hint(STRONG, ply=0, evaluator=PIPS)
    assert isinstance(answer, CubeHint)
    assert answer.cube == Cube(jacoby=True)
    decision = answer.decision
    lines = str(answer).split("\n")
    assert lines[0] == "Cube analysis"
    assert re.fullmatch(r"0-ply cubeless equity [+-]\d\.\d{3}", lines[1])
    assert lines[3] == "Cubeful equities:"
    assert lines[7].startswith("Proper cube action: " + answer.words)
    equities = {
        "No double": decision.no_double,
        "Double, take": decision.double_take,
        "Double, pass": decision.double_pass,
    }
    for i, (name, equity, difference) in enumerate(answer.alternatives):
        assert equity == equities[name]
        assert f"{i + 1}. {name:<20}{equity:+.3f}" in lines[4 + i]
        assert difference == pytest.approx(equity - answer.alternatives[0][1])
    assert answer.alternatives[0][1] == pytest.approx(answer.equity)


@pytest.mark.parametrize(
    ("owner", "word"), [(CENTRED, "No double, take"), (1, "No redouble, take")]
)
def test_the_proper_action_comes_first_and_the_rest_by_equity(owner: int, word: str) -> None:
    state = MatchState(1 if owner == CENTRED else 2, owner)
    answer = cube_action((START, state), ply=0, evaluator=PIPS)
    assert answer.words == word
    assert [name for name, *_ in answer.alternatives] == [
        "No double",
        "Double, pass",
        "Double, take",
    ]
    assert re.search(r"take \(\d+\.\d%\)$", str(answer))


def test_a_double_on_the_table_is_seen_by_the_side_that_answers() -> None:
    board = parse(STRONG)
    asked = cube_action((board, MatchState()), ply=0, evaluator=PIPS)
    answer = cube_action((board, MatchState(turn=0, doubled=True)), ply=0, evaluator=PIPS)
    assert answer.doubled
    assert answer.action == asked.decision.answer.value
    assert answer.decision == asked.decision
    assert answer.equity == -min(asked.decision.double_take, 1)
    assert [(n, -e) for n, e, _ in answer.alternatives] == [
        (n, e) for n, e, _ in asked.alternatives
    ]
    assert f"0-ply cubeless equity {-asked.cubeless_equity:+.3f}" in str(answer)


def test_a_match_score_shows_the_money_equity_too() -> None:
    state = MatchState(2, 1, match_length=7, score=(3, 2))
    assert "(Money: " in str(cube_action((parse(STRONG), state), ply=0, evaluator=PIPS))


def test_evaluate_has_a_row_for_every_ply() -> None:
    answer = evaluate(OPENING, ply=2, evaluator=PIPS)
    assert [row.ply for row in answer] == [0, 1, 2]
    assert answer[2].equity == answer.equity
    assert answer.probabilities == answer[2].probabilities
    assert answer.cubeful == answer[2].cubeful
    lines = str(answer).split("\n")
    assert lines[0] == "Evaluator: \tContact"
    assert [line[:7] for line in lines[3:]] == ["static:", " 1 ply:", " 2 ply:"]
    assert len(answer) == 3


def test_the_package_is_the_function_whatever_was_imported_first() -> None:
    import gnubg_py.evaluators.router

    answer = gnubg_py.evaluate(OPENING, ply=0, evaluator=PIPS)
    assert answer.equity == evaluate(OPENING, ply=0, evaluator=PIPS).equity
    assert gnubg_py.hint is hint
    assert {"hint", "evaluate", "cube_action"} <= set(dir(gnubg_py))
    with pytest.raises(AttributeError, match="has no attribute 'hnit'"):
        gnubg_py.hnit  # noqa: B018


def test_the_cube_of_a_match_state() -> None:
    assert cube_of(MatchState()) == Cube()
    assert cube_of(MatchState(jacoby=True), beavers=True) == Cube(jacoby=True, beavers=True)
    assert cube_of(MatchState(2, 1, move=1)) == Cube(2, OWN)
    assert cube_of(MatchState(2, 1, move=0)) == Cube(2, OTHER)
    crawford = MatchState(match_length=5, score=(4, 2), move=1, crawford=True)
    assert cube_of(crawford) == Cube(away=(3, 1), crawford=True)


FRACTIONS: Any = START + 0.7
CROWDED: Any = START.astype(np.int64) + 256


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: hint(OPENING, "31", ply=9), "9 plies: should be a whole number from 0 to 4"),
        (lambda: hint(OPENING, "71"), "dice 7 and 1: each die should be 1 to 6"),
        (lambda: hint("x / o 6:1", "31"), "the game is over"),
        (lambda: hint("nonsense", "31"), "Position ID"),
        (lambda: hint("x 6:16 / o 6:1", "31"), "6:16"),
        (lambda: hint(OPENING, "31", settings="champion"), "preset 'champion' is not one of"),
        (lambda: hint(OPENING, "31", filters="wide"), "move filter 'wide' is not one of"),
        (lambda: hint(OPENING, np.array([3.5, 1])), "should be whole numbers"),
        (lambda: hint(OPENING, cast(int, 31.5)), "dice 31.5: should be whole numbers"),
        (
            lambda: hint(OPENING, "31", evaluator=cast(Evaluator, np.zeros)),
            "evaluator builtin_function_or_method: should",
        ),
        (lambda: hint(OPENING, "31", evaluator="oracle"), "evaluator 'oracle' is not one of"),
        (lambda: cube_action((START, MatchState(2, 0))), "the cube is the other side's"),
        (
            lambda: cube_action((START, MatchState(4, 1, match_length=5, score=(1, 1)))),
            "the cube is dead: at 4 it wins the match for the side on roll, 4-away",
        ),
        (
            lambda: cube_action((START, MatchState(match_length=3, score=(2, 0), crawford=True))),
            "this is the Crawford game: no one can double",
        ),
        (
            lambda: hint((START, MatchState(doubled=True, turn=0)), "31"),
            "a double is on the table: it is answered before plays are ranked",
        ),
        (
            lambda: hint((START, MatchState(resigned=Resignation.SINGLE, turn=0)), "31"),
            "a resignation is on the table",
        ),
        (
            lambda: hint((START, MatchState(game_state=GameState.DROPPED)), "31"),
            "the game is over: it was dropped",
        ),
        (lambda: hint((FRACTIONS, MatchState()), "31"), "a board of float64: expected whole"),
        (
            lambda: hint((CROWDED, MatchState()), "31"),
            "x has 6415 checkers: at most 15 a side",
        ),
        (
            lambda: cube_action((START, MatchState(resigned=Resignation.SINGLE))),
            "a resignation is on the table",
        ),
    ],
)
def test_bad_input_gets_one_line(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        ask()
    assert "\n" not in str(caught.value)


def interrupting(calls: int, stop: Callable[[], None]) -> Evaluator:
    """``PIPS``, which does ``stop`` when called for the last time of ``calls``."""
    left = calls

    def answer(boards: Boards) -> NDArray[np.float32]:
        nonlocal left
        left -= 1
        if left == 0:
            stop()
        return PIPS(boards)

    return FunctionEvaluator("interrupting", answer)


def interrupt() -> None:
    raise KeyboardInterrupt


def test_ctrl_c_returns_what_is_finished() -> None:
    cache = SearchCache(0)
    answer = plays_of(
        hint(OPENING, "62", engine=engine_of(interrupting(3, interrupt), cache=cache))
    )
    assert not answer.complete
    assert {play.ply for play in answer} == {0}
    assert str(answer).endswith("(stopped before the search was finished)")
    decision = cube_action(STRONG, engine=engine_of(interrupting(3, interrupt), cache=cache))
    assert (decision.complete, decision.ply) == (False, 0)
    assert "(stopped" in str(decision)
    worth = evaluate(OPENING, engine=engine_of(interrupting(3, interrupt), cache=cache))
    assert not worth.complete
    assert [row.ply for row in worth] == [0, 1]
    with pytest.raises(KeyboardInterrupt):
        hint(OPENING, "62", engine=engine_of(interrupting(1, interrupt), cache=cache))


def test_a_token_returns_what_is_finished() -> None:
    token = StopToken()
    evaluator = interrupting(2, token.stop)
    answer = plays_of(
        hint(OPENING, "62", engine=engine_of(evaluator, cache=SearchCache(0)), stop=token)
    )
    assert not answer.complete
    assert answer.to_dict()["complete"] is False


def test_progress_goes_up_to_the_end_of_every_ply() -> None:
    seen: list[tuple[int, float]] = []
    hint(
        OPENING, "62", ply=2, evaluator=PIPS, progress=lambda ply, share: seen.append((ply, share))
    )
    assert [ply for ply, _ in seen] == sorted(ply for ply, _ in seen)
    assert {ply for ply, share in seen if share == 1.0} == {0, 2}
    assert all(0 <= share <= 1 for _, share in seen)
    deep = [share for ply, share in seen if ply == 2]
    assert deep == sorted(deep)


def test_cubeless_plays_count_gammons_under_the_jacoby_rule() -> None:
    # gnubg 1.07 with the rule on and cubeless evaluation finds 24/21 6/5, 0.014 behind in wins,
    # 0.037 behind in equity.
    settings = EvalSettings(0, cubeful=False)
    board = read_position(OPENING)[0]
    for jacoby in (False, True):
        state = MatchState(jacoby=jacoby, dice=(3, 1))
        for play in plays_of(hint((board, state), settings=settings)):
            five = np.array(play.probabilities)
            assert play.equity == pytest.approx(float(cubeless_equity(five)), abs=1e-6)
        decided = cube_action((board, replace(state, dice=NO_DICE)), ply=0)
        five = np.array(decided.probabilities)
        assert decided.cubeless_equity == pytest.approx(float(cubeless_equity(five)), abs=1e-6)
