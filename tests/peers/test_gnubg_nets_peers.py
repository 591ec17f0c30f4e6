"""gnubg's nets in this program against gnubg itself, position by position.

The last bits of gnubg's numbers come from the processor: its hidden units divide by ``rcpps``, an
instruction whose answer is within 4e-4 and differs from maker to maker. This program divides. With
the same instruction in the twin below the two agree within 2e-5 almost everywhere, which leaves no
room for an input that differs.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from gnubg_py.board import Boards
from gnubg_py.compare.duel import self_play
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.gnubg_nets import installed_weights
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.network.gnubg_inputs import gnubg_inputs
from gnubg_py.network.gnubg_weights import load_gnubg_nets
from gnubg_py.plays import plays

from .peers import emitted
from .test_cube_peers import _PRELUDE
from .test_search_peers import _STATIC

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
    for start in found[:150]:
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
    assert rows.sum() > 100
    gaps = np.abs(evaluator_named("gnubg")(boards[rows]) - theirs[rows])
    print(f"{kind}: {rows.sum()}, median {np.median(gaps, axis=0)}, worst {gaps.max(axis=0)}")
    assert np.median(gaps) < 2e-5
    assert np.quantile(gaps, 0.99) < 2e-4
    assert gaps[:, [0, 1, 3]].max() < 3e-3  # where a unit falls on the other side of a tenth


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="rcpps is of x86")
@pytest.mark.parametrize("kind", ["contact", "crashed"])
def test_with_the_processors_reciprocal_they_agree(kind: str, boards: Boards, theirs: Any) -> None:
    rows = classify(boards) == KINDS[kind]
    wins = twin(kind, boards[rows])[:, 0]
    gaps = np.abs(wins - theirs[rows, 0])
    print(f"{kind}: {(gaps < 1e-5).mean():.1%} of {rows.sum()} within 1e-5, worst {gaps.max()}")
    assert (gaps < 1e-5).mean() > 0.99


def twin(kind: str, boards: Boards) -> NDArray[np.float32]:
    """The net in numpy, its hidden units by ``rcpps``."""
    net = load_gnubg_nets(installed_weights())[kind]
    sums = np.zeros((len(boards), len(net.biases[0])), np.float32) + net.biases[0]
    x = gnubg_inputs(kind, boards)
    for i in range(x.shape[1]):
        sums += x[:, i : i + 1] * net.matrices[0][i]
    hidden = logistic(np.float32(net.betas[0]) * sums, reciprocals)
    total = hidden @ net.matrices[1].T + net.biases[1]
    return logistic(total.astype(np.float32), lambda x: 1 / x)


def logistic(x: NDArray[np.float32], invert: Callable[[Any], Any]) -> NDArray[np.float32]:
    tenths = np.abs(x) * np.float32(10)
    low = np.minimum(tenths.astype(np.int64), 99)
    beyond = np.where(tenths < 100, tenths - low, 0) / 10
    power = np.exp(low / 10).astype(np.float32) * (1 + beyond).astype(np.float32)
    small = invert((1 + power).astype(np.float32))
    return np.asarray(np.where(x < 0, small, 1 - small))


@intrinsic
def rcpps(typing_context: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        four = ir.VectorType(ir.FloatType(), 4)
        function = builder.module.declare_intrinsic(
            "llvm.x86.sse.rcp.ps", (), ir.FunctionType(four, [four])
        )
        vector = ir.Constant(four, ir.Undefined)
        for lane in range(4):
            index = ir.Constant(ir.IntType(32), lane)
            vector = builder.insert_element(vector, args[0], index)
        return builder.extract_element(
            builder.call(function, [vector]), ir.Constant(ir.IntType(32), 0)
        )

    return types.float32(types.float32), generate


@njit
def _fill_reciprocals(x: Any, out: Any) -> None:
    for i in range(len(x)):
        out[i] = rcpps(x[i])


def reciprocals(x: NDArray[np.float32]) -> NDArray[np.float32]:
    out = np.empty(x.size, np.float32)
    _fill_reciprocals(x.ravel(), out)
    return out.reshape(x.shape)
