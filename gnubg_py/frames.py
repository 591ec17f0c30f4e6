"""Rows of results as a pandas DataFrame, where pandas is installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def as_frame(rows: list[dict[str, Any]]) -> Any:
    """Rows as a pandas DataFrame; ``ValueError`` where pandas is not installed."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise ValueError("a DataFrame needs pandas, which is not installed") from None
    return pandas.DataFrame(rows)
