"""What each decision of a game cost, and how lucky each roll was.

Errors are equities normalised to the cube, as gnubg's EMG; in match play with their cost in match
winning chances, in money play in points.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from gnubg_py.cube.decision import CubeDecision, cube_decision
from gnubg_py.cube.met import MatchEquityTable, eq2mwc, equity_of
from gnubg_py.cube.state import Cube, can_double, cube_of, swap_cube
from gnubg_py.cube.tree import other_side
from gnubg_py.dice import ROLL_INDEX, ROLL_WEIGHTS, ROLLS
from gnubg_py.engine import Engine, default_engine
from gnubg_py.game.actions import Action, Double, Drop, Move, Redouble, Roll, Take
from gnubg_py.game.position import Position, valued
from gnubg_py.game.record import GameRecord
from gnubg_py.match import NO_DICE
from gnubg_py.notation import parse_play
from gnubg_py.probabilities import inverted
from gnubg_py.search.context import make_search
from gnubg_py.search.ranking import RankedPlay, rank, ranked_plays
from gnubg_py.search.settings import PRESETS, EvalSettings, Strength
from gnubg_py.search.values import cube_equities, values

CLOSE = 0.16
"""A cube decision is close where a double costs, or gains, no more than this."""


@dataclass(frozen=True)
class Analyst:
    """How decisions are judged: by which engine, how deeply, and which of them."""

    engine: Engine = field(default_factory=default_engine)
    strength: Strength = PRESETS["world class"]
    luck: EvalSettings = PRESETS["expert"].plays
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
    """A decision to double (``doubled``) or not, or, with an ``answer``, the answer to a double."""

    player: int
    doubled: bool
    answer: str | None
    decision: CubeDecision
    loss: float
    cost: float
    ply: int = 0
    probabilities: tuple[float, ...] = ()
    """gnubg's five of the position, as they were evaluated; empty where they are not known."""

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
    """The judgements of one action; none of an offer to resign and its answer."""
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
    search = make_search(analyst.engine, analyst.strength.plays)
    roll = np.array([dice], np.int8)
    plays = ranked_plays(rank(search, position.board[None], roll, cube, analyst.strength.filters))
    made = parse_play(position.board, dice, action.play)
    chosen = next(i for i, play in enumerate(plays) if np.array_equal(play.board, made))
    if plays[chosen].ply < plays[0].ply:
        # The filter left the play out: it is judged as deeply as the best one.
        plays[chosen] = _as_deep(plays[chosen], cube, analyst)
    loss = max(0.0, plays[0].equity - plays[chosen].equity)
    cost = cost_of(loss, cube, analyst.engine.met)
    return PlayJudgement(action.player, dice, tuple(plays), chosen, loss, cost, cube)


def _as_deep(play: RankedPlay, cube: Cube, analyst: Analyst) -> RankedPlay:
    """The play valued at the full depth."""
    theirs, settings = (swap_cube(cube),), analyst.strength.plays
    search = make_search(analyst.engine, settings)
    five, found = values(search, play.board[None], theirs, root=False)
    value = float(other_side(found, theirs)[0, 0])
    return replace(
        play,
        ply=settings.plies,
        equity=float(equity_of(value, cube, analyst.engine.met)),
        value=value,
        probabilities=inverted(five[0]).astype(np.float32),
    )


def _decision(
    position: Position, analyst: Analyst
) -> tuple[CubeDecision, tuple[float, ...]] | None:
    """The cube decision of a position with its probabilities, if there is one to make."""
    cube = cube_of(valued(position.match), analyst.beavers)
    if not can_double(cube):
        return None
    search = make_search(analyst.engine, analyst.strength.cube)
    found = cube_equities(search, position.board[None], cube)
    no_double, take = found.values[0].tolist()
    five = tuple(float(p) for p in found.probabilities[0])
    return cube_decision((no_double, take), cube, analyst.engine.met, gammons=five[1] > 0), five


def _no_double(position: Position, analyst: Analyst) -> CubeJudgement | None:
    """The judgement of a roll without a double: whether to double was right."""
    decided = _decision(position, analyst)
    if decided is None:
        return None
    ply, met = analyst.strength.cube.plies, analyst.engine.met
    return judged_cube(position.match.move, None, *decided, ply, met)


def _turned(position: Position, action: Action, analyst: Analyst) -> CubeJudgement | None:
    """The judgement of a double or of its answer; that of a beaver is judged like a take's."""
    if position.redoubles:
        return None
    decided = _decision(before_double(position), analyst)
    if decided is None:
        return None
    ply, met = analyst.strength.cube.plies, analyst.engine.met
    return judged_cube(action.player, action, *decided, ply, met)


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
    """What a double, an answer to one, or, ``action`` being None, a roll without one cost."""
    take, drop = decision.double_take, decision.double_pass
    match action:
        case None:
            loss = min(take, drop) - decision.no_double
        case Double():
            loss = decision.no_double - min(take, drop)
        case Drop():
            loss = drop - take
        case Redouble():
            # The taker doubles the stake: it plays for twice what a take is worth.
            loss = 2 * take - min(take, drop)
        case _:
            loss = take - drop
    loss = max(0.0, loss)
    cost = cost_of(loss, decision.cube, met)
    answer = None if action is None or isinstance(action, Double) else action.word
    doubled = action is not None
    return CubeJudgement(player, doubled, answer, decision, loss, cost, ply, probabilities)


def _luck(
    position: Position, dice: tuple[int, int], player: int, analyst: Analyst, opening: bool
) -> Luck | None:
    """The roll's best play against the mean of all rolls' best; an opening is never a double."""
    cube = cube_of(valued(position.match), analyst.beavers)
    boards = np.repeat(position.board[None], len(ROLLS), axis=0)
    search = make_search(analyst.engine, analyst.luck)
    ranking = rank(search, boards, ROLLS, cube, analyst.strength.filters)
    equities = ranking.equities[ranking.chosen]
    weights = np.where(ROLLS[:, 0] == ROLLS[:, 1], 0, ROLL_WEIGHTS) if opening else ROLL_WEIGHTS
    mean = float(equities @ weights) / float(weights.sum())
    luck = float(equities[ROLL_INDEX[dice[0], dice[1]]]) - mean
    return Luck(player, dice, luck, cost_of(luck, cube, analyst.engine.met))
