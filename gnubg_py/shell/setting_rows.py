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
from gnubg_py.shell.settings import (
    SWITCH,
    Reader,
    Setting,
    SettingPlace,
    choice,
    decimal_reader,
    kept_at,
    rule,
    text,
    whole_reader,
)
from gnubg_py.shell.strength_settings import evaluation_settings, strength_settings
from gnubg_py.threads import set_thread_count, thread_count

VARIATION_NAMES = {
    "standard": "standard",
    "nackgammon": "nackgammon",
    "1-chequer-hypergammon": "hypergammon1",
    "2-chequer-hypergammon": "hypergammon2",
    "3-chequer-hypergammon": "hypergammon3",
}
VARIATION_TITLES = {
    "standard": "Standard backgammon",
    "nackgammon": "Nackgammon",
    "hypergammon1": "1-chequer hypergammon",
    "hypergammon2": "2-chequer hypergammon",
    "hypergammon3": "3-chequer hypergammon",
}


def _put_jacoby(session: Session, wanted: bool) -> None:
    """The rule, and that of a money game in progress."""
    session.set_rules(jacoby=wanted)
    if session.is_playing:
        match = session.shown().match
        if match.match_length == 0 and match.jacoby != wanted:
            session.set_position(session.shown().board, replace(match, jacoby=wanted))


def _beavers_sentence(_: Session, n: int) -> str:
    if n == 0:
        return "No beavers allowed in money sessions."
    if n == 1:
        return "1 beaver allowed in money sessions."
    return f"{n} beavers/raccoons allowed in money sessions."


def _doubles_sentence(session: Session, limit: int) -> str:
    if not limit:
        return "Automatic doubles will not be used."
    one, more = "A single automatic double will be permitted.", "Automatic doubles will be used"
    sentence = one if limit == 1 else f"{more} (up to a limit of {limit})."
    if session.record is None or not session.record.length:
        return sentence
    note = "Note that automatic doubles will have no effect until you start session play."
    return f"{sentence}\n({note})"


def _length_sentence(_: Session, n: int) -> str:
    return f"New matches default to {n} point{'s' * (n != 1)}."


def _put_threads(session: Session, n: int) -> None:
    set_thread_count(n)
    session.choices["threads"] = str(n)


def _read_variation(given: list[str], _: str) -> str:
    text = " ".join(given).lower()
    near = [ours for name, ours in VARIATION_NAMES.items() if text and name.startswith(text)]
    near += [ours for ours in VARIATION_NAMES.values() if ours == text and ours not in near]
    if len(near) != 1:
        raise ValueError(f"You must specify a variation: {', '.join(VARIATION_NAMES)}.")
    return near[0]


def _put_variation(session: Session, variation: str) -> None:
    session.rules = replace(session.rules, variation=variation)


def _variation_sentence(_: Session, variation: str) -> str:
    title = VARIATION_TITLES[variation]
    return f"Default variation is: {title}\nPlease start a new match or session to play `{title}'"


def _put_hints(session: Session, value: Any) -> None:
    session.hints = value
    session.forget_plays()


def _read_prompt(given: list[str], _: str) -> str:
    prompt = " ".join(given)
    if len(prompt) > 80:
        raise ValueError("You must specify a prompt of at most 80 letters.")
    return prompt or "(\\p) "


_ANSWERS = ("yes", "no", "ask")
_LANGUAGES = ("c", "posix", "en", "system")


def _read_language(given: list[str], _: str) -> str:
    """English, by whatever name; gnubg says the same of a language that it has not."""
    language = " ".join(given)[:40]
    if language and not language.lower().startswith(_LANGUAGES):
        raise ValueError(f"Locale '{language}' not supported by C library.")
    return language or "C"


def _read_names(given: list[str], _: str) -> tuple[str, str]:
    if len(given) != 2:
        raise ValueError("You must specify two player names.")
    first, second = map(checked_name, given)
    if first.lower() == second.lower():
        raise ValueError("Player names identical")
    return first, second


def _names_words(names: tuple[str, str] | None) -> list[str]:
    return [] if names is None else [" ".join(f'"{name}"' for name in names)]


def checked_name(name: str) -> str:
    """A player's name; ``ValueError`` if it cannot be one."""
    if name.lower() == "both":
        raise ValueError(f"`{name}' is a reserved word; you can't call a player that.")
    if name.isdigit():
        raise ValueError(f"`{name[:40]}' is not a valid name.")
    if not (0 < len(name) <= 32 and name.isprintable()):
        raise ValueError("You must specify a name of 1 to 32 letters.")
    if ":" in name or '"' in name:
        raise ValueError("A name cannot have a colon or a quotation mark in it.")
    return name


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


_ON_OFF_HELP = {
    "bearoff": "Play certain non-contact bearoff moves",
    "game": "Start a new game after each one is completed",
    "move": "Play the forced move when there is no choice",
    "roll": "Roll the dice if no double is possible",
}


def _automatic(name: str, on: str, off: str) -> Setting:
    return Setting(
        f"automatic {name}", _ON_OFF_HELP[name], SWITCH, kept_at(f"automatic.{name}"), (on, off)
    )


AUTOMATIC = (
    _automatic("bearoff", "Will automatically bear off as many chequers as possible.",
               "Will not automatically bear off chequers."),
    Setting("automatic crawford", "Enable the Crawford rule as appropriate", SWITCH,
            rule("crawford"),
            ("Will enable the Crawford game according to match score.",
             "Will not enable the Crawford game according to match score.")),
    Setting("automatic doubles", "Turn the cube when opening roll is a double",
            whole_reader(0, 12, "how many automatic doubles to use "
                         "(see `help set automatic double')", "<limit>"),
            rule("automatic_doubles"), _doubles_sentence),
    _automatic("game", "Will automatically start games after wins.",
               "Will not automatically start games."),
    _automatic("move", "Forced moves will be made automatically.",
               "Forced moves will not be made automatically."),
    _automatic("roll", "Will automatically roll the dice when no cube action is possible.",
               "Will not automatically roll the dice."),
)  # fmt: skip
OUTPUT = (
    Setting("output output", "Whether anything is printed", SWITCH, kept_at("printing.messages"),
            ("output will be shown", "")),
    Setting("output matchpc", "Match winning chances as percentages", SWITCH,
            kept_at("output.matchpc"), ("Match winning chances will be shown as percentages.",
                                     "Match winning chances will be shown as probabilities.")),
    Setting("output mwc", "Match winning chances instead of equities, in matches", SWITCH,
            kept_at("output.mwc"), ("Match evaluations will be shown as match winning chances.",
                                 "Match evaluations will be shown as equivalent money equity.")),
    Setting("output rawboard", "Board as one line of numbers", SWITCH, kept_at("output.rawboard"),
            ("TTY boards will be given in raw format.", "TTY boards will be given in ASCII.")),
    Setting("output winpc", "Winning chances as percentages", SWITCH, kept_at("output.winpc"),
            ("Game winning chances will be shown as percentages.",
             "Game winning chances will be shown as probabilities.")),
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
    Setting("confirm new", "Before a game in progress is dropped", SWITCH, kept_at("confirms.new"),
            ("Will ask for confirmation before aborting games in progress.",
             "Will not ask for confirmation before aborting games in progress.")),
    Setting("confirm save", "Before a file is written over", SWITCH, kept_at("confirms.save"),
            ("Will ask for confirmation before overwriting existing files.",
             "Will not ask for confirmation overwriting existing files.")),
)  # fmt: skip
ANALYSED = tuple(
    Setting(f"analysis {name}", f"Whether {what.lower()} is analysed", SWITCH,
            kept_at(f"analysis.{name}"),
            (f"{what} will be analysed.", f"{what} will not be analysed."))
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
    Setting("clockwise", "Which way the board is drawn", SWITCH, kept_at("clockwise"),
            ("Player 1 moves clockwise (and player 0 moves anticlockwise).",
             "Player 1 moves anticlockwise (and player 0 moves clockwise)."),
            shows="Which way the board is drawn"),
    Setting("display", "Whether boards of the computer's moves are shown", SWITCH,
            kept_at("display"), ("Will display boards for computer moves.",
                              "Will not display boards for computer moves.")),
    Setting("prompt", "What is printed when a command is awaited",
            Reader("<text>", _read_prompt, '"{}"'.format), kept_at("prompt"),
            "The prompt has been set to `{}'.",
            details="In it \\p stands for the player to decide, \\s for the score and \\v for "
                    "the version."),
)  # fmt: skip
_GAME = (
    Setting("beavers", "How many beavers in a row",
            whole_reader(0, 12, "the number of beavers to allow"),
            rule("beavers"), _beavers_sentence,
            shows="How many beavers are allowed"),
    Setting("jacoby", "The Jacoby rule", SWITCH, SettingPlace(rule("jacoby").get, _put_jacoby),
            ("Will use the Jacoby rule for money sessions.",
             "Will not use the Jacoby rule for money sessions.")),
    Setting("matchlength", "The points of new matches",
            whole_reader(0, LONGEST_MATCH, "", "<points>",
                         "Match length must be between 0 (unlimited session) and 64"),
            kept_at("match_length"), _length_sentence, shows="The points of new matches"),
    Setting("variation", "Which game is played",
            Reader("<name>", _read_variation, values=tuple(VARIATION_NAMES)),
            SettingPlace(rule("variation").get, _put_variation), _variation_sentence,
            details=f"One of {', '.join(VARIATION_NAMES)}."),
    Setting("threads", "How many threads calculate",
            whole_reader(1, 64, "the number of threads to use"),
            SettingPlace(lambda _: thread_count(), _put_threads),
            "The number of threads has been set to {}."),
)  # fmt: skip


def _player(number: int) -> list[Setting]:
    def put(session: Session, strength: Any) -> None:
        session.players[number].strength = strength

    place = SettingPlace(lambda session: session.players[number].strength, put)
    return strength_settings(f"player {number}", (f"%{number}%", f"%{number}%"), place)


_INVERTED = (
    "Match equity table will be used inverted.", "Match equity table will not be use inverted.",
)  # fmt: skip
AUTOSAVE = (
    Setting("autosave rollout", "After each rollout", SWITCH, kept_at("autosave.rollout"),
            ("Auto save during rollouts", "Don't auto save during rollouts")),
    Setting("autosave analysis", "After the analysis of each game", SWITCH,
            kept_at("autosave.analysis"), ("Auto save after each analysed game",
                                        "Don't auto save after each analysed game")),
    Setting("autosave confirm", "Whether to ask before the file is removed", SWITCH,
            kept_at("autosave.confirm"), ("Prompt before deleting autosaves",
                                       "Automatically delete autosaves")),
    Setting("autosave time", "The minutes between two savings",
            whole_reader(0, 1440, "the minutes between two savings", "<minutes>"),
            kept_at("autosave.minutes"), "Auto save every {} minutes"),
)  # fmt: skip


def _read_cheat(given: list[str], words_: str) -> bool:
    if SWITCH.read(given, words_):
        raise ValueError("Dice are not manipulated here: off is all there is.")
    return False


def _folder(words_: str, name: str) -> Setting:
    return Setting(f"{words_} folder", "Where files are looked for that are not here",
                   text("a folder", 1000, "<folder>"), kept_at(f"folders.{name}"),
                   "Files will be looked for in {} too.")  # fmt: skip


TUTOR = (
    Setting("tutor mode", "Whether a person is warned of bad plays", SWITCH, kept_at("tutor.mode"),
            ("Warn about possibly bad play.", "No warnings for possibly bad play.")),
    Setting("tutor cube", "Whether of cube decisions too", SWITCH, kept_at("tutor.cube"),
            ("Include advice on cube decisions in tutor mode.",
             "Exclude advice on cube decisions from tutor mode.")),
    Setting("tutor chequer", "Whether of plays", SWITCH, kept_at("tutor.chequer"),
            ("Include advice on chequer play in tutor mode.",
             "Exclude advice on chequer play from tutor mode.")),
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
    Setting("cubeefficiency learned", "Whether races and bearoffs have learned curves", SWITCH,
            kept_at("efficiency.learned"),
            ("Learned curves are used where the constants are gnubg's.",
             "The constants are used for all positions.")),
)  # fmt: skip


_REST = (
    Setting("invert matchequitytable", "Whether the players change places in it", SWITCH,
            kept_at("met_inverted"), _INVERTED),
    Setting("invert met", "The same as invert matchequitytable", SWITCH, kept_at("met_inverted"),
            _INVERTED),
    Setting("evaluation sameasanalysis", "Whether `eval' and `hint' use the analysis's settings",
            SWITCH, kept_at("same_as_analysis"),
            ("Evaluation settings will be same as analysis settings.",
             "Evaluation settings separate from analysis settings.")),
    Setting("gotofirstgame", "Where a match that was read is entered", SWITCH,
            kept_at("to_first_game"), ("Goto first game when loading matches or sessions.",
                                    "Goto last game when loading matches or sessions.")),
    Setting("defaultnames", "The players' names in new matches",
            Reader("<name> <name>", _read_names, _names_words), kept_at("known_as.default"),
            lambda _, names: f"Players will be known as `{names[0]}' and `{names[1]}'.\n"
            " This setting will take effect when a new match is started."),
    Setting("aliases", "The names of player 1 in files of others",
            text("names, with semicolons between them,"), kept_at("known_as.aliases"),
            'Aliases for player 1 when importing MAT files set to "{}".',
            details="A match that is imported with one of these names as its player 0 has its "
                    "seats exchanged."),
    Setting("annotation", "Whether `show board' shows analysis", SWITCH,
            kept_at("printing.analysis"),
            ("Move analysis and commentary will be displayed.",
             "Move analysis and commentary will not be displayed.")),
    Setting("lang", "The language, which is English", Reader("<language>", _read_language),
            SettingPlace(lambda _: "C", lambda *_: None), "Locale is now '{}'"),
    Setting("ratingoffset", "The rating of a player without errors",
            decimal_reader(-1e6, 1e6, "", sentence="Please provide a positive rating offset"),
            kept_at("printing.rating_offset"),
            "The rating offset for estimating absolute ratings is: {:.1f}",
            shows="The rating of a player without errors"),
    Setting("record", "Whether all games of a session are kept", SWITCH, kept_at("record_games"),
            ("All games in a session will be recorded.",
             "Only the active game in a session will be recorded.")),
    _analysed_player(0), _analysed_player(1),
)  # fmt: skip


_DECIDED = tuple(
    f"{place} {kind}"
    for place in ("analysis", "evaluation", "player 0", "player 1")
    for kind in ("chequerplay", "cubedecision")
)


def _rolled(words_: str) -> list[Setting]:
    """The rollouts of one place that may decide by them."""
    default = RolloutSettings()

    def put(session: Session, settings: RolloutSettings) -> None:
        session.rolled[words_] = settings

    place = SettingPlace(lambda session: session.rolled.get(words_, default), put)
    return rollout_settings(f"{words_} rollout", place)


SETTINGS = (
    *EXPORT,
    Setting("cheat enable", "Dice are not manipulated: off is all there is",
            Reader("off", _read_cheat, lambda _: [], ("off",)),
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
        SettingPlace(lambda session: session.hints, _put_hints)),
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
