"""Fixtures of the peer tests, all of which are marked ``peers`` by being in this folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gnubg_py.bench.gnubg_program import find_gnubg

from . import peers


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.peers)


@pytest.fixture(scope="session")
def gnubg_script() -> Callable[..., str]:
    """``gnubg_script(source, data, timeout) -> what gnubg printed``; see ``peers.py``."""
    if find_gnubg() is None:
        pytest.skip(peers.GNUBG_HINT)
    return peers.gnubg_script


@pytest.fixture(scope="session")
def gnubg_nn_script() -> Callable[..., str]:
    """``gnubg_nn_script(source, data, timeout) -> what it printed``; see ``peers.py``."""
    if peers.find_gnubg_nn() is None:
        pytest.skip(peers.GNUBG_NN_HINT)
    return peers.gnubg_nn_script


@pytest.fixture(scope="session")
def emitted() -> Callable[[str], list[object]]:
    """``emitted(output) -> values``: what a script passed to ``emit``."""
    return peers.emitted
