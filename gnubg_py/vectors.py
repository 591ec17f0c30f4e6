"""Vector registers inside numba kernels, by LLVM's vector language: what the inner loops share.

LLVM's vectors are portable: it splits those wider than the machine's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def write_tile(
    builder: Any,
    kind: Any,
    shape: tuple[int, int],
    arrays: Sequence[Any],
    where: Sequence[Any],
    multiply_add: Callable[[Any, Any, Any], Any],
    finish: Callable[[list[Any]], list[Any]] = list,
) -> None:
    """Write a tile of a matrix product: ``finish`` of its sums, which are vectors of ``kind``.

    ``shape``: rows, and vectors in a row. ``arrays``: x, panels, bias, out; ``where``: row, panel,
    place. The tile is that of x's rows from ``row`` on @ panels[panel] + bias, and goes to the same
    rows of out, from column ``place`` panels on. A lane holds one number or several of x and the
    panels, and ``multiply_add(inputs, weights, sums)`` gives the new sums.
    """
    (rows, vectors), (x, panels, bias, out), (row, panel, place) = shape, arrays, where
    element, columns = kind.element, constant(vectors * kind.count)
    offsets = [constant(v * kind.count) for v in range(vectors)]
    x_data, weights = (builder.bitcast(a.data, element.as_pointer()) for a in (x, panels))
    in_lane = constant(_bytes_of(element) // _bytes_of(x.data.type.pointee))
    x_stride = builder.sdiv(builder.extract_value(x.shape, 1), in_lane)
    steps, out_stride = (builder.extract_value(a.shape, 1) for a in (panels, out))
    first_column = builder.mul(panel, columns)
    first_weight = builder.mul(first_column, steps)
    at = [builder.add(row, constant(r)) for r in range(rows)]
    x_at = [builder.mul(r, x_stride) for r in at]

    def step(k: Any, before: list[Any]) -> list[Any]:
        start, old, new = builder.add(first_weight, builder.mul(k, columns)), iter(before), []
        of_step = [load_vector(builder, weights, builder.add(start, o), kind) for o in offsets]
        for begin in x_at:
            here = builder.gep(x_data, [builder.add(begin, k)], source_etype=element)
            number = builder.load(here, typ=element)
            number.align = _bytes_of(element)
            inputs = splat(builder, number, kind)
            new += [multiply_add(inputs, weight, next(old)) for weight in of_step]
        return new

    starts = [load_vector(builder, bias.data, builder.add(first_column, o), kind) for o in offsets]
    found = iter(finish(counted_loop(builder, steps, starts * rows, step)))
    first_place = builder.mul(place, columns)
    for begin in [builder.add(builder.mul(r, out_stride), first_place) for r in at]:
        for offset in offsets:
            store(builder, next(found), out.data, builder.add(begin, offset))
