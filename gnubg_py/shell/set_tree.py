"""The tree of ``set``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gnubg_py.shell import position_commands, rollout_settings, words
from gnubg_py.shell.dice_source import GENERATORS
from gnubg_py.shell.set_commands import (
    VARIATION_NAMES,
    set_automatic_crawford,
    set_automatic_doubles,
    set_beavers,
    set_cache,
    set_digits,
    set_evaluator,
    set_flag,
    set_jacoby,
    set_kind,
    set_matchlength,
    set_met,
    set_name,
    set_net,
    set_option,
    set_prompt,
    set_rng,
    set_seed,
    set_threads,
    set_variation,
)
from gnubg_py.shell.strength_commands import SWITCH, Place, setting_commands, strength_commands
from gnubg_py.shell.tree import Command, Run

if TYPE_CHECKING:
    from gnubg_py.search.settings import EvalSettings
    from gnubg_py.shell.options import Strength
    from gnubg_py.shell.session import Session


def _players(session: Session) -> list[tuple[str, str]]:
    return [(session.players[0].name, "0"), (session.players[1].name, "1")]


def _player(number: int) -> Command:
    def get(session: Session) -> Strength:
        return session.players[number].strength

    def put(session: Session, strength: Strength) -> None:
        session.players[number].strength = strength

    place = Place(f"Player {number}'s", get, put)
    return Command(str(number), f"Player {number}", subcommands=(
        Command("name", "Change the name", set_name(number), "<name>"),
        Command("human", "A person plays", set_kind(number, human=True)),
        Command("gnubg", "The computer plays", set_kind(number, human=False)),
        *strength_commands(place),
    ))  # fmt: skip


def _put_hints(session: Session, strength: Strength) -> None:
    session.hints = strength
    session.forget_plays()


def _set_luck(session: Session, settings: EvalSettings) -> None:
    session.luck = settings


def _analysis_commands() -> tuple[Command, ...]:
    place = Place(
        "Analysis", lambda s: s.analyst, lambda s, strength: setattr(s, "analyst", strength)
    )
    parts = tuple(
        Command(name, f"Whether {what} is analysed",
                set_option("analysis", name, f"{what.capitalize()} will be analysed.",
                        f"{what.capitalize()} will not be analysed."), "on|off", values=SWITCH)
        for name, what in (("cube", "cube action"), ("luck", "the luck of the dice"),
                           ("moves", "chequer play"))
    )  # fmt: skip
    thresholds = tuple(
        Command(name, f"From how much on it is {name}", _threshold(name), "<equity>")
        for name in ("doubtful", "bad", "verybad", "lucky", "verylucky", "unlucky", "veryunlucky")
    )
    luck = setting_commands("Luck analysis", lambda s: s.luck, _set_luck)
    return (
        *parts,
        *strength_commands(place),
        Command("luckanalysis", "How luck is measured", subcommands=luck),
        Command("threshold", "When a play is marked", subcommands=thresholds),
    )


def _threshold(name: str) -> Run:
    def run(session: Session, given: list[str]) -> None:
        value = words.decimal(given, 0, 10, "an equity")
        limits = replace(session.analysis.limits, **{name: value})
        session.analysis = replace(session.analysis, limits=limits)
        session.say(f"From {value:.3f} on it will be marked {name}.")

    return run


def commands() -> tuple[Command, ...]:
    """What follows ``set``."""
    hints = Place("`eval' and `hint'", lambda session: session.hints, _put_hints)
    automatic = tuple(
        Command(name, what, set_option("automatic", name, on, off), "on|off", values=SWITCH)
        for name, what, on, off in _AUTOMATIC
    )
    output = tuple(
        Command(name, what, set_option("output", name, on, off), "on|off", values=SWITCH)
        for name, what, on, off in _OUTPUT
    )
    return (
        *position_commands.commands(),
        Command("analysis", "What is analysed, and how", subcommands=_analysis_commands(),
                short={"l": "luck"}),
        Command("automatic", "What is done without being asked for", subcommands=(
            *automatic,
            Command("crawford", "The Crawford game by the score", set_automatic_crawford, "on|off",
                    values=SWITCH),
            Command("doubles", "Automatic doubles in money play", set_automatic_doubles,
                    "<limit>"),
        )),
        Command("beavers", "How many beavers in a row", set_beavers, "<number>"),
        Command("cache", "The size of the cache", set_cache, "<entries>"),
        Command("clockwise", "Which way the board is drawn", set_flag(
            "clockwise", "Player 1 moves clockwise.", "Player 1 moves anticlockwise."),
            "on|off", values=SWITCH),
        Command("confirm", "When to ask first", subcommands=(
            Command("new", "Before a game in progress is dropped", set_flag(
                "confirm_new", "Will ask before a game in progress is dropped.",
                "Will not ask before a game in progress is dropped."), "on|off", values=SWITCH),
            Command("save", "Before a file is written over", set_flag(
                "confirm_save", "Will ask before a file is written over.",
                "Will not ask before a file is written over."), "on|off", values=SWITCH),
        )),
        Command("display", "Whether boards of the computer's moves are shown", set_flag(
            "display", "Will display boards for computer moves.",
            "Will not display boards for computer moves."), "on|off", values=SWITCH),
        Command("evaluation", "How `eval' and `hint' value positions",
                subcommands=strength_commands(hints)),
        Command("evaluator", "Which evaluator values a class of positions", set_evaluator,
                "<class>|all <name>|<weights file>|default",
                values=("contact", "crashed", "race", "all", "bearoff1", "bearoff2")),
        Command("jacoby", "The Jacoby rule", set_jacoby, "on|off", values=SWITCH),
        Command("matchlength", "The points of new matches", set_matchlength, "<points>"),
        Command("matchequitytable", "The match equity table", set_met, "[<XML file>]"),
        Command("met", "The same as matchequitytable", set_met, "[<XML file>]"),
        Command("net", "Use the net of a weights file", set_net, "[<file>]"),
        Command("output", "How results are printed", subcommands=(
            *output,
            Command("digits", "Digits after the decimal point", set_digits, "<number>"),
        )),
        Command("player", "Who plays, and how well", subcommands=(_player(0), _player(1)),
                names=_players),
        Command("prompt", "What is printed when a command is awaited", set_prompt, "<text>",
                details="In it \\p stands for the player to decide, \\s for the score and \\v for "
                        "the version."),
        Command("rng", "Where dice come from", subcommands=tuple(
            Command(kind, f"Dice from: {what}", set_rng(kind), "<file>" * (kind == "file"))
            for kind, what in GENERATORS.items()
        )),
        Command("rollout", "How rollouts are done", subcommands=rollout_settings.commands()),
        Command("seed", "The seed of the dice", set_seed, "[<number>]"),
        Command("threads", "How many threads calculate", set_threads, "<number>"),
        Command("variation", "Which game is played", set_variation, "<name>",
                values=tuple(VARIATION_NAMES), details=f"One of {', '.join(VARIATION_NAMES)}."),
    )  # fmt: skip


_AUTOMATIC = (
    ("roll", "Roll where no double is possible",
     "Will automatically roll the dice when no cube action is possible.",
     "Will not automatically roll the dice."),
    ("game", "Start the next game", "Will automatically start games after wins.",
     "Will not automatically start games."),
    ("move", "Play where there is no choice", "Forced moves will be made automatically.",
     "Forced moves will not be made automatically."),
    ("bearoff", "Bear off as many checkers as can be",
     "Will automatically bear off as many chequers as possible.",
     "Will not automatically bear off chequers."),
)  # fmt: skip
_OUTPUT = (
    ("matchpc", "Match winning chances as percentages",
     "Match winning chances will be shown as percentages.",
     "Match winning chances will be shown as probabilities."),
    ("mwc", "Match winning chances instead of equities, in matches",
     "Match evaluations will be shown as match winning chances.",
     "Match evaluations will be shown as equivalent money equity."),
    ("winpc", "Winning chances as percentages",
     "Game winning chances will be shown as percentages.",
     "Game winning chances will be shown as probabilities."),
    ("rawboard", "Board as one line of IDs", "Boards will be shown as IDs.",
     "Boards will be shown in ASCII."),
)  # fmt: skip
