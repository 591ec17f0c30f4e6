"""Vector registers inside numba kernels, by LLVM's vector language: what the inner loops share.

LLVM's vectors are portable: it splits those wider than the machine's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

WIDE = bool(llvmlite.binding.get_host_cpu_features().get("avx512f"))
LANES = 16 if WIDE else 8
"""Numbers of 32 bits in a vector register."""
VECTORS = 4 if WIDE else 2
COLUMNS = LANES * VECTORS
"""Numbers worked on at once: as many vectors as leave registers for the rest."""

FLOAT = ir.FloatType()
INT = ir.IntType(64)
FLOATS = ir.VectorType(FLOAT, LANES)
WHOLES = ir.VectorType(ir.IntType(32), LANES)


_Arrays = TypeVar("_Arrays", bound=tuple[Any, ...])
_LINE = 64


def aligned(array: NDArray[Any]) -> NDArray[Any]:
    """A copy that begins with a cache line, so that vectors of a whole line are loaded at once."""
    room = np.empty(array.nbytes + _LINE, np.uint8)
    begin = -room.ctypes.data % _LINE
    copy = room[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def all_aligned(arrays: _Arrays) -> _Arrays:
    """The same named tuple with its arrays, and its tuples of arrays, aligned."""

    def of(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return aligned(value)
        many = isinstance(value, tuple) and all(isinstance(part, np.ndarray) for part in value)
        return tuple(map(aligned, value)) if many and value else value

    return type(arrays)(*map(of, arrays))


def constant(number: int) -> Any:
    """An int64."""
    return ir.Constant(INT, number)


def splat(builder: Any, value: Any, kind: Any = FLOATS) -> Any:
    """A vector with ``value`` in every lane."""
    word, nothing = ir.IntType(32), ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(word, 0))
    lanes = ir.Constant(ir.VectorType(word, kind.count), [0] * kind.count)
    return builder.shuffle_vector(first, nothing, lanes)


def _address(builder: Any, base: Any, index: Any, kind: Any) -> Any:
    pointer = builder.gep(base, [index], source_etype=kind.element)
    return builder.bitcast(pointer, kind.as_pointer())


def load_vector(builder: Any, base: Any, index: Any, kind: Any = FLOATS) -> Any:
    """The vector that begins at number ``index`` of an array's data."""
    value = builder.load(_address(builder, base, index, kind), typ=kind)
    value.align = _bytes_of(kind.element)
    return value


def store(builder: Any, value: Any, base: Any, index: Any) -> None:
    """Write a vector where ``load_vector`` would read it."""
    address = _address(builder, base, index, value.type)
    builder.store(value, address).align = _bytes_of(value.type.element)


def _bytes_of(kind: Any) -> int:
    """The size of a number of this type."""
    return 4 if kind == FLOAT else int(kind.width) // 8


def store_tile(
    builder: Any, values: list[Any], base: Any, begins: list[Any], offsets: list[Any]
) -> None:
    """Write the vectors of ``tile_sums``: row r's from ``begins[r]`` on, at the ``offsets``."""
    places = [builder.add(begin, offset) for begin in begins for offset in offsets]
    for value, place in zip(values, places, strict=True):
        store(builder, value, base, place)


def bent(builder: Any, value: Any, slopes: Any, ceilings: Any) -> Any:
    """The greater of ``value`` and ``value * slopes``, at most ``ceilings``, lane by lane."""
    scaled = builder.fmul(value, slopes)
    value = builder.select(builder.fcmp_ordered(">", value, scaled), value, scaled)
    return builder.select(builder.fcmp_ordered("<", value, ceilings), value, ceilings)


def splat_bend(builder: Any, bend: Any) -> list[Any]:
    """The vectors of slopes and ceilings that ``bent`` takes, of a pair of float32."""
    return [splat(builder, builder.extract_value(bend, k)) for k in range(2)]


def counted_loop(builder: Any, count: Any, starts: list[Any], step: Any) -> list[Any]:
    """The loop ``for k in range(count)``, which may be empty: the values after it.

    ``step(k, values)`` gives the next values, beginning with ``starts``.
    """
    before = builder.block
    loop, after = builder.append_basic_block("loop"), builder.append_basic_block("after")
    builder.cbranch(builder.icmp_signed("<", constant(0), count), loop, after)
    builder.position_at_end(loop)
    k = builder.phi(INT)
    k.add_incoming(constant(0), before)
    values = []
    for start in starts:
        value = builder.phi(start.type)
        value.add_incoming(start, before)
        values.append(value)
    new = step(k, values)
    following = builder.add(k, constant(1))
    end = builder.block
    k.add_incoming(following, end)
    for value, now in zip(values, new, strict=True):
        value.add_incoming(now, end)
    builder.cbranch(builder.icmp_signed("<", following, count), loop, after)
    builder.position_at_end(after)
    found = []
    for start, now in zip(starts, new, strict=True):
        value = builder.phi(start.type)
        value.add_incoming(start, before)
        value.add_incoming(now, end)
        found.append(value)
    return found


def tile_sums(
    builder: Any,
    count: Any,
    starts: list[Any],
    rows: int,
    weights_at: Callable[[Any], list[Any]],
    inputs_at: Callable[[int, Any], Any],
    multiply_add: Callable[[Any, Any, Any], Any],
) -> list[Any]:
    """The sums of a tile of a matrix product, ``count`` steps long: those of row 0, then row 1 ...

    ``starts`` are the vectors that each row's sums begin with. In step k the inputs of row r,
    ``inputs_at(r, k)`` in every lane, are multiplied with each vector of ``weights_at(k)``;
    ``multiply_add(inputs, weights, sums)`` gives the new sums.
    """

    def step(k: Any, sums: list[Any]) -> list[Any]:
        weights, before, new = weights_at(k), iter(sums), []
        for r in range(rows):
            inputs = inputs_at(r, k)
            new += [multiply_add(inputs, weight, next(before)) for weight in weights]
        return new

    return counted_loop(builder, count, starts * rows, step)
