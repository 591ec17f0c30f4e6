"""A backgammon analysis engine.

>>> import gnubg_py
>>> gnubg_py.best_plays("4HPwATDgc/ABMA", dice="31", ply=0).best.play
'8/5 6/5'
>>> gnubg_py.cube_action("4HPwATDgc/ABMA:cAkAAAAAAAAA", ply=0).words
'No double, take'

``hint`` is either of the two: which one depends on whether there is a roll.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnubg_py.analysis import best_plays, cube_action, evaluate, hint
    from gnubg_py.batches import cube_actions, hints
    from gnubg_py.game.playing import Game
    from gnubg_py.matches.match_analysis import analyse, load_analysis
    from gnubg_py.matchfiles.registry import read_match
    from gnubg_py.rollouts.run import rollout

__all__ = [
    "Game",
    "analyse",
    "best_plays",
    "cube_action",
    "cube_actions",
    "evaluate",
    "hint",
    "hints",
    "load_analysis",
    "read_match",
    "rollout",
]

_HOMES = {
    "Game": "gnubg_py.game.playing",
    "analyse": "gnubg_py.matches.match_analysis",
    "cube_actions": "gnubg_py.batches",
    "hints": "gnubg_py.batches",
    "load_analysis": "gnubg_py.matches.match_analysis",
    "read_match": "gnubg_py.matchfiles.registry",
    "rollout": "gnubg_py.rollouts.run",
}
"""The modules of the functions that ``gnubg_py.analysis`` does not have."""


def __getattr__(name: str) -> Any:
    """Import a function of the front door when it is first used: ``import gnubg_py`` is quick."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "gnubg_py.analysis")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
