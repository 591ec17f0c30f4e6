"""Play text: gnubg's own form written, its users' forms read, illegal plays named."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from gnubg_py.board import START, Boards, describe, parse, start_position, swap
from gnubg_py.dice import ROLLS
from gnubg_py.notation import parse_play, play_text
from gnubg_py.plays import plays

Dice = tuple[int, int]

# x's runner on 24 faces blots on 18 and 16; o's men elsewhere are of no concern.
BLOTS = "x 24:1 13:2 6:5 / o 7:1 9:1 20:2"
TWO_ON_BAR = "x bar:2 24:1 6:3 / o 4:1 6:2"
BEAROFF = "x 6:2 5:1 2:2 / o 3:2"


@pytest.mark.parametrize(
    ("position", "dice", "typed", "printed"),
    [
        (None, (3, 1), "6/5 8/5", "8/5 6/5"),
        (None, (6, 5), "24/18 18/13", "24/13"),
        (None, (6, 5), "24/18/13", "24/13"),
        (None, (2, 1), "8/6 8/7", "8/7 8/6"),
        (None, (1, 1), "8/7(2) 6/5(2)", "8/7(2) 6/5(2)"),
        (None, (4, 4), "24/20 20/16 24/20/16", "24/16(2)"),
        (None, (4, 4), "24/20 24/16 6/2", "24/16 24/20 6/2"),
        (None, (5, 5), "13/3, 13/8 (2)", "13/3 13/8(2)"),
        (None, (5, 3), "8 3 6 3", "8/3 6/3"),
        (BLOTS, (6, 2), "24/16*", "24/16*"),
        (BLOTS, (6, 2), "24/18*/16*", "24/18*/16*"),
        (BLOTS, (6, 5), "24/18*/13", "24/18*/13"),
        (BLOTS, (6, 5), "24/18 18/13", "24/18*/13"),
        (BLOTS, (6, 5), "24/13", "24/13"),
        (TWO_ON_BAR, (4, 3), "25/21* BAR/22", "bar/22 bar/21*"),
        (TWO_ON_BAR, (4, 4), "b/21*(2) 21/17 24/20", "bar/21*/17 bar/21 24/20"),
        (TWO_ON_BAR, (6, 4), "bar/21", "bar/21*"),
        (BEAROFF, (6, 5), "6/Off 5/o", "6/off 5/off"),
        (BEAROFF, (6, 5), "6/0, 5/0", "6/off 5/off"),
        (BEAROFF, (3, 3), "6/off 6/3 5/2", "6/off 6/3 5/2"),
        ("x 2:1 1:1 / o 3:2", (6, 6), "2/off 1/off", "2/off 1/off"),
        ("x 3:2 / o 3:2", (6, 6), "3/off(2)", "3/off(2)"),
        ("x 3:1 / o 3:2", (6, 1), "3/off", "3/off"),
        ("x bar:1 6:2 / o 1:2 2:2 3:2 4:2 5:2 6:2", (6, 3), "Cannot Move", "cannot move"),
        ("x bar:1 6:2 / o 1:2 2:2 3:2 4:2 5:2 6:2", (4, 4), "cannot move", "cannot move"),
        # The same point hit by one checker, and another coming after it.
        ("x 13:2 6:2 / o 16:1 3:2", (4, 4), "13/9*(2) 9/5(2)", "13/9*/5(2)"),
        ("x 8:2 6:2 / o 23:1 3:2", (3, 3), "8/2*(2)", "8/2*(2)"),
        ("x 13:2 / o 18:1 3:2", (6, 2), "13/7*/5", "13/7*/5"),
    ],
)
def test_typed_and_printed(position: str | None, dice: Dice, typed: str, printed: str) -> None:
    board = START if position is None else parse(position)
    result = parse_play(board, dice, typed)
    assert any((result == legal).all() for legal in plays(board, dice)), describe(result)
    assert play_text(board, dice, result) == printed
    assert (parse_play(board, dice, printed) == result).all()


def test_the_opening_31_makes_the_five_point() -> None:
    result = parse_play(START, (1, 3), "8/5 6/5")
    assert describe(swap(result)) == "x 24:2 13:5 8:2 6:4 5:2 / o 24:2 13:5 8:3 6:5"


def test_a_hit_sends_the_checker_to_the_bar() -> None:
    result = parse_play(parse(BLOTS), (6, 5), "24/18*/13")
    assert describe(result) == "x bar:1 20:2 9:1 / o 13:3 6:5"


@pytest.mark.parametrize("variation", ["standard", "nackgammon", "hypergammon3"])
def test_every_opening_play_reads_back(variation: str) -> None:
    board = start_position(variation)
    for dice in ROLLS.tolist():
        _check_texts(board[None], [tuple(dice)])


def test_every_play_of_random_positions_reads_back(
    random_positions: Callable[[int, int], Boards],
) -> None:
    positions = random_positions(150, 8)
    _check_texts(positions, [tuple(ROLLS[i % 21].tolist()) for i in range(len(positions))])


def _check_texts(positions: Boards, rolls: list[Dice]) -> None:
    """Texts of one roll's plays differ from one another, and each reads back to its result."""
    for board, dice in zip(positions, rolls, strict=True):
        results = plays(board, dice)
        texts = [play_text(board, dice, result) for result in results]
        assert len(set(texts)) == len(texts)
        for text, result in zip(texts, results, strict=True):
            assert (parse_play(board, dice, text) == result).all(), (describe(board), dice, text)


@pytest.mark.parametrize(
    ("position", "dice", "typed", "message"),
    [
        (None, (4, 1), "24/20 6/5 8/7", "no die is left for 8/7"),
        (None, (5, 1), "13/8 24/19", "no die is left for 24/19"),
        (None, (5, 1), "24/19 6/5", "24/19 is blocked"),
        (None, (6, 6), "24/12", "24/12 is blocked"),
        (None, (5, 5), "24/14 8/3(2)", "24/19 is blocked"),
        (None, (3, 1), "7/4 6/5", "no checker on 7"),
        (None, (3, 1), "8/5", "you must play both dice"),
        (None, (3, 3), "8/5(2)", "you must play 4 of the four 3s, not 2"),
        (None, (3, 3), "8/5(2) 6/3(3)", "5 moves: a roll has four at most"),
        (None, (3, 1), "13/8 6/5", "13/8 is 5 pips: not to be made with 3 and 1"),
        (None, (3, 1), "5/8 6/5", "5/8 goes backwards: a move is from high to low"),
        (None, (6, 1), "13/7* 6/5", "7* hits nothing: no lone checker is there to hit"),
        (None, (6, 1), "6/off 6/5", "not every checker is home: one is on 24"),
        (None, (3, 1), "cannot move", "there is a legal move"),
        (None, (3, 1), "8/5 6/x", "'6/x' is not a move: expected one like 8/5"),
        (None, (3, 1), "8/5(1) 6/5", "a move can be repeated (2), (3) or (4) times"),
        (None, (3, 1), "30/27 6/5", "no point 30: points are 1 to 24, bar and off"),
        (None, (3, 1), "8 5 6", "3 numbers: give a point to come from and one to go to"),
        (None, (3, 1), "  ", "empty: expected moves like 8/5 6/5"),
        (TWO_ON_BAR, (4, 3), "bar/21* 6/3", "a checker is on the bar: it must enter first"),
        (TWO_ON_BAR, (4, 3), "6/2 6/3", "a checker is on the bar: it must enter first"),
        ("x bar:1 13:2 / o 6:2 9:2", (6, 4), "bar/21 13/7 13/9", "no die is left for 13/9"),
        ("x 13:1 6:1 / o 16:2 20:2", (4, 3), "13/9 6/3", "13/9 is blocked"),
        (BEAROFF, (5, 4), "5/off 2/off", "2/off with a 4: a checker on 6 must move first"),
        # One die only can be played, and it must be the 6: after either, the other is blocked.
        (
            "x 20:1 / o 10:2",
            (6, 5),
            "20/14",
            "you must play both dice",
        ),
        (
            "x 20:1 / o 16:2",
            (6, 5),
            "20/15",
            "only one die can be played: you must play the larger, the 6",
        ),
        (
            "x 24:1 / o 7:1 6:2 3:1",
            (6, 2),
            "24/16",
            "it hits on 18 or 22, as it is played: name the point, as in 24/18*/13",
        ),
    ],
)
def test_illegal_plays(position: str | None, dice: Dice, typed: str, message: str) -> None:
    board = START if position is None else parse(position)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        parse_play(board, dice, typed)
    assert str(error.value).startswith("play ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("dice", [(0, 7), (7, 1), (0, 0)])
def test_dice_that_are_not_dice(dice: Dice) -> None:
    with pytest.raises(ValueError, match="each die should be 1 to 6"):
        parse_play(START, dice, "8/5")


def test_no_play_leads_there() -> None:
    with pytest.raises(ValueError, match="no play of 31 leads to that position"):
        play_text(START, (3, 1), START)
    with pytest.raises(ValueError, match="no play of 44 leads to that position"):
        play_text(START, (4, 4), parse_play(START, (3, 1), "8/5 6/5"))


def test_an_incomplete_play_has_no_text() -> None:
    one_step = swap(parse("x 24:2 13:5 8:2 6:5 5:1 / o 24:2 13:5 8:3 6:5"))
    with pytest.raises(ValueError, match="no play of 31 leads to that position"):
        play_text(START, (3, 1), one_step)
