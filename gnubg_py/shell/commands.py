"""The whole command tree, and what gnubg has that this program has not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gnubg_py.shell import (
    analyse_commands,
    answer_commands,
    count_commands,
    file_commands,
    navigate_commands,
    play_commands,
    position_commands,
    preferences,
    set_commands,
    show_commands,
    window_commands,
)
from gnubg_py.shell.session import Session
from gnubg_py.shell.setting_rows import TITLES as SETTING_TITLES
from gnubg_py.shell.tree import Command, Layout, build, every, find, help_text

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


def _unsupported(reasons: Mapping[str, str], prefix: str = "") -> Iterator[Command]:
    """Commands that say why they are not here."""
    for name, why in reasons.items():

        def run(
            session: Session, given: list[str], words: str = prefix + name, why: str = why
        ) -> None:
            raise ValueError(f"not supported here: {words} ({why}).")

        yield Command(prefix + name, f"Not supported here: {why}", run, "...", hidden=True)


def show_help(session: Session, given: list[str]) -> None:
    """``help [COMMAND]``."""
    session.say(help_text(find(ROOT, given, session)))


def show_every_command(session: Session) -> None:
    """``show commands``: every command there is."""
    for path, command in every(ROOT):
        if command.run is not None and not command.hidden:
            session.say(f"{' '.join(path)} {command.usage}".rstrip())


def leave(session: Session) -> None:
    """``quit``, ``exit``."""
    session.leaving = True


def _players(session: Session) -> list[tuple[str, str]]:
    return [(session.players[0].name, "0"), (session.players[1].name, "1")]


_TITLES = {
    "analyse": "Judge what was played",
    "bearoff": "Turns left to bear off a home board",
    "clear": "Forget something",
    "cmark": "Mark plays for `rollout'",
    "cmark move": "Plays of the roll",
    "end": "Let the computer play on",
    "export": "Write files for other programs",
    "export game": "The game shown",
    "export match": "The match",
    "export position": "The position",
    "export session": "The session",
    "first": "Go to a beginning",
    "import": "Read other programs' files",
    "list": "List a game or a match",
    "load": "Read a match, position or commands from a file",
    "new": "Start a new game, match or session",
    "save": "Write a match or game to a file",
    "set": "Change the position, the match or settings",
    "set cube": "Set the cube",
    "set rng": "Where dice come from",
    "show": "Show the position, the match or settings",
    "swap": "Exchange things",
    **SETTING_TITLES,
}
_ORDER = {
    "": "accept agree analyse annotate end beaver calibrate clear cmark copy decline dicerolls "
    "double drop eq2mwc eval exit export external first help hint history invert import list "
    "load move mwc2eq new next pass play previous quit redouble reject relational resign roll "
    "rollout save set show swap take ?",
    "set": "analysis annotation appearance automatic beavers board browser cache calibration "
    "cheat clockwise colours commandwindow confirm crawford cube cubeefficiency delay dice "
    "display dockpanels evaluation export fullscreen gamelist geometry gotofirstgame gui import "
    "sgf invert jacoby defaultnames aliases lang matchequitytable matchid gnubgid xgid matchinfo "
    "matchlength message met output panels panelwidth player postcrawford priority prompt "
    "ratingoffset record rng rollout score seed sound styledgamelist theorywindow threads "
    "toolbar turn tutor variation vsync3d warning autosave",
    "show": "aliases analysis autosave automatic beavers bearoff board buildinfo browser "
    "calibration cheat clockwise commands confirm copying crawford credits cube cubeefficiency "
    "delay dice display engine evaluation fullboard gammonvalues export geometry isight jacoby "
    "8912 keith kleinman lang manual marketwindow matchequitytable matchinfo matchlength "
    "matchresult met onesidedrollout output panels pipcount player postcrawford prompt "
    "ratingoffset rng rollout rolls score scoresheet seed sound statistics temperaturemap "
    "scoremap threads thorp turn version tutor variation warning warranty",
}
"""gnubg's own order, by which it resolves abbreviations: elsewhere it is that of our lists."""

COMMANDS = (
    *play_commands.COMMANDS,
    *navigate_commands.COMMANDS,
    *answer_commands.COMMANDS,
    *analyse_commands.COMMANDS,
    *count_commands.COMMANDS,
    *file_commands.COMMANDS,
    *position_commands.COMMANDS,
    *preferences.COMMANDS,
    *set_commands.COMMANDS,
    *show_commands.COMMANDS,
    *window_commands.COMMANDS,
    Command("?", "The same as help", show_help, "[command]"),
    Command("exit", "Leave the shell", leave),
    Command("help", "What commands there are", show_help, "[command]"),
    Command("quit", "Leave the shell", leave),
    Command("show commands", "Every command", show_every_command),
    *_unsupported(_NOT_HERE),
    *_unsupported(_NOT_SET, "set "),
    *_unsupported(_NOT_SHOWN, "show "),
)
ROOT = Command(
    "", "", subcommands=build(COMMANDS, Layout(_TITLES, _ORDER, {"set player": _players})),
    short={"analyze": "analyse", "n": "next", "p": "previous", "r": "roll"},
)  # fmt: skip


def manual_page() -> str:
    """docs/commands.md: every command in gnubg's order."""
    rows = ["# Every command of the shell\n", "| command | what it does |", "|---|---|"]
    for path, command in every(ROOT):
        if command.run is not None and not command.hidden:
            usage = command.usage.replace("|", "\\|")
            rows.append(f"| `{' '.join([*path, usage]).rstrip()}` | {command.help} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    print(manual_page(), end="")
