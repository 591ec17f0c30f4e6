"""The cube of a match state, and a match state for a cube."""

from __future__ import annotations

from gnubg_py.cube.state import CENTRED, OTHER, OWN, Cube
from gnubg_py.match import NO_DICE, MatchState, away


def cube_of(state: MatchState, beavers: bool = False) -> Cube:
    """The cube as the side on roll sees it, before any double on the table is answered.

    Money play allows beavers where the state or ``beavers`` says so.

    >>> cube_of(MatchState(2, 1, move=0, match_length=7, score=(3, 2)))
    Cube(value=2, owner=1, away=(4, 5), crawford=False, jacoby=False, beavers=False)
    """
    owner = CENTRED
    if state.cube_owner != CENTRED:
        owner = OWN if state.cube_owner == state.move else OTHER
    togo = away(state)
    if togo is None:
        return Cube(state.cube_value, owner, jacoby=state.jacoby, beavers=beavers or state.beavers)
    return Cube(state.cube_value, owner, togo, state.crawford)


def state_of(cube: Cube, dice: tuple[int, int] = NO_DICE) -> MatchState:
    """A match state with this cube, player 1 on roll, in the shortest match that has the score.

    >>> state = state_of(Cube(2, OWN, away=(4, 5)))
    >>> state.match_length, state.score, cube_of(state)
    (5, (0, 1), Cube(value=2, owner=0, away=(4, 5), crawford=False, jacoby=False, beavers=False))
    """
    owner = {CENTRED: CENTRED, OWN: 1, OTHER: 0}[cube.owner]
    length, score = 0, (0, 0)
    if cube.away is not None:
        length = max(cube.away)
        score = (length - cube.away[1], length - cube.away[0])
    return MatchState(
        cube_value=cube.value,
        cube_owner=owner,
        crawford=cube.crawford,
        dice=dice,
        match_length=length,
        score=score,
        jacoby=cube.jacoby,
        beavers=cube.beavers,
    )
