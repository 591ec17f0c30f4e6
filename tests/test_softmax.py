"""The vectorised exponential and softmax against numpy's."""

from __future__ import annotations

import numpy as np

from gnubg_py.network.softmax import exp_not_above_0, softmax_rows


def test_exponential_is_within_its_stated_error() -> None:
    x = -np.concatenate([np.linspace(0, 80, 100_001), [0.0, 1e-8]]).astype(np.float32)
    found = x.copy()
    exp_not_above_0(found, np.empty(len(x), np.int32))
    exact = np.exp(x.astype(np.float64))
    assert (np.abs(found / exact - 1) < 3e-7).all()
    assert found[-2] == 1


def test_far_below_0_it_is_nothing() -> None:
    x = np.array([-1e9, -88.0], np.float32)
    exp_not_above_0(x, np.empty(2, np.int32))
    assert (x < 1e-36).all()


def test_softmax_of_rows() -> None:
    logits = np.random.default_rng(3).normal(0, 8, (500, 6)).astype(np.float32)
    found = logits.ravel().copy()
    softmax_rows(found, np.empty(len(found), np.int32))
    exact = np.exp(logits - logits.max(axis=1, keepdims=True).astype(np.float64))
    exact /= exact.sum(axis=1, keepdims=True)
    assert np.abs(found.reshape(-1, 6) - exact).max() < 5e-7


def test_a_row_is_the_same_whatever_is_beside_it() -> None:
    logits = np.random.default_rng(4).normal(0, 3, (50, 6)).astype(np.float32)
    together = logits.ravel().copy()
    softmax_rows(together, np.empty(300, np.int32))
    for i in (0, 7, 49):
        alone = logits[i].copy()
        softmax_rows(alone, np.empty(6, np.int32))
        assert alone.tolist() == together[6 * i : 6 * i + 6].tolist()
