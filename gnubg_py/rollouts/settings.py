"""What a rollout is told: trials, plays, cube, truncation, dice, and when to stop."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from gnubg_py.search.settings import EvalSettings, MoveFilter, filter_named
from gnubg_py.typed import from_object

MAX_TRIALS = 10_000_000
MAX_SEED = 2**63 - 1
_NEEDED = ("trials", "seed", "sides", "stop")

_STATIC = EvalSettings()


@dataclass(frozen=True)
class SideSettings:
    """How one side plays: its checker plays, the filter of their search, its cube."""

    plays: EvalSettings = _STATIC
    cube: EvalSettings = _STATIC
    filter: str = "normal"

    def __post_init__(self) -> None:
        filter_named(self.filter)

    @property
    def move_filter(self) -> MoveFilter:
        """The filter of that name."""
        return filter_named(self.filter)


@dataclass(frozen=True)
class StopRules:
    """When to stop before all trials are done. Rules are looked at every 36 trials.

    ``error``: once every equity's standard error is at most this. ``ahead``: with several plays,
    once the best is ahead of each other one by so many joint standard deviations. Each has its
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


_BOTH = (SideSettings(), SideSettings())
_NEVER = StopRules()


@dataclass(frozen=True)
class RolloutSettings:
    """Everything a rollout's numbers depend on, but for the evaluator.

    ``sides``: the side on roll in the position rolled out, then the other. ``later``, if given,
    takes their place from turn ``later_from`` on. ``truncate``: the turn after which games are
    not played on but valued; None plays to the end. ``luck_plies``: how deep the luck of the dice
    is valued, None for a ply less than plays are, at least 0. ``luck_keep``: how many plays of
    each roll, those the fast evaluator finds best, the main one values for that; 0: none.

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
    truncate_two_sided: bool = True
    truncate_one_sided: bool = True
    sides: tuple[SideSettings, SideSettings] = _BOTH
    later: tuple[SideSettings, SideSettings] | None = None
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
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"{name} {value}: should be {low} to {high} {unit}".rstrip())


def same_plies(plies: int, cube_plies: int | None = None) -> tuple[SideSettings, SideSettings]:
    """Both sides playing at ``plies``, and cube decisions at ``cube_plies`` (default: the same).

    >>> same_plies(1)[1].cube.plies
    1
    """
    cube = plies if cube_plies is None else cube_plies
    side = SideSettings(EvalSettings(plies=plies), EvalSettings(plies=cube))
    return side, side


def side_settings(settings: RolloutSettings, side: int, turn: int) -> SideSettings:
    """How ``side`` (0: on roll in the position rolled out) plays at ``turn``."""
    if settings.later is not None and turn >= settings.later_from:
        return settings.later[side]
    return settings.sides[side]


def luck_plies(settings: RolloutSettings, side: int, turn: int) -> int:
    """How deep the luck of that side's roll is valued."""
    if settings.luck_plies is not None:
        return settings.luck_plies
    return max(0, side_settings(settings, side, turn).plays.plies - 1)


def to_dict(settings: RolloutSettings) -> dict[str, Any]:
    """The settings as JSON can hold them."""
    return asdict(settings)


def from_dict(values: object) -> RolloutSettings:
    """The settings that ``to_dict`` made such a dictionary of; ``ValueError`` if it cannot have."""
    try:
        for name in _NEEDED:
            if isinstance(values, dict) and name not in values:
                raise ValueError(f"{name} is missing")
        return from_object(RolloutSettings, values)
    except ValueError as error:
        raise ValueError(f"rollout settings: {error}") from None


def same_games(a: RolloutSettings, b: RolloutSettings) -> bool:
    """Whether the trials of both are the same games, however many, whenever stopped."""
    return replace(a, trials=1, stop=StopRules()) == replace(b, trials=1, stop=StopRules())
