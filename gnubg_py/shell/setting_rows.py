"""Every setting of the shell but those of rollouts, and the tree of ``set``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gnubg_py.match import LONGEST_MATCH
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.shell.export_settings import EXPORT
from gnubg_py.shell.heuristic_commands import HEURISTIC
from gnubg_py.shell.rollout_settings import ROLLOUT_TITLES, rollout_settings
from gnubg_py.shell.session import Session
from gnubg_py.shell.setting_values import (
    VARIATION_NAMES,
    beavers_sentence,
    doubles_sentence,
    length_sentence,
    names_words,
    put_hints,
    put_jacoby,
    put_threads,
    put_variation,
    read_cheat,
    read_language,
    read_names,
    read_prompt,
    read_variation,
    variation_sentence,
)
from gnubg_py.shell.settings import (
    SWITCH,
    Reader,
    Says,
    Setting,
    SettingPlace,
    choice,
    decimal_reader,
    kept_at,
    rule,
    said,
    switch,
    text,
    whole_reader,
)
from gnubg_py.shell.strength_settings import evaluation_settings, strength_settings
from gnubg_py.threads import thread_count

_ANSWERS = ("yes", "no", "ask")


def _analysed_player(number: int) -> Setting:
    def put(session: Session, wanted: bool) -> None:
        both = list(session.analysed_players)
        both[number] = wanted
        session.analysed_players = (both[0], both[1])

    def says(session: Session, wanted: bool) -> str:
        what = f"{session.names[number]}'s chequerplay and cube decisions."
        return f"Analyse {what}" if wanted else f"Do not analyse {what}"

    place = SettingPlace(lambda session: session.analysed_players[number], put)
    return Setting(f"analysis player {number} analyse", "Whether this player is analysed",
                   SWITCH, place, says)  # fmt: skip


AUTOMATIC = (
    switch("automatic bearoff", "Play certain non-contact bearoff moves", "automatic.bearoff",
           "Will automatically bear off as many chequers as possible.",
           "Will not automatically bear off chequers."),
    switch("automatic crawford", "Enable the Crawford rule as appropriate", rule("crawford"),
           "Will enable the Crawford game according to match score.",
           "Will not enable the Crawford game according to match score."),
    Setting("automatic doubles", "Turn the cube when opening roll is a double",
            whole_reader(0, 12, "how many automatic doubles to use "
                         "(see `help set automatic double')", "<limit>"),
            rule("automatic_doubles"), doubles_sentence),
    switch("automatic game", "Start a new game after each one is completed", "automatic.game",
           "Will automatically start games after wins.", "Will not automatically start games."),
    switch("automatic move", "Play the forced move when there is no choice", "automatic.move",
           "Forced moves will be made automatically.",
           "Forced moves will not be made automatically."),
    switch("automatic roll", "Roll the dice if no double is possible", "automatic.roll",
           "Will automatically roll the dice when no cube action is possible.",
           "Will not automatically roll the dice."),
)  # fmt: skip
OUTPUT = (
    switch("output output", "Whether anything is printed", "printing.messages",
           "output will be shown", ""),
    switch("output matchpc", "Match winning chances as percentages", "output.matchpc",
           "Match winning chances will be shown as percentages.",
           "Match winning chances will be shown as probabilities."),
    switch("output mwc", "Match winning chances instead of equities, in matches", "output.mwc",
           "Match evaluations will be shown as match winning chances.",
           "Match evaluations will be shown as equivalent money equity."),
    switch("output rawboard", "Board as one line of numbers", "output.rawboard",
           "TTY boards will be given in raw format.", "TTY boards will be given in ASCII."),
    switch("output winpc", "Winning chances as percentages", "output.winpc",
           "Game winning chances will be shown as percentages.",
           "Game winning chances will be shown as probabilities."),
    Setting("output digits", "Digits after the decimal point",
            whole_reader(1, 6, "a number between 1 and 6"), kept_at("output.digits"),
            "Probabilities and equities will be shown with {} digits after the decimal separator"),
    Setting("output errorratefactor", "What error rates are multiplied by",
            decimal_reader(0.001, 1e6, "", sentence="Please provide a positive number"),
            kept_at("printing.error_factor"),
            "The factor used for multiplying error rates is: {:.1f}"),
)  # fmt: skip
CONFIRM = (
    Setting("confirm default", "The answer to every question", choice("an answer", _ANSWERS),
            kept_at("confirms.answer"), "", details="With `ask' a person is asked."),
    switch("confirm new", "Before a game in progress is dropped", "confirms.new",
           "Will ask for confirmation before aborting games in progress.",
           "Will not ask for confirmation before aborting games in progress."),
    switch("confirm save", "Before a file is written over", "confirms.save",
           "Will ask for confirmation before overwriting existing files.",
           "Will not ask for confirmation overwriting existing files."),
)  # fmt: skip
ANALYSED = tuple(
    switch(f"analysis {name}", f"Whether {what.lower()} is analysed", f"analysis.{name}",
           f"{what} will be analysed.", f"{what} will not be analysed.")
    for name, what in (("cube", "Cube action"), ("luck", "Dice rolls"), ("moves", "Chequer play"))
)  # fmt: skip
_THRESHOLDS = tuple(
    Setting(f"analysis threshold {name}", f"From how much on it is {name}",
            decimal_reader(0, 10, "a semi-positive number for the threshold "
                           f"(see `help set analysis threshold {name}')", "<equity>"),
            kept_at(f"analysis.limits.{name}"),
            f"`{name}' threshold set to {{:.3f}}.")
    for name in ("bad", "doubtful", "lucky", "unlucky", "verybad", "verylucky", "veryunlucky")
)  # fmt: skip
_BOARD = (
    switch("clockwise", "Which way the board is drawn", "clockwise",
           "Player 1 moves clockwise (and player 0 moves anticlockwise).",
           "Player 1 moves anticlockwise (and player 0 moves clockwise).",
           shows="Which way the board is drawn"),
    switch("display", "Whether boards of the computer's moves are shown", "display",
           "Will display boards for computer moves.",
           "Will not display boards for computer moves."),
    Setting("prompt", "What is printed when a command is awaited",
            Reader("<text>", read_prompt, '"{}"'.format), kept_at("prompt"),
            "The prompt has been set to `{}'.",
            details="In it \\p stands for the player to decide, \\s for the score and \\v for "
                    "the version."),
)  # fmt: skip
_GAME = (
    Setting("beavers", "How many beavers in a row",
            whole_reader(0, 12, "the number of beavers to allow"),
            rule("beavers"), beavers_sentence,
            shows="How many beavers are allowed"),
    switch("jacoby", "The Jacoby rule", SettingPlace(rule("jacoby").get, put_jacoby),
           "Will use the Jacoby rule for money sessions.",
           "Will not use the Jacoby rule for money sessions."),
    Setting("matchlength", "The points of new matches",
            whole_reader(0, LONGEST_MATCH, "", "<points>",
                         "Match length must be between 0 (unlimited session) and 64"),
            kept_at("match_length"), length_sentence, shows="The points of new matches"),
    Setting("variation", "Which game is played",
            Reader("<name>", read_variation, values=tuple(VARIATION_NAMES)),
            SettingPlace(rule("variation").get, put_variation), variation_sentence,
            details=f"One of {', '.join(VARIATION_NAMES)}."),
    Setting("threads", "How many threads calculate",
            whole_reader(1, 64, "the number of threads to use"),
            SettingPlace(lambda _: thread_count(), put_threads),
            "The number of threads has been set to {}."),
)  # fmt: skip


def _player(number: int) -> list[Setting]:
    def put(session: Session, strength: Any) -> None:
        session.players[number].strength = strength

    place = SettingPlace(lambda session: session.players[number].strength, put)
    rows = strength_settings(f"player {number}", (f"%{number}%", f"%{number}%"), place)
    return [replace(row, says=_noted(row.says, number)) for row in rows]


def _noted(says: Says, number: int) -> Says:
    """The sentence of a player's setting, with a note where the computer does not play there."""

    def sentence(session: Session, value: Any) -> str:
        text = said(says, session, value)
        if not text or session.players[number].kind == "gnubg":
            return text
        name = session.names[number]
        note = f"this setting will have no effect until you `set player {name} gnu'"
        return f"{text}\n(Note that {note}.)"

    return sentence


_INVERTED = switch(
    "invert matchequitytable", "Whether the players change places in it", "met_inverted",
    "Match equity table will be used inverted.", "Match equity table will not be use inverted.",
)  # fmt: skip
AUTOSAVE = (
    switch("autosave rollout", "After each rollout", "autosave.rollout",
           "Auto save during rollouts", "Don't auto save during rollouts"),
    switch("autosave analysis", "After the analysis of each game", "autosave.analysis",
           "Auto save after each analysed game", "Don't auto save after each analysed game"),
    switch("autosave confirm", "Whether to ask before the file is removed", "autosave.confirm",
           "Prompt before deleting autosaves", "Automatically delete autosaves"),
    Setting("autosave time", "The minutes between two savings",
            whole_reader(0, 1440, "the minutes between two savings", "<minutes>"),
            kept_at("autosave.minutes"), "Auto save every {} minutes"),
)  # fmt: skip


def _folder(words_: str, name: str) -> Setting:
    return Setting(f"{words_} folder", "Where files are looked for that are not here",
                   text("a folder", 1000, "<folder>"), kept_at(f"folders.{name}"),
                   "Files will be looked for in {} too.")  # fmt: skip


TUTOR = (
    switch("tutor mode", "Whether a person is warned of bad plays", "tutor.mode",
           "Warn about possibly bad play.", "No warnings for possibly bad play."),
    switch("tutor cube", "Whether of cube decisions too", "tutor.cube",
           "Include advice on cube decisions in tutor mode.",
           "Exclude advice on cube decisions from tutor mode."),
    switch("tutor chequer", "Whether of plays", "tutor.chequer",
           "Include advice on chequer play in tutor mode.",
           "Exclude advice on chequer play from tutor mode."),
    Setting("tutor skill", "How bad a play must be",
            choice("how bad a play must be", ("doubtful", "bad", "verybad")),
            kept_at("tutor.skill"),
            lambda _, skill: "Tutor warnings will be given for play marked "
            f"`{skill.replace('very', 'very ')}'."),
)  # fmt: skip


def _efficiency(words_: str, name: str, sentence: str) -> Setting:
    return Setting(f"cubeefficiency {words_}", "How near the cube is to fully live",
                   decimal_reader(0, 1, "", "<0-1>", "Cube efficiency must be between 0 and 1"),
                   kept_at(f"efficiency.{name}"),
                   sentence + " {:.5f}")  # fmt: skip


EFFICIENCY = (
    _efficiency("os", "one_sided", "Cube efficiency for one sided bearoff positions:"),
    _efficiency("crashed", "crashed", "Cube efficiency for crashed positions:"),
    _efficiency("contact", "contact", "Cube efficiency for contact positions:"),
    _efficiency("race factor", "race_per_pip", "Cube efficiency race factor set to"),
    _efficiency("race coefficient", "race_base", "Cube efficiency race coefficient set to"),
    _efficiency("race max", "race_most", "Cube efficiency race max:"),
    _efficiency("race min", "race_least", "Cube efficiency race min:"),
    switch("cubeefficiency learned", "Whether the cube's efficiency is learned",
           "efficiency.learned", "What is learned is used where the constants are gnubg's.",
           "The constants are used for all positions."),
)  # fmt: skip


_REST = (
    _INVERTED,
    replace(_INVERTED, words="invert met", help="The same as invert matchequitytable"),
    switch("evaluation sameasanalysis", "Whether `eval' and `hint' use the analysis's settings",
           "same_as_analysis", "Evaluation settings will be same as analysis settings.",
           "Evaluation settings separate from analysis settings."),
    switch("gotofirstgame", "Where a match that was read is entered", "to_first_game",
           "Goto first game when loading matches or sessions.",
           "Goto last game when loading matches or sessions."),
    Setting("defaultnames", "The players' names in new matches",
            Reader("<name> <name>", read_names, names_words), kept_at("known_as.default"),
            lambda _, names: f"Players will be known as `{names[0]}' and `{names[1]}'.\n"
            " This setting will take effect when a new match is started."),
    Setting("aliases", "The names of player 1 in files of others",
            text("names, with semicolons between them,"), kept_at("known_as.aliases"),
            'Aliases for player 1 when importing MAT files set to "{}".',
            details="A match that is imported with one of these names as its player 0 has its "
                    "seats exchanged."),
    switch("annotation", "Whether `show board' shows analysis", "printing.analysis",
           "Move analysis and commentary will be displayed.",
           "Move analysis and commentary will not be displayed."),
    Setting("lang", "The language, which is English", Reader("<language>", read_language),
            SettingPlace(lambda _: "C", lambda *_: None), "Locale is now '{}'"),
    Setting("ratingoffset", "The rating of a player without errors",
            decimal_reader(-1e6, 1e6, "", sentence="Please provide a positive rating offset"),
            kept_at("printing.rating_offset"),
            "The rating offset for estimating absolute ratings is: {:.1f}",
            shows="The rating of a player without errors"),
    switch("record", "Whether all games of a session are kept", "record_games",
           "All games in a session will be recorded.",
           "Only the active game in a session will be recorded."),
    _analysed_player(0), _analysed_player(1),
)  # fmt: skip


_DECIDED = tuple(
    f"{place} {kind}"
    for place in ("analysis", "evaluation", "player 0", "player 1")
    for kind in ("chequerplay", "cubedecision")
)


def _rolled(words_: str) -> list[Setting]:
    """The rollouts of one place that may decide by them."""

    def put(session: Session, settings: RolloutSettings) -> None:
        session.rolled[words_] = settings

    place = SettingPlace(lambda session: session.rollouts_at(words_), put)
    return rollout_settings(f"{words_} rollout", place)


SETTINGS = (
    *EXPORT,
    Setting("cheat enable", "Dice are not manipulated: off is all there is",
            Reader("off", read_cheat, lambda _: [], ("off",)),
            SettingPlace(lambda _: False, lambda *_: None), "Manipulation with dice is disabled."),
    *AUTOSAVE, _folder("import", "match"), _folder("sgf", "sgf"),
    *ANALYSED, *TUTOR, *EFFICIENCY, *HEURISTIC, *_REST,
    *strength_settings("analysis", ("Analysis chequerplay", "Analysis cubedecision"),
                       kept_at("analyst")),
    *evaluation_settings("analysis luckanalysis", "luck analysis", kept_at("luck")),
    *_THRESHOLDS,
    *AUTOMATIC,
    *CONFIRM,
    *strength_settings(
        "evaluation", ("`eval' and `hint' chequerplay", "`eval' and `hint' cube decisions"),
        SettingPlace(lambda session: session.hints, put_hints)),
    *_GAME, *_BOARD, *OUTPUT, *_player(0), *_player(1),
    *rollout_settings(),
    *(setting for words_ in _DECIDED for setting in _rolled(words_)),
)  # fmt: skip
"""Every setting, once."""

SETTING_TITLES = {
    "analysis": "What is analysed, and how",
    "analysis luckanalysis": "How luck is measured",
    "analysis threshold": "When a play is marked",
    "automatic": "What is done without being asked for",
    "chequerplay": "How plays are valued",
    "confirm": "When to ask first",
    "cubedecision": "How cube decisions are valued",
    "evaluation": "How `eval' and `hint' value positions",
    **{f"{place} rollout": "The settings of the rollouts"
       for place in ("chequerplay", "cubedecision")},
    **{f"{place} evaluation": "The settings of the evaluation"
       for place in ("chequerplay", "cubedecision")},
    "export": "What exports show",
    "export cube": "Which cube decisions exports show, and how",
    "export cube display": "Which cube decisions exports show",
    "export html": "How exports as HTML look",
    "export include": "What exports have beside the plays",
    "export moves": "Which plays exports show, and how",
    "export moves display": "Which plays exports show",
    "export png": "Pictures of boards",
    "export show": "How many boards exports have, and whose moves",
    "matchinfo": "Where and when the match was played",
    "output": "How results are printed",
    "player": "Who plays, and how well",
    "player 0": "Player 0",
    "player both": "Both players",
    "player 1": "Player 1",
    "rollout": "How rollouts are done",
    "rollout rng": "Where the dice of rollouts come from",
    "tutor": "Warnings of bad plays",
    "cheat": "Dice are not manipulated",
    "export html css": "Where the style of pages is",
    "parameters": "Whether exports say how decisions were evaluated",
    "autosave": "When the match is written by itself",
    "set import": "Where files to import are",
    "sgf": "Where SGF files are",
    "cubeefficiency": "How near the cube is to fully live",
    "cubeefficiency race": "In races: pips * factor + coefficient, within bounds",
    "heuristic": "How the heuristics weigh plays",
    "invert": "Exchange the players in the match equity table",
    "analysis player": "Whom to analyse",
    **{f"rollout {name}": title for name, title in ROLLOUT_TITLES.items()},
}  # fmt: skip
