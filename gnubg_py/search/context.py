"""One search's surroundings, fixed before it begins: who evaluates, how, and when to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from gnubg_py.cube.efficiency import CubeEfficiency
from gnubg_py.cube.met import MatchEquityTable, kazaross_xg2
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.evaluators.registry import default_router
from gnubg_py.search.cache import SearchCache, shared_cache
from gnubg_py.search.noise import NoisyEvaluator
from gnubg_py.search.prune import pruner_of
from gnubg_py.search.settings import EvalSettings

Progress = Callable[[int, float], None]
"""Told the ply that is being looked at, and what share of it is done, 0 to 1."""


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

    def stop(self) -> None:
        """Ask the search to end."""
        self._event.set()

    @property
    def stopped(self) -> bool:
        """Whether it has been asked to."""
        return self._event.is_set()


@dataclass(frozen=True)
class Search:
    """What every node of a search shares; ``make_search`` fills in the defaults."""

    evaluator: Evaluator
    identity: tuple[object, ...]
    """What the evaluator's answers depend on, for the cache."""
    settings: EvalSettings
    met: MatchEquityTable
    efficiency: CubeEfficiency
    cache: SearchCache
    pruner: Evaluator | None
    exact_bearoff: bool
    """Whether BEAROFF2 positions come from the two-sided database: no search, exact cubes."""
    stop: StopToken | None = None
    count: Callable[[int], None] | None = None
    """Told how many positions leaves are asked for, as they are."""
    advance: Callable[[float], None] | None = None
    """Told what share of all the work has been done, as it is."""

    def check(self) -> None:
        """Raise ``StoppedError`` if the search is to end."""
        if self.stop is not None and self.stop.stopped:
            raise StoppedError

    def at(self, plies: int) -> Search:
        """The same search with another depth."""
        return replace(self, settings=replace(self.settings, plies=plies))

    def tag(self, *parts: object) -> int:
        """The cache's tag of what nodes are worth under these settings, and of ``parts``."""
        s = self.settings
        pruning = (s.prune_keep, s.prune_within) if self.pruner is not None else ()
        return self.cache.tag(
            *self.identity, self.pruner, pruning, s.cubeful, self.efficiency, self.met, *parts
        )


def make_search(
    settings: EvalSettings,
    router: Evaluator | None = None,
    met: MatchEquityTable | None = None,
    *,
    cache: SearchCache | None = None,
    efficiency: CubeEfficiency | None = None,
    stop: StopToken | None = None,
    count: Callable[[int], None] | None = None,
) -> Search:
    """A search by ``settings``; the default router, match equity table and cache if not given."""
    evaluator: Evaluator = router if router is not None else default_router()
    pruner = pruner_of(evaluator) if settings.prune else None
    settings = replace(settings, prune=pruner is not None)  # so that they tell what is done
    exact = _has_exact_bearoff(evaluator)
    if cache is None:
        cache = shared_cache()
    identity: tuple[object, ...] = (evaluator,)
    if settings.noise:
        identity = (evaluator, settings.noise, settings.seed)
        evaluator = NoisyEvaluator(evaluator, settings.noise, settings.seed, settings.deterministic)
        exact = False
        if not settings.deterministic:
            cache = SearchCache(0)
    return Search(
        evaluator,
        identity,
        settings,
        met or kazaross_xg2(),
        efficiency or CubeEfficiency(),
        cache,
        pruner,
        exact,
        stop,
        count,
    )


def watch(search: Search, ply: int, on_progress: Progress) -> Search:
    """The same search, telling ``on_progress`` how far its next look, at ``ply``, has come."""
    done = 0.0

    def advance(share: float) -> None:
        nonlocal done
        done += share
        on_progress(ply, min(done, 1.0))

    return replace(search, advance=advance)


def _has_exact_bearoff(evaluator: Evaluator) -> bool:
    from gnubg_py.evaluators.bearoff import BEAROFF2_LEAF

    table = getattr(evaluator, "table", {})
    return bool(table.get(PositionClass.BEAROFF2) == BEAROFF2_LEAF)
