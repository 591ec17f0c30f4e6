"""A backgammon analysis engine.

>>> import gnubg_py
>>> gnubg_py.hint("4HPwATDgc/ABMA", dice="31", ply=0)[0].play
'8/5 6/5'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gnubg_py.kernel_cache import has_no_folder, make_optional

if TYPE_CHECKING:
    from gnubg_py.analysis import cube_action as cube_action
    from gnubg_py.analysis import evaluate as evaluate
    from gnubg_py.analysis import hint as hint
    from gnubg_py.rollouts.run import rollout as rollout

_HOMES = {
    "cube_action": "gnubg_py.analysis",
    "evaluate": "gnubg_py.analysis",
    "hint": "gnubg_py.analysis",
    "rollout": "gnubg_py.rollouts.run",
}
__all__ = ["cube_action", "evaluate", "hint", "rollout"]


def __getattr__(name: str) -> Any:
    """The front door, imported when it is asked for, so that ``import gnubg_py`` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    make_optional()
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


if has_no_folder():  # before any module with kernels is imported
    make_optional()
