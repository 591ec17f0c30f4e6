"""``set`` for what is more than one value: players, cache, match equity table, nets."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gnubg_py.bearoff.in_use import parse_sizes, sizes_in_use, use_sizes
from gnubg_py.cube.met import kazaross_xg2
from gnubg_py.cube.met_xml import read_met
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.files import GNUBG_SUFFIXES, NET_SUFFIXES, is_onnx, leaf_and_classes
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.evaluators.registry import GNUBG, evaluator_named, evaluator_names
from gnubg_py.evaluators.router import EXACT, LEARNED, Router, class_named
from gnubg_py.files import check_source
from gnubg_py.network.weights import LARGEST_NET
from gnubg_py.search.cache import set_cache_size
from gnubg_py.shell import words
from gnubg_py.shell.session import Session
from gnubg_py.shell.setting_rows import SETTINGS
from gnubg_py.shell.setting_values import checked_name
from gnubg_py.shell.tree import Command, Run

LARGEST_CACHE = 1 << 24
_NO_SPEED = (
    "If you give a parameter to `set calibration', it must be a legal number of evaluations per "
    "second."
)


def set_name(player: int) -> Run:
    """``set player N name NAME``."""

    def run(session: Session, given: list[str]) -> None:
        name = checked_name(" ".join(given))
        if name.lower() == session.names[1 - player].lower():
            raise ValueError("That name is already in use by the other player.")
        session.players[player].name = name
        if session.record is not None:
            session.record = replace(session.record, players=session.names)
        session.say(f"Player {player} is now known as `{name}'.")

    return run


def set_kind(player: int, *, human: bool) -> Run:
    """``set player N human | gnubg``."""

    def run(session: Session) -> None:
        session.players[player].human, session.players[player].external = human, None
        name = session.names[player]
        by = "must now be entered manually" if human else "will now be played by GNU Backgammon"
        session.say(f"Moves for {name} {by}.")

    return run


def set_both(*, human: bool) -> Run:
    """``set player both human | gnubg``."""

    def run(session: Session) -> None:
        for number in (0, 1):
            set_kind(number, human=human)(session)

    return run


def _players(number: int) -> tuple[Command, ...]:
    prefix = f"set player {number}"
    return (
        Command(f"{prefix} gnubg", "The computer plays", set_kind(number, human=False)),
        Command(f"{prefix} human", "A person plays", set_kind(number, human=True)),
        Command(f"{prefix} name", "Change the name", set_name(number), "<name>"),
    )


def set_cache(session: Session, given: list[str]) -> None:
    """``set cache N``: entries of the cache that searches share."""
    n = words.whole(given, 0, 10**12, "the number of cache entries to use")
    n = min(1 << (n - 1).bit_length() if n else 0, LARGEST_CACHE)
    set_cache_size(n)
    session.say(f"The position cache has been sized to {n} entr{'y' if n == 1 else 'ies'}.")


def set_met(session: Session, given: list[str]) -> None:
    """``set met FILE``: gnubg's XML; without a file the table that ships with the program."""
    session.met = read_met(words.path_name(given)) if given else None
    session.choices.pop("met", None)
    if given:
        session.choices["met"] = " ".join(given)
    table = session.met or kazaross_xg2()
    session.say(f"GNU Backgammon will now use the {table.name} match equity table.")


def set_evaluator(session: Session, given: list[str]) -> None:
    """``set evaluator CLASS NAME``; ``set evaluator CLASS default`` puts the shipped one back."""
    if len(given) < 2:
        raise ValueError(
            "You must specify a class (contact, crashed, race ...) or `all', and an evaluator: "
            f"{', '.join(evaluator_names())}, {GNUBG}, default, or a weights file."
        )
    every = given[0].lower() == "all"
    classes: Sequence[PositionClass] = LEARNED if every else (class_named(given[0][:40]),)
    name = " ".join(given[1:])
    if name.lower() == "default":
        for position_class in classes:
            session.evaluators.pop(position_class.name.lower(), None)
            session.choices.pop(f"evaluator {position_class.name.lower()}", None)
        session.say(f"The shipped evaluator will be used for {_names(classes)} positions.")
        session.forget_plays()
    elif name in evaluator_names() or name == GNUBG:
        _use(session, classes, evaluator_named(name), name)
    else:
        path = words.path_name([name])
        leaf, served = leaf_and_classes(name) if is_onnx(name) else _net_of(path)
        if every:
            classes = served
        # What an .onnx net was trained for is not known.
        wrong = [c for c in classes if c not in (*EXACT, *served) and not is_onnx(name)]
        if wrong:
            raise ValueError(
                f"{path}: a net for {_names(served)} positions, not for {_names(wrong)}"
            )
        _use(session, classes, leaf, str(path))


def set_bearoff(session: Session, given: list[str]) -> None:
    """``set bearoff SIZES``: the bearoff databases that evaluators use, from now on."""
    sizes = parse_sizes(" ".join(given), sizes_in_use())
    use_sizes(sizes)
    session.forget_plays()
    session.say(f"The bearoff databases in use are: {sizes}.")


def set_net(session: Session, given: list[str]) -> None:
    """``set net FILE``: for the class of positions it was trained for; alone, the shipped nets."""
    if not given:
        for name in session.evaluators:
            session.choices.pop(f"evaluator {name}", None)
        session.evaluators.clear()
        session.forget_plays()
        session.say("The shipped nets will be used.")
        return
    path = words.path_name(given)
    if path.suffix in GNUBG_SUFFIXES:
        _use(session, LEARNED, evaluator_named(str(path)), str(path))
        return
    leaf, classes = _net_of(path)
    _use(session, classes, leaf, str(path))


def _net_of(path: Path) -> tuple[Evaluator, Sequence[PositionClass]]:
    """A file's net, and the classes of positions that it serves."""
    check_source(path, LARGEST_NET)
    if path.suffix not in NET_SUFFIXES:
        raise ValueError(f"{path}: a net is a .safetensors, an .onnx or a .wd file")
    return leaf_and_classes(str(path))


def _use(
    session: Session, classes: Sequence[PositionClass], evaluator: Evaluator, name: str
) -> None:
    for position_class in classes:
        leaf = _leaf_for(position_class, evaluator)
        session.evaluators[position_class.name.lower()] = leaf
        session.choices[f"evaluator {position_class.name.lower()}"] = name
    session.forget_plays()
    session.say(f"{name} will be used for {_names(classes)} positions.")


def _leaf_for(position_class: PositionClass, evaluator: Evaluator) -> Evaluator:
    """What an evaluator values a class with: a bearoff as a race, since its databases are exact."""
    if not isinstance(evaluator, Router):
        return evaluator
    if position_class == PositionClass.OVER:
        raise ValueError("finished games have exact values: no evaluator is used for them")
    return evaluator.leaf(PositionClass.RACE if position_class in EXACT else position_class)


def _names(classes: Sequence[PositionClass]) -> str:
    return ", ".join(position_class.name.lower() for position_class in classes)


def set_calibration(session: Session, given: list[str]) -> None:
    """``set calibration [N]``: the speed that `calibrate' would measure."""
    session.evaluations_per_second = None
    if given:
        n = words.whole(given, 1, 10**12, "", _NO_SPEED)
        session.evaluations_per_second = float(n)
        estimate = f"{n} static evaluations per second"
        session.say(f"The speed estimate has been set to {estimate}.")
    else:
        session.say("The evaluation speed has been cleared.")


_PRIORITIES = {
    "abovenormal": -10, "belownormal": 10, "highest": -19, "idle": 19, "normal": 0,
    "timecritical": -20,
}  # fmt: skip


def set_priority(session: Session, given: list[str]) -> None:
    """``set priority nice N | idle | normal ...``: of this process, where the system lets it."""
    near = [name for name in _PRIORITIES if given and name.startswith(given[0].lower())]
    if near:
        n = _PRIORITIES[near[0]]
    elif given and given[0].lower() == "nice":
        n = words.whole(given[1:], -20, 19, "a priority between -20 and 19")
    else:
        raise ValueError(f"Incomplete command. (One of {', '.join(_PRIORITIES)}, nice <number>.)")
    if not hasattr(os, "setpriority"):
        raise ValueError("not supported here: set priority (by the operating system).")
    os.setpriority(os.PRIO_PROCESS, 0, n)
    session.say(f"Scheduling priority set to {n}.")


def _inversion(name: str) -> Command:
    row = next(row for row in SETTINGS if row.words == name)
    return replace(row.set_command(), name=name)


COMMANDS = (
    _inversion("invert matchequitytable"),
    _inversion("invert met"),
    Command("set calibration", "How fast positions are valued", set_calibration, "[<number>]"),
    *(setting.set_command() for setting in SETTINGS),
    Command("set player both gnubg", "The computer plays", set_both(human=False)),
    Command("set player both human", "A person plays", set_both(human=True)),
    *_players(0),
    *_players(1),
    Command("set bearoff", "Which bearoff databases are used", set_bearoff,
            "one-sided <points>|two-sided <points>x<checkers>|usual", ours=True,
            values=("one-sided", "two-sided", "usual")),
    Command("set cache", "The size of the cache", set_cache, "<entries>"),
    Command("set evaluator", "Which evaluator values a class of positions", set_evaluator,
            "<class>|all <name>|<weights file>|default", ours=True,
            values=("contact", "crashed", "race", "all", "bearoff1", "bearoff2")),
    Command("set matchequitytable", "The match equity table", set_met, "[<XML file>]"),
    Command("set met", "The same as matchequitytable", set_met, "[<XML file>]"),
    Command("set net", "Use the net of a weights file", set_net, "[<file>]", ours=True),
    Command("set priority", "How much of the machine this process gets", set_priority,
            "nice <number> | <name>", values=("nice", *_PRIORITIES)),
)  # fmt: skip
