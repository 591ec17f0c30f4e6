"""gnubg's nets in this program against gnubg itself, position by position.

The last bits of gnubg's numbers come from the processor: its hidden units divide by ``rcpps``,
whose results differ from maker to maker. This program has those of AMD's Zen 5 in a table, so it
is compared to the last bits where gnubg runs on a Zen 5, and less strictly elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.compare.duel import self_play
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.plays import plays

from .peers import emitted
from .test_cube_peers import _PRELUDE
from .test_search_peers import _STATIC

MEASURED_PROCESSOR = llvm.get_host_cpu_name() == "znver5"
KINDS = {
    "contact": PositionClass.CONTACT,
    "crashed": PositionClass.CRASHED,
    "race": PositionClass.RACE,
}


@pytest.fixture(scope="module")
def boards() -> Boards:
    """Positions of games in which every play is random, so that all kinds come up."""
    generator = np.random.default_rng(3)
    found = list(self_play(600, 1, evaluator_named("net")))
    for start in found[:250]:
        board = start
        for _ in range(100):
            dice = generator.integers(1, 7, 2)
            after = plays(board, (int(dice.max()), int(dice.min())))
            board = after[generator.integers(len(after))]
            if not board[1].any():
                break
            found.append(board)
    return np.stack(found)


@pytest.fixture(scope="module")
def theirs(boards: Boards, gnubg_script: Callable[..., str]) -> NDArray[np.float64]:
    data = [board.tolist() for board in boards]
    (answers,) = emitted(gnubg_script(_PRELUDE + _STATIC, data, timeout=300))
    return np.array(answers)


@pytest.mark.parametrize("kind", KINDS)
def test_the_nets_say_what_gnubg_says(kind: str, boards: Boards, theirs: Any) -> None:
    rows = classify(boards) == KINDS[kind]
    assert rows.sum() >= 1000
    gaps = np.abs(evaluator_named("gnubg")(boards[rows]) - theirs[rows])
    print(f"{kind}: {rows.sum()}, median {np.median(gaps, axis=0)}, worst {gaps.max(axis=0)}")
    if kind == "race":  # backgammons come from tables, and so does what is certain
        gaps = gaps[:, [0, 1, 3]]
    assert np.quantile(gaps, 0.99) < 2e-4
    if MEASURED_PROCESSOR:
        assert (gaps.max(axis=1) < 1e-7).mean() > (0.998 if kind == "race" else 0.9999)
        assert gaps.max() < (6e-5 if kind == "race" else 1e-5)
