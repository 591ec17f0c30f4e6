"""Rows of results as CSV text, and as a pandas DataFrame where pandas is installed."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any


def as_csv(rows: list[dict[str, Any]], columns: Sequence[str]) -> str:
    """Rows as CSV text after a line with the names of the columns.

    >>> as_csv([{"play": "8/5 6/5", "loss": 0.0}], ("play", "loss"))
    'play,loss\\n8/5 6/5,0.0\\n'
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def as_frame(rows: list[dict[str, Any]], columns: Sequence[str] | None = None) -> Any:
    """Rows as a pandas DataFrame, with nan in place of None; by default with their own columns.

    ``ValueError`` where pandas is not installed.
    """
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise ValueError("a DataFrame needs pandas, which is not installed") from None
    numbers = [{k: math.nan if v is None else v for k, v in row.items()} for row in rows]
    return pandas.DataFrame(numbers, columns=columns)
