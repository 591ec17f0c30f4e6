"""ONNX files of one layer, written byte by byte: the onnx package is not among our needs.

A message of Protocol Buffers is a run of fields, each a key (number and wire type), then a
varint, or a length and so many bytes. Numbers of fields are those of onnx.proto.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FLOAT, DOUBLE = 1, 11


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    value = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _tensor(name: str, values: NDArray[np.floating]) -> bytes:
    dims = b"".join(_number(1, n) for n in values.shape)
    kind = FLOAT if values.dtype == np.float32 else DOUBLE
    return dims + _number(2, kind) + _bytes(8, name) + _bytes(9, values.tobytes())


def _value(name: str, kind: int, batch: int | str, width: int) -> bytes:
    first = _number(1, batch) if isinstance(batch, int) else _bytes(2, batch)
    shape = _bytes(1, first) + _bytes(1, _number(1, width))
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape)))


def write_linear_onnx(
    path: Path,
    matrix: NDArray[np.floating],
    bias: NDArray[np.floating],
    batch: int | str = "n",
) -> None:
    """A model of ``x @ matrix + bias``: [in, out] and [out], both of one type."""
    kind = FLOAT if matrix.dtype == np.float32 else DOUBLE
    inputs, outputs = matrix.shape
    names = b"".join(_bytes(1, name) for name in ("boards", "matrix", "bias"))
    graph = _bytes(1, names + _bytes(2, "answers") + _bytes(4, "Gemm"))
    graph += _bytes(2, "linear")
    graph += _bytes(5, _tensor("matrix", matrix)) + _bytes(5, _tensor("bias", bias))
    graph += _bytes(11, _value("boards", kind, batch, inputs))
    graph += _bytes(12, _value("answers", kind, batch, outputs))
    operators = _bytes(8, _bytes(1, "") + _number(2, 13))
    path.write_bytes(_number(1, 8) + operators + _bytes(7, graph))
