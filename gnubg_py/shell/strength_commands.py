"""Settings of plays and cube decisions, alike under ``evaluation``, ``analysis``, ``player``.

Each place where they can be set says how to get and to put a ``Strength``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gnubg_py.search.settings import (
    FILTERS,
    PRESETS,
    EvalSettings,
    FilterStep,
    MoveFilter,
    filter_named,
    preset_named,
)
from gnubg_py.shell import words
from gnubg_py.shell.options import Strength
from gnubg_py.shell.tree import Command, Run

if TYPE_CHECKING:
    from gnubg_py.shell.session import Session

SWITCH = ("on", "off")


@dataclass(frozen=True)
class Place:
    """Where a strength is kept, and what it is called in what is said."""

    title: str
    get: Callable[[Session], Strength]
    put: Callable[[Session, Strength], None]

    @property
    def who(self) -> str:
        """Whose strength it is: "Player 0" of "Player 0's"."""
        return self.title.removesuffix("'s")


def setting_commands(
    what: str, get: Callable[[Session], EvalSettings], put: Callable[[Session, EvalSettings], None]
) -> tuple[Command, ...]:
    """``plies``, ``cubeful``, ``prune``, ``noise`` and ``deterministic`` of one evaluation."""

    def plies(session: Session, given: list[str]) -> None:
        n = words.whole(given, 0, 4, "how many plies to look ahead")
        put(session, replace(get(session), plies=n))
        session.say(f"{what} will use {n} ply evaluation.")

    def noise(session: Session, given: list[str]) -> None:
        x = words.decimal(given, 0, 1, "how much noise to add")
        put(session, replace(get(session), noise=x))
        if x:
            session.say(f"{what} will use evaluations with noise of standard deviation {x:.3f}.")
        else:
            session.say(f"{what} will use noiseless evaluations.")

    def switch(name: str, on: str, off: str) -> Run:
        def run(session: Session, given: list[str]) -> None:
            wanted = words.on_off(given, name)
            changed = {name: wanted}
            put(session, replace(get(session), **changed))
            session.say(f"{what} will use {on if wanted else off}.")

        return run

    cubeful = switch("cubeful", "cubeful evaluation", "cubeless evaluation")
    prune = switch("prune", "the small net to prune plays", "no pruning")
    deterministic = switch("deterministic", "deterministic noise", "noise new every time")
    return (
        Command("plies", "How many plies to look ahead", plies, "<0-4>",
                values=("0", "1", "2", "3", "4")),
        Command("cubeful", "Whether the cube is in play", cubeful, "on|off", values=SWITCH),
        Command("prune", "Whether a small net picks the plays that are looked at", prune, "on|off",
                values=SWITCH),
        Command("noise", "Standard deviation of what is added to probabilities", noise, "<x>"),
        Command("deterministic", "Whether noise depends on the position alone", deterministic,
                "on|off", values=SWITCH),
    )  # fmt: skip


def strength_commands(place: Place) -> tuple[Command, ...]:
    """What may be set of a strength: chequerplay, cubedecision, movefilter, preset."""

    def put_plays(session: Session, settings: EvalSettings) -> None:
        place.put(session, replace(place.get(session), plays=settings))

    def put_cube(session: Session, settings: EvalSettings) -> None:
        place.put(session, replace(place.get(session), cube=settings))

    plays = setting_commands(
        f"{place.title} chequerplay", lambda session: place.get(session).plays, put_plays
    )
    cube = setting_commands(
        f"{place.title} cube decisions", lambda session: place.get(session).cube, put_cube
    )
    return (
        Command("chequerplay", "How plays are valued", subcommands=_typed(plays)),
        Command("cubedecision", "How cube decisions are valued", subcommands=_typed(cube)),
        Command("movefilter", "Which plays are looked at deeply", _set_filter(place),
                "<name> | <plies> <ply> <keep> [<extra> <tolerance>]",
                values=tuple(FILTERS), details=_FILTER_HELP),
        Command("preset", "One of gnubg's levels", _set_preset(place), "<name>",
                values=tuple(name.replace(" ", "") for name in PRESETS),
                details="The levels, weakest first: " + ", ".join(PRESETS) + "."),
    )  # fmt: skip


_FILTER_HELP = (
    f"The filters with names are {', '.join(FILTERS)}. "
    "In a search of <plies> plies, after plays were ranked at <ply>, the best <keep> go on, and "
    "up to <extra> more that are within <tolerance> of the best. Keep 0 and extra 0 skips <ply>."
)


def _typed(commands: tuple[Command, ...]) -> tuple[Command, ...]:
    def kind(session: Session, given: list[str]) -> None:
        if len(given) == 1 and given[0] and "rollout".startswith(given[0].lower()):
            raise ValueError("not supported here: rollouts decide nothing by themselves; `rollout'")
        if not (len(given) == 1 and given[0] and "evaluation".startswith(given[0].lower())):
            raise ValueError("You must specify the type: evaluation.")
        session.say("Evaluations are used.")

    return (
        Command("type", "Evaluation, the one type there is", kind, "evaluation",
                values=("evaluation",)),
        Command("evaluation", "The settings of the evaluation", subcommands=commands),
    )  # fmt: skip


def _set_preset(place: Place) -> Run:
    def run(session: Session, given: list[str]) -> None:
        if not given:
            raise ValueError(f"You must specify a level: {', '.join(PRESETS)}.")
        preset = preset_named(" ".join(given)[:60])
        place.put(session, Strength(preset.settings, preset.settings, preset.filters))
        session.say(f"{place.who} will use the settings of {preset.name}.")

    return run


def _set_filter(place: Place) -> Run:
    def run(session: Session, given: list[str]) -> None:
        strength = place.get(session)
        if len(given) == 1 and not given[0].isdigit():
            filters = filter_named(given[0][:40])
            session.say(f"{place.who} will use the {filters.name} move filter.")
        else:
            filters = _with_step(strength.filters, given)
            session.say(f"{place.who} will use a move filter of its own.")
        place.put(session, replace(strength, filters=filters))

    return run


def _with_step(filters: MoveFilter, given: list[str]) -> MoveFilter:
    if len(given) not in (3, 5):
        raise ValueError(
            "You must specify plies, ply and how many plays to keep, and then "
            "how many more and their tolerance (see `help set evaluation movefilter')."
        )
    plies = words.whole(given[:1], 1, 4, "plies")
    ply = words.whole(given[1:2], 0, plies - 1, "the ply of this step")
    keep = words.whole(given[2:3], -1, 999, "how many plays to keep")
    extra, within = 0, 0.0
    if len(given) == 5:
        extra = words.whole(given[3:4], 0, 999, "how many more plays to keep")
        within = words.decimal(given[4:5], 0, 10, "their tolerance")
    steps = {step.ply: step for step in filters.of(plies)}
    steps.pop(ply, None)
    if keep >= 0 and keep + extra > 0:
        steps[ply] = FilterStep(ply, keep, extra, within)
    changed = {**filters.steps, plies: tuple(steps[p] for p in sorted(steps))}
    return MoveFilter("own", changed)


def strength_lines(strength: Strength, indent: str = "    ") -> list[str]:
    """A strength as ``show evaluation`` prints it."""
    lines = []
    for title, within in (
        ("Chequer play:", setting_lines(strength.plays)),
        (f"Move filter: {strength.filters.name}", filter_lines(strength.filters)),
        ("Cube decisions:", setting_lines(strength.cube)),
    ):
        lines += [indent + title, *(f"{indent}  {line}" for line in within)]
    return lines


def setting_lines(settings: EvalSettings) -> list[str]:
    """An evaluation's settings in words."""
    noise = "Noiseless evaluations."
    if settings.noise:
        kind = "deterministic" if settings.deterministic else "new every time"
        noise = f"Noise of standard deviation {settings.noise:.3f} ({kind})."
    return [
        f"{settings.plies}-ply evaluation.",
        "Using the pruning net." if settings.prune else "Not using the pruning net.",
        "Cubeful evaluations." if settings.cubeful else "Cubeless evaluations.",
        noise,
    ]


def filter_lines(filters: MoveFilter) -> list[str]:
    """A move filter's steps in words, a line each, search depth by search depth."""
    lines = []
    for plies in range(1, 5):
        steps = [
            f"after {step.ply}-ply keep {step.keep} and up to {step.extra} more "
            f"within {step.within:g}"
            for step in filters.of(plies)
        ] or ["every play is looked at"]
        lines += [f"{f'{plies}-ply:' if step is steps[0] else '':<7}{step}" for step in steps]
    return lines
