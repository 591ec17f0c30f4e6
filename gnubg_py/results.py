"""The results of the library: frozen values that print as in gnubg, and convert to dicts.

Equities are normalised to the cube: +1 is winning its value now. Probabilities are gnubg's five: a
win, a gammon or better, a backgammon; a loss by a gammon or worse, by a backgammon.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, overload

from gnubg_py import layout
from gnubg_py.board import Board
from gnubg_py.cube.decision import CubeDecision
from gnubg_py.cube.state import Cube
from gnubg_py.drawing.html import result_html
from gnubg_py.frames import as_frame
from gnubg_py.match import MatchState
from gnubg_py.notation import gnubg_id, position_id
from gnubg_py.probabilities import Five
from gnubg_py.search.settings import EvalSettings, MoveFilter


def position_dict(board: Board, state: MatchState) -> dict[str, Any]:
    """The entries with which the dict of every result begins."""
    return {"position": position_id(board), "gnubg_id": gnubg_id(board, state)}


class _WithBoard:
    """A result that a notebook shows below its board."""

    board: Board
    state: MatchState

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return result_html(self.board, self.state, str(self))


@dataclass(frozen=True, repr=False)
class Play:
    """One play of a roll. ``board`` int8[2, 25] is the position after it, the opponent on roll.

    ``ply`` is the depth of its search; ``loss`` the equity it gives up against the best play;
    ``mwc`` the match winning chance, None in money play; ``cubeless`` the equity without a cube,
    with gammons at their price. ``moves`` has for each die the point that a checker leaves and the
    point that it reaches (25 is the bar, 0 off); ``pips`` is the sum of the dice played.
    """

    rank: int
    play: str
    ply: int
    equity: float
    loss: float
    mwc: float | None
    probabilities: Five
    settings: EvalSettings
    board: Board
    cubeless: float
    moves: tuple[tuple[int, int], ...]
    pips: int

    @property
    def outputs(self) -> tuple[float, ...]:
        """gnubg's seven outputs: the five probabilities, the cubeless and the cubeful equity."""
        return (*self.probabilities, self.cubeless, self.equity)

    def __str__(self) -> str:
        return layout.ranked_play_text(self)

    def __repr__(self) -> str:
        return f"<Play {self.play} {self.equity:+.3f}>"

    def row(self) -> dict[str, Any]:
        """A dict with one number or text for each column."""
        names = ("rank", "play", "ply", "equity", "loss", "mwc")
        return {name: getattr(self, name) for name in names} | self.probabilities._asdict()

    def to_dict(self) -> dict[str, Any]:
        """The play as a dict for JSON."""
        return {
            "rank": self.rank,
            "play": self.play,
            "ply": self.ply,
            "equity": self.equity,
            "loss": self.loss,
            "mwc": self.mwc,
            "probabilities": list(self.probabilities),
            "cubeless_equity": self.cubeless,
            "outputs": list(self.outputs),
            "moves": [list(move) for move in self.moves],
            "pips": self.pips,
            "checkers_moved": len(self.moves),
            "position": position_id(self.board),
        }


@dataclass(frozen=True, repr=False)
class PlaysHint(_WithBoard):
    """The plays of a roll, best first; those searched deepest come before all others.

    ``complete`` is False if the search was stopped; ``ply`` of each play is the depth it reached.
    """

    board: Board
    state: MatchState
    dice: tuple[int, int]
    plays: tuple[Play, ...]
    settings: EvalSettings
    filters: MoveFilter
    complete: bool = True

    @property
    def best(self) -> Play:
        """The play to make."""
        return self.plays[0]

    def __len__(self) -> int:
        return len(self.plays)

    def __iter__(self) -> Iterator[Play]:
        return iter(self.plays)

    @overload
    def __getitem__(self, index: int) -> Play: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Play, ...]: ...

    def __getitem__(self, index: int | slice) -> Play | tuple[Play, ...]:
        return self.plays[index]

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        roll = f"{self.dice[0]}{self.dice[1]}"
        return f"<PlaysHint {roll}: {self.best.play} {self.best.equity:+.3f}, {len(self)} plays>"

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each play."""
        return as_frame([play.row() for play in self])

    def table(self, most: int | None = 10) -> str:
        """The best ``most`` plays (all: None) as gnubg's ``hint`` prints them."""
        return layout.plays_text(self, most)

    def to_dict(self) -> dict[str, Any]:
        """Everything as a dict for JSON."""
        return {
            **position_dict(self.board, self.state),
            "dice": list(self.dice),
            "settings": layout.settings_text(self.settings),
            "complete": self.complete,
            "plays": [play.to_dict() for play in self.plays],
        }


@dataclass(frozen=True, repr=False)
class CubeHint(_WithBoard):
    """A cube decision: whether to double, or, with ``doubled``, whether to take.

    The equities of ``decision`` are those of the side that doubles. ``ply`` is the depth that the
    search reached; if it was stopped, that is less than in ``settings`` and ``complete`` is False.
    """

    board: Board
    state: MatchState
    cube: Cube
    decision: CubeDecision
    probabilities: Five
    cubeless_equity: float
    money_equity: float
    ply: int
    settings: EvalSettings
    doubled: bool
    complete: bool = True

    @property
    def words(self) -> str:
        """The proper cube action, as gnubg words it."""
        return self.decision.words

    @property
    def action(self) -> str:
        """What the side that decides should do: a verdict, or take, pass or beaver if doubled."""
        return self.decision.answer.value if self.doubled else self.decision.verdict.value

    @property
    def equity(self) -> float:
        """The equity of the side that decides, if both sides make the right decisions from now."""
        if not self.doubled:
            return self.decision.equity
        return -min(self.decision.double_take, self.decision.double_pass)

    @property
    def alternatives(self) -> tuple[tuple[str, float, float], ...]:
        """(name, equity, equity less that of the proper action), the proper action first.

        The equities are those of the side that has to decide.
        """
        return self.decision.alternatives(self.doubled)

    def __str__(self) -> str:
        return layout.cube_text(self)

    def __repr__(self) -> str:
        return f"<CubeHint {self.words} {self.decision.equity:+.3f}>"

    def row(self) -> dict[str, Any]:
        """A dict with a number or text for each column; equities are those of the doubling side."""
        names = ("no_double", "double_take", "double_pass")
        equities = {name: getattr(self.decision, name) for name in names}
        return {"action": self.words, "ply": self.ply} | equities | self.probabilities._asdict()

    def to_frame(self) -> Any:
        """A pandas DataFrame of one row."""
        return as_frame([self.row()])

    def to_dict(self) -> dict[str, Any]:
        """Everything as a dict for JSON; equities are those of the doubling side."""
        decision = self.decision
        return {
            **position_dict(self.board, self.state),
            "ply": self.ply,
            "settings": self.settings.text,
            "complete": self.complete,
            "doubled": self.doubled,
            "probabilities": list(self.probabilities),
            "cubeless_equity": self.cubeless_equity,
            "no_double": decision.no_double,
            "double_take": decision.double_take,
            "double_pass": decision.double_pass,
            "mwc": None if decision.mwc is None else list(decision.mwc),
            "proper_action": self.words,
            "wrong_answers": decision.wrong_answers,
        }


@dataclass(frozen=True)
class EvaluationRow:
    """A position at one depth; ``cubeful`` is the equity with the cube and no double this turn."""

    ply: int
    probabilities: Five
    equity: float
    cubeful: float


@dataclass(frozen=True, repr=False)
class Evaluation(_WithBoard):
    """A position at 0-ply and each deeper ply of the settings, as gnubg's ``eval`` prints it."""

    board: Board
    state: MatchState
    position_class: str
    rows: tuple[EvaluationRow, ...]
    complete: bool = True

    @property
    def probabilities(self) -> Five:
        """The probabilities at the deepest ply."""
        return self.rows[-1].probabilities

    @property
    def equity(self) -> float:
        """The cubeless equity at the deepest ply, with gammons at their price."""
        return self.rows[-1].equity

    @property
    def cubeful(self) -> float:
        """The cubeful equity at the deepest ply."""
        return self.rows[-1].cubeful

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[EvaluationRow]:
        return iter(self.rows)

    def __getitem__(self, ply: int) -> EvaluationRow:
        return self.rows[ply]

    def __str__(self) -> str:
        return layout.evaluation_text(self)

    def __repr__(self) -> str:
        return f"<Evaluation {self.position_class} {self.equity:+.3f} at {len(self) - 1}-ply>"

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each ply."""
        rows = [
            {"ply": row.ply, "equity": row.equity, "cubeful": row.cubeful}
            | row.probabilities._asdict()
            for row in self
        ]
        return as_frame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything as a dict for JSON."""
        rows = [
            {
                "ply": row.ply,
                "probabilities": list(row.probabilities),
                "equity": row.equity,
                "cubeful": row.cubeful,
            }
            for row in self.rows
        ]
        return {
            **position_dict(self.board, self.state),
            "class": self.position_class,
            "complete": self.complete,
            "plies": rows,
        }
