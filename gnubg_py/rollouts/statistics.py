"""Means and standard errors of trials, from running sums that a saved result can carry on.

Sums are added trial by trial in order, so that they do not depend on how trials were split into
batches, nor on whether a rollout was stopped and extended.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.cube.met import MatchEquityTable, equity_of, value_of_a_point
from gnubg_py.cube.state import Cube
from gnubg_py.rollouts.counts import no_counts

SUM_COLUMNS = 7
"""gnubg's seven: the five probabilities, cubeless equity, cubeful value."""
EQUITY, CUBEFUL = 5, 6


@dataclass(frozen=True, eq=False)
class Sums:
    """Running sums over trials of k alternatives.

    ``total`` and ``squares`` float64[k, 7] are of the results, luck taken out if it is;
    ``plain_total`` and ``plain_squares`` of the results as they came. ``products`` float64[2, k,
    k]: of the cubeless equities, and of the cubeful values, of two alternatives in one trial.
    ``counts`` int64[k, 2, 5, 13] say how the games went: see ``rollouts.counts``.
    """

    trials: int
    total: NDArray[np.float64]
    squares: NDArray[np.float64]
    plain_total: NDArray[np.float64]
    plain_squares: NDArray[np.float64]
    products: NDArray[np.float64]
    counts: NDArray[np.int64]


def no_trials(alternatives: int) -> Sums:
    """The sums before the first trial."""
    each = np.zeros((alternatives, SUM_COLUMNS))
    counts = no_counts(alternatives).astype(np.int64)
    return Sums(0, each, each, each, each, np.zeros((2, alternatives, alternatives)), counts)


def add_trials(
    sums: Sums,
    results: NDArray[np.float64],
    plain: NDArray[np.float64],
    counts: NDArray[np.uint8],
) -> Sums:
    """The sums with more trials: ``float64[k, n, 7]`` twice, and counts ``uint8[k, n, ...]``."""
    pairs = results[:, None, :, EQUITY:] * results[None, :, :, EQUITY:]
    return Sums(
        sums.trials + results.shape[1],
        _added(sums.total, results),
        _added(sums.squares, results**2),
        _added(sums.plain_total, plain),
        _added(sums.plain_squares, plain**2),
        np.moveaxis(_added(np.moveaxis(sums.products, 0, -1), pairs), -1, 0),
        sums.counts + counts.sum(axis=1, dtype=np.int64),
    )


def _added(start: NDArray[np.float64], more: NDArray[np.float64]) -> NDArray[np.float64]:
    """``start [..., c]`` plus ``more [..., n, c]``, one after another."""
    everything = np.concatenate([start[..., None, :], more], axis=-2)
    # A sum may add in any order; a running sum cannot.
    return np.ascontiguousarray(np.cumsum(everything, axis=-2)[..., -1, :])


def means(sums: Sums) -> NDArray[np.float64]:
    """float64[k, 7]."""
    return sums.total / sums.trials


def standard_errors(sums: Sums) -> NDArray[np.float64]:
    """Of the means, ``float64[k, 7]``; nan after a single trial."""
    return _errors(sums.total, sums.squares, sums.trials)


def plain_standard_errors(sums: Sums) -> NDArray[np.float64]:
    """What the standard errors would be with the luck left in, ``float64[k, 7]``."""
    return _errors(sums.plain_total, sums.plain_squares, sums.trials)


def _errors(
    total: NDArray[np.float64], squares: NDArray[np.float64], n: int
) -> NDArray[np.float64]:
    if n < 2:
        return np.full(total.shape, np.nan)
    variance = (squares - total**2 / n) / (n - 1)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0) / n))


def difference_errors(sums: Sums, column: int) -> NDArray[np.float64]:
    """Standard errors of the differences of two alternatives' means, ``float64[k, k]``.

    ``column`` is EQUITY or CUBEFUL. The alternatives of a trial share its dice: the error is of
    the differences trial by trial, mostly smaller than those of the two alone would make it.
    """
    n = sums.trials
    product = sums.products[column - EQUITY]
    if n < 2:
        return np.full(product.shape, np.nan)
    total = sums.total[:, column]
    covariance = (product - np.outer(total, total) / n) / (n - 1)
    own = np.diag(covariance)
    return np.asarray(np.sqrt(np.maximum(own[:, None] + own[None] - 2 * covariance, 0.0) / n))


@dataclass(frozen=True)
class Row:
    """One alternative's numbers, for the side on roll in the position rolled out.

    ``cubeful_equity`` is normalised to the cube; in match play ``mwc`` is the same as a match
    winning chance. All three are None in a cubeless rollout. ``difference`` is how far the row
    is behind the best, in the equity that ranks; its error is that of common dice.
    ``reduction``: by what factor taking out luck shrank that equity's standard error.
    """

    name: str
    probabilities: tuple[float, ...]
    probability_errors: tuple[float, ...]
    cubeless_equity: float
    cubeless_error: float
    cubeful_equity: float | None
    cubeful_error: float | None
    mwc: float | None
    mwc_error: float | None
    difference: float
    difference_error: float
    reduction: float

    @property
    def equity(self) -> float:
        """The equity that ranks: the cubeful one, if there is one."""
        return self.cubeless_equity if self.cubeful_equity is None else self.cubeful_equity

    @property
    def error(self) -> float:
        """Its standard error."""
        return self.cubeless_error if self.cubeful_error is None else self.cubeful_error


def rows_of(
    sums: Sums, names: Sequence[str], cube: Cube, cubeful: bool, met: MatchEquityTable
) -> tuple[Row, ...]:
    """The rows of alternatives with these names, for a rollout that starts with this cube."""
    mean, error, plain = means(sums), standard_errors(sums), plain_standard_errors(sums)
    column = CUBEFUL if cubeful else EQUITY
    best = int(np.argmax(mean[:, column]))
    behind = difference_errors(sums, column)[best]
    unit = 1.0 / value_of_a_point(cube, met)
    rank_unit = unit if cubeful else 1.0
    rows = []
    for i, name in enumerate(names):
        value, value_error = float(mean[i, CUBEFUL]), float(error[i, CUBEFUL])
        equity = float(equity_of(value, cube, met))
        is_mwc = cubeful and cube.away is not None
        rows.append(
            Row(
                name,
                tuple(mean[i, :EQUITY].tolist()),
                tuple(error[i, :EQUITY].tolist()),
                float(mean[i, EQUITY]),
                float(error[i, EQUITY]),
                equity if cubeful else None,
                value_error * unit if cubeful else None,
                value if is_mwc else None,
                value_error if is_mwc else None,
                float(mean[i, column] - mean[best, column]) * rank_unit,
                float(behind[i]) * rank_unit,
                _ratio(float(plain[i, column]), float(error[i, column])),
            )
        )
    return tuple(rows)


def _ratio(plain: float, reduced: float) -> float:
    return plain / reduced if reduced > 0 else math.inf if plain > 0 else 1.0
