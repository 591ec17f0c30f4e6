"""What a training run is told: printed, saved with its checkpoints, compared on resume."""

from __future__ import annotations

import argparse
import ast
import inspect
import json
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any

from gnubg_py.network.weights import CLASSES


@dataclass(frozen=True)
class TrainConfig:
    """Settings of one run of self-play training. Defaults train a contact net from nothing."""

    position_class: str = "contact"
    """contact (crashed positions too, and races while no race net is given), crashed, or race."""
    hidden: tuple[int, ...] = (512, 128, 64)
    encoding: str = "thermometer"
    slope: float = 0.05
    seed: int = 1

    rolls: str = "all"
    """all: targets are backed up over the 21 rolls; one: over the roll that came (TD)."""
    trace: float = 0.8
    """How much of the later corrections of the same game a target takes in: lambda."""
    games: int = 1024
    turns: int = 24
    """Turns that every game plays between two fits."""
    random_plays: float = 0.07
    """Share of plays drawn from all legal ones, for variety."""
    near_plays: float = 0.0
    """Share of plays drawn from those the pruning net kept: the positions that decisions weigh."""
    max_game_turns: int = 400

    positions: int = 4_000_000
    """Length of the run, in positions played; the rate falls from first to last over it."""
    rate_first: float = 1e-3
    rate_last: float = 1e-4
    batch: int = 1024
    uses: float = 4.0
    """Times that each new position is fitted, on average, from the buffer of the latest."""
    buffer: int = 400_000
    average: float = 0.999
    """Decay of the running average of the weights; the average plays and is scored and saved."""
    precision: str = "bfloat16"
    """Matrix products of play and fit: bfloat16 (about three times as fast) or float32."""
    equity_weight: float = 0.0
    """Weight of the squared equity error beside the cross-entropy of the outcomes."""
    sibling_weight: float = 0.0
    """Weight of the squared equity error less its mean over the plays of the same roll: what plays
    are chosen by. Only with a teacher, who values several plays of a roll."""

    start: str = ""
    """A weights file to go on from, of this shape or narrower; empty: random weights."""
    race: str = ""
    """The race net that values races met in play; empty: the net in training does."""
    prune: tuple[str, ...] = ()
    """Smaller nets, each picking, of the plays of a roll left by the one before, those that the
    next looks at, the net in training being the last; empty: it looks at all."""
    keep: tuple[int, ...] = (5,)
    """Plays of a roll that each of them keeps."""
    teacher: tuple[str, ...] = ()
    """Nets whose mean plays, and is the target of every play (distilling them into one net)."""
    boards: str = ""
    """A .npy file of int8[n, 2, 25] boards that games begin from; empty: the start position."""
    decisions: str = ""
    """Judged decisions to score on at every report (never trained on); empty: none."""
    report_positions: int = 250_000
    checkpoint_minutes: float = 3.0


LISTS = {"hidden": int, "prune": str, "keep": int, "teacher": str}
"""Settings of several values, and the type of each."""


_TRAINED = [name for name in CLASSES if name != "rolls"]
"""The classes that are trained so; ``training.rolls`` trains rolls nets."""


def check_config(config: TrainConfig) -> TrainConfig:
    """``ValueError`` naming the first setting that cannot be."""
    if config.position_class not in _TRAINED:
        expected = ", ".join(_TRAINED)
        raise ValueError(f"class {config.position_class!r}: expected one of {expected}")
    if config.rolls not in ("all", "one"):
        raise ValueError(f"rolls {config.rolls!r}: expected all or one")
    if config.precision not in ("bfloat16", "float32"):
        raise ValueError(f"precision {config.precision!r}: expected bfloat16 or float32")
    at_least_1 = ("games", "turns", "max_game_turns", "positions", "batch", "buffer")
    check_at_least(1, config, (*at_least_1, "report_positions"))
    check_at_least(0, config, ("uses", "equity_weight", "sibling_weight", "checkpoint_minutes"))
    check_shares(config, ("trace", "random_plays", "near_plays", "average", "slope"))
    if config.sibling_weight and not config.teacher:
        raise ValueError("sibling_weight: only a teacher values several plays of a roll")
    if min(config.keep, default=0) < 1:
        raise ValueError(f"keep {config.keep}: each should be at least 1")
    if config.prune and len(config.prune) != len(config.keep):
        raise ValueError(f"keep {config.keep}: expected a number for each of {config.prune}")
    if config.near_plays and not config.prune:
        raise ValueError("near_plays: only a pruning net says which plays are near; give --prune")
    check_fit(config.rate_first, config.rate_last, config.hidden)
    return config


def check_at_least(lowest: int, config: object, names: tuple[str, ...]) -> None:
    """``ValueError`` where one of some settings is below ``lowest``, or no number."""
    for name in names:
        if not getattr(config, name) >= lowest:
            raise ValueError(f"{name} {getattr(config, name)}: should be at least {lowest}")


def check_shares(config: object, names: tuple[str, ...]) -> None:
    """``ValueError`` where one of some settings is not from 0 to 1."""
    for name in names:
        if not 0 <= getattr(config, name) <= 1:
            raise ValueError(f"{name} {getattr(config, name)}: should be from 0 to 1")


def check_fit(rate_first: float, rate_last: float, hidden: tuple[int, ...]) -> None:
    """``ValueError`` for rates and widths that cannot be."""
    if not (rate_first > 0 and rate_last > 0):
        raise ValueError(f"rates {rate_first}, {rate_last}: should be above 0")
    if not hidden or min(hidden) < 1:
        raise ValueError(f"hidden {hidden}: expected widths of at least 1")


def add_settings(parser: argparse.ArgumentParser, kind: type[Any]) -> None:
    """An option for every setting of a dataclass, with its documentation as help."""
    words = documentation(kind)
    for setting in fields(kind):
        name = "--" + setting.name.replace("_", "-")
        given = "" if setting.default in ("", ()) else f" (default {_shown(setting.default)})"
        text = (words.get(setting.name, "") + given).strip().replace("%", "%%")
        if isinstance(setting.default, tuple):
            parser.add_argument(name, type=LISTS[setting.name], nargs="+", help=text)
        else:
            one = type(setting.default)
            parser.add_argument(name, type=one, metavar=one.__name__.upper(), help=text)


def _shown(default: object) -> str:
    return " ".join(map(str, default)) if isinstance(default, tuple) else str(default)


def documentation(kind: type[Any]) -> dict[str, str]:
    """What is said of a dataclass's settings below them in its source, where the source is here."""
    try:
        (tree,) = ast.parse(inspect.getsource(kind)).body
    except (OSError, SyntaxError):
        return {}
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for setting, below in pairwise(tree.body):
        if isinstance(setting, ast.AnnAssign) and isinstance(setting.target, ast.Name):
            text = getattr(below, "value", None)
            if isinstance(below, ast.Expr) and isinstance(text, ast.Constant):
                found[setting.target.id] = " ".join(str(text.value).split())
    return found


def given_settings(args: argparse.Namespace, kind: type[Any]) -> dict[str, Any]:
    """The settings that were given on the command line."""
    values = {setting.name: getattr(args, setting.name) for setting in fields(kind)}
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in values.items()
        if value is not None
    }


def config_json(config: TrainConfig) -> str:
    """The configuration as readable JSON."""
    return json.dumps(asdict(config), indent=1)
