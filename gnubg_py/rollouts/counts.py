"""How the games of a rollout went: wins of each kind, doubles taken and dropped, by cube value.

Counts are of games as they were played, with the luck left in, as in gnubg's rollout statistics.
Games that are valued before they end (truncated, or within a bearoff database) have no winner.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.cube.state import MAX_VALUE, Cube

SINGLE, GAMMON, BACKGAMMON, DROPPED, TAKEN = range(5)
EVENTS = ("single", "gammon", "backgammon", "dropped", "taken")
"""What a side can count: wins of three kinds, its doubles that are dropped (also wins), taken."""
CUBE_LEVELS = MAX_VALUE.bit_length()
"""Cube values 1, 2, 4 ... A double counts by the value that the cube had before it."""

Counts = NDArray[np.integer[Any]]


def no_counts(n: int) -> NDArray[np.uint8]:
    """Counts of n games before they begin, ``uint8[n, 2, 5, 13]``: by side, event, cube value."""
    return np.zeros((n, 2, len(EVENTS), CUBE_LEVELS), np.uint8)


def levels_of(cubes: tuple[Cube, ...]) -> NDArray[np.int64]:
    """The place of each cube's value among the levels, ``int64[n]``."""
    return np.array([cube.value.bit_length() - 1 for cube in cubes])


def count_wins(
    counts: NDArray[np.uint8],
    games: NDArray[np.int64],
    five: NDArray[np.float32],
    mover: int,
    level: NDArray[np.int64],
) -> None:
    """Count finished games: ``five`` are the results of ``mover``, who is on roll."""
    won = five[:, 0] > 0.5
    kind = np.where(won, five[:, 1] + five[:, 2], five[:, 3] + five[:, 4]).round().astype(np.int64)
    side = np.where(won, mover, 1 - mover)
    counts[games, side, kind, level] += 1


def counts_dict(counts: Counts, trials: int) -> dict[str, Any]:
    """The counts of one alternative, ``[2, 5, 13]``, for JSON: of both sides by cube value."""
    sides = [
        {
            str(1 << level): {name: int(side[event, level]) for event, name in enumerate(EVENTS)}
            for level in _used(counts)
        }
        for side in counts
    ]
    return {
        "games": trials,
        "valued_before_the_end": trials - int(counts[:, :TAKEN].sum()),
        "side_on_roll": sides[0],
        "other_side": sides[1],
    }


def _used(counts: Counts) -> list[int]:
    """The levels at which anything happened."""
    levels: list[int] = np.flatnonzero(counts.any(axis=(0, 1))).tolist()
    return levels


_TITLES = (
    "wins single",
    "wins gammon",
    "wins backgammon",
    "doubles dropped",
    "doubles taken",
)


def counts_table(name: str, counts: Counts, trials: int) -> str:
    """The counts of one alternative as a table with a column for each cube value."""
    used = _used(counts)
    head = f"{name or 'Games':<26}" + "".join(f"{f'cube {1 << k}':>10}" for k in used)
    lines = [head + f"{'all':>10}"]
    for side, who in enumerate(("Side on roll", "Other side")):
        lines.append(who)
        for event, title in enumerate(_TITLES):
            row = counts[side, event]
            cells = "".join(f"{row[k]:>10}" for k in used)
            lines.append(f"  {title:<24}{cells}{row.sum():>10}")
    early = trials - int(counts[:, :TAKEN].sum())
    lines.append(f"Valued before the end: {early} of {trials} games")
    return "\n".join(lines)
