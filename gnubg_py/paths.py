"""Where the files that ship with the program are.

A checkout has ``nets/`` beside the package, at the top of the repository. A wheel has it inside the
package. The kind of installation decides which folder is used, not the folders that exist: a folder
``nets`` of another package in site-packages, or in the current folder, is never used.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def checkout() -> Path | None:
    """The repository the package runs from, or None where it was installed from a wheel."""
    root = PACKAGE.parent
    is_wheel = (PACKAGE / "nets").is_dir()
    return root if not is_wheel and (root / "pyproject.toml").is_file() else None


def nets_dir() -> Path:
    """The folder of the shipped weights.

    >>> nets_dir().name
    'nets'
    """
    return (checkout() or PACKAGE) / "nets"
