"""The settings of a rollout: trials, plays, cube, truncation, dice, and when to stop."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from gnubg_py.search.settings import (
    FILTERS,
    EvalSettings,
    FilterStep,
    MoveFilter,
    Strength,
    filter_named,
    strength_of,
)
from gnubg_py.typed import from_object, is_whole

MAX_TRIALS = 10_000_000
MAX_SEED = 2**63 - 1
_NEEDED = ("trials", "seed", "sides", "stop")


@dataclass(frozen=True)
class StopRules:
    """When to stop before all trials are done. The rules are checked every 36 trials.

    ``error``: once every equity's standard error is at most this. ``ahead``: with several plays,
    once the best is ahead of each other one by this many joint standard errors. Each rule has its
    minimum of trials.
    """

    error: float | None = None
    error_minimum: int = 324
    ahead: float | None = None
    ahead_minimum: int = 144

    def __post_init__(self) -> None:
        for name in ("error", "ahead"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"stop at {name} {value}: should be above 0")
        for name in ("error_minimum", "ahead_minimum"):
            value = getattr(self, name)
            if value < 2:
                raise ValueError(f"{name} {value}: should be at least 2 trials")


_BOTH = (Strength(), Strength())
_NEVER = StopRules()


@dataclass(frozen=True)
class RolloutSettings:
    """Everything a rollout's numbers depend on, but for the engine.

    ``sides``: the side on roll in the position rolled out, then the other. ``later``, if given,
    takes their place from turn ``later_from`` on. ``truncate``: the turn after which games are
    valued instead of played on; None plays to the end. They are valued as ``at_truncation`` says,
    by its settings of the cube or, in a cubeless rollout, of plays; None: as the side on roll does.
    ``luck_plies``: the plies at which the luck of the dice is valued, None for one less than plays,
    at least 0. ``luck_keep``: how many plays of each roll, the best by the fast evaluator, are
    evaluated by the main one to value the luck; 0: none.

    >>> RolloutSettings(trials=0)
    Traceback (most recent call last):
    ValueError: trials 0: should be 1 to 10000000
    """

    trials: int = 1296
    seed: int = 0
    cubeful: bool = True
    variance_reduction: bool = True
    luck_plies: int | None = None
    luck_keep: int = 2
    stratified: bool = True
    initial_position: bool = False
    truncate: int | None = None
    at_truncation: Strength | None = None
    truncate_two_sided: bool = True
    truncate_one_sided: bool = True
    sides: tuple[Strength, Strength] = _BOTH
    later: tuple[Strength, Strength] | None = None
    later_from: int = 5
    stop: StopRules = _NEVER

    def __post_init__(self) -> None:
        _check_between("trials", self.trials, 1, MAX_TRIALS)
        _check_between("seed", self.seed, 0, MAX_SEED)
        if self.truncate is not None:
            _check_between("truncation", self.truncate, 1, 1000, "turns, or none")
        if self.luck_plies is not None:
            _check_between("luck_plies", self.luck_plies, 0, 2)
        _check_between("luck_keep", self.luck_keep, 0, 100)
        _check_between("later_from", self.later_from, 1, 1000, "turns")


def _check_between(name: str, value: int, low: int, high: int, unit: str = "") -> None:
    if not (is_whole(value) and low <= value <= high):
        raise ValueError(f"{name} {value}: should be {low} to {high} {unit}".rstrip())


def same_plies(plies: int, cube_plies: int | None = None) -> tuple[Strength, Strength]:
    """Both sides playing at ``plies``, and cube decisions at ``cube_plies`` (default: the same).

    >>> same_plies(1)[1].cube.plies
    1
    """
    cube = plies if cube_plies is None else cube_plies
    side = Strength(EvalSettings(plies=plies), EvalSettings(plies=cube))
    return side, side


def _with_cubes_at_2_plies(cubeful: bool) -> tuple[Strength, Strength]:
    side = Strength(EvalSettings(0, cubeful), EvalSettings(2, cubeful))
    return side, side


GNUBG_ROLLOUTS = RolloutSettings(
    sides=_with_cubes_at_2_plies(cubeful=True),
    at_truncation=strength_of(EvalSettings(2)),
    stop=StopRules(ahead_minimum=324),
)
"""How gnubg rolls out unless it is told otherwise."""
GNUBG_DECIDING = replace(
    GNUBG_ROLLOUTS,
    cubeful=False,
    truncate=10,
    sides=_with_cubes_at_2_plies(cubeful=False),
    at_truncation=strength_of(EvalSettings(2, cubeful=False)),
)
"""How it rolls out where rollouts decide in the place of an evaluation."""


def strength_at(settings: RolloutSettings, side: int, turn: int) -> Strength:
    """How ``side`` (0: on roll in the position rolled out) plays at ``turn``."""
    if settings.later is not None and turn >= settings.later_from:
        return settings.later[side]
    return settings.sides[side]


def luck_plies(settings: RolloutSettings, side: int, turn: int) -> int:
    """How deep the luck of that side's roll is valued."""
    if settings.luck_plies is not None:
        return settings.luck_plies
    return max(0, strength_at(settings, side, turn).plays.plies - 1)


def to_dict(settings: RolloutSettings) -> dict[str, Any]:
    """The settings as JSON can hold them."""
    answer = asdict(replace(settings, sides=_BOTH, later=None, at_truncation=None))
    answer["sides"] = [_side_dict(side) for side in settings.sides]
    if settings.later is not None:
        answer["later"] = [_side_dict(side) for side in settings.later]
    if settings.at_truncation is not None:
        answer["at_truncation"] = _side_dict(settings.at_truncation)
    return answer


def _side_dict(side: Strength) -> dict[str, Any]:
    filters = side.filters
    saved: dict[str, Any] = {
        "plays": asdict(side.plays),
        "cube": asdict(side.cube),
        "filter": filters.name,
    }
    if FILTERS.get(filters.name) != filters:
        saved["steps"] = [
            {"plies": plies, "step": asdict(step)}
            for plies, steps in filters.steps.items()
            for step in steps
        ]
    return saved


@dataclass(frozen=True)
class _SavedStep:
    """A step of the move filter for searches of so many plies."""

    plies: int
    step: FilterStep


@dataclass(frozen=True)
class _SavedSide:
    """A ``Strength`` as it is saved: gnubg's move filters by name, others with their steps."""

    plays: EvalSettings
    cube: EvalSettings
    filter: str
    steps: tuple[_SavedStep, ...] | None = None


@dataclass(frozen=True)
class _SavedSides:
    sides: tuple[_SavedSide, _SavedSide]
    later: tuple[_SavedSide, _SavedSide] | None = None
    at_truncation: _SavedSide | None = None


def from_dict(values: object) -> RolloutSettings:
    """The settings of a dictionary that ``to_dict`` made; ``ValueError`` if they cannot be read."""
    try:
        if not isinstance(values, dict):
            return from_object(RolloutSettings, values)
        for name in _NEEDED:
            if name not in values:
                raise ValueError(f"{name} is missing")
        names = [field.name for field in fields(_SavedSides)]
        of_sides = {name: values[name] for name in names if name in values}
        saved = from_object(_SavedSides, of_sides)
        settings = from_object(RolloutSettings, {k: values[k] for k in values.keys() - of_sides})
        first, second = saved.sides
        return replace(
            settings,
            sides=(_strength(first), _strength(second)),
            later=(_strength(saved.later[0]), _strength(saved.later[1])) if saved.later else None,
            at_truncation=_strength(saved.at_truncation) if saved.at_truncation else None,
        )
    except ValueError as error:
        raise ValueError(f"rollout settings: {error}") from None


def _strength(saved: _SavedSide) -> Strength:
    if saved.steps is None:
        return Strength(saved.plays, saved.cube, filter_named(saved.filter))
    steps: dict[int, tuple[FilterStep, ...]] = {}
    for one in saved.steps:
        steps[one.plies] = (*steps.get(one.plies, ()), one.step)
    return Strength(saved.plays, saved.cube, MoveFilter(saved.filter, steps))


def same_games(a: RolloutSettings, b: RolloutSettings) -> bool:
    """Whether the trials of both are the same games, however many, whenever stopped."""
    return replace(a, trials=1, stop=StopRules()) == replace(b, trials=1, stop=StopRules())
