"""``gnubg-py bearoff``: turns left to bear off, and the building of the databases."""

from __future__ import annotations

import argparse
import json
from typing import Any

from gnubg_py.bearoff import turns
from gnubg_py.board import CHECKERS
from gnubg_py.commands import bearoff_databases, bearoff_dialogue
from gnubg_py.dice import parse_dice
from gnubg_py.exits import DONE
from gnubg_py.messages import print_answer

_BOARD_HELP = "six digits, the ace point first, as 002220 (or six numbers, as 10,0,0,0,0,5)"


def configure_bearoff(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``bearoff``."""
    parser.set_defaults(run=_run)
    _add_rule(parser)
    parser.set_defaults(answer=None, json=False)
    parser.epilog = "Without an action it asks for boards and rolls."
    commands = parser.add_subparsers(dest="action", metavar="ACTION")

    suggest = commands.add_parser("suggest", help="the best play of a roll by expected turns")
    analyze = commands.add_parser("analyze", help="turns left after each of the 21 rolls")
    boards = commands.add_parser("boards", help="all boards that a roll leads to, or any roll")
    for command, answer in ((suggest, _suggest), (analyze, _analyze), (boards, _boards)):
        command.add_argument("board", help=_BOARD_HELP)
        command.set_defaults(answer=answer)
        _add_rule(command)
    suggest.add_argument("dice", help="the roll, as 61")
    boards.add_argument("dice", nargs="?", help="the roll, as 61, or one die (default: every roll)")

    build = commands.add_parser("build", help="build databases that are not there yet")
    bearoff_databases.configure_build(build)
    use = commands.add_parser("use", help="choose the sizes of databases that evaluators use")
    bearoff_databases.configure_use(use)
    dump = commands.add_parser("dump", help="print what a database holds of a position")
    bearoff_databases.configure_dump(dump)

    for command in (suggest, analyze, boards, build, use, dump):
        command.add_argument("--json", action="store_true", help="print one JSON value")


def _add_rule(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rule",
        choices=turns.RULES,
        default="exact",
        help="exact: the rules of backgammon; seed: those of docs/bearoff.md (default: exact)",
    )
    parser.add_argument(
        "--checkers",
        type=_checkers,
        default=CHECKERS,
        metavar="N",
        help=f"checkers of a board, at most (default: {CHECKERS})",
    )


def _checkers(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text[:3]) <= CHECKERS:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r}: expected 1 to {CHECKERS}")


def _run(args: argparse.Namespace) -> int:
    """Do what is asked and print it."""
    if args.answer is None:
        return bearoff_dialogue.dialogue(args.rule, args.checkers)
    answer, text = args.answer(args)
    print_answer(json.dumps(answer) if args.json else text)
    return DONE


def _as_dict(left: turns.TurnsLeft) -> dict[str, object]:
    return {
        "board": turns.format_home(left.board),
        "minimum": left.fewest,
        "maximum": left.most,
        "expected": left.expected,
    }


def _suggest(args: argparse.Namespace) -> tuple[Any, str]:
    board, dice = turns.parse_home(args.board, args.checkers), parse_dice(args.dice)
    left = turns.suggest(board, dice, args.rule)
    return _as_dict(left), suggestion_text(left)


def suggestion_text(left: turns.TurnsLeft) -> str:
    """What ``suggest`` found, as one line.

    >>> suggestion_text(turns.suggest((0, 0, 2, 2, 2, 0), (6, 1)))
    'Suggested move is 011210, with maximum turns left 6 and expected turns left 3.090'
    """
    return (
        f"Suggested move is {turns.format_home(left.board)}, with maximum turns left {left.most} "
        f"and expected turns left {left.expected:.3f}"
    )


def _analyze(args: argparse.Namespace) -> tuple[Any, str]:
    board = turns.parse_home(args.board, args.checkers)
    rolls = turns.analyze(board, args.rule)
    now = turns.turns_left(board, args.rule)
    answer = _as_dict(now)
    answer["rolls"] = [{"dice": list(dice), **_as_dict(left)} for dice, left in rolls]
    return answer, advice_text(now, rolls)


def advice_text(now: turns.TurnsLeft, rolls: list[tuple[tuple[int, int], turns.TurnsLeft]]) -> str:
    """What ``turns_left`` and ``analyze`` found, as a table of 21 lines under its heading."""
    lines = [
        f"Board {turns.format_home(now.board)}: minimum turns left {now.fewest}, "
        f"maximum {now.most}, expected {now.expected:.3f}",
        "After this turn's roll and its best play:",
        "",
        f"{'Dice':<6}{'Minimum':>8}{'Maximum':>9}{'Expected':>10}   Best move",
    ]
    return "\n".join(lines + [f"{a}-{b:<4}{_figures(left)}" for (a, b), left in rolls])


def _figures(left: turns.TurnsLeft) -> str:
    board = turns.format_home(left.board)
    return f"{left.fewest:>8}{left.most:>9}{left.expected:>10.3f}   {board}"


def _boards(args: argparse.Namespace) -> tuple[Any, str]:
    board = turns.parse_home(args.board, args.checkers)
    if args.dice is not None and len(args.dice) == 1 and args.dice.isdecimal():
        after, roll = turns.boards_after_die(board, int(args.dice)), args.dice
    else:
        dice = None if args.dice is None else parse_dice(args.dice)
        after = turns.boards_after(board, dice, args.rule)
        roll = "any roll" if dice is None else f"{dice[0]}-{dice[1]}"
    lines = [
        f"{len(after)} boards follow {turns.format_home(board)} after {roll}, the best first:",
        "",
        f"{'Minimum':>8}{'Maximum':>9}{'Expected':>10}   Board",
        *map(_figures, after),
    ]
    return [_as_dict(left) for left in after], "\n".join(lines)
