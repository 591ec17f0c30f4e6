"""``Search``: an engine, the settings, and the callbacks of a search; how a search is stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.cube.state import Cube
from gnubg_py.cube.values import CubeTable, Numbers, cube_table, node_values, without_jacoby
from gnubg_py.engine import Engine
from gnubg_py.evaluators.protocol import evaluate_children
from gnubg_py.search.cache import SearchCache
from gnubg_py.search.noise import NoisyEvaluator, new_draw
from gnubg_py.search.settings import EvalSettings

Progress = Callable[[int, float], None]
"""Called with the ply of the current look and the share of it that is done, 0 to 1."""


class StoppedError(Exception):
    """Raised inside a search whose token says stop."""


class StopToken:
    """Tells a search, from another thread or a callback, to end and return what is finished.

    >>> token = StopToken()
    >>> token.stop()
    >>> token.stopped
    True
    """

    def __init__(self) -> None:
        self._event = threading.Event()

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process gets a token of its own, which cannot be reached from here."""
        return StopToken, ()

    def stop(self) -> None:
        """Ask the search to end."""
        self._event.set()

    @property
    def stopped(self) -> bool:
        """Whether ``stop`` has been called."""
        return self._event.is_set()

    def check(self) -> None:
        """Raise ``StoppedError`` if ``stop`` has been called."""
        if self.stopped:
            raise StoppedError


@dataclass(frozen=True)
class Search:
    """What every node of a search shares. ``make_search`` makes one.

    ``engine`` has the noise of the settings in its evaluator, and no pruner if they do not prune.
    ``count`` is called with the number of positions of every evaluation, by the thread that makes
    it; ``advance`` with the share of the whole work that has just been done. With ``by_position``
    the values of contact positions are those with their own efficiency of the cube.
    """

    engine: Engine
    settings: EvalSettings
    stop: StopToken | None = None
    count: Callable[[int], None] | None = None
    advance: Callable[[float], None] | None = None
    by_position: bool = False

    def check(self) -> None:
        """Raise ``StoppedError`` if the search is to end."""
        if self.stop is not None:
            self.stop.check()

    def at(self, plies: int) -> Search:
        """The same search with another depth."""
        return replace(self, settings=replace(self.settings, plies=plies))

    def tag(self, *parts: object) -> int:
        """The cache's tag for values of nodes under these settings and ``parts``."""
        engine, s = self.engine, self.settings
        pruning = (s.prune_keep, s.prune_within) if engine.pruner is not None else ()
        pruner = None if engine.pruner is None else engine.pruner.identity
        depends_on = (engine.evaluator.identity, pruner, engine.efficiency, engine.met)
        return engine.cache.tag(
            *depends_on, self.by_position, pruning, s.inner_plies, s.cubeful, *parts
        )

    def evaluate(
        self,
        boards: Boards,
        parents: Boards | None = None,
        first: NDArray[np.int64] | None = None,
    ) -> NDArray[np.float32]:
        """Evaluate boards without the cache, ``int8[n, 2, 25] -> float32[n, 5]``.

        If ``boards[first[i]:first[i + 1]]`` are plays from ``parents[i]``, the evaluator can use
        that to be faster.
        """
        self.check()
        if self.count is not None:
            self.count(len(boards))
        if parents is None or first is None:
            return self.engine.evaluator(boards)
        return evaluate_children(self.engine.evaluator, parents, boards, first)

    def table(self, cubes: Sequence[Cube]) -> CubeTable:
        """The cubes as the settings take them: in a cubeless search gammons always count."""
        if not self.settings.cubeful:
            cubes = [without_jacoby(cube) for cube in cubes]
        return cube_table(cubes, self.engine.met)

    def values(
        self,
        boards: Boards,
        classes: NDArray[np.int8],
        five: NDArray[np.float32],
        table: CubeTable,
        numbers: Numbers | None = None,
        may_double: bool = True,
    ) -> NDArray[np.float64]:
        """The values of boards by their probabilities, as ``cube.values.node_values``."""
        return node_values(
            boards,
            classes,
            five,
            table,
            numbers,
            may_double=may_double,
            cubeful=self.settings.cubeful,
            exact=self.engine.exact,
            efficiency=self.engine.efficiency,
            by_position=self.by_position,
        )


def make_search(
    engine: Engine,
    settings: EvalSettings,
    *,
    stop: StopToken | None = None,
    count: Callable[[int], None] | None = None,
    draw: int | None = None,
) -> Search:
    """A search by ``settings``: their noise and pruning are put into the engine.

    The search's own settings have ``prune`` only if the engine has a pruner. ``draw`` is that of
    noise that is not deterministic; None: a new one.
    """
    settings = replace(settings, prune=settings.prune and engine.pruner is not None)
    if settings.noise:
        if settings.deterministic:
            draw = 0
        elif draw is None:
            draw = new_draw()
        noise = NoisyEvaluator(engine.evaluator, settings.noise, settings.seed, draw)
        # No later search can use values with noise that is new every time.
        cache = engine.cache if settings.deterministic else SearchCache(0)
        engine = replace(engine, evaluator=noise, cache=cache)
    if not settings.prune:
        engine = replace(engine, pruner=None)
    return Search(engine, settings, stop, count)


def watch(search: Search, ply: int, on_progress: Progress) -> Search:
    """The same search, calling ``on_progress`` with the share of its look at ``ply``."""
    done = 0.0

    def advance(share: float) -> None:
        nonlocal done
        done += share
        on_progress(ply, min(done, 1.0))

    return replace(search, advance=advance)
