"""The type of the fixture ``main``, which runs a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Main: TypeAlias = Callable[..., tuple[int, str, str]]
"""``main("hint", "--dice", "31") -> (status, stdout, stderr)``."""
