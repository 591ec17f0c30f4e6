"""Judge the actions of games in batches: all decisions with the same cube together.

A search takes any number of positions, but one cube. So the actions are grouped by the cube as the
player who decides sees it, and each group is judged in parts: one search for its cube decisions,
one for the luck of its rolls, one for its plays. The judgements do not depend on the grouping.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import VARIATIONS, Board, Boards, start_position, swap
from gnubg_py.cube.decision import CubeDecision, cube_decision
from gnubg_py.cube.met import equity_of
from gnubg_py.cube.state import Cube, can_double, cube_of, swap_cube
from gnubg_py.cube.tree import other_side
from gnubg_py.dice import ROLL_INDEX, ROLL_WEIGHTS, ROLLS
from gnubg_py.game.actions import Action, Double, Drop, Move, Redouble, Roll, Take
from gnubg_py.game.analysis import (
    Analyst,
    CubeJudgement,
    Judgement,
    Luck,
    PlayJudgement,
    before_double,
    cost_of,
    judged_cube,
)
from gnubg_py.game.position import Position, valued
from gnubg_py.game.record import GameRecord, sets_turn
from gnubg_py.match import NO_DICE
from gnubg_py.matchfiles.contents import Place
from gnubg_py.probabilities import inverted
from gnubg_py.search.context import StoppedError, StopToken, make_search
from gnubg_py.search.ranking import RankedPlay, rank, ranked_plays
from gnubg_py.search.values import cube_equities, values
from gnubg_py.workers import HERE, Workers, share_size

PART = 64
"""Actions judged at once: enough to fill batches, and few enough to stop soon after a Ctrl-C."""
_LEAST_PART = 8

PlaceJudgements: TypeAlias = dict[Place, tuple[Judgement, ...]]


@dataclass(frozen=True, eq=False)
class Question:
    """An action to judge: the position in which it was decided, and the board ``after`` it."""

    place: Place
    action: Action
    position: Position
    after: Board
    cube: Cube
    opening: bool

    @property
    def dice(self) -> tuple[int, int]:
        """The dice of a ``Roll`` or of a play."""
        return self.action.dice if isinstance(self.action, Roll) else self.position.match.dice


def judge_places(
    games: Sequence[GameRecord],
    places: Iterable[Place],
    analyst: Analyst,
    stop: StopToken | None = None,
    workers: Workers = HERE,
) -> Iterator[PlaceJudgements]:
    """Yield the judgements of the actions at some places, part by part; each part is final.

    An action without a judgement, such as an offer to resign, has an empty tuple. A stopped search
    raises ``StoppedError``.
    """
    nothing, parts = questions_at(games, places, analyst, workers)
    if nothing:
        yield nothing
    if workers is HERE:
        for part in parts:
            yield judge_part(analyst, part, stop)
        return
    with closing(workers.results(judge_part, analyst, parts)) as found:
        for _, judged in found:
            if stop is not None and stop.stopped:
                raise StoppedError
            yield judged


def questions_at(
    games: Sequence[GameRecord], places: Iterable[Place], analyst: Analyst, workers: Workers
) -> tuple[PlaceJudgements, list[list[Question]]]:
    """The actions without a judgement, and the others in parts with the same cube.

    With several workers the largest parts come first, so that they finish at about the same time.
    """
    groups: dict[Cube, list[Question]] = {}
    nothing: PlaceJudgements = {}
    for place in places:
        decision = _question_at(games[place[0]], place, analyst)
        if decision is None:
            nothing[place] = ()
        else:
            groups.setdefault(decision.cube, []).append(decision)
    size = PART
    if workers.count > 1:
        size = max(_LEAST_PART, share_size(sum(map(len, groups.values())), workers, PART))
    parts = [group[i : i + size] for group in groups.values() for i in range(0, len(group), size)]
    if workers.count > 1:
        parts.sort(key=len, reverse=True)
    return nothing, parts


def _question_at(game: GameRecord, place: Place, analyst: Analyst) -> Question | None:
    number = place[1]
    action, position = game.actions[number], game.positions[number]
    match action:
        case Roll() | Move():
            before = position
        case Double() | Take() | Drop() | Redouble() if not position.redoubles:
            before = before_double(position)
        case _:  # the actions after a beaver are not judged
            return None
    cube = cube_of(valued(before.match), analyst.beavers)
    opening = _is_first_roll(game, number)
    return Question(place, action, before, game.positions[number + 1].board, cube, opening)


def _is_first_roll(game: GameRecord, number: int) -> bool:
    """Whether an action is the first roll of a game, or the play of an opening roll.

    As in gnubg it stays so where the turn and the dice are set before it: nobody could double.
    """
    if number == 0 and isinstance(game.actions[0], Move):
        return game.start.match.dice != NO_DICE
    turned = all(sets_turn(game, place) for place in range(number))
    return (
        turned
        and isinstance(game.actions[number], Roll)
        and any((game.start.board == start_position(v)).all() for v in VARIATIONS)
    )


def judge_part(
    analyst: Analyst, part: Sequence[Question], stop: StopToken | None = None
) -> PlaceJudgements:
    """The judgements of some decisions with the same cube."""
    judged: dict[Place, list[Judgement]] = {decision.place: [] for decision in part}
    cube = part[0].cube

    def add(decisions: list[Question], judgements: Sequence[Judgement]) -> None:
        for decision, judgement in zip(decisions, judgements, strict=True):
            judged[decision.place].append(judgement)

    if analyst.cubes and can_double(cube):
        cubes = [d for d in part if not isinstance(d.action, Move) and not d.opening]
        add(cubes, _cubes(cubes, cube, analyst, stop))
    if analyst.dice:
        rolls = [d for d in part if d.opening or isinstance(d.action, Roll)]
        add(rolls, _lucks(rolls, cube, analyst, stop))
    if analyst.moves:
        moves = [decision for decision in part if isinstance(decision.action, Move)]
        add(moves, _plays(moves, cube, analyst, stop))
    return {place: tuple(judgements) for place, judgements in judged.items()}


def _boards(decisions: list[Question]) -> Boards:
    return np.array([d.position.board for d in decisions], np.int8).reshape(-1, 2, 25)


def _cubes(
    decisions: list[Question], cube: Cube, analyst: Analyst, stop: StopToken | None
) -> list[CubeJudgement]:
    """The judgements of doubles, of answers to them, and of rolls without a double."""
    if not decisions:
        return []
    met, settings = analyst.engine.met, analyst.strength.cube
    found = cube_equities(
        make_search(analyst.engine, settings, stop=stop), _boards(decisions), cube
    )
    judgements = []
    for i, decision in enumerate(decisions):
        no_double, take = found.values[i].tolist()
        five = tuple(float(p) for p in found.probabilities[i])
        proper: CubeDecision = cube_decision((no_double, take), cube, met, gammons=five[1] > 0)
        turned = None if isinstance(decision.action, Roll) else decision.action
        player = decision.action.player
        judgements.append(judged_cube(player, turned, proper, five, settings.plies, met))
    return judgements


_SINGLES = np.where(ROLLS[:, 0] == ROLLS[:, 1], 0, ROLL_WEIGHTS)
"""The weights of the rolls that begin a game, int64[21]."""


def _lucks(
    decisions: list[Question], cube: Cube, analyst: Analyst, stop: StopToken | None
) -> list[Luck]:
    """Luck: the best play's equity less the mean over all rolls.

    The opening roll also says who plays first: its mean is over the rolls of both sides, without
    doubles, as gnubg has it.
    """
    if not decisions:
        return []
    best = _best_of_rolls(_boards(decisions), cube, analyst, stop)
    opening, theirs = np.array([decision.opening for decision in decisions]), np.zeros_like(best)
    if opening.any():
        boards = swap(_boards(decisions)[opening])
        theirs[opening] = _best_of_rolls(boards, swap_cube(cube), analyst, stop)
    lucks = []
    for decision, mine, other in zip(decisions, best, theirs, strict=True):
        begins = decision.opening
        mean = _mean(mine - other, _SINGLES) / 2 if begins else _mean(mine, ROLL_WEIGHTS)
        lucks.append(_luck(decision, mine, mean, analyst))
    return lucks


def _mean(equities: NDArray[np.float64], weights: NDArray[np.int64]) -> float:
    return float(equities @ weights) / float(weights.sum())


def _best_of_rolls(
    boards: Boards, cube: Cube, analyst: Analyst, stop: StopToken | None
) -> NDArray[np.float64]:
    """The equity of the best play of each roll, float64[n, 21], of the side on roll."""
    dice = np.tile(ROLLS, (len(boards), 1))
    search = make_search(analyst.engine, analyst.luck, stop=stop)
    repeated = np.repeat(boards, len(ROLLS), axis=0)
    ranking = rank(search, repeated, dice, cube, analyst.strength.filters)
    return ranking.equities[ranking.chosen].reshape(len(boards), len(ROLLS))


def _luck(decision: Question, equities: NDArray[np.float64], mean: float, analyst: Analyst) -> Luck:
    a, b = decision.dice
    luck = float(equities[ROLL_INDEX[a, b]] - mean)
    player, worth = decision.action.player, cost_of(luck, decision.cube, analyst.engine.met)
    return Luck(player, (a, b), luck, worth)


def _plays(
    decisions: list[Question], cube: Cube, analyst: Analyst, stop: StopToken | None
) -> list[PlayJudgement]:
    if not decisions:
        return []
    dice = np.array([decision.dice for decision in decisions], np.int8)
    search = make_search(analyst.engine, analyst.strength.plays, stop=stop)
    ranking = rank(search, _boards(decisions), dice, cube, analyst.strength.filters)
    ranked = [ranked_plays(ranking, number) for number in range(len(decisions))]
    chosen = [
        next(i for i, play in enumerate(plays) if np.array_equal(play.board, decision.after))
        for plays, decision in zip(ranked, decisions, strict=True)
    ]
    _deepen(ranked, chosen, cube, analyst, stop)
    return [
        _judged_play(decision, tuple(plays), number, analyst)
        for decision, plays, number in zip(decisions, ranked, chosen, strict=True)
    ]


def _deepen(
    ranked: list[list[RankedPlay]],
    chosen: list[int],
    cube: Cube,
    analyst: Analyst,
    stop: StopToken | None,
) -> None:
    """Search plays that were made as deeply as the best ones, if the filter left them out."""
    shallow = [
        (plays, number)
        for plays, number in zip(ranked, chosen, strict=True)
        if plays[number].ply < plays[0].ply
    ]
    if not shallow:
        return
    theirs, settings = (swap_cube(cube),), analyst.strength.plays
    boards = np.array([plays[number].board for plays, number in shallow], np.int8)
    search = make_search(analyst.engine, settings, stop=stop)
    five, found = values(search, boards, theirs, root=False)
    for i, (plays, number) in enumerate(shallow):
        value = float(other_side(found[i : i + 1], theirs)[0, 0])
        plays[number] = replace(
            plays[number],
            ply=settings.plies,
            equity=float(equity_of(value, cube, analyst.engine.met)),
            value=value,
            probabilities=inverted(five[i]).astype(np.float32),
        )


def _judged_play(
    decision: Question, plays: tuple[RankedPlay, ...], chosen: int, analyst: Analyst
) -> PlayJudgement:
    loss = max(0.0, plays[0].equity - plays[chosen].equity)
    cost = cost_of(loss, decision.cube, analyst.engine.met)
    player = decision.action.player
    return PlayJudgement(player, decision.dice, plays, chosen, loss, cost, decision.cube)
