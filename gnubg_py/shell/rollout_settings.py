"""``set rollout`` and ``show rollout``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gnubg_py.rollouts.settings import (
    MAX_SEED,
    MAX_TRIALS,
    RolloutSettings,
    SideSettings,
    StopRules,
)
from gnubg_py.search.settings import FILTERS, EvalSettings, filter_named
from gnubg_py.shell import words
from gnubg_py.shell.strength_commands import SWITCH, setting_commands, setting_lines
from gnubg_py.shell.tree import Command, Run

if TYPE_CHECKING:
    from gnubg_py.shell.session import Session


def _put(session: Session, **changes: Any) -> None:
    session.rollout = replace(session.rollout, **changes)


def _put_stop(session: Session, **changes: Any) -> None:
    _put(session, stop=replace(session.rollout.stop, **changes))


def _put_side(session: Session, player: int | None, later: bool, **changes: Any) -> None:
    settings = session.rollout
    old = (settings.later or settings.sides) if later else settings.sides
    sides = tuple(
        replace(side, **changes) if player in (None, number) else side
        for number, side in enumerate(old)
    )
    _put(session, **{"later" if later else "sides": sides})


def _switch(name: str, on: str, off: str) -> Run:
    def run(session: Session, given: list[str]) -> None:
        wanted = words.on_off(given, name.replace("_", " "))
        _put(session, **{name: wanted})
        session.say(on if wanted else off)

    return run


def set_trials(session: Session, given: list[str]) -> None:
    """``set rollout trials N``."""
    n = words.whole(given, 1, MAX_TRIALS, "the number of trials")
    _put(session, trials=n)
    session.say(f"{n} game{'s' * (n != 1)} will be played per rollout.")


def set_seed(session: Session, given: list[str]) -> None:
    """``set rollout seed N``."""
    n = words.whole(given, 0, MAX_SEED, "a seed")
    _put(session, seed=n)
    session.say(f"Rollout seed set to {n}.")


def set_truncation_enable(session: Session, given: list[str]) -> None:
    """``set rollout truncation enable on|off``."""
    wanted = words.on_off(given, "rollout truncation")
    _put(session, truncate=(session.rollout.truncate or 10) if wanted else None)
    session.say(f"Games in rollouts will {'' if wanted else 'not '}be truncated.")


def set_truncation_plies(session: Session, given: list[str]) -> None:
    """``set rollout truncation plies N``."""
    n = words.whole(given, 0, 1000, "after how many plies to truncate rollouts")
    _put(session, truncate=n or None)
    how = f"truncated after {n} pl{'y' if n == 1 else 'ies'}" if n else "played to their end"
    session.say(f"Games in rollouts will be {how}.")


def set_limit_enable(session: Session, given: list[str]) -> None:
    """``set rollout limit enable on|off``: stop by standard errors."""
    wanted = words.on_off(given, "rollout limit")
    _put_stop(session, error=(session.rollout.stop.error or 0.01) if wanted else None)
    session.say(f"Rollouts will {'' if wanted else 'not '}stop when their errors are small enough.")


def set_limit_error(session: Session, given: list[str]) -> None:
    """``set rollout limit maxerror X``."""
    x = words.decimal(given, 1e-6, 1, "the standard error at which rollouts stop")
    _put_stop(session, error=x)
    session.say(f"Rollouts will stop when every standard error is at most {x:g}.")


def set_jsd_stop(session: Session, given: list[str]) -> None:
    """``set rollout jsd stop on|off``: stop once one play is ahead of all."""
    wanted = words.on_off(given, "rollout jsd stop")
    _put_stop(session, ahead=(session.rollout.stop.ahead or 2.33) if wanted else None)
    session.say(f"Rollouts will {'' if wanted else 'not '}stop when one play is far enough ahead.")


def set_jsd_limit(session: Session, given: list[str]) -> None:
    """``set rollout jsd limit X``."""
    x = words.decimal(given, 0.01, 100, "how many joint standard deviations")
    _put_stop(session, ahead=x)
    session.say(f"Rollouts will stop when the best play is ahead by {x:g} standard deviations.")


def _minimum(name: str) -> Run:
    def run(session: Session, given: list[str]) -> None:
        n = words.whole(given, 2, MAX_TRIALS, "how many games to play at least")
        _put_stop(session, **{name: n})
        session.say(f"After a minimum of {n} games.")

    return run


def _bearoff(name: str, what: str) -> Run:
    def run(session: Session, given: list[str]) -> None:
        wanted = words.on_off(given, what)
        _put(session, **{name: wanted})
        how = "" if wanted else "not "
        session.say(f"Will {how}truncate rollouts when reaching the {what} database.")

    return run


def set_later_enable(session: Session, given: list[str]) -> None:
    """``set rollout later enable on|off``."""
    wanted = words.on_off(given, "rollout later")
    _put(session, later=(session.rollout.later or session.rollout.sides) if wanted else None)
    session.say(f"Settings for later plies will {'' if wanted else 'not '}be used.")


def set_later_plies(session: Session, given: list[str]) -> None:
    """``set rollout later plies N``."""
    n = words.whole(given, 1, 1000, "from which ply on the later settings hold")
    _put(session, later_from=n)
    session.say(f"Settings for later plies will be used from ply {n} on.")


def _side_commands(player: int | None = None, later: bool = False) -> tuple[Command, ...]:
    number = player or 0
    title = "Rollout" + (f" player {player}'s" if player is not None else "") + " later" * later

    def side(session: Session) -> SideSettings:
        settings = session.rollout
        return ((settings.later or settings.sides) if later else settings.sides)[number]

    def put_plays(session: Session, new: EvalSettings) -> None:
        _put_side(session, player, later, plays=new)

    def put_cube(session: Session, new: EvalSettings) -> None:
        _put_side(session, player, later, cube=new)

    def movefilter(session: Session, given: list[str]) -> None:
        filters = filter_named(" ".join(given)[:40])
        _put_side(session, player, later, filter=filters.name)
        session.say(f"{title} will use the {filters.name} move filter.")

    plays = setting_commands(f"{title} chequerplay", lambda s: side(s).plays, put_plays)
    cube = setting_commands(f"{title} cube decisions", lambda s: side(s).cube, put_cube)
    return (
        Command("chequerplay", "How plays are chosen", subcommands=plays),
        Command("cubedecision", "How cube decisions are made", subcommands=cube),
        Command("movefilter", "Which plays are looked at deeply", movefilter,
                "tiny|narrow|normal|large|huge", values=tuple(FILTERS)),
    )  # fmt: skip


def commands() -> tuple[Command, ...]:
    """What follows ``set rollout``."""

    def switch(name: str, help_text: str, option: str, on: str, off: str) -> Command:
        return Command(name, help_text, _switch(option, on, off), "on|off", values=SWITCH)

    rotated = (
        "stratified",
        "Dice of rollouts will be spread evenly.",
        "Dice of rollouts will be random.",
    )
    return (
        *_side_commands(),
        Command("bearofftruncation", "Where games stop in the bearoff", subcommands=(
            Command("exact", "At the two-sided database", _bearoff(
                "truncate_two_sided", "two-sided"), "on|off", values=SWITCH),
            Command("onesided", "At the one-sided database, cubeless", _bearoff(
                "truncate_one_sided", "one-sided"), "on|off", values=SWITCH),
        )),
        switch("cubeful", "Whether the cube is in play", "cubeful", "Rollouts will be cubeful.",
               "Rollouts will be cubeless."),
        switch("initial", "Whether the first roll cannot be a double", "initial_position",
               "Rollouts will be of an opening position.",
               "Rollouts will not be of an opening position."),
        Command("jsd", "Stop once a play is ahead of all others", subcommands=(
            Command("limit", "By how many joint standard deviations", set_jsd_limit, "<x>"),
            Command("minimumgames", "After how many games at least", _minimum("ahead_minimum"),
                    "<games>"),
            Command("stop", "Whether to stop so", set_jsd_stop, "on|off", values=SWITCH),
        )),
        Command("later", "Settings from some ply on", subcommands=(
            Command("enable", "Whether there are any", set_later_enable, "on|off", values=SWITCH),
            Command("plies", "From which ply on", set_later_plies, "<plies>"),
            *_side_commands(later=True),
        )),
        Command("limit", "Stop once the results are exact enough", subcommands=(
            Command("enable", "Whether to stop so", set_limit_enable, "on|off", values=SWITCH),
            Command("maxerror", "The standard error that is enough", set_limit_error, "<x>"),
            Command("minimumgames", "After how many games at least", _minimum("error_minimum"),
                    "<games>"),
        )),
        Command("player", "One side's settings", subcommands=tuple(
            Command(str(n), f"Side {n}: 0 is on roll", subcommands=_side_commands(n))
            for n in (0, 1)
        )),
        switch("quasirandom", "Whether dice are spread evenly", *rotated),
        switch("rotate", "The same as quasirandom", *rotated),
        Command("seed", "The seed of the dice", set_seed, "<number>"),
        Command("trials", "How many games are played", set_trials, "<number>"),
        Command("truncation", "Where games stop", subcommands=(
            Command("enable", "Whether they stop", set_truncation_enable, "on|off",
                    values=SWITCH),
            Command("plies", "After how many plies", set_truncation_plies, "<plies>"),
        )),
        switch("varredn", "Whether luck is taken out", "variance_reduction",
               "Lookahead variance reduction will be used.",
               "Lookahead variance reduction will not be used."),
    )  # fmt: skip


def lines(settings: RolloutSettings) -> list[str]:
    """``show rollout``."""

    def yes(wanted: bool, text: str) -> str:
        return f"{text} {'enabled' if wanted else 'disabled'}."

    answer = [
        "`rollout' will use:",
        f"{settings.trials} games will be played per rollout.",
        f"Truncation after {settings.truncate} plies." if settings.truncate else "No truncation.",
        yes(settings.truncate_two_sided, "Truncation at the two-sided bearoff database"),
        yes(settings.truncate_one_sided, "Truncation at the one-sided one, where cubeless,"),
        yes(settings.variance_reduction, "Lookahead variance reduction"),
        yes(settings.stratified, "Quasi-random dice"),
        "Cubeful rollout." if settings.cubeful else "Cubeless rollout.",
        yes(settings.initial_position, "Rollout as opening move"),
        f"Dice with seed {settings.seed}.",
        *_stop_lines(settings.stop),
    ]
    for title, sides in (("", settings.sides), ("Later ", settings.later)):
        for number, side in enumerate(sides or ()):
            if number == 1 and sides is not None and sides[0] == sides[1]:
                break
            answer.append(f"{title}settings of side {number}:".capitalize())
            answer += [f"  Chequer play: {line}" for line in setting_lines(side.plays)]
            answer += [f"  Cube decisions: {line}" for line in setting_lines(side.cube)]
            answer.append(f"  Move filter: {side.filter}")
    return answer


def _stop_lines(stop: StopRules) -> list[str]:
    answer = []
    if stop.error is not None:
        answer.append(
            f"Stops at standard errors of {stop.error:g}, after {stop.error_minimum} games."
        )
    if stop.ahead is not None:
        answer.append(f"Stops at {stop.ahead:g} JSDs, after {stop.ahead_minimum} games.")
    return answer
