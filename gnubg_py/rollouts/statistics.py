"""Means and standard errors of trials, from running sums: what a saved result carries on.

Sums are added trial by trial in order, so that they do not depend on how trials were split into
batches, nor on whether a rollout was stopped and extended.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

COLUMNS = 7
"""gnubg's seven: the five probabilities, cubeless equity, cubeful value."""
EQUITY, CUBEFUL = 5, 6


@dataclass(frozen=True, eq=False)
class Sums:
    """Running sums over trials of k alternatives.

    ``total`` and ``squares`` float64[k, 7] are of the results, luck taken out if it is;
    ``plain_total`` and ``plain_squares`` of the results as they came. ``products`` float64[2, k,
    k]: of the cubeless equities, and of the cubeful values, of two alternatives in one trial.
    """

    trials: int
    total: NDArray[np.float64]
    squares: NDArray[np.float64]
    plain_total: NDArray[np.float64]
    plain_squares: NDArray[np.float64]
    products: NDArray[np.float64]


def no_trials(alternatives: int) -> Sums:
    """The sums before the first trial."""
    each = np.zeros((alternatives, COLUMNS))
    return Sums(0, each, each, each, each, np.zeros((2, alternatives, alternatives)))


def add_trials(sums: Sums, results: NDArray[np.float64], plain: NDArray[np.float64]) -> Sums:
    """The sums with more trials, ``float64[k, n, 7]`` each."""
    pairs = results[:, None, :, EQUITY:] * results[None, :, :, EQUITY:]
    return Sums(
        sums.trials + results.shape[1],
        _added(sums.total, results),
        _added(sums.squares, results**2),
        _added(sums.plain_total, plain),
        _added(sums.plain_squares, plain**2),
        np.moveaxis(_added(np.moveaxis(sums.products, 0, -1), pairs), -1, 0),
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
