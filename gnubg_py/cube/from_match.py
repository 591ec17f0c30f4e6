"""The cube of a match state."""

from __future__ import annotations

from gnubg_py.cube.state import CENTRED, OTHER, OWN, Cube
from gnubg_py.match import MatchState, away


def cube_of(state: MatchState, beavers: bool = False) -> Cube:
    """The cube as the side on roll sees it, before any double on the table is answered.

    >>> cube_of(MatchState(2, 1, move=0, match_length=7, score=(3, 2)))
    Cube(value=2, owner=1, away=(4, 5), crawford=False, jacoby=False, beavers=False)
    """
    owner = CENTRED
    if state.cube_owner != CENTRED:
        owner = OWN if state.cube_owner == state.move else OTHER
    togo = away(state)
    if togo is None:
        return Cube(state.cube_value, owner, jacoby=state.jacoby, beavers=beavers)
    return Cube(state.cube_value, owner, togo, state.crawford)
