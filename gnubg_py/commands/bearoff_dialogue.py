"""``gnubg-py bearoff`` without an action: a menu, and questions until the answers make sense."""

from __future__ import annotations

from collections.abc import Callable

from gnubg_py.bearoff import turns
from gnubg_py.dice import parse_dice
from gnubg_py.exits import DONE
from gnubg_py.messages import print_answer
from gnubg_py.threads import T

_MENU = "Please select one of the following options:\n1 Suggest Move\n2 Analyze Board\n"
_BOARD = "Please enter your board (six numbers, no spaces) : "
_DICE = "Please enter the die roll (two numbers, no spaces) : "
_AGAIN = "Would you like to continue using the program?\n1 for yes\n2 for no"


def dialogue(rule: str, checkers: int) -> int:
    """Ask and answer until the user wants no more, or the input ends."""
    try:
        while True:
            print_answer(_MENU)
            if _choice("Selection: ") == 1:
                _suggest(rule, checkers)
            else:
                _analyze(rule, checkers)
            print_answer(_AGAIN)
            if _choice("Your choice: ") == 2:
                return DONE
    except EOFError:
        print_answer("")
        return DONE


def _asked(prompt: str, read: Callable[[str], T]) -> T:
    """What ``read`` makes of the answer, which is asked for again until ``read`` accepts it."""
    while True:
        try:
            return read(input(prompt).strip())
        except ValueError as error:
            print_answer(f"Error: {error}. Try again.")


def _choice(prompt: str) -> int:
    return _asked(prompt, _one_or_two)


def _one_or_two(text: str) -> int:
    if text not in ("1", "2"):
        raise ValueError(f"{text!r} is not 1 or 2")
    return int(text)


def _suggest(rule: str, checkers: int) -> None:
    board = _asked(_BOARD, lambda text: turns.parse_home(text, checkers))
    left = turns.suggest(board, _asked(_DICE, parse_dice), rule)
    print_answer(
        f"Suggested move is {turns.format_home(left.board)} with max turns remaining of "
        f"{left.most} and expected remaining turns of {_three_decimals(left.expected)}\n"
    )


def _analyze(rule: str, checkers: int) -> None:
    board = _asked(_BOARD, lambda text: turns.parse_home(text, checkers))
    print_answer(
        f"For the board {turns.format_home(board)} the following values are turns remaining not "
        "including the current turn :\n"
        "Dice Values | Minimum Possible Turns | Maximum Possible Turns | Expected Number of Turns"
    )
    for (a, b), left in turns.analyze(board, rule):
        figures = f"{left.fewest:<17}{left.most:<17}{_three_decimals(left.expected)}"
        print_answer(f"{'-' * 85}\n{a}{b:<11}{figures}")
    print_answer("-" * 85 + "\n")


def _three_decimals(turns_expected: float) -> str:
    """Without zeros at the end: 3.71, as the program on which this is modelled prints it."""
    return f"{round(turns_expected, 3):g}"
