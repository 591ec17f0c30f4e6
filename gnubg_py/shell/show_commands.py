"""``show``: the position, the match and the settings."""

from __future__ import annotations

from collections.abc import Iterable

from gnubg_py.board import Board, pip_count
from gnubg_py.cube.efficiency import learned_groups
from gnubg_py.cube.met import MatchEquityTable
from gnubg_py.drawing.text import draw
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.match import CENTRED, LONGEST_MATCH, MONEY, NO_DICE, MatchState, is_post_crawford
from gnubg_py.notation.playable import read_position
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.search.cache import shared_cache
from gnubg_py.search.settings import Strength
from gnubg_py.shell import rollout_settings, turns, words
from gnubg_py.shell.dice_source import GENERATOR_TITLES
from gnubg_py.shell.engine import met_of, router_of
from gnubg_py.shell.said import analysis_text
from gnubg_py.shell.session import Session
from gnubg_py.shell.setting_rows import (
    ANALYSED,
    AUTOMATIC,
    CONFIRM,
    SETTINGS,
    VARIATION_TITLES,
)
from gnubg_py.shell.settings import Setting
from gnubg_py.shell.strength_settings import setting_lines, strength_lines
from gnubg_py.shell.tree import Command
from gnubg_py.threads import thread_count
from gnubg_py.version import VERSION


def asked_position(session: Session, given: list[str]) -> tuple[Board, MatchState | None]:
    """The position some words tell of, or the one shown; its match state where it is known."""
    if not given:
        position = session.shown()
        return position.board, position.match
    text = " ".join(given)
    if len(text) > 1000:
        raise ValueError("Illegal position: it is too long.")
    try:
        return read_position(text)
    except ValueError as error:
        raise ValueError(f"Illegal position: {error}.") from None


def show_board(session: Session, given: list[str]) -> None:
    """``show board [POSITION]``."""
    if not given:
        session.show_board()
        if session.has_game and (text := analysis_text(session)):
            session.say(text)
        return
    board, match = asked_position(session, given)
    session.say(draw(board, match or MONEY, session.names, clockwise=session.clockwise) + "\n")


def show_pipcount(session: Session, given: list[str]) -> None:
    """``show pipcount [POSITION]``."""
    board, match = asked_position(session, given)
    mine, theirs = pip_count(board).tolist()
    move = 1 if match is None else match.move
    a, b = session.names[move], session.names[1 - move]
    session.say(f"The pip counts are: {a} {mine}, {b} {theirs}.")


def show_cube(session: Session) -> None:
    """``show cube``."""
    if not session.is_playing:
        raise ValueError("There is no game in progress.")
    match = session.shown().match
    if not session.rules.cube:
        session.say("The doubling cube is disabled.")
    elif match.crawford:
        session.say("The cube is disabled during the Crawford game.")
    elif match.cube_owner == CENTRED:
        session.say(f"The cube is at {match.cube_value}, and is centred.")
    else:
        owner = session.names[match.cube_owner]
        session.say(f"The cube is at {match.cube_value}, and is owned by {owner}.")


def show_score(session: Session) -> None:
    """``show score``."""
    session.say(turns.score_sentence(session))


def show_dice(session: Session) -> None:
    """``show dice``."""
    if not session.is_playing:
        raise ValueError("The dice will not be rolled until a game is started.")
    match = session.shown().match
    name = session.names[match.move]
    if match.dice == NO_DICE:
        session.say(f"{name} has not yet rolled the dice.")
    else:
        session.say(f"{name} has rolled {match.dice[0]} and {match.dice[1]}.")


def show_turn(session: Session) -> None:
    """``show turn``."""
    if not session.is_playing:
        raise ValueError("No game is being played.")
    match = session.shown().match
    if match.resigned:
        kind = turns.RESULTS[int(match.resigned)]
        session.say(f"{session.names[match.move]} in on roll.")
        session.say(f"{session.names[1 - match.turn]} has offered to resign a {kind}.")
        return
    what = "on roll" if match.dice == NO_DICE else "on move"
    session.say(f"{session.names[match.move]} in {what}.")  # as gnubg spells it


def show_crawford(session: Session) -> None:
    """``show crawford``."""
    if session.record is None or session.record.length == 0 or not session.record.games:
        session.say("Crawford rule is not used in money sessions.")
    elif session.shown().match.crawford:
        session.say("This game is the Crawford game.")
    else:
        session.say("This game is not the Crawford game")


def show_postcrawford(session: Session) -> None:
    """``show postcrawford``."""
    if session.record is None or session.record.length == 0 or not session.record.games:
        session.say("Crawford rule is not used in money sessions.")
    elif is_post_crawford(session.shown().match):
        session.say("This is post-Crawford play.")
    else:
        session.say("This is not post-Crawford play.")


def show_jacoby(session: Session) -> None:
    """``show jacoby``."""
    if session.record is None or session.record.length == 0:
        jacoby = session.shown().match.jacoby if session.is_playing else session.rules.jacoby
        how = "with" if jacoby else "without"
        session.say(f"This money session is played {how} the Jacoby rule.")
    how = "with" if session.rules.jacoby else "without"
    session.say(f"New money sessions are played {how} the Jacoby rule.")


def show_player(session: Session) -> None:
    """``show player``."""
    for number, player in enumerate(session.players):
        session.say(f"Player {number}:\n  Name: {player.name}")
        colon = ":" if player.kind == "gnubg" else ""
        session.say(f"  Type: {player.kind}{colon}")
        if colon:
            session.say("\n".join(_decision_lines(session, player.strength, f"player {number}")))
        session.say()


def show_evaluation(session: Session) -> None:
    """``show evaluation``: what `eval' and `hint' use."""
    session.say("`eval' and `hint' will use:")
    session.say("\n".join(_decision_lines(session, session.hints, "evaluation")))


def _decision_lines(session: Session, strength: Strength, place: str) -> list[str]:
    """A strength, or the rollouts that decide in its place."""
    rolled = {
        kind: rollout_settings.lines(session.rolled.get(f"{place} {kind}", RolloutSettings()))[1:]
        for kind in ("chequerplay", "cubedecision")
        if f"{place} {kind}" in session.by_rollout
    }
    # gnubg has no heading above the filters of the analysis
    return strength_lines(strength, rolled, *([""] if place == "analysis" else []))


def show_rollout(session: Session) -> None:
    """``show rollout``."""
    session.say("\n".join(rollout_settings.lines(session.rollout)))


def show_analysis(session: Session) -> None:
    """``show analysis``."""
    limits = session.analysis.limits
    _say_settings(session, ANALYSED)
    for name, wanted in zip(session.names, session.analysed_players, strict=True):
        answer = "yes" if wanted else "no"
        session.say(f"Analyse {name}'s chequerplay and cube decisions: {answer}")
    session.say(
        f"\nAnalysis thresholds:\n"
        f"  -{limits.doubtful:.3f} doubtful\n  -{limits.bad:.3f} bad\n"
        f"  -{limits.verybad:.3f} very bad\n\n"
        f"  +{limits.verylucky:.3f} very lucky\n  +{limits.lucky:.3f} lucky\n"
        f"  -{limits.unlucky:.3f} unlucky\n  -{limits.veryunlucky:.3f} very unlucky\n\n"
        "Analysis will be performed with the following evaluation parameters:"
    )
    session.say("\n".join(_decision_lines(session, session.analyst, "analysis")))
    session.say("    Luck analysis:")
    session.say("\n".join(setting_lines(session.luck)))


def _say_settings(session: Session, settings: Iterable[Setting]) -> None:
    for setting in settings:
        session.say(setting.sentence(session))


def show_autosave(session: Session) -> None:
    """``show autosave``."""
    wanted = session.autosave
    session.say(f"Auto save every {wanted.minutes} minutes")
    for what, on in (("rollouts", wanted.rollout), ("analysis", wanted.analysis)):
        session.say(f"Match will {'' if on else 'not '}be autosaved during and after {what}")


def show_display(session: Session) -> None:
    """``show display``."""
    will = "will" if session.display else "will not"
    session.say(f"GNU Backgammon {will} display boards for computer moves.")


def show_automatic(session: Session) -> None:
    """``show automatic``: each setting on a line, as gnubg lays them out."""
    for setting in AUTOMATIC:
        value = setting.place.get(session)
        shown = str(value) if setting.words.endswith("doubles") else ("Off", "On")[value]
        name, what = setting.words.split()[1], f"({setting.help}):"
        session.say(f"{name:<8}\t{what:<47}\t{shown}")


def show_confirm(session: Session) -> None:
    """``show confirm``."""
    session.say("GNU Backgammon will ask for confirmation.")
    for setting in CONFIRM[1:]:
        session.say(f"GNU Backgammon w{setting.sentence(session)[1:]}")


def show_output(session: Session) -> None:
    """``show output``."""
    output = session.output
    kind = "match winning chances" if output.mwc else "EMG (normalized money game equity)"
    percent, chance = "percentages", "probabilities"
    session.say(f"Match winning chances will be shown as {percent if output.matchpc else chance}.")
    session.say(f"Match equities shown in {kind} (match play only).")
    session.say(f"Game winning chances will be shown as {percent if output.winpc else chance}.")
    session.say(f"Boards will be shown in {'raw format' if output.rawboard else 'ASCII'}.")


def show_tutor(session: Session) -> None:
    """``show tutor``."""
    tutor = session.tutor
    for wanted, what in ((tutor.chequer, "chequer moves"), (tutor.cube, "cube decisions")):
        given = tutor.mode and wanted
        session.say(f"{'Warnings' if given else 'No warnings'} are given for {what}.")
    if tutor.mode:
        skill = tutor.skill.replace("very", "very ")
        session.say(f"Warnings are given for play marked `{skill}'.")


def show_cubeefficiency(session: Session) -> None:
    """``show cubeefficiency``."""
    value = session.efficiency
    session.say("Parameters for cube evaluations:")
    for what, x in (
        ("crashed", value.crashed), ("contact", value.contact),
        ("one sided bearoff", value.one_sided),
    ):  # fmt: skip
        session.say(f"Cube efficiency for {what} positions : {x:.4f}")
    session.say(
        f"Cube efficiency for race: x = pips * {value.race_per_pip:.5f} + {value.race_base:.5f}\n"
        f"(min value {value.race_least:.4f}, max value {value.race_most:.4f})"
    )
    groups = learned_groups(value)
    if groups:
        session.say(f"Learned curves are used instead for: {', '.join(groups)}")


def show_aliases(session: Session) -> None:
    """``show aliases``."""
    aliases = session.known_as.aliases
    session.say(f'Aliases for player 1 when importing MAT files is set to "{aliases}".')


def show_rng(session: Session) -> None:
    """``show rng``."""
    session.say(f"You are using the {GENERATOR_TITLES[session.dice.kind]}.")


def show_seed(session: Session) -> None:
    """``show seed``."""
    session.say(f"The current seed is {session.dice.seed}")


def show_cache(session: Session) -> None:
    """``show cache``."""
    statistics = shared_cache().static.statistics()
    share = statistics.hits / statistics.lookups if statistics.lookups else 0.0
    session.say(
        f"{statistics.used:,} of {statistics.size:,} entries of the cache are in use; "
        f"{statistics.lookups:,} look-ups, {share:.1%} found."
    )


def show_variation(session: Session) -> None:
    """``show variation``."""
    if session.record is not None:
        session.say(f"You are playing: {VARIATION_TITLES[session.record.rules.variation]}")
    session.say(f"Default variation is: {VARIATION_TITLES[session.rules.variation]}")


def show_met(session: Session, given: list[str]) -> None:
    """``show met [N]``: the match equity table to N points, the match's length, or 64."""
    n = (session.record.length if session.record is not None else 0) or LONGEST_MATCH
    if given:
        n = words.whole(given, 2, LONGEST_MATCH, "how many points of the table to show")
    table = met_of(session)
    session.say(f"Match equity table: {_met_title(table)}\n")
    session.say("Pre-Crawford table:\n")
    _say_table(session, [[table.mwc(i, j) for j in range(1, n + 1)] for i in range(1, n + 1)])
    behind = [table.mwc(j, 1, post_crawford=True) for j in range(1, n + 1)]
    for player, name in enumerate(session.names):
        session.say(f"Post-Crawford table for player {player} ({name}):\n")
        _say_table(session, [behind])


def _met_title(table: MatchEquityTable) -> str:
    """A table's name; that of the shipped one is gnubg's."""
    name = "Kazaross XG2" if table.name == "Kazaross-XG2" else table.name
    return f"{name} {table.length} point MET"


def _say_table(session: Session, rows: list[list[float]]) -> None:
    """Print chances in percent, a line for each side so far away, in gnubg's columns."""
    session.say(" " * 9 + "".join(f"{j:>5}-away" for j in range(1, len(rows[0]) + 1)) + " ")
    for i, row in enumerate(rows, 1):
        session.say(f"{i:>4}-away" + "".join(f"{100 * chance:>10.4f}" for chance in row) + " ")
    session.say()


def show_prompt(session: Session) -> None:
    """``show prompt``."""
    session.say(f"The prompt is set to `{session.prompt}'.")


def show_history(session: Session, given: list[str]) -> None:
    """``show history [N]``: the last commands."""
    n = words.whole(given, 1, 10_000, "how many commands to show") if given else 30
    first = max(0, len(session.history) - n)
    for number, line in enumerate(session.history[first:], start=first + 1):
        session.say(f"{number:>5}  {line}")


def show_scoresheet(session: Session) -> None:
    """``show scoresheet``: the score after each game."""
    length = session.record.length if session.record is not None else 0
    kind = f"Match to {length} points" if length else "Money Session"
    a, b = session.names
    session.say(f"Score Sheet - {kind}\n\n{a} | {b}\n{'-' * (len(a) + len(b) + 3)}")
    for game in session.record.games if session.record is not None else ():
        if game.is_over:
            score = game.end.match.score
            session.say(f"{score[0]:>{len(a)}} | {score[1]}")


def show_version(session: Session) -> None:
    """``show version``."""
    session.say(banner())


def banner() -> str:
    """What the program is, in one line, for people and for the clients of gnubg."""
    return f"gnubg_py {VERSION}, compatible with GNU Backgammon 1.07, MIT licence."


def show_engine(session: Session) -> None:
    """``show engine``: which evaluator values which positions."""
    router = router_of(session)
    for position_class in PositionClass:
        evaluator = router.table.get(position_class)
        if evaluator is not None:
            identity = evaluator.identity
            extra = f" ({identity})" if isinstance(identity, str) else ""
            session.say(f" * {position_class.name.lower():<10} {evaluator.name}{extra}")
    session.say(f" * match equity table: {met_of(session).name}")


_POSITION = "[position]"
COMMANDS = (
    *(setting.show_command() for setting in SETTINGS if setting.shows),
    Command("show aliases", "Player 1's names in files of others", show_aliases),
    Command("show autosave", "When the match is written by itself", show_autosave),
    Command("show display", "Whether the computer's boards are shown", show_display),
    Command("show cheat", "Whether dice are manipulated",
            lambda s: s.say("Manipulation with dice is disabled.")),
    Command("show cubeefficiency", "How near the cube is to fully live", show_cubeefficiency),
    Command("show tutor", "Whether bad plays are warned of", show_tutor),
    Command("show lang", "The language",
            lambda s: s.say("Your language preference is set to system.")),
    Command("history", "The last commands", show_history, "[number]"),
    Command("show analysis", "How analysis is done", show_analysis),
    Command("show automatic", "What is done without being asked for", show_automatic),
    Command("show board", "The board", show_board, _POSITION),
    Command("show cache", "How full the cache is", show_cache, ours=True),
    Command("show confirm", "When is asked first", show_confirm),
    Command("show crawford", "Whether this is the Crawford game", show_crawford),
    Command("show cube", "The cube", show_cube),
    Command("show dice", "The roll", show_dice),
    Command("show engine", "What values which positions", show_engine),
    Command("show evaluation", "How `eval' and `hint' value positions", show_evaluation),
    Command("show history", "The last commands", show_history, "[number]", ours=True),
    Command("show jacoby", "The Jacoby rule", show_jacoby),
    Command("show matchequitytable", "The match equity table", show_met, "[points]"),
    Command("show met", "The match equity table", show_met, "[points]"),
    Command("show output", "How results are printed", show_output),
    Command("show pipcount", "The pip counts", show_pipcount, _POSITION),
    Command("show player", "Who plays, and how well", show_player),
    Command("show postcrawford", "Whether this is after the Crawford game", show_postcrawford),
    Command("show prompt", "The prompt", show_prompt),
    Command("show rng", "Where dice come from", show_rng),
    Command("show rollout", "How rollouts are done", show_rollout),
    Command("show score", "The score", show_score),
    Command("show scoresheet", "The score after each game", show_scoresheet),
    Command("show seed", "The seed of the dice", show_seed),
    Command("show threads", "How many threads calculate",
            lambda s: s.say(f"{words.counted(thread_count(), 'calculation thread')}.")),
    Command("show turn", "Who is on roll", show_turn),
    Command("show variation", "Which game is played", show_variation),
    Command("show version", "The version", show_version),
)  # fmt: skip
