"""Single decisions: each player's play, its loss, and the equity that the player expects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Board
from gnubg_py.compare.agreement import Agreement, PlayerReport, widest
from gnubg_py.compare.decisions import MILLIPOINTS
from gnubg_py.compare.players import Player
from gnubg_py.notation import play_text
from gnubg_py.probabilities import LOSE_GAMMON, WIN, WIN_GAMMON, cubeless_equity, inverted


@dataclass(frozen=True)
class View:
    """One player's estimate of a play: equity and probabilities of the side that plays."""

    player: str
    equity: float
    win: float
    win_gammon: float
    lose_gammon: float


@dataclass(frozen=True)
class ShownPlay:
    """A play, its loss by the reference in thousandths of a point, and the players who make it."""

    text: str
    cost: float
    played_by: tuple[str, ...]
    views: tuple[View, ...]


@dataclass(frozen=True)
class Showcase:
    """One decision: the position, and the plays to show, best first."""

    id: str
    board: Board
    dice: tuple[int, int]
    position_class: str
    plays: tuple[ShownPlay, ...]

    def to_dict(self) -> dict[str, Any]:
        """The decision as a dictionary for JSON."""
        answer = asdict(self)
        answer["board"] = self.board.tolist()
        return answer


def showcase(
    agreement: Agreement, players: Sequence[Player], decision: int, best: int = 1
) -> Showcase:
    """A decision's ``best`` plays by the reference, and every play that a player makes."""
    decisions = agreement.decisions
    rows = np.arange(decisions.offsets[decision], decisions.offsets[decision + 1])
    order = rows[np.argsort(-decisions.equities[rows], kind="stable")]
    makers: dict[int, list[str]] = {}
    for report in agreement.players:
        makers.setdefault(int(report.chosen[decision]), []).append(report.name)
    shown = [row for place, row in enumerate(order.tolist()) if place < best or row in makers]
    views = _views(players, decisions.candidates[shown])
    dice = (int(decisions.dice[decision, 0]), int(decisions.dice[decision, 1]))
    board = decisions.boards[decision]
    top = decisions.equities[order[0]]
    plays = tuple(
        ShownPlay(
            play_text(board, dice, decisions.candidates[row]),
            MILLIPOINTS * float(top - decisions.equities[row]),
            tuple(makers.get(row, ())),
            views[i],
        )
        for i, row in enumerate(shown)
    )
    return Showcase(decisions.ids[decision], board, dice, str(decisions.classes[decision]), plays)


def _views(players: Sequence[Player], positions: NDArray[np.int8]) -> list[tuple[View, ...]]:
    """The estimates of every player that values positions, for the side that has just played."""
    columns = []
    for player in players:
        if player.evaluator is not None:
            five = player.probabilities(positions).astype(np.float64)
            theirs = inverted(five)[:, [WIN, WIN_GAMMON, LOSE_GAMMON]]
            chances = np.column_stack([-cubeless_equity(five), theirs])
            columns.append([View(player.name, *row) for row in chances.tolist()])
    return [tuple(column[i] for column in columns) for i in range(len(positions))]


def galleries(
    agreement: Agreement, players: Sequence[Player], count: int
) -> list[tuple[PlayerReport, PlayerReport, list[Showcase]]]:
    """The largest losses of each player against the last one, and of the last against the first."""
    if len(agreement.players) < 2:
        return []
    first, last = agreement.players[0], agreement.players[-1]
    answer = []
    for worse, better in (*((other, last) for other in agreement.players[:-1]), (last, first)):
        rows = widest(worse, better, count)
        answer.append((worse, better, [showcase(agreement, players, int(r)) for r in rows]))
    return answer
