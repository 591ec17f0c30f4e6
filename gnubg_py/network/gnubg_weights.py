"""gnubg's own nets, read from the weights file of an installed gnubg, and their forward pass.

gnubg ships its nets as ``gnubg.wd`` (binary) or ``gnubg.weights`` (text): contact, race, crashed,
then three small ones for pruning, which are not needed here. A net has one hidden layer and five
outputs, and all its units are logistic. No file of gnubg's comes with this program.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import Boards, for_kernels
from gnubg_py.errors import WeightsError
from gnubg_py.files import read_bytes
from gnubg_py.kernel_cache import njit
from gnubg_py.network.gnubg_inputs import CONTACT_INPUTS, NET_KINDS, RACE_INPUTS, fill_inputs
from gnubg_py.network.gnubg_reciprocal import reciprocals
from gnubg_py.threads import map_slices

LARGEST_FILE = 1 << 26
BINARY_START = np.array([472.3782, 1.0], "<f4").tobytes()
"""A magic number, and the version of the format."""
TEXT_START = b"GNU Backgammon "
_OUTPUTS = 5
_MOST_HIDDEN = 4096
_SLICE = 512
_STEPS = 10
_LAST = 10 * _STEPS - 1
_POWERS = (np.exp(np.arange(10 * _STEPS) / _STEPS) / _STEPS).astype(np.float32)
"""A tenth of e^x at every tenth from 0 to 9.9."""
_LANES = 4


@dataclass(frozen=True)
class GnubgNet:
    """One net of gnubg's, as an evaluator of every position (it is meant for those of ``kind``).

    ``matrices`` are float32[inputs, hidden] and float32[5, hidden], ``biases`` float32[hidden] and
    float32[5]; a unit is logistic in ``betas`` times its sum.
    """

    kind: str
    matrices: tuple[NDArray[np.float32], NDArray[np.float32]]
    biases: tuple[NDArray[np.float32], NDArray[np.float32]]
    betas: tuple[float, float]
    checksum: str

    @property
    def name(self) -> str:
        """The name, for users."""
        return f"gnubg's {self.kind} net"

    @property
    def identity(self) -> Hashable:
        """The kind and the checksum of the file it was read from."""
        return "gnubg", self.kind, self.checksum

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        boards = for_kernels(boards)
        out = np.empty((len(boards), _OUTPUTS), np.float32)
        net = (*self.matrices, *self.biases, *map(np.float32, self.betas))

        def work(rows: slice) -> None:
            _evaluate(NET_KINDS.index(self.kind), boards[rows], net, out[rows])

        map_slices(work, len(boards), _SLICE)
        return out


def load_gnubg_nets(path: Path) -> dict[str, GnubgNet]:
    """The contact, race and crashed nets of a weights file, by kind."""
    data = read_bytes(path, LARGEST_FILE)
    if data.startswith(BINARY_START):
        whole = len(data) // 4 - 2
        numbers = np.frombuffer(data, "<f4", whole, len(BINARY_START))
        heads: NDArray[Any] = numbers.view("<i4")
    elif data.startswith(TEXT_START):
        numbers = _text_numbers(path, data)
        heads = numbers
    else:
        raise WeightsError(f"{path}: not a weights file of gnubg (gnubg.wd or gnubg.weights)")
    checksum = hashlib.sha256(data).hexdigest()[:16]
    nets, start = {}, 0
    for kind in NET_KINDS:
        nets[kind], start = _net(path, kind, numbers, heads, start, checksum)
    return nets


def _text_numbers(path: Path, data: bytes) -> NDArray[np.float32]:
    """All numbers after the first line, as ``GNU Backgammon 1.00``."""
    try:
        return np.array(data.split()[3:], np.float64).astype(np.float32)
    except ValueError as error:
        raise WeightsError(f"{path}: holds something that is no number ({error})") from error


def _net(
    path: Path,
    kind: str,
    numbers: NDArray[np.float32],
    heads: NDArray[Any],
    start: int,
    checksum: str,
) -> tuple[GnubgNet, int]:
    """The net that begins at number ``start``, and where the next one begins."""
    if len(numbers) < start + 6:
        raise WeightsError(f"{path}: ends before its {kind} net")
    inputs, hidden, outputs = (int(n) for n in heads[start : start + 3])
    expected = RACE_INPUTS if kind == "race" else CONTACT_INPUTS
    if inputs != expected or outputs != _OUTPUTS or hidden not in range(1, _MOST_HIDDEN + 1):
        raise WeightsError(
            f"{path}: its {kind} net is {inputs}-{hidden}-{outputs},"
            f" expected {expected} inputs, 1 to {_MOST_HIDDEN} hidden units, {_OUTPUTS} outputs"
        )
    betas = float(numbers[start + 4]), float(numbers[start + 5])
    shapes = ((expected, hidden), (_OUTPUTS, hidden), (hidden,), (_OUTPUTS,))
    arrays = []
    start += 6
    for shape in shapes:
        size = int(np.prod(shape))
        part = numbers[start : start + size]
        if len(part) < size or not np.isfinite(part).all():
            raise WeightsError(f"{path}: its {kind} net is cut short or damaged")
        arrays.append(np.ascontiguousarray(part.reshape(shape), np.float32))
        start += size
    first, second, hidden_bias, output_bias = arrays
    net = GnubgNet(kind, (first, second), (hidden_bias, output_bias), betas, checksum)
    return net, start


@njit(cache=True, nogil=True)
def _denominator(x: Any) -> Any:  # pragma: no cover - compiled
    """1 + e^|x| as gnubg computes it: by the tangent at the tenth below; from 10 on e^9.9."""
    tenths = abs(x) * np.float32(_STEPS)
    if not tenths < 10 * _STEPS:  # or not a number, with absurd weights
        tenths = np.float32(_LAST)
    low = int(tenths)
    tangent = np.float32(_STEPS - low) + tenths
    return np.float32(1) + _POWERS[low] * tangent


@njit(cache=True, nogil=True)
def _logistic(sums: Any, beta: Any, small: Any) -> None:  # pragma: no cover - compiled
    """Replace ``sums`` of hidden units by 1 / (1 + e^-x), x = beta times each.

    gnubg divides here by the processor's short reciprocal. ``small`` is scratch of the same size.
    """
    for j in range(len(sums)):
        small[j] = _denominator(beta * sums[j])
    reciprocals(small)
    for j in range(len(sums)):
        sums[j] = small[j] if beta * sums[j] < 0 else np.float32(1) - small[j]


@njit(cache=True, nogil=True)
def _output(units: Any, weights: Any, bias: Any, beta: Any) -> Any:  # pragma: no cover - compiled
    """One output: the products are added up in four lanes, and the division is exact."""
    lanes = np.zeros(_LANES, np.float32)
    for j in range(len(units)):
        lanes[j % _LANES] += units[j] * weights[j]
    total = beta * ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + bias)
    small = np.float32(1) / _denominator(total)
    return small if total < 0 else np.float32(1) - small


@njit(cache=True, nogil=True)
def _evaluate(kind: int, boards: Any, net: Any, out: Any) -> None:  # pragma: no cover - compiled
    first, second, hidden_bias, output_bias, hidden_beta, output_beta = net
    x = np.empty(first.shape[0], np.float32)
    units = np.empty(first.shape[1], np.float32)
    small = np.empty_like(units)
    for n in range(boards.shape[0]):
        fill_inputs(kind, boards[n], x)
        units[:] = hidden_bias
        for i in range(len(x)):
            if x[i] != 0:
                for j in range(len(units)):
                    units[j] += x[i] * first[i, j]
        _logistic(units, hidden_beta, small)
        for k in range(_OUTPUTS):
            out[n, k] = _output(units, second[k], output_bias[k], output_beta)
