"""The vectorised exponential and softmax against numpy's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnubg_py.network.softmax import exp_not_above_0, softmax_columns


def test_exponential_is_within_its_stated_error() -> None:
    x = -np.concatenate([np.linspace(0, 80, 100_001), [0.0, 1e-8]]).astype(np.float32)
    found = np.array([exp_not_above_0(value) for value in x])
    exact = np.exp(x.astype(np.float64))
    assert (np.abs(found / exact - 1) < 3e-7).all()
    assert found[-2] == 1


def test_far_below_0_it_is_nothing() -> None:
    assert exp_not_above_0(np.float32(-1e9)) < 1e-36
    assert exp_not_above_0(np.float32(-88)) < 1e-36


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """``softmax_columns`` of the rows of float32[n, 6]."""
    columns = np.ascontiguousarray(logits.T)
    softmax_columns(columns, len(logits))
    return columns.T


def test_softmax_of_positions() -> None:
    logits = np.random.default_rng(3).normal(0, 8, (500, 6)).astype(np.float32)
    exact = np.exp(logits - logits.max(axis=1, keepdims=True).astype(np.float64))
    exact /= exact.sum(axis=1, keepdims=True)
    assert np.abs(softmax(logits) - exact).max() < 5e-7


def test_a_position_is_the_same_whatever_is_beside_it() -> None:
    logits = np.random.default_rng(4).normal(0, 3, (50, 6)).astype(np.float32)
    together = softmax(logits)
    for i in (0, 7, 49):
        assert softmax(logits[i : i + 1])[0].tolist() == together[i].tolist()
