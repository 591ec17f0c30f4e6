"""What `eval' says of a bearoff: the chances of each number of rolls, in gnubg's layout."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff.numbering import count_positions, row_number
from gnubg_py.bearoff.one_sided import MEAN_PIPS, one_sided_database
from gnubg_py.board import CHECKERS, HOME_POINTS, Board, pip_count

_STEPS = 65535
"""gnubg's database counts chances in so many steps: what is less than half a step is none."""

Chances = NDArray[np.float64]


def bearoff_table(board: Board) -> list[str]:
    """The lines of a position in which both sides have all their checkers at home."""
    numbers = [row_number(board[side], HOME_POINTS) for side in (0, 1)]
    rolls = np.array([_to_bear_off(number) for number in numbers])
    first = np.array([_to_first_checker(number) for number in numbers])
    last = int(np.flatnonzero((rolls * _STEPS >= 0.5).any(axis=0))[-1])
    lines = [
        f"{'Player':>19}{'Opponent':>15}",
        f"Position{numbers[0]:>13}{numbers[1]:>14}",
        "",
        "Bearing off \t\t\t\tBearing at least one chequer off",
        "Rolls\tPlayer\tOpponent\tPlayer\tOpponent",
    ]
    for n in range(last + 1):
        saved = _pair(100 * first[:, n]) if n < last else ""
        lines.append(f"{n:>5}\t{_pair(100 * rolls[:, n])}\t\t{saved}")
    return [*lines, *_averages(rolls, first), *_effective_pips(rolls, pip_count(board)), ""]


def _to_bear_off(number: int) -> Chances:
    return np.asarray(one_sided_database().bearoff[number], np.float64)


def _to_first_checker(number: int) -> Chances:
    """The chances of each number of rolls to the first checker off; 0 rolls where one is off."""
    all_on = count_positions(HOME_POINTS, CHECKERS - 1)
    database = one_sided_database()
    chances = np.zeros(database.bearoff.shape[1])
    if number < all_on:
        chances[0] = 1
        return chances
    row = database.gammon[number - all_on + 1]
    chances[: len(row)] = row
    return chances


def _averages(rolls: NDArray[np.float64], first: NDArray[np.float64]) -> list[str]:
    means, spreads = zip(_mean_and_spread(rolls), _mean_and_spread(first), strict=True)
    return [
        "Average rolls",
        "Bearing off\t\t\t\tSaving gammon",
        "\tPlayer\tOpponent\tPlayer\tOpponent",
        f"Mean\t{_pair(means[0])}\t\t{_pair(means[1])}",
        f"Std dev\t{_pair(spreads[0])}\t\t{_pair(spreads[1])}",
        "",
    ]


def _effective_pips(rolls: NDArray[np.float64], pips: NDArray[np.int64]) -> list[str]:
    effective = _mean_and_spread(rolls)[0] * MEAN_PIPS
    return [
        "Effective pip count:",
        "\tPlayer\tOpponent",
        f"EPC\t{_pair(effective)}",
        f"Wastage\t{_pair(effective - pips)}",
        "",
        f"EPC = {MEAN_PIPS:.3f} * Average rolls",
        "Wastage = EPC - pips",
        "",
    ]


def _mean_and_spread(chances: NDArray[np.float64]) -> tuple[Chances, Chances]:
    """Mean and standard deviation of rolls, ``float64[2, width]`` to two ``float64[2]``."""
    n = np.arange(chances.shape[1])
    mean = chances @ n
    return mean, np.sqrt(np.maximum(chances @ n**2 - mean**2, 0))


def _pair(values: Chances) -> str:
    return f"{values[0]:>7.3f}\t{values[1]:>7.3f}"
