"""The settings of a search: plies, noise, move filters, and gnubg's presets. Data only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from gnubg_py.board import MAX_PLAYS
from gnubg_py.typed import is_whole

MAX_PLIES = 4


@dataclass(frozen=True)
class EvalSettings:
    """How a position is valued, like gnubg's evaluation contexts.

    ``plies``: rolls to look ahead, 0 to 4. ``cubeful``: whether the cube is in play. ``prune``:
    whether a small net picks the plays that inner nodes evaluate, at most ``prune_keep`` of a roll,
    and none that is worse than the best of them by more than ``prune_within``; for those of higher
    ranks the limit is smaller, as ``groups.narrowing`` says. ``inner_plies``: how many plies an
    inner node looks ahead to choose the play of a roll, 0 to 3; it looks at most one ply less far
    than the node itself does. ``noise``: standard deviation of what is added to every leaf's
    probabilities; ``deterministic`` noise depends on the position and the ``seed`` alone, other
    noise is new with every search and every rollout.

    >>> EvalSettings(plies=9)
    Traceback (most recent call last):
    ValueError: 9 plies: should be a whole number from 0 to 4
    """

    plies: int = 0
    cubeful: bool = True
    prune: bool = True
    noise: float = 0.0
    deterministic: bool = True
    seed: int = 0
    prune_keep: int = 6
    prune_within: float = 0.15
    inner_plies: int = 0

    def __post_init__(self) -> None:
        check_plies(self.plies)
        if not (is_whole(self.inner_plies) and 0 <= self.inner_plies < MAX_PLIES):
            raise ValueError(
                f"inner_plies {self.inner_plies}: should be a whole number from 0 to "
                f"{MAX_PLIES - 1}"
            )
        if not (_is_number(self.noise) and 0 <= self.noise <= 1):
            raise ValueError(f"noise {self.noise}: should be a number from 0 to 1")
        if not (is_whole(self.seed) and self.seed >= 0):
            raise ValueError(f"seed {self.seed}: should be a whole number, 0 or above")
        if not (is_whole(self.prune_keep) and 1 <= self.prune_keep <= MAX_PLAYS):
            raise ValueError(
                f"prune_keep {self.prune_keep}: should be a whole number from 1 to {MAX_PLAYS}"
            )
        if not (_is_number(self.prune_within) and self.prune_within >= 0):
            raise ValueError(f"prune_within {self.prune_within}: should be 0 or above")

    @property
    def inner(self) -> int:
        """How many plies a node of ``plies`` looks ahead to choose plays.

        >>> [EvalSettings(plies, inner_plies=2).inner for plies in range(5)]
        [0, 0, 1, 2, 2]
        """
        return min(self.inner_plies, max(self.plies - 1, 0))

    @property
    def text(self) -> str:
        """The settings in a few words, as gnubg prints them under a play.

        >>> EvalSettings(2).text, EvalSettings(0, cubeful=False, prune=False, noise=0.05).text
        ('2-ply cubeful prune', '0-ply cubeless noise 0.05 (d)')
        """
        words = [f"{self.plies}-ply", "cubeful" if self.cubeful else "cubeless"]
        if self.prune:
            words.append("prune")
        if self.inner:
            words.append(f"inner {self.inner}-ply")
        if self.noise:
            words += [f"noise {self.noise:g}", "(d)" if self.deterministic else "(nd)"]
        return " ".join(words)


def check_plies(plies: int) -> None:
    """``ValueError`` unless ``plies`` is 0 to 4."""
    if not (is_whole(plies) and 0 <= plies <= MAX_PLIES):
        raise ValueError(f"{plies} plies: should be a whole number from 0 to {MAX_PLIES}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


STATIC = EvalSettings()
"""0-ply with the cube."""


@dataclass(frozen=True)
class FilterStep:
    """After ranking plays at ``ply``: keep the best ``keep``, and ``extra`` more near the best.

    The extra ones have an equity at most ``within`` below the best (the best itself is the first
    of them if ``keep`` is 0).

    >>> FilterStep(0, 0, -8, 0.16)
    Traceback (most recent call last):
    ValueError: move filter: extra -8: should be a whole number, 0 or above
    """

    ply: int
    keep: int
    extra: int
    within: float

    def __post_init__(self) -> None:
        for name in ("ply", "keep", "extra"):
            value = getattr(self, name)
            if not (is_whole(value) and value >= 0):
                raise ValueError(
                    f"move filter: {name} {value}: should be a whole number, 0 or above"
                )
        if self.ply >= MAX_PLIES:
            raise ValueError(f"move filter: ply {self.ply}: should be below {MAX_PLIES}")
        if self.keep + self.extra == 0:
            raise ValueError("move filter: keep 0 and extra 0: no play would be left")
        if not (_is_number(self.within) and self.within >= 0):
            raise ValueError(f"move filter: within {self.within}: should be 0 or above")


@dataclass(frozen=True)
class MoveFilter:
    """Which plays are ranked again at a deeper ply, for a search of 1, 2, 3 and 4 plies.

    ``steps[n]`` are those of an n-ply search, in order of ply: 0-ply ranks all plays, a step of
    ply 0 says which of them are kept, a step of ply 2 which of those ranked at 2-ply, and what is
    left is ranked at n-ply. A ply without a step is skipped.
    """

    name: str
    steps: Mapping[int, tuple[FilterStep, ...]] = field(hash=False)

    def __post_init__(self) -> None:
        for plies, steps in self.steps.items():
            if not (is_whole(plies) and 1 <= plies <= MAX_PLIES):
                raise ValueError(f"move filter for {plies} plies: should be 1 to {MAX_PLIES}")
            order = [step.ply for step in steps]
            if order != sorted(set(order)) or any(ply >= plies for ply in order):
                raise ValueError(
                    f"move filter for {plies} plies: its steps are of ply {order}: each should be "
                    f"below {plies} and above the one before"
                )

    def of(self, plies: int) -> tuple[FilterStep, ...]:
        """The steps of a search so deep; none at 0-ply."""
        return self.steps.get(plies, ())


def _shipped(name: str, extra: int, within: float, deep_extra: int, deep: float) -> MoveFilter:
    first = FilterStep(0, 0, extra, within)
    steps = (first, FilterStep(2, 0, deep_extra, deep))
    return MoveFilter(name, {1: (first,), 2: (first,), 3: steps, 4: steps})


FILTERS: dict[str, MoveFilter] = {
    "tiny": _shipped("tiny", 5, 0.08, 2, 0.02),
    "narrow": _shipped("narrow", 8, 0.12, 2, 0.03),
    "normal": _shipped("normal", 8, 0.16, 2, 0.04),
    "large": _shipped("large", 16, 0.32, 4, 0.08),
    "huge": _shipped("huge", 20, 0.44, 6, 0.11),
}
"""gnubg's move filters, with its numbers."""

NORMAL = FILTERS["normal"]


def filter_named(name: str) -> MoveFilter:
    """gnubg's move filter of that name; ``ValueError`` lists the names."""
    if name.lower() not in FILTERS:
        raise ValueError(f"move filter {name!r} is not one of {', '.join(FILTERS)}")
    return FILTERS[name.lower()]


def _pruning(settings: EvalSettings) -> tuple[int, float] | None:
    """How a search prunes; None if it does not."""
    return (settings.prune_keep, settings.prune_within) if settings.prune else None


def preset_name(settings: EvalSettings, filters: MoveFilter | None = None) -> str | None:
    """gnubg's name of these settings; None if they are no preset.

    Without ``filters`` the first preset with these settings, as gnubg names an evaluation. At 0-ply
    neither the filters nor pruning matter.
    """
    for name, preset in PRESETS.items():
        theirs = preset.plays
        if settings.inner or (
            settings.plies, settings.cubeful, settings.noise, settings.deterministic
        ) != (theirs.plies, theirs.cubeful, theirs.noise, theirs.deterministic):  # fmt: skip
            continue
        if settings.plies == 0 or (
            _pruning(settings) == _pruning(theirs)
            and (filters is None or filters.of(settings.plies) == preset.filters.of(settings.plies))
        ):
            return name
    return None


@dataclass(frozen=True)
class Strength:
    """How a side plays: its checker plays with their move filter, and its cube decisions."""

    plays: EvalSettings = STATIC
    cube: EvalSettings = STATIC
    filters: MoveFilter = NORMAL

    @property
    def preset(self) -> str | None:
        """gnubg's name of this strength, None if it has none."""
        name = preset_name(self.plays, self.filters)
        return name if name == preset_name(self.cube, self.filters) else None


def strength_of(settings: EvalSettings, filters: MoveFilter = NORMAL) -> Strength:
    """The strength with the same settings for plays and cube decisions."""
    return Strength(settings, settings, filters)


PRESETS: dict[str, Strength] = {
    "beginner": strength_of(EvalSettings(0, prune=False, noise=0.060)),
    "casual play": strength_of(EvalSettings(0, prune=False, noise=0.050)),
    "intermediate": strength_of(EvalSettings(0, prune=False, noise=0.040)),
    "advanced": strength_of(EvalSettings(0, prune=False, noise=0.015)),
    "expert": strength_of(EvalSettings(0, prune=False)),
    "world class": strength_of(EvalSettings(2)),
    "supremo": strength_of(EvalSettings(2), FILTERS["large"]),
    "grandmaster": strength_of(EvalSettings(3), FILTERS["large"]),
    "4ply": strength_of(EvalSettings(4), FILTERS["large"]),
}
"""gnubg's presets, weakest first."""


def preset_named(name: str) -> Strength:
    """The preset of that name, however its words are joined; ``ValueError`` lists the names.

    >>> preset_named("WorldClass").plays.plies
    2
    """
    plain = {key.replace(" ", ""): preset for key, preset in PRESETS.items()}
    wanted = "".join(c for c in name.lower() if c not in " -_")
    if wanted not in plain:
        raise ValueError(f"preset {name!r} is not one of {', '.join(PRESETS)}")
    return plain[wanted]
