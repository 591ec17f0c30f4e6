"""Games and matches: what actions do, and how games are scored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.board import START, check_board, parse
from gnubg_py.game.actions import (
    Accept,
    Action,
    Double,
    Drop,
    Move,
    Redouble,
    Reject,
    Resign,
    Roll,
    Setup,
    Take,
)
from gnubg_py.game.position import (
    Position,
    Rules,
    apply,
    move_of,
    next_game,
    position_of,
    start_game,
)
from gnubg_py.game.record import GameRecord, extended, next_state, result
from gnubg_py.match import CENTRED, NO_DICE, GameState, MatchState, Resignation
from tests.random_matches import FEW, random_match

MATCH = Rules()


def opening(player: int = 1, length: int = 7, rules: Rules = MATCH) -> Position:
    """The first position of a match, ``player`` having won the opening roll with 3-1."""
    dice = (1, 3) if player == 1 else (3, 1)
    return start_game(dice, MatchState(match_length=length), rules)


def after(position: Position, *actions: Action, rules: Rules = MATCH) -> Position:
    """The position after some actions."""
    for action in actions:
        position = apply(position, action, rules)
    return position


def money(**changes: object) -> Position:
    """A money game before player 1's first roll."""
    match = replace(opening(length=0).match, dice=NO_DICE, **changes)  # type: ignore[arg-type]
    return replace(opening(length=0), match=match)


def set_up(text: str, **changes: object) -> Position:
    """A position of ``x`` (player 1, on roll) against ``o``."""
    return position_of(parse(text), MatchState(**changes))  # type: ignore[arg-type]


def test_the_winner_of_the_opening_roll_plays_it() -> None:
    assert opening(0).match.move == 0
    assert opening(1).match.dice == (3, 1)
    with pytest.raises(ValueError, match="roll again"):
        start_game((2, 2), MatchState(), MATCH)


def test_a_play_puts_the_other_side_on_roll() -> None:
    position = after(opening(), Move(1, "8/5 6/5"))
    assert (position.match.move, position.match.turn, position.match.dice) == (0, 0, NO_DICE)
    assert position.board[1, 4] == 2


@pytest.mark.parametrize(
    ("position", "action", "words"),
    [
        (opening(), Roll(1, (2, 1)), "You have already rolled the dice."),
        (opening(), Double(1), "You can't double after rolling the dice"),
        (opening(), Take(1), "The cube must have been offered before you can take it."),
        (opening(), Accept(1), "You can only accept if the cube or a resignation"),
        (opening(), Reject(1), "You can only reject if the cube or a resignation"),
        (opening(), Move(1, "8/3"), "8/3 is 5 pips"),
        (money(), Move(1, "8/5 6/5"), "You must roll the dice before you can move."),
        (money(), Roll(0, (2, 1)), "It is not player 0's turn."),
        (money(cube_owner=0, cube_value=2), Double(1), "You do not own the cube."),
        (money(cube_value=4096, cube_owner=1), Double(1), "you can't double any more."),
        (set_up("x 6:2 / o 6:2", match_length=3, score=(0, 2)), Double(1), "The cube is dead"),
        (
            set_up("x 6:2 / o 6:2", match_length=3, score=(2, 0), crawford=True),
            Double(1),
            "Crawford rule",
        ),
    ],
)
def test_what_the_rules_forbid(position: Position, action: Action, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        apply(position, action, MATCH)


def test_a_double_is_taken_and_belongs_to_the_taker() -> None:
    doubled = after(money(), Double(1))
    assert (doubled.match.doubled, doubled.match.turn, doubled.match.cube_value) == (True, 0, 1)
    taken = after(doubled, Take(0))
    assert (taken.match.cube_value, taken.match.cube_owner, taken.match.turn) == (2, 0, 1)


def test_a_double_refused_costs_the_cube_before_it_was_turned() -> None:
    position = after(money(cube_value=4, cube_owner=1), Double(1), Drop(0))
    assert position.match.score == (0, 4)
    assert position.match.game_state == GameState.DROPPED


def test_beavers_and_raccoons_turn_the_cube_and_the_beaverer_keeps_it() -> None:
    beaver = after(money(), Double(1), Redouble(0))
    assert (beaver.match.cube_value, beaver.match.turn) == (2, 1)
    assert (after(beaver, Drop(1)).match.score) == (2, 0)
    taken = after(beaver, Take(1))
    assert (taken.match.cube_value, taken.match.cube_owner) == (4, 0)
    raccoon = after(beaver, Redouble(1), Take(0))
    assert (raccoon.match.cube_value, raccoon.match.cube_owner) == (8, 0)


@pytest.mark.parametrize(
    ("rules", "words"), [(Rules(beavers=0), "disabled"), (Rules(beavers=1), "Only 1 beavers")]
)
def test_beavers_are_limited(rules: Rules, words: str) -> None:
    position = after(money(), Double(1), rules=rules)
    with pytest.raises(ValueError, match=words):
        after(position, Redouble(0), Redouble(1), rules=rules)


def test_no_beavers_in_a_match() -> None:
    position = set_up("x 6:2 / o 6:2", match_length=5)
    with pytest.raises(ValueError, match="not permitted during match play"):
        after(position, Double(1), Redouble(0))


def test_without_the_cube_nobody_doubles() -> None:
    with pytest.raises(ValueError, match="disabled"):
        apply(money(), Double(1), Rules(cube=False))


@pytest.mark.parametrize(
    ("loser", "points"),
    [("13:5 8:3 6:7", 2), ("23:1 13:14", 3), ("bar:1 6:14", 3), ("19:1 6:14", 3), ("6:14", 1)],
)
def test_gammons_and_backgammons(loser: str, points: int) -> None:
    won = set_up(f"x 1:1 / o {loser}", match_length=7)
    end = after(won, Roll(1, (2, 1)), Move(1, "1/off"))
    assert end.match.score == (0, points)
    assert end.match.game_state == GameState.OVER


@pytest.mark.parametrize(("owner", "value", "points"), [(CENTRED, 1, 1), (1, 2, 4), (0, 2, 4)])
def test_jacoby_counts_gammons_only_once_the_cube_was_turned(
    owner: int, value: int, points: int
) -> None:
    won = set_up("x 1:1 / o 13:15", jacoby=True, cube_owner=owner, cube_value=value)
    assert after(won, Roll(1, (2, 1)), Move(1, "1/off")).match.score == (0, points)


def test_resignations() -> None:
    offered = after(opening(), Resign(1, Resignation.GAMMON))
    assert offered.match.turn == 0
    with pytest.raises(ValueError, match="resolve the resignation"):
        apply(offered, Move(1, "8/5 6/5"), MATCH)
    declined = after(offered, Reject(0))
    assert (declined.match.turn, declined.match.dice) == (1, (3, 1))
    accepted = after(offered, Accept(0))
    assert (accepted.match.score, accepted.match.game_state) == ((2, 0), GameState.RESIGNED)


def test_nothing_happens_in_a_finished_game() -> None:
    over = after(money(), Double(1), Drop(0))
    for action in (Roll(1, (2, 1)), Double(1), Resign(1, Resignation.SINGLE), Take(0)):
        with pytest.raises(ValueError, match="No game in progress"):
            apply(over, action, MATCH)


@pytest.mark.parametrize(
    ("before", "now", "crawford"),
    [((0, 0), (6, 0), True), ((6, 0), (6, 1), False), ((5, 5), (5, 6), True),
     ((6, 4), (6, 6), False), ((0, 0), (5, 0), False)],
)  # fmt: skip
def test_the_crawford_game_comes_once(
    before: tuple[int, int], now: tuple[int, int], crawford: bool
) -> None:
    start = MatchState(match_length=7, score=before, crawford=max(before) == 6)
    end = MatchState(match_length=7, score=now, game_state=GameState.OVER)
    assert next_game(start, end, MATCH).crawford is crawford
    assert not next_game(start, end, Rules(crawford=False)).crawford


def test_a_score_set_by_hand_may_be_the_crawford_games_or_after_it() -> None:
    trailing = MatchState(match_length=7, score=(6, 3), move=1, turn=1)
    for crawford in (True, False):
        game = GameRecord(Position(START, replace(trailing, crawford=crawford)))
        game = extended(extended(game, Resign(0, Resignation.SINGLE), MATCH), Accept(1), MATCH)
        following = next_state(game, MATCH)
        assert (following.score, following.crawford) == ((6, 4), False)


def test_no_game_follows_the_last() -> None:
    over = MatchState(match_length=7, score=(7, 2), game_state=GameState.OVER)
    with pytest.raises(ValueError, match="already over"):
        next_game(MatchState(match_length=7), over, MATCH)


def test_positions_set_by_hand_are_positions_of_the_match() -> None:
    other = replace(opening(length=5).match)
    text = replace(opening(), match=other).gnubg_id
    with pytest.raises(ValueError, match="a match to 5, not to 7"):
        apply(opening(), Setup(1, text), MATCH)
    assert after(opening(), Setup(1, opening(0).gnubg_id)).match.move == 0


@FEW
@given(st.integers(0, 10**6), st.sampled_from([0, 1, 3]))
def test_whatever_is_played_stays_a_position(seed: int, length: int) -> None:
    record = random_match(seed, length, games=2)
    for game in record.games:
        assert game.is_over
        assert result(game) is not None
        for position in game.positions:
            check_board(position.board)
            assert len(position.gnubg_id) == 27


def test_a_play_is_kept_in_gnubgs_notation() -> None:
    assert move_of(opening(), "6 5 8 5") == Move(1, "8/5 6/5")
    with pytest.raises(ValueError, match="roll the dice before"):
        move_of(money(), "8/5 6/5")


def test_boards_are_not_shared_with_their_maker() -> None:
    board = parse("x 6:2 / o 6:2")
    position = position_of(board, MatchState())
    board[0, 5] = 9
    assert position.board[0, 5] == 2
    assert np.array_equal(position.board[1], parse("x 6:2 / o 6:2")[1])
