"""``set export`` and ``show export``: what is in texts, pages and pictures."""

from __future__ import annotations

from gnubg_py.matchfiles.export_settings import Marks
from gnubg_py.shell import words
from gnubg_py.shell.session import Session
from gnubg_py.shell.settings import (
    Reader,
    Setting,
    SettingPlace,
    choice,
    kept_at,
    switch,
    whole_reader,
)
from gnubg_py.shell.settings import text as free_text


def _include(name: str, what: str) -> Setting:
    return switch(f"export include {name}", f"Whether exports have {what}", f"export.{name}",
                  f"Include {what} in exports", f"Do not include {what} in exports")  # fmt: skip


_MARKED = {
    "verybad": "{} marked 'very bad'",
    "bad": "{} marked 'bad'",
    "doubtful": "{} marked 'doubtful'",
    "unmarked": "unmarked {}",
}
_TURNED = {"actual": "actual {}", "missed": "missed {}", "close": "close {}"}


def _display(kind: str, place: str, what: str, reasons: dict[str, str]) -> list[Setting]:
    def one(name: str, phrase: str) -> Setting:
        shown = phrase.format(what)
        return switch(f"export {kind} display {name}", f"Whether exports show {shown}",
                      f"export.{place}.{name}",
                      f"Export {shown}.", f"Do not export {shown}.")  # fmt: skip

    return [one(name, phrase) for name, phrase in reasons.items()]


def _board_sentence(_: Session, every: int) -> str:
    if every == 0:
        return "The board will never been shown in exports."
    return f"The board will be shown every {every}. move in exports."


def _player_sentence(session: Session, player: str) -> str:
    if player == "both":
        return "Analysis, boards etc will be shown for both players in exports."
    name = session.names[int(player)]
    return f"Analysis, boards etc will only be shown for player {name} in exports."


_UNIT = 108, 82
"""Width and height of a board of size 1, in pixels."""
_LARGEST = 20


def _read_width(given: list[str], what: str) -> int:
    """A size of gnubg's, 1 to 20, or a width in pixels; the width."""
    n = words.whole(given, 1, 5000, _SIZES)
    if _LARGEST < n < 100:
        raise ValueError(f"You must specify {_SIZES}.")
    return n * _UNIT[0] if n <= _LARGEST else n


_SIZES = "the size of pictures, 1 to 20, or their width, 100 to 5000 pixels"
_SIZE = Reader("<1-20> | <pixels>", _read_width)


def _pixels(width: int) -> str:
    """The size of a picture of that width."""
    return f"{width}x{round(width * _UNIT[1] / _UNIT[0])} pixels"


EXPORT: tuple[Setting, ...] = (
    Setting("export folder", "The folder for exports without one of their own",
            free_text("a folder", usage="<folder>"), kept_at("export.folder"),
            lambda _, folder: f"Exports go to {folder}." if folder else "No folder for exports."),
    _include("annotations", "annotations"), _include("analysis", "analysis"),
    _include("statistics", "statistics"), _include("matchinfo", "match information"),
    Setting("export show board", "A board for every how many moves, 0 for never",
            whole_reader(0, 1000, "how often to show a board"),
            kept_at("export.board"), _board_sentence),
    Setting("export show player", "Whose moves are shown",
            choice("a player", ("0", "1", "both")), kept_at("export.players"), _player_sentence),
    Setting("export moves number", "How many plays of a move are shown",
            whole_reader(0, 1000, "how many plays to show"), kept_at("export.moves"),
            "Show at most {} moves in exports."),
    switch("export moves probabilities", "Whether plays are shown with probabilities",
           "export.move_probabilities", "Show detailed probabilities for moves",
           "Do not show detailed probabilities for moves"),
    switch("export cube probabilities", "Whether cube decisions are",
           "export.cube_probabilities", "Show detailed probabilities for cube decisions",
           "Do not show detailed probabilities for cube decisions"),
    switch("export moves parameters evaluation", "Whether it says how plays were evaluated",
           "export.move_parameters", "Show detailed parameters for evaluations",
           "Do not show detailed parameters for evaluations"),
    switch("export cube parameters evaluation", "Whether it says how cubes were evaluated",
           "export.cube_parameters", "Show detailed parameters for evaluations",
           "Do not show detailed parameters for evaluations"),
    *_display("moves", "move_marks", "moves", _MARKED),
    *_display("cube", "cube_marks", "cube decisions", _MARKED | _TURNED),
    Setting("export png size", "The width of the boards in PNG, in 108 pixels",
            whole_reader(1, _LARGEST, "a size", "<1-20>"),
            SettingPlace(lambda session: session.export.png_width // _UNIT[0],
                  lambda session, n: kept_at("export.png_width").put(session, _UNIT[0] * n)),
            lambda _, n: f"Size of generated PNG images are {_pixels(_UNIT[0] * n)}"),
    Setting("export html size", "The size of the boards in HTML, in 108 pixels or in pixels", _SIZE,
            kept_at("export.picture_width"),
            lambda _, width: f"Size of generated HTML images is {_pixels(width)}"),
)  # fmt: skip
"""The settings of exports."""


def show_export(session: Session) -> None:
    """``show export``, in gnubg's order and lines."""
    export, names = session.export, session.names
    board = f"on every {export.board} move" if export.board else "never"
    players = ", ".join(names) if export.players == "both" else names[int(export.players)]
    session.say("\nExport settings: \n\nWARNING: not all settings are honoured in the export!")
    session.say("         Do not expect too much!\n\nInclude: \n")
    for title, wanted in (("annotations", export.annotations), ("analysis", export.analysis),
                          ("statistics", export.statistics),
                          ("match information", export.matchinfo)):  # fmt: skip
        _say_choice(session, title, wanted)
    session.say("\nShow: \n")
    _say_choice(session, "board", board)
    _say_choice(session, "players", players)
    session.say("\nOutput move analysis:\n")
    _say_choice(session, "show at most", f"{export.moves} moves")
    _say_shown(session, export.move_probabilities, export.move_parameters)
    _say_marks(session, export.move_marks, "moves", _MARKED)
    session.say("\nOutput cube decision analysis:\n")
    _say_shown(session, export.cube_probabilities, export.cube_parameters)
    _say_marks(session, export.cube_marks, "cube decisions", _MARKED | _TURNED)
    width, height = export.picture_width, 82 * export.picture_width // 108
    session.say(f"\nHTML options:\n\n- size of exported HTML pictures: {width}x{height}\n")
    height = 82 * export.png_width // 108
    session.say(f"PNG options:\n\n- size of exported PNG pictures: {export.png_width}x{height}")
    session.say(f"\n- folder: {export.folder}" if export.folder else "")


def _say_choice(session: Session, title: str, value: str | bool) -> None:
    """A choice of ``show export``: gnubg puts the value on a line of its own behind six tabs."""
    words = ("no", "yes")[value] if isinstance(value, bool) else value
    session.say(f"- {title}\n" + "\t" * 6 + f": {words}")


def _say_shown(session: Session, probabilities: bool, parameters: bool) -> None:
    _say_choice(session, "show detailed probabilities", probabilities)
    _say_choice(session, "show evaluation parameters", parameters)


def _say_marks(session: Session, marks: Marks, what: str, reasons: dict[str, str]) -> None:
    for name, phrase in reasons.items():
        always = "" if name in _TURNED else "for "
        _say_choice(session, always + phrase.format(what), bool(getattr(marks, name)))
