"""Pruning: a small net looks at every play of an inner node, the large one at the best of them.

The pruning net is ``nets/prune.safetensors``; it serves searches whose contact, crashed and race
positions are valued by nets. Plays that lead elsewhere (to a bearoff, the end of the game) always
stay in, and so does every play of a roll that has few.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.cube.met import value_of_a_point
from gnubg_py.cube.state import Cube
from gnubg_py.evaluators.classify import classify
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.evaluators.router import LEARNED
from gnubg_py.paths import nets_dir
from gnubg_py.search.choice import cubeless_values, cubeless_weights
from gnubg_py.threads import map_slices

if TYPE_CHECKING:
    from gnubg_py.search.context import Search

_FILE = "prune.safetensors"
_SLICE = 2048


def pruner_of(evaluator: Evaluator) -> Evaluator | None:
    """The pruning net for searches with this evaluator, or None.

    An evaluator that brings its own as ``pruner`` is served by that.
    """
    own: Evaluator | None = getattr(evaluator, "pruner", None)
    if own is not None:
        return own
    from gnubg_py.evaluators.race import RaceLeaf
    from gnubg_py.network.leaf import NetLeaf

    table = getattr(evaluator, "table", {})
    if not all(isinstance(table.get(c), NetLeaf | RaceLeaf) for c in LEARNED):
        return None
    return _shipped_pruner()


@cache
def _shipped_pruner() -> Evaluator | None:
    from gnubg_py.network.leaf import load_leaf

    path = nets_dir() / _FILE
    return load_leaf(path) if path.is_file() else None


@njit(cache=True, nogil=True)
def mark_kept(scores, free, which, offsets, keep, within, out):  # type: ignore[no-untyped-def]
    """Mark, of each roll's plays, the ``keep`` lowest scores within ``within`` of its lowest.

    Roll i has plays ``which[offsets[i]:offsets[i + 1]]``, numbers of positions, which have scores.
    Those set ``free`` are marked whatever they score, and do not count. Of equal scores the first
    goes in. A roll with at most ``keep`` plays keeps them all.
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
            if free[which[j]]:
                out[j] = True
                continue
            score = scores[which[j]]
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
        ties = 0
        for i in range(n):
            ties += best[i] == limit
        for j in range(start, end):
            k = which[j]
            if free[k]:
                continue
            if scores[k] < limit:
                out[j] = True
            elif scores[k] == limit and ties > 0:
                out[j] = True
                ties -= 1


def kept_plays(
    search: Search,
    parents: Boards,
    boards: Boards,
    first: NDArray[np.int64],
    which: NDArray[np.int64],
    offsets: NDArray[np.int64],
    cube: Cube,
) -> NDArray[np.int64]:
    """The plays that stay in, ascending numbers of entries of ``which``; at least one of each roll.

    ``boards[first[i]:first[i + 1]]`` are the positions that plays of ``parents[i]`` lead to first
    (parents as the plays' side on roll sees them). Roll i has the plays
    ``which[offsets[i]:offsets[i + 1]]``, rows of ``boards``. ``cube`` is that of the side on roll
    after the play: gammons count as they do at its score, the cube as if it were dead.
    """
    pruner = search.pruner
    assert pruner is not None
    faster = getattr(pruner, "evaluate_children", None)
    five = pruner(boards) if faster is None else faster(parents, boards, first)
    weights = cubeless_weights(cube, search.met)
    scores, free = np.empty(len(boards)), np.empty(len(boards), np.bool_)

    def work(rows: slice) -> None:
        scores[rows] = cubeless_values(five[rows], weights)
        free[rows] = ~np.isin(classify(boards[rows]), LEARNED)

    map_slices(work, len(boards), _SLICE)
    mark = np.zeros(len(which), np.bool_)
    s = search.settings
    within = s.prune_within * value_of_a_point(cube, search.met)
    mark_kept(scores, free, which, offsets, s.prune_keep, within, mark)
    return np.flatnonzero(mark)
