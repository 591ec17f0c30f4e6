"""The settings of a training run, which are options, and are saved with its checkpoints."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar, get_args, get_type_hints

from gnubg_py.board import MAX_PLAYS
from gnubg_py.network.weights import NET_CLASSES, Architecture, check_tails

T = TypeVar("T")


def setting(default: T, text: str) -> T:
    """A dataclass field with its default and the help text of its option."""
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True)
class TrainConfig:
    """Settings of one training run. The defaults train a contact net from random weights."""

    position_class: str = setting(
        "contact",
        "What the net learns: contact (crashed positions too, and races while no --race net is"
        " given), crashed, race, prune (contact, crashed and races: a net that chooses the plays"
        " that others look at), or rolls (one side's rolls in a race: the shipped race net).",
    )
    hidden: tuple[int, ...] = setting((512, 128, 64), "Units of each hidden layer.")
    tails: int = setting(
        1,
        "Sets of the layers behind the first: 16 serve positions by the checkers that both sides"
        " have back, 64 by strong homes too. As fast as one, and many times as large.",
    )
    encoding: str = setting("thermometer", "The inputs: thermometer, tesauro196 or tesauro198.")
    activation: str = setting("leaky", "Hidden units: leaky, or clipped to 0 to 1.")
    slope: float = setting(0.05, "Slope of leaky hidden units below 0.")
    seed: int = setting(1, "Seed of the first weights, the dice and all draws.")

    rolls: str = setting(
        "all", "all: targets are backed up over the 21 rolls; one: over the roll that came (TD)."
    )
    trace: float = setting(
        0.8, "How much of the later corrections of the same game a target takes in: lambda."
    )
    games: int = setting(1024, "Games played at once (sides, for rolls nets).")
    turns: int = setting(24, "Turns that every game plays between two fits.")
    lanes: int = setting(
        1,
        "Groups that the games are dealt to, each with dice of its own: the workers of --cluster"
        " play one each. Two for every thread of theirs keep them busy.",
    )
    random_plays: float = setting(0.07, "Share of plays drawn from all legal ones, for variety.")
    near_plays: float = setting(
        0.0,
        "Share of plays drawn from those that the pruning nets kept: the positions that decisions"
        " are about. Only with --prune.",
    )
    max_game_turns: int = setting(400, "A game is broken off after this many turns.")
    thinned: float = setting(
        0.25,
        "Share of the sides that begin with checkers taken away at random, for rolls nets only: a"
        " checker left behind while the others are off is rare in races, and hard.",
    )

    siblings: bool = setting(
        False,
        "The second-best play of each roll gets a target too (of all rolls), so that the net learns"
        " what choices are about. Half as many positions are played.",
    )
    late_contact: float = setting(
        0.0,
        "Share of the games that begin from positions dealt with contact after checkers were borne"
        " off: rare in play, and badly valued.",
    )
    hard_boards: float = setting(
        0.0,
        "Share of the games that begin from the positions of largest residual met in the run.",
    )
    hard_kept: int = setting(20_000, "Positions of large residual that are kept for that.")

    positions: int = setting(
        4_000_000,
        "Length of the run, in positions played. The rate falls from first to last over it.",
    )
    rate_first: float = setting(1e-3, "Adam's learning rate at the beginning.")
    rate_last: float = setting(1e-4, "Adam's learning rate at the end.")
    muon: float = setting(
        0.0,
        "Muon learns the matrices between hidden layers, at this many times Adam's rate (10 is a"
        " good number): closer fits of nets of 1024 units, at less speed. 0: Adam learns them too.",
    )
    batch: int = setting(1024, "Positions of a batch.")
    micro_batch: int = setting(
        0,
        "Positions of a batch that are worked on at once, their gradients summed, which needs less"
        " memory. 0: the whole batch.",
    )
    uses: float = setting(
        4.0, "Times that each new position is fitted, on average, from the buffer of the latest."
    )
    buffer: int = setting(400_000, "The latest positions, which batches are drawn from.")
    average: float = setting(
        0.999,
        "Decay, each batch, of the running average of the weights. The average plays, is scored"
        " and is saved.",
    )
    precision: str = setting(
        "bfloat16",
        "Matrix products of play and fit: bfloat16 (about three times as fast) or float32.",
    )
    play_rounded: bool = setting(
        False,
        "Play with the net rounded to whole numbers, which is faster. Its ranges are those of the"
        " positions in training/positions.txt and of the games.",
    )
    quantise: bool = setting(
        False,
        "Fit the end of the run with the first layers rounded as in nets of whole numbers"
        " (gnubg-py net quantise).",
    )
    quantise_from: float = setting(
        0.67, "Share of the run after which --quantise begins; 0.1 for a net that is trained."
    )
    equity_weight: float = setting(
        0.0, "Weight of the squared equity error beside the cross-entropy of the outcomes."
    )
    sibling_weight: float = setting(
        0.0,
        "Weight of the squared difference between a play's equity error and the mean error of the"
        " plays of the same roll. Only with --teacher or --siblings: several plays of a roll.",
    )

    start: str = setting(
        "", "A weights file to start from, of this shape or narrower. Empty: random weights."
    )
    race: str = setting(
        "", "The race net that values races met in play. Empty: the net in training does."
    )
    prune: tuple[str, ...] = setting(
        (),
        "Smaller nets. Each chooses, among the plays of a roll that the one before kept, those that"
        " the next looks at; the net in training is the last. Empty: it looks at all plays. A rolls"
        " net takes one at most, which chooses the play.",
    )
    keep: tuple[int, ...] = setting((5,), "Plays of a roll that each of the pruning nets keeps.")
    teacher: tuple[str, ...] = setting(
        (), "Nets whose mean plays and is the target of every play, to distil them into one net."
    )
    look_ahead: bool = setting(
        False,
        "The teachers' values one roll ahead are the targets, corrected as in self-play, in place"
        " of their own values: stronger targets, of which a position takes longer.",
    )
    boards: str = setting(
        "",
        "A .npy file of int8[n, 2, 25] boards that games begin from. Empty: the start position."
        " For a rolls net: races, as the run of a contact net leaves them in races.npy.",
    )
    boards_share: float = setting(1.0, "Share of the games that begin from --boards.")
    decisions: str = setting(
        "", "Judged decisions to score on at every report, never trained on. Empty: none."
    )
    report_positions: int = setting(250_000, "Positions between two reports.")
    checkpoint_minutes: float = setting(3.0, "Minutes between two checkpoints.")

    @property
    def teaches_own_values(self) -> bool:
        """Whether the targets are teachers' own values, not values one roll ahead."""
        return bool(self.teacher) and not self.look_ahead


def architecture_of(config: TrainConfig) -> Architecture:
    """The shape of the net that a run trains."""
    return Architecture(
        tuple(config.hidden),
        config.encoding,
        config.slope,
        config.position_class,
        config.activation,
        tails=config.tails,
    )


_STARTS = ("late_contact", "hard_boards")


def _contact(config: TrainConfig) -> bool:
    return config.position_class in ("contact", "crashed", "prune")


def check_config(config: TrainConfig) -> TrainConfig:
    """Return the settings if they are possible, else ``ValueError`` names the first wrong one."""
    # A cube net is fitted by ``training.cube_net``.
    _check_one_of(config, "position_class", tuple(c for c in NET_CLASSES if c != "cube"))
    _check_one_of(config, "rolls", ("all", "one"))
    _check_one_of(config, "activation", ("leaky", "clipped"))
    _check_one_of(config, "precision", ("bfloat16", "float32"))
    counts = ("games", "turns", "max_game_turns", "positions", "batch", "buffer", "hard_kept")
    check_at_least(1, config, (*counts, "report_positions", "lanes"))
    if config.lanes > min(config.games, config.positions):
        raise ValueError(f"lanes {config.lanes}: should be at most the number of games")
    weights = ("equity_weight", "sibling_weight", "muon")
    check_at_least(0, config, ("uses", *weights, "checkpoint_minutes", "micro_batch", "seed"))
    plays = ("trace", "random_plays", "near_plays", "thinned")
    _check_shares(config, (*plays, *_STARTS, "boards_share", "average", "slope", "quantise_from"))
    if not (config.rate_first > 0 and config.rate_last > 0):
        raise ValueError(f"rates {config.rate_first}, {config.rate_last}: should be above 0")
    if not config.hidden or min(config.hidden) < 1:
        raise ValueError(f"hidden {config.hidden}: expected widths of at least 1")
    check_tails(architecture_of(config))
    if config.play_rounded and (config.teacher or len(config.hidden) < 2 or not _contact(config)):
        raise ValueError(
            "play_rounded: the net in training should play, have two hidden layers, and learn"
            " contact positions"
        )
    if (config.quantise or config.muon) and len(config.hidden) < 2:
        raise ValueError("quantise, muon: need two hidden layers or more")
    if config.sibling_weight and not (config.teacher or config.siblings):
        raise ValueError("sibling_weight: give --teacher or --siblings, several plays of a roll")
    if sum(getattr(config, name) for name in _STARTS) > 1:
        raise ValueError(f"{' and '.join(_STARTS)}: more than all games")
    if config.position_class == "rolls":
        _check_rolls(config)
    else:
        _check_pruning(config)
    return config


def _check_pruning(config: TrainConfig) -> None:
    """Check what training a pruning net needs, and which settings a teacher excludes."""
    if not all(1 <= keep <= MAX_PLAYS for keep in config.keep or (0,)):
        raise ValueError(f"keep {config.keep}: each should be 1 to {MAX_PLAYS}")
    if config.prune and len(config.prune) != len(config.keep):
        raise ValueError(f"keep {config.keep}: expected a number for each of {config.prune}")
    if config.near_plays and not config.prune:
        raise ValueError("near_plays: only a pruning net says which plays are near; give --prune")
    if config.look_ahead and not config.teacher:
        raise ValueError("look_ahead: give --teacher, the nets that look ahead")
    if config.siblings and (config.teaches_own_values or config.rolls == "one"):
        raise ValueError(
            "siblings: needs targets of all rolls: --look-ahead with --teacher, not --rolls one"
        )
    if config.hard_boards and config.teaches_own_values:
        raise ValueError("hard_boards: a teacher's own values have no residual; give --look-ahead")


def _check_rolls(config: TrainConfig) -> None:
    """Check what training a rolls net needs, and which settings it excludes."""
    if not config.boards:
        raise ValueError("boards: name a .npy file of races, as a contact run leaves it")
    if len(config.prune) > 1:
        raise ValueError(f"prune {config.prune}: a rolls net takes one at most")
    for name in (
        "teacher",
        "look_ahead",
        "race",
        "near_plays",
        "equity_weight",
        "siblings",
        "quantise",
        *_STARTS,
    ):
        if getattr(config, name):
            raise ValueError(f"{name}: not a setting of rolls nets")


def _check_one_of(config: TrainConfig, name: str, known: tuple[str, ...]) -> None:
    value = getattr(config, name)
    if value not in known:
        word = "class" if name == "position_class" else name
        raise ValueError(f"{word} {value!r}: expected one of {', '.join(known)}")


def check_at_least(lowest: int, settings: object, names: tuple[str, ...]) -> None:
    """``ValueError`` if one of these settings, or options of a command, is below the lowest."""
    for name in names:
        value = getattr(settings, name)
        if not value >= lowest:
            raise ValueError(f"{name} {value}: should be at least {lowest}")


def _check_shares(config: TrainConfig, names: tuple[str, ...]) -> None:
    for name in names:
        if not 0 <= getattr(config, name) <= 1:
            raise ValueError(f"{name} {getattr(config, name)}: should be from 0 to 1")


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add an option for every setting."""
    kinds = get_type_hints(TrainConfig)
    for one in fields(TrainConfig):
        name = "--" + one.name.replace("_", "-")
        nothing = one.default in ("", ()) or one.default is False
        given = "" if nothing else f" (default {_shown(one.default)})"
        text = (one.metadata["help"] + given).replace("%", "%%")
        kind = kinds[one.name]
        if kind is bool:
            parser.add_argument(name, action="store_true", default=None, help=text)
        elif isinstance(one.default, tuple):
            parser.add_argument(name, type=get_args(kind)[0], nargs="+", help=text)
        else:
            parser.add_argument(name, type=kind, metavar=kind.__name__.upper(), help=text)


def _shown(default: object) -> str:
    return " ".join(map(str, default)) if isinstance(default, tuple) else str(default)


def config_from_options(args: argparse.Namespace) -> TrainConfig:
    """The settings from the command line, with defaults for the others."""
    given: dict[str, Any] = {one.name: getattr(args, one.name) for one in fields(TrainConfig)}
    values = {name: value for name, value in given.items() if value is not None}
    values |= {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return check_config(TrainConfig(**values))


def config_json(config: TrainConfig) -> str:
    """The settings as readable JSON."""
    return json.dumps(asdict(config), indent=1)
