"""Games between two players: results, pairs of games with the same dice, and the command."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.board import START, Boards, parse, pip_count
from gnubg_py.compare import duel as duel_module
from gnubg_py.compare.decisions import mean_and_error
from gnubg_py.compare.duel import duel, play_duel, points_won
from gnubg_py.compare.players import Player, evaluator_player, leaf_chooser, player_named
from gnubg_py.evaluators.protocol import FunctionEvaluator
from gnubg_py.search.settings import EvalSettings
from tests.command_line import Main


@pytest.mark.parametrize(
    ("loser", "points"),
    [
        ("x 6:1 / o", 1),  # has borne off
        ("x 13:1 6:14 / o", 2),  # has not
        ("x 18:1 6:14 / o", 2),  # its last checker outside the winner's home
        ("x 19:1 6:14 / o", 3),  # inside it
        ("x bar:1 6:14 / o", 3),
        ("x bar:1 6:13 / o", 1),
    ],
)
def test_points_of_a_finished_game(loser: str, points: int) -> None:
    assert points_won(parse(loser)[None]).tolist() == [points]


def test_the_same_player_on_both_sides_comes_out_even() -> None:
    """With the same dice and the sides exchanged the two games of a pair are mirror images."""
    result = duel(player_named("pseudopip"), player_named("pseudopip"), 40, seed=3)
    assert (result.points_per_game, result.standard_error) == (0.0, 0.0)
    assert result.first_wins == result.second_wins
    assert sum(result.first_wins) + sum(result.second_wins) == 40


def test_the_two_games_of_a_pair_have_the_same_dice() -> None:
    rolled: dict[int, list[list[list[int]]]] = {0: [], 1: []}

    def recorder(seat: int):  # type: ignore[no-untyped-def]
        def choose(
            boards: Boards, dice: NDArray[np.int8], candidates: Boards, offsets: NDArray[np.int64]
        ) -> NDArray[np.int64]:
            rolled[seat].append(sorted(dice.tolist()))
            return offsets[:-1]

        return choose

    play_duel((recorder(0), recorder(1)), 3, seed=5)
    # In every turn each of the first six rolls comes to both seats, once to each.
    for turn in range(6):
        assert rolled[0][turn] == rolled[1][turn]
        assert len(rolled[0][turn]) == 3
    assert all(roll[0] != roll[1] for roll in rolled[0][0]), "an opening roll is no double"


def test_kept_positions_are_of_their_games() -> None:
    chooser = player_named("pseudopip").choose
    record = play_duel((chooser, chooser), 4, seed=1, keep=True)
    assert (record.boards[:8] == START).all()
    assert set(record.game.tolist()) == set(range(8))
    for game in range(8):
        seats = record.on_roll[record.game == game]
        assert seats[0] == game % 2
        assert (np.diff(seats) != 0).all()
    assert record.boards.any(axis=2).all(), "none is finished"


def test_a_leaf_that_knows_nothing_of_the_end_still_bears_off() -> None:
    """Finished games are exact, whatever the evaluator says of them."""

    def fond_of_pips(boards: Boards) -> NDArray[np.float32]:
        out = np.zeros((len(boards), 5), np.float32)
        out[:, 0] = 1.0 - pip_count(boards)[:, 0] / 400
        return out

    candidates = np.stack([parse("x 6:5 / o 2:1"), parse("x 6:5 / o")])
    chosen = leaf_chooser(FunctionEvaluator("odd", fond_of_pips))(
        candidates[:1], np.array([[2, 1]], np.int8), candidates, np.array([0, 2])
    )
    assert chosen.tolist() == [1]


def test_a_duel_depends_on_its_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = player_named("pseudopip"), player_named("ten-factor")
    result = duel(first, second, 20, seed=8)
    assert duel(first, second, 20, seed=8) == result
    assert duel(first, second, 20, seed=9) != result
    reversed_result = duel(second, first, 20, seed=8)
    assert reversed_result.points_per_game == pytest.approx(-result.points_per_game)
    assert reversed_result.first_wins == result.second_wins


def test_a_heuristic_beats_random_play() -> None:
    result = duel(player_named("pseudopip"), player_named("random"), 60, seed=1)
    assert result.points_per_game > 4 * result.standard_error > 0


def test_players_may_look_ahead() -> None:
    leaf = player_named("ten-factor").evaluator
    assert leaf is not None
    ahead = evaluator_player(leaf, EvalSettings(1, cubeful=False))
    result = duel(ahead, player_named("ten-factor"), 2, seed=1)
    assert result.first == "ten-factor@1"
    assert sum(result.first_wins) + sum(result.second_wins) == 2


def test_the_standard_error_is_that_of_pairs() -> None:
    players = (player_named("fast"), player_named("pseudopip"))
    result = duel(*players, 6, seed=1)
    sides = (players[0].choose, players[1].choose)
    pairs = play_duel(sides, 3, (1, 0)).points.reshape(3, 2).mean(axis=1)
    assert (result.points_per_game, result.standard_error) == mean_and_error(pairs)
    assert result.standard_error == pytest.approx(pairs.std(ddof=1) / np.sqrt(3))


def test_ctrl_c_leaves_the_finished_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duel_module, "PAIRS_AT_ONCE", 5)
    whole = duel(player_named("pseudopip"), player_named("ten-factor"), 10, seed=2)
    played = 0

    def impatient(
        boards: Boards, dice: NDArray[np.int8], candidates: Boards, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        nonlocal played
        played += bool((boards == START).all())
        if played > 1:
            raise KeyboardInterrupt
        return player_named("pseudopip").choose(boards, dice, candidates, offsets)

    result = duel(Player("pseudopip", impatient), player_named("ten-factor"), 40, seed=2)
    assert result.stopped
    assert result.games == 10
    assert result.points_per_game == whole.points_per_game


def test_the_command(main: Main) -> None:
    words = ("duel", "pseudopip", "random", "--games", "10", "--seed", "4")
    status, out, err = main(*words)
    assert (status, err) == (0, "")
    assert out.startswith("pseudopip against random: 10 games, seed 4\n")
    status, out, _ = main(*words, "--json")
    answer = json.loads(out)
    assert answer["games"] == 10
    assert {"first", "second", "points_per_game", "standard_error"} <= set(answer)


def test_the_command_takes_plies_of_each(main: Main) -> None:
    words = ("duel", "pseudopip", "pseudopip@1", "--games", "2", "--json")
    _, out, _ = main(*words)
    answer = json.loads(out)
    assert (answer["first"], answer["second"]) == ("pseudopip", "pseudopip@1")
    assert answer["standard_error"] is None


def test_two_random_players_are_two(main: Main) -> None:
    _, out, _ = main("duel", "random", "random", "--games", "40", "--json")
    _, other, _ = main("duel", "random", "random", "--games", "40", "--json", "--seed", "1")
    first, second = json.loads(out), json.loads(other)
    assert first["standard_error"] > 0
    assert first["first_wins"] != second["first_wins"]


def test_two_games_have_no_standard_error(main: Main) -> None:
    _, out, _ = main("duel", "pseudopip", "random", "--games", "2")
    assert "points per game to pseudopip" in out
    assert "nan" not in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["net", "--games", "2"], "duel: the following arguments are required: B"),
        (["pseudopip", "random", "--games", "0"], "games 0: should be an even number, 2 or more"),
        (["pseudopip", "random", "--games", "7"], "games 7: should be an even number, 2 or more"),
        (["pseudopip", "random", "--games", "many"], "duel: argument --games: invalid int value"),
        (["pseudopip", "random", "--seed", "-1"], "seed -1: should be a whole number, 0 or above"),
        (["pseudopip", "nobody"], "player 'nobody' is not one of net, large, fast,"),
        (["pseudopip@5", "random"], "player 'pseudopip@5': the plies after '@' should be 0 to 4"),
    ],
)
def test_bad_words_get_one_line(main: Main, words: list[str], message: str) -> None:
    status, out, err = main("duel", *words)
    assert (status, out) == (2, "")
    assert err.startswith(f"gnubg-py: {message}")
    assert err.count("\n") == 1
