"""gnubg's nets, read from its weights file, as the leaves of a router.

The five outputs of a net are corrected to possible probabilities, as in gnubg: no gammon against a
side that has borne off a checker, certain results in races, gammons within wins. Backgammons in
races come from our table of the rolls that checkers need to leave the other side's home board.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff.numbering import row_number
from gnubg_py.bearoff.one_sided import finishes_first, one_sided_database
from gnubg_py.board import CHECKERS, HOME_POINTS, Boards, for_kernels
from gnubg_py.errors import WeightsError
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.router import Router, with_endings
from gnubg_py.kernel_cache import njit
from gnubg_py.network.gnubg_weights import GnubgNet, load_gnubg_nets
from gnubg_py.probabilities import nested

_PLACES = [
    Path(folder, name)
    for folder in (
        "/usr/share/gnubg",
        "/usr/lib/gnubg",
        "/usr/local/share/gnubg",
        "/opt/homebrew/share/gnubg",
    )
    for name in ("gnubg.wd", "gnubg.weights")
]
_CLASSES = {
    "contact": PositionClass.CONTACT,
    "crashed": PositionClass.CRASHED,
    "race": PositionClass.RACE,
}
_LEAST = np.float32(1e-4)
"""In contact and crashed positions, a chance of a gammon below this is set to 0."""
_OTHERS_HOME = 18


def installed_weights() -> Path:
    """The weights file of the gnubg that is installed; ``ValueError`` where there is none."""
    found = next((path for path in _PLACES if path.is_file()), None)
    if found is None:
        raise WeightsError(
            "evaluator gnubg needs gnubg's weights file, gnubg.wd: install gnubg, or give the file"
        )
    return found


def gnubg_router(path: Path, name: str) -> Router:
    """gnubg's nets with our exact endings."""
    nets = load_gnubg_nets(path)
    return with_endings(name, {_CLASSES[kind]: GnubgLeaf(net) for kind, net in nets.items()})


@dataclass(frozen=True)
class GnubgLeaf:
    """One of gnubg's nets, with its outputs corrected, as the evaluator of a class."""

    net: GnubgNet

    @property
    def name(self) -> str:
        """The name of the net."""
        return self.net.name

    @property
    def identity(self) -> Hashable:
        """The identity of the net."""
        return "possible", self.net.identity

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        boards = for_kernels(boards)
        five = self.net(boards)
        if self.net.kind == "race":
            database = one_sided_database()
            _settle_races(boards, database.bearoff, database.leaving, five)
        _without_impossible_gammons(boards, five)
        nested(five)
        if self.net.kind != "race":
            gammons = five[:, 1:]
            gammons[gammons < _LEAST] = 0
        return five


def _without_impossible_gammons(boards: Boards, five: NDArray[np.float32]) -> None:
    """Set the gammons lost by a side that has borne off a checker to 0, in place."""
    on_board = boards.sum(axis=2, dtype=np.int64)
    five[on_board[:, 1] < CHECKERS, 1:3] = 0
    five[on_board[:, 0] < CHECKERS, 3:5] = 0


@njit(cache=True, nogil=True)
def _crossovers(row):  # type: ignore[no-untyped-def]
    """Crossovers to bear all checkers off; and to bring them home and bear one off."""
    off, home = 0, 1
    for p in range(24):
        off += (p // 6 + 1) * row[p]
        home += (p // 6) * row[p]
    return off, home


@njit(cache=True, nogil=True)
def _most_turns(row, bearoff, crossovers):  # type: ignore[no-untyped-def]
    """The most turns that bearing off can take: exact with all home, else 2 for each crossover."""
    for p in range(HOME_POINTS, 25):
        if row[p] > 0:
            return 2 * crossovers
    chances = bearoff[row_number(row, HOME_POINTS)]
    for turns in range(len(chances) - 1, 0, -1):
        if chances[turns] * 65535 >= 0.5:
            return turns
    return 1


@njit(cache=True, nogil=True)
def _backgammon(winner, loser, lead, bearoff, leaving):  # type: ignore[no-untyped-def]
    """The chance of a backgammon of a winner whose checkers are all home."""
    behind = np.zeros(HOME_POINTS, np.int8)
    held = 0
    for p in range(HOME_POINTS):
        behind[p] = loser[_OTHERS_HOME + p]
        held += behind[p]
    for p in range(HOME_POINTS, 25):
        held = 0 if winner[p] > 0 else held
    if held == 0:
        return 0.0
    mine = bearoff[row_number(winner, HOME_POINTS)]
    return finishes_first(mine, leaving[row_number(behind, HOME_POINTS)], lead)


@njit(cache=True, nogil=True)
def _settle_races(boards, bearoff, leaving, five):  # type: ignore[no-untyped-def]
    """Write the results that are certain, as a turn has at most 4 checkers off or 4 crossovers."""
    for i in range(boards.shape[0]):
        mine, theirs = boards[i, 0], boards[i, 1]
        (off, home), (their_off, their_home) = _crossovers(mine), _crossovers(theirs)
        turns = _most_turns(mine, bearoff, off)
        their_turns = _most_turns(theirs, bearoff, their_off)
        five[i, 2] = _backgammon(mine, theirs, 1, bearoff, leaving)
        five[i, 4] = _backgammon(theirs, mine, 0, bearoff, leaving)
        five[i, 1], five[i, 3] = max(five[i, 1], five[i, 2]), max(five[i, 3], five[i, 4])
        if their_off > 4 * (turns - 1):
            five[i, 0] = 1
        if off > 4 * their_turns:
            five[i, 0] = 0
        if off > 8 * their_home:
            five[i, 1] = 0
        elif their_home > 4 * (turns - 1):
            five[i, 1] = 1
        if their_off > 8 * home - 4:
            five[i, 3] = 0
        elif home > 4 * their_turns:
            five[i, 3] = 1
