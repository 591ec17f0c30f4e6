"""What a training run is told: printed, saved with its checkpoints, compared on resume."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

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
    teacher: str = ""
    """A net that plays, and whose values of all plays are the targets (distilling a small net)."""
    boards: str = ""
    """A .npy file of int8[n, 2, 25] boards that games begin from; empty: the start position."""
    decisions: str = ""
    """Judged decisions to score on at every report (never trained on); empty: none."""
    report_positions: int = 250_000
    checkpoint_minutes: float = 3.0


LISTS = {"hidden": int, "prune": str, "keep": int}
"""Settings of several values, and the type of each."""


def check_config(config: TrainConfig) -> TrainConfig:
    """``ValueError`` naming the first setting that cannot be."""
    if config.position_class not in CLASSES:
        expected = ", ".join(CLASSES)
        raise ValueError(f"class {config.position_class!r}: expected one of {expected}")
    if config.rolls not in ("all", "one"):
        raise ValueError(f"rolls {config.rolls!r}: expected all or one")
    if config.precision not in ("bfloat16", "float32"):
        raise ValueError(f"precision {config.precision!r}: expected bfloat16 or float32")
    for name in ("games", "turns", "positions", "batch", "buffer", "report_positions"):
        if getattr(config, name) < 1:
            raise ValueError(f"{name} {getattr(config, name)}: should be at least 1")
    for name in ("trace", "random_plays", "near_plays", "average"):
        if not 0 <= getattr(config, name) <= 1:
            raise ValueError(f"{name} {getattr(config, name)}: should be from 0 to 1")
    if min(config.keep, default=0) < 1:
        raise ValueError(f"keep {config.keep}: each should be at least 1")
    if config.prune and len(config.prune) != len(config.keep):
        raise ValueError(f"keep {config.keep}: expected a number for each of {config.prune}")
    if config.near_plays and not config.prune:
        raise ValueError("near_plays: only a pruning net says which plays are near; give --prune")
    if not (config.rate_first > 0 and config.rate_last > 0):
        raise ValueError(f"rates {config.rate_first}, {config.rate_last}: should be above 0")
    if not config.hidden or min(config.hidden) < 1:
        raise ValueError(f"hidden {config.hidden}: expected widths of at least 1")
    return config


def config_json(config: TrainConfig) -> str:
    """The configuration as readable JSON."""
    return json.dumps(asdict(config), indent=1)


def config_from_json(path: Path) -> TrainConfig:
    """A configuration saved by ``config_json``."""
    try:
        values = json.loads(path.read_text())
        known = {f.name for f in fields(TrainConfig)}
        if set(values) != known:
            raise ValueError(f"settings differ: {sorted(set(values) ^ known)}")
        for name in LISTS:
            values[name] = tuple(values[name])
        return TrainConfig(**values)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path}: not a training configuration ({error})") from error
