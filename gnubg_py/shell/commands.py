"""The whole command tree, and what gnubg has that this program has not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnubg_py.shell import (
    analyse_commands,
    answer_commands,
    count_commands,
    file_commands,
    navigate_commands,
    play_commands,
    position_commands,
    set_tree,
    window_commands,
    words,
)
from gnubg_py.shell import show_commands as show
from gnubg_py.shell.tree import Command, Run, find, help_text

if TYPE_CHECKING:
    from gnubg_py.shell.session import Session

_NOT_HERE = {
    "annotate": "no annotations",
    "copy": "no clipboard",
    "external": "no moves of other processes",
    "history": "type `show history'",
    "invert": "tables are the same for both players",
    "relational": "no database of matches",
}
_NOT_SET = {
    "appearance": "no graphical interface", "browser": "no browser", "calibration": "type "
    "`calibrate'", "cheat": "dice are not manipulated", "colours": "no graphical interface",
    "commandwindow": "no graphical interface", "cubeefficiency": "the shipped values are used",
    "defaultnames": "type `set player 0 name'", "delay": "boards are shown at once",
    "dockpanels": "no graphical interface", "export": "no settings of exports",
    "fullscreen": "no graphical interface", "gamelist": "no graphical interface",
    "geometry": "no graphical interface", "gotofirstgame": "type `first game'",
    "gui": "no graphical interface", "import": "no settings of imports",
    "sgf": "no SGF files", "invert": "tables are the same for both players",
    "aliases": "no aliases", "lang": "English only", "matchinfo": "no match information",
    "message": "no graphical interface", "panels": "no graphical interface",
    "panelwidth": "no graphical interface", "priority": "no change of priority",
    "ratingoffset": "ratings begin at 2050", "record": "every game is recorded",
    "sound": "no sound", "styledgamelist": "no graphical interface",
    "theorywindow": "no graphical interface", "toolbar": "no graphical interface",
    "tutor": "no tutor: type `hint'", "vsync3d": "no graphical interface",
    "warning": "no warnings", "autosave": "no autosave",
}  # fmt: skip
_NOT_SHOWN = {
    "aliases": "no aliases", "autosave": "no autosave", "buildinfo": "type `show version'",
    "browser": "no browser", "cheat": "dice are not manipulated",
    "copying": "MIT licence: see LICENSE", "credits": "see the README",
    "cubeefficiency": "see docs/cube.md", "delay": "boards are shown at once",
    "fullboard": "type `show board'", "gammonvalues": "see docs/cube.md",
    "export": "no settings of exports", "geometry": "no graphical interface",
    "lang": "English only", "manual": "see docs/",
    "matchinfo": "no match information", "matchresult": "type `show statistics match'",
    "onesidedrollout": "type `rollout'", "panels": "no graphical interface",
    "ratingoffset": "ratings begin at 2050", "sound": "no sound",
    "temperaturemap": "type `show rolls'", "scoremap": "no score map",
    "tutor": "no tutor", "warning": "no warnings", "warranty": "MIT licence: see LICENSE",
}  # fmt: skip


def _unsupported(name: str, why: str) -> Command:
    def run(session: Session, given: list[str]) -> None:
        raise ValueError(f"not supported here: {name} ({why}).")

    return Command(name.split()[-1], f"Not supported here: {why}", run, hidden=True)


def _all_unsupported(reasons: dict[str, str], prefix: str = "") -> tuple[Command, ...]:
    return tuple(_unsupported(f"{prefix}{name}", why) for name, why in reasons.items())


def show_help(session: Session, given: list[str]) -> None:
    """``help [COMMAND]``."""
    session.say(help_text(find(ROOT, given, session)))


def leave(session: Session, given: list[str]) -> None:
    """``quit``, ``exit``."""
    words.nothing(given, "quit")
    session.leaving = True


def _show_tree() -> Command:
    flag, position = show.show_flag, "[position]"
    return Command("show", "Show the position, the match or settings", short={
        "b": "board", "c": "cube", "d": "dice", "di": "dice", "e": "evaluation", "p": "pipcount",
        "s": "score", "t": "turn",
    }, subcommands=(
        Command("analysis", "How analysis is done", show.show_analysis),
        Command("automatic", "What is done without being asked for", show.show_automatic),
        Command("beavers", "How many beavers are allowed", show.show_beavers),
        Command("board", "The board", show.show_board, position),
        Command("cache", "How full the cache is", show.show_cache),
        Command("calibration", "The speed measured", answer_commands.show_calibration),
        Command("clockwise", "Which way the board is drawn", flag(
            "clockwise", "Player 1 moves clockwise.", "Player 1 moves anticlockwise.")),
        Command("commands", "Every command", show.show_commands),
        Command("confirm", "When is asked first", show.show_confirm),
        Command("crawford", "Whether this is the Crawford game", show.show_crawford),
        Command("cube", "The cube", show.show_cube),
        Command("dice", "The roll", show.show_dice),
        Command("display", "Whether the computer's boards are shown", flag(
            "display", "Will display boards for computer moves.",
            "Will not display boards for computer moves.")),
        Command("engine", "What values which positions", show.show_engine),
        Command("evaluation", "How `eval' and `hint' value positions", show.show_evaluation),
        Command("history", "The last commands", show.show_history, "[number]"),
        Command("jacoby", "The Jacoby rule", show.show_jacoby),
        window_commands.command(),
        Command("matchequitytable", "The match equity table", show.show_met, "[points]"),
        Command("matchlength", "The points of new matches", show.show_matchlength),
        Command("met", "The match equity table", show.show_met, "[points]"),
        Command("output", "How results are printed", show.show_output),
        Command("pipcount", "The pip counts", show.show_pipcount, position),
        Command("player", "Who plays, and how well", show.show_player),
        Command("postcrawford", "Whether this is after the Crawford game",
                show.show_postcrawford),
        Command("prompt", "The prompt", show.show_prompt),
        Command("rng", "Where dice come from", show.show_rng),
        Command("rollout", "How rollouts are done", show.show_rollout),
        Command("score", "The score", show.show_score),
        Command("scoresheet", "The score after each game", show.show_scoresheet),
        Command("seed", "The seed of the dice", show.show_seed),
        Command("threads", "How many threads calculate", show.show_threads),
        Command("turn", "Who is on roll", show.show_turn),
        Command("variation", "Which game is played", show.show_variation),
        Command("version", "The version", show.show_version),
        analyse_commands.statistics_command(),
        *count_commands.show_commands(),
        *_all_unsupported(_NOT_SHOWN, "show "),
    ))  # fmt: skip


def _tree() -> Command:
    clear = Command("clear", "Forget something", subcommands=(
        Command("cache", "What searches remember", answer_commands.clear_cache),
        Command("hint", "The last hint", answer_commands.clear_hint),
        Command("turn", "The dice and what is offered", position_commands.clear_turn),
    ))  # fmt: skip
    help_run: Run = show_help
    commands = (
        *play_commands.commands(),
        *navigate_commands.commands(),
        *answer_commands.commands(),
        *analyse_commands.commands(),
        *count_commands.commands(),
        *file_commands.commands(),
        clear,
        Command("set", "Change the position, the match or settings", short={
            "b": "board", "c": "cube", "d": "dice", "di": "dice",
            "e": "evaluation", "ev": "evaluation", "eval": "evaluation", "p": "player",
            "r": "rollout", "s": "score", "t": "turn",
        }, subcommands=(*set_tree.commands(), *_all_unsupported(_NOT_SET, "set "))),
        _show_tree(),
        Command("help", "What commands there are", help_run, "[command]"),
        Command("?", "The same as help", help_run, "[command]"),
        Command("quit", "Leave the shell", leave),
        Command("exit", "Leave the shell", leave),
        *_all_unsupported(_NOT_HERE),
    )  # fmt: skip
    short = {
        "a": "accept", "b": "beaver", "d": "double", "e": "eval", "h": "hint", "l": "list",
        "m": "move", "n": "next", "p": "play", "r": "roll", "re": "resign", "t": "take",
        "ro": "roll", "ex": "exit", "s": "show",
    }  # fmt: skip
    in_order = tuple(sorted(commands, key=lambda command: command.name))
    return Command("", "", subcommands=in_order, short=short)


ROOT = _tree()
