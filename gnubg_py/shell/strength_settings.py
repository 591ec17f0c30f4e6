"""The settings of an evaluation and of a strength, alike wherever gnubg has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gnubg_py.search.settings import (
    FILTERS,
    PRESETS,
    EvalSettings,
    FilterStep,
    MoveFilter,
    Strength,
    filter_named,
    preset_named,
)
from gnubg_py.shell import words
from gnubg_py.shell.session import Session
from gnubg_py.shell.settings import SWITCH, Reader, Setting, SettingPlace, choice, decimal_reader


def _plies_reader(most: int, purpose: str) -> Reader:
    refusal = f"Valid numbers of plies {purpose} are 0 to {most}."
    return Reader(
        f"<0-{most}>",
        lambda given, _: words.whole(given, 0, most, "", refusal),
        values=tuple(map(str, range(most + 1))),
    )


_PLIES = _plies_reader(4, "to look ahead")
_INNER_PLIES = _plies_reader(3, "to choose inner plays by")
_FILTER_HELP = (
    f"The filters with names are {', '.join(FILTERS)}. "
    "In a search of <plies> plies, after plays were ranked at <ply>, the best <keep> go on, and "
    "up to <extra> more that are within <tolerance> of the best. Keep 0 and extra 0 skips <ply>."
)


def evaluation_settings(prefix: str, title: str, place: SettingPlace) -> list[Setting]:
    """The settings of an ``EvalSettings``; ``title`` is what is said to use them."""
    noted = (
        "(Note that this setting will have no effect unless you set noise to some non-zero value.)"
    )

    def row(name: str, help_text: str, reader: Reader, says: Any) -> Setting:
        return Setting(f"{prefix} {name}", help_text, reader, place.field(name), says)

    def deterministic(session: Session, value: bool) -> str:
        kind = "deterministic" if value else "pseudo-random"
        unused = "" if place.get(session).noise else f"\n\n{noted}"
        return f"{title} will use {kind} noise.{unused}"

    def noise(_: Session, value: float) -> str:
        kind = f"noise with standard deviation {value:.3f}" if value else "noiseless evaluations"
        return f"{title} will use {kind}."

    return [
        row("cubeful", "Whether the cube is in play", SWITCH,
            (f"{title} will use cubeful evaluation.", f"{title} will use cubeless evaluation.")),
        row("deterministic", "Whether noise depends on the position alone", SWITCH, deterministic),
        row("noise", "Standard deviation of what is added to probabilities",
            decimal_reader(0, 1, f"a valid amount of noise to use (see `help set {prefix} noise')"),
            noise),
        row("plies", "How many plies to look ahead", _PLIES,
            f"{title} will use {{}} ply evaluation."),
        row("prune", "Whether a small net picks the plays that are looked at", SWITCH,
            (f"{title} will use pruning.", f"{title} will not use pruning.")),
        Setting(f"{prefix} inner", "How many plies to choose plays inside a search by",
                _INNER_PLIES, place.field("inner_plies"),
                f"{title} will choose plays inside a search by {{}} ply evaluation.", ours=True),
    ]  # fmt: skip


def filter_setting(prefix: str, place: SettingPlace) -> Setting:
    """``movefilter``: a filter by its name, or one step of it by numbers as gnubg has it."""

    def put(session: Session, given: list[str]) -> None:
        if len(given) == 1 and not given[0].isdigit():
            place.put(session, filter_named(given[0][:40]))
        else:
            place.put(session, _with_step(place.get(session), given))

    def says(session: Session, _: Any) -> str:
        filters = place.get(session)
        return f"The {filters.name} move filter will be used." if filters.name in FILTERS else ""

    return Setting(
        f"{prefix} movefilter", "Which plays are looked at deeply",
        Reader("<name> | <plies> <ply> <keep> [<extra> <tolerance>]",
               lambda given, _: given, _filter_words, tuple(FILTERS)),
        SettingPlace(place.get, put), says, details=_FILTER_HELP,
    )  # fmt: skip


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


def _filter_words(filters: MoveFilter) -> list[str]:
    """What to write after `movefilter`, a line a step."""
    if filters.name in FILTERS:
        return [filters.name]
    lines = []
    for plies in range(1, 5):
        steps = {step.ply: step for step in filters.of(plies)}
        for ply in range(plies):
            step = steps.get(ply)
            kept = f"{step.keep} {step.extra} {step.within:g}" if step else "-1 0 0"
            lines.append(f"{plies} {ply} {kept}")
    return lines


def strength_settings(prefix: str, titles: tuple[str, str], place: SettingPlace) -> list[Setting]:
    """The settings of a ``Strength``; ``titles`` of its plays and of its cube decisions."""
    rows = [filter_setting(prefix, place.field("filters")), _preset_setting(prefix, place)]
    for part, name, title in zip(
        ("plays", "cube"), ("chequerplay", "cubedecision"), titles, strict=True
    ):
        words_ = f"{prefix} {name}"
        rows.append(_type_setting(words_, title))
        rows += evaluation_settings(f"{words_} evaluation", title, place.field(part))
    return rows


_TYPES = {"evaluation": "Neural net evaluation", "rollout": "Rollout"}


def _type_setting(prefix: str, title: str) -> Setting:
    """Whether plays or cube decisions are evaluated or rolled out."""

    def put(session: Session, kind: str) -> None:
        change = session.by_rollout.add if kind == "rollout" else session.by_rollout.discard
        change(prefix)
        session.forget_plays()

    def get(session: Session) -> str:
        return "rollout" if prefix in session.by_rollout else "evaluation"

    return Setting(
        f"{prefix} type", "Whether they are evaluated or rolled out",
        choice("the type", _TYPES), SettingPlace(get, put),
        lambda _, kind: f"{title} will now use {_TYPES[kind]}.",
    )  # fmt: skip


def _preset_setting(prefix: str, place: SettingPlace) -> Setting:
    def read(given: list[str], _: str) -> Strength:
        if not given:
            raise ValueError(f"You must specify a level: {', '.join(PRESETS)}.")
        return preset_named(" ".join(given)[:60])

    return Setting(
        f"{prefix} preset", "One of gnubg's levels",
        Reader("<name>", read, lambda _: [], tuple(name.replace(" ", "") for name in PRESETS)),
        place, lambda _, strength: f"The settings of {strength.preset} will be used.", ours=True,
        details="The levels, weakest first: " + ", ".join(PRESETS) + ".",
    )  # fmt: skip


def strength_lines(
    strength: Strength, rolled: Mapping[str, list[str]], heading: str = "    Move filters:"
) -> list[str]:
    """A strength as ``show evaluation`` prints it; ``rolled``: the rollouts in its place."""

    def part(kind: str, settings: EvalSettings) -> list[str]:
        if kind in rolled:
            return ["      Rollout:", *rolled[kind]]
        return evaluation_lines(settings)

    return [
        "    Chequer play:", *part("chequerplay", strength.plays),
        *([heading] if heading else ()), *filter_lines(strength.filters), "",
        "    Cube decisions:", *part("cubedecision", strength.cube),
    ]  # fmt: skip


def evaluation_lines(settings: EvalSettings) -> list[str]:
    """An evaluation as part of a strength."""
    return ["      Neural net evaluation:", *setting_lines(settings)]


def setting_lines(settings: EvalSettings) -> list[str]:
    """An evaluation's settings in gnubg's words."""
    noise = "Noiseless evaluations."
    if settings.noise:
        source = "deterministic noise" if settings.deterministic else "pseudo-random noise"
        noise = f"Noise standard deviation {settings.noise:5.3f} ({source})."
    pruning = "Using pruning" if settings.prune else "Not using pruning"
    kind = "Cubeful" if settings.cubeful else "Cubeless"
    nets = f"{pruning} neural nets.        {kind} evaluations."
    lines = [f"{settings.plies}-ply evaluation.", nets, noise]
    if settings.inner_plies:
        lines.append(f"Plays inside a search are chosen at {settings.inner_plies}-ply.")
    return [f"        {line}" for line in lines]


def filter_lines(filters: MoveFilter) -> list[str]:
    """A move filter's steps in gnubg's words, search depth by search depth."""
    lines = []
    for plies in range(1, 5):
        lines.append(f"      Move filter for {plies} ply:")
        steps = {step.ply: step for step in filters.of(plies)}
        for ply in range(plies):
            lines.append(f"        {_step_text(ply, steps.get(ply))}")
    return lines


def _step_text(ply: int, step: FilterStep | None) -> str:
    if step is None:
        return f"Skip pruning for {ply}-ply moves."
    kept = f"keep the first {step.keep} {ply}-ply moves"
    if not step.extra:
        return kept
    return f"{kept} and up to {step.extra} more moves within equity {step.within:g}"
