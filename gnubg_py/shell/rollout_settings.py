"""``set rollout``, and the settings of rollouts in other places."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gnubg_py.messages import counted
from gnubg_py.rollouts.settings import MAX_SEED, MAX_TRIALS, RolloutSettings
from gnubg_py.search.settings import Strength
from gnubg_py.shell.rollout_lines import truncation_sentences
from gnubg_py.shell.session import Session
from gnubg_py.shell.settings import (
    NOTHING,
    Reader,
    Says,
    Setting,
    SettingPlace,
    decimal_reader,
    kept_at,
    switch,
    whole_reader,
)
from gnubg_py.shell.strength_settings import evaluation_settings, filter_setting


@dataclass(frozen=True)
class _Rollouts:
    """The words before settings of rollouts, and where these are kept."""

    prefix: str
    here: SettingPlace

    def row(
        self, name: str, help_text: str, reader: Reader, place: SettingPlace, says: Says
    ) -> Setting:
        """One setting."""
        return Setting(f"{self.prefix} {name}", help_text, reader, place, says)

    def switch(
        self, name: str, help_text: str, place: SettingPlace | str, on: str, off: str
    ) -> Setting:
        """One that is on or off; ``place`` may be a field of the settings of rollouts."""
        where = self.here.field(place) if isinstance(place, str) else place
        return switch(f"{self.prefix} {name}", help_text, where, on, off)


def rollout_settings(prefix: str = "rollout", place: SettingPlace | None = None) -> list[Setting]:
    """Every setting of rollouts that are kept at a place."""
    here = place or kept_at("rollout")
    of = _Rollouts(prefix, here)
    return [
        of.switch("bearofftruncation exact", "Stop at the two-sided database",
                  "truncate_two_sided", *truncation_sentences("exact")),
        of.switch("bearofftruncation onesided", "Stop at the one-sided database, cubeless",
                  "truncate_one_sided", *truncation_sentences("one-sided")),
        *_side_settings(prefix, here.field("sides")),
        of.switch("cube-equal-chequer", "Whether cubes are decided as plays are chosen",
                  _equal_cube(here), "Rollouts use same settings for cube and chequer play.",
                  "Rollouts use separate settings for cube and chequer play."),
        of.switch("cubeful", "Whether the cube is in play", "cubeful",
                  "Cubeful rollouts will be performed.", "Cubeless rollouts will be performed."),
        of.switch("initial", "Whether the first roll cannot be a double", "initial_position",
                  "Rollouts will be made as the initial position of a game.",
                  "Rollouts will be made for normal (non-opening) positions."),
        *_ahead_settings(of, here.field("stop")),
        *_later_settings(of),
        *_error_settings(of, here.field("stop")),
        of.switch("players-are-same", "Whether both players have the same settings",
                  _equal_players(here), "Rollouts use same settings for both players.",
                  "Rollouts use separate settings for both players."),
        *_dice_settings(of),
        of.row("trials", "How many games are played",
               whole_reader(1, MAX_TRIALS, "a valid number of trials to make "
                            "(see `help set rollout trials')"), here.field("trials"),
               lambda _, n: f"{counted(n, 'game')} will be played per rollout."),
        *_truncation_settings(of),
        of.switch("varredn", "Whether luck is taken out", "variance_reduction",
                  "Will use lookahead during rollouts to reduce variance.",
                  "Will not use lookahead variance reduction during rollouts."),
    ]  # fmt: skip


_LEAST_GAMES = whole_reader(2, MAX_TRIALS, "how many games to play at least", "<games>")


def _ahead_settings(of: _Rollouts, stop: SettingPlace) -> list[Setting]:
    """When rollouts of plays stop because one of them is ahead."""
    return [
        of.row("jsd limit", "By how many joint standard deviations",
               decimal_reader(0.01, 100, "how many joint standard deviations"),
               stop.field("ahead"),
               "Rollouts (or rollouts of moves) may stop when the equity is more than {:.3f} joint "
               "standard deviations from the best move being rolled out"),
        of.row("jsd minimumgames", "After how many games at least", _LEAST_GAMES,
               stop.field("ahead_minimum"),
               "After {} games, rollouts will stop if the JSDs are large enough."),
        of.switch("jsd stop", "Whether to stop so", _enabled(stop.field("ahead"), 2.33),
                  "Stop rollout of choices based on JSDs",
                  "Do not stop rollout of moves choices on JSDs"),
    ]  # fmt: skip


def _error_settings(of: _Rollouts, stop: SettingPlace) -> list[Setting]:
    """When rollouts stop because their results are exact enough."""
    return [
        of.switch("limit enable", "Whether to stop so", _enabled(stop.field("error"), 0.01),
                  "Stop rollout when STD's are small enough", "Do not stop rollout based on STDs"),
        of.row("limit minimumgames", "After how many games at least", _LEAST_GAMES,
               stop.field("error_minimum"),
               "After {} games, rollouts will stop if the STDs are small enough."),
        of.row("limit maxerror", "The standard error that is enough",
               decimal_reader(1e-6, 1, "the standard error at which rollouts stop"),
               stop.field("error"),
               "Rollouts can stop when the estimated equities' STD are less than {:.4f})"),
    ]  # fmt: skip


def _later_settings(of: _Rollouts) -> list[Setting]:
    """The settings that hold from some ply on, and from which."""
    enabled = _later_enabled(of.here)
    sides = _side_settings(f"{of.prefix} later", _later(of.here))
    return [
        of.switch("later enable", "Whether there are any", enabled,
                  "Use different evaluation for later moves of rollout.",
                  "Do not change evaluations during rollout."),
        of.row("later plies", "From which ply on",
               whole_reader(1, 1000, "from which ply on the later settings hold", "<plies>"),
               of.here.field("later_from"),
               "Evaluations will change after {} plies in rollouts."),
        *(replace(setting, holds=enabled.get) for setting in sides),
    ]  # fmt: skip


def _dice_settings(of: _Rollouts) -> list[Setting]:
    spread = of.switch("quasirandom", "Whether dice are spread evenly", "stratified",
                       "Use quasi-random dice in rollouts",
                       "Do not use quasi-random dice in rollouts")  # fmt: skip
    return [
        spread,
        *(of.row(f"rng {kind}", "Accepted: the dice of rollouts follow from their seed alone",
                 NOTHING, of.here.field("seed"), _DICE) for kind in _GENERATORS),
        replace(spread, words=f"{of.prefix} rotate", help="The same as quasirandom"),
        of.row("seed", "The seed of the dice",
               whole_reader(0, MAX_SEED, "a valid seed (see `help set seed')"),
               of.here.field("seed"), "Rollout seed set to {}."),
    ]  # fmt: skip


def _truncation_settings(of: _Rollouts) -> list[Setting]:
    """Whether and when games are truncated, and how they are valued there."""
    here, until_the_end = of.here, "Games in rollouts will be played out until the end."
    place, where = _at_truncation(here), "at rollout truncation point"
    plays, cube = f"Chequer play evaluations {where}", f"Cube decisions {where}"
    prefix = f"{of.prefix} truncation"
    valued = [
        *evaluation_settings(f"{prefix} chequerplay", plays, place.field("plays")),
        *evaluation_settings(f"{prefix} cubedecision", cube, place.field("cube")),
    ]
    return [
        *(replace(setting, holds=lambda session: here.get(session).at_truncation is not None)
          for setting in valued),
        of.switch("truncate-equal-player0", "Whether games are valued there as player 0 does",
                  _equal_truncation(here),
                  "Evaluation of rollouts at truncation point will be same as player 0.",
                  "Evaluation of rollouts at truncation point are separately specified."),
        of.switch("truncation enable", "Whether they stop", _enabled(here.field("truncate"), 10),
                  "Games in rollouts will be stopped after a fixed number of moves.",
                  until_the_end),
        of.row("truncation plies", "After how many plies",
               whole_reader(0, 1000, "a valid ply at which to truncate rollouts "
                            "(see `help set rollout truncation plies')", "<plies>"),
               _or_none(here.field("truncate")),
               lambda _, n: f"Rollouts will be truncated after {n} plies." if n else
               until_the_end),
    ]  # fmt: skip


_GENERATORS = ("bbs", "file", "isaac", "manual", "md5", "mersenne")
_DICE = (
    "Dice of rollouts come from a generator of their own, by seed and trial (the seed is {}): "
    "the same for every name."
)
ROLLOUT_TITLES = {
    "bearofftruncation": "Where games stop in the bearoff",
    "jsd": "Stop once a play is ahead of all others",
    "later": "Settings from some ply on",
    "limit": "Stop once the results are exact enough",
    "player": "One side's settings",
    "0": "Side 0, which is on roll",
    "1": "Side 1",
    "truncation": "Where games stop",
    "chequerplay": "How plays are chosen",
    "cubedecision": "How cube decisions are made",
}
"""The help of the groups of settings."""


def _at_truncation(here: SettingPlace) -> SettingPlace:
    """How games are valued where they are truncated; at first as player 0 plays."""

    def get(session: Session) -> Any:
        settings = here.get(session)
        return settings.at_truncation or settings.sides[0]

    return SettingPlace(get, here.field("at_truncation").put)


def _equal_truncation(here: SettingPlace) -> SettingPlace:
    def put(session: Session, wanted: bool) -> None:
        value = None if wanted else _at_truncation(here).get(session)
        here.field("at_truncation").put(session, value)

    return SettingPlace(lambda session: here.get(session).at_truncation is None, put)


def _enabled(place: SettingPlace, default: float) -> SettingPlace:
    """Whether there is a number at a place; ``default`` is put where it is switched on."""

    def put(session: Session, wanted: bool) -> None:
        place.put(session, (place.get(session) or default) if wanted else None)

    return SettingPlace(lambda session: place.get(session) is not None, put)


def _or_none(place: SettingPlace) -> SettingPlace:
    """A number at a place, where 0 means None."""
    return SettingPlace(
        lambda session: place.get(session) or 0,
        lambda session, value: place.put(session, value or None),
    )


def _later(here: SettingPlace) -> SettingPlace:
    """The later settings of both sides, at first the same as the earlier ones."""

    def get(session: Session) -> Any:
        settings = here.get(session)
        return settings.later or settings.sides

    return SettingPlace(get, here.field("later").put)


def _later_enabled(here: SettingPlace) -> SettingPlace:
    def put(session: Session, wanted: bool) -> None:
        here.field("later").put(session, _later(here).get(session) if wanted else None)

    return SettingPlace(lambda session: here.get(session).later is not None, put)


def _side_settings(prefix: str, sides: SettingPlace) -> list[Setting]:
    """The settings of both sides at once, and those of each."""
    first, second = (_side(sides, number) for number in (0, 1))
    pairs = zip(_play_settings(prefix, first), _play_settings(prefix, second), strict=True)
    rows = [replace(one, place=_both(one.place, two.place)) for one, two in pairs]
    for number, side in enumerate((first, second)):
        rows += _play_settings(f"{prefix} player {number}", side, f" (for player {number})")
    return rows


def _side(sides: SettingPlace, number: int) -> SettingPlace:
    def put(session: Session, value: Strength) -> None:
        both = list(sides.get(session))
        both[number] = value
        sides.put(session, tuple(both))

    return SettingPlace(lambda session: sides.get(session)[number], put)


def _both(first: SettingPlace, second: SettingPlace) -> SettingPlace:
    """What is put here is put at both places; the first one is shown."""

    def put(session: Session, value: Any) -> None:
        first.put(session, value)
        second.put(session, value)

    return SettingPlace(first.get, put)


def _play_settings(prefix: str, side: SettingPlace, who: str = "") -> list[Setting]:
    later = " for later" if prefix.split()[-1] == "later" or " later " in f" {prefix} " else ""
    plays = f"Chequer play{later and f'{later} moves'} in rollouts{who}"
    cube = f"Cube decisions{later and f'{later} plies'} in rollouts{who}"
    return [
        *evaluation_settings(f"{prefix} chequerplay", plays, side.field("plays")),
        *evaluation_settings(f"{prefix} cubedecision", cube, side.field("cube")),
        filter_setting(prefix, side.field("filters")),
    ]


def _equal_players(here: SettingPlace) -> SettingPlace:
    """Whether both players have the same settings; switched on, player 1 gets player 0's."""

    def put(session: Session, wanted: bool) -> None:
        if wanted:
            settings = here.get(session)
            later = settings.later and (settings.later[0],) * 2
            here.put(session, replace(settings, sides=(settings.sides[0],) * 2, later=later))

    return SettingPlace(
        lambda session: here.get(session).sides[0] == here.get(session).sides[1], put
    )


def _equal_cube(here: SettingPlace) -> SettingPlace:
    """Whether cubes are decided as plays are chosen; switched on, they are from then on."""

    def put(session: Session, wanted: bool) -> None:
        if wanted:
            sides = tuple(replace(side, cube=side.plays) for side in here.get(session).sides)
            here.field("sides").put(session, sides)

    def get(session: Session) -> bool:
        return all(side.cube == side.plays for side in here.get(session).sides)

    return SettingPlace(get, put)


def seen_by(settings: RolloutSettings, player: int) -> RolloutSettings:
    """The settings of player 0 and 1 of a match as those of the side on roll and the other."""
    if player == 0:
        return settings
    later = settings.later and settings.later[::-1]
    return replace(settings, sides=settings.sides[::-1], later=later)
