"""``show``: the position, the match and the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnubg_py.board import pip_count
from gnubg_py.match import CENTRED, NO_DICE, is_post_crawford
from gnubg_py.shell import rollout_settings, turns, words
from gnubg_py.shell.dice_source import GENERATORS
from gnubg_py.shell.set_commands import beavers_line
from gnubg_py.shell.strength_commands import setting_lines, strength_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnubg_py.board import Board
    from gnubg_py.match import MatchState
    from gnubg_py.shell.session import Session
    from gnubg_py.shell.tree import Run

_MET_COLUMNS = 10


def asked_position(session: Session, given: list[str]) -> tuple[Board, MatchState | None]:
    """The position some words tell of, or the one shown; its match state where it is known."""
    from gnubg_py.notation.playable import read_position

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
        return
    from gnubg_py.drawing.text import draw
    from gnubg_py.match import MONEY

    board, match = asked_position(session, given)
    session.say(draw(board, match or MONEY, session.names, clockwise=session.clockwise) + "\n")


def show_pipcount(session: Session, given: list[str]) -> None:
    """``show pipcount [POSITION]``."""
    board, match = asked_position(session, given)
    mine, theirs = pip_count(board).tolist()
    move = 1 if match is None else match.move
    a, b = session.names[move], session.names[1 - move]
    session.say(f"The pip counts are: {a} {mine}, {b} {theirs}.")


def show_cube(session: Session, given: list[str]) -> None:
    """``show cube``."""
    words.nothing(given, "show cube")
    if not session.is_playing:
        raise ValueError("There is no game in progress.")
    match = session.shown().match
    if not session.rules.cube:
        session.say("The cube is disabled.")
    elif match.cube_owner == CENTRED:
        session.say(f"The cube is at {match.cube_value}, and is centred.")
    else:
        owner = session.names[match.cube_owner]
        session.say(f"The cube is at {match.cube_value}, and is owned by {owner}.")


def show_score(session: Session, given: list[str]) -> None:
    """``show score``."""
    words.nothing(given, "show score")
    session.say(turns.score_line(session))


def show_dice(session: Session, given: list[str]) -> None:
    """``show dice``."""
    words.nothing(given, "show dice")
    if not session.is_playing:
        raise ValueError("The dice will not be rolled until a game is started.")
    match = session.shown().match
    name = session.names[match.move]
    if match.dice == NO_DICE:
        session.say(f"{name} has not yet rolled the dice.")
    else:
        session.say(f"{name} has rolled {match.dice[0]} and {match.dice[1]}.")


def show_turn(session: Session, given: list[str]) -> None:
    """``show turn``."""
    words.nothing(given, "show turn")
    if not session.is_playing:
        raise ValueError("No game is being played.")
    match = session.shown().match
    if match.resigned:
        kind = turns.RESULTS[int(match.resigned)]
        loser, name = session.names[1 - match.turn], session.names[match.turn]
        session.say(f"{loser} has offered to resign a {kind}: {name} must answer.")
        return
    if match.doubled:
        session.say(f"{session.names[match.turn]} must answer the double.")
        return
    what = "on roll" if match.dice == NO_DICE else "on move"
    session.say(f"{session.names[match.move]} is {what}.")


def show_crawford(session: Session, given: list[str]) -> None:
    """``show crawford``."""
    words.nothing(given, "show crawford")
    if session.record is None or session.record.length == 0 or not session.record.games:
        session.say("Crawford rule is not used in money sessions.")
    elif session.shown().match.crawford:
        session.say("This game is the Crawford game.")
    else:
        session.say("This game is not the Crawford game.")


def show_postcrawford(session: Session, given: list[str]) -> None:
    """``show postcrawford``."""
    words.nothing(given, "show postcrawford")
    if session.record is None or session.record.length == 0 or not session.record.games:
        session.say("Crawford rule is not used in money sessions.")
    elif is_post_crawford(session.shown().match):
        session.say("This is post-Crawford play.")
    else:
        session.say("This is not post-Crawford play.")


def show_jacoby(session: Session, given: list[str]) -> None:
    """``show jacoby``."""
    words.nothing(given, "show jacoby")
    if session.is_playing and session.match().length == 0:
        how = "with" if session.shown().match.jacoby else "without"
        session.say(f"This money session is played {how} the Jacoby rule.")
    how = "with" if session.rules.jacoby else "without"
    session.say(f"New money sessions are played {how} the Jacoby rule.")


def show_beavers(session: Session, given: list[str]) -> None:
    """``show beavers``."""
    words.nothing(given, "show beavers")
    session.say(beavers_line(session.rules.beavers))


def show_automatic(session: Session, given: list[str]) -> None:
    """``show automatic``."""
    words.nothing(given, "show automatic")
    options, rules = session.automatic, session.rules
    rows = (
        ("bearoff", "Bear off as many checkers as can be", options.bearoff),
        ("crawford", "The Crawford game by the score", rules.crawford),
        ("doubles", "Automatic doubles in money play", rules.automatic_doubles),
        ("game", "Start the next game", options.game),
        ("move", "Play where there is no choice", options.move),
        ("roll", "Roll where no double is possible", options.roll),
    )
    for name, what, value in rows:
        shown = value if name == "doubles" else ("On" if value else "Off")
        session.say(f"{name:<9} {'(' + what + '):':<40} {shown}")


def show_player(session: Session, given: list[str]) -> None:
    """``show player``."""
    words.nothing(given, "show player")
    for number, player in enumerate(session.players):
        session.say(f"Player {number}:\n  Name: {player.name}\n  Type: {player.kind}")
        if not player.human:
            if player.strength.preset:
                session.say(f"  Level: {player.strength.preset}")
            session.say("\n".join(strength_lines(player.strength)))
        session.say()


def show_evaluation(session: Session, given: list[str]) -> None:
    """``show evaluation``: what `eval' and `hint' use."""
    words.nothing(given, "show evaluation")
    name = f" ({session.hints.preset})" if session.hints.preset else ""
    session.say(f"`eval' and `hint' will use{name}:")
    session.say("\n".join(strength_lines(session.hints)))


def show_rollout(session: Session, given: list[str]) -> None:
    """``show rollout``."""
    words.nothing(given, "show rollout")
    session.say("\n".join(rollout_settings.lines(session.rollout)))


def show_analysis(session: Session, given: list[str]) -> None:
    """``show analysis``."""
    words.nothing(given, "show analysis")
    options, limits = session.analysis, session.analysis.limits
    for wanted, what in (
        (options.cube, "Cube action"), (options.luck, "Dice rolls"), (options.moves, "Chequer play")
    ):  # fmt: skip
        session.say(f"{what} will {'' if wanted else 'not '}be analysed.")
    session.say(
        f"\nAnalysis thresholds:\n"
        f"  -{limits.doubtful:.3f} doubtful\n  -{limits.bad:.3f} bad\n"
        f"  -{limits.verybad:.3f} very bad\n\n"
        f"  +{limits.verylucky:.3f} very lucky\n  +{limits.lucky:.3f} lucky\n"
        f"  -{limits.unlucky:.3f} unlucky\n  -{limits.veryunlucky:.3f} very unlucky\n\n"
        "Analysis will be performed with the following evaluation parameters:"
    )
    session.say("\n".join(strength_lines(session.analyst)))
    session.say("    Luck analysis:")
    session.say("\n".join(f"      {line}" for line in setting_lines(session.luck)))


def show_output(session: Session, given: list[str]) -> None:
    """``show output``."""
    words.nothing(given, "show output")
    output = session.output
    percent, chance = "percentages", "probabilities"
    kind = "match winning chances" if output.mwc else "EMG (normalized money game equity)"
    session.say(f"Match winning chances will be shown as {percent if output.matchpc else chance}.")
    session.say(f"Match equities shown in {kind} (match play only).")
    session.say(f"Game winning chances will be shown as {percent if output.winpc else chance}.")
    session.say(f"Boards will be shown {'as IDs' if output.rawboard else 'in ASCII'}.")
    session.say(f"{output.digits} digits will be shown after the decimal point.")


def show_rng(session: Session, given: list[str]) -> None:
    """``show rng``."""
    words.nothing(given, "show rng")
    session.say(f"Dice come from: {GENERATORS[session.dice.kind]}.")


def show_seed(session: Session, given: list[str]) -> None:
    """``show seed``."""
    words.nothing(given, "show seed")
    session.say(f"The current seed is {session.dice.seed}.")


def show_threads(session: Session, given: list[str]) -> None:
    """``show threads``."""
    from gnubg_py.threads import thread_count

    words.nothing(given, "show threads")
    n = thread_count()
    session.say(f"{n} calculation thread{'s' * (n != 1)}.")


def show_cache(session: Session, given: list[str]) -> None:
    """``show cache``."""
    from gnubg_py.search.cache import shared_cache

    words.nothing(given, "show cache")
    statistics = shared_cache().static.statistics()
    share = statistics.hits / statistics.lookups if statistics.lookups else 0.0
    session.say(
        f"{statistics.used:,} of {statistics.size:,} entries of the cache are in use; "
        f"{statistics.lookups:,} look-ups, {share:.1%} found."
    )


def show_variation(session: Session, given: list[str]) -> None:
    """``show variation``."""
    words.nothing(given, "show variation")
    if session.record is not None:
        session.say(f"You are playing: {session.record.rules.variation}")
    session.say(f"Default variation is: {session.rules.variation}")


def show_met(session: Session, given: list[str]) -> None:
    """``show met [N]``: the match equity table to N points, 9 unless told."""
    from gnubg_py.shell.engine import met_of

    n = words.whole(given, 2, 25, "how many points of the table to show") if given else 9
    table = met_of(session)
    session.say(f"Match equity table: {table.name}, {table.length} points\n")
    session.say("Pre-Crawford, in percent: a side so far away (down) against another (across)")
    for across in _columns(n):
        session.say("     " + "".join(f"{j:>7}" for j in across))
        for i in range(1, n + 1):
            row = "".join(f"{100 * table.mwc(i, j):>7.2f}" for j in across)
            session.say(f"{i:>4} {row}")
        session.say()
    session.say("Post-Crawford, of the side behind:")
    for across in _columns(n):
        session.say("     " + "".join(f"{j:>7}" for j in across))
        behind = [j for j in across if j > 1]
        row = "".join(f"{100 * table.mwc(j, 1, post_crawford=True):>7.2f}" for j in behind)
        session.say("     " + f"{row:>{7 * len(across)}}")


def _columns(n: int) -> Iterator[range]:
    """The columns 1 to ``n`` of a table, as many at once as fit 80 characters."""
    for first in range(1, n + 1, _MET_COLUMNS):
        yield range(first, min(first + _MET_COLUMNS, n + 1))


def show_matchlength(session: Session, given: list[str]) -> None:
    """``show matchlength``."""
    words.nothing(given, "show matchlength")
    n = session.match_length
    session.say(f"New matches default to {n} point{'s' * (n != 1)}.")


def show_flag(name: str, on: str, off: str) -> Run:
    """A command that tells one of two things of the session."""

    def run(session: Session, given: list[str]) -> None:
        words.nothing(given, "show")
        session.say(on if getattr(session, name) else off)

    return run


def show_prompt(session: Session, given: list[str]) -> None:
    """``show prompt``."""
    words.nothing(given, "show prompt")
    session.say(f"The prompt is set to `{session.prompt}'.")


def show_confirm(session: Session, given: list[str]) -> None:
    """``show confirm``."""
    words.nothing(given, "show confirm")
    for wanted, what in (
        (session.confirm_new, "before a game in progress is dropped"),
        (session.confirm_save, "before a file is written over"),
    ):
        session.say(f"Will {'' if wanted else 'not '}ask {what}.")


def show_history(session: Session, given: list[str]) -> None:
    """``show history [N]``: the last commands."""
    n = words.whole(given, 1, 10_000, "how many commands to show") if given else 30
    first = max(0, len(session.history) - n)
    for number, line in enumerate(session.history[first:], start=first + 1):
        session.say(f"{number:>5}  {line}")


def show_scoresheet(session: Session, given: list[str]) -> None:
    """``show scoresheet``: the score after each game."""
    words.nothing(given, "show scoresheet")
    length = session.record.length if session.record is not None else 0
    kind = f"Match to {length} points" if length else "Money Session"
    a, b = session.names
    session.say(f"Score Sheet - {kind}\n\n{a} | {b}\n{'-' * (len(a) + len(b) + 3)}")
    for game in session.record.games if session.record is not None else ():
        if game.is_over:
            score = game.end.match.score
            session.say(f"{score[0]:>{len(a)}} | {score[1]}")


def show_version(session: Session, given: list[str]) -> None:
    """``show version``."""
    words.nothing(given, "show version")
    session.say(f"gnubg_py {version_number()}, a backgammon engine in Python, MIT licence.")


def version_number() -> str:
    """The program's version, as it was installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gnubg-py")
    except PackageNotFoundError:
        return "(run from its folder, not installed)"


def show_engine(session: Session, given: list[str]) -> None:
    """``show engine``: which evaluator values which positions."""
    from gnubg_py.evaluators.classify import PositionClass
    from gnubg_py.shell.engine import met_of, router_of

    words.nothing(given, "show engine")
    router = router_of(session)
    for position_class in PositionClass:
        evaluator = router.table.get(position_class)
        if evaluator is not None:
            identity = evaluator.identity
            extra = f" ({identity})" if isinstance(identity, str) else ""
            session.say(f" * {position_class.name.lower():<10} {evaluator.name}{extra}")
    session.say(f" * match equity table: {met_of(session).name}")


def show_commands(session: Session, given: list[str]) -> None:
    """``show commands``: every command there is."""
    from gnubg_py.shell.commands import ROOT
    from gnubg_py.shell.tree import every

    words.nothing(given, "show commands")
    for path, command in every(ROOT):
        if command.run is not None and not command.hidden:
            session.say(f"{' '.join(path)} {command.usage}".rstrip())
