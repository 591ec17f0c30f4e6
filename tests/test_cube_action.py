"""Cube decisions, take and double points: what is known of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.cube.decision import (
    Answer,
    CubeDecision,
    Verdict,
    cube_decision,
    static_cube_decision,
)
from gnubg_py.cube.met import kazaross_xg2
from gnubg_py.cube.points import match_windows, money_points
from gnubg_py.cube.state import CENTRED, OTHER, OWN, Cube, double_cube
from tests.cube_twins import values_with

MET = kazaross_xg2()


def race(w: float) -> np.ndarray:
    """Probabilities of a race without gammons."""
    return np.array([w, 0, 0, 0, 0], float)


def value(w: float, win: float, loss: float, x: float, cube: Cube) -> float:
    """The money value where wins and losses average ``win`` and ``loss``."""
    p = np.array([[w, w * (win - 1), 0, (1 - w) * (loss - 1), 0]])
    return float(values_with(p, np.array([x]), [cube])[0, 0])


@pytest.mark.parametrize(
    ("efficiency", "take", "double", "redouble", "cash"),
    [
        (0.0, 0.25, 0.50, 0.50, 0.75),
        (1.0, 0.20, 0.80, 0.80, 0.80),
        (0.65, 0.215, None, 0.7097, 0.785),
    ],
)
def test_take_and_double_points_without_gammons(
    efficiency: float, take: float, double: float | None, redouble: float, cash: float
) -> None:
    points = money_points(1, 1, efficiency)
    assert points.take == pytest.approx(take, abs=2e-4)
    assert points.cash == pytest.approx(cash, abs=2e-4)
    assert points.redouble == pytest.approx(redouble, abs=2e-4)
    if double is not None:
        assert points.initial_double == pytest.approx(double)


@given(st.floats(1.01, 2), st.floats(1, 2), st.floats(0, 0.99))
def test_at_its_points_the_value_of_the_cube_is_what_defines_them(
    win: float, loss: float, x: float
) -> None:
    at = money_points(win, loss, x)
    own, other = Cube(2, OWN), Cube(2, OTHER)
    assert 2 * value(at.take, win, loss, x, own) == pytest.approx(-1, abs=1e-6)
    assert value(at.beaver, win, loss, x, own) == pytest.approx(0, abs=1e-6)
    assert value(at.raccoon, win, loss, x, other) == pytest.approx(0, abs=1e-6)
    assert 2 * value(at.cash, win, loss, x, other) == pytest.approx(1, abs=1e-6)
    assert value(at.too_good, win, loss, x, own) == pytest.approx(1, abs=1e-6)
    for cube, point in ((own, at.redouble), (Cube(), at.initial_double)):
        given_away = 2 * value(point, win, loss, x, other)
        assert value(point, win, loss, x, cube) == pytest.approx(given_away, abs=1e-6)
    # Under Jacoby too, in the window between taking and cashing, where it is meant for.
    point = money_points(win, loss, x, jacoby=True).initial_double
    live = money_points(win, loss, 1)
    if live.take < point < live.cash:
        given_away = 2 * value(point, win, loss, x, other)
        assert value(point, win, loss, x, Cube(jacoby=True)) == pytest.approx(given_away, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 1, 0), "an average win of 0.5: should be 1 to 3"),
        ((1, 4, 0), "an average loss of 4: should be 1 to 3"),
        ((1, 1, 1.2), "cube efficiency 1.2: should be 0 to 1"),
    ],
)
def test_points_of_what_cannot_be(arguments: tuple[float, float, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        money_points(*arguments)


# On the last roll the cube is dead: a double from half of the rolls on, a take to three quarters.
@pytest.mark.parametrize(
    ("winning_rolls", "words"),
    [
        (17, "No double, take"),
        (19, "Double, take"),
        (26, "Double, take"),
        (28, "Double, pass"),
        (36, "Double, pass"),
    ],
)
def test_the_last_roll(winning_rolls: int, words: str) -> None:
    decision = static_cube_decision(race(winning_rolls / 36), 0.0, Cube())
    assert decision.words == words


def test_three_quarters_on_the_last_roll_is_the_edge_of_a_take() -> None:
    decision = static_cube_decision(race(0.75), 0.0, Cube())
    assert decision.double_take == decision.double_pass == 1.0


def test_two_away_two_away() -> None:
    """Anyone who is ahead doubles at once; the take point is that of 1-away, 2-away Crawford."""
    cube = Cube(away=(2, 2))
    assert static_cube_decision(race(0.51), 0.68, cube).words == "Double, take"
    assert static_cube_decision(race(0.49), 0.68, cube).words == "No double, take"
    assert static_cube_decision(race(0.677), 0.68, cube).words == "Double, take"
    assert static_cube_decision(race(0.678), 0.68, cube).words == "Double, pass"
    window = match_windows(race(0.6), cube).dead
    assert window.double == pytest.approx(0.5)
    assert 1 - window.cash == pytest.approx(MET.mwc(2, 1))


def test_the_free_drop_after_crawford() -> None:
    """2-away after Crawford the leader passes, at no cost but the game, when it is the underdog."""
    even = Cube(away=(2, 1))
    assert static_cube_decision(race(0.48), 0.68, even).words == "Double, take"
    assert static_cube_decision(race(0.52), 0.68, even).words == "Double, pass"
    # 3-away a pass costs the leader a point it needs: it takes with next to nothing.
    odd = match_windows(race(0.5), Cube(away=(3, 1)))
    pass_costs = MET.mwc(1, 1, True) - MET.mwc(1, 2, True)
    assert 1 - odd.dead.cash == pytest.approx(-pass_costs / (1 - 0.5))
    assert static_cube_decision(race(0.9), 0.68, Cube(away=(3, 1))).words == "Double, take"


def test_the_opponent_redoubles_at_once_where_it_has_nothing_to_lose() -> None:
    windows = match_windows(race(0.6), Cube(away=(2, 4)))
    assert windows.live is None
    assert windows.redoubled is not None
    # It is then for the match: the taker needs what the doubler has on a pass, 1-away, 4-away.
    assert windows.redoubled.cash == pytest.approx(MET.mwc(1, 4))
    assert match_windows(race(0.6), Cube(away=(4, 2))).redoubled is None
    assert match_windows(race(0.6), Cube(away=(9, 9))).redoubled is None


def test_a_live_cube_is_taken_earlier() -> None:
    windows = match_windows(race(0.6), Cube(away=(11, 11)))
    assert windows.live is not None
    assert windows.dead.cash < windows.live.cash
    far = match_windows(race(0.6), Cube(away=(64, 64)))
    assert far.live is not None
    assert far.dead.cash == pytest.approx(0.75, abs=0.005)
    assert far.live.cash == pytest.approx(0.80, abs=0.005)


@pytest.mark.parametrize(
    ("probabilities", "cube", "words"),
    [
        ((0.50, 0, 0, 0, 0), Cube(), "No double, take"),
        ((0.75, 0, 0, 0, 0), Cube(), "Double, take"),
        ((0.75, 0, 0, 0, 0), Cube(2, OWN), "Redouble, take"),
        ((0.90, 0, 0, 0, 0), Cube(), "Double, pass"),
        ((0.83, 0.05, 0, 0, 0), Cube(2, OWN), "Redouble, pass"),
        ((0.80, 0.70, 0, 0, 0), Cube(), "Too good to double, pass"),
        ((0.80, 0.70, 0, 0, 0), Cube(2, OWN), "Too good to redouble, pass"),
        ((0.80, 0.70, 0, 0, 0), Cube(jacoby=True), "Double, pass"),
        ((0.40, 0, 0, 0, 0), Cube(beavers=True), "No double, beaver"),
        ((0.40, 0, 0, 0, 0), Cube(2, OWN, beavers=True), "No redouble, beaver"),
        # The Jacoby paradox: nothing to win but gammons, and those only once the cube is turned.
        ((0.45, 0.44, 0.05, 0, 0), Cube(jacoby=True), "Double, take"),
        ((0.45, 0.44, 0.05, 0, 0), Cube(), "No double, take"),
        ((0.50, 0, 0, 0, 0), Cube(away=(9, 9)), "No double, take"),
        ((0.76, 0, 0, 0, 0), Cube(away=(9, 9)), "Double, take"),
    ],
)
def test_the_proper_action(probabilities: tuple[float, ...], cube: Cube, words: str) -> None:
    assert static_cube_decision(np.array(probabilities), 0.68, cube).words == words


@pytest.mark.parametrize(
    ("no_double", "take", "words", "wrong"),
    [
        (0.5, 0.6, "Double, take", None),
        (0.5, 1.1, "Double, pass", None),
        (0.6, 0.5, "No double, take", 0.2),
        (1.2, 1.5, "Too good to double, pass", 0.4),
        (1.2, 1.1, "Too good to double, pass", None),
        (1.2, 0.9, "Too good to double, take", None),
        (0.6, 0.600001, "Optional double, take", None),
        (0.999999, 1.5, "Optional double, pass", None),
        (0.6, -0.2, "No double, beaver", 2 / 3),
        (-0.3, -0.2, "Double, beaver", None),
        (-0.2, -0.2, "Optional double, beaver", None),
    ],
)
def test_every_case_in_gnubgs_words(
    no_double: float, take: float, words: str, wrong: float | None
) -> None:
    decision = cube_decision((no_double, take), Cube(beavers=True))
    assert decision.words == words
    assert decision.wrong_answers == (None if wrong is None else pytest.approx(wrong))
    redouble = cube_decision((no_double, take), Cube(2, OWN, beavers=True)).words
    assert redouble.lower() == words.lower().replace("double", "redouble")


def test_without_gammons_no_one_is_too_good() -> None:
    assert cube_decision((1.2, 1.4), Cube(), gammons=False).words == "Double, pass"
    assert cube_decision((1.2, 0.8), Cube(), gammons=False).words == "No double, take"
    assert cube_decision((0.999999, 1.4), Cube(), gammons=False).words == "Double, pass"


def test_a_match_decision_comes_with_its_chances() -> None:
    cube = Cube(away=(5, 7))
    decision = static_cube_decision(race(0.7), 0.68, cube)
    assert decision.mwc is not None
    assert decision.mwc[2] == pytest.approx(MET.mwc(4, 7))
    p, x = race(0.7)[None], np.array([0.68])
    assert decision.mwc[:2] == (
        values_with(p, x, [cube])[0, 0],
        values_with(p, x, [double_cube(cube)])[0, 0],
    )
    assert decision.verdict == Verdict.NO_DOUBLE
    assert decision.answer == Answer.TAKE
    assert not decision.doubles
    assert decision.equity == decision.no_double


def test_the_equity_is_that_of_the_best_action_of_both() -> None:
    def equity(no_double: float, take: float) -> float:
        return CubeDecision(Cube(), no_double, take, 1.0, Verdict.DOUBLE, Answer.TAKE, None).equity

    assert (equity(0.5, 0.7), equity(0.5, 1.3), equity(1.1, 1.3)) == (0.7, 1.0, 1.1)


@pytest.mark.parametrize(
    ("cube", "message"),
    [
        (Cube(2, OTHER), "the cube is the other side's"),
        (Cube(away=(1, 4), crawford=True), "Crawford"),
        (Cube(4, OWN, away=(3, 9)), "the cube is dead"),
    ],
)
def test_no_decision_without_a_cube_to_turn(cube: Cube, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        static_cube_decision(race(0.7), 0.68, cube)
    with pytest.raises(ValueError, match=message):
        cube_decision((0.5, 0.5), cube)


def test_windows_are_of_live_match_cubes() -> None:
    with pytest.raises(ValueError, match="for money see money_points"):
        match_windows(race(0.5), Cube())
    with pytest.raises(ValueError, match="no market window"):
        match_windows(race(0.5), Cube(away=(1, 5), crawford=True))
    assert Cube().owner == CENTRED
