"""What a net or function of somebody else's answers, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_LEEWAY = 1e-3
"""How far an answer may miss 0 and 1 by rounding."""


def checked_five(five: NDArray[np.floating[Any]], name: str) -> NDArray[np.float32]:
    """gnubg's five probabilities, ``float32[n, 5]``; ``ValueError`` where some cannot be.

    >>> checked_five(np.full((1, 5), 7.0), "mine")
    Traceback (most recent call last):
    ValueError: mine: answered a probability that is not from 0 to 1
    """
    if not ((five >= -_LEEWAY) & (five <= 1 + _LEEWAY)).all():
        raise ValueError(f"{name}: answered a probability that is not from 0 to 1")
    return five.astype(np.float32, copy=False)
