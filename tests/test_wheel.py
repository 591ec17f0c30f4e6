"""A wheel carries all that the program needs, and finds it from any folder."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gnubg_py import paths
from gnubg_py.cli import SUBCOMMANDS

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but an unpacked wheel, as site-packages would have it."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def in_wheel(site: Path, code: str, cwd: Path) -> str:
    """What ``code`` prints with the wheel's package ahead of the checkout's, run in ``cwd``."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(site)},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_checkout_keeps_nets_and_training_at_the_top() -> None:
    assert paths.checkout() == ROOT
    assert paths.nets_dir() == ROOT / "nets"
    assert (ROOT / "gnubg_py" / "training").resolve() == ROOT / "training"


def test_a_wheel_holds_every_file_and_only_the_package(site: Path) -> None:
    def files(folder: str) -> set[str]:
        found = (p for p in (ROOT / folder).rglob("*") if p.is_file())
        return {str(p.relative_to(ROOT)) for p in found if "__pycache__" not in p.parts}

    (wheel,) = site.parent.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    moved = {f"gnubg_py/{name}" for name in files("nets") | files("training")}
    assert packed == files("gnubg_py") | moved


def test_a_wheel_finds_its_own_files_from_any_folder(site: Path, tmp_path: Path) -> None:
    # Decoys: folders of the same names where a careless search would look first.
    for decoy in (tmp_path, site):
        for name in ("nets", "training"):
            (decoy / name).mkdir()
    where = "import gnubg_py.training as t, gnubg_py.paths as p; print(p.nets_dir(), *t.__path__)"
    package = site / "gnubg_py"
    assert in_wheel(site, where, tmp_path).split() == [
        str(package / "nets"),
        str(package / "training"),
    ]


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_a_wheels_commands_import(site: Path, tmp_path: Path, name: str) -> None:
    code = f"import gnubg_py.commands.{name} as c; print(c.__file__)"
    assert in_wheel(site, code, tmp_path) == str(site / "gnubg_py" / "commands" / f"{name}.py")
