"""The library as a person reaches for it: positions and rolls in any form, batches, a game."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gnubg_py as bg
from gnubg_py.board import START, swap
from gnubg_py.cube.state import Cube, cube_of
from gnubg_py.errors import IllegalActionError, IllegalPlayError
from gnubg_py.match import MatchState
from gnubg_py.notation import gnubg_id
from gnubg_py.plays import plays
from tests.conftest import play_random_positions

ID = "4HPwATDgc/ABMA"


@pytest.mark.parametrize("position", [ID, START, START.tolist(), (START, MatchState(jacoby=True))])
@pytest.mark.parametrize(
    "dice", ["31", "1-3", 31, (3, 1), [1, 3], np.array([3, 1]), (np.int8(3), np.int8(1))]
)
def test_positions_and_rolls_in_any_form(position: object, dice: object) -> None:
    answer = bg.best_plays(position, dice, ply=0)  # type: ignore[arg-type]
    assert repr(answer) == repr(bg.best_plays(ID, "31", ply=0))
    assert answer.best.play == "8/5 6/5"


@pytest.mark.parametrize(
    ("situation", "cube"),
    [
        ({"score": (2, 4), "length": 7}, Cube(away=(5, 3))),
        ({"score": (2, 4), "length": 7, "cube": 2, "owner": "own"}, Cube(2, 0, (5, 3))),
        ({"length": 5, "cube": 2, "owner": "other"}, Cube(2, 1, (5, 5))),
        ({"score": (4, 2), "length": 5, "crawford": True}, Cube(away=(1, 3), crawford=True)),
        ({"score": (4, 2), "length": 5}, Cube(away=(1, 3))),
        ({"cube": 4, "owner": "other", "jacoby": False}, Cube(4, 1)),
        ({}, Cube(jacoby=True)),
    ],
)
def test_the_score_and_the_cube_by_name(situation: dict[str, object], cube: Cube) -> None:
    answer = bg.best_plays(ID, "31", ply=0, **situation)  # type: ignore[arg-type]
    assert cube_of(answer.state) == cube
    assert cube_of(bg.evaluate(START, ply=0, **situation).state) == cube  # type: ignore[arg-type]


def test_a_match_id_keeps_what_is_not_named() -> None:
    text = gnubg_id(START, MatchState(match_length=7, score=(3, 2), move=0, turn=0))
    state = bg.best_plays(text, "31", ply=0).state
    changed = bg.best_plays(text, "31", ply=0, cube=2, owner="own").state
    assert (changed.score, changed.match_length) == (state.score, state.match_length)
    assert (changed.cube_value, changed.cube_owner) == (2, state.move)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"owner": "me"}, "owner 'me': should be 'own', 'other' or None"),
        ({"score": (9, 0), "length": 7}, "score"),
        ({"cube": 3}, "cube"),
    ],
)
def test_a_wrong_situation_is_said_in_a_line(wrong: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        bg.best_plays(ID, "31", ply=0, **wrong)  # type: ignore[arg-type]


def test_unknown_names_and_shapes_are_refused() -> None:
    with pytest.raises(TypeError, match="'scores'"):
        bg.hint(ID, "31", ply=0, scores=(1, 2))  # type: ignore[call-arg]
    for position in (np.zeros((2, 24), int), [[1, 2], [3]], 5, None):
        with pytest.raises(ValueError, match="expected text, a board"):
            bg.hint(position, "31")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="two numbers"):
        bg.hint(ID, (3, 1, 2))


def test_hints_of_many_are_those_of_each() -> None:
    boards = np.array([b for b in play_random_positions(40, 3) if b.any(axis=1).all()], np.int8)
    dice = [(1 + i % 6, 1 + i % 5) for i in range(len(boards))]
    many = bg.hints(boards, dice, ply=0, score=(3, 1), length=5)
    assert len(many) == len(boards)
    for board, roll, one in zip(boards, dice, many, strict=True):
        alone = bg.best_plays(board, roll, ply=0, score=(3, 1), length=5)
        assert one.to_dict() == alone.to_dict()
    assert np.array_equal(many.best_boards, np.array([one.best.board for one in many]))
    assert many.equities.tolist() == [one.best.equity for one in many]
    assert [row["play"] for row in many.rows()] == [one.best.play for one in many]
    assert many[-1].best.play == many[len(many) - 1 :][0].best.play


def test_cube_actions_of_many_are_those_of_each() -> None:
    boards = np.array([b for b in play_random_positions(20, 4) if b.any(axis=1).all()], np.int8)
    many = bg.cube_actions(boards, ply=0, cube=2, owner="own")
    for board, one in zip(boards, many, strict=True):
        alone = bg.cube_action(board, ply=0, cube=2, owner="own")
        assert one.to_dict() == alone.to_dict()
    assert many.rows()[0]["no_double"] == many[0].decision.no_double


@pytest.mark.parametrize("dice", ["31", 31, (3, 1), ["31", (1, 3)], [31, 13], [[3, 1]] * 2])
def test_rolls_of_a_batch_in_any_form(dice: object) -> None:
    for dice_ in (dice, dice if isinstance(dice, str | int) else np.array([[3, 1], [1, 3]])):
        answer = bg.hints([ID, START], dice_, ply=0)  # type: ignore[arg-type]
        assert [one.best.play for one in answer] == ["8/5 6/5"] * 2


def test_batches_say_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="1 rolls for 2 positions"):
        bg.hints([ID, ID], ["31"])
    with pytest.raises(ValueError, match="position 1: "):
        bg.hints([ID, "nonsense"], "31")
    with pytest.raises(ValueError, match="should be an array"):
        bg.hints(START, "31")
    with pytest.raises(ValueError, match="different cubes or scores"):
        bg.cube_actions([ID, "4HPwATDgc/ABMA:cAkAAAAAAAAE"])
    assert len(bg.hints([], [])) == 0
    assert len(bg.hints(np.zeros((0, 2, 25), np.int8), "31")) == 0


def test_results_are_short_to_look_at() -> None:
    assert repr(bg.best_plays(ID, "31", ply=0)).startswith("<PlaysHint 31: 8/5 6/5 +0")
    assert repr(bg.cube_action(ID, ply=0)).startswith("<CubeHint No double, take")
    assert repr(bg.evaluate(ID, ply=0)).startswith("<Evaluation contact")
    assert repr(bg.hints([ID], "31", ply=0)) == "<PlaysHints of 1 positions, 0-ply cubeful prune>"
    assert len(repr(bg.best_plays(ID, "31", ply=0)[3])) < 40


def test_a_game_is_played_undone_and_saved(tmp_path: Path) -> None:
    game = bg.Game(5, ("Ann", "Bob"), opening="13")
    assert (game.turn, game.dice, "8/5 6/5" in game.legal_plays()) == (1, (3, 1), True)
    game.play(plays(START, (3, 1))[0]).undo().play("8/5 6/5")
    assert (game.turn, game.dice, game.legal_plays()) == (0, None, [])
    game.double().take()
    assert game.state.cube_value == 2
    game.roll("11").play(game.legal_plays()[0]).double().drop()
    assert (game.is_over, game.result, game.score, game.is_match_over) == (
        True, (1, 2), (0, 2), False,
    )  # fmt: skip
    game.new_game((6, 1)).resign(3).accept()
    game.save(tmp_path / "game.json")
    again = bg.read_match(tmp_path / "game.json").record
    assert again.games[-1].end.match.score == game.score
    assert bg.analyse(game.match, ply=0).complete


def test_a_game_follows_the_rules() -> None:
    game = bg.Game(1, opening=(4, 2))
    with pytest.raises(IllegalActionError):
        game.roll()
    with pytest.raises(IllegalPlayError):
        game.play("8/5 6/5")
    with pytest.raises(ValueError, match="nothing to undo"):
        game.undo()
    with pytest.raises(ValueError, match="in progress"):
        game.new_game()
    game.play("8/4 6/4")
    with pytest.raises(IllegalActionError):
        game.play("8/4 6/4")
    game.resign().accept()
    assert game.is_match_over
    with pytest.raises(IllegalActionError):
        game.new_game()
    assert repr(game).startswith("<Game to 1, ")


def test_a_seed_gives_the_same_dice() -> None:
    def rolled(seed: int) -> str:
        game = bg.Game(seed=seed)
        for _ in range(6):
            game.play(game.legal_plays()[-1]).roll()
        return repr(game)

    assert rolled(3) == rolled(3) != rolled(4)


def test_a_game_sees_the_board_from_the_side_on_roll() -> None:
    game = bg.Game(opening=(1, 3)).play("8/5 6/5")
    assert np.array_equal(swap(game.board[None])[0][0], game.board[1])
    assert bg.best_plays(game.position, "62", ply=0).best.play == "24/18 13/11"
