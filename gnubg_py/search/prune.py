"""Pruning: a small net looks at every play of an inner node, the large one at the best of them.

The pruning net is ``nets/prune.safetensors``; it serves searches whose contact and crashed
positions are valued by nets. Plays that lead elsewhere (to a race, a bearoff, the end of the game)
always stay in, and so does every play of a roll that has few.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.cube.cubeful import cubeful_values_of
from gnubg_py.cube.met import MatchEquityTable
from gnubg_py.cube.state import Cube
from gnubg_py.evaluate.classify import PositionClass, classify
from gnubg_py.evaluate.router import Evaluator
from gnubg_py.paths import nets_dir

_FILE = "prune.safetensors"


def pruner_of(evaluator: Evaluator) -> Evaluator | None:
    """The pruning net for searches with this evaluator, or None.

    An evaluator that brings its own as ``pruner`` is served by that.
    """
    own: Evaluator | None = getattr(evaluator, "pruner", None)
    if own is not None:
        return own
    from gnubg_py.network.leaf import NetLeaf

    table = getattr(evaluator, "table", {})
    leaves = [table.get(c) for c in (PositionClass.CONTACT, PositionClass.CRASHED)]
    if not all(isinstance(leaf, NetLeaf) for leaf in leaves):
        return None
    return _shipped_pruner()


@cache
def _shipped_pruner() -> Evaluator | None:
    from gnubg_py.network.leaf import load_leaf

    path = nets_dir() / _FILE
    return load_leaf(path) if path.is_file() else None


@njit(cache=True, nogil=True)
def _mark(scores, free, offsets, keep, within, out):  # type: ignore[no-untyped-def]
    """Mark, of each roll's plays, the ``keep`` lowest scores within ``within`` of its lowest.

    Those with ``free`` set are marked whatever they score, and do not count. Of equal scores the
    first goes in. Ways to be short: a roll with at most ``keep`` plays keeps them all.
    """
    best = np.empty(keep, np.float64)
    for g in range(len(offsets) - 1):
        start, end = offsets[g], offsets[g + 1]
        if end - start <= keep:
            for j in range(start, end):
                out[j] = True
            continue
        n = 0
        for j in range(start, end):
            if free[j]:
                out[j] = True
                continue
            score = scores[j]
            if n == keep and score >= best[n - 1]:
                continue
            if n < keep:
                n += 1
            at = n - 1
            while at > 0 and best[at - 1] > score:
                best[at] = best[at - 1]
                at -= 1
            best[at] = score
        if n == 0:
            continue
        limit = min(best[n - 1], best[0] + within)
        room = n
        for j in range(start, end):
            if not free[j] and scores[j] <= limit and room > 0:
                out[j] = True
                room -= 1


def kept_plays(
    pruner: Evaluator,
    parents: Boards,
    plays: Boards,
    offsets: NDArray[np.int64],
    cube: Cube,
    met: MatchEquityTable,
    keep: int,
    within: float,
) -> NDArray[np.int64]:
    """The rows of ``plays`` that stay in, ascending; at least one of each roll.

    ``parents`` int8[n, 2, 25] are as the plays' side on roll sees them; ``plays`` those of all 21
    rolls of each, roll i having rows ``offsets[i]:offsets[i + 1]``. ``cube`` is that of the side
    on roll after the play: gammons count as they do at its score, the cube as if it were dead.
    """
    classes = classify(plays)
    free = (classes != PositionClass.CONTACT) & (classes != PositionClass.CRASHED)
    first = offsets[::21]
    faster = getattr(pruner, "evaluate_children", None)
    probabilities = faster(parents, plays, first) if faster is not None else pruner(plays)
    dead = np.zeros(len(plays), np.float32)
    scores = cubeful_values_of(probabilities, dead, (cube,), met)[:, 0]
    mark = np.zeros(len(plays), np.bool_)
    _mark(scores, free, offsets, keep, within * _scale(cube, met), mark)
    return np.flatnonzero(mark)


def _scale(cube: Cube, met: MatchEquityTable) -> float:
    """What a point of equity is in values: 1 in money play, in matches half of win less loss."""
    if cube.away is None:
        return 1.0
    from gnubg_py.cube.met import eq2mwc

    return float(eq2mwc(1.0, cube, met) - eq2mwc(0.0, cube, met))
