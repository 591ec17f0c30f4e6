"""``show rollout``: the settings of rollouts in gnubg's words."""

from __future__ import annotations

from collections.abc import Callable

from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.search.settings import EvalSettings, Strength
from gnubg_py.shell.strength_settings import filter_lines, setting_lines
from gnubg_py.threads import T


def truncation_sentences(database: str) -> tuple[str, str]:
    """Whether cubeless games stop at a database, in gnubg's words: that they do, that not."""
    reached = f"truncate *cubeless* rollouts when reaching {database} bearoff database"
    return f"Will {reached}", f"Will not {reached}"


def rollout_lines(settings: RolloutSettings) -> list[str]:
    """``show rollout``, in gnubg's order."""

    def yes(wanted: bool, text: str, plural: bool = False) -> str:
        return f"{text} {'are' if plural else 'is'} {'enabled' if wanted else 'disabled'}."

    exact = "Will" if settings.truncate_two_sided else "Will not"
    money = "money game rollouts when reaching exact bearoff database."
    return [
        "`rollout' will use:",
        f"{settings.trials} games will be played per rollout.",
        f"Truncation after {settings.truncate} plies." if settings.truncate else "No truncation.",
        f"{exact} truncate cubeful {money}",
        f"{exact} truncate {money}",
        f"{truncation_sentences('one-sided')[0 if settings.truncate_one_sided else 1]}.",
        yes(settings.variance_reduction, "Lookahead variance reduction"),
        yes(settings.stratified, "Quasi-random dice", plural=True),
        "Cubeful rollout." if settings.cubeful else "Cubeless rollout.",
        f"Rollout as opening move {'enabled' if settings.initial_position else 'disabled'}.",
        f"Mersenne Twister dice generator with seed {settings.seed}.",
        *_evaluation_lines(settings),
        *_truncation_lines(settings),
        *_stop_lines(settings),
    ]


_Sides = tuple[Strength, Strength]


def _spans(settings: RolloutSettings) -> list[tuple[str, _Sides]]:
    """The settings of both sides, and from when to when they hold."""
    if settings.later is None:
        return [("", settings.sides)]
    plies = settings.later_from
    return [
        (f"for first {plies} plies:", settings.sides),
        (f"after {plies} plies:", settings.later),
    ]


def _evaluation_lines(settings: RolloutSettings) -> list[str]:
    spans = _spans(settings)
    answer = []
    for title, pick in _kinds(spans):
        for when, (one, two) in spans:
            answer.append(f"{title} {when}".rstrip())
            answer += _of_both(pick(one), pick(two), setting_lines)
    for when, (one, two) in spans:
        answer.append(f"Move filter {when}".rstrip(" :") + ":")
        answer += _of_both(one.filters, two.filters, lambda filters: [*filter_lines(filters), ""])
    return answer


def _of_both(one: T, two: T, shown: Callable[[T], list[str]]) -> list[str]:
    """The lines of what both players have, once if it is the same."""
    return shown(one) if one == two else ["Player 0:", *shown(one), "Player 1:", *shown(two)]


def _kinds(
    spans: list[tuple[str, _Sides]],
) -> list[tuple[str, Callable[[Strength], EvalSettings]]]:
    """What settings are shown: those of plays and of the cube, or both as one if they are equal."""
    if all(side.plays == side.cube for _, sides in spans for side in sides):
        return [("Evaluation parameters:", lambda side: side.plays)]
    return [
        ("Chequer play parameters:", lambda side: side.plays),
        ("Cube decision parameters:", lambda side: side.cube),
    ]


def _truncation_lines(settings: RolloutSettings) -> list[str]:
    """How games are valued where they are truncated, if not as player 0 plays."""
    if not settings.truncate or settings.at_truncation is None:
        return []
    plays, cube = settings.at_truncation.plays, settings.at_truncation.cube
    return ["Truncation point Chequer play evaluation:", *setting_lines(plays),
            "Truncation point Cube evaluation:", *setting_lines(cube)]  # fmt: skip


def _stop_lines(settings: RolloutSettings) -> list[str]:
    stop, answer = settings.stop, []
    if stop.error is not None:
        kinds = "both equities STD\n\t(cubeful and cubeless) are"
        what = kinds if settings.cubeful else "equity STD is"
        answer.append(
            f"Rollouts may stop after {stop.error_minimum} games if {what} "
            f"less than {stop.error:6.4f}"
        )
    if stop.ahead is not None:
        answer.append(
            f"Rollouts of choices may stop after {stop.ahead_minimum} games if one is ahead by "
            f"{stop.ahead:g} JSDs"
        )
    return answer
