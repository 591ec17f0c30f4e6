"""``set`` for everything but the position: players, rules, dice, output, the engine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gnubg_py.board import VARIATIONS
from gnubg_py.shell import words
from gnubg_py.shell.dice_source import GENERATORS, MAX_SEED, DiceSource, new_seed
from gnubg_py.shell.play_commands import LONGEST_MATCH
from gnubg_py.shell.tree import Run

if TYPE_CHECKING:
    from pathlib import Path

    from gnubg_py.evaluators.classify import PositionClass
    from gnubg_py.evaluators.protocol import Evaluator
    from gnubg_py.shell.session import Session

VARIATION_NAMES = {
    "standard": "standard",
    "nackgammon": "nackgammon",
    "1-chequer-hypergammon": "hypergammon1",
    "2-chequer-hypergammon": "hypergammon2",
    "3-chequer-hypergammon": "hypergammon3",
}
LARGEST_CACHE = 1 << 24
LARGEST_NET = 1 << 30
LARGEST_TABLE = 1 << 20


def set_option(apply: str, name: str, on: str, off: str) -> Run:
    """A command that sets ``name`` in one of the session's frozen options."""

    def run(session: Session, given: list[str]) -> None:
        wanted = words.on_off(given, name)
        options = getattr(session, apply)
        setattr(session, apply, replace(options, **{name: wanted}))
        session.say(on if wanted else off)

    return run


def set_flag(name: str, on: str, off: str) -> Run:
    """A command that sets a plain on or off of the session."""

    def run(session: Session, given: list[str]) -> None:
        wanted = words.on_off(given, name)
        setattr(session, name, wanted)
        session.say(on if wanted else off)

    return run


def set_automatic_crawford(session: Session, given: list[str]) -> None:
    """``set automatic crawford on|off``."""
    wanted = words.on_off(given, "automatic crawford")
    session.set_rules(crawford=wanted)
    how = "" if wanted else "not "
    session.say(f"Will {how}enable the Crawford game according to match score.")


def set_automatic_doubles(session: Session, given: list[str]) -> None:
    """``set automatic doubles N``."""
    limit = words.whole(given, 0, 12, "how many automatic doubles to allow")
    session.set_rules(automatic_doubles=limit)
    if limit:
        session.say(f"Automatic doubles will be used (up to a limit of {limit}).")
    else:
        session.say("Automatic doubles will not be used.")


def set_beavers(session: Session, given: list[str]) -> None:
    """``set beavers N``."""
    n = words.whole(given, 0, 12, "the number of beavers to allow")
    session.set_rules(beavers=n)
    session.say(beavers_line(n))


def beavers_line(n: int) -> str:
    """How many beavers are allowed, in gnubg's words."""
    if n == 0:
        return "No beavers allowed in money sessions."
    if n == 1:
        return "1 beaver allowed in money sessions."
    return f"{n} beavers/raccoons allowed in money sessions."


def set_jacoby(session: Session, given: list[str]) -> None:
    """``set jacoby on|off``: of the game being played too."""
    wanted = words.on_off(given, "jacoby")
    session.set_rules(jacoby=wanted)
    if session.is_playing:
        match = session.shown().match
        if match.match_length == 0 and match.jacoby != wanted:
            session.set_position(session.shown().board, replace(match, jacoby=wanted))
    session.say(f"Will {'' if wanted else 'not '}use the Jacoby rule for money sessions.")


def set_variation(session: Session, given: list[str]) -> None:
    """``set variation NAME``: for new matches and sessions."""
    text = " ".join(given).lower()
    near = [name for name in VARIATION_NAMES if text and name.startswith(text)]
    near += [name for name, ours in VARIATION_NAMES.items() if ours == text and name not in near]
    if len(near) != 1:
        raise ValueError(f"You must specify a variation: {', '.join(VARIATION_NAMES)}.")
    variation = VARIATION_NAMES[near[0]]
    assert variation in VARIATIONS
    session.rules = replace(session.rules, variation=variation)
    session.say(f"Default variation is: {variation}")
    if session.record is not None and session.record.rules.variation != variation:
        session.say("Please start a new match or session to play it.")


def set_matchlength(session: Session, given: list[str]) -> None:
    """``set matchlength N``."""
    n = words.whole(given, 1, LONGEST_MATCH, "the number of points of new matches")
    session.match_length = n
    session.say(f"New matches default to {n} point{'s' * (n != 1)}.")


def set_name(player: int) -> Run:
    """``set player N name NAME``."""

    def run(session: Session, given: list[str]) -> None:
        name = " ".join(given)
        if not (0 < len(name) <= 32 and name.isprintable()) or name.isdigit():
            raise ValueError("You must specify a name of 1 to 32 letters.")
        if ":" in name or '"' in name:
            raise ValueError("A name cannot have a colon or a quotation mark in it.")
        if name.lower() == session.names[1 - player].lower():
            raise ValueError(f"The other player is called {name} already.")
        session.players[player].name = name
        if session.record is not None:
            session.record = replace(session.record, players=session.names)
        session.say(f"Player {player} is now known as `{name}'.")

    return run


def set_kind(player: int, *, human: bool) -> Run:
    """``set player N human | gnubg``."""

    def run(session: Session, given: list[str]) -> None:
        words.nothing(given, f"set player {player} {'human' if human else 'gnubg'}")
        session.players[player].human = human
        name = session.names[player]
        by = "must now be entered manually" if human else "will now be played by the computer"
        session.say(f"Moves for {name} {by}.")

    return run


def set_rng(kind: str) -> Run:
    """``set rng KIND [FILE]``."""

    def run(session: Session, given: list[str]) -> None:
        path = None
        if kind == "file":
            path = words.path_name(given)
        else:
            words.nothing(given, f"set rng {kind}")
        session.dice = DiceSource(kind, session.dice.seed, path)
        session.say(f"Dice will now come from: {GENERATORS[kind]}.")

    return run


def set_seed(session: Session, given: list[str]) -> None:
    """``set seed [N]``: the dice's, and so those of the next games."""
    if given:
        seed = words.whole(given, 0, MAX_SEED, "a seed")
        session.say(f"Seed set to {seed}.")
    else:
        seed = new_seed()
        session.say("Seed initialised from system random data.")
    session.dice = DiceSource(session.dice.kind, seed, session.dice.path)


def set_threads(session: Session, given: list[str]) -> None:
    """``set threads N``."""
    from gnubg_py.threads import set_thread_count

    n = words.whole(given, 1, 64, "the number of threads to use")
    set_thread_count(n)
    session.say(f"The number of threads has been set to {n}.")


def set_cache(session: Session, given: list[str]) -> None:
    """``set cache N``: entries of the cache that searches share."""
    from gnubg_py.search.cache import set_cache_size

    n = words.whole(given, 0, LARGEST_CACHE, "how many positions the cache should hold")
    set_cache_size(n)
    plural = "y" if n == 1 else "ies"
    session.say(f"The evaluation cache has been set to {n} entr{plural}.")


def set_met(session: Session, given: list[str]) -> None:
    """``set met FILE``: gnubg's XML; without a file the table that ships with the program."""
    from gnubg_py.cube.met import kazaross_xg2
    from gnubg_py.cube.met_xml import read_met

    session.met = read_met(words.path(given, LARGEST_TABLE)) if given else None
    table = session.met or kazaross_xg2()
    session.say(f"The match equity table is now {table.name}.")


def set_digits(session: Session, given: list[str]) -> None:
    """``set output digits N``."""
    n = words.whole(given, 1, 6, "the number of digits")
    session.output = replace(session.output, digits=n)
    session.say(f"{n} digits will be shown after the decimal point.")


def set_prompt(session: Session, given: list[str]) -> None:
    r"""``set prompt TEXT``: ``\p`` the player to decide, ``\s`` the score, ``\v`` the version."""
    text = " ".join(given)
    if len(text) > 80:
        raise ValueError("You must specify a prompt of at most 80 letters.")
    session.prompt = text + " " if text else "(\\p) "
    session.say(f"The prompt has been set to `{session.prompt}'.")


def set_evaluator(session: Session, given: list[str]) -> None:
    """``set evaluator CLASS NAME``; ``set evaluator CLASS default`` puts the shipped one back."""
    from gnubg_py.evaluators.registry import evaluator_named, evaluator_names
    from gnubg_py.evaluators.router import LEARNED, class_named

    if len(given) < 2:
        raise ValueError(
            "You must specify a class (contact, crashed, race ...) or `all', and an evaluator: "
            f"{', '.join(evaluator_names())}, default, or a weights file."
        )
    every = given[0].lower() == "all"
    classes = list(LEARNED) if every else [class_named(given[0][:40])]
    name = " ".join(given[1:])
    if name.lower() == "default":
        for position_class in classes:
            session.evaluators.pop(position_class.name.lower(), None)
        session.say(f"The shipped evaluator will be used for {_names(classes)} positions.")
        session.forget_plays()
    elif name in evaluator_names():
        _use(session, classes, evaluator_named(name), name)
    else:
        path = words.path([name], LARGEST_NET)
        leaf, served = _net_of(path)
        if every:
            classes = served
        wrong = [c for c in classes if c in LEARNED and c not in served]
        if wrong:
            raise ValueError(
                f"{path}: a net for {_names(served)} positions, not for {_names(wrong)}"
            )
        _use(session, classes, leaf, str(path))


def set_net(session: Session, given: list[str]) -> None:
    """``set net FILE``: for the class of positions it was trained for; alone, the shipped nets."""
    if not given:
        session.evaluators.clear()
        session.forget_plays()
        session.say("The shipped nets will be used.")
        return
    path = words.path(given, LARGEST_NET)
    leaf, classes = _net_of(path)
    _use(session, classes, leaf, str(path))


def _net_of(path: Path) -> tuple[Evaluator, list[PositionClass]]:
    """A file's net, and the classes of positions that it serves."""
    from gnubg_py.evaluators.files import classes_served, leaf_of_file
    from gnubg_py.evaluators.router import LEARNED
    from gnubg_py.network.leaf import load_onnx

    if path.suffix == ".onnx":
        return load_onnx(path), list(LEARNED)
    if path.suffix != ".safetensors":
        raise ValueError(f"{path}: a net is a .safetensors or an .onnx file")
    leaf = leaf_of_file(path)
    return leaf, list(classes_served(path, leaf.position_class))


def _use(session: Session, classes: list[PositionClass], evaluator: Evaluator, name: str) -> None:
    from gnubg_py.evaluators.router import Router

    for position_class in classes:
        leaf = evaluator.leaf(position_class) if isinstance(evaluator, Router) else evaluator
        session.evaluators[position_class.name.lower()] = leaf
    session.forget_plays()
    session.say(f"{name} will be used for {_names(classes)} positions.")


def _names(classes: list[PositionClass]) -> str:
    return ", ".join(position_class.name.lower() for position_class in classes)
