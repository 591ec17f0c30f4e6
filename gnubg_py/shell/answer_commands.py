"""``hint``, ``eval``, ``rollout``, ``cmark``, ``compare`` and ``calibrate``."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from gnubg_py import layout
from gnubg_py.analysis import cube_action
from gnubg_py.analysis import evaluate as value
from gnubg_py.analysis import hint as best_plays
from gnubg_py.board import START, Board, Boards
from gnubg_py.commands.rollout import running_table
from gnubg_py.commands.searching import search_bar
from gnubg_py.compare.players import chooser_named
from gnubg_py.cube.met import chance_of_equity, equity_of_chance
from gnubg_py.cube.state import can_double, cube_of
from gnubg_py.dice import roll_dice
from gnubg_py.engine import engine_of
from gnubg_py.evaluators.registry import evaluator_named, evaluator_names
from gnubg_py.game.position import Position, valued
from gnubg_py.groups import CHOOSERS
from gnubg_py.match import MONEY, NO_DICE, MatchState
from gnubg_py.messages import counted
from gnubg_py.notation import CANNOT_MOVE, match_id, position_id
from gnubg_py.plays import all_rolls, plays_batch
from gnubg_py.results import PlaysHint
from gnubg_py.rollouts.result import INTERRUPTED, RolloutResult
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.search.cache import shared_cache
from gnubg_py.search.context import make_search
from gnubg_py.search.ranking import rank
from gnubg_py.search.settings import EvalSettings
from gnubg_py.shell import engine, rolled, words
from gnubg_py.shell.autosave import autosave
from gnubg_py.shell.bearoff_table import bearoff_table
from gnubg_py.shell.dice_commands import working_dice
from gnubg_py.shell.heuristic_commands import with_weights
from gnubg_py.shell.play_commands import hinted
from gnubg_py.shell.session import NO_POSITION, Session
from gnubg_py.shell.show_commands import asked_position
from gnubg_py.shell.tree import Command
from gnubg_py.threads import thread_count
from gnubg_py.workers import WorkersLostError

_MANY = 10


def asked(session: Session) -> Position:
    if not session.is_playing:
        raise ValueError("You must set up a board first.")
    return session.position()


def hint_command(session: Session, given: list[str]) -> None:
    """``hint [N]``: the plays of the roll, the cube action, the take, or the resignation."""
    count = given[0] if given else ""
    most = int(count) if count.isascii() and count.isdigit() and len(count) < 6 else 0
    position = asked(session)
    match = position.match
    if match.resigned:
        _resignation(session, position)
    elif position.redoubles:
        session.say("This decision is part of beaver/raccoon sequence and cannot be hinted")
    elif match.dice != NO_DICE:
        found = find_plays(session, position)
        if found.best.play == CANNOT_MOVE:
            session.say("There are no legal moves.")
            return
        settings = rolled.rollout_settings_of(session, "evaluation chequerplay")
        if settings is not None and found.complete and len(found.plays) > 1:
            _rolled_plays(session, position, found, settings)
            return
        cube = engine.session_cube(session, position)
        met = engine.met_of(session)
        session.say(layout.plays_text(found, most or _MANY, cube, met, session.output))
    elif can_double(engine.session_cube(session, position)):
        _cube_action(session, position.board, match)
    else:
        session.complain("You cannot double.")


def _rolled_plays(
    session: Session, position: Position, found: PlaysHint, settings: RolloutSettings
) -> None:
    """Roll out the plays that the search ranked deepest, and number the list anew."""
    plays = engine.ranked(session, position, session.hint_strength)
    result, in_order = rolled.roll_out_plays(session, position, plays, settings)
    by_board = {play.board.tobytes(): play for play in found.plays}
    session.last_plays = [by_board[play.board.tobytes()] for play in in_order]
    _say_rollout(session, result)


def _say_rollout(session: Session, result: RolloutResult) -> None:
    session.stopped = result.ending == INTERRUPTED
    if not session.interactive:  # the sentence that programs wait for
        session.say("Rollout done. Printing final results.")
    session.say(str(result))


def find_plays(session: Session, position: Position) -> PlaysHint:
    """The ranked plays of the roll; kept, so that ``=1`` means the first of them."""
    with search_bar() as bar:
        found = best_plays(
            (position.board, valued(position.match)),
            settings=session.hint_strength.plays,
            filters=session.hint_strength.filters,
            engine=engine.session_engine(session),
            beavers=session.rules.beavers > 0,
            progress=bar,
        )
    assert isinstance(found, PlaysHint)
    session.last_plays = list(found.plays)
    session.stopped = not found.complete
    return found


def _cube_action(session: Session, board: Board, match: MatchState) -> None:
    settings = rolled.rollout_settings_of(session, "evaluation cubedecision")
    if settings is not None:
        position = Position(board, replace(match, doubled=False, turn=match.move))
        session.say(str(rolled.roll_out_cube(session, position, settings)[0]))
        return
    with search_bar() as bar:
        found = cube_action(
            (board, valued(match)),
            settings=session.hint_strength.cube,
            engine=engine.session_engine(session),
            beavers=session.rules.beavers > 0,
            progress=bar,
        )
    session.stopped = not found.complete
    session.last_cube = found
    session.say(layout.cube_text(found, engine.met_of(session), session.output))


def _resignation(session: Session, position: Position) -> None:
    on, accepted = engine.resignation_values(session, position, session.hint_strength)
    digits = session.output.digits
    session.say(f"Equity before resignation : {on:+.{digits}f}")
    session.say(
        f"Equity after resignation : {accepted:+.{digits}f} ({accepted - on:+.{digits}f})\n"
    )
    session.say(
        f"Correct resign decision : {'Accept' if engine.is_accepted(on, accepted) else 'Reject'}"
    )


def evaluate_command(session: Session, given: list[str]) -> None:
    """``eval [POSITION]``: at every ply up to that of cube decisions, as in gnubg."""
    if given:
        board, match = asked_position(session, given)
        state = match or MONEY
    else:
        if not session.has_game:
            raise ValueError(NO_POSITION)
        shown = session.position()
        board, state = shown.board, shown.match
    session.say(f"Position ID:\t{position_id(board)}\nMatch ID:\t{match_id(state)}\n")
    found = value(
        (board, valued(state)),
        settings=session.hint_strength.cube,
        engine=engine.session_engine(session),
        beavers=session.rules.beavers > 0,
    )
    met = engine.met_of(session)
    cube = cube_of(valued(state), session.rules.beavers > 0)
    text = layout.evaluation_text(found, cube, met, session.output)
    if found.position_class.startswith("bearoff"):
        title, rest = text.split("\n\n", 1)
        text = "\n".join([title, "", *bearoff_table(board), rest])
    session.say(text)
    session.stopped = not found.complete
    if session.stopped:
        return
    if session.rules.cube and not state.doubled and can_double(cube):
        session.say("\n")
        _cube_action(session, board, state)


def rollout_command(session: Session, given: list[str]) -> None:
    """``rollout [=1 =2 ... | cube]``: what is named or marked, or what the roll asks for."""
    if not session.is_playing:
        raise ValueError(NO_POSITION)
    position = session.position()
    match = position.match
    if match.doubled or match.resigned:
        raise ValueError("Answer the offer first, or use `previous' to go back before it.")
    cube = given == ["cube"] or (not given and 0 in session.marks and match.dice == NO_DICE)
    plays = _plays(session, position, [] if cube else given)
    try:
        report = running_table() if session.interactive else None
        result = rolled.session_rollout(
            session, position, session.rollout, plays=plays, cube=cube, report=report
        )
    except WorkersLostError as error:
        if error.partial is not None:
            session.say(str(error.partial))
        raise
    _say_rollout(session, result)
    if session.autosave.rollout:
        autosave(session)


def _plays(session: Session, position: Position, given: list[str]) -> list[Board] | None:
    """The positions after the plays named, or marked; None for the best few of the roll."""
    if position.match.dice == NO_DICE:
        if given:
            raise ValueError(
                "The rollout command takes no arguments and only rollouts the current position"
                " (before the roll, `cube' apart)"
            )
        return None
    numbers = given or [f"={n}" for n in sorted(session.marks - {0})]
    if not numbers:
        return None
    if not session.last_plays:
        find_plays(session, position)
    return [hinted(session, f"={text.removeprefix('=')}") for text in numbers[:30]]


def compare(session: Session, given: list[str]) -> None:
    """``compare [NAME ...]``: what each evaluator plays, and what the 2-ply search thinks of it."""
    names = given[:8] or evaluator_names()
    position = asked(session)
    match = position.match
    if match.doubled or match.resigned:
        raise ValueError("Answer the offer first.")
    if match.dice == NO_DICE:
        evaluators = [evaluator_named(name[:1000]) for name in names]
        session.say(f"{'':<14} Win     W(g)    W(bg)   L(g)    L(bg)")
        for name, evaluator in zip(names, evaluators, strict=True):
            five = np.asarray(evaluator(position.board[None]))[0]
            session.say(f"{name[-14:]:<14} " + "".join(f"{p:<8.3f}" for p in five.tolist()))
        return
    chosen = [_chosen(session, name[:1000], position) for name in names]
    found = find_plays(session, position)
    by_board = {play.board.tobytes(): play for play in found.plays}
    width = min(max(14, *map(len, names)), 40)
    session.say(f"{'':<{width}} {'Plays':<30} Loss   (by {found.best.ply}-ply)")
    for name, board in zip(names, chosen, strict=True):
        play = by_board[board.tobytes()]
        session.say(f"{name[-width:]:<{width}} {play.play:<30} {play.loss:.3f}")


def _chosen(session: Session, name: str, position: Position) -> Board:
    """The position after the play of the roll that an evaluator or a heuristic prefers."""
    boards, dice = position.board[None], np.array([position.match.dice], np.int8)
    if name.partition(":")[0] in CHOOSERS:
        candidates, offsets = plays_batch(boards, dice)
        choose = chooser_named(with_weights(session, name))
        return np.asarray(candidates[choose(boards, dice, candidates, offsets)[0]])
    evaluator = evaluator_named(name)
    search = make_search(engine_of(evaluator, engine.met_of(session)), EvalSettings(0))
    ranking = rank(search, boards, dice, engine.session_cube(session, position))
    return np.asarray(ranking.boards[0])


def calibrate(session: Session, given: list[str]) -> None:
    """``calibrate [SECONDS]``: static evaluations a second on this machine."""
    seconds = words.decimal(given, 0.1, 60, "for how many seconds") if given else 1.0
    boards = _contact_positions()
    boards, _ = all_rolls(boards)
    router = engine.router_of(session)
    router(boards[:64])
    done, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        router(boards)
        done += len(boards)
    session.evaluations_per_second = done / spent
    threads = counted(thread_count(), "thread")
    session.say(f"{done / spent:,.0f} static evaluations/second with {threads}.")


def _contact_positions() -> Boards:
    """Some hundred positions of random play with contact, the same every time."""
    generator = np.random.default_rng(1)
    boards = np.repeat(START[None], 128, axis=0)
    for _ in range(12):
        results, offsets = plays_batch(boards, roll_dice(generator, len(boards)))
        boards = results[generator.integers(offsets[:-1], offsets[1:])]
    return boards


def show_calibration(session: Session) -> None:
    if session.evaluations_per_second is None:
        session.say("No evaluation speed has been recorded.")
    else:
        session.say(f"{session.evaluations_per_second:,.0f} static evaluations/second.")


def convert(session: Session, given: list[str], *, to_mwc: bool) -> None:
    """``eq2mwc X`` and ``mwc2eq X`` at the score and cube of the game."""
    position = asked(session)
    cube = engine.session_cube(session, position)
    if cube.away is None:
        raise ValueError("Command only valid in match play")
    met = engine.met_of(session)
    lowest, highest = (float(chance_of_equity(x, cube, met)) for x in (-1.0, 1.0))
    if to_mwc:
        equity = words.decimal(given or ["0"], -10, 10, "an equity")
        rows = [
            (-1.0, lowest),
            (1.0, highest),
            (equity, float(chance_of_equity(equity, cube, met))),
        ]
        lines = [f"MWC for equity = {x:+.3f}: {100 * mwc:6.2f}%" for x, mwc in rows]
    else:
        percent = words.decimal([given[0].rstrip("%")] if given else ["50"], 0, 100, "a percentage")
        found = float(equity_of_chance(percent / 100, cube, met))
        rows = [(100 * lowest, -1.0), (100 * highest, 1.0), (percent, found)]
        lines = [f"Equity for MWC = {mwc:6.2f}%: {x:+.3f}" for mwc, x in rows]
    session.say("\n".join([*lines[:2], "By linear interpolation:", lines[2]]))


def dicerolls_command(session: Session, given: list[str]) -> None:
    """``dicerolls N``: some of the session's dice."""
    n = words.whole(given, 1, 10_000, "how many rolls") if given else 10
    if session.dice.kind in ("manual", "file"):
        raise ValueError("Only a generator can be asked for rolls in advance.")
    session.say("\n".join(f"{a} {b}" for a, b in working_dice(session).rolls(n)))


def clear_hint(session: Session) -> None:
    session.last_plays = []
    session.say("Analysis used for `hint' has been cleared")


def clear_cache(session: Session) -> None:
    """``clear cache``: as in gnubg without a word."""
    shared_cache().clear()
    session.note("The evaluation cache has been cleared.")


COMMANDS = (
    Command("calibrate", "Measure how fast positions are valued", calibrate, "[seconds]"),
    Command("clear cache", "What searches remember", clear_cache),
    Command("clear hint", "The last hint", clear_hint),
    Command("compare", "What each evaluator would play", compare, "[<evaluator> ...]",
            values=("net", "large", "fast", "pseudopip", "ten-factor", *CHOOSERS), ours=True),
    Command("dicerolls", "A list of rolls", dicerolls_command, "[number]"),
    Command("eq2mwc", "Equity to match winning chance",
            lambda s, g: convert(s, g, to_mwc=True), "<equity>"),
    Command("eval", "What a position is worth", evaluate_command, "[position]"),
    Command("hint", "The best plays, the cube action, or the answer", hint_command, "[number]"),
    Command("mwc2eq", "Match winning chance to equity",
            lambda s, g: convert(s, g, to_mwc=False), "<percent>"),
    Command("rollout", "Play a position out many times", rollout_command, "[=<n> ... | cube]",
            values=("cube", "=1", "=2"),
            details="Of a roll, the plays named or marked (see `cmark'), or the five best; "
                    "before it the position, or with `cube' no double and double/take."),
    Command("show calibration", "The speed measured", show_calibration),
)  # fmt: skip
