"""A backgammon analysis engine.

>>> import gnubg_py
>>> gnubg_py.hint("4HPwATDgc/ABMA", dice="31", ply=0).best.play
'8/5 6/5'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnubg_py.analysis import cube_action as cube_action
    from gnubg_py.analysis import evaluate as evaluate
    from gnubg_py.analysis import hint as hint

_HOMES = {"hint": "gnubg_py.analysis", "cube_action": "gnubg_py.analysis"}
_PACKAGES = ("evaluate", "rollout")


def __getattr__(name: str) -> Any:
    """The front door, imported when it is asked for, so that ``import gnubg_py`` stays quick.

    ``evaluate`` and ``rollout`` are packages and functions at once: see ``callable_package``.
    """
    if name in _PACKAGES:
        return import_module(f"gnubg_py.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES, *_PACKAGES])
