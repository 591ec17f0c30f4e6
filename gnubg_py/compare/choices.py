"""What a player plays in every one of many decisions."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.compare.decisions import Decisions
from gnubg_py.compare.players import Player
from gnubg_py.messages import progress

_SLICE = 250


@dataclass(frozen=True)
class Choices:
    """``chosen`` int64[k], rows of the candidates of the first k decisions, and the seconds.

    k is all of them unless Ctrl-C came between.
    """

    chosen: NDArray[np.int64]
    seconds: float


def choices(player: Player, decisions: Decisions) -> Choices:
    """The play a player makes in each decision; Ctrl-C leaves those that are finished."""
    n, parts = len(decisions.ids), [np.empty(0, np.int64)]
    began = time.perf_counter()
    with progress(n, f"{player.name}: decisions") as bar:
        try:
            for start in range(0, n, _SLICE):
                end = min(start + _SLICE, n)
                parts.append(_choose(player, decisions, start, end))
                bar.update(end - start)
        except KeyboardInterrupt:
            if len(parts) == 1:
                raise
    return Choices(np.concatenate(parts), time.perf_counter() - began)


def _choose(player: Player, decisions: Decisions, start: int, end: int) -> NDArray[np.int64]:
    offsets = decisions.offsets[start : end + 1]
    first, last = offsets[0], offsets[-1]
    boards, dice = decisions.boards[start:end], decisions.dice[start:end]
    candidates = decisions.candidates[first:last]
    return np.asarray(player.choose(boards, dice, candidates, offsets - first) + first)


def first_decisions(decisions: Decisions, n: int) -> Decisions:
    """The first n decisions."""
    plays = decisions.offsets[n]
    return Decisions(
        decisions.ids[:n],
        decisions.classes[:n],
        decisions.boards[:n],
        decisions.dice[:n],
        decisions.candidates[:plays],
        decisions.equities[:plays],
        decisions.offsets[: n + 1],
        None if decisions.errors is None else decisions.errors[:plays],
    )
