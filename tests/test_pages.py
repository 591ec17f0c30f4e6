"""The pages name files, tests, options and targets that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gnubg_py.paths import checkout

TOP = checkout() or Path()
PAGES = sorted(path for path in [*TOP.glob("*.md"), *(TOP / "docs").glob("*.md")])
CODE = [
    path
    for folder in ("gnubg_py", "tests", "training")
    for path in (TOP / folder).rglob("*.py")
    if TOP / "gnubg_py" / "training" not in path.parents
]
OTHERS = {"--nworkers"}
"""Options of programs that are not ours."""
GONE = {"CHANGELOG.md": {"--ply-a", "--ply-b", "training/measure_heuristics.py"}}
GONE["heuristics.md"] = {"training/measure_heuristics.py"}
"""What pages name because it is gone."""


def heading_anchor(heading: str) -> str:
    """The anchor that a heading gets in an address."""
    kept = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return kept.strip().replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", page.read_text("utf-8")):
        if target.startswith("http"):
            continue
        to = page.parent / target if target else page
        assert to.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)", to.read_text("utf-8"), re.MULTILINE)
            assert anchor in map(heading_anchor, headings), f"{target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_tests_that_are_named_are_there(page: Path) -> None:
    text = page.read_text("utf-8")
    known = [path.relative_to(TOP).as_posix() for path in CODE]
    for name in set(re.findall(r"[\w.]*/[\w/]+\.py\b", text)) - GONE.get(page.name, set()):
        wanted = name.removeprefix("../")
        assert any(path == wanted or path.endswith(f"/{wanted}") for path in known), name
    tests = "\n".join(path.read_text("utf-8") for path in CODE if path.name.startswith("test_"))
    for name in re.findall(r"`(test_\w+)`", text):
        assert f"def {name}(" in tests, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_and_targets_that_are_named_are_known(page: Path) -> None:
    text = page.read_text("utf-8")
    code = "\n".join(path.read_text("utf-8") for path in CODE)
    words = set(re.findall(r"\w+", code)) | set(re.findall(r"--([a-z][\w-]*)", code))
    options = set(re.findall(r"(?<![\w-])(--[a-z][\w-]*)", text)) - OTHERS
    for option in options - GONE.get(page.name, set()):
        assert option[2:] in words or option[2:].replace("-", "_") in words, option
    targets = re.findall(r"^([a-z-]+):", (TOP / "Makefile").read_text("utf-8"), re.MULTILINE)
    for target in re.findall(r"`make ([a-z-]+)", text):
        assert target in targets, target


def test_the_walk_names_functions_that_are_there() -> None:
    text = (TOP / "docs" / "architecture.md").read_text("utf-8")
    homes = {path.stem: path for path in CODE if "tests" not in path.parts}
    named = [name for name in re.findall(r"`(\w+)\.(\w+)`", text) if name[0] in homes]
    assert len(named) > 10
    for module, name in named:
        if name not in ("py", "md"):
            code = "\n".join(path.read_text("utf-8") for path in CODE if path.stem == module)
            assert re.search(rf"^(def |class )?{name}\b", code, re.MULTILINE), f"{module}.{name}"
