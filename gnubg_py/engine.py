"""``Engine``: what values positions. It is made once and passed to every search and rollout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from gnubg_py.cube.efficiency import DEFAULT_EFFICIENCY, CubeEfficiency
from gnubg_py.cube.met import MatchEquityTable, kazaross_xg2
from gnubg_py.evaluators.classify import STANDARD, Classifier, PositionClass
from gnubg_py.evaluators.protocol import Evaluator, ExactEvaluator, is_evaluator
from gnubg_py.evaluators.registry import default_router, evaluator_named
from gnubg_py.evaluators.router import LEARNED, Router, classifier_of
from gnubg_py.paths import nets_dir
from gnubg_py.search.cache import SearchCache, shared_cache
from gnubg_py.typed import shortened

_PRUNER = "prune.safetensors"


@dataclass(frozen=True, eq=False)
class Engine:
    """Everything that values of positions depend on, except the settings of a search.

    ``evaluator`` gives the five probabilities; ``efficiency`` and ``met`` turn them into values
    with the cube. ``pruner`` is a small net that chooses the plays which inner nodes of a search
    evaluate; with None they evaluate all plays. ``cache`` keeps evaluations, and several engines
    may share it. ``classes`` gives the classes of boards as the evaluator distinguishes them.
    """

    evaluator: Evaluator
    met: MatchEquityTable
    pruner: Evaluator | None
    cache: SearchCache
    efficiency: CubeEfficiency = DEFAULT_EFFICIENCY
    classes: Classifier = STANDARD

    @property
    def exact(self) -> Mapping[PositionClass, ExactEvaluator]:
        """The classes whose money equities the evaluator knows exactly: they need no search."""
        return self.evaluator.exact if isinstance(self.evaluator, Router) else {}


def default_engine() -> Engine:
    """The shipped nets, the match equity table Kazaross-XG2, and the shared cache."""
    return engine_of()


def engine_of(
    evaluator: Evaluator | str | None = None,
    met: MatchEquityTable | None = None,
    cache: SearchCache | None = None,
) -> Engine:
    """The engine of an evaluator, which is given as an object or by name.

    Parts that are None get their default.

    >>> engine_of("large").evaluator.name, default_engine().met.name
    ('large', 'Kazaross-XG2')
    """
    if isinstance(evaluator, str):
        evaluator = evaluator_named(evaluator)
    evaluator = default_router() if evaluator is None else evaluator
    if not is_evaluator(evaluator):
        raise ValueError(
            f"evaluator {shortened(evaluator)}: should be a name, or have a name and an identity:"
            " FunctionEvaluator(name, function) makes one of a function"
        )
    cache = shared_cache() if cache is None else cache
    return Engine(
        evaluator,
        met or kazaross_xg2(),
        pruner_of(evaluator),
        cache,
        classes=classifier_of(evaluator),
    )


def pruner_of(evaluator: Evaluator) -> Evaluator | None:
    """The pruning net for searches with this evaluator, or None.

    An evaluator with an attribute ``pruner`` brings its own. The shipped pruning net is for
    evaluators that value contact, crashed and race positions by nets of this program.
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

    path = nets_dir() / _PRUNER
    return load_leaf(path) if path.is_file() else None
