"""Count the lines of ``gnubg_py/``: those of what it did when issue 11 was opened, and later ones.

    python tests/line_counts.py [--list]

The program of that day is commit 3bdc9af. Every module is cut into units: functions, methods,
constants, and the rows of tables (commands, settings). From the entry points of that day the
script follows the names that units refer to. A unit that is reached counts as "then", with every
line that it has today, also where a later issue made it longer. What is not reached, or is listed
in ``line_counts.txt`` as a later issue's own, counts as "later". An import counts with the units
that use its name. ``--list`` prints the units of each module too.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
PACKAGE = TOP / "gnubg_py"
LISTS = Path(__file__).with_suffix(".txt")

LEAST_ROWS = 3
"""A table of fewer rows is counted as one unit."""


@dataclass
class Unit:
    """A function, method, class head, constant or row of a table, with its line numbers."""

    module: str
    name: str
    lines: set[int]
    nodes: list[ast.AST]
    left_out: Sequence[ast.AST] = ()
    issue: str = ""
    reached: bool = False

    @property
    def whole(self) -> str:
        """The name without the row."""
        return self.name.partition("[")[0]

    def walk(self) -> Iterator[ast.AST]:
        """Every node of the unit but those of its rows, which are units themselves."""
        stack = list(self.nodes)
        while stack:
            node = stack.pop()
            if not any(node is row for row in self.left_out):
                yield node
                stack.extend(ast.iter_child_nodes(node))


@dataclass
class Import:
    """A name that a module imports, from where, and the lines of it."""

    name: str
    module: str
    imported: str
    lines: set[int]


@dataclass
class Module:
    """A module, cut into units."""

    name: str
    count: int
    units: list[Unit] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)


def ours(module: str | None) -> str:
    """A module's name inside the package; that of another package in brackets."""
    name = module or ""
    return name.removeprefix("gnubg_py").removeprefix(".") if "gnubg_py" in name else f"({name})"


def imports_of(node: ast.Import | ast.ImportFrom, lines: set[int]) -> Iterator[Import]:
    """The names that a statement imports; each has its own lines where there are several."""
    for alias in node.names:
        name = (alias.asname or alias.name).split(".")[0]
        own = lines if alias is node.names[0] else {alias.lineno} & lines
        module = ours(node.module) if isinstance(node, ast.ImportFrom) else "()"
        yield Import(name, module, alias.name, set(own))


def defined_name(node: ast.AST) -> str:
    """The name that a statement defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return ""


def rows_of(node: ast.AST) -> list[tuple[ast.expr, list[ast.expr]]]:
    """The rows of the table that a statement defines or a function returns: first part, parts."""
    table = getattr(node, "value", None)
    if isinstance(node, ast.FunctionDef):
        lists = (n.value for n in ast.walk(node) if isinstance(n, ast.Return))
        table = next((value for value in lists if isinstance(value, ast.List)), None)
    if isinstance(table, ast.Dict):
        pairs = zip(table.keys, table.values, strict=True)
        rows = [(k or v, [v] if k is None else [k, v]) for k, v in pairs]
    elif isinstance(table, ast.Tuple | ast.List):
        rows = [(row, [row]) for row in table.elts]
    else:
        return []
    one_a_line = len({first.lineno for first, _ in rows}) == len(rows)
    return rows if len(rows) >= LEAST_ROWS and one_a_line else []


def label(row: ast.expr) -> str:
    """The first text in a row, or the whole row where it has none."""
    texts = (n.value for n in ast.walk(row) if isinstance(n, ast.Constant))
    return next((text for text in texts if isinstance(text, str)), ast.unparse(row))


def units_of(module: str, node: ast.stmt, lines: set[int]) -> Iterator[Unit]:
    """The units of a statement, which has these lines."""
    name = defined_name(node)
    if isinstance(node, ast.ClassDef):
        methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
        last = min(lines) - 1
        for part in node.body:
            assert part.end_lineno
            if part in methods:
                own = {line for line in lines if max(last, node.lineno) < line <= part.end_lineno}
                yield Unit(module, f"{name}.{defined_name(part)}", own, [part])
                lines = lines - own
            last = part.end_lineno
        yield Unit(module, name, lines, [node], methods)
        return
    rows = rows_of(node)
    last = rows[0][0].lineno - 1 if rows else 0
    for first, parts in rows:
        assert parts[-1].end_lineno
        own = {line for line in lines if last < line <= parts[-1].end_lineno}
        yield Unit(module, f"{name}[{label(first)}]", own, list(parts))
        lines, last = lines - own, parts[-1].end_lineno
    yield Unit(module, name, lines, [node], [part for _, parts in rows for part in parts])


def read_module(path: Path) -> Module:
    """Cut a module into units; blank lines and comments belong to what follows them."""
    name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
    text = path.read_text("utf-8")
    module, last = Module(name, len(text.splitlines())), 0
    for node in ast.parse(text).body:
        assert node.end_lineno
        lines, last = set(range(last + 1, node.end_lineno + 1)), node.end_lineno
        parts = node.body if isinstance(node, ast.If) else [node]
        if all(isinstance(part, ast.Import | ast.ImportFrom) for part in parts):
            for part in parts:
                assert isinstance(part, ast.Import | ast.ImportFrom)
                module.imports += imports_of(part, lines)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and module.units:
            module.units[-1].lines |= lines  # the docstring of a constant
        else:
            module.units += units_of(name, node, lines)
    return module


def read_lists() -> dict[str, list[str]]:
    """The patterns of ``line_counts.txt``, by issue or ``then``."""
    patterns: dict[str, list[str]] = defaultdict(list)
    for line in LISTS.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            key, module, *units = line.split()
            patterns[key] += [re.sub(r"\[(?!!)", "[[]", f"{module}:{unit}") for unit in units]
    return patterns


class Reach:
    """What is reached from the entry points of that day."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self.modules = {module.name: module for module in modules}
        self.homes: dict[tuple[str, str], list[Unit]] = defaultdict(list)
        self.methods: dict[str, list[Unit]] = defaultdict(list)
        for unit in (unit for module in modules for unit in module.units):
            self.homes[unit.module, unit.whole].append(unit)
            self.methods[unit.whole.rpartition(".")[2]].append(unit)
        self.attributes: set[str] = set()
        self.waiting: list[Unit] = []

    def mark(self, unit: Unit) -> None:
        """Reach a unit; of a class also the methods that something has asked for."""
        if unit.reached or unit.issue:
            return
        unit.reached = True
        self.waiting.append(unit)
        for other in self.modules[unit.module].units:
            owner, _, method = other.whole.partition(".")
            asked = method.startswith("__") or method in self.attributes
            if owner == unit.name and method and asked:
                self.mark(other)

    def refer(self, module: str, name: str) -> None:
        """Reach what a name means in a module."""
        if module in self.modules:
            for unit in self.homes.get((module, name), ()):
                self.mark(unit)
            for found in self.modules[module].imports:
                if found.name == name and found.module != module:
                    self.refer(found.module, found.imported)

    def ask(self, name: str) -> None:
        """Reach the methods of a name, of every class that is reached."""
        self.attributes.add(name)
        for unit in self.methods[name]:
            owner = self.homes.get((unit.module, unit.whole.partition(".")[0]), ())
            if "." in unit.whole and any(one.reached for one in owner):
                self.mark(unit)

    def visit(self, module: str, nodes: Iterator[ast.AST]) -> None:
        """Reach all that some nodes refer to."""
        parts = list(nodes)
        local = [
            found
            for node in parts
            if isinstance(node, ast.ImportFrom)
            for found in imports_of(node, set())
        ]
        known = [*local, *(self.modules[module].imports if module in self.modules else ())]
        for found in local:
            self.refer(found.module, found.imported)
        for node in parts:
            if isinstance(node, ast.Name):
                self.refer(module, node.id)
            elif isinstance(node, ast.Attribute):
                self.ask(node.attr)
                for found in known:
                    if isinstance(node.value, ast.Name) and found.name == node.value.id:
                        self.refer(f"{found.module}.{found.imported}".strip("."), node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                for word in node.value.split(".") if len(node.value) < 60 else ():
                    self.ask(word)

    def run(self, patterns: dict[str, list[str]]) -> None:
        """Sort all units into those of that day and those of later issues."""
        units = [unit for module in self.modules.values() for unit in module.units]
        names = [f"{unit.module}:{unit.name}" for unit in units]
        for pattern in (pattern for listed in patterns.values() for pattern in listed):
            if not any(fnmatchcase(name, pattern) for name in names):
                print(f"{LISTS.name}: nothing is called {pattern}")
        for unit, own in zip(units, names, strict=True):
            for issue, listed in patterns.items():
                if issue != "then" and any(fnmatchcase(own, pattern) for pattern in listed):
                    unit.issue = issue
        for unit, own in zip(units, names, strict=True):
            if not unit.name or any(fnmatchcase(own, entry) for entry in patterns["then"]):
                self.mark(unit)
        for path in sorted((TOP / "training").glob("*.py")):
            self.visit("(training)", ast.walk(ast.parse(path.read_text("utf-8"))))
        while self.waiting:
            unit = self.waiting.pop()
            self.visit(unit.module, unit.walk())


def lines_then(module: Module) -> int:
    """How many of a module's lines are of that day."""
    if not any(unit.reached and unit.name for unit in module.units):
        return 0 if any(unit.name for unit in module.units) else module.count
    used = {
        node.id
        for unit in module.units
        if unit.reached
        for node in unit.walk()
        if isinstance(node, ast.Name)
    }
    later = {line for unit in module.units if not unit.reached for line in unit.lines}
    kept = {line for unit in module.units if unit.reached for line in unit.lines}
    for found in module.imports:
        (kept if found.name in used or found.name == "annotations" else later).update(found.lines)
    return module.count - len(later - kept)


def main() -> None:
    """Print the lines of each package, and the sums."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the units of each module too")
    listed = parser.parse_args().list
    paths = sorted(PACKAGE.rglob("*.py"))
    modules = [read_module(path) for path in paths if PACKAGE / "training" not in path.parents]
    Reach(modules).run(read_lists())
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for module in modules:
        then = lines_then(module)
        package = (
            module.name.split(".")[0] if (PACKAGE / module.name.split(".")[0]).is_dir() else ""
        )
        for key in (package or "(modules)", "all"):
            sums[key][0] += then
            sums[key][1] += module.count - then
        if listed:
            print(f"{module.name}: {then} then, {module.count - then} later")
            for title, reached in (("then", True), ("later", False)):
                names = (u.name for u in module.units if u.name and u.reached == reached)
                print(f"    {title}: {', '.join(names)}")
    print(f"{'package':<12}{'then':>8}{'later':>8}{'all':>8}")
    for package, (then, later) in sorted(sums.items(), key=lambda item: item[0] == "all"):
        print(f"{package:<12}{then:>8,}{later:>8,}{then + later:>8,}")


if __name__ == "__main__":
    main()
