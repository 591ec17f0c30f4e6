"""docs/api.md names what exists, with a docstring, and leaves out nothing of the front door."""

from __future__ import annotations

import importlib
import re
from types import ModuleType

import pytest

import gnubg_py
from gnubg_py.paths import checkout


def page() -> dict[str, list[str]]:
    """The names of docs/api.md by module."""
    root = checkout()
    assert root is not None
    modules: dict[str, list[str]] = {}
    for line in (root / "docs" / "api.md").read_text("utf-8").splitlines():
        if heading := re.fullmatch(r"## `([\w.]+)`", line):
            names = modules.setdefault(heading[1], [])
        elif line.startswith("- "):
            names += re.findall(r"`(\w+)`", line.partition(": ")[0])
    return modules


@pytest.mark.parametrize("module", page())
def test_every_name_of_the_page_exists(module: str) -> None:
    home: ModuleType = importlib.import_module(module)
    names = page()[module]
    assert names, "a module without names"
    assert [name for name in names if not hasattr(home, name)] == []
    undocumented = [n for n in names if callable(getattr(home, n)) and not getattr(home, n).__doc__]
    assert undocumented == []


def test_the_front_door_is_on_the_page() -> None:
    assert sorted(page()["gnubg_py"]) == sorted(gnubg_py.__all__)
