"""Modules import only from their own row of the house or from one above it in this list."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import gnubg_py
from gnubg_py.paths import checkout

ROWS = """
errors exits files frames kernel_cache messages paths threads typed vectors version workers
bits claims
board dice match
groups keys plays probabilities
notation
drawing
bearoff
network
evaluators
cluster
cube
search engine
rollouts
layout results analysis batches
game matchfiles
matches
compare
bench
training
external shell inside commands cli __main__
"""
"""The rows of docs/architecture.md, bottom up: modules and packages of gnubg_py."""

ROW_OF = {name: row for row, names in enumerate(ROWS.split("\n")) for name in names.split()}


def modules() -> Iterator[tuple[str, Path]]:
    """Each module's place (a name of ``ROWS``) with its file."""
    root = Path(gnubg_py.__file__).parent
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root).parts[0].removesuffix(".py")
        if place not in ("__init__", "training"):
            yield place, path
    top = checkout()
    assert top is not None
    for path in sorted((top / "training").glob("*.py")):
        yield "cli" if path.name == "__main__.py" else "training", path


def imported(path: Path) -> set[str]:
    """The places that a file imports from, inside functions and for type checkers too."""
    places = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names = [node.module]
            if node.module == "gnubg_py":
                names = [f"gnubg_py.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        places |= {name.split(".")[1] for name in names if name.startswith("gnubg_py.")}
    return places


def test_every_module_has_a_row() -> None:
    assert {place for place, _ in modules()} == set(ROW_OF)


def test_nothing_imports_from_a_row_below() -> None:
    steps = [
        f"{path.name} of {place} imports {other}"
        for place, path in modules()
        for other in sorted(imported(path))
        if ROW_OF[other] > ROW_OF[place]
    ]
    assert steps == []
