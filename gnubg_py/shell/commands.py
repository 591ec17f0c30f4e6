"""The whole command tree, and what gnubg has that this program has not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gnubg_py.shell import (
    analyse_commands,
    answer_commands,
    cluster_commands,
    count_commands,
    dice_commands,
    export_commands,
    external_commands,
    file_commands,
    heuristic_commands,
    map_commands,
    navigate_commands,
    note_commands,
    play_commands,
    position_commands,
    preferences,
    score_commands,
    set_commands,
    show_commands,
    show_settings,
    statistics_commands,
    window_commands,
)
from gnubg_py.shell.session import Session
from gnubg_py.shell.setting_rows import SETTING_TITLES
from gnubg_py.shell.tree import (
    Command,
    Layout,
    UnknownWordError,
    build_tree,
    every,
    find,
    help_text,
)
from gnubg_py.shell.turns import may_leave

_WINDOWS = (
    "appearance colours commandwindow delay dockpanels fullscreen gamelist geometry gui "
    "message panels panelwidth styledgamelist theorywindow toolbar vsync3d warning"
)
_ROLLED = ("", *(
    f"{place} {kind} "
    for place in ("analysis", "evaluation", "player 0", "player 1")
    for kind in ("chequerplay", "cubedecision")
))  # fmt: skip
_UNSUPPORTED = {
    "no graphical interface": [
        *(f"set {word}" for word in _WINDOWS.split()),
        "set analysis window", "show delay", "show geometry", "show panels", "show warning",
        "export position bgo2clipboard",
    ],
    "no sound": ["set sound", "show sound"],
    "no browser": ["set browser", "show browser", "show manual"],
    "no database of matches": ["relational"],
    "dice are not manipulated": ["set cheat"],
    "no network services": [
        "set rng random.org", *(f"set {place}rollout rng random.org" for place in _ROLLED),
    ],
    "games rolled out are not kept": [
        f"set {place}rollout {what}" for place in _ROLLED for what in ("log", "logfile")
    ],
    "nets are .safetensors or .onnx files: `set net FILE'": ["load weights"],
    "pictures and style are part of the pages": [
        "export htmlimages", "set export html css external", "set export html css inline",
        "set export html pictureurl", "set export html type",
    ],
    "rollouts in exports have no parameters": [
        "set export moves parameters rollout", "set export cube parameters rollout",
    ],
    "no manipulation of dice": ["set cheat player"],
}  # fmt: skip
"""Why some of gnubg's commands are not here. Where a name is a command of ours, it is."""


def _unsupported(known: Iterable[Command]) -> Iterator[Command]:
    """Commands that say why they are not here."""
    split = (command.name.split() for command in known)
    starts = {" ".join(words[:n]) for words in split for n in range(1, len(words) + 1)}
    for why, commands in _UNSUPPORTED.items():
        yield from (_refusal(words, why) for words in commands if words not in starts)


def _refusal(words: str, why: str) -> Command:
    def run(session: Session, given: list[str]) -> None:
        raise ValueError(f"not supported here: {words} ({why}).")

    return Command(words, f"Not supported here: {why}", run, "...", hidden=True)


def show_help(session: Session, given: list[str]) -> None:
    """``help [COMMAND]``."""
    try:
        found = find(ROOT, given, session)
    except UnknownWordError as error:
        topic = " ".join(given)[:40]
        raise UnknownWordError(f"No help available for topic `{topic}'. {error}") from None
    session.say(help_text(found))


def show_every_command(session: Session) -> None:
    """``show commands``: every command there is."""
    for path, command in every(ROOT):
        if command.run is not None and not command.hidden:
            session.say(f"{' '.join(path)} {command.usage}".rstrip())


def show_licence(session: Session) -> None:
    """``show copying``, ``show warranty``."""
    session.say(
        "gnubg_py may be used, copied, changed and sold by anyone, under the MIT licence (see the "
        "file LICENSE).\nIt comes without any warranty."
    )


def show_credits(session: Session) -> None:
    session.say(
        "gnubg_py stands on GNU Backgammon, whose authors worked out most of what it does, and on "
        "Kazaross's match equity table.\nIt is written with NumPy, Numba and PyTorch."
    )


def leave(session: Session) -> None:
    """``quit``, ``exit``."""
    session.leaving = may_leave(session)


def _players(session: Session) -> list[tuple[str, str]]:
    return [(session.players[0].name, "0"), (session.players[1].name, "1")]


_TITLES = {
    "analyse": "Judge what was played",
    "analyse rollout": "Roll out what is marked",
    "annotate": "Write about the last action",
    "annotate clear": "Take back what was written",
    **{f"annotate {word}": f"The last {word}" for word in note_commands.WORDS},
    "cmark game": "Marks of the game",
    "cmark match": "Marks of the match",
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
    "analyse rollout": "cube move game match",
    "export position": "bgo2clipboard bgonline ps pdf svg html png pos snowietxt text",
    "import": "auto mat gam oldmoves empire party bgroom pos sgg snowietxt tmg",
    "load": "commands game match position python weights",
    "set analysis": "chequerplay cube cubedecision luck luckanalysis movefilter moves player",
    "set cubeefficiency race": "factor coefficient min max",
    "set matchinfo": "annotator comment date event place rating round",
    "set rng": "bbs file isaac manual md5 mersenne",
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

_COMMANDS = (
    *play_commands.COMMANDS,
    *navigate_commands.COMMANDS,
    *map_commands.COMMANDS,
    *note_commands.COMMANDS,
    *answer_commands.COMMANDS,
    *analyse_commands.COMMANDS,
    *cluster_commands.COMMANDS,
    *count_commands.COMMANDS,
    *dice_commands.COMMANDS,
    *external_commands.COMMANDS,
    *export_commands.COMMANDS,
    *file_commands.COMMANDS,
    *heuristic_commands.COMMANDS,
    *position_commands.COMMANDS,
    *score_commands.COMMANDS,
    *preferences.COMMANDS,
    *set_commands.COMMANDS,
    *show_settings.COMMANDS,
    *show_commands.COMMANDS,
    *statistics_commands.COMMANDS,
    *window_commands.COMMANDS,
    Command("?", "The same as help", show_help, "[command]"),
    Command("exit", "Leave the shell", leave),
    Command("help", "What commands there are", show_help, "[command]"),
    Command("quit", "Leave the shell", leave),
    Command("show commands", "Every command", show_every_command),
    Command("show buildinfo", "The version", show_commands.show_version),
    Command("show copying", "The licence", show_licence),
    Command("show credits", "Who made it", show_credits),
    Command("show fullboard", "The board", show_commands.show_board, "[position]"),
    Command("show warranty", "The licence", show_licence),
)
COMMANDS = (*_COMMANDS, *_unsupported(_COMMANDS))
ROOT = Command(
    "", "", subcommands=build_tree(COMMANDS, Layout(_TITLES, _ORDER, {"set player": _players})),
    short={"analyze": "analyse", "n": "next", "p": "previous", "r": "roll"},
)  # fmt: skip


def _of_a_type(path: tuple[str, ...]) -> bool:
    """Whether a command sets the rollouts of a type of decision, which `set rollout' has too."""
    return "rollout" in path[2:]


def manual_page() -> str:
    """docs/commands.md: every command in gnubg's order."""
    rows = ["# Every command of the shell\n", "| command | what it does |", "|---|---|"]
    for path, command in every(ROOT):
        if command.run is not None and not command.hidden and not _of_a_type(path):
            usage = command.usage.replace("|", "\\|")
            rows.append(f"| `{' '.join([*path, usage]).rstrip()}` | {command.help} |")
    note = (
        "\nWhat `set rollout` takes follows `set analysis|evaluation|player N "
        "chequerplay|cubedecision rollout` too."
    )
    return "\n".join([*rows, note]) + "\n"


if __name__ == "__main__":
    print(manual_page(), end="")
