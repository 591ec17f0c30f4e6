"""A public name is defined in one module, but for those that the glossary gives a reason for."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from gnubg_py.paths import checkout


def public_names(path: Path) -> Iterator[str]:
    """The functions, classes and constants that a module defines, without an underscore."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            names = [one.id for one in node.targets if isinstance(one, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        else:
            names = []
        yield from (name for name in names if not name.startswith("_") and len(name) > 1)


def test_names_with_two_homes_are_those_of_the_glossary() -> None:
    top = checkout()
    assert top is not None
    modules = set((top / "gnubg_py").rglob("*.py")) | set((top / "training").glob("*.py"))
    homes = defaultdict(set)
    for path in modules - set((top / "gnubg_py" / "training").glob("*.py")):
        for name in public_names(path):
            homes[name].add(path)
    table = (top / "docs" / "glossary.md").read_text("utf-8").partition("more than one home\n")[2]
    reasoned = {
        name
        for row in table.splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`(\w+)`", row.split("|")[1])
    }
    assert {name for name, paths in homes.items() if len(paths) > 1} == reasoned
