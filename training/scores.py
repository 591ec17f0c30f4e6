"""The scores of a net in training on judged decisions."""

from __future__ import annotations

import numpy as np

from gnubg_py.compare.decisions import Decisions, losses_of, scores_by_class
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.files import leaf_of_weights
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.evaluators.registry import default_router
from gnubg_py.evaluators.router import Router
from gnubg_py.groups import lowest
from gnubg_py.network.weights import Weights
from gnubg_py.probabilities import cubeless_equity

_CLASSES = {
    "rolls": (PositionClass.RACE,),
    "race": (PositionClass.RACE,),
    "crashed": (PositionClass.CRASHED,),
    "contact": (PositionClass.CONTACT, PositionClass.CRASHED),
    "prune": (PositionClass.CONTACT, PositionClass.CRASHED),
}
_MAIN = {"rolls": "race", "race": "race", "crashed": "crashed"}


def training_router(weights: Weights, race: Evaluator | None = None) -> Router:
    """The default router with a net in training for the classes that the net evaluates.

    ``race`` evaluates races beside a contact net; without it the net evaluates them itself.
    """
    leaf = leaf_of_weights(weights, "in training")
    router = default_router().routed(PositionClass.RACE, race or leaf)
    for position_class in _CLASSES[weights.architecture.position_class]:
        router = router.routed(position_class, leaf)
    return router


def score_net(
    weights: Weights, decisions: Decisions, race: Evaluator | None = None
) -> dict[str, float]:
    """The mean loss of a decision in thousandths of a point, by class; the net does not search."""
    router = training_router(weights, race)
    chosen = lowest(cubeless_equity(router(decisions.candidates)), decisions.offsets)
    scores = scores_by_class(decisions, losses_of(decisions, chosen))
    return {name: round(s.error, 3) for name, s in scores.items()}


def scored(decisions: Decisions, position_class: str) -> bool:
    """Whether some of the decisions are of positions that a net of this class evaluates."""
    names = [one.name.lower() for one in _CLASSES[position_class]]
    return bool(np.isin(decisions.classes, names).any())


def main_score(scores: dict[str, float], position_class: str) -> float:
    """The score in the positions that a net of this class evaluates."""
    return scores[_MAIN.get(position_class, "contact+crashed")]
