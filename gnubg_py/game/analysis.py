"""The cost of each decision of a game, and the luck of each roll.

Errors are equities normalised to the cube, as gnubg's EMG. Each also has a cost: match winning
chance in a match, points in money play.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gnubg_py.cube.decision import CubeDecision
from gnubg_py.cube.met import MatchEquityTable, chance_of_equity
from gnubg_py.cube.state import Cube
from gnubg_py.engine import Engine, default_engine
from gnubg_py.game.actions import Action, Double, Drop, Redouble
from gnubg_py.game.position import Position
from gnubg_py.search.ranking import RankedPlay
from gnubg_py.search.settings import PRESETS, EvalSettings, Strength

CLOSE = 0.16
"""A cube decision is close if a double loses or gains at most this equity."""


@dataclass(frozen=True)
class Analyst:
    """The engine, the plies and the choice of decisions for an analysis."""

    engine: Engine = field(default_factory=default_engine)
    strength: Strength = PRESETS["world class"]
    luck: EvalSettings = PRESETS["expert"].plays
    beavers: bool = False
    moves: bool = True
    cubes: bool = True
    dice: bool = True


@dataclass(frozen=True)
class PlayJudgement:
    """A judged play: ``plays``, best first, and the index ``chosen`` of the one that was made."""

    player: int
    dice: tuple[int, int]
    plays: tuple[RankedPlay, ...]
    chosen: int
    loss: float
    cost: float
    cube: Cube

    @property
    def forced(self) -> bool:
        """Whether there was no choice."""
        return len(self.plays) == 1


@dataclass(frozen=True)
class CubeJudgement:
    """A judged decision whether to double (``doubled``), or the ``answer`` to a double."""

    player: int
    doubled: bool
    answer: str | None
    decision: CubeDecision
    loss: float
    cost: float
    ply: int = 0
    probabilities: tuple[float, ...] = ()
    """gnubg's five probabilities of the position; empty if they are not known."""

    @property
    def close(self) -> bool:
        """Whether the decision was close, or the cube was turned."""
        d = self.decision
        doubled = min(d.double_take, d.double_pass)
        return self.doubled or abs(max(d.no_double, doubled) - doubled) < CLOSE


@dataclass(frozen=True)
class Luck:
    """The luck of a roll: its equity less the mean of all rolls, and the same as a cost."""

    player: int
    dice: tuple[int, int]
    luck: float
    worth: float


Judgement = PlayJudgement | CubeJudgement | Luck


def cost_of(loss: float, cube: Cube, met: MatchEquityTable) -> float:
    """A loss of equity, normalised to the cube, as points, or in a match as winning chance."""
    if cube.away is None:
        return loss * cube.value
    return float(chance_of_equity(loss, cube, met) - chance_of_equity(0.0, cube, met))


def before_double(position: Position) -> Position:
    """The position in which the double that is on the table was offered."""
    match = replace(position.match, doubled=False, turn=position.match.move)
    return replace(position, match=match)


def judged_cube(
    player: int,
    action: Action | None,
    decision: CubeDecision,
    probabilities: tuple[float, ...],
    ply: int,
    met: MatchEquityTable,
) -> CubeJudgement:
    """Judge a double, the answer to a double, or with ``action`` None a roll without a double."""
    take, drop = decision.double_take, decision.double_pass
    match action:
        case None:
            loss = min(take, drop) - decision.no_double
        case Double():
            loss = decision.no_double - min(take, drop)
        case Drop():
            loss = drop - take
        case Redouble():
            # A beaver doubles the stake, so its value is twice that of a take.
            loss = 2 * take - min(take, drop)
        case _:
            loss = take - drop
    loss = max(0.0, loss)
    cost = cost_of(loss, decision.cube, met)
    answer = None if action is None or isinstance(action, Double) else action.word
    doubled = action is not None
    return CubeJudgement(player, doubled, answer, decision, loss, cost, ply, probabilities)
