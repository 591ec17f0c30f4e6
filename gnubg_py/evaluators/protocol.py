"""What an evaluator is. Only this module tests which optional methods an evaluator has.

An evaluator maps a batch of boards ``int8[n, 2, 25]`` to gnubg's five probabilities for the side
on roll, ``float32[n, 5]``. It has a name for people and an identity for caches.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.probabilities import checked_five


class Evaluator(Protocol):
    """What values positions: ``int8[n, 2, 25] -> float32[n, 5]``, for the side on roll."""

    @property
    def name(self) -> str:
        """The name that users see."""
        ...

    @property
    def identity(self) -> Hashable:
        """Equal for two evaluators only if they give equal probabilities.

        Cached probabilities are shared by identity. That of a net is the checksum of its weights.
        """
        ...

    def __call__(self, boards: Boards, /) -> NDArray[np.float32]: ...


def is_evaluator(value: object) -> bool:
    """Whether a value has what an ``Evaluator`` needs."""
    return callable(value) and hasattr(value, "name") and hasattr(value, "identity")


@runtime_checkable
class ChildEvaluator(Evaluator, Protocol):
    """An evaluator that is faster for positions that differ little from a common parent."""

    def evaluate_children(
        self, parents: Boards, children: Boards, first: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Evaluate children, ``int8[m, 2, 25] -> float32[m, 5]``: the same result, computed faster.

        ``first`` is int64[len(parents) + 1]: ``children[first[i]:first[i + 1]]`` are those of
        ``parents[i]``. A parent is the board before the play, swapped, so that its side on roll is
        that of the children.
        """
        ...


@runtime_checkable
class ExactEvaluator(Evaluator, Protocol):
    """An evaluator that knows the exact money equities of its positions for every cube owner."""

    def money_equities(self, boards: Boards) -> NDArray[np.float32]:
        """Equities without a double this turn for a cube of 1, ``int8[n, 2, 25] -> float32[n, 5]``.

        The columns are those of ``bearoff.two_sided``: cubeless, centred, owned by the side on
        roll, owned by the other, centred under the Jacoby rule.
        """
        ...


Faster = Callable[[Boards, Boards, NDArray[np.int64]], NDArray[np.float32]]


def evaluate_children(
    evaluator: Evaluator, parents: Boards, children: Boards, first: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Evaluate children, with the parents if the evaluator is a ``ChildEvaluator``."""
    # isinstance is not used here: it takes as long as the evaluation of a hundred positions.
    faster: Faster | None = getattr(evaluator, "evaluate_children", None)
    return evaluator(children) if faster is None else faster(parents, children, first)


@dataclass(frozen=True)
class FunctionEvaluator:
    """A function as an evaluator. The probabilities that it returns are checked.

    >>> even = FunctionEvaluator("even", lambda boards: np.full((len(boards), 5), 0.5))
    >>> even(np.zeros((1, 2, 25), np.int8)).tolist()
    [[0.5, 0.5, 0.5, 0.5, 0.5]]
    """

    name: str
    function: Callable[[Boards], NDArray[np.floating]]

    @property
    def identity(self) -> Hashable:
        """The name and the function."""
        function: Any = self.function
        try:
            hash(function)
        except TypeError:  # its bound method can be hashed, by the identity of the object
            return self.name, function.__call__
        return self.name, function

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        five = np.asarray(self.function(boards), np.float32)
        if five.shape != (len(boards), 5):
            raise ValueError(f"{self.name}: answered {list(five.shape)}, not [{len(boards)}, 5]")
        return checked_five(five, self.name)
