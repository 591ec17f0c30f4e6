"""``set rollout`` and ``show rollout``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gnubg_py.rollouts.settings import MAX_SEED, MAX_TRIALS, RolloutSettings
from gnubg_py.search.settings import EvalSettings, Strength
from gnubg_py.shell.session import Session
from gnubg_py.shell.settings import (
    NOTHING,
    SWITCH,
    Reader,
    Says,
    Setting,
    SettingPlace,
    decimal_reader,
    kept_at,
    whole_reader,
)
from gnubg_py.shell.strength_settings import (
    evaluation_settings,
    filter_lines,
    filter_setting,
    setting_lines,
)
from gnubg_py.threads import T


def rollout_settings(prefix: str = "rollout", place: SettingPlace | None = None) -> list[Setting]:
    """Every setting of rollouts that are kept at a place."""
    here = place or kept_at("rollout")
    stop = here.field("stop")

    def row(name: str, help_text: str, reader: Reader, where: SettingPlace, says: Says) -> Setting:
        return Setting(f"{prefix} {name}", help_text, reader, where, says)

    stratified = ("Use quasi-random dice in rollouts", "Do not use quasi-random dice in rollouts")
    games = whole_reader(2, MAX_TRIALS, "how many games to play at least", "<games>")
    return [
        row("bearofftruncation exact", "Stop at the two-sided database", SWITCH,
            here.field("truncate_two_sided"), _truncated("exact")),
        row("bearofftruncation onesided", "Stop at the one-sided database, cubeless", SWITCH,
            here.field("truncate_one_sided"), _truncated("one-sided")),
        *_side_settings(prefix, here.field("sides")),
        row("cube-equal-chequer", "Whether cubes are decided as plays are chosen", SWITCH,
            _equal_cube(here), ("Rollouts use same settings for cube and chequer play.",
                                "Rollouts use separate settings for cube and chequer play.")),
        row("cubeful", "Whether the cube is in play", SWITCH, here.field("cubeful"),
            ("Cubeful rollouts will be performed.", "Cubeless rollouts will be performed.")),
        row("initial", "Whether the first roll cannot be a double", SWITCH,
            here.field("initial_position"),
            ("Rollouts will be made as the initial position of a game.",
             "Rollouts will be made for normal (non-opening) positions.")),
        row("jsd limit", "By how many joint standard deviations",
            decimal_reader(0.01, 100, "how many joint standard deviations"), stop.field("ahead"),
            "Rollouts (or rollouts of moves) may stop when the equity is more than {:.3f} joint "
            "standard deviations from the best move being rolled out"),
        row("jsd minimumgames", "After how many games at least", games,
            stop.field("ahead_minimum"),
            "After {} games, rollouts will stop if the JSDs are large enough."),
        row("jsd stop", "Whether to stop so", SWITCH, _enabled(stop.field("ahead"), 2.33),
            ("Stop rollout of choices based on JSDs",
             "Do not stop rollout of moves choices on JSDs")),
        row("later enable", "Whether there are any", SWITCH,
            _later_enabled(here),
            ("Use different evaluation for later moves of rollout.",
             "Do not change evaluations during rollout.")),
        row("later plies", "From which ply on",
            whole_reader(1, 1000, "from which ply on the later settings hold", "<plies>"),
            here.field("later_from"), "Evaluations will change after {} plies in rollouts."),
        *(replace(setting, holds=_later_enabled(here).get) for setting in
          _side_settings(f"{prefix} later", _later(here))),
        row("limit enable", "Whether to stop so", SWITCH, _enabled(stop.field("error"), 0.01),
            ("Stop rollout when STD's are small enough", "Do not stop rollout based on STDs")),
        row("limit minimumgames", "After how many games at least", games,
            stop.field("error_minimum"),
            "After {} games, rollouts will stop if the STDs are small enough."),
        row("limit maxerror", "The standard error that is enough",
            decimal_reader(1e-6, 1, "the standard error at which rollouts stop"),
            stop.field("error"),
            "Rollouts can stop when the estimated equities' STD are less than {:.4f})"),
        row("players-are-same", "Whether both players have the same settings", SWITCH,
            _equal_players(here), ("Rollouts use same settings for both players.",
                                   "Rollouts use separate settings for both players.")),
        row("quasirandom", "Whether dice are spread evenly", SWITCH, here.field("stratified"),
            stratified),
        *(row(f"rng {kind}", "Accepted: the dice of rollouts follow from their seed alone",
              NOTHING, here.field("seed"), _DICE) for kind in _GENERATORS),
        row("rotate", "The same as quasirandom", SWITCH, here.field("stratified"), stratified),
        row("seed", "The seed of the dice",
            whole_reader(0, MAX_SEED, "a valid seed (see `help set seed')"), here.field("seed"),
            "Rollout seed set to {}."),
        row("trials", "How many games are played",
            whole_reader(1, MAX_TRIALS, "a valid number of trials to make "
                         "(see `help set rollout trials')"), here.field("trials"),
            lambda _, n: f"{n} game{'s' * (n != 1)} will be played per rollout."),
        *(replace(setting, holds=lambda session: here.get(session).at_truncation is not None)
          for setting in _truncation_settings(f"{prefix} truncation", here)),
        row("truncate-equal-player0", "Whether games are valued there as player 0 does", SWITCH,
            _equal_truncation(here),
            ("Evaluation of rollouts at truncation point will be same as player 0.",
             "Evaluation of rollouts at truncation point are separately specified.")),
        row("truncation enable", "Whether they stop", SWITCH,
            _enabled(here.field("truncate"), 10),
            ("Games in rollouts will be stopped after a fixed number of moves.",
             "Games in rollouts will be played out until the end.")),
        row("truncation plies", "After how many plies",
            whole_reader(0, 1000, "a valid ply at which to truncate rollouts "
                         "(see `help set rollout truncation plies')", "<plies>"),
            _or_none(here.field("truncate")),
            lambda _, n: f"Rollouts will be truncated after {n} plies." if n else
            "Games in rollouts will be played out until the end."),
        row("varredn", "Whether luck is taken out", SWITCH, here.field("variance_reduction"),
            ("Will use lookahead during rollouts to reduce variance.",
             "Will not use lookahead variance reduction during rollouts.")),
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


def _truncated(database: str) -> tuple[str, str]:
    reached = f"truncate *cubeless* rollouts when reaching {database} bearoff database"
    return f"Will {reached}", f"Will not {reached}"


def _at_truncation(here: SettingPlace) -> SettingPlace:
    """How games are valued where they are truncated; at first as player 0 plays."""

    def get(session: Session) -> Any:
        settings = here.get(session)
        return settings.at_truncation or settings.sides[0]

    return SettingPlace(get, here.field("at_truncation").put)


def _truncation_settings(prefix: str, here: SettingPlace) -> list[Setting]:
    place, where = _at_truncation(here), "at rollout truncation point"
    plays, cube = f"Chequer play evaluations {where}", f"Cube decisions {where}"
    return [
        *evaluation_settings(f"{prefix} chequerplay", plays, place.field("plays")),
        *evaluation_settings(f"{prefix} cubedecision", cube, place.field("cube")),
    ]


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


def lines(settings: RolloutSettings) -> list[str]:
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
        f"{_truncated('one-sided')[0 if settings.truncate_one_sided else 1]}.",
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
