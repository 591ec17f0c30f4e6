"""Many positions in one call: ``hints`` and ``cube_actions``.

The searches run on the whole batch at once. The text of the plays of one position is made only
when the hint of that position is read.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from gnubg_py.analysis import Dice, chosen_settings, cube_hint, dice_of, plays_hint
from gnubg_py.board import Boards
from gnubg_py.cube.met import MatchEquityTable
from gnubg_py.cube.state import Cube, cube_of
from gnubg_py.engine import Engine, engine_of
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.frames import as_frame
from gnubg_py.match import NO_DICE, MatchState
from gnubg_py.notation.playable import AnyPosition, Situation, read_position, situated
from gnubg_py.results import CubeHint, PlaysHint
from gnubg_py.search.context import make_search
from gnubg_py.search.ranking import Ranking, rank
from gnubg_py.search.settings import EvalSettings, MoveFilter
from gnubg_py.search.values import CubeEquities, cube_equities

_Hint = TypeVar("_Hint", PlaysHint, CubeHint)

AnyBoards: TypeAlias = Boards | Sequence[AnyPosition]
"""Boards ``int8[n, 2, 25]``, or a list of positions; all have the same score and cube."""

AnyRolls: TypeAlias = Dice | Sequence[Dice] | NDArray[Any]
"""A roll for each position, or one roll for all of them."""


class _Hints(Sequence[_Hint]):
    """The hints of many positions; each is made when it is read."""

    boards: Boards
    settings: EvalSettings

    @abstractmethod
    def _hint(self, number: int) -> _Hint:
        """The hint of a position by its number."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """One dict for each position."""

    def __len__(self) -> int:
        return len(self.boards)

    @overload
    def __getitem__(self, index: int) -> _Hint: ...

    @overload
    def __getitem__(self, index: slice) -> list[_Hint]: ...

    def __getitem__(self, index: int | slice) -> _Hint | list[_Hint]:
        numbers = range(len(self))[index]
        return self._hint(numbers) if isinstance(numbers, int) else list(map(self._hint, numbers))

    def to_frame(self) -> Any:
        """The rows as a pandas DataFrame."""
        return as_frame(self.rows())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} positions, {self.settings.text}>"


@dataclass(frozen=True, eq=False, repr=False)
class PlaysHints(_Hints[PlaysHint]):
    """The hints of many positions; ``ranking`` has all their plays with equities as arrays."""

    boards: Boards
    states: tuple[MatchState, ...]
    cube: Cube
    ranking: Ranking
    settings: EvalSettings
    filters: MoveFilter
    met: MatchEquityTable

    @property
    def best_boards(self) -> Boards:
        """The position after each best play, ``int8[n, 2, 25]``, the opponent on roll."""
        return self.ranking.boards

    @property
    def equities(self) -> NDArray[np.float64]:
        """The equity of each best play, ``float64[n]``."""
        return self.ranking.equities[self.ranking.chosen]

    def _hint(self, number: int) -> PlaysHint:
        board, state = self.boards[number], self.states[number]
        return plays_hint(
            self.ranking, number, board, state, self.cube, self.settings, self.filters, self.met
        )

    def rows(self) -> list[dict[str, Any]]:
        """One dict for each position: its best play and the equity of that play."""
        return [
            {"position": i, "dice": f"{one.dice[0]}{one.dice[1]}"} | one.best.row()
            for i, one in enumerate(self)
        ]


@dataclass(frozen=True, eq=False, repr=False)
class CubeHints(_Hints[CubeHint]):
    """The cube decisions of many positions; ``found`` has all their equities as arrays."""

    boards: Boards
    states: tuple[MatchState, ...]
    cube: Cube
    found: CubeEquities
    settings: EvalSettings
    engine: Engine

    def _hint(self, number: int) -> CubeHint:
        board, state, settings = self.boards[number], self.states[number], self.settings
        met = self.engine.met
        return cube_hint(self.found, number, board, state, self.cube, settings, settings.plies, met)

    def rows(self) -> list[dict[str, Any]]:
        """One dict for each position: the proper action and the three equities."""
        return [{"position": i} | one.row() for i, one in enumerate(self)]


def hints(
    boards: AnyBoards,
    dice: AnyRolls,
    *,
    ply: int | None = None,
    settings: EvalSettings | str | None = None,
    filters: MoveFilter | str | None = None,
    evaluator: Evaluator | str | None = None,
    engine: Engine | None = None,
    beavers: bool = False,
    **situation: Unpack[Situation],
) -> PlaysHints:
    """``best_plays`` of many positions at once: the plays of each roll, best first.

    All positions have the same score and cube. The arguments are as those of ``hint``.

    >>> answer = hints(["4HPwATDgc/ABMA"] * 2, ["31", "62"], ply=0)
    >>> [one.best.play for one in answer]
    ['8/5 6/5', '24/18 13/11']
    """
    positions, states = _read(boards, situation)
    rolls = _rolls(dice, len(positions))
    states = tuple(replace(state, dice=roll) for state, roll in zip(states, rolls, strict=True))
    how, chosen = chosen_settings(settings, filters, ply)
    search = make_search(engine or engine_of(evaluator), how)
    cube = _only_cube(states, beavers)
    ranking = rank(search, positions, np.array(rolls, np.int8).reshape(-1, 2), cube, chosen)
    return PlaysHints(positions, states, cube, ranking, search.settings, chosen, search.engine.met)


def cube_actions(
    boards: AnyBoards,
    *,
    ply: int | None = None,
    settings: EvalSettings | str | None = None,
    evaluator: Evaluator | str | None = None,
    engine: Engine | None = None,
    beavers: bool = False,
    **situation: Unpack[Situation],
) -> CubeHints:
    """``cube_action`` of many positions at once, all with the same score and cube.

    >>> answer = cube_actions(["4HPwATDgc/ABMA"] * 3, ply=0, score=(2, 4), length=7)
    >>> len(answer), answer[0].words
    (3, 'No double, take')
    """
    positions, states = _read(boards, situation)
    cube = _only_cube(states, beavers)
    how = replace(chosen_settings(settings, None, ply)[0], cubeful=True)
    search = make_search(engine or engine_of(evaluator), how)
    found = cube_equities(search, positions, cube)
    return CubeHints(positions, states, cube, found, search.settings, search.engine)


def _read(boards: AnyBoards, situation: Situation) -> tuple[Boards, tuple[MatchState, ...]]:
    """The boards, checked, and the match state of each after ``situation`` is applied to it."""
    if isinstance(boards, str) or (isinstance(boards, np.ndarray) and boards.ndim != 3):
        raise ValueError("boards: should be an array [n, 2, 25] or a list of positions")
    read = []
    for number, board in enumerate(boards):
        try:
            read.append(read_position(board))
        except ValueError as error:
            raise ValueError(f"position {number}: {error}") from None
    states = tuple(situated(state, situation) for _, state in read)
    return np.array([board for board, _ in read], np.int8).reshape(-1, 2, 25), states


def _rolls(dice: AnyRolls, n: int) -> list[tuple[int, int]]:
    """A roll for each of n positions."""
    if isinstance(dice, str | int | np.integer):
        return [dice_of(dice)] * n
    items: list[Any] = list(dice)
    if len(items) == 2 and all(isinstance(die, int | np.integer) and die <= 6 for die in items):
        return [dice_of(items)] * n
    rolls = [dice_of(roll) for roll in items]
    if len(rolls) != n:
        raise ValueError(f"{len(rolls)} rolls for {n} positions: one for each, or one for all")
    return rolls


def _only_cube(states: tuple[MatchState, ...], beavers: bool) -> Cube:
    """The cube of all positions; ``ValueError`` where it is not the same for all."""
    plain = {replace(state, dice=NO_DICE) for state in states}
    cubes = {cube_of(state, beavers) for state in plain} or {Cube(jacoby=True)}
    if len(cubes) > 1:
        raise ValueError("the positions have different cubes or scores: call it for each of them")
    return cubes.pop()
