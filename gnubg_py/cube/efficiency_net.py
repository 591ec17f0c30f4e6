"""The efficiency of the cube in a contact position, as a small net learned it.

What a cube is worth depends on how much the next rolls can change the position, and this differs
widely between positions of the same winning chance. The net sees the board, and what the evaluator
says of it: the *facts*, the roots of the chances of the six outcomes, and the place between the
take point (0) and the cash point (1), cut to -1 to 2. It answers with the efficiency of a centred
cube, of one's own and of the other side's. ``gnubg_py.training.cube_net`` fits it to 2-ply values.

Every number depends on its position alone, and is summed in one order: all machines agree.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards, for_kernels
from gnubg_py.cube.kernels import money_place, wins_and_losses
from gnubg_py.errors import WeightsError
from gnubg_py.kernel_cache import njit
from gnubg_py.network.table import SCRATCH_ROWS, board_rows, fold_first_layer
from gnubg_py.network.weights import CUBE_FACTS, CUBE_OWNERS, Weights, load_weights
from gnubg_py.paths import nets_dir
from gnubg_py.probabilities import Floats


class EfficiencyNet(NamedTuple):
    """A cube net of two hidden layers, unpacked: matrices float32[in, out], and biases.

    ``table`` float32[832, out] has the rows that the places of a board add (``network/table.py``).
    """

    table: NDArray[np.float32]
    facts: NDArray[np.float32]
    first: NDArray[np.float32]
    matrix: NDArray[np.float32]
    second: NDArray[np.float32]
    last: NDArray[np.float32]
    answers: NDArray[np.float32]
    slope: np.float32


def efficiency_net(weights: Weights) -> EfficiencyNet:
    """Unpack a cube net; ``WeightsError`` if the weights are not one of two hidden layers."""
    shape = weights.architecture
    if shape.position_class != "cube" or len(shape.hidden) != 2 or shape.activation != "leaky":
        raise WeightsError(
            f"a {shape.position_class} net of hidden widths {shape.hidden}: expected a cube net"
            " with two hidden layers of leaky units"
        )
    (matrix, bias), second, last = weights.layers
    of_board = replace(weights, layers=((matrix[:, :-CUBE_FACTS], bias),))
    table, start = fold_first_layer(of_board)
    return EfficiencyNet(
        table.astype(np.float32),
        np.ascontiguousarray(matrix[:, -CUBE_FACTS:].T),
        start.astype(np.float32),
        np.ascontiguousarray(second[0].T),
        second[1],
        np.ascontiguousarray(last[0].T),
        last[1],
        np.float32(shape.slope),
    )


@cache
def shipped_net() -> EfficiencyNet:
    """The net that is shipped."""
    return efficiency_net(load_weights(nets_dir() / "cube.safetensors"))


def position_efficiency(
    boards: Boards, five: Floats, net: EfficiencyNet | None = None
) -> NDArray[np.float64]:
    """The efficiencies of positions by their five probabilities, 0 to 1: float64[n, 3]."""
    out = np.empty((len(boards), CUBE_OWNERS))
    five = np.ascontiguousarray(five, np.float32)
    _fill_efficiency(for_kernels(boards), five, net or shipped_net(), out)
    return out


def facts_of(five: Floats) -> NDArray[np.float32]:
    """What the net sees of positions beside the board, float32[n, CUBE_FACTS].

    >>> facts_of(np.array([[0.5, 0.25, 0, 0, 0]])).round(3).tolist()[0]
    [0.5, 0.5, 0.0, 0.7070000171661377, 0.0, 0.0, 0.6669999957084656]
    """
    out = np.empty((len(five), CUBE_FACTS), np.float32)
    _fill_all_facts(np.ascontiguousarray(five, np.float32), out)
    return out


@njit(cache=True, nogil=True)
def _fill_all_facts(five, out):  # type: ignore[no-untyped-def]
    for i in range(len(five)):
        _fill_facts(five, i, out[i])


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_facts(five, i, out):  # type: ignore[no-untyped-def]
    w, wg, wbg, lg, lbg = five[i, 0], five[i, 1], five[i, 2], five[i, 3], five[i, 4]
    outcomes = w - wg, wg - wbg, wbg, np.float32(1) - w - lg, lg - lbg, lbg
    for k in range(6):
        out[k] = np.sqrt(max(outcomes[k], np.float32(0)))
    win, loss = wins_and_losses(w, wg, wbg, lg, lbg)
    out[6] = min(max(money_place(w, win, loss), -1.0), 2.0)


@njit(cache=True, nogil=True)
def _fill_efficiency(boards, five, net, out):  # type: ignore[no-untyped-def]
    rows, facts = np.empty(SCRATCH_ROWS, np.int64), np.empty(CUBE_FACTS, np.float32)
    first, second = np.empty_like(net.first), np.empty_like(net.second)
    answers = np.empty_like(net.answers)
    for i in range(len(boards)):
        first[:] = net.first
        n = board_rows(boards, i, rows)
        for r in range(n):
            for k in range(len(first)):
                first[k] += net.table[rows[r], k]
        _fill_facts(five, i, facts)
        _add_products(facts, net.facts, first)
        _bend(first, net.slope)
        second[:] = net.second
        _add_products(first, net.matrix, second)
        _bend(second, net.slope)
        answers[:] = net.answers
        _add_products(second, net.last, answers)
        for k in range(len(answers)):
            out[i, k] = min(max(answers[k], np.float32(0)), np.float32(1))


@njit(cache=True, nogil=True)
def _add_products(values, matrix, out):  # type: ignore[no-untyped-def]
    """Add ``values`` float32[in] times ``matrix`` float32[in, out], input by input."""
    for j in range(len(values)):
        for k in range(len(out)):
            out[k] += values[j] * matrix[j, k]


@njit(cache=True, nogil=True)
def _bend(x, slope):  # type: ignore[no-untyped-def]
    for k in range(len(x)):
        x[k] = max(x[k], slope * x[k])
