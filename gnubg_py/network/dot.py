"""Products of whole numbers inside numba kernels: the instructions that each processor has.

A *word* is 32 bits of inputs: four bytes (unsigned; their weights are signed) or two numbers of 16
bits. A path is a way to multiply a word of inputs with words of weights and add up the products
in 32 bits. The sums are exact, so that every path gives the same bits.
"""

from __future__ import annotations

import os
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from gnubg_py.kernel_cache import njit
from gnubg_py.vectors import constant, write_tile

PATH_VARIABLE = "GNUBG_PY_PATH"
"""The environment variable that names the path to take."""

# A path is a type in kernels, so that each is compiled where it is taken, and only there.
Vnni512 = namedtuple("Vnni512", "number")
Vnni256 = namedtuple("Vnni256", "number")
Avx2 = namedtuple("Avx2", "number")
Plain = namedtuple("Plain", "number")

_WORD = ir.IntType(32)
Multiply = Callable[[Any, bool, Any, Any, Any], Any]
"""(builder, whether words are bytes, sums, inputs, weights) -> sums and products, as vectors."""


def _by_instruction(bits: int) -> Multiply:
    """One instruction multiplies words and adds: AVX-512 VNNI, AVX-VNNI."""

    def multiply(builder: Any, are_bytes: bool, sums: Any, inputs: Any, weights: Any) -> Any:
        name = f"llvm.x86.avx512.{'vpdpbusd' if are_bytes else 'vpdpwssd'}.{bits}"
        kind = ir.FunctionType(sums.type, [sums.type] * 3)
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(function, [sums, inputs, weights])

    return multiply


def _by_pairs(builder: Any, are_bytes: bool, sums: Any, inputs: Any, weights: Any) -> Any:
    """Pairs of 16 bits are multiplied and added by one instruction: AVX2.

    Bytes are widened first: those of even places, then those of odd ones.
    """
    lanes = sums.type.count
    halves = ir.VectorType(ir.IntType(16), 2 * lanes)
    kind = ir.FunctionType(sums.type, [halves, halves])
    pair = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.avx2.pmadd.wd")
    a, w = builder.bitcast(inputs, halves), builder.bitcast(weights, halves)
    if not are_bytes:
        return builder.add(sums, builder.call(pair, [a, w]))
    eight = ir.Constant(halves, [8] * 2 * lanes)
    low = ir.Constant(halves, [255] * 2 * lanes)
    even = builder.call(pair, [builder.and_(a, low), builder.ashr(builder.shl(w, eight), eight)])
    odd = builder.call(pair, [builder.lshr(a, eight), builder.ashr(w, eight)])
    return builder.add(sums, builder.add(even, odd))


def _by_parts(builder: Any, are_bytes: bool, sums: Any, inputs: Any, weights: Any) -> Any:
    """Every part of a word by itself, on any processor."""
    kind, bits = sums.type, 8 if are_bytes else 16
    right = builder.lshr if are_bytes else builder.ashr
    rest = ir.Constant(kind, [32 - bits] * kind.count)
    for begin in range(0, 32, bits):
        left = ir.Constant(kind, [32 - bits - begin] * kind.count)
        a = right(builder.shl(inputs, left), rest)
        w = builder.ashr(builder.shl(weights, left), rest)
        sums = builder.add(sums, builder.mul(a, w))
    return sums


@dataclass(frozen=True)
class Path:
    """A way to multiply: its vectors, the sums of its widest tile, what it needs."""

    kind: Any
    lanes: int
    vectors: int
    rows: int
    multiply: Multiply
    features: tuple[frozenset[str], ...] = (frozenset(),)
    """Sets of processor features; a processor needs all of one set."""

    def tile(self, half: int, is_short: bool = False) -> tuple[int, int]:
        """Vectors and rows of the tile whose vectors are halved ``half`` times.

        One vector needs more rows: a sum is not ready when the next row would use it again. A short
        tile has half of the rows.
        """
        vectors = max(1, self.vectors >> half)
        rows = self.rows * (2 if vectors == 1 else 1)
        return vectors, rows // 2 if is_short else rows

    def columns(self, outputs: int) -> int:
        """Outputs of the tile for a layer: the narrowest that has room, or the widest."""
        vectors = self.vectors
        while vectors > 1 and outputs <= vectors // 2 * self.lanes:
            vectors //= 2
        return vectors * self.lanes


_VNNI_512 = frozenset({"avx512f", "avx512bw", "avx512vnni"})
_VNNI_256 = frozenset({"avx512vl", "avx512vnni"}), frozenset({"avx2", "avxvnni"})
PATHS = {
    "vnni512": Path(Vnni512, 16, 4, 6, _by_instruction(512), (_VNNI_512,)),
    "vnni256": Path(Vnni256, 8, 2, 6, _by_instruction(256), _VNNI_256),
    "avx2": Path(Avx2, 8, 2, 4, _by_pairs, (frozenset({"avx2"}),)),
    "plain": Path(Plain, 4, 2, 6, _by_parts),
}
"""All paths, the fastest first."""
BLOCK = 72
"""Positions worked on at once."""
TILE_ROWS = max(path.tile(half)[1] for path in PATHS.values() for half in range(3))
"""Positions of the tallest tile: a tile begins at any position, and works on so many."""


def possible_paths() -> list[str]:
    """The paths that this machine can take, the fastest first."""
    host = llvmlite.binding.get_host_cpu_name()
    if numba.config.CPU_NAME not in (None, host):  # numba was told to compile for another one
        return ["plain"]
    have = {name for name, here in llvmlite.binding.get_host_cpu_features().items() if here}
    return [name for name, path in PATHS.items() if any(f <= have for f in path.features)]


def chosen_path() -> str:
    """The path of ``GNUBG_PY_PATH``, else the fastest; ``ValueError`` where it cannot be taken."""
    possible = possible_paths()
    name = os.environ.get(PATH_VARIABLE) or possible[0]
    if name not in possible:
        raise ValueError(f"{PATH_VARIABLE}={name}: this machine has {', '.join(possible)}")
    return name


def _tile_of(half: int, is_short: bool = False) -> Any:
    """The tile of a path's vectors halved ``half`` times, of all its rows or half of them."""

    @intrinsic
    def tile(
        typing_context: Any,
        path: Any,
        x: Any,
        row: Any,
        panels: Any,
        panel: Any,
        bias: Any,
        out: Any,
        place: Any,
    ) -> Any:
        """out's rows, from column ``place`` panels on = x's rows @ panels[panel] + bias, int32."""
        way = next(p for p in PATHS.values() if p.kind is path.instance_class)
        vectors, rows = way.tile(half, is_short)
        are_bytes = panels.dtype == types.int8

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            arrays = [
                context.make_array(signature.args[i])(context, builder, args[i])
                for i in (1, 3, 5, 6)
            ]
            where = [args[i] for i in (2, 4, 7)]

            def multiply_add(inputs: Any, weights: Any, sums: Any) -> Any:
                return way.multiply(builder, are_bytes, sums, inputs, weights)

            kind = ir.VectorType(_WORD, way.lanes)
            write_tile(builder, kind, (rows, vectors), arrays, where, multiply_add)
            return context.get_dummy_value()

        n = types.int64
        return types.void(path, x, n, panels, n, bias, out, n), generate

    return tile


_TILE, _HALF, _QUARTER = _tile_of(0), _tile_of(1), _tile_of(2)
_SHORT_TILE, _SHORT_HALF = _tile_of(0, is_short=True), _tile_of(1, is_short=True)


@intrinsic
def _shape(typing_context: Any, path: Any) -> Any:
    """The columns of a path's widest tile, and the rows of that, of half and of a quarter."""
    way = next(p for p in PATHS.values() if p.kind is path.instance_class)
    numbers = types.UniTuple(types.int64, 4)
    values = [way.vectors * way.lanes, *(way.tile(half)[1] for half in range(3))]

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_tuple(builder, numbers, [constant(n) for n in values])

    return numbers(path), generate


@njit(nogil=True, cache=True, forceinline=True)
def products(path, x, begin, end, panels, tail, tails, bias, out):  # type: ignore[no-untyped-def]
    """out[begin:end] = x[begin:end] @ a tail's matrix + bias, exact where int32 has room.

    ``x`` uint8[n, inputs] or int16[n, inputs], the matrices of all tails one after the other as
    ``words_of`` cuts them for ``path``, ``out`` int32[n, outputs]. Rows up to the next whole tile
    are written too, so that n is at least end + TILE_ROWS. The last tile is a short one where the
    rows have room in it: a block has rows of several tails, and so several last tiles.
    """
    widest, tile_rows, half_rows, quarter_rows = _shape(path)
    count = panels.shape[0] // tails
    first = tail * count
    if panels.shape[2] == widest:
        for place in range(count):
            for row in range(begin, end, tile_rows):
                if 2 * (end - row) > tile_rows:
                    _TILE(path, x, row, panels, first + place, bias, out, place)
                else:
                    _SHORT_TILE(path, x, row, panels, first + place, bias, out, place)
    elif 2 * panels.shape[2] == widest:
        for row in range(begin, end, half_rows):
            if 2 * (end - row) > half_rows:
                _HALF(path, x, row, panels, first, bias, out, 0)
            else:
                _SHORT_HALF(path, x, row, panels, first, bias, out, 0)
    else:
        for row in range(begin, end, quarter_rows):
            _QUARTER(path, x, row, panels, first, bias, out, 0)


def words_of(
    path: Path, matrix: NDArray[Any], bias: NDArray[np.int32], inputs: int
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """A layer as ``products`` takes it: (int8 or int16[out, in], int32[out]) ->
    (of the same type [panels, words, columns, 4 or 2], int32[panels * columns]).

    ``inputs`` is the width of the rows of x, padded to whole words. A tile then reads its weights
    from one end to the other.
    """
    outputs, given = matrix.shape
    in_word = 4 // matrix.itemsize
    columns = path.columns(outputs)
    panels = -(-outputs // columns)
    wide = np.zeros((panels * columns, inputs), matrix.dtype)
    wide[:outputs, :given] = matrix
    cut = wide.reshape(panels, columns, inputs // in_word, in_word).transpose(0, 2, 1, 3)
    wide_bias = np.zeros(panels * columns, np.int32)
    wide_bias[:outputs] = bias
    return np.ascontiguousarray(cut), wide_bias
