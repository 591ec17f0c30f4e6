"""Encodings: the inputs that a network gets for a board.

An encoding gives each *place* of the board (24 points, the bar and the checkers borne off, for
each side: 52 places) a few inputs that depend on nothing but the count of checkers there. That is
what lets the first layer fold into a table: one row per (place, count), added up.

Encodings are registered by name, and a weights file names the one it was trained with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import CHECKERS, Boards, for_kernels
from gnubg_py.kernel_cache import njit

PLACES = 52
"""Side on roll: its points 1 to 24, bar, off; then the same of the other side."""
COUNTS = CHECKERS + 1
_PER_SIDE = 26


@dataclass(frozen=True)
class Encoding:
    """Inputs per count of checkers, for a point, the bar and off; columns in order of places.

    ``point`` float32[16, u], ``bar`` float32[16, v], ``off`` float32[16, w]: row c holds the
    inputs for c checkers. ``constants`` float32[k] are inputs that never change, at the end.
    """

    name: str
    about: str
    point: NDArray[np.float32]
    bar: NDArray[np.float32]
    off: NDArray[np.float32]
    constants: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))

    @property
    def inputs(self) -> int:
        """How many inputs a network of this encoding has."""
        per_side = 24 * self.point.shape[1] + self.bar.shape[1] + self.off.shape[1]
        return int(2 * per_side + len(self.constants))


def _more_than_three(counts: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(np.maximum(counts - 3, 0) / 2, np.float32)


def _at_least(*units: int) -> NDArray[np.float32]:
    counts = np.arange(COUNTS, dtype=np.float32)
    columns = [(counts >= u).astype(np.float32) for u in units]
    return np.stack([*columns, _more_than_three(counts)], axis=1)


def _share(of: float) -> NDArray[np.float32]:
    return np.asarray(np.arange(COUNTS)[:, None] / of, np.float32)


def _tesauro_point() -> NDArray[np.float32]:
    counts = np.arange(COUNTS, dtype=np.float32)
    units = [(counts == 1), (counts == 2), (counts == 3)]
    return np.stack([*(u.astype(np.float32) for u in units), _more_than_three(counts)], axis=1)


def _off() -> NDArray[np.float32]:
    """None off matters most (a gammon threatens); then the count, and its square."""
    share = _share(CHECKERS)
    return np.concatenate([(share > 0).astype(np.float32), share, share**2], axis=1)


ENCODINGS: dict[str, Encoding] = {}


def register_encoding(encoding: Encoding) -> Encoding:
    """Make an encoding known by its name, for weights files that ask for it."""
    for name in ("point", "bar", "off"):
        shape = getattr(encoding, name).shape
        if len(shape) != 2 or shape[0] != COUNTS:
            raise ValueError(f"encoding {encoding.name}: {name} should be [16, units], not {shape}")
    ENCODINGS[encoding.name] = encoding
    return encoding


THERMOMETER = register_encoding(
    Encoding(
        "thermometer",
        "each point and bar: at least 1, 2, 3 checkers, and half of those beyond; off: any, share",
        _at_least(1, 2, 3),
        _at_least(1, 2, 3),
        _off(),
    )
)
TESAURO = register_encoding(
    Encoding(
        "tesauro196",
        "Tesauro 1995: each point exactly 1, 2, 3, half of those beyond; bar / 2; off / 15",
        _tesauro_point(),
        _share(2),
        _share(CHECKERS),
    )
)
register_encoding(
    Encoding(
        "tesauro198",
        "tesauro196 and two inputs for the side to move, always 1 and 0 here",
        _tesauro_point(),
        _share(2),
        _share(CHECKERS),
        np.array([1, 0], np.float32),
    )
)


@dataclass(frozen=True)
class ComputedEncoding:
    """Inputs that are computed from the whole board, ``int8[n, 2, 25] -> float32[n, inputs]``."""

    name: str
    about: str
    inputs: int
    function: Callable[[Boards], NDArray[np.float32]]


COMPUTED: dict[str, ComputedEncoding] = {}
"""Encodings for nets that the fast pass does not evaluate: imported ones, torch's, ONNX's."""


def register_computed(encoding: ComputedEncoding) -> ComputedEncoding:
    """Make a computed encoding known by its name."""
    if encoding.name in ENCODINGS:
        raise ValueError(f"encoding {encoding.name!r} is one of the program's by places")
    COMPUTED[encoding.name] = encoding
    return encoding


def _gnubg(kind: str) -> Callable[[Boards], NDArray[np.float32]]:
    def inputs(boards: Boards) -> NDArray[np.float32]:
        from gnubg_py.network.gnubg_inputs import gnubg_inputs  # start-up does without it

        return gnubg_inputs(kind, boards)

    return inputs


for _kind, _inputs in (("contact", 250), ("crashed", 250), ("race", 214)):
    register_computed(
        ComputedEncoding(
            f"gnubg-{_kind}", f"the {_inputs} inputs of gnubg's {_kind} net", _inputs, _gnubg(_kind)
        )
    )


def any_encoding(name: str) -> Encoding | ComputedEncoding:
    """The encoding of that name of either kind; ``ValueError`` naming those there are."""
    return COMPUTED[name] if name in COMPUTED else encoding_named(name)


def encode_named(boards: Boards, name: str) -> NDArray[np.float32]:
    """The inputs of every board by an encoding of either kind, ``float32[n, inputs]``."""
    encoding = any_encoding(name)
    if isinstance(encoding, ComputedEncoding):
        return encoding.function(boards)
    return encode(boards, encoding)


def encoding_named(name: str) -> Encoding:
    """The encoding by places of that name; ``ValueError`` naming those there are."""
    if name in COMPUTED:
        known = ", ".join(sorted(ENCODINGS))
        raise ValueError(f"encoding {name!r} is of the whole board; by places are {known}")
    if name not in ENCODINGS:
        known = ", ".join(sorted([*ENCODINGS, *COMPUTED]))
        raise ValueError(f"encoding {name!r} is not known: {known} are")
    return ENCODINGS[name]


def place_columns(encoding: Encoding) -> NDArray[np.int64]:
    """The first input column of each place, ``int64[53]``; constants follow the last."""
    per_place = [encoding.point.shape[1]] * 24 + [encoding.bar.shape[1], encoding.off.shape[1]]
    return np.cumsum([0] + per_place * 2)


def place_units(encoding: Encoding, place: int) -> NDArray[np.float32]:
    """The inputs of a place for each count, ``float32[16, u]``."""
    kind = place % _PER_SIDE
    return encoding.point if kind < 24 else encoding.bar if kind == 24 else encoding.off


def unit_tables(encoding: Encoding) -> NDArray[np.float32]:
    """The inputs for each count on a point, on the bar and off, float32[3, 16, most]."""
    tables = encoding.point, encoding.bar, encoding.off
    units = np.zeros((3, COUNTS, max(table.shape[1] for table in tables)), np.float32)
    for kind, table in enumerate(tables):
        units[kind, :, : table.shape[1]] = table
    return units


def encode(boards: Boards, encoding: Encoding = THERMOMETER) -> NDArray[np.float32]:
    """The inputs of every board, ``int8[n, 2, 25] -> float32[n, inputs]``.

    >>> from gnubg_py.board import START
    >>> encode(START[None]).shape
    (1, 206)
    """
    out = np.empty((len(boards), encoding.inputs), np.float32)
    out[:, encoding.inputs - len(encoding.constants) :] = encoding.constants
    copy_inputs(for_kernels(boards), unit_tables(encoding), place_columns(encoding), out)
    return out


@njit(cache=True, nogil=True)
def copy_inputs(boards, units, columns, out):  # type: ignore[no-untyped-def]
    """Write the inputs of boards, but for the constants, by ``unit_tables`` and ``place_columns``.

    Numbers of any type are copied as they are.
    """
    for i in range(boards.shape[0]):
        for side in range(2):
            off = 15
            first = columns[side * 26]
            width = columns[1] - columns[0]
            for p in range(24):
                count = boards[i, side, p]
                off -= count
                if width == 4:  # at once
                    out[i, first] = units[0, count, 0]
                    out[i, first + 1] = units[0, count, 1]
                    out[i, first + 2] = units[0, count, 2]
                    out[i, first + 3] = units[0, count, 3]
                else:
                    for u in range(width):
                        out[i, first + u] = units[0, count, u]
                first += width
            bar = boards[i, side, 24]
            for kind in range(1, 3):
                count = bar if kind == 1 else off - bar
                place = side * 26 + 23 + kind
                for u in range(columns[place + 1] - columns[place]):
                    out[i, columns[place] + u] = units[kind, count, u]
