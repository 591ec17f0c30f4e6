"""What a worker has to have in common with the command that uses it: the program and the nets."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from gnubg_py.paths import PACKAGE, nets_dir

_LIBRARIES = ("numpy", "numba")
"""Libraries whose versions may change the last digits of a result."""


@dataclass(frozen=True)
class Installation:
    """What results depend on: the program, two libraries, and the shipped nets, by checksums."""

    program: str
    libraries: dict[str, str]
    nets: dict[str, str]


@cache
def installation() -> Installation:
    """The installation that this process runs."""
    program = f"{version('gnubg-py')} (sources {_checksum_of_sources(PACKAGE)})"
    libraries = {name: version(name) for name in _LIBRARIES}
    nets = {
        path.name: data_checksum(path.read_bytes()) for path in nets_dir().glob("*.safetensors")
    }
    return Installation(program, libraries, nets)


def data_checksum(data: bytes) -> str:
    """The first 16 hexadecimal digits of a SHA-256 checksum."""
    return hashlib.sha256(data).hexdigest()[:16]


def _checksum_of_sources(folder: Path) -> str:
    """One checksum of all Python files of a folder with their names."""
    sums = {
        str(path.relative_to(folder)): data_checksum(path.read_bytes()) for path in _sources(folder)
    }
    return data_checksum(repr(sorted(sums.items())).encode())


def _sources(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder, followlinks=True):  # gnubg_py/training is a link
        yield from (Path(place, name) for name in names if name.endswith(".py"))


def difference(own: Installation, other: Installation) -> str | None:
    """Why a worker with the installation ``other`` cannot be used; None if it can.

    >>> one = Installation("0.1.0 (sources 1a)", {"numpy": "2.4"}, {"contact.safetensors": "77"})
    >>> difference(one, Installation("0.1.0 (sources 2b)", {"numpy": "2.4"}, {}))
    'it has gnubg-py 0.1.0 (sources 2b), this is 0.1.0 (sources 1a)'
    >>> difference(one, Installation("0.1.0 (sources 1a)", {"numpy": "2.4"}, {}))
    'its net contact.safetensors is not the one here'
    """
    if other.program != own.program:
        return f"it has gnubg-py {other.program}, this is {own.program}"
    for name, here in own.libraries.items():
        if other.libraries.get(name) != here:
            return f"it has {name} {other.libraries.get(name)}, this machine has {here}"
    for name in sorted(own.nets.keys() | other.nets.keys()):
        if own.nets.get(name) != other.nets.get(name):
            return f"its net {name} is not the one here"
    return None
