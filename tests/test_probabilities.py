"""gnubg's five probabilities: seen by the other side, as six outcomes, possible, priced."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gnubg_py.probabilities import (
    OUTCOME_EQUITIES,
    Five,
    cubeless_equity,
    five_of,
    five_text,
    inverted,
    nested,
    six_of,
)

# Sixty-fourths, so that sums and differences are exact.
SIXES = arrays(np.int64, (3, 6), elements=st.integers(0, 10)).map(
    lambda shares: (
        np.column_stack([64 - shares[:, 1:].sum(1), shares[:, 1:]]).astype(np.float32) / 64
    )
)


@given(SIXES)
def test_five_and_six_are_the_same_outcomes(six: np.ndarray) -> None:
    five = five_of(six)
    assert (six_of(five) == six).all()
    assert (cubeless_equity(five) == six @ OUTCOME_EQUITIES).all()


@given(SIXES)
def test_the_other_side_wins_what_this_one_loses(six: np.ndarray) -> None:
    five = five_of(six)
    theirs = inverted(five)
    assert (cubeless_equity(theirs) == -cubeless_equity(five)).all()
    assert (inverted(theirs) == five).all()
    for i in range(len(five)):
        assert Five.of(five[i]).inverted == tuple(theirs[i].tolist())


@given(arrays(np.float32, (4, 5), elements=st.floats(-1, 2, width=32)))
def test_nested_probabilities_are_possible_and_stay_as_they_are(five: np.ndarray) -> None:
    out = nested(five)
    assert out is five
    six = six_of(out)
    assert (six >= -1e-6).all()
    assert (nested(out.copy()) == out).all()


def test_probabilities_as_the_shell_prints_them() -> None:
    five = Five(0.525, 0.149, 0.007, 0.125, 0.005)
    assert five_text(five, digits=4) == "0.5250 0.1490 0.0070 - 0.4750 0.1250 0.0050"
    assert five_text(five, digits=1, percent=True) == " 52  15   1 -  48  12   0"
