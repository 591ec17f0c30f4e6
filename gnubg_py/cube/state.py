"""The cube as the side on roll sees it: its value, owner, the score, the rules; that of a match."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gnubg_py.match import NO_DICE, MatchState
from gnubg_py.match import away as away_of
from gnubg_py.typed import is_whole

CENTRED, OWN, OTHER = -1, 0, 1
"""Who may turn the cube: both sides, the side on roll, the other side."""

MAX_VALUE = 4096
MAX_AWAY = 64


@dataclass(frozen=True, slots=True)
class Cube:
    """A cube and all that its use depends on, seen by the side on roll.

    ``away`` is the points the side on roll and the other need to win the match, None for money.
    ``crawford`` says that this is the Crawford game. The Jacoby rule (gammons count single while
    the cube is centred) and beavers belong to money play. An impossible cube is a ``ValueError``.

    >>> Cube(2, OWN, away=(3, 5))
    Cube(value=2, owner=0, away=(3, 5), crawford=False, jacoby=False, beavers=False)
    >>> Cube(3, OWN)
    Traceback (most recent call last):
    ValueError: cube value 3: should be a power of two from 1 to 4096
    """

    value: int = 1
    owner: int = CENTRED
    away: tuple[int, int] | None = None
    crawford: bool = False
    jacoby: bool = False
    beavers: bool = False

    def __post_init__(self) -> None:
        _check_value_and_owner(self)
        if self.away is None:
            if self.crawford:
                raise ValueError("a Crawford game in money play: there is one in matches only")
        else:
            _check_match(self)


def _check_value_and_owner(cube: Cube) -> None:
    value = cube.value
    if not (is_whole(value) and 1 <= value <= MAX_VALUE and value & (value - 1) == 0):
        raise ValueError(f"cube value {value}: should be a power of two from 1 to {MAX_VALUE}")
    if not is_whole(cube.owner) or cube.owner not in (CENTRED, OWN, OTHER):
        raise ValueError(
            f"cube owner {cube.owner}: should be {CENTRED} (centred), {OWN} (the side on roll) "
            f"or {OTHER} (the other side)"
        )
    if value == 1 and cube.owner != CENTRED:
        raise ValueError("a cube at 1 is owned by one side: it is centred until someone doubles")


def _check_match(cube: Cube) -> None:
    away = cube.away
    if not (isinstance(away, tuple) and len(away) == 2 and all(is_whole(a) for a in away)):
        raise ValueError(f"away {away!r}: should be two whole numbers, the side on roll's first")
    if not all(1 <= a <= MAX_AWAY for a in away):
        raise ValueError(f"{away[0]}-away, {away[1]}-away: should be 1 to {MAX_AWAY} points each")
    if cube.crawford and 1 not in away:
        raise ValueError(
            f"a Crawford game at {away[0]}-away, {away[1]}-away: one side should be 1-away"
        )
    if cube.crawford and cube.value != 1:
        raise ValueError(f"a cube at {cube.value} in the Crawford game: it should be centred at 1")
    if cube.jacoby or cube.beavers:
        rule = "the Jacoby rule" if cube.jacoby else "beavers"
        raise ValueError(f"{rule} in match play: for money only")


def swap_cube(cube: Cube) -> Cube:
    """The same cube seen by the other side.

    >>> swap_cube(Cube(2, OWN, away=(3, 5)))
    Cube(value=2, owner=1, away=(5, 3), crawford=False, jacoby=False, beavers=False)
    """
    owner = cube.owner if cube.owner == CENTRED else 1 - cube.owner
    away = None if cube.away is None else (cube.away[1], cube.away[0])
    return replace(cube, owner=owner, away=away)


def double_cube(cube: Cube) -> Cube:
    """The cube after the side on roll doubles and the other takes, seen by the side on roll.

    >>> double_cube(Cube())
    Cube(value=2, owner=1, away=None, crawford=False, jacoby=False, beavers=False)
    """
    return replace(cube, value=2 * cube.value, owner=OTHER)


def why_no_double(cube: Cube) -> str | None:
    """Why the side on roll may not, or need not ever, double; None when it can.

    >>> why_no_double(Cube(2, OWN, away=(2, 7)))
    'the cube is dead: at 2 it wins the match for the side on roll, 2-away'
    """
    if cube.owner == OTHER:
        return "the cube is the other side's: the side on roll cannot double"
    if cube.crawford:
        return "this is the Crawford game: no one can double"
    if cube.value >= MAX_VALUE:
        return f"the cube is at {MAX_VALUE}, as high as it goes"
    if cube.away is not None and cube.away[0] <= cube.value:
        return (
            f"the cube is dead: at {cube.value} it wins the match for the side on roll, "
            f"{cube.away[0]}-away"
        )
    return None


def check_double(cube: Cube) -> None:
    """Raise ``ValueError``, with the reason, where the side on roll cannot double."""
    reason = why_no_double(cube)
    if reason is not None:
        raise ValueError(reason)


def can_double(cube: Cube) -> bool:
    """Whether a double by the side on roll is allowed and can matter.

    >>> can_double(Cube()), can_double(Cube(2, OTHER)), can_double(Cube(away=(1, 3), crawford=True))
    (True, False, False)
    """
    return why_no_double(cube) is None


def cube_of(state: MatchState, beavers: bool = False) -> Cube:
    """The cube as the side on roll sees it, before any double on the table is answered.

    Money play allows beavers where the state or ``beavers`` says so.

    >>> cube_of(MatchState(2, 1, move=0, match_length=7, score=(3, 2)))
    Cube(value=2, owner=1, away=(4, 5), crawford=False, jacoby=False, beavers=False)
    """
    owner = CENTRED
    if state.cube_owner != CENTRED:
        owner = OWN if state.cube_owner == state.move else OTHER
    togo = away_of(state)
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
