"""Hypergammon played: hints, cube decisions, rollouts, duels and the shell, by its databases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gnubg_py.analysis import best_plays, cube_action, evaluate
from gnubg_py.bearoff.hypergammon import hypergammon_database, hypergammon_equities
from gnubg_py.board import parse, start_position
from gnubg_py.compare.duel import duel
from gnubg_py.compare.players import player_named
from gnubg_py.cube.state import OTHER, OWN, Cube
from gnubg_py.engine import Engine, engine_of
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.hypergammon import hypergammon_router
from gnubg_py.evaluators.protocol import FunctionEvaluator
from gnubg_py.match import MatchState
from gnubg_py.rollouts.run import rollout
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.search.context import make_search
from gnubg_py.search.settings import EvalSettings
from gnubg_py.search.values import cubeless_probabilities, values
from tests.shell_lines import Shell

START = start_position("hypergammon2")
SOME = np.stack(
    [
        START,
        parse("x 24:1 10:1 / o 24:1 14:1"),
        parse("x bar:1 6:1 / o 22:2"),
        parse("x 3:1 / o bar:1 20:1"),
        parse("x 6:1 5:1 / o 6:2"),
    ]
)


@pytest.fixture
def engine() -> Engine:
    return engine_of("hypergammon2")


def searching(plies: int) -> Engine:
    """An engine that does not know that its values are exact, and so searches."""
    router = hypergammon_router("hypergammon2")
    leaf = router.leaf(PositionClass.HYPERGAMMON2)
    return engine_of(router.routed(PositionClass.HYPERGAMMON2, FunctionEvaluator("db", leaf)))


def test_money_values_with_every_cube_are_the_databases(engine: Engine) -> None:
    cubes = [Cube(), Cube(jacoby=True), Cube(2, OWN), Cube(2, OTHER)]
    for plies in (0, 2):
        search = make_search(engine, EvalSettings(plies))
        found = np.column_stack([values(search, SOME, (cube,))[1] for cube in cubes])
        exact = hypergammon_equities(SOME, hypergammon_database(2))
        assert (found == exact[:, [1, 4, 2, 3]]).all()


def test_the_database_is_a_fixed_point_of_the_search() -> None:
    search = make_search(searching(1), EvalSettings(1, prune=False))
    looked_ahead = cubeless_probabilities(search, SOME)
    assert np.abs(looked_ahead - search.engine.evaluator(SOME)).max() < 2e-6


def test_in_a_match_the_cube_is_valued_by_its_efficiency_for_hypergammon(engine: Engine) -> None:
    def mwc(engine: Engine) -> float:
        search = make_search(engine, EvalSettings(0))
        return float(values(search, SOME[:1], (Cube(away=(5, 5)),))[1][0, 0])

    efficiency = replace(engine.efficiency, hypergammon=0.9)
    others = replace(engine.efficiency, contact=0.1, crashed=0.1)
    assert mwc(engine) == mwc(replace(engine, efficiency=others))
    assert mwc(engine) != mwc(replace(engine, efficiency=efficiency))


def test_hint_and_cube_action_answer(engine: Engine) -> None:
    position = (START, MatchState())
    assert best_plays(position, "31", engine=engine).best.play == "23/19"
    decision = cube_action(position, engine=engine).decision
    exact = hypergammon_equities(START[None], hypergammon_database(2))[0]
    assert decision.no_double == pytest.approx(exact[4 if decision.cube.jacoby else 1])
    assert decision.double_take == pytest.approx(2 * exact[3])
    assert evaluate(position, engine=engine).position_class == "hypergammon2"


def test_a_rollout_ends_at_the_database_or_agrees_with_it(engine: Engine) -> None:
    position = (START, MatchState(jacoby=True))
    exact = hypergammon_equities(START[None], hypergammon_database(2))[0]
    at_once = rollout(position, RolloutSettings(trials=36), engine=engine).rows[0]
    assert at_once.cubeful_equity == pytest.approx(exact[4], abs=1e-6)
    played_out = RolloutSettings(trials=144, truncate_two_sided=False, variance_reduction=False)
    played = rollout(position, played_out, engine=engine).rows[0]
    assert played.cubeful_equity is not None
    assert played.cubeful_error is not None
    assert abs(played.cubeful_equity - exact[4]) < 4 * played.cubeful_error


def test_a_duel_begins_with_the_variations_position() -> None:
    result = duel(player_named("hypergammon1"), player_named("random"), 200, seed=1)
    assert result.points_per_game > 0
    # The one checker of the loser is on the board: no game is won single.
    assert (result.first_wins[0], result.second_wins[0]) == (0, 0)


def test_a_duel_of_two_variations_is_refused() -> None:
    with pytest.raises(ValueError, match="pseudopip plays standard: a duel needs one variation"):
        duel(player_named("hypergammon1"), player_named("pseudopip"), 2)


def test_a_position_of_another_game_is_refused() -> None:
    with pytest.raises(ValueError, match="each side has at most 2 checkers"):
        best_plays("4HPwATDgc/ABMA", "31", evaluator="hypergammon2")


@pytest.fixture
def game(shell: Shell) -> Shell:
    shell("set variation 2-chequer-hypergammon", "new session", "set turn 1")
    return shell


def test_the_shell_plays_hypergammon_by_its_database(game: Shell) -> None:
    game("set dice 31")
    assert "23/19" in game("hint").splitlines()[0]
    assert "hypergammon2" in game("show engine")


def test_the_shell_decides_the_cube_and_rolls_out(game: Shell) -> None:
    assert "Proper cube action" in game("hint")
    assert "Standard error" in game("rollout")


def test_the_computer_plays_a_match_of_hypergammon(shell: Shell) -> None:
    shell("set variation 1-chequer-hypergammon", "set player 0 gnubg", "set player 1 gnubg")
    shell("set automatic game on", "set automatic roll on", "set seed 5", "new match 3")
    assert "3" in shell("show score")


def test_a_net_of_another_game_is_refused_for_hypergammon(game: Shell) -> None:
    contact = Path(__file__).parent.parent / "nets" / "contact.safetensors"
    answer = game(f"set evaluator hypergammon2 {contact}")
    assert "a net for contact, crashed positions, not for hypergammon2" in answer
    answer = game("set evaluator hypergammon2 net")
    assert "no evaluator for hypergammon2 positions" in answer
    assert "23/19" in game("set dice 31", "hint")
