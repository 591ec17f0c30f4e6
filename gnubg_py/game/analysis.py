"""What each decision of a game cost, and how lucky each roll was.

Errors are equities normalised to the cube, as gnubg's EMG; in match play with their cost in match
winning chances, in money play in points.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from gnubg_py.cube.action import CubeDecision, cube_decision
from gnubg_py.cube.from_match import cube_of
from gnubg_py.cube.met import MatchEquityTable, eq2mwc, kazaross_xg2
from gnubg_py.cube.state import Cube, can_double
from gnubg_py.dice import ROLL_INDEX, ROLL_WEIGHTS, ROLLS
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.game.actions import Action, Double, Drop, Move, Redouble, Roll, Take
from gnubg_py.game.position import Position, valued
from gnubg_py.game.record import GameRecord
from gnubg_py.match import NO_DICE
from gnubg_py.notation import parse_play
from gnubg_py.search.ranking import RankedPlay, choose_plays, rank_plays
from gnubg_py.search.settings import NORMAL, EvalSettings, MoveFilter
from gnubg_py.search.values import cube_decision_batch, has_gammons

CLOSE = 0.16
"""A cube decision is close where a double costs, or gains, no more than this."""


@dataclass(frozen=True)
class Analyst:
    """How decisions are judged; ``None`` for the shipped evaluators and table."""

    plays: EvalSettings = field(default_factory=lambda: EvalSettings(2))
    cube: EvalSettings = field(default_factory=lambda: EvalSettings(2))
    luck: EvalSettings = field(default_factory=lambda: EvalSettings(0, prune=False))
    filters: MoveFilter = NORMAL
    router: Evaluator | None = None
    met: MatchEquityTable | None = None
    beavers: bool = False
    moves: bool = True
    cubes: bool = True
    dice: bool = True


@dataclass(frozen=True)
class PlayJudgement:
    """A play: ``plays`` best first, ``chosen`` its place among them; the loss is 0 or above."""

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
    """A decision to double or not, ``doubled`` telling which, or, ``answer`` given, its answer."""

    player: int
    doubled: bool
    answer: str | None
    decision: CubeDecision
    loss: float
    cost: float

    @property
    def close(self) -> bool:
        """Whether it was close, or the cube was turned."""
        d = self.decision
        doubled = min(d.double_take, d.double_pass)
        return self.doubled or abs(max(d.no_double, doubled) - doubled) < CLOSE


@dataclass(frozen=True)
class Luck:
    """How much better than the average of all rolls a roll was, and that in chances or points."""

    player: int
    dice: tuple[int, int]
    luck: float
    worth: float


Judgement = PlayJudgement | CubeJudgement | Luck


def cost_of(loss: float, cube: Cube, met: MatchEquityTable) -> float:
    """An equity normalised to the cube as points, or in a match as winning chances."""
    if cube.away is None:
        return loss * cube.value
    return float(eq2mwc(loss, cube, met) - eq2mwc(0.0, cube, met))


def judge(game: GameRecord, place: int, action: Action, analyst: Analyst) -> tuple[Judgement, ...]:
    """What there is to say of one action: nothing of offers to resign and their answers."""
    position = game.positions[place]
    match action:
        case Roll(dice=dice):
            judged = _no_double(position, analyst) if analyst.cubes else None
            luck = _luck(position, dice, action.player, analyst, False) if analyst.dice else None
            return tuple(item for item in (judged, luck) if item is not None)
        case Move():
            answer: list[Judgement] = []
            if place == 0 and analyst.dice and game.start.match.dice != NO_DICE:
                opening = _luck(position, position.match.dice, action.player, analyst, True)
                if opening is not None:
                    answer.append(opening)
            if analyst.moves:
                answer.append(_play(position, action, analyst))
            return tuple(answer)
        case Double() | Take() | Drop() | Redouble() if analyst.cubes:
            judged = _turned(position, action, analyst)
            return () if judged is None else (judged,)
    return ()


def _play(position: Position, action: Move, analyst: Analyst) -> PlayJudgement:
    cube = cube_of(valued(position.match), analyst.beavers)
    dice = position.match.dice
    plays = rank_plays(
        position.board, dice, cube, analyst.plays, analyst.filters, analyst.router, analyst.met
    )
    made = parse_play(position.board, dice, action.play)
    chosen = next(i for i, play in enumerate(plays) if np.array_equal(play.board, made))
    if plays[chosen].ply < plays[0].ply:
        # The play did not come through the filter: it is judged as deeply as the best one.
        plays[chosen] = _as_deep(position, plays[chosen], cube, analyst)
    loss = max(0.0, plays[0].equity - plays[chosen].equity)
    met = analyst.met or kazaross_xg2()
    return PlayJudgement(
        action.player, dice, tuple(plays), chosen, loss, cost_of(loss, cube, met), cube
    )


def _as_deep(position: Position, play: RankedPlay, cube: Cube, analyst: Analyst) -> RankedPlay:
    from gnubg_py.cube.met import mwc2eq
    from gnubg_py.cube.state import swap_cube
    from gnubg_py.cube.tree import other_side
    from gnubg_py.search.ranking import inverted
    from gnubg_py.search.values import cubeful_values

    theirs = (swap_cube(cube),)
    five, values = cubeful_values(
        play.board[None], theirs, analyst.plays, analyst.router, analyst.met, root=False
    )
    value = float(other_side(values, theirs)[0, 0])
    met = analyst.met or kazaross_xg2()
    equity = value if cube.away is None else float(mwc2eq(value, cube, met))
    return replace(
        play,
        ply=analyst.plays.plies,
        equity=equity,
        value=value,
        probabilities=inverted(five[0]).astype(np.float32),
    )


def _decision(position: Position, analyst: Analyst) -> CubeDecision | None:
    cube = cube_of(valued(position.match), analyst.beavers)
    if not can_double(cube):
        return None
    answer = cube_decision_batch(
        position.board[None], cube, analyst.cube, analyst.router, analyst.met
    )
    values = (float(answer.values[0, 0]), float(answer.values[0, 1]))
    return cube_decision(values, cube, analyst.met, has_gammons(answer.probabilities[0], cube))


def _no_double(position: Position, analyst: Analyst) -> CubeJudgement | None:
    """Of a roll: whether the cube should have been turned before it."""
    decision = _decision(position, analyst)
    if decision is None:
        return None
    doubled = min(decision.double_take, decision.double_pass)
    loss = max(0.0, doubled - decision.no_double)
    return _cube_judgement(position.match.move, False, None, decision, loss, analyst)


def _turned(position: Position, action: Action, analyst: Analyst) -> CubeJudgement | None:
    """Of a double or its answer. Beavers' answers are judged as the answer to a double."""
    match = position.match
    if position.redoubles:
        return None
    asked = replace(position, match=replace(match, doubled=False, turn=match.move))
    decision = _decision(asked, analyst)
    if decision is None:
        return None
    take, drop = decision.double_take, decision.double_pass
    match action:
        case Double():
            loss = decision.no_double - min(take, drop)
        case Drop():
            loss = drop - take
        case Redouble():
            # The taker doubles the stake: it plays for twice what a take is worth.
            loss = 2 * take - min(take, drop)
        case _:
            loss = take - drop
    answer = None if isinstance(action, Double) else action.word
    return _cube_judgement(action.player, True, answer, decision, max(0.0, loss), analyst)


def _cube_judgement(
    player: int,
    doubled: bool,
    answer: str | None,
    decision: CubeDecision,
    loss: float,
    analyst: Analyst,
) -> CubeJudgement:
    cost = cost_of(loss, decision.cube, analyst.met or kazaross_xg2())
    return CubeJudgement(player, doubled, answer, decision, loss, cost)


def _luck(
    position: Position, dice: tuple[int, int], player: int, analyst: Analyst, opening: bool
) -> Luck | None:
    """The roll's best play against the mean of all rolls' best; an opening is never a double."""
    cube = cube_of(valued(position.match), analyst.beavers)
    boards = np.repeat(position.board[None], len(ROLLS), axis=0)
    ranking = choose_plays(
        boards, ROLLS, cube, analyst.luck, analyst.filters, analyst.router, analyst.met
    )
    equities = ranking.equities[ranking.chosen]
    weights = np.where(ROLLS[:, 0] == ROLLS[:, 1], 0, ROLL_WEIGHTS) if opening else ROLL_WEIGHTS
    mean = float(equities @ weights) / float(weights.sum())
    luck = float(equities[ROLL_INDEX[dice[0], dice[1]]]) - mean
    met = analyst.met or kazaross_xg2()
    return Luck(player, dice, luck, cost_of(luck, cube, met))
