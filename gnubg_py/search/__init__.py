"""The n-ply search: settings, the cache, expansion in batches, and the ranking of plays."""

from __future__ import annotations

from typing import Any

_HOMES = {
    "choose_plays": "ranking",
    "rank_plays": "ranking",
    "evaluate_batch": "values",
    "cubeful_values": "values",
    "cube_decision_batch": "values",
}


def __getattr__(name: str) -> Any:
    """The search's functions, imported when asked for: settings alone need no kernels."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
